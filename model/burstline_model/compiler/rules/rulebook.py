"""All rule tables together, so that one can ask what inference says without some of their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from burstline_model.compiler.rules.caches import CACHE_RULES
from burstline_model.compiler.rules.evidence import Evidence
from burstline_model.compiler.rules.loads import LOAD_RULES
from burstline_model.compiler.rules.recorded import RECORDED
from burstline_model.compiler.rules.rule import Rule
from burstline_model.compiler.rules.stores import STORE_RULES, WRITE_ACK_RULES


@dataclass(frozen=True)
class Rulebook:
    """The tables, in the order they are asked."""

    loads: tuple[Rule, ...]
    caches: tuple[Rule, ...]
    stores: tuple[Rule, ...]
    write_ack: tuple[Rule, ...]

    def __iter__(self) -> Iterator[Rule]:
        """Every row."""
        yield from (*self.loads, *self.caches, *self.stores, *self.write_ack)

    def without(self, left_out: Collection[Rule]) -> Rulebook:
        """The same tables without some rows."""
        tables = (self.loads, self.caches, self.stores, self.write_ack)
        return Rulebook(*(tuple(rule for rule in table if rule not in left_out) for table in tables))

    def with_evidence(self, recorded: Mapping[str, tuple[Evidence, ...]]) -> Rulebook:
        """The same rows, each with what is recorded of it."""
        tables = (self.loads, self.caches, self.stores, self.write_ack)
        return Rulebook(*(tuple(replace(r, evidence=recorded.get(r.key, ())) for r in table) for table in tables))

    def enabled(self) -> Rulebook:
        """The rows that are in force by default."""
        return self.without([rule for rule in self if not rule.enabled])

    def without_repository(self, repository: str) -> Rulebook:
        """The rows that would be in force if one repository and its forks had never been seen."""
        return self.without([rule for rule in self if not rule.known_without(repository)])


EVERY_ROW = Rulebook(LOAD_RULES, CACHE_RULES, STORE_RULES, WRITE_ACK_RULES).with_evidence(RECORDED)
"""Every row, those with too little evidence among them."""

RULEBOOK = EVERY_ROW.enabled()
"""What units are inferred by."""
