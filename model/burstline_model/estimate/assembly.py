"""A kernel's time put together: its units on the memory, its own pipeline, and what sets the pace of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from burstline_model.boards.board import Board
from burstline_model.estimate.pipeline import through_blocks
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.memory.estimate import estimate_memories
from burstline_model.memory.memory_units import MemoryTime, MemoryUnit, Options
from burstline_model.parallelism.extent import Extent
from burstline_model.pipeline.blocks import Blocks, Pipeline
from burstline_model.pipeline.first_data import round_trips
from burstline_model.pipeline.interval import Interval
from burstline_model.record import fixed
from burstline_model.uncounted import counts_nothing


@fixed
class Assembled:
    """The memory's times, the pipeline's cycles, and the kernel's time in seconds (None: not known)."""

    memory: MemoryTime | None
    pipeline: Pipeline
    total_s: float | None
    f_max_hz: float
    through_pipeline: bool = False
    """Whether the pipeline's cycles set the pace; else the memory does."""
    first_s: float = 0.0
    """What of the total is waiting for the first data, which neither has in it."""


@fixed
class Assembly:
    """All that a kernel's time follows from, except its units on the memory, its clock, copies and intervals."""

    blocks: Blocks
    board: Board
    extent: Extent
    options: Options

    @property
    def facts(self) -> KernelFacts:
        """The kernel."""
        return self.blocks.facts

    @property
    def lsus(self) -> Sequence[Lsu]:
        """All its load/store units."""
        return self.blocks.lsus

    def at(
        self,
        units: Sequence[MemoryUnit] | None,
        f_max_hz: float,
        copies: Mapping[int, int],
        intervals: Sequence[Interval],
        more_lanes: int = 1,
        *,
        least: bool = False,
    ) -> Assembled:
        """The kernel with these units; None: what one of them moves is not known.

        `more_lanes`: that many times as many work-items in a cycle as the text asks for. `least`: conditions that data
        decide lead into loops as seldom as they may.
        """
        memory = self.memory_time(units, f_max_hz) if units is not None else None
        own = self.blocks, copies, intervals, self.extent, self.board, f_max_hz, memory, more_lanes
        pipeline = through_blocks(*own, least=least)
        total, through, first_s = self._total(memory, pipeline, f_max_hz)
        return Assembled(memory, pipeline, total, f_max_hz, through, first_s)

    @cached_property
    def first_data_s(self) -> float:
        """Seconds until the first data have come, and the last are stored."""
        return round_trips(self.facts, self.extent.trips) * self.board.memory.latency_ns * 1e-9

    def memory_time(self, units: Sequence[MemoryUnit], f_max_hz: float) -> MemoryTime | None:
        """What the memory takes for these units; None where it cannot serve one of them."""
        done = estimate_memories(units, self.board, f_max_hz, self.options)
        return None if any(u.impossible for u in done.units) else done

    def _total(
        self, memory: MemoryTime | None, pipeline: Pipeline, f_max_hz: float
    ) -> tuple[float | None, bool, float]:
        """The memory's time, or that of the kernel's own pipeline where it is longer; which; and the first data's way.

        What the memory moves comes behind the first data; a pipeline's cycles have its fill in them. The memory papers'
        mode knows neither. Elsewhere a loop that nobody counts leaves the time unknown, whatever is in it. So does a
        kernel of which nothing is counted.
        """
        launch = self.extent.launch
        if counts_nothing(self.facts):
            return None, False, 0.0
        if memory is None or launch.mode == "faithful":
            return (memory.t_est_s if memory is not None else None), False, 0.0
        if pipeline.total is None:
            return None, False, 0.0
        own = pipeline.total / f_max_hz
        if launch.memory_part == "wang":
            return own, own != memory.t_est_s, 0.0
        through = own > memory.t_est_s * (1 + 1e-6)
        slower = own if through else memory.t_est_s
        total = max(slower, memory.t_est_s + self.first_data_s)
        return total, through, total - slower
