"""The clock of all variants: the one that is given, or what builds as full as each of them reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from burstline_model.devices.cost_tables import Clock, cost_table
from burstline_model.devices.resource_use import RESOURCES, Resource
from burstline_model.explore.grid import Array, Grid, Window, greatest, seen
from burstline_model.explore.resource_arrays import Device
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.resources import resources_of


@dataclass(frozen=True)
class Clocks:
    """How the clock follows from what a variant takes of what the board leaves free.

    `whole` has for each resource two factors: what counts of the device is the share times the first plus the second.
    """

    grid: Grid
    clock: Clock
    whole: Mapping[Resource, tuple[float, float]]

    @classmethod
    def of(cls, grid: Grid, device: Device) -> Clocks:
        """The clocks of a kernel's variants."""
        use = resources_of(grid.facts, (), effective_unroll(grid.facts), device.target, device.board)
        clock, whole = cost_table(device.target.family).clock, {}
        for name in RESOURCES:
            all_, shell = use.device.of(name), use.shell.of(name)
            whole[name] = (max(all_ - shell, 1.0) / all_, shell / all_ * clock.shell) if all_ else (0.0, 0.0)
        return cls(grid, clock, whole)

    def hz(self, window: Window, shares: Sequence[Array]) -> Array:
        """The clocks over a part of the grid, whose variants take these shares of `RESOURCES`."""
        if self.grid.axes["f_max_mhz"] != (None,):
            return seen(self.grid.along("f_max_mhz"), window) * 1e6
        share = dict(zip(RESOURCES, shares, strict=True))
        used = (share[name] * self.whole[name][0] + self.whole[name][1] for name in self.clock.by)
        fullest = np.minimum(greatest(used), 1.0)
        found: Array = 1e6 * np.maximum(self.clock.floor_mhz, self.clock.empty_mhz - self.clock.fall_mhz * fullest)
        most_mhz = self.grid.launch.f_max_most_mhz
        return found if most_mhz is None else np.minimum(found, 1e6 * most_mhz)
