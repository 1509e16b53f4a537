"""The product of all knobs as a grid: an axis for each knob, and tables over those axes that a figure depends on.

A table is an array that holds one cell for each combination of the axes it was made over, and lies across the others
with size one, so that numpy's broadcasting computes the product only where figures meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from burstline_model.boards.board import Board
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.parallelism.knobs import Knobs, Variant, relaunched, varied
from burstline_model.resources.clock_source import given_mhz

Array: TypeAlias = NDArray[Any]
Axis: TypeAlias = str | int
"""A knob's name as in `Knobs`; the loop's id for its unrolling."""
Window: TypeAlias = tuple[slice, ...]
"""A part of the grid that is without a gap in the order of rows."""


class StoppedError(Exception):
    """Whoever asked for the work wants it no longer."""


@dataclass(frozen=True)
class Point:
    """A value for some axes, the source's and the launch's own for the others."""

    grid: Grid
    values: dict[Axis, Any]

    def __getitem__(self, axis: Axis) -> Any:
        return self.values.get(axis, self.grid.own.get(axis))

    @property
    def facts(self) -> KernelFacts:
        """The kernel at this point."""
        unroll = {axis: value for axis, value in self.values.items() if isinstance(axis, int)}
        return varied(self.grid.facts, self["simd"], self["compute_units"], unroll)

    @property
    def launch(self) -> Launch:
        """The launch at this point."""
        return relaunched(self.grid.launch, self["banks"], self["local_size"])


class Grid:
    """All variants of a kernel; the last axis runs fastest."""

    def __init__(
        self, facts: KernelFacts, board: Board, launch: Launch, knobs: Knobs, stop: Callable[[], bool] | None = None
    ) -> None:
        knobs.check(facts)
        self.facts = facts
        self.launch = launch
        self.stop = stop
        self.own: dict[Axis, Any] = {
            "local_size": None,
            "banks": {},
            "compute_units": facts.compute_units,
            "simd": facts.simd,
            "f_max_mhz": given_mhz(launch, board),
        }
        self.axes: dict[Axis, tuple[Any, ...]] = {
            name: getattr(knobs, str(name)) or (own,) for name, own in self.own.items()
        }
        clock = self.axes.pop("f_max_mhz")
        self.axes.update({loop: values for loop, values in sorted(knobs.unroll.items()) if values})
        self.axes["f_max_mhz"] = clock
        self._along: dict[Axis, Array] = {}
        self.shape = tuple(len(values) for values in self.axes.values())
        self.size = prod(self.shape)

    def variant(self, row: int) -> Variant:
        """The knobs of a row."""
        at = np.unravel_index(row, self.shape)
        chosen = {axis: values[int(i)] for (axis, values), i in zip(self.axes.items(), at, strict=True)}
        unroll = {axis: value for axis, value in chosen.items() if isinstance(axis, int)}
        return Variant(unroll=unroll, **{str(axis): value for axis, value in chosen.items() if axis not in unroll})

    def along(self, axis: Axis) -> Array:
        """A numeric knob's values, lying along its axis."""
        if axis not in self._along:
            self._along[axis] = self.laid([axis], [[value] for value in self.axes[axis]])[0]
        return self._along[axis]

    def units_at_work(self) -> Array:
        """The compute units that share a launch (`KernelFacts.units_at_work`), lying along their axis."""
        single = self.facts.model == "single_work_item"
        return np.ones_like(self.along("compute_units")) if single else self.along("compute_units")

    def table(self, axes: Collection[Axis], figures: Callable[[Point], Sequence[float] | Array]) -> Array:
        """`figures` at each combination of `axes`: the first dimension is theirs, the others are the grid's."""
        return self.laid(axes, [figures(point) for point in self.points(axes)])

    def points(self, axes: Collection[Axis]) -> Iterator[Point]:
        """Each combination of `axes`, in order; raises `StoppedError` when asked to stop."""
        own = [axis for axis in self.axes if axis in axes]
        for values in product(*(self.axes[axis] for axis in own)):
            self.go_on()
            yield Point(self, dict(zip(own, values, strict=True)))

    def laid(self, axes: Collection[Axis], rows: Sequence[Sequence[float] | Array]) -> Array:
        """Figures found at the points of `axes`, as a table."""
        shape = [len(values) if axis in axes else 1 for axis, values in self.axes.items()]
        return np.asarray(rows, dtype=float).T.reshape(-1, *shape)

    def go_on(self) -> None:
        """Raise `StoppedError` when asked to stop."""
        if self.stop is not None and self.stop():
            raise StoppedError

    def windows(self, rows: int) -> Iterator[tuple[int, Window]]:
        """The whole grid in parts of at most about `rows`, each with the number of its first row."""
        split = next((i for i in range(len(self.shape)) if prod(self.shape[i + 1 :]) <= rows), 0)
        below = prod(self.shape[split + 1 :])
        step = max(1, rows // below)
        first = 0
        for outer in product(*(range(n) for n in self.shape[:split])):
            for start in range(0, self.shape[split], step):
                end = min(start + step, self.shape[split])
                inner = [slice(None)] * (len(self.shape) - split - 1)
                yield first, (*(slice(i, i + 1) for i in outer), slice(start, end), *inner)
                first += (end - start) * below


def seen(array: Array, window: Window) -> Array:
    """The part of a table that a window shows; a dimension ahead of the grid's stays whole, a mere number too."""
    ahead = array.ndim - len(window)
    if ahead < 0:
        return array
    own = (w if n > 1 else slice(None) for w, n in zip(window, array.shape[ahead:], strict=True))
    part: Array = array[(*(slice(None),) * ahead, *own)]
    return part


def looked_up(figure: Callable[..., float], *keys: Array) -> Array:
    """A figure of the scalar model for every combination of keys that occurs, asked once for each."""
    values, codes = zip(*(np.unique(k, return_inverse=True) for k in keys), strict=True)
    code = codes[0].reshape(keys[0].shape)
    for value, other, key in zip(values[1:], codes[1:], keys[1:], strict=True):
        code = code * len(value) + other.reshape(key.shape)
    found = np.zeros(prod(len(v) for v in values))
    for one in np.unique(code):
        at = np.unravel_index(one, tuple(len(v) for v in values))
        found[one] = figure(*(value[i] for value, i in zip(values, at, strict=True)))
    answers: Array = found[code]
    return answers


def greatest(arrays: Iterable[Array]) -> Array:
    """The largest of each cell; 0 of nothing."""
    return reduce(np.maximum, arrays, np.zeros(1))


def total(arrays: Iterable[Array]) -> Array:
    """The sum of each cell; 0 of nothing."""
    return reduce(np.add, arrays, np.zeros(1))
