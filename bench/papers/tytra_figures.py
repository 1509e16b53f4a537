"""Our figures for TYTRA's numbers, from its kernels in `examples/roofline/`."""

from __future__ import annotations

import math

from bench.papers.figures import kernel, milliseconds
from bench.papers.registry import named
from bench.scoreboard import papers as stories

from burstline_model.devices.resource_use import Array, InBlocks, ResourceUse


@named
def cycles(name: str) -> float:
    """Cycles of a kernel instance of an example of TYTRA's."""
    _, done, _ = stories.assessed("roofline", name)
    estimate = done.kernels[0].estimate
    return estimate.compute_s * estimate.f_max_hz if estimate.compute_s is not None else math.nan


@named
def lanes_gain(lanes: str, fewer: str) -> float:
    """What more lanes of the relaxation in a box gain over fewer."""
    done = [stories.assessed("roofline", "sor_lanes", defines={"LANES": n})[1] for n in (fewer, lanes)]
    before, after = (milliseconds(one.kernels[0]) for one in done)
    return before / after


@named
def over_pipeline(lanes: str) -> float:
    """The time of so many lanes of the relaxation over what their pipeline alone takes."""
    estimate = stories.assessed("roofline", "sor_lanes", defines={"LANES": lanes})[1].kernels[0].estimate
    return estimate.time_s / estimate.compute_s if estimate.time_s and estimate.compute_s else math.nan


STREAMED = (
    "__attribute__((num_simd_work_items({lanes}))) __attribute__((reqd_work_group_size(256, 1, 1)))\n"
    "__kernel void k({loaded}, __global int *restrict z)\n"
    "{{ const int i = get_global_id(0); z[i] = {sum}; }}\n"
)


@named
def more_of(resource: str, streams_in: str, lanes: str) -> float:
    """How much more of a device's resource more streams or lanes take than one does, in percent of the device."""

    def share(number: int, wide: int) -> float:
        loaded = ", ".join(f"__global const int *restrict x{k}" for k in range(number))
        text = STREAMED.format(lanes=wide, loaded=loaded, sum=" + ".join(f"x{k}[i]" for k in range(number)))
        use = kernel(text, board="de5net").estimate.resources
        return 100 * getattr(use, resource) / getattr(use.device, resource) if use is not None else math.nan

    return share(int(streams_in), int(lanes)) - share(1, 1)


def _use(name: str) -> ResourceUse:
    """What a kernel of the relaxation, the plate or the particles takes of the device."""
    use = stories.assessed("roofline", name)[1].kernels[0].estimate.resources
    if use is None:
        raise ValueError(name)
    return use


@named
def used(name: str, resource: str) -> float:
    """What a kernel's operations take of a resource."""
    return sum(getattr(part.amounts, resource) for part in _use(name).parts if hasattr(part.of, "counts"))


@named
def array_bits(name: str) -> float:
    """The bits of a kernel's arrays in RAM."""
    sizes = (part.of.size for part in _use(name).parts if isinstance(part.of, Array))
    return float(sum(size.bits for size in sizes if isinstance(size, InBlocks)))
