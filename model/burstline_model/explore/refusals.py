"""Why a value of a knob cannot be built or launched; None where it can. What the source says itself stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from burstline_model.boards.board import Board, Memory
from burstline_model.devices.resource_use import Resource
from burstline_model.facts import KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.memory.placement import place
from burstline_model.parallelism.loop_copies import MAX_COPIES, asked_channels, constant_trips
from burstline_model.parallelism.simd_limits import MAX_LANES, KeptApart, are_built, why_not_simd
from burstline_model.record import small


@small
class NotSimd:
    """Work-items cannot run side by side."""

    why: KeptApart


@small
class OddLanes:
    """The compiler takes powers of two up to `most`."""

    lanes: int
    most: int


@small
class UnevenLanes:
    """Lanes do not divide the work-group, or (`any_group`) any group of all these work-items."""

    lanes: int
    size: tuple[int, ...]
    any_group: bool


@small
class RolledLoop:
    """A loop (its variable, empty where it has none) that stays rolled: a channel is in it, or its trips vary."""

    why: Literal["channel", "trips"]
    loop: str


@small
class FewTrips:
    """A loop has fewer trips than copies are asked for."""

    loop: str
    trips: int


@small
class TooManyCopies:
    """More copies of a loop than are estimated."""

    loop: str
    most: int


@small
class NoBank:
    """A pointer in a bank that the memory does not have."""

    pointer: str
    bank: int
    banks: int


@small
class OtherMemory:
    """A pointer lies in a memory that is not the board's default one: variants are compared in that one alone."""

    pointer: str
    memory: str


@small
class RequiredGroup:
    """The kernel requires work-groups of another size."""

    size: tuple[int, ...]


@small
class UnevenGroups:
    """Work-groups that do not divide the work-items."""

    size: tuple[int, ...]
    whole: tuple[int, ...]


@small
class NoAtomics:
    """An atomic on a memory that has none."""

    memory: str


@small
class NoRoom:
    """The kernel takes more of a resource than the board leaves free."""

    resource: Resource


Refusal = (
    Literal["one_unit", "async_copy", "no_groups"] | NotSimd | OddLanes | UnevenLanes | RolledLoop | FewTrips
    | TooManyCopies | NoBank | OtherMemory | RequiredGroup | UnevenGroups | NoAtomics | NoRoom
)  # fmt: skip
"""`one_unit`: a kernel of one work-item runs in one compute unit, and (`no_groups`) has no work-groups; `async_copy`:
an asynchronous copy is no loop of the source."""


def simd(facts: KernelFacts, launch: Launch, lanes: int) -> Refusal | None:
    """SIMD takes even work-items, and a work-group whose first dimension is a multiple of the lanes."""
    if lanes in {1, facts.simd}:
        return None
    if why := why_not_simd(facts):
        return NotSimd(why=why)
    if not are_built(lanes):
        return OddLanes(lanes=lanes, most=MAX_LANES)
    group = facts.work_group_size or launch.local_size
    if group is not None and group[0] % lanes:
        return UnevenLanes(lanes=lanes, size=group, any_group=False)
    if group is None and launch.global_size is not None and launch.global_size[0] % lanes:
        return UnevenLanes(lanes=lanes, size=launch.global_size, any_group=True)
    return None


def compute_units(facts: KernelFacts, units: int) -> Refusal | None:
    """Work-groups are dealt out to compute units, so a kernel of one work-item gains nothing."""
    return None if units == facts.compute_units or facts.model == "ndrange" else "one_unit"


def unroll(facts: KernelFacts, loop: Loop, factor: int) -> Refusal | None:
    """A loop is unrolled at most as often as it runs, fully when the source fixes its trips."""
    name, trips = loop.variable or "", constant_trips(loop)
    if factor in {1, loop.unroll}:
        return None
    if loop.kind == "copy":
        return "async_copy"
    if asked_channels(facts, loop):
        return RolledLoop(why="channel", loop=name)
    if factor == 0 and trips is None:
        return RolledLoop(why="trips", loop=name)
    if trips is not None and factor > trips:
        return FewTrips(loop=name, trips=trips)
    return TooManyCopies(loop=name, most=MAX_COPIES) if (factor or trips or 1) > MAX_COPIES else None


def banks(memory: Memory, placed: Mapping[str, int]) -> Refusal | None:
    """A pointer lies in a bank that the memory has."""
    beyond = ((pointer, bank) for pointer, bank in placed.items() if bank >= memory.banks)
    return next((NoBank(pointer=p, bank=b, banks=memory.banks) for p, b in beyond), None)


def one_memory(facts: KernelFacts, board: Board, launch: Launch) -> Refusal | None:
    """All pointers lie in the board's default memory."""
    placed = place(facts, board, launch).banks.items()
    beyond = ((pointer, bank) for pointer, banks in placed for bank in banks if bank >= board.memory.banks)
    return next((OtherMemory(pointer=p, memory=board.memory_of(b).name) for p, b in beyond), None)


def local_size(facts: KernelFacts, launch: Launch, size: tuple[int, ...] | None) -> Refusal | None:
    """A work-group is what the kernel requires, and divides the global size."""
    if size is None:
        return None
    if facts.model != "ndrange":
        return "no_groups"
    required = facts.work_group_size
    padded = (*size, 1, 1)[:3]
    if required is not None and padded != required:
        return RequiredGroup(size=required)
    whole = (*launch.global_size, 1, 1)[:3] if launch.global_size is not None else padded
    if len(size) > 3 or any(n % g for n, g in zip(whole, padded, strict=True)):
        return UnevenGroups(size=size, whole=whole)
    return None


def atomics(facts: KernelFacts, memory: Memory) -> Refusal | None:
    """Atomics on global memory need a memory that has them (M21, Section 7.1.4)."""
    used = any(a.op == "atomic" and a.space == "global" for a in facts.accesses)
    return NoAtomics(memory=memory.type) if used and memory.separate_channels else None
