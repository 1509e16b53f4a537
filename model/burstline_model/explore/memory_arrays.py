"""T_est of all variants: `burstline_model.memory` over arrays. Each figure of a unit comes from there, by its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce

import numpy as np

from burstline_model.boards.board import Board, Measured, Memory
from burstline_model.explore.grid import Array, Grid, Window, greatest, looked_up, seen, total
from burstline_model.explore.unit_arrays import CROWDS, Units
from burstline_model.memory.calibrated import CROWD, MOST_CROWD, NEGLIGIBLE, STORE_RING, by_count
from burstline_model.memory.memory_units import Options
from burstline_model.memory.placement import place
from burstline_model.memory.traffic import movement_of


@dataclass(frozen=True)
class Seats:
    """Where units lie: `member` has for each pointer its banks (first dimension), `spread` how many these are.

    Banks that hold the same units are one, since each of them takes as long.
    """

    member: dict[str, Array]
    spread: dict[str, Array]
    banks: int


def seats_of(grid: Grid, board: Board) -> Seats:
    """The placements of all variants."""
    placed = [place(grid.facts, board, point.launch).banks for point in grid.points(["banks"])]
    pointers = tuple(dict.fromkeys(p for one in placed for p in one))
    patterns = [
        list(dict.fromkeys(tuple(b in one[p] for p in pointers) for bank in one.values() for b in bank))
        for one in placed
    ]
    banks = max((len(p) for p in patterns), default=0)
    empty = (False,) * len(pointers)
    rows = [[*p, *[empty] * (banks - len(p))] for p in patterns]
    return Seats(
        member={p: grid.laid(["banks"], [[s[i] for s in row] for row in rows]) > 0 for i, p in enumerate(pointers)},
        spread={p: grid.laid(["banks"], [[len(one[p])] for one in placed])[0] for p in pointers},
        banks=banks,
    )


@dataclass(frozen=True)
class Moved:
    """The memory's time of a window: T_est, and that of each unit."""

    total_s: Array
    units_s: Sequence[Array]


@dataclass(frozen=True)
class External:
    """The units of global memory on the memory they share."""

    grid: Grid
    units: Sequence[Units]
    seats: Seats
    memory: Memory
    options: Options

    def moved(self, window: Window, clock_hz: Array) -> Moved:
        """T_est over a part of the grid; nan where bytes are not known, or the memory cannot serve a unit."""
        return _Sharing(self, window, clock_hz).moved()


