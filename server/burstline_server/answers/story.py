"""The tuning story of a kernel: which wall stands in front, what moves it, and the edits at hand with their gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from burstline_model.answer import Bound
from burstline_server.answers.locate import place_of
from burstline_server.answers.units import count_text, time_text
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment

if TYPE_CHECKING:  # the rewrites are loaded where edits are asked for
    from burstline_server.rewrites.catalogue import Fix

WALLS: dict[Bound, str] = {
    "memory": "the memory: its transactions take longer than the kernel's own pipeline",
    "kernel": "the kernel's own pipeline: its iterations take longer than the memory",
    "balance": "one block of the pipeline: the others wait for it",
    "work_items": "too few work-items: they do not fill the pipeline, and the memory's latency shows",
    "unknown": "not known: give sizes and trip counts",
}
SHOWN = 0.01
"""Blocks with a smaller share of the slowest one's cycles are not named."""
_NAMES = {"b_mem": "B_mem", "b_comp": "B_comp", "b_balance": "B_balance", "b_itpp": "B_itpp"}


def story(assessment: Assessment, kernel: KernelAssessment, fixes: Sequence[Fix]) -> list[str]:
    """The story, a line for each step."""
    estimate = kernel.estimate
    lines = [f"wall in front: {WALLS[estimate.bound]}"]
    for number, advice in enumerate(estimate.advice, start=1):
        lines.append(f"{number}. {_NAMES[advice.potential]} {advice.value:.2f}: {advice.text}")
    if not estimate.advice:
        full = "its transactions are full: move less data, or spread it over more banks"
        lines.append(full if estimate.bound == "memory" else "no potential worth acting on")
    lines += loop_lines(assessment, kernel)
    lines += block_lines(assessment, kernel)
    own = sorted((f for f in fixes if f.offer.kernel == kernel.facts.name), key=lambda f: -(f.speedup or 0.0))
    lines += [f"fix at hand: {fix.title}" for fix in own]
    return lines


def loop_lines(assessment: Assessment, kernel: KernelAssessment) -> list[str]:
    """Loops that wait for themselves."""
    lines = []
    for one in kernel.estimate.loops:
        if one.serialised_by and ((one.ii or 1) > 1 or one.serial or one.pipelined is False):
            line = place_of(assessment.source, kernel.facts.loops[one.loop].span).line + 1
            pace = "one iteration after the other" if one.serial else f"II {one.ii:g}" if one.ii else "not pipelined"
            lines.append(f"loop on line {line}: {pace}: {one.serialised_by}")
    return lines


def block_lines(assessment: Assessment, kernel: KernelAssessment) -> list[str]:
    """The slowest blocks, where there are several."""
    blocks = [b for b in kernel.estimate.blocks[:3] if b.cycles >= SHOWN * kernel.estimate.blocks[0].cycles]
    if len(blocks) < 2:
        return []
    told = []
    for block in blocks:
        loop = kernel.facts.loops[block.loop] if block.loop is not None else None
        name = f"loop on line {place_of(assessment.source, loop.span).line + 1}" if loop else "outside loops"
        wait = "memory" if block.memory_cycles > block.compute_cycles else "arithmetic"
        told.append(f"{name} {count_text(block.cycles)} cycles, {time_text(block.time_s)} ({wait})")
    return ["slowest blocks: " + "; ".join(told)]
