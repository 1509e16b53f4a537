"""All rule tables together, so that one can ask what inference says without some of their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from burstline_model.compiler.rules.caches import CACHE_RULES
from burstline_model.compiler.rules.loads import LOAD_RULES
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


RULEBOOK = Rulebook(LOAD_RULES, CACHE_RULES, STORE_RULES, WRITE_ACK_RULES)
