"""Kernels that run at the same time: each at its own pace, all of them on one memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burstline_model.answer import KernelEstimate
from burstline_model.board import Board
from burstline_model.estimate import memory_unit
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.memory.estimate import estimate_memory
from burstline_model.memory.units import options_for
from burstline_model.placement import place


def time_beside(
    kernels: Sequence[tuple[KernelFacts, Launch, KernelEstimate]], board: Board, per: Literal["launch", "iteration"]
) -> float | None:
    """Seconds until the last of them is done, or for one iteration of each; None when one of them is not known.

    The slowest kernel decides, or the memory with the units of all of them (M21 Eq. 1).
    """
    times = [e.time_s if per == "launch" else e.time_item_s for _, _, e in kernels]
    known = [t for t in times if t is not None]
    if not known or len(known) < len(times):
        return None
    units = []
    for facts, launch, estimate in kernels:
        placement = place(facts, board.memory, launch)
        for unit in estimate.units:
            size = unit.bytes if per == "launch" else float(unit.lsu.useful_bytes)
            if unit.lsu.space == "global" and size is not None:
                units.append(memory_unit(facts, unit.lsu, placement, size, unit.walk))
    launch = kernels[0][1]
    f_max_hz = (launch.f_max_mhz or board.compiler.f_max_mhz) * 1e6
    return max(*known, estimate_memory(units, board.memory, f_max_hz, options_for(launch.mode, board)).t_est_s)