class _Sharing:
    """The units of a window, who shares what."""

    def __init__(self, external: External, window: Window, clock_hz: Array) -> None:
        self.all = external
        self.window = window
        self.clock_hz = clock_hz
        self.copies = seen(external.grid.units_at_work(), window)
        self.banks = range(external.seats.banks)
        self.bytes = [self.of(u, "bytes") for u in external.units]
        self.counts = [self.of(u, "units") for u in external.units]
        self.members = [seen(external.seats.member[u.access.pointer], window) for u in external.units]
        self.spread = [seen(external.seats.spread[u.access.pointer], window) for u in external.units]
        turns = [self.of(u, "turns") for u in external.units]
        self.turns = [np.where(s > 1, t, 1.0) for s, t in zip(self.spread, turns, strict=True)]

    def of(self, unit: Units, name: str) -> Array:
        return seen(unit[name], self.window)

    def moved(self) -> Moved:
        measured = self.all.options.measured
        in_bank = self.crowded if measured is None else _Company(self, measured).in_bank
        bank_s: list[Array] = [np.zeros(1)] * len(self.banks)
        times: list[Array] = []
        for i in range(len(self.all.units)):
            slowest: Array = np.zeros(1)
            for bank in self.banks:
                if not self.members[i][bank].any():
                    continue
                time = np.where(self.members[i][bank], in_bank(i, bank), 0.0)
                bank_s[bank] = bank_s[bank] + time / self.turns[i]
                slowest = np.maximum(slowest, time)
            times.append(slowest)
        slowest_bank = greatest([self.bound(), *bank_s, *times])
        return Moved(np.where(np.isnan(total(self.bytes)), np.nan, slowest_bank), times)

    # -- the papers' equations --------------------------------------------------------------------------

    def crowded(self, i: int, bank: int) -> Array:
        """A unit's time in a bank by the papers: it depends on how many units the bank serves."""
        crowd = self.copies * total(np.where(m[bank], c, 0.0) for m, c in zip(self.members, self.counts, strict=True))
        rates = seen(self.all.units[i].crowded_s, self.window)
        rate: Array = np.where(crowd <= CROWDS[0], rates[0], np.where(crowd <= CROWDS[1], rates[1], rates[2]))
        return rate * (self.bytes[i] / self.spread[i])

    # -- in the kernel's clock -------------------------------------------------------------------------

    def bound(self) -> Array:
        """The least time that the kernel's clock allows."""
        issued = greatest([self.of(u, "issue") for u in self.all.units]) / self.copies
        shared = self.interconnect() if self.all.options.interconnect else np.zeros(1)
        return np.maximum(issued, shared) / self.clock_hz

    @cached_property
    def steps(self) -> list[Array]:
        """Which units go in step over all banks: see `traffic.units_in_step`."""
        together = reduce(np.logical_and, (self.of(u, "at_span") > 0 for u in self.all.units), np.ones(1, dtype=bool))
        moves = [movement_of(self.all.grid.facts, u.access) for u in self.all.units]
        alike = {
            m: total((c > 0).astype(float) for c, o in zip(self.counts, moves, strict=True) if o == m) for m in moves
        }
        return [
            together & (spread > 1) & (alike[move] > 1 if move is not None else np.zeros(1, dtype=bool))
            for spread, move in zip(self.spread, moves, strict=True)
        ]

    def interconnect(self) -> Array:
        """Cycles for the words that share a port: a bank's reads, interleaved reads in step, all stores."""
        if self.all.memory.separate_channels:
            return np.zeros(1)
        every = range(len(self.all.units))
        loads = [i for i in every if self.all.units[i].access.op == "load"]
        ports = [
            total(np.where(self.members[i][bank] & (self.spread[i] == 1), self.bytes[i], 0.0) for i in loads)
            for bank in self.banks
        ]
        words = greatest([*ports, total(np.where(self.steps[i], self.bytes[i], 0.0) for i in loads)])
        stores = [
            np.where(self.of(self.all.units[i], "waits") > 0, 0.0, self.bytes[i])
            for i in every
            if self.all.units[i].access.op == "store"
        ]
        written = total(stores)
        alone = greatest(stores) >= (1 - NEGLIGIBLE) * written
        return np.maximum(words, np.where(alone, written, written / STORE_RING)) / self.all.memory.word_bytes


