"""The loops of all variants: copies, trips, and how often they are reached.

What is in a fully unrolled loop belongs to the block around it, so that a figure of a place in the source counts in the
innermost loop around it that is left: `Loops.landing` gives it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import TypeAlias

import numpy as np

from burstline_model.explore.grid import Array, Axis, Grid, Point
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll, fully_unrolled
from burstline_model.parallelism.simd_limits import parts_group
from burstline_model.pipeline.dependence import is_inside
from burstline_model.walk.loop_entries import entered

Node: TypeAlias = int | None
"""A loop's block; None for the one around all loops."""


def axes_of_copies(grid: Grid) -> dict[int, frozenset[Axis]]:
    """The axes that decide how often each loop is unrolled: its own, or those inside one that nobody speaks of."""
    knobs = [loop for loop in grid.facts.loops if loop.id in grid.axes]
    return {
        loop.id: frozenset({loop.id} & grid.axes.keys())
        if loop.id in grid.axes or loop.unroll is not None
        else frozenset(o.id for o in knobs if is_inside(grid.facts, o, loop))
        for loop in grid.facts.loops
    }


@dataclass(frozen=True)
class Loops:
    """Each loop in all variants: copies of its body, whether any of it is left, its trips (nan: not known).

    `entered`: the share of visits of what is around it that reach it. `parted`: whether some work-items of a group
    reach it and others do not.
    """

    axes: Mapping[int, frozenset[Axis]]
    copies: Mapping[int, Array]
    left: Mapping[int, Array]
    trips: Mapping[int, Array]
    entered: Mapping[int, Array]
    parted: Mapping[int, Array]

    @classmethod
    def of(cls, grid: Grid, extents: Mapping[object, Extent]) -> Loops:
        """The loops of a grid; `extents` are the launch's by the size of work-groups."""
        axes = axes_of_copies(grid)
        copies, left = {}, {}
        for loop in grid.facts.loops:

            def figures(point: Point, number: int = loop.id) -> tuple[float, float]:
                facts = point.facts
                made = effective_unroll(facts)
                return made[number], not fully_unrolled(facts.loops[number], made)

            copies[loop.id], still = grid.table(axes[loop.id], figures)
            left[loop.id] = still > 0
        every = [loop.id for loop in grid.facts.loops]
        trips = grid.table(["local_size"], lambda p: [known(extents[p["local_size"]].trips[i]) for i in every])
        shares = _entered(grid, axes, extents)
        own = grid.facts
        groups = {size: extent.local_size for size, extent in extents.items()}
        parted = grid.table(
            ["local_size"], lambda p: [parts_group(own, loop, groups[p["local_size"]]) for loop in own.loops]
        )
        return cls(
            axes, copies, left, dict(zip(every, trips, strict=True)), dict(zip(every, shares, strict=True)),
            {i: one > 0 for i, one in enumerate(parted)},
        )  # fmt: skip

    def around(self, loops: Collection[int]) -> set[Axis]:
        """The axes that decide what becomes of these loops."""
        return {axis for i in loops for axis in self.axes[i]}

    def landing(self, loops: Sequence[int]) -> Iterator[tuple[Node, Array]]:
        """The blocks where something in these loops may be, each with the variants where it does."""
        gone: Array = np.ones(1, dtype=bool)
        for i in reversed(loops):
            here = gone & self.left[i]
            if here.any():
                yield i, here
            gone = gone & ~self.left[i]
        if gone.any():
            yield None, gone


def _entered(grid: Grid, axes: Mapping[int, frozenset[Axis]], extents: Mapping[object, Extent]) -> Array:
    """The share of visits that reach each loop, of all loops."""
    guarded = [loop.id for loop in grid.facts.loops if loop.guards]
    around = {"local_size", "simd"}.union(*(axes[i] for g in guarded for i in (*grid.facts.loops_around(g), g)))

    def figures(point: Point) -> list[float]:
        facts = point.facts
        share = entered(extents[point["local_size"]].with_copies(facts, effective_unroll(facts)))
        return [share.get(loop.id, 1.0) for loop in facts.loops]

    return grid.table(around if guarded else (), figures if guarded else lambda _: [1.0] * len(grid.facts.loops))


def known(value: Fraction | int | None) -> float:
    """A number as arrays hold it: nan where it is not known."""
    return float(value) if value is not None else nan
