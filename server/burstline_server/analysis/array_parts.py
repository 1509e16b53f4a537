"""What each part of a private array holds: chains of operations go through the parts that a value comes from alone.

Compilers know that ``a[0]`` is not ``a[1]``, nor ``a[k].re`` any ``a[i].im``: one part does not wait for the other.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from math import gcd

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.chains import Chain, Chains, rough_length
from burstline_server.analysis.types import CType
from burstline_server.analysis.values import Pointer

MAX_PARTS = 64
"""Most parts of an array that are kept apart."""


@fixed
class Part:
    """Some bytes of an array from an offset on."""

    offset: Polynomial
    size: int

    def may_meet(self, other: Part) -> bool:
        """Whether this part in any iteration of the loops around it may have a byte of the other in any of its own."""
        step, apart = 0, 0
        for sign, part in ((1, self), (-1, other)):
            for monomial, coefficient in part.offset.terms:
                if monomial:
                    step = gcd(step, coefficient)
                else:
                    apart += sign * coefficient
        if step == 0:
            return -self.size < apart < other.size
        behind = apart % step
        return behind < other.size or step - behind < self.size


def part_of(pointer: Pointer, type_: CType | None) -> Part | None:
    """The bytes that a value of this type has behind a pointer; only the lanes that it names of a vector."""
    if pointer.offset is None or type_ is None or not type_.size:
        return None
    if not pointer.lanes or type_.element is None:
        return Part(pointer.offset, type_.size)
    first, last = min(pointer.lanes), max(pointer.lanes)
    lane = type_.element.size
    return Part(pointer.offset + Polynomial.number(first * lane), (last + 1 - first) * lane)


@dataclass(slots=True)
class ArrayParts:
    """The chains of what was stored in the parts of arrays, by root; under None what may be anywhere."""

    _held: dict[str, dict[Part | None, dict[str, Chain]]] = field(default_factory=dict)

    def copy(self) -> ArrayParts:
        """The same, to read ahead with."""
        return ArrayParts(
            {root: {part: dict(held) for part, held in parts.items()} for root, parts in self._held.items()}
        )

    def begin(self, root: str, chains: Chains) -> None:
        """An array is declared, with values that came through these chains."""
        self._held[root] = {None: dict(chains)}

    def written(self, root: str, part: Part | None, chains: Chains) -> None:
        """A part is stored to, or some place that is not known."""
        parts = self._held.setdefault(root, {None: {}})
        _longest(parts.setdefault(part if len(parts) < MAX_PARTS else None, {}), dict(chains))

    def through(self, root: str, part: Part | None, whole: Chains, begun: Container[str]) -> Chains:
        """Of the chains through a whole array those through one part; `begun` are the marks of the array itself.

        Chains that begin at loads stay as they are.
        """
        parts = self._held.get(root)
        if part is None or parts is None:
            return whole
        own = dict[str, Chain]()
        for other, held in parts.items():
            if other is None or part.may_meet(other):
                _longest(own, held)
        found = list[tuple[str, Chain]]()
        for mark, chain in whole:
            through = chain if mark.startswith("@") else own.get(mark, () if mark in begun else None)
            if through is not None:
                found.append((mark, min(chain, through, key=rough_length)))
        return tuple(found)


def _longest(known: dict[str, Chain], more: dict[str, Chain]) -> None:
    for mark, chain in more.items():
        if mark not in known or rough_length(chain) > rough_length(known[mark]):
            known[mark] = chain
