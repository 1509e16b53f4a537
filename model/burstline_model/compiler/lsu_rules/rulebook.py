"""All rule tables together, so that one can ask what inference says without some of their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from burstline_model.compiler.lsu_rules.caches import CACHE_RULES
from burstline_model.compiler.lsu_rules.evidence import Evidence
from burstline_model.compiler.lsu_rules.loads import LOAD_RULES
from burstline_model.compiler.lsu_rules.recorded import RECORDED
from burstline_model.compiler.lsu_rules.rule import Row, Rule, Switch
from burstline_model.compiler.lsu_rules.stores import STORE_RULES, WRITE_ACK_RULES
from burstline_model.compiler.lsu_rules.switches import SWITCHES
from burstline_model.compiler.rule_names import Switches
from burstline_model.record import fixed
from burstline_model.target import Target


@fixed
class Rulebook:
    """The tables, in the order they are asked."""

    loads: tuple[Rule, ...]
    caches: tuple[Rule, ...]
    stores: tuple[Rule, ...]
    write_ack: tuple[Rule, ...]
    switches: tuple[Switch, ...] = ()

    def __iter__(self) -> Iterator[Rule | Switch]:
        """Every row."""
        yield from (*self.loads, *self.caches, *self.stores, *self.write_ack)
        yield from self.switches

    def switched_on(self, target: Target) -> Switches:
        """The names of the rules in the code that are in force for a target."""
        return frozenset(one.name for one in self.switches if one.holds_for(target))

    def without(self, left_out: Collection[Row]) -> Rulebook:
        """The same tables without some rows."""
        loads, caches, stores, write_ack = (
            tuple(rule for rule in table if rule not in left_out) for table in self._tables
        )
        return Rulebook(loads, caches, stores, write_ack, tuple(s for s in self.switches if s not in left_out))

    def with_evidence(self, recorded: Mapping[str, tuple[Evidence, ...]]) -> Rulebook:
        """The same rows, each with what is recorded of it."""
        loads, caches, stores, write_ack = (
            tuple(replace(rule, evidence=recorded.get(rule.key, ())) for rule in table) for table in self._tables
        )
        switches = tuple(replace(one, evidence=recorded.get(one.key, ())) for one in self.switches)
        return Rulebook(loads, caches, stores, write_ack, switches)

    @property
    def _tables(self) -> tuple[tuple[Rule, ...], ...]:
        return (self.loads, self.caches, self.stores, self.write_ack)

    def enabled(self) -> Rulebook:
        """The rows that are in force by default."""
        return self.without([rule for rule in self if not rule.enabled])

    @cached_property
    def seen_twice(self) -> Rulebook:
        """The same tables without the rows that reports of fewer than two repositories show."""
        return self.without([row for row in self if row.enabled and len({one.origin for one in row.evidence}) < 2])

    def without_repository(self, repository: str) -> Rulebook:
        """The rows that would be in force if one repository and its forks had never been seen."""
        return self.without([rule for rule in self if not rule.known_without(repository)])


EVERY_ROW = Rulebook(LOAD_RULES, CACHE_RULES, STORE_RULES, WRITE_ACK_RULES, SWITCHES).with_evidence(RECORDED)
"""Every row, those with too little evidence among them."""

UNREFUTED = EVERY_ROW.without([row for row in EVERY_ROW if row.refuted])
"""Every row that reports do not speak against."""

RULEBOOK = EVERY_ROW.enabled()
"""What units are inferred by."""
