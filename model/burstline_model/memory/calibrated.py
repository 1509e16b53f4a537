"""What measurements add to the equations: how far real memories, and the way to them, fall short of the peak.

Each figure comes from a board file or `technologies.toml` (`burstline_model.boards.board.Measured`), with its source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, gcd
from typing import Literal

from burstline_model.boards.board import Measured, Memory
from burstline_model.memory.faithful import SPLIT_FROM, effective_stride, f_min_hz
from burstline_model.memory.memory_units import MemoryUnit, Options, UnitTime

NEGLIGIBLE = 0.01
"""A unit that moves less than this share of its bank's largest does not disturb the others."""
CROWD = 3
"""So many non-aligned units in a bank gather their requests as well as fewer do (the M21 authors' triples)."""
MOST_CROWD = 6
"""More of them than were measured lose what so many do."""
LONG_WORDS = 4
"""A request of so many words need not be gathered with others."""
SHORT_WORDS = 0.5
"""Requests of less of a word than were measured lose what those of so much do."""
READ_AHEAD = 0.25
"""Prefetching units lose no more than others whose requests are so much of a word, the least that was measured: they
read large blocks ahead in bursts (the vendor's Best Practices Guide; the feed-forward paper: nine streams of 4 B move
10.6 GB/s at 294 MHz, eighteen 16 GB/s, through two banks of DDR4-2133)."""
STORE_RING = 0.95
"""Words that all stores of a kernel move per cycle: they share one ring unless an option doubles it
(FPGAMemBench, two stores at 100 to 200 MHz: 0.956 words of 64 B, 0.86 of 32 B)."""

Pattern = Literal["aligned", "non_aligned", "scattered"]


@dataclass(slots=True)
class Mix:
    """The units that share a bank: how many read and how many write."""

    reads: int = 0
    writes: int = 0
    accesses: int = 0
    """The same, the units of one access counted once."""
    gathering: int = 0
    """Those of them that are not aligned."""
    seen: set[int] = field(default_factory=set)

    def add(self, unit: MemoryUnit) -> None:
        """Count a unit."""
        if unit.access is None or unit.access not in self.seen:
            self.accesses += 1
        if unit.access is not None:
            self.seen.add(unit.access)
        if unit.kind != "atomic" and pattern(unit) == "non_aligned":
            self.gathering += unit.count
        if unit.op == "load":
            self.reads += unit.count
        else:
            self.writes += unit.count

    @property
    def units(self) -> int:
        """How many there are."""
        return max(1, self.reads + self.writes)


@dataclass(slots=True)
class BankSharing:
    """Which units share a bank: the mix of each bank, and that of the interleaved units that go in step."""

    banks: dict[int, Mix]
    step: Mix = field(default_factory=Mix)


def company(units: Sequence[MemoryUnit]) -> BankSharing:
    """The units that share banks, those that move next to nothing left out."""
    largest: dict[int, float] = {}
    for unit in units:
        for bank in unit.banks:
            largest[bank] = max(largest.get(bank, 0.0), unit.bytes)
    found = BankSharing({bank: Mix() for bank in largest})
    for unit in units:
        heavy = [bank for bank in unit.banks if unit.bytes >= NEGLIGIBLE * largest[bank]]
        for bank in heavy:
            found.banks[bank].add(unit)
        if heavy and unit.in_step:
            found.step.add(unit)
    return found


def unit_time(
    unit: MemoryUnit, memory: Memory, f_max_hz: float, bank: int, around: BankSharing, measured: Measured
) -> UnitTime:
    """A unit's occupation of one of its banks: what it moves, over what the bank reaches in this company.

    T_ideal is what it takes alone in the bank, T_ovh what the others add.
    """
    mix = around.banks[bank]
    stride = effective_stride(unit, memory)
    threshold = f_min_hz(unit, memory, stride)
    share = unit.bytes / len(unit.banks)
    saturated = f_max_hz * len(unit.banks) * (1 if mix.units == 1 else 2) >= threshold
    if unit.kind == "atomic":
        return UnitTime(
            t_ideal_s=0, t_ovh_s=unit.bytes * atomic_s(unit, measured), saturated=False, f_min_hz=threshold,
            transferred_bytes=unit.bytes,
        )  # fmt: skip
    factor = traffic(unit, memory)
    moved = factor * share * turns(unit.step_bytes, len(unit.banks), memory) / memory.bandwidth_bytes_s
    match pattern(unit):
        case "scattered":
            together = by_count(measured.scattered, mix.accesses)
        case "non_aligned":
            together = _gathered(unit, memory, mix, measured)
        case _:
            together = _together(unit, memory, f_max_hz, mix, around, measured)
    alone = moved / alone_share(unit, measured)
    return UnitTime(
        t_ideal_s=alone, t_ovh_s=max(0.0, moved / together - alone), saturated=saturated, f_min_hz=threshold,
        transferred_bytes=factor * share * len(unit.banks),
    )  # fmt: skip


