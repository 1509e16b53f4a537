"""Which way values move through private arrays: to lower elements alone, to higher ones, or to both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.chains import MAX_CHAINS, Chains
from burstline_server.analysis.values import ArrayElement, Pointer


@fixed
class Moves:
    """Where the elements of an array come from that a loop changes.

    `sources` are arrays, each with where the element of it lies: at a higher place (1), a lower one (-1), the same one
    (0), or at a place that is not known (None). `loops` are those whose counters pick the elements.
    """

    sources: frozenset[tuple[str, int | None]]
    loops: frozenset[int] = frozenset()

    def with_(self, other: Moves | None) -> Moves:
        """Both moves into one array."""
        return Moves(self.sources | other.sources, self.loops | other.loops) if other is not None else self


class OneWay(NamedTuple):
    """Values that leave an element never come back to it once these loops are unrolled.

    `stays`: elements are made of what they were themselves.
    """

    loops: tuple[int, ...]
    stays: bool


def moves_of(
    pointer: Pointer, made_of: Collection[ArrayElement], chains: Chains, loops: Mapping[str, int]
) -> Moves:  # fmt: skip
    """Where a value comes from that is stored to an array.

    It is made of these elements of arrays that the loop changes, through these chains. Loops inside (`loops`, by
    counter) pick the element by their counters alone: once they are unrolled, each copy has its own. What one of them
    hands on in variables comes from the copies before, which have the elements on one side.
    """
    offset, own = pointer.offset, pointer.root
    if offset is None or len(chains) >= MAX_CHAINS or not offset.symbols <= loops.keys():
        return Moves(frozenset({(own, None)}))
    found = set[tuple[str, int | None]]()
    roots = {root for root, _ in made_of}
    for mark, _ in chains:
        if mark.startswith("["):
            root = mark[1:].partition("]")[0]
            found |= {(root, None)} if root not in roots else set()
        elif not mark.startswith("@"):
            counter = next((name for name in offset.symbols if mark.endswith(f"%{loops[name]}")), None)
            step = offset.coefficient(counter) if counter is not None and len(offset.symbols) == 1 else None
            known = step is not None and step.constant
            found.add((own, (-1 if known > 0 else 1) if known else None))
    row = _row_bytes(offset)
    for root, source in made_of:
        apart = (source - offset).constant if source is not None else None
        rows = (offset.offset + apart) // row - offset.offset // row if apart is not None else None
        found.add((root, (rows > 0) - (rows < 0) if rows is not None else None))
    return Moves(frozenset(found), frozenset(loops[name] for name in offset.symbols))


def _row_bytes(offset: Polynomial) -> int:
    """The bytes that each iteration of the loops that pick an element has to itself: a structure, or one element."""
    steps = (offset.coefficient(name) for name in offset.symbols)
    return min((abs(step.constant) for step in steps if step is not None and step.constant), default=1)


def way_of(root: str, moves: Mapping[str, Moves | None]) -> OneWay | None:
    """Which way values move through an array and all those that they come back to it by; None where they may come back.

    `moves` are those into each array, None where nothing comes from an array. Arrays that have none are not followed.
    """
    into = {name: {source for source, _ in own.sources} if own is not None else set() for name, own in moves.items()}
    circle = {root}
    for name in _reached(root, into):
        if name not in into or root in _reached(name, into):
            circle.add(name)
    own = [moves.get(name) for name in circle]
    if not circle <= into.keys() or own == [None]:
        return None
    signs = {sign for one in own if one is not None for source, sign in one.sources if source in circle}
    if None in signs or signs >= {1, -1} or not signs:
        return None
    return OneWay(tuple(sorted({loop for one in own if one is not None for loop in one.loops})), 0 in signs)


def _reached(name: str, into: Mapping[str, set[str]]) -> set[str]:
    """The arrays that an array is made of, in the end."""
    found, waiting = set[str](), [name]
    while waiting:
        new = into.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found
