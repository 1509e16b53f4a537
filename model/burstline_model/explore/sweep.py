"""The cost of every variant: the scalar line's answers, computed for the whole product of knobs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from burstline_model.boards.board import Board
from burstline_model.devices.resource_use import RESOURCES
from burstline_model.explore import refusals
from burstline_model.explore.clocks import Clocks
from burstline_model.explore.grid import Array, Axis, Grid, Point, StoppedError, Window, seen
from burstline_model.explore.loop_arrays import Loops
from burstline_model.explore.memory_arrays import External, Moved, seats_of
from burstline_model.explore.pipeline_arrays import pipelines
from burstline_model.explore.refusals import NoRoom, Refusal
from burstline_model.explore.resource_arrays import Device, resource_shares
from burstline_model.explore.unit_arrays import global_units, parts_of
from burstline_model.facts import KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.memory.memory_units import options_for
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.knobs import Knobs, KnobsError, LocalSize, Variant, relaunched
from burstline_model.target import Target

WINDOW_ROWS = 1 << 15
"""Variants that are computed together: enough to fill arrays, few enough for the processor's caches."""
TAKEN = ("logic", "registers", "rams", "dsps")
"""The columns of `RESOURCES`, in their order."""
MAX_VARIANTS = 10_000_000
"""Most variants that are kept, some 100 bytes each; `Plan.parts` has no such limit."""
FIGURES = ("time_s", "moving_s", "cycles", "clock_mhz", *TAKEN)


@dataclass(frozen=True)
class Sweep:
    """Variants from row `first` of a grid on; nan is not known.

    `time_s` is the kernel's, `moving_s` its memory's, `cycles` its own pipeline's at `clock_mhz`; `logic`, `registers`,
    `rams` and `dsps` are shares of what the board leaves free. `reason` is an index into `reasons`, 0 where nothing
    speaks against a variant.
    """

    grid: Grid
    first: int
    time_s: Array
    moving_s: Array
    cycles: Array
    clock_mhz: Array
    logic: Array
    registers: Array
    rams: Array
    dsps: Array
    reason: Array
    reasons: tuple[Refusal | None, ...]

    def __len__(self) -> int:
        return len(self.time_s)

    @property
    def complete(self) -> bool:
        """Whether every variant is there."""
        return len(self) == self.grid.size

    @property
    def feasible(self) -> Array:
        """Which variants can be built and launched."""
        found: Array = self.reason == 0
        return found

    def variant(self, row: int) -> Variant:
        """The knobs of a row."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        return self.grid.variant(self.first + row)

    def why(self, row: int) -> Refusal | None:
        """Why a variant cannot be built or launched; None when it can."""
        return self.reasons[int(self.reason[row])]

    def positions(self, axis: Axis) -> Array:
        """The place of each row's value among those of a knob (`grid.axes`): a name of `Knobs`, or a loop's id."""
        number = list(self.grid.axes).index(axis)
        found: Array = np.unravel_index(np.arange(self.first, self.first + len(self)), self.grid.shape)[number]
        return found

    def column(self, axis: Axis) -> Array:
        """A numeric knob's value in each row."""
        return np.asarray(self.grid.axes[axis])[self.positions(axis)]


