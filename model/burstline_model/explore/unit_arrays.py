"""The load/store units of all variants: what the scalar line says of each, laid out over the axes that decide it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import nan
from typing import NamedTuple

import numpy as np

from burstline_model.boards.board import Board, Memory
from burstline_model.compiler.groups import apart
from burstline_model.compiler.infer import hoists, served_accesses, units_of, with_served
from burstline_model.explore.grid import Array, Axis, Grid, Point
from burstline_model.facts import Access
from burstline_model.lsu import Lsu
from burstline_model.memory import calibrated, faithful
from burstline_model.memory.memory_units import MemoryUnit, Options
from burstline_model.memory.placement import Placement
from burstline_model.memory.traffic import ends_at_span, memory_unit, useful_bytes, walks_of
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.blocks import transactions_of
from burstline_model.target import Target

CROWDS = (1, 2, faithful.MAX_FREE_UNITS + 1)
"""Units in a bank that the papers' equations distinguish: one, two, more."""
_ONE_BANK = Placement(banks={}, unplaced=())


class Figures(NamedTuple):
    """What the equations need of a unit, for one compute unit; all zero where a variant has no such unit.

    `units` equal units, `bytes` of useful traffic (nan: not known, or impossible); `at_span`: see `ends_at_span`.
    `moved_s` and `alone_s` are seconds per useful byte, of the peak and alone in the bank, `atomic_s` those of an
    atomic; `issue` is cycles, `number` and `transactions` are WANG's, per iteration; `demand_bytes` is what a
    request of a unit asks for; `narrowness` and `words_apart`: see `calibrated`, of non-aligned units; `turns` too.
    """

    units: float = 0.0
    bytes: float = 0.0
    at_span: float = 1.0
    atomic: float = 0.0
    scattered: float = 0.0
    non_aligned: float = 0.0
    waits: float = 0.0
    moved_s: float = 0.0
    alone_s: float = 0.0
    atomic_s: float = 0.0
    issue: float = 0.0
    number: float = 0.0
    transactions: float = 0.0
    demand_bytes: float = 0.0
    narrowness: float = 0.0
    words_apart: float = 1.0
    turns: float = 1.0


@dataclass(frozen=True)
class Units:
    """The units at `access`, the same one of them in all variants that have it.

    `crowded_s` is the papers' seconds per byte: its first dimension is `CROWDS`, and it lies along the clocks as well.
    """

    access: Access
    figures: Mapping[str, Array]
    crowded_s: Array

    def __getitem__(self, name: str) -> Array:
        return self.figures[name]


@dataclass(frozen=True)
class Part:
    """Accesses that share units only with each other: the axes that decide these, and the units at each point."""

    accesses: Sequence[Access]
    axes: Collection[Axis]
    lsus: Mapping[tuple[object, ...], Sequence[Lsu]]

    def at(self, point: Point) -> Sequence[Lsu]:
        """The units at a point of (at least) the axes."""
        return self.lsus[key_of(point, self.axes)]


def key_of(point: Point, axes: Collection[Axis]) -> tuple[object, ...]:
    """The values of a point along some axes."""
    return tuple(value for axis, value in point.values.items() if axis in axes)


def parts_of(grid: Grid, target: Target, decided: Mapping[int, Collection[Axis]]) -> list[Part]:
    """All units, by the scalar line. `decided` are the axes that decide the copies of each loop."""
    served = served_accesses(grid.facts, target)
    own = [a for a in grid.facts.accesses if a.id not in served and a.space in {"global", "constant", "local"}]
    parts = []
    for accesses in apart(grid.facts, own, hoist=hoists(target)).values():
        axes = {"simd", *(axis for i in _deciding(grid, accesses) for axis in decided[i])}
        found = {}
        for point in grid.points(axes):
            facts = point.facts
            units = units_of(facts, accesses, target, effective_unroll(facts))
            found[key_of(point, axes)] = with_served(units, served)
        parts.append(Part(accesses, axes, found))
    return parts


def _deciding(grid: Grid, accesses: Sequence[Access]) -> set[int]:
    """The loops whose copies decide the units of some accesses: those around them, and those inside of these."""
    around = {i for a in accesses for i in a.loops}
    return around | {o.id for o in grid.facts.loops if not around.isdisjoint(grid.facts.loops_around(o.id))}


