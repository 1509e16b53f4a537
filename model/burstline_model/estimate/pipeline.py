"""The pipeline of one kernel under a launch: between the estimate and the papers' equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from types import MappingProxyType

from burstline_model.boards.board import Board
from burstline_model.estimate.kernel_estimate import BlockEstimate
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.memory.memory_units import MemoryTime
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.simd_limits import parts_group
from burstline_model.pipeline.barriers import one_group_at_a_time
from burstline_model.pipeline.block import Block
from burstline_model.pipeline.blocks import Blocks, Pipeline, Setting, run
from burstline_model.pipeline.interval import Interval, intervals
from burstline_model.pipeline.waits import ReportedWait
from burstline_model.record import Record
from burstline_model.target import Target
from burstline_model.walk.issue_order import groups_of
from burstline_model.walk.loop_entries import entered


class Schedule(Record):
    """How a loop was scheduled by a real build. `at_least`: the initiation interval varies, never below `ii`."""

    ii: int | None
    pipelined: bool | None
    at_least: bool = False
    serialised_by: str | None = None


def loop_intervals(
    facts: KernelFacts,
    lsus: Sequence[Lsu],
    target: Target,
    copies: Mapping[int, int],
    schedules: Mapping[int, Schedule] = MappingProxyType({}),
) -> tuple[Interval, ...]:
    """The intervals of all loops of a kernel with these units; a report's word counts where it speaks."""
    found = []
    for one in intervals(facts, target, copies, lsus=lsus):
        said = schedules.get(one.loop)
        if said is None:
            found.append(one)
            continue
        reported = ReportedWait(text=said.serialised_by) if said.serialised_by else None
        own = {
            "ii": said.ii if said.ii is not None else one.ii,
            "pipelined": said.pipelined if said.pipelined is not None else one.pipelined,
            "interleaved": said.ii if said.ii and one.interleaved > 1 else one.interleaved,
            "serialised_by": reported or (one.serialised_by if (said.ii or 0) > 1 else None),
        }
        found.append(one.model_copy(update=own))
    return tuple(found)


def through_blocks(
    blocks: Blocks,
    copies: Mapping[int, int],
    intervals: Sequence[Interval],
    extent: Extent,
    board: Board,
    f_max_hz: float,
    whole: MemoryTime | None,
    more_lanes: int = 1,
    *,
    least: bool = False,
) -> Pipeline:
    """WANG's framework over the kernel, its memory part by the memory model.

    `more_lanes`: that many times as many work-items in a cycle as the text asks for. `least`: conditions that data
    decide lead into loops as seldom as they may.
    """
    facts = blocks.facts
    items, groups = extent.work_items, groups_of(extent)
    setting = Setting(
        work_items=items / (facts.simd * more_lanes) if items is not None else None,
        groups=groups,
        compute_units=at_work(facts.units_at_work, groups),
        banks=max(board.memory.banks, 1),
        dram_latency=max(float(blocks.table.dram), board.memory.latency_ns * 1e-9 * f_max_hz),
        round_trip=board.memory.latency_ns * 1e-9 * f_max_hz,
        f_max_hz=f_max_hz,
        one_group=one_group_at_a_time(facts, copies),
        parted=_parted(facts, extent.local_size),
        trips={i: float(t) if t is not None else None for i, t in extent.trips.items()},
        entered=entered(extent, least=least),
        memory_s=_shares(blocks.lsus, whole) if extent.launch.memory_part == "m21" else {},
        more_lanes=more_lanes,
    )
    return run(blocks, copies, intervals, setting)


def _parted(facts: KernelFacts, local_size: tuple[int, ...] | None) -> frozenset[int]:
    """The loops whose iterations part a work-group, each found once for a kernel and a size of groups."""
    known: dict[tuple[int, ...] | None, frozenset[int]] = facts.kept.setdefault(parts_group, {})
    if local_size not in known:
        known[local_size] = frozenset(loop.id for loop in facts.loops if parts_group(facts, loop, local_size))
    return known[local_size]


def at_work(units: int, groups: float) -> float:
    """How many compute units work, on average: each takes whole work-groups (`groups` of them; 0: not known)."""
    return groups / ceil(groups / units) if groups else units


def _shares(lsus: Sequence[Lsu], whole: MemoryTime | None) -> dict[int, float | None]:
    """Each unit's share of the memory's time: together they take as long as the slowest bank."""
    if whole is None:
        return {}
    external = [i for i, lsu in enumerate(lsus) if lsu.space == "global"]
    times = [u.t_ideal_s + u.t_ovh_s for u in whole.units]
    together = sum(times)
    scale = whole.t_est_s / together if together else 0.0
    return {i: time * scale for i, time in zip(external, times, strict=True)}


def block_estimates(pipeline: Pipeline, f_max_hz: float) -> tuple[BlockEstimate, ...]:
    """The blocks as the answer shows them, the slowest first; none while trip counts are not known."""
    if pipeline.total is None:
        return ()
    order: list[Block] = sorted(pipeline.blocks, key=lambda b: -b.cycles)
    return tuple(
        BlockEstimate(
            loop=b.line_loop, cycles=b.cycles, compute_cycles=b.comp, memory_cycles=b.mem, depth=b.cycle,
            time_s=b.cycles / f_max_hz, turns=b.stores,
        )
        for b in order
        if b.cycles > 0
    )  # fmt: skip
