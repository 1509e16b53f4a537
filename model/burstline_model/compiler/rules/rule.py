"""One row of a rule table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from burstline_model.compiler.context import Context
from burstline_model.compiler.lsu import Reason
from burstline_model.compiler.target import FAMILIES, Family, Target

Version = tuple[int, int, int]
FIRST: Version = (0, 0, 0)
LAST: Version = (99, 0, 0)
NEWEST_SEEN: Version = (22, 3, 99)
"""The newest compiler whose reports rules were read off; what follows it is taken to build as it does."""
OLDER_FAMILIES: tuple[Family, ...] = ("Cyclone V", "Stratix V", "Arria 10")


@dataclass(frozen=True)
class Rule:
    """A rule of the compiler: `holds` returns why it applies to a group, or None when it does not.

    It is known for `families` and for compiler versions from `since` up to and including `until`;
    `source` names the guide's section or the reports it was read off, with their counts.
    """

    name: str
    holds: Callable[[Context], str | None]
    source: str
    families: tuple[Family, ...] = FAMILIES
    since: Version = FIRST
    until: Version = LAST

    def holds_for(self, target: Target) -> bool:
        """Whether the rule is known for a device family and compiler version."""
        return target.family in self.families and self.since <= target.aoc_version <= self.until

    def reason(self, context: Context) -> Reason | None:
        """Why the rule applies, or None."""
        if not self.holds_for(context.target):
            return None
        text = self.holds(context)
        return Reason(rule=self.name, text=text) if text else None


def beyond_rules(target: Target) -> str | None:
    """What to say of a compiler that no report of has been seen."""
    if target.aoc_version <= NEWEST_SEEN or target.paper_rules:
        return None
    newest, asked = (".".join(str(v) for v in version[:2]) for version in (NEWEST_SEEN, target.aoc_version))
    return f"rules are known up to aoc {newest}: units are those that {newest} builds, not seen for {asked}"


def first_reason(rules: Sequence[Rule], context: Context) -> tuple[Rule, Reason] | None:
    """The first rule of a table that applies."""
    for rule in rules:
        reason = rule.reason(context)
        if reason is not None:
            return rule, reason
    return None