def global_units(
    grid: Grid, part: Part, board: Board, options: Options, extents: Mapping[object, Extent]
) -> list[Units]:
    """The figures of a part's units of global memory. `extents` are the launch's, by the work-group's size."""
    axes = {*part.axes, "local_size"}
    clocks = [f * 1e6 for f in grid.axes["f_max_mhz"]] if options.measured is None else []
    cells: list[dict[tuple[int, int], list[float]]] = []
    for point in grid.points(axes):
        facts = point.facts
        extent = extents[point["local_size"]].with_copies(facts, effective_unroll(facts))
        numbers: dict[int, count[int]] = {}
        cell: dict[tuple[int, int], list[float]] = {}
        external = [u for u in part.at(point) if u.space == "global"]
        for lsu, walk in zip(external, walks_of(extent, external, board, _ONE_BANK), strict=True):
            first = lsu.members[0]
            slot = first, next(numbers.setdefault(first, count()))
            size = useful_bytes(extent, lsu, walk)
            alone = facts.model_copy(update={"compute_units": 1})
            unit = memory_unit(alone, lsu, _ONE_BANK, size if size is not None else nan, walk)
            cell[slot] = _figures(lsu, unit, board.memory, options, clocks)
        cells.append(cell)
    slots = sorted({slot for cell in cells for slot in cell})
    return [_laid(grid, axes, slot, cells, len(clocks)) for slot in slots]


def _laid(
    grid: Grid,
    axes: Collection[Axis],
    slot: tuple[int, int],
    cells: Sequence[Mapping[tuple[int, int], list[float]]],
    clocks: int,
) -> Units:
    fixed = len(Figures._fields)
    none = [*Figures(), *[0.0] * (clocks * len(CROWDS))]
    table = grid.laid(axes, [cell.get(slot, none) for cell in cells])
    # The clocks lie side by side in the first dimension; their own is the grid's last.
    by_clock = table[fixed:].reshape(len(CROWDS), clocks, *table.shape[1:-1])
    return Units(
        access=grid.facts.accesses[slot[0]],
        figures=dict(zip(Figures._fields, table[:fixed], strict=True)),
        crowded_s=np.moveaxis(by_clock, 1, -1),
    )


def _figures(lsu: Lsu, unit: MemoryUnit, memory: Memory, options: Options, clocks: Sequence[float]) -> list[float]:
    measured = options.measured
    number, burst = transactions_of(lsu)
    span = (memory.interleave_bytes or 0) * memory.banks
    possible = faithful.no_atomics(unit, memory) is None
    figures = Figures(
        units=lsu.count,
        bytes=unit.bytes if possible else nan,
        at_span=bool(span) and ends_at_span(lsu, unit.bytes, span),
        issue=calibrated.issue_s(unit, memory, 1.0, options) if options.issue_bound else 0.0,
        waits=unit.kind == "write_ack",
        number=number,
        transactions=number * burst,
        demand_bytes=calibrated.demand_bytes(unit, memory),
    )
    if measured is None:
        byte = unit.model_copy(update={"bytes": 1.0})
        crowded = [faithful.unit_time(byte, memory, f, crowd).time_s for crowd in CROWDS for f in clocks]
        return [*figures, *crowded]
    if unit.kind == "atomic":
        own = figures._replace(atomic=True, atomic_s=calibrated.atomic_s(unit, measured))
    else:
        moved = calibrated.traffic(unit, memory) / memory.bandwidth_bytes_s
        pattern = calibrated.pattern(unit)
        if pattern == "non_aligned":
            narrow, apart = calibrated.narrowness(unit, memory), calibrated.words_apart(unit, memory)
            figures = figures._replace(narrowness=narrow, words_apart=apart)
        own = figures._replace(
            scattered=pattern == "scattered",
            non_aligned=pattern == "non_aligned",
            moved_s=moved,
            alone_s=moved / calibrated.alone_share(unit, measured),
            turns=calibrated.turns(unit.step_bytes, memory.banks, memory),
        )
    return [*own]
