"""Facts that say the same of a kernel at other places: what follows from them is the same as well."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from operator import attrgetter
from typing import Any

from burstline_model.facts import (
    Access,
    Argument,
    Barrier,
    ChannelOperation,
    Guard,
    KernelFacts,
    LocalArray,
    Loop,
    MacroUse,
    Remark,
    Span,
)  # fmt: skip
from burstline_model.record import Record


def alike(one: KernelFacts, other: KernelFacts) -> bool:
    """Whether places alone differ.

    Which place comes first, and which are the same, is all that anything behind the facts asks of places.
    """
    both = _Both()
    return both.same(one, other) and both.in_order()


_Placed = Access | Argument | Barrier | ChannelOperation | Guard | KernelFacts | LocalArray | Loop | MacroUse | Remark


def _names(kind: type[_Placed]) -> list[str]:
    return [*kind.model_fields] if issubclass(kind, Record) else [field.name for field in fields(kind)]


_PLACES: dict[type[_Placed], tuple[str, ...]] = {
    Access: ("span", "reported_at", "expanded_at", "assigned_at", "call_chain", "macro", "guards"),
    Argument: ("span",),
    Barrier: ("span",),
    ChannelOperation: ("span", "guards", "call_chain"),
    Guard: ("span",),
    KernelFacts: (
        "span", "name_span", "arguments", "loops", "accesses", "private_accesses", "register_accesses", "arrays",
        "channels", "barriers", "remarks",
    ),
    LocalArray: ("span",),
    Loop: ("span", "body", "guards"),
    MacroUse: ("definition",),
    Remark: ("span",),
}  # fmt: skip
"""The fields of each record that are places, or records with places."""
_OTHERS = {kind: attrgetter(*(n for n in _names(kind) if n not in own)) for kind, own in _PLACES.items()}
"""What reads all other fields: they differ, as a rule, where anything does."""


class _Both:
    """Two readings of a kernel, record by record."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        """Places of the one, with those of the other."""
        self._seen: set[tuple[int, int]] = set()
        """The identities of conditions that are the same; many accesses are under each."""

    def same(self, one: _Placed, other: _Placed) -> bool:
        """Whether two records differ in their places at most."""
        kind = type(one)
        if type(other) is not kind or _OTHERS[kind](one) != _OTHERS[kind](other):
            return False
        return all(self._part(getattr(one, name), getattr(other, name)) for name in _PLACES[kind])

    def _part(self, one: Any, other: Any) -> bool:
        """Whether two fields with places do."""
        if isinstance(one, Span) and isinstance(other, Span):
            ends = self._at(one.start, other.start) and self._at(one.end, other.end)
            return ends and one.file == other.file
        if isinstance(one, tuple) and isinstance(other, tuple):
            return len(one) == len(other) and all(map(self._part, one, other))
        if one is None or other is None:
            return one is other
        pair = (id(one), id(other))
        if pair not in self._seen and self.same(one, other):
            self._seen.add(pair)
        return pair in self._seen

    def _at(self, one: int, other: int) -> bool:
        return self._places.setdefault(one, other) == other

    def in_order(self) -> bool:
        """Whether the places of both follow one another in the same order, none of them two in the other."""
        found = [other for _, other in sorted(self._places.items())]
        return all(a < b for a, b in pairwise(found))
