"""WANG's Eqs. 7 to 9: what the cycles of a kernel are made of, from its blocks and the order they run in."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

from burstline_model.pipeline.barriers import Barriers
from burstline_model.pipeline.block import Block, Part
from burstline_model.pipeline.interval import Interval
from burstline_model.record import fixed


@fixed
class Hierarchy:
    """Eqs. 7 to 9 over the loops of a kernel. Blocks hold their cycles over all iterations, so nothing multiplies."""

    found: Mapping[tuple[int, ...], Block]
    intervals: Sequence[Interval]
    waits: Mapping[int, float]
    """What an iteration of each loop waits for memory."""
    barriers: Barriers
    groups: float
    """Work-groups of each compute unit (0: not known)."""
    single: bool
    stops: float = 0.0
    """How often a work-item stops at barriers that are in no loop of the hardware."""
    each_stop: float = 0.0
    """Cycles in which all work-items come to one of them, one after the other."""
    round_trip: float = 0.0
    """Cycles until the memory answers."""

    @cached_property
    def _inner(self) -> Mapping[tuple[int, ...], Sequence[tuple[int, ...]]]:
        """The blocks of the loops right inside each block."""
        inner: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
        for key in self.found:
            if key:
                inner[key[:-1]].append(key)
        return inner

    def whole(self, *, memory: bool) -> list[Part]:
        """What the cycles of the kernel are made of.

        Between barriers, the parts of a kernel overlap for all groups but one, those in loops with a barrier do not.
        No work-item leaves a barrier before the last of its group has come: a group alone goes from one to the next.
        """
        overlapped = self.parts((), memory=memory)
        if not (self.barriers.any and self.groups):
            return overlapped
        loops = [p for i in self._with_barrier(None) for p in self._alone(i, memory=memory)]
        first = 1 / max(self.groups, 1.0)
        one = _scaled([*self._alone(None, memory=memory), self._between_stops()], first)
        return [*one, *_scaled(max(overlapped, loops, key=in_all), 1 - first)]

    def _between_stops(self) -> Part:
        """What the ways between such barriers add: the kernel's own block is one of them, and loops are their own."""
        loops = sum(any(self._alone(i, memory=False) for i in one) for one in self.barriers.phases(None))
        return Part((), "few_items", max(self.stops - loops, 0.0) * self.each_stop)

    def _with_barrier(self, parent: int | None) -> list[int]:
        """The outermost loops of the hardware with a barrier in them."""
        found: list[int] = []
        for child in self.barriers.children[parent]:
            if child in self.barriers.loops:
                found += [child] if child in self._keys else self._with_barrier(child)
        return found

    @cached_property
    def _keys(self) -> dict[int | None, tuple[int, ...]]:
        """The block of each loop of the hardware; None: of the kernel itself."""
        return {key[-1] if key else None: key for key in self.found}

    def _alone(self, loop: int | None, *, memory: bool) -> list[Part]:
        """What the cycles of a loop are made of where no other group is in it: what barriers part adds up."""
        inner: list[Part] = []
        for together in self.barriers.phases(loop):
            inner += max((self._alone(i, memory=memory) for i in together), key=in_all)
        if loop not in self._keys:
            return inner
        own = _own_parts(self.found[self._keys[loop]], memory=memory)
        parts_add = loop is None or loop in self.barriers.loops
        return [*own, *inner] if parts_add else max(own, inner, key=in_all)

    def parts(self, key: tuple[int, ...], *, memory: bool) -> list[Part]:
        """What the cycles of a node are made of: its own block and the loops in it."""
        own = self.found[key]
        inner = self._inner.get(key, ())
        below = [self.parts(k, memory=memory) for k in inner]
        mine = _own_parts(own, memory=memory)
        if not self.single:
            return max([mine, *below], key=in_all)
        if not key:
            return [*mine, *itertools.chain.from_iterable(below)]  # one after the other: there is only one work-item
        if self.intervals[key[-1]].serial:
            wait = Part(key, "wait", own.trips * (own.cycle + self.waits[key[-1]]))
            # Each iteration waits until the loops in it have run empty; once is among their own cycles. Not those that
            # wait themselves: the feed-forward paper's gains show no such wait on top of theirs. One that reads global
            # memory is empty when its last data have come, which nothing hides where no loop around overlaps.
            piped = [k for k in inner if not self.intervals[k[-1]].serial and (self.intervals[k[-1]].ii or 1) <= 1]
            begun = {k: own.trips * self.found[k].in_turn / own.in_turn for k in piped}
            late = 0.0 if self.waits[key[-1]] or self._overlap(key[:-1]) else self.round_trip
            way = {k: self.found[k].cycle + (late if self.found[k].loads else 0.0) for k in piped}
            emptied = [Part(k, "fill", max(0.0, begun[k] - 1) * way[k]) for k in piped]
            return [*mine, *itertools.chain.from_iterable(below), wait, *emptied]
        return [*max([mine, *below], key=in_all), *(Part(k, "fill", self.found[k].cycle) for k in inner)]

    def _overlap(self, loops: Iterable[int]) -> bool:
        """Whether iterations of one of these loops overlap."""
        return any(not self.intervals[i].serial for i in loops)


def _scaled(parts: Iterable[Part], by: float) -> list[Part]:
    return [Part(p.loops, p.kind, p.cycles * by) for p in parts]


def _own_parts(block: Block, *, memory: bool) -> list[Part]:
    """What the cycles of a block are made of, those of the loops in it left out."""
    waits = memory and block.mem > block.comp
    kind: Literal["memory", "compute"] = "memory" if waits else "compute"
    least, whole = (block.mem_min, block.mem) if waits else (block.comp_min, block.comp)
    return [Part(block.loops, kind, least), Part(block.loops, "few_items", whole - least)]


def in_all(parts: Iterable[Part]) -> float:
    """The cycles of parts together."""
    return sum([p.cycles for p in parts])