class _Company:
    """What measurements say of units that share banks: the mix of each bank decides what it reaches."""

    def __init__(self, sharing: _Sharing, measured: Measured) -> None:
        self.sharing = sharing
        self.measured = measured
        self.known: dict[tuple[str, int], Array] = {}
        every = range(len(sharing.bytes))
        present = [c > 0 for c in sharing.counts]
        loads = [u.access.op == "load" for u in sharing.all.units]
        by_access: dict[int, list[int]] = {}
        for i in every:
            by_access.setdefault(sharing.all.units[i].access.id, []).append(i)
        heavy: list[list[Array]] = [[] for _ in every]
        self.reads, self.writes, self.accesses, self.gathering = [], [], [], []
        gathers = [sharing.of(u, "non_aligned") > 0 for u in sharing.all.units]
        for bank in sharing.banks:
            here = [present[i] & sharing.members[i][bank] for i in every]
            largest = greatest([np.where(here[i], sharing.bytes[i], 0.0) for i in every])
            mix = [here[i] & (sharing.bytes[i] >= NEGLIGIBLE * largest) for i in every]
            self.reads.append(self.counted(mix, [i for i in every if loads[i]]))
            self.writes.append(self.counted(mix, [i for i in every if not loads[i]]))
            self.gathering.append(self.counted([m & g for m, g in zip(mix, gathers, strict=True)], list(every)))
            served = (reduce(np.logical_or, [mix[i] for i in units]) for units in by_access.values())
            self.accesses.append(total(s.astype(float) for s in served))
            for i in every:
                heavy[i].append(mix[i])
        steps = [sharing.steps[i] & reduce(np.logical_or, heavy[i]) for i in every]
        self.step_reads = self.counted(steps, [i for i in every if loads[i]])
        self.step_writes = self.counted(steps, [i for i in every if not loads[i]])

    def counted(self, mix: Sequence[Array], among: Sequence[int]) -> Array:
        """How many units of a mix there are, all compute units together."""
        return self.sharing.copies * total(np.where(mix[i], self.sharing.counts[i], 0.0) for i in among)

    def in_bank(self, i: int, bank: int) -> Array:
        """A unit's time in a bank: what it moves over what the bank reaches, never less than alone."""
        sharing, unit = self.sharing, self.sharing.all.units[i]
        share = sharing.bytes[i] / sharing.spread[i] * sharing.turns[i]
        reached = self.reached(i, bank)
        time = share * np.maximum(sharing.of(unit, "alone_s"), sharing.of(unit, "moved_s") / reached)
        return np.where(sharing.of(unit, "atomic") > 0, sharing.bytes[i] * sharing.of(unit, "atomic_s"), time)

    def reached(self, i: int, bank: int) -> Array:
        """The share of a bank's peak that it reaches while these units share it, as far as this one is concerned."""
        sharing, unit = self.sharing, self.sharing.all.units[i]
        found = self.banked(bank)
        shared = self.units(bank) > 1
        if shared.any():
            found = np.where(shared, found * self.narrow(unit), found)
        if sharing.steps[i].any():
            in_step = sharing.steps[i] & (self.step_reads + self.step_writes > 1)
            found = np.where(in_step, self.interleaved, found)
        gathers, scattered = sharing.of(unit, "non_aligned") > 0, sharing.of(unit, "scattered") > 0
        if gathers.any():
            found = np.where(gathers, self.gathered(unit, bank), found)
        if scattered.any():
            found = np.where(scattered, self.by_accesses(bank), found)
        return found

    def gathered(self, unit: Units, bank: int) -> Array:
        """What a non-aligned unit reaches: see `calibrated`."""
        share = self.by_units(bank)
        crowd = np.maximum(0.0, np.minimum(self.gathering[bank], MOST_CROWD) - CROWD) * self.sharing.of(
            unit, "narrowness"
        )
        apart = np.maximum(1.0, self.sharing.of(unit, "words_apart"))
        alone = self.by_accesses(bank) / apart
        left: Array = np.maximum(share * np.exp(-self.measured.crowding * crowd), np.minimum(share, alone))
        return left

    def narrow(self, unit: Units) -> Array:
        """What is left of a shared bank's efficiency where a unit asks for less than its peak."""
        demand = (
            self.sharing.of(unit, "demand_bytes") * self.sharing.clock_hz / self.sharing.all.memory.bandwidth_bytes_s
        )
        points = np.asarray(self.measured.narrow_points)
        left: Array = np.interp(demand, points[:, 0], points[:, 1])
        return left

    def units(self, bank: int) -> Array:
        """How many units share a bank."""
        return self.reads[bank] + self.writes[bank]

    def banked(self, bank: int) -> Array:
        """What aligned units reach together."""
        return self.kept(
            "banked", bank, lambda: (_whole(self.measured.banked_share), self.reads[bank], self.writes[bank])
        )

    @property
    def interleaved(self) -> Array:
        """What units in step reach together."""
        return self.kept(
            "steps", 0, lambda: (_whole(self.measured.interleaved_share), self.step_reads, self.step_writes)
        )

    def by_units(self, bank: int) -> Array:
        """What non-aligned units reach."""
        share = partial(by_count, self.measured.non_aligned)
        return self.kept("units", bank, lambda: (_whole(share), np.maximum(self.units(bank), 1)))

    def by_accesses(self, bank: int) -> Array:
        """What scattered units reach."""
        share = partial(by_count, self.measured.scattered)
        return self.kept("accesses", bank, lambda: (_whole(share), np.maximum(self.accesses[bank], 1)))

    def kept(self, name: str, bank: int, asked: Callable[[], tuple[Callable[..., float], *tuple[Array, ...]]]) -> Array:
        """A look-up, made once."""
        if (name, bank) not in self.known:
            self.known[name, bank] = looked_up(*asked())
        return self.known[name, bank]


def _whole(share: Callable[..., float]) -> Callable[..., float]:
    """The same share for counts that come as floats."""
    return lambda *counts: share(*(int(c) for c in counts))