def atomic_s(unit: MemoryUnit, measured: Measured) -> float:
    """An atomic unit's time per byte."""
    return measured.atomic_ns * 1e-9 / (unit.lanes if unit.constant_operand else 1) / unit.access_bytes


def pattern(unit: MemoryUnit) -> Pattern:
    """Which measured figures hold for a unit that is no atomic."""
    if unit.apart if unit.apart is not None else unit.kind == "write_ack" or unit.stride == float("inf"):
        return "scattered"
    return "non_aligned" if unit.kind == "non_aligned" and (is_padded(unit) or not unit.misaligned) else "aligned"


def is_padded(unit: MemoryUnit) -> bool:
    """Whether requests are wider than what is used of them, as with a stride or elements of three words.

    Streams whose requests are full reach what aligned units do wherever they start (FPGAMemBench's halos); the M21
    authors' triples, of 24 in 32 to 192 in 256 bytes, a quarter less.
    """
    return unit.access_bytes * unit.lanes < unit.width_bytes


def traffic(unit: MemoryUnit, memory: Memory) -> float:
    """Bytes that the memory moves for each useful one.

    On HBM2 each word of a strided store goes on its own, and takes a whole burst's time. The equations say so of
    aligned units; the M21 authors' strides of 3 and 5, which no aligned unit serves, were as slow.
    """
    stride = effective_stride(unit, memory)
    if unit.kind == "write_ack" and unit.apart is None:
        return memory.word_bytes / unit.access_bytes
    split = memory.separate_channels and unit.op == "store" and stride >= SPLIT_FROM and pattern(unit) != "scattered"
    return stride * (memory.burst_length if split else 1)


def turns(step_bytes: float, banks: int, memory: Memory) -> float:
    """How many of the interleaved banks share what one of them does at a time: 1 where requests go round all.

    Banks take turns every `interleave_bytes`. Requests that lie a multiple of more than that apart leave banks out, and
    reach these later, when the address has moved on along another dimension.
    """
    if not memory.interleave_bytes or not step_bytes or banks == 1:
        return 1.0
    return max(1.0, gcd(int(step_bytes), memory.interleave_bytes * memory.banks) / memory.interleave_bytes)


def alone_share(unit: MemoryUnit, measured: Measured) -> float:
    """The share of a bank's peak that a unit reaches when nobody else is there."""
    match pattern(unit):
        case "scattered":
            return by_count(measured.scattered, 1)
        case "non_aligned":
            return by_count(measured.non_aligned, 1)
        case _:
            return measured.banked_share(*((1, 0) if unit.op == "load" else (0, 1)))


def _together(
    unit: MemoryUnit, memory: Memory, f_max_hz: float, mix: Mix, around: BankSharing, measured: Measured
) -> float:
    """The share of the bank's peak that the bank reaches while these units share it."""
    if unit.in_step and around.step.units > 1:
        return measured.interleaved_share(around.step.reads, around.step.writes)
    reached = measured.banked_share(mix.reads, mix.writes)
    if mix.units > 1:
        reached *= measured.narrow_factor(demand_bytes(unit, memory) * f_max_hz / memory.bandwidth_bytes_s)
    return reached


