"""What all variants take of the device: the resource model, asked piece by piece, since pieces add up.

A piece is what no other knob reaches: the arithmetic of a level of loops, an array on the chip, the units of one part
of the accesses. Each is asked for in a kernel that has nothing else, less that empty kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from burstline_model.boards.board import Board
from burstline_model.body_operations import Operations
from burstline_model.devices.resource_use import ALMS_FOR_A_DSP, RESOURCES, Amounts
from burstline_model.explore.grid import Array, Axis, Grid, Point, Window, seen, total
from burstline_model.explore.loop_arrays import Loops
from burstline_model.explore.unit_arrays import Part
from burstline_model.facts import KernelFacts, LocalArray
from burstline_model.lsu import Lsu
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.resources import resources_of
from burstline_model.target import Target

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Device:
    """What a kernel is built for."""

    target: Target
    board: Board

    def shares(self, facts: KernelFacts, lsus: Sequence[Lsu], copies: Mapping[int, int]) -> Array:
        """The share that a kernel asks for of each of `RESOURCES`."""
        use = resources_of(facts, lsus, copies, self.target, self.board)
        shares = use.shares_of(use.asked)
        return np.array([shares[name] for name in RESOURCES])

    def logic_for_dsps(self, facts: KernelFacts) -> float:
        """The share of the free logic that does the work of all free DSP blocks; 0 where there are none."""
        use = resources_of(facts, (), {}, self.target, self.board)
        free = use.device.dsps - use.shell.dsps
        return use.shares_of(Amounts(logic_alms=free * ALMS_FOR_A_DSP))["logic_alms"] if use.device.dsps else 0.0


@dataclass(frozen=True)
class Piece:
    """Some of a kernel: arithmetic, arrays, and the units of a part."""

    operations: tuple[Operations, ...] = ()
    arrays: tuple[LocalArray, ...] = ()
    part: Part | None = None

    def shares(self, device: Device, point: Point) -> Array:
        """The shares of a compute unit that has nothing else."""
        facts = point.facts
        own = {"operations": self.operations, "arrays": self.arrays, "compute_units": 1}
        lsus = self.part.at(point) if self.part is not None else ()
        return device.shares(facts.model_copy(update=own), lsus, effective_unroll(facts))


_NOTHING = Piece()


@dataclass(frozen=True)
class ResourceShares:
    """The shares of all variants: terms of a compute unit that add up, with the resources as first dimension.

    `logic_for_dsps`: see `Device`.
    """

    grid: Grid
    terms: Sequence[Array]
    logic_for_dsps: float

    def shares(self, window: Window) -> list[Array]:
        """The share of each resource over a part of the grid; products that find no DSP block are made of logic."""
        units = seen(self.grid.along("compute_units"), window)
        asked = {n: units * total(seen(t[i], window) for t in self.terms) for i, n in enumerate(RESOURCES)}
        over = np.maximum(asked["dsps"] - 1.0, 0.0)
        asked |= {"dsps": asked["dsps"] - over, "logic_alms": asked["logic_alms"] + over * self.logic_for_dsps}
        return list(asked.values())


def resource_shares(grid: Grid, device: Device, loops: Loops, parts: Sequence[Part]) -> ResourceShares:
    """The tables of all pieces."""
    empty = partial(_NOTHING.shares, device)
    base = grid.table([], empty)
    terms = [base]
    for axes, _ in _joined((axes, i) for i, axes in loops.axes.items() if axes):
        terms.append(grid.table(axes, empty) - base)
    for own, piece in _pieces(grid.facts, loops, parts):
        terms.append(grid.table(own, partial(piece.shares, device)) - grid.table(loops_among(own), empty))
    by_shape: dict[tuple[int, ...], Array] = {}
    for term in terms:
        by_shape[term.shape] = by_shape[term.shape] + term if term.shape in by_shape else term
    return ResourceShares(grid, list(by_shape.values()), device.logic_for_dsps(grid.facts))


def loops_among(axes: Collection[Axis]) -> list[Axis]:
    """The axes that an empty kernel hangs on."""
    return [axis for axis in axes if isinstance(axis, int)]


def _pieces(facts: KernelFacts, loops: Loops, parts: Sequence[Part]) -> Iterable[tuple[Collection[Axis], Piece]]:
    # Operations that may come to be in the same loop of the hardware are one piece: they may share blocks.
    levels = _joined((frozenset(node for node, _ in loops.landing(o.loops)), o) for o in facts.operations)
    for _, operations in levels:
        around = {i for o in operations for i in (*o.loops, *(o.copied_by or ()))}
        yield {"simd", *loops.around(around)}, Piece(operations=tuple(operations))
    for array in facts.arrays:
        around = {i for a in facts.accesses if a.pointer == array.name for i in a.loops} | {*(array.picked_by or ())}
        yield {"simd", *loops.around(around)}, Piece(arrays=(array,))
    for part in parts:
        yield part.axes, Piece(part=part)


def _joined(items: Iterable[tuple[frozenset[K], T]]) -> list[tuple[frozenset[K], list[T]]]:
    """Items put together whose keys overlap, directly or through others."""
    groups: list[tuple[frozenset[K], list[T]]] = []
    for keys, item in items:
        near = [g for g in groups if g[0] & keys]
        groups = [g for g in groups if not g[0] & keys]
        groups.append((keys.union(*(g[0] for g in near)), [*(one for g in near for one in g[1]), item]))
    return groups
