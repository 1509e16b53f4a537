"""The load/store units that are inferred from a kernel's text, as the memory model takes them."""

from __future__ import annotations

from burstline_model.memory.memory_units import MemoryUnit
from burstline_model.memory.placement import place
from burstline_model.memory.traffic import memory_unit, units_in_step, useful_bytes, walks_of
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.validation.measurement import Measurement
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.validation.published import Run


def units_of(kernel: KernelAssessment) -> tuple[MemoryUnit, ...]:
    """The kernel's units on global memory with the bytes of the whole launch.

    Raises ValueError where the text does not say how much a unit moves.
    """
    facts, board, launch = kernel.facts, kernel.cost.board, kernel.cost.launch
    extent = Extent(facts, launch, effective_unroll(facts))
    placement = place(facts, board, launch)
    external = [u for u in kernel.lsus if u.space == "global"]
    walks = walks_of(extent, external, board, placement)
    sizes = [useful_bytes(extent, u, walk) for u, walk in zip(external, walks, strict=True)]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise ValueError(f"{facts.name}: how much is moved is not known")
    in_step = units_in_step(facts, external, known, board, placement)
    return tuple(
        memory_unit(facts, u, placement, size, walk, in_step=together)
        for u, size, walk, together in zip(external, known, walks, in_step, strict=True)
    )


def measurement_of(run: Run, kernel: KernelAssessment) -> Measurement:
    """A published run as the fit takes it: the units of its text, its clock and its time."""
    clock = run.f_max_mhz or kernel.cost.board.compiler.f_max_mhz
    return Measurement(
        id=run.id, set=run.set, board=run.board, group=run.banks, units=units_of(kernel), f_max_hz=clock * 1e6,
        time_s=run.measured_s, fit=run.fitted,
    )  # fmt: skip
