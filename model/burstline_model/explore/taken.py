"""What all variants take of the device: the scalar count, asked piece by piece, since pieces add up.

A piece is what no other knob reaches: the arithmetic of a level of loops, an array on the chip with its units, the
units of one part of the accesses. Each is asked for in a kernel that has nothing else, less that empty kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from burstline_model.board import Board
from burstline_model.compiler.lsu import Lsu
from burstline_model.compiler.target import Target
from burstline_model.compiler.unroll import effective_unroll
from burstline_model.explore.grid import Array, Axis, Grid, Point, Window, seen, total
from burstline_model.explore.pipeline import Loops
from burstline_model.explore.units import Part
from burstline_model.facts import KernelFacts, LocalArray, Operations
from burstline_model.resources import resources_of

RESOURCES = ("logic", "rams", "dsps")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def shares_of(
    facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int], target: Target, board: Board
) -> Array:
    """The shares of logic, RAM and DSP blocks that a kernel takes."""
    shares = resources_of(facts, lsus, copies, target, board).shares
    return np.array([shares["logic_alms"], shares["rams"], shares["dsps"]])


@dataclass(frozen=True)
class Piece:
    """Some of a kernel: arithmetic, arrays, and the units of `parts` that stand at `pointers`."""

    operations: tuple[Operations, ...] = ()
    arrays: tuple[LocalArray, ...] = ()
    parts: tuple[Part, ...] = ()
    pointers: frozenset[str] = frozenset()

    def taken(self, point: Point, target: Target, board: Board) -> Array:
        """Its shares at a point: those there are once, and those of each compute unit; they lie on a straight line."""
        facts = point.facts
        copies = effective_unroll(facts)
        lsus = [u for p in self.parts for u in p.at(point) if facts.accesses[u.members[0]].pointer in self.pointers]
        own = facts.model_copy(update={"operations": self.operations, "arrays": self.arrays})
        one, two = (
            shares_of(own.model_copy(update={"compute_units": n}), lsus, copies, target, board) for n in (1, 2)
        )  # fmt: skip
        return np.concatenate([2 * one - two, two - one])


_NOTHING = Piece()


@dataclass(frozen=True)
class Taken:
    """The shares of all variants, in terms that add up: first what is there once, then for each compute unit."""

    grid: Grid
    terms: Sequence[Array]

    def shares(self, window: Window) -> dict[str, Array]:
        """The share of each resource over a part of the grid."""
        rows = [total(seen(term[i], window) for term in self.terms) for i in range(2 * len(RESOURCES))]
        copies = seen(self.grid.along("compute_units"), window)
        return {name: rows[i] + copies * rows[i + len(RESOURCES)] for i, name in enumerate(RESOURCES)}


def taken(grid: Grid, target: Target, board: Board, loops: Loops, parts: Sequence[Part]) -> Taken:
    """The tables of all pieces."""
    empty = partial(_NOTHING.taken, target=target, board=board)
    base = grid.table([], empty)
    terms = [base]
    for axes, _ in _joined((axes, i) for i, axes in loops.axes.items() if axes):
        terms.append(grid.table(axes, empty) - base)
    for own, piece in _pieces(grid.facts, loops, parts):
        terms.append(grid.table(own, partial(_beside_nothing, piece, target, board)))
    by_shape: dict[tuple[int, ...], Array] = {}
    for term in terms:
        by_shape[term.shape] = by_shape[term.shape] + term if term.shape in by_shape else term
    return Taken(grid, list(by_shape.values()))


def _beside_nothing(piece: Piece, target: Target, board: Board, point: Point) -> Array:
    return piece.taken(point, target, board) - _NOTHING.taken(point, target, board)


def _pieces(facts: KernelFacts, loops: Loops, parts: Sequence[Part]) -> Iterable[tuple[Collection[Axis], Piece]]:
    # Operations that may come to stand in the same loop of the hardware are one piece: they may share blocks.
    levels = _joined((frozenset(node for node, _ in loops.landing(o.loops)), o) for o in facts.operations)
    for _, operations in levels:
        around = {i for o in operations for i in o.loops}
        yield {"simd", *loops.around(around)}, Piece(operations=tuple(operations))
    for array in facts.arrays:
        touching = tuple(p for p in parts if any(a.pointer == array.name for a in p.accesses))
        around = {i for a in facts.accesses if a.pointer == array.name for i in a.loops}
        axes = {"simd", *loops.around(around), *(axis for p in touching for axis in p.axes)}
        yield axes, Piece(arrays=(array,), parts=touching, pointers=frozenset({array.name}))
    for part in parts:
        own = frozenset(a.pointer for a in part.accesses) - {a.name for a in facts.arrays}
        yield part.axes, Piece(parts=(part,), pointers=own)


def _joined(items: Iterable[tuple[frozenset[K], T]]) -> list[tuple[frozenset[K], list[T]]]:
    """Items put together whose keys overlap, directly or through others."""
    groups: list[tuple[frozenset[K], list[T]]] = []
    for keys, item in items:
        near = [g for g in groups if g[0] & keys]
        groups = [g for g in groups if not g[0] & keys]
        groups.append((keys.union(*(g[0] for g in near)), [*(one for g in near for one in g[1]), item]))
    return groups
