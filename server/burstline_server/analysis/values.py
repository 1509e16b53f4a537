"""Values as the reader of a kernel knows them, and the symbols its polynomials are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from burstline_model.facts import Space, Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.chains import Chains, joined
from burstline_server.analysis.types import UNKNOWN, CType

MAX_LOADS = 64
"""Most loads remembered as the sources of one value; beyond, the value is simply data-dependent."""

MAX_SYMBOLS = 48
"""Most symbols that one value keeps apart; beyond, one symbol replaces all of them."""


class Pointer(NamedTuple):
    """An address: `offset` bytes (None: not known, `why` says why) from the start of `root`.

    `narrow_from` is the offset before an index whose 8-bit type bounds it, where that was the last step; `lanes`
    are those of a vector there that it names; `divided`: see `burstline_model.facts.Access`.
    """

    root: str
    space: Space
    offset: Polynomial | None
    why: Unknown | None = None
    volatile: bool = False
    narrow_from: Polynomial | None = None
    lanes: tuple[int, ...] = ()
    divided: bool = False

    @property
    def symbols(self) -> frozenset[str]:
        """What the address is made of, as far as it is known."""
        return self.offset.symbols if self.offset is not None else frozenset()


ArrayElement = tuple[str, Polynomial | None]
"""An element of a private array by root and byte offset, None for one that is not known."""
MAX_ELEMENTS = 24
"""Most elements that one value keeps apart."""


class Value(NamedTuple):
    """What an expression gives. `number` is known for integers only; `symbols` are those it varies with.

    `loads` are the accesses whose values flow into it, `chains` the operations it came through from where an
    iteration begins and from loads.
    """

    type: CType = UNKNOWN
    number: Polynomial | None = None
    pointer: Pointer | None = None
    symbols: frozenset[str] = frozenset()
    loads: frozenset[int] = frozenset()
    chains: Chains = ()
    factors: Chains | None = None
    """Of a product of reals: the chains of what was multiplied."""
    parts: tuple[tuple[str, Polynomial], ...] = ()
    """The numbers of a vector's lanes, or of a structure's integers, by the path to them."""
    held: tuple[tuple[int, Pointer], ...] = ()
    """The pointers that a structure or an array holds, by where they lie in bytes."""
    listed: tuple[ListedElement, ...] = ()
    """Of a list in braces: its elements."""
    ratio: tuple[Polynomial, Polynomial] | None = None
    """Of a real that integers make, or of a vector all of whose lanes are it: the two that it is the quotient of."""
    made_of: frozenset[ArrayElement] = frozenset()
    """The elements of private arrays that it was made of since they were read."""

    @property
    def as_ratio(self) -> tuple[Polynomial, Polynomial] | None:
        """Two integers that an integer or a real is the quotient of."""
        return (self.number, Polynomial.number(1)) if self.number is not None else self.ratio

    @property
    def varies(self) -> bool:
        """Whether it is not one constant that the compiler folds."""
        return bool(self.loads or self.chains or self.varies_with())

    def varies_with(self) -> frozenset[str]:
        """Every symbol that the value is directly made of."""
        own = self.symbols
        if self.number is not None and (more := self.number.symbols):
            own = own | more if own else more
        if self.pointer is not None and self.pointer.offset is not None:
            own |= self.pointer.offset.symbols
        return own


class ListedElement(NamedTuple):
    """An element of a list in braces: the members and positions that are written before it, and its value.

    The path is empty for the position that follows, None where a position is not constant.
    """

    path: tuple[str | int, ...] | None
    value: Value


def ratio_as(type_: CType, value: Value) -> tuple[Polynomial, Polynomial] | None:
    """The quotient that a value is as a real or in every lane of a vector; None for other types, or if not known."""
    if type_.kind == "vector" and value.type.kind == "vector":
        return value.ratio
    return value.as_ratio if type_.kind in {"real", "vector"} else None


def common_ratio(values: Iterable[Value]) -> tuple[Polynomial, Polynomial] | None:
    """The quotient that all of some values are; None where they differ, or it is not known."""
    ratios = {value.as_ratio for value in values}
    return ratios.pop() if len(ratios) == 1 else None


_NOTHING, _NO_LOADS = frozenset[str](), frozenset[int]()


_NO_ELEMENTS: frozenset[ArrayElement] = frozenset()


def combined(type_: CType, *parts: Value) -> Value:
    """A value of `type_` that depends on all of `parts` and is not tracked further."""
    symbols, loads, made_of = _NOTHING, _NO_LOADS, _NO_ELEMENTS
    for part in parts:  # most have none
        if own := part.varies_with():
            symbols = symbols | own if symbols else own
        if part.loads:
            loads = loads | part.loads if loads else part.loads
        if part.made_of:
            made_of = made_of | part.made_of if made_of else part.made_of
    if len(loads) > MAX_LOADS:
        loads = frozenset(sorted(loads)[:MAX_LOADS])
    if len(made_of) > MAX_ELEMENTS:
        made_of = frozenset((root, None) for root, _ in made_of)
    return Value(type_, symbols=symbols, loads=loads, chains=joined([p.chains for p in parts]), made_of=made_of)


def moved(
    pointer: Pointer, by_bytes: Polynomial | None, why: Unknown | None = None, *, narrow_from: Polynomial | None = None
) -> Pointer:
    """The pointer advanced by `by_bytes`; unknown when either is."""
    if pointer.offset is None or by_bytes is None:
        return pointer._replace(offset=None, why=pointer.why or why, narrow_from=None)
    return pointer._replace(offset=pointer.offset + by_bytes, narrow_from=narrow_from)


def somewhere(pointer: Pointer, type_: CType, elements: Polynomial, why: Unknown) -> Pointer:
    """The pointer after it was moved by a number of elements that only a symbol holds.

    Two addresses made of it keep their distance; `why` is what there is to say where the size of an element is unknown.
    """
    size = type_.element.size if type_.element is not None else 0
    if not size or pointer.offset is None:
        return pointer._replace(offset=None, why=why, narrow_from=None)
    return pointer._replace(offset=pointer.offset + elements.scaled(size), narrow_from=None)
