"""How a kernel is built: what no launch changes of its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from types import MappingProxyType

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import infer
from burstline_model.devices.cost_tables import cost_table
from burstline_model.estimate.overfull import FillingArrays, filling_arrays
from burstline_model.estimate.pipeline import Schedule, loop_intervals
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.knobs import apart
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.blocks import Blocks
from burstline_model.pipeline.interval import Interval
from burstline_model.pipeline.latencies import operation_table
from burstline_model.record import fixed
from burstline_model.resources import ResourceUse, resources_of
from burstline_model.target import Target


@fixed
class RamLeft:
    """Bytes of a RAM block, and of all those that a kernel leaves free (infinite: of a device nobody knows)."""

    block_bytes: float
    free_bytes: float


@fixed
class Construction:
    """What no launch changes of a kernel: the board it is built for, and how it is built."""

    board: Board
    target: Target
    copies: Mapping[int, int]
    resources: ResourceUse
    blocks: Blocks
    intervals: Sequence[Interval]
    reported: bool
    """Whether a report says how it was built, in part: then nothing is known of it built in another way."""

    @cached_property
    def filling(self) -> FillingArrays | None:
        """The arrays that fill the device."""
        return filling_arrays(self.resources, cost_table(self.target.family).memory.ram_bits)

    @cached_property
    def ram(self) -> RamLeft:
        """The RAM blocks that it leaves free."""
        use, block = self.resources, cost_table(self.target.family).memory.ram_bits / 8
        free = use.device.rams - use.shell.rams - use.kernel.rams if use.device.rams else inf
        return RamLeft(block, max(free, 0.0) * block)


def constructed(
    facts: KernelFacts, lsus: Sequence[Lsu], board: Board, target: Target,
    schedules: Mapping[int, Schedule] = MappingProxyType({}), resources: ResourceUse | None = None,
) -> Construction:  # fmt: skip
    """How a kernel with these units is built, as a report says where it gives schedules of loops or resources."""
    copies = effective_unroll(facts)
    used = resources or resources_of(facts, lsus, copies, target, board)
    blocks = Blocks(facts, lsus, operation_table(target.family, target.aoc_version), relaxed=target.relaxed)
    intervals = loop_intervals(facts, lsus, target, copies, schedules)
    return Construction(board, target, copies, used, blocks, intervals, bool(schedules) or resources is not None)


def built_again(built: Construction, facts: KernelFacts) -> Construction:
    """Another form of a kernel that no report speaks of, its units inferred anew."""
    return constructed(facts, infer(facts, built.target, seconds=False), built.board, built.target)


def in_more_units(built: Construction, facts: KernelFacts) -> Construction:
    """The same kernel in another number of compute units, those of `facts`: each of them is built as before."""
    resources = built.resources.with_compute_units(facts.compute_units)
    return replace(built, resources=resources, blocks=built.blocks.for_facts(facts))


def promised_apart(built: Construction) -> Construction | None:
    """The kernel with restrict on all pointers; None where it is built so that it takes the same time."""
    facts = apart(built.blocks.facts)
    lsus = infer(facts, built.target, seconds=False)
    units = [
        [replace(u, reasons=(), confidence="low", runner_up=None) for u in own] for own in (built.blocks.lsus, lsus)
    ]
    # The same units take the same room.
    if units[0] == units[1] and loop_intervals(facts, lsus, built.target, built.copies) == built.intervals:
        return None
    return constructed(facts, lsus, built.board, built.target)