def _gathered(unit: MemoryUnit, memory: Memory, mix: Mix, measured: Measured) -> float:
    """The share of the bank's peak that non-aligned units reach in it.

    The more of them ask, and the narrower, the fewer neighbouring requests join a burst (the M21 authors' triples:
    bursts of 11 words for two units of 256 bytes, of 2 for six of 32), until each request fetches its own words.
    """
    share = by_count(measured.non_aligned, mix.units)
    crowd = max(0, min(mix.gathering, MOST_CROWD) - CROWD) * narrowness(unit, memory)
    alone = by_count(measured.scattered, mix.accesses) / words_apart(unit, memory)
    return max(share * exp(-measured.crowding * crowd), min(share, alone))


def narrowness(unit: MemoryUnit, memory: Memory) -> float:
    """By how much a unit's requests are too narrow to do without being gathered: 0 from `LONG_WORDS` on."""
    return max(0.0, min(memory.word_bytes / unit.width_bytes, 1 / SHORT_WORDS) - 1 / LONG_WORDS)


def words_apart(unit: MemoryUnit, memory: Memory) -> float:
    """Bytes that a request fetches by itself, for each that it moves where neighbours join; one at least."""
    moved = unit.access_bytes * unit.lanes * traffic(unit, memory)
    return max(1.0, words_of_request(unit, memory, law=True) * memory.word_bytes / moved)


def demand_bytes(unit: MemoryUnit, memory: Memory) -> float:
    """What a unit asks of its bank with each request, what is discarded of it included.

    A prefetching unit reads ahead, whatever the kernel takes at a time.
    """
    least = READ_AHEAD * memory.word_bytes if unit.kind == "prefetching" else 0.0
    return max(unit.width_bytes * effective_stride(unit, memory), least)


def by_count(shares: tuple[float, ...], units: int) -> float:
    """The share that holds for this many units."""
    return shares[min(units, len(shares)) - 1]


# -- in the kernel's clock ---------------------------------------------------------------------------


def issue_s(unit: MemoryUnit, memory: Memory, f_max_hz: float, options: Options) -> float:
    """The least time a unit needs to issue its requests, one memory word at most per kernel cycle."""
    if unit.kind == "atomic":
        return 0.0
    requests = unit.bytes / (unit.access_bytes * unit.lanes * unit.compute_units)
    return requests * words_of_request(unit, memory, law=options.alignment_law) / f_max_hz


def words_of_request(unit: MemoryUnit, memory: Memory, *, law: bool) -> float:
    """Memory words that a request touches, on average over where requests start in a word; one at least.

    Requests of w bytes, one after the other, start in a word of W bytes at multiples of g = gcd(w, W): they touch
    (W + w - g) / W words, and (W + w) / W where they start off these multiples (the alignment law). A request of
    more than a word shares the word at its end with the next.
    """
    used = unit.access_bytes * unit.lanes * max(1.0, unit.stride)
    word = memory.word_bytes
    if not law or not unit.width_bytes:
        return max(1.0, unit.width_bytes / word)
    request = max(1, int(min(unit.width_bytes, used)))
    off = unit.misaligned and not is_padded(unit)
    if request > word:
        return request / word
    return (word + request - (0 if off else gcd(request, word))) / word


def interconnect_s(units: Sequence[MemoryUnit], memory: Memory, f_max_hz: float) -> float:
    """The least time for the words that share a port: a bank's reads, interleaved reads in step, all stores."""
    if memory.separate_channels:
        return 0.0
    loads = [u for u in units if u.op == "load"]
    banks = {u.banks[0] for u in loads if len(u.banks) == 1}
    ports = [sum(u.bytes for u in loads if u.banks == (bank,)) for bank in banks]
    words = max([*ports, sum(u.bytes for u in loads if u.in_step)]) / memory.word_bytes
    stores = [u.bytes for u in units if u.op == "store" and u.kind != "write_ack"]
    alone = max(stores, default=0.0) >= (1 - NEGLIGIBLE) * sum(stores)
    return max(words, sum(stores) / memory.word_bytes / (1.0 if alone else STORE_RING)) / f_max_hz


def bound_s(units: Sequence[MemoryUnit], memory: Memory, f_max_hz: float, options: Options) -> float:
    """The least time that the kernel's clock allows."""
    issued: Iterable[float] = (issue_s(u, memory, f_max_hz, options) for u in units) if options.issue_bound else ()
    shared = interconnect_s(units, memory, f_max_hz) if options.interconnect else 0.0
    return max([shared, *issued])
