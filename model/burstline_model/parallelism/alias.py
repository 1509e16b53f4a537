"""Which accesses may reach the same place."""

from __future__ import annotations

from burstline_model.facts import Access, ChannelOperation, Guard, KernelFacts
from burstline_model.polynomial import Polynomial

HIDDEN = "printf"


def may_alias(facts: KernelFacts, a: Access, b: Access) -> bool:
    """Whether two accesses may reach the same bytes, as far as qualifiers and types show."""
    return may_share(facts, a, b) and (a.pointer == b.pointer or not _types_apart(a, b))


def may_share(facts: KernelFacts, a: Access, b: Access) -> bool:
    """Whether the pointers of two accesses may reach the same buffer, as far as the qualifiers show."""
    if a.pointer == b.pointer:
        return True
    if a.space != b.space or HIDDEN in {a.pointer, b.pointer}:
        return False
    if any(a.pointer in one and b.pointer in one for one in facts.mixed):
        return True
    first, second = facts.argument(a.pointer), facts.argument(b.pointer)
    if first is None or second is None:
        # A pointer that came in a structure leads to a buffer of the host's.
        return a.space == "global" and not any(one is not None and one.restrict for one in (first, second))
    if first.buffer_location and second.buffer_location and first.buffer_location != second.buffer_location:
        return False
    return not (first.restrict or second.restrict)


def _types_apart(a: Access, b: Access) -> bool:
    """Whether C99's rule on effective types (6.5 §7) keeps accesses apart: different scalars, neither a character.

    Vendor reports 16.1: four kernels without restrict fetch ``int`` fields before they store ``float``; the ``float``
    field of the same structure is loaded in their loops.
    """
    kinds = [_SCALARS.get(one.type) for one in (a, b)]
    return None not in kinds and kinds[0] != kinds[1]


_SCALARS = {
    "short": "short", "ushort": "short", "int": "int", "uint": "int", "long": "long", "ulong": "long",
    "half": "half", "float": "float", "double": "double",
}  # fmt: skip


def exclusive(a: Access | ChannelOperation, b: Access | ChannelOperation) -> bool:
    """Whether one round runs only one of two: in the two arms of an if, or behind an arm that returns."""
    apart = next(((g, h) for g, h in zip(a.guards, b.guards, strict=False) if g != h), None)
    if apart is None or not _are_opposite(*apart):
        return False
    # Two calls of one function have conditions of the same text, each its own.
    deep = apart[0].calls
    return len(a.call_chain) >= deep and a.call_chain[:deep] == b.call_chain[:deep]


def same_place(a: Access, b: Access) -> bool:
    """Whether two accesses of one iteration reach just the same bytes."""
    same = (a.pointer, a.space, a.offset, a.element_bytes) == (b.pointer, b.space, b.offset, b.element_bytes)
    return same and a.offset is not None and not (a.volatile or b.volatile)


def _are_opposite(one: Guard, other: Guard) -> bool:
    return one.span == other.span and one.text != other.text


def distance(a: Access, b: Access) -> Polynomial | None:
    """How many bytes `b` lies after `a`, None when either address is unknown."""
    if a.offset is None or b.offset is None:
        return None
    return b.offset - a.offset


def never_overlap(a: Access, b: Access) -> bool:
    """Whether two accesses of one iteration are a fixed distance apart that keeps them off each other."""
    if a.pointer != b.pointer or a.offset is None or b.offset is None:
        return False
    fixed = b.offset.ahead_of(a.offset)
    return fixed is not None and (fixed >= a.element_bytes or -fixed >= b.element_bytes)