class Plan:
    """The tables of a kernel. Making them costs the scalar line; `parts` then only computes with arrays."""

    def __init__(self, grid: Grid, target: Target, board: Board, *, on_chip: bool = False) -> None:
        self.grid, self._on_chip = grid, on_chip
        extents = {size: _extent(grid, size) for size in grid.axes["local_size"]}
        loops = Loops.of(grid, extents)
        parts = parts_of(grid, target, loops.axes)
        options = options_for(grid.launch.mode, board)
        units = [unit for part in parts for unit in global_units(grid, part, board, options, extents)]
        self._external = External(grid, units, seats_of(grid, board), board.memory, options)
        self._pipelines = pipelines(grid, target, board, loops, units, extents)
        device = Device(target, board)
        self._resources = resource_shares(grid, device, loops, parts)
        self._clocks = Clocks.of(grid, device)
        self._refused, self.reasons = _refused(grid, board)

    def parts(self, rows: int = WINDOW_ROWS) -> Iterator[Sweep]:
        """All variants in order, about `rows` at a time; raises `StoppedError` when asked to stop."""
        for first, window in self.grid.windows(rows):
            self.grid.go_on()
            yield self._computed(first, window)

    def _computed(self, first: int, window: Window) -> Sweep:
        launch, shape = (
            self.grid.launch,
            tuple(len(range(*w.indices(n))) for w, n in zip(window, self.grid.shape, strict=True)),
        )
        shares = self._resources.shares(window)
        clock_hz = self._clocks.hz(window, shares)
        moved = self._external.moved(window, clock_hz)
        if self._on_chip:
            moved = Moved(0 * moved.total_s, [0 * one for one in moved.units_s])
        own_memory = launch.memory_part == "wang" and not self._on_chip
        cycles = self._pipelines.cycles(window, clock_hz, None if own_memory else moved)
        own = cycles / clock_hz
        moving = moved.total_s
        if launch.mode == "faithful" and not self._on_chip:
            time = moving
        elif launch.memory_part == "wang":
            time = own
        else:
            fetched = moving + (0.0 if self._on_chip else self._pipelines.first_s)
            slower = np.isnan(own) | (own > moving * (1 + 1e-6))
            time = np.where(slower, np.maximum(own, fetched), fetched)
        time = np.where(np.isnan(moving), np.nan, time)
        reason = np.zeros(1, dtype=np.int32)
        for codes in self._refused:
            reason = np.where(reason == 0, seen(codes, window), reason)
        for i, share in enumerate(shares):
            reason = np.where((reason == 0) & (share > 1), len(self.reasons) - len(RESOURCES) + i, reason)
        figures = (time, moving, cycles, clock_hz / 1e6, *shares, reason)
        found = dict(zip((*FIGURES, "reason"), figures, strict=True))
        columns = {name: np.broadcast_to(array, shape).ravel() for name, array in found.items()}
        return Sweep(self.grid, first, **columns, reasons=self.reasons)


def _extent(grid: Grid, size: LocalSize | None) -> Extent:
    extent = Extent(grid.facts, relaunched(grid.launch, {}, size), {})
    _ = extent.trips, extent.items  # once, not at every point
    return extent


def _refused(grid: Grid, board: Board) -> tuple[list[Array], tuple[Refusal | None, ...]]:
    """What speaks against the knobs' values: tables of places among the reasons, which follow."""
    facts = grid.facts
    numbers: dict[Refusal | None, int] = {None: 0}
    asked: list[tuple[list[Axis], Callable[[Point], Refusal | None]]] = [
        ([], lambda _: refusals.atomics(facts, board.memory)),
        (["local_size"], lambda p: refusals.local_size(facts, grid.launch, p["local_size"])),
        (["banks"], lambda p: refusals.banks(board.memory, p["banks"])),
        (["banks"], lambda p: refusals.one_memory(facts, board, p.launch)),
        (["compute_units"], lambda p: refusals.compute_units(facts, p["compute_units"])),
        (["simd", "local_size"], lambda p: refusals.simd(facts, p.launch, p["simd"])),
    ]
    asked += [([o.id], partial(_unroll_refused, o)) for o in facts.loops if o.id in grid.axes]
    tables = []
    for axes, why in asked:
        found = [why(point) for point in grid.points(axes)]
        tables.append(grid.laid(axes, [[numbers.setdefault(reason, len(numbers))] for reason in found])[0])
    full = (NoRoom(resource=name) for name in RESOURCES)
    return tables, (*numbers, *full)


def _unroll_refused(loop: Loop, point: Point) -> Refusal | None:
    return refusals.unroll(point.grid.facts, loop, point[loop.id])


def sweep(
    facts: KernelFacts,
    target: Target,
    board: Board,
    launch: Launch,
    knobs: Knobs,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
    *,
    on_chip: bool = False,
) -> Sweep:
    """All variants; `on_chip`: their data are on the chip, so that they wait for no memory (TYTRA's form C).

    `progress` is called with how many are done of how many; after `stop` says so, what is done is returned.

    Raises `KnobsError` for a loop or a pointer that the kernel does not have, and for more than `MAX_VARIANTS`.
    """
    grid = Grid(facts, board, launch, knobs, stop)
    if grid.size > MAX_VARIANTS:
        raise KnobsError("too_many", facts.name, grid.size, MAX_VARIANTS)
    done = 0
    reasons: tuple[Refusal | None, ...] = (None,)
    columns = {name: np.full(grid.size, np.nan) for name in FIGURES}
    reason = np.zeros(grid.size, dtype=np.int32)
    try:
        plan = Plan(grid, target, board, on_chip=on_chip)
        reasons = plan.reasons
        for part in plan.parts():
            done = part.first + len(part)
            for name, column in columns.items():
                column[part.first : done] = getattr(part, name)
            reason[part.first : done] = part.reason
            if progress is not None:
                progress(done, grid.size)
    except StoppedError:
        pass
    return Sweep(grid, 0, **{n: c[:done] for n, c in columns.items()}, reason=reason[:done], reasons=reasons)
