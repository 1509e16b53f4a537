"""Why a value of a knob cannot be built or launched; empty text where it can. What the source says itself stays."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.boards.board import Memory
from burstline_model.facts import KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.memory.faithful import why_no_atomics
from burstline_model.parallelism.simd import MAX_LANES, why_not_simd
from burstline_model.parallelism.unroll import MAX_COPIES, constant_trips


def simd(facts: KernelFacts, launch: Launch, lanes: int) -> str:
    """SIMD takes even work-items, and a work-group whose first dimension is a multiple of the lanes."""
    if lanes in {1, facts.simd}:
        return ""
    if reason := why_not_simd(facts):
        return reason
    if lanes > MAX_LANES or lanes & (lanes - 1):
        return f"SIMD {lanes}: the compiler takes powers of two up to {MAX_LANES}"
    group = facts.work_group_size or launch.local_size
    if group is not None and group[0] % lanes:
        return f"SIMD {lanes} does not divide a work-group of {_times(group)}"
    if group is None and launch.global_size is not None and launch.global_size[0] % lanes:
        return f"SIMD {lanes} does not divide any work-group of {_times(launch.global_size)} work-items"
    return ""


def compute_units(facts: KernelFacts, units: int) -> str:
    """Work-groups are dealt out to compute units, so a kernel of one work-item gains nothing."""
    if units == facts.compute_units or facts.model == "ndrange":
        return ""
    return "compute units share out work-groups: a kernel of one work-item runs in one"


def unroll(facts: KernelFacts, loop: Loop, factor: int) -> str:
    """A loop is unrolled at most as often as it runs, fully when the source fixes its trips."""
    name, trips = loop.variable or "its counter", constant_trips(loop)
    if factor in {1, loop.unroll}:
        return ""
    if loop.kind == "copy":
        return "an asynchronous copy is no loop of the source"
    if any(loop.id in c.loops and "[" not in c.channel for c in facts.channels):
        return f"a channel has one place that uses it: the loop over {name} stays rolled"
    if factor == 0 and trips is None:
        return f"the trips of the loop over {name} are not a constant: it cannot be unrolled fully"
    if trips is not None and factor > trips:
        return f"the loop over {name} has only {trips} trips"
    return f"more than {MAX_COPIES} copies of the loop over {name}" if (factor or trips or 1) > MAX_COPIES else ""


def banks(memory: Memory, placed: Mapping[str, int]) -> str:
    """A pointer lies in a bank that the memory has."""
    beyond = next((f"{p} in bank {b}" for p, b in placed.items() if b >= memory.banks), None)
    return f"{beyond}: the memory has {memory.banks}" if beyond else ""


def local_size(facts: KernelFacts, launch: Launch, size: tuple[int, ...] | None) -> str:
    """A work-group is what the kernel requires, and divides the global size."""
    if size is None:
        return ""
    if facts.model != "ndrange":
        return "a kernel of one work-item has no work-groups"
    required = facts.work_group_size
    padded = (*size, 1, 1)[:3]
    if required is not None and padded != required:
        return f"the kernel requires work-groups of {_times(required)}"
    whole = (*launch.global_size, 1, 1)[:3] if launch.global_size is not None else padded
    if len(size) > 3 or any(n % g for n, g in zip(whole, padded, strict=True)):
        return f"work-groups of {_times(size)} do not divide {_times(whole)} work-items"
    return ""


def atomics(facts: KernelFacts, memory: Memory) -> str:
    """Atomics on global memory need a memory that has them."""
    used = any(a.op == "atomic" and a.space == "global" for a in facts.accesses)
    return why_no_atomics(memory) if used else ""


def _times(size: tuple[int, ...]) -> str:
    return "×".join(str(n) for n in size)
