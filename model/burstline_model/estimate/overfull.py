"""Kernels that the device cannot hold: what makes them fit, and the arrays that fill its RAM blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import inf

from burstline_model.devices.resource_use import Array, InBlocks
from burstline_model.estimate.changes import Change, LessHardware, SmallerArrays
from burstline_model.facts import KernelFacts
from burstline_model.record import small
from burstline_model.resources import ResourceUse


@small
class FillingArrays:
    """Arrays without which a compute unit fits the RAM blocks, and with which it does not.

    `share` is what they take of the blocks that the board leaves free (1 is all). `times` is by how much smaller they
    have to be, infinite where the rest of the kernel leaves no block. `copies` is the most copies of one that its
    reads in one cycle ask for. `surely`: their bits alone are more than there is, whatever the estimate is off.
    """

    names: tuple[str, ...]
    share: float
    times: float
    copies: int
    surely: bool


SURELY_FULL = 1.5
"""The share of a device from which on a kernel hardly fits: estimates of logic are off by a half in the median."""
ALIKE = 0.5
"""Arrays of at least this part of the largest one are named with it: shrinking one alone would leave the others."""


def filling_arrays(use: ResourceUse, ram_bits: int) -> FillingArrays | None:
    """The largest arrays in RAM blocks of `ram_bits` each, where they are why a compute unit does not fit."""
    free = use.device.rams - use.shell.rams
    if use.reported or not use.device.rams or use.unit.rams <= free:
        return None
    blocks, copies, bits = defaultdict[str, float](float), dict[str, int](), 0
    for part in use.parts:
        if isinstance(part.of, Array) and isinstance(part.of.size, InBlocks):
            blocks[part.of.name] += part.amounts.rams
            copies[part.of.name] = max(copies.get(part.of.name, 1), part.of.size.replicas)
            bits += part.of.size.bits
    ordered = sorted(blocks, key=lambda name: -blocks[name])
    named = [name for name in ordered if blocks[name] >= ALIKE * blocks[ordered[0]]]
    for name in ordered[len(named) :]:
        if use.unit.rams - sum(blocks[n] for n in named) <= free:
            break
        named.append(name)
    taken = sum(blocks[name] for name in named)
    left = free - (use.unit.rams - taken)
    if not named or left < 0:
        return None
    return FillingArrays(
        names=tuple(named),
        share=taken / max(free, 1.0),
        times=taken / left if left > 0 else inf,
        copies=max(copies[name] for name in named),
        surely=bits > free * ram_bits,
    )


def to_fit(
    use: ResourceUse, filling: FillingArrays | None, facts: KernelFacts, copies: Mapping[int, int]
) -> tuple[Change, ...]:
    """What makes a kernel fit that hardly does; `filling` are the arrays that keep it from fitting, if any.

    `copies` are those of its loops' bodies.
    """
    full = use.copies_that_fit(SURELY_FULL) < use.compute_units or _multiplies_in_logic(use)
    less = LessHardware(
        units=use.copies_that_fit() if use.compute_units > 1 else 0,
        lanes=facts.simd > 1,
        copies=any(many > 1 for many in copies.values()),
        surely=use.shares[use.limiting] > SURELY_FULL,
    )
    if filling is None:
        return (less,) if full else ()
    found: list[Change] = []
    if full or filling.surely:
        found.append(
            SmallerArrays(
                names=filling.names,
                share=filling.share,
                times=filling.times,
                copies=filling.copies,
                surely=filling.surely,
            )
        )
    if full and any(share > SURELY_FULL for name, share in use.shares.items() if name != "rams"):
        found.append(less)
    return tuple(found)


def _multiplies_in_logic(use: ResourceUse) -> bool:
    """Whether there are too few DSP blocks, which are counted exactly, and too little logic for what they do not do."""
    free = use.device.dsps - use.shell.dsps
    return use.device.dsps > 0 and use.unit.dsps * use.compute_units > free and use.shares["logic_alms"] > 1
