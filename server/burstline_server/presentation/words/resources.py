"""What a kernel takes of a device: the name of each part and why it is so large, and why the clock is what it is."""

from __future__ import annotations

from typing import assert_never

from burstline_model.devices.use import WORDS, Arithmetic, Array, InBlocks, InRegisters, Piece, Units
from burstline_model.resources import FmaxRange
from burstline_server.quantities import share_text

_FABRIC = {
    "dispatch": ("dispatch", "takes arguments from the host and starts work-items"),
    "pipeline": ("pipeline", "values that wait between operations"),
    "loop_control": ("loop control", "counters, exits and the order of iterations"),
    "channels": ("channels", "buffers between kernels, at their least depth"),
    "interconnect": ("interconnect", "the units' way to memory"),
}


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
    return f"{share_text(clock.taken)} of the {WORDS[clock.resource]} of the device in use; {clock.source}"
