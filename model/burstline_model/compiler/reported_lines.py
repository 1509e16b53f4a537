"""Which line the vendor's report names for an access."""

from __future__ import annotations

from burstline_model.facts import Access, Span
from burstline_model.target import STANDARD_FAMILIES, Target

STATEMENTS_UNTIL = (18, 0, 0)
"""Compilers before this version keep the line of a statement, or of the call begun last in it, not of each expression.

The rows "line" of the structure rules have the evidence.
"""
STATEMENTS_UNTIL_STANDARD = (19, 2, 0)
"""The same for the Standard Edition, which ends with 19.1."""


def named_at(access: Access, target: Target) -> Span:
    """What is on the line that the report of this target's compiler names."""
    until = STATEMENTS_UNTIL_STANDARD if target.family in STANDARD_FAMILIES else STATEMENTS_UNTIL
    if target.aoc_version < until:
        return access.reported_at or access.expanded_at or access.span
    return access.assigned_at or access.expanded_at or access.span
