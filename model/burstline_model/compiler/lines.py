"""Which line the vendor's report names for an access."""

from __future__ import annotations

from burstline_model.facts import Access, Span
from burstline_model.target import Target

STATEMENTS_UNTIL = (18, 0, 0)
"""Compilers before this version keep the line of a statement, or of the call begun last in it, not of each expression.

The row "line" of the structure rules has the evidence.
"""


def named_at(access: Access, target: Target) -> Span:
    """What is on the line that the report of this target's compiler names."""
    if target.aoc_version < STATEMENTS_UNTIL:
        return access.reported_at or access.expanded_at or access.span
    return access.assigned_at or access.expanded_at or access.span
