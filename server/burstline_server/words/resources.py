"""What a kernel takes of a device: in a line, part by part with why each is so large, and why the clock is as it is."""

from __future__ import annotations

from typing import assert_never

from burstline_model.devices.resource_use import (
    FULL,
    WORDS,
    Arithmetic,
    Array,
    InBlocks,
    InRegisters,
    Piece,
    Resource,
    Units,
)
from burstline_model.resources import FmaxRange, ResourceUse, f_max_of
from burstline_model.target import Family
from burstline_server.quantities import clock_range_text, share_text

_FABRIC = {
    "dispatch": ("dispatch", "takes arguments from the host and starts work-items"),
    "pipeline": ("pipeline", "values that wait between operations"),
    "loop_control": ("loop control", "counters, exits and the order of iterations"),
    "channels": ("channels", "buffers between kernels, at their least depth"),
    "interconnect": ("interconnect", "the units' way to memory"),
}


_SHOWN: tuple[Resource, ...] = ("logic_alms", "rams", "dsps")


def part_text(piece: Piece) -> tuple[str, str]:
    """The name of a part, and why it takes what it does."""
    match piece:
        case str():
            return _FABRIC[piece]
        case Arithmetic():
            return "arithmetic", ", ".join(f"{count:g} {kind}" for kind, count in piece.counts)
        case Units():
            why = f"{piece.count} of {piece.width_bits} bit"
            if piece.cache_bits is not None:
                why += f", each with a cache of {piece.cache_bits // 1024} kbit"
            return f"{piece.style} {piece.op} of {piece.pointer}", why
        case Array():
            return f"{piece.space} array {piece.name}", _size(piece.size)
        case _:
            assert_never(piece)


def _size(size: InRegisters | InBlocks | None) -> str:
    match size:
        case None:
            return "its length is not known: not counted"
        case InRegisters():
            return f"{size.bits} bits in registers, counted with the pipeline"
        case InBlocks():
            whys = [f"{size.bits} bits, {size.width_bits} bit wide"]
            if size.banks > 1:
                whys.append(f"{size.banks} banks")
            if size.replicas > 1:
                whys.append(f"{size.replicas} replicas for {size.reads} reads in a cycle")
            return ", ".join(whys)
        case _:
            assert_never(size)


def clock_text(clock: FmaxRange) -> str:
    """What the expected clock follows from."""
    return f"{share_text(clock.used)} of the {WORDS[clock.resource]} of the device in use; {clock.source}"


def resources_line(use: ResourceUse, family: Family, *, clock: bool, groups: bool = True) -> str:
    """Shares of what the board leaves free, the scarcest, the `clock` expected and how far off all this may be.

    How many compute units fit is said of kernels that have work-groups to share out among them (`groups`).
    """
    shares = ", ".join(f"{share_text(use.shares[name])} {WORDS[name]}" for name in _SHOWN)
    line = f"{'' if use.reported else '≈ '}{shares}; scarcest: {WORDS[use.limiting]}"
    if use.reported:
        return f"{line} (report)"
    off = ", ".join(f"{WORDS[name]} {share_text(use.errors[name])}" for name in _SHOWN if name in use.errors)
    fit = use.copies_that_fit()
    copies = f"{fit} compute unit{'' if fit == 1 else 's'} fit" + ("s" if fit == 1 else "")
    if fit < use.compute_units and use.shares[use.limiting] <= 1:
        copies = f"{fit} compute unit{'' if fit == 1 else 's'} would leave {share_text(1 - FULL)} free to place them"
    if not fit and use.shares[use.limiting] <= 1:
        copies = "no second compute unit fits"
    copies = f"; {copies}" if groups else ""
    expected = f_max_of(use, family)
    f_max = f"; f_max {clock_range_text(expected.low_mhz * 1e6, expected.high_mhz * 1e6)}" if clock else ""
    return f"{line}{copies}{f_max} (estimate; median error on unseen kernels: {off})"
