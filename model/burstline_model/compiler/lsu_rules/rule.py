"""One row of a rule table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from burstline_model.compiler.context import Context
from burstline_model.compiler.lsu_rules.evidence import Evidence, origin_of
from burstline_model.lsu import Reason, Why
from burstline_model.target import FAMILIES, Family, Target

Version = tuple[int, int, int]
FIRST: Version = (0, 0, 0)
LAST: Version = (99, 0, 0)
NEWEST_SEEN: Version = (22, 3, 99)
"""The newest compiler whose reports rules were read off; what follows it is taken to build as it does."""
OLDER_FAMILIES: tuple[Family, ...] = ("Cyclone V", "Stratix V", "Arria 10")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What a rule is known for: `families`, and compiler versions from `since` up to and including `until`."""

    families: tuple[Family, ...] = FAMILIES
    since: Version = FIRST
    until: Version = LAST

    def holds_for(self, target: Target) -> bool:
        """Whether the rule is known for a device family and compiler version."""
        return target.family in self.families and self.since <= target.aoc_version <= self.until


@dataclass(frozen=True, kw_only=True)
class Row(Scope, ABC):
    """What all rows of the tables have: their scope, and what supports them.

    `document` names the vendor's document that states the row, empty where none does; `evidence` counts what it does to
    reports (`lsu_rules/recorded.py`).
    """

    document: str = ""
    evidence: tuple[Evidence, ...] = ()

    @property
    @abstractmethod
    def key(self) -> str:
        """Names the row in the record of evidence."""

    @property
    def repositories(self) -> tuple[str, ...]:
        """The repositories whose reports support the row."""
        return tuple(one.repository for one in _for(self.evidence))

    @property
    def enabled(self) -> bool:
        """Whether the row is in force by default.

        A document states it, or two independent repositories show it; and it does not lose more units than it wins.
        """
        return _is_enabled(self.document, self.evidence)

    def known_without(self, repository: str) -> bool:
        """Whether the row would be in force without a repository and its forks: one other suffices to keep it."""
        out = origin_of(repository)
        rest = tuple(one for one in self.evidence if one.origin != out)
        return _is_enabled(self.document, rest) or (self.enabled and bool(_for(rest)) and not _is_refuted(rest))

    @property
    def refuted(self) -> bool:
        """Whether the row loses more units than it wins."""
        return _is_refuted(self.evidence)


def _for(evidence: Sequence[Evidence]) -> list[Evidence]:
    return [one for one in evidence if one.won > one.lost]


def _is_refuted(evidence: Sequence[Evidence]) -> bool:
    return sum(one.lost for one in evidence) > sum(one.won for one in evidence)


def _is_enabled(document: str, evidence: Sequence[Evidence]) -> bool:
    return not _is_refuted(evidence) and (bool(document) or len({one.origin for one in _for(evidence)}) > 1)


@dataclass(frozen=True)
class Rule(Row):
    """A rule of the compiler: `holds` returns why it applies to a group, or None when it does not.

    `source` says what it was read off.
    """

    name: str
    holds: Callable[[Context], Why | None]
    source: str

    @property
    def key(self) -> str:
        """Names the row in the record of evidence."""
        return f"{self.name} ({self.holds.__name__.strip('_')})"

    def reason(self, context: Context) -> Reason | None:
        """Why the rule applies, or None."""
        if not self.holds_for(context.target):
            return None
        why = self.holds(context)
        return Reason(rule=self.name, why=why) if why is not None else None


@dataclass(frozen=True)
class Switch(Row):
    """A rule of how accesses are merged, dropped or judged, which the module `where` implements.

    `source` says what it was read off.
    """

    name: str
    text: str
    where: str
    source: str

    @property
    def key(self) -> str:
        """Names the row in the record of evidence."""
        return self.name


def is_beyond_rules(target: Target) -> bool:
    """Whether no report of a compiler as new as this has been seen."""
    return target.aoc_version > NEWEST_SEEN and not target.paper_rules


def first_reason(rules: Sequence[Rule], context: Context) -> tuple[Rule, Reason] | None:
    """The first rule of a table that applies; a rule in several tables is asked once of a group."""
    asked = context.asked
    for rule in rules:
        key = id(rule)  # tables are made of the same rules, which last as long as the program
        if key not in asked:
            asked[key] = rule.reason(context)
        reason = asked[key]
        if reason is not None:
            return rule, reason
    return None
