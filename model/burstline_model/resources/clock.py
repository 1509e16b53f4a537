"""The kernel's clock after place and route: it falls as the device fills."""

from __future__ import annotations

from burstline_model.devices.cost_tables import cost_table
from burstline_model.devices.resource_use import Resource, ResourceUse
from burstline_model.record import Record
from burstline_model.target import Family


class FmaxRange(Record):
    """f_max in MHz: of ten builds like this one, eight lie between `low_mhz` and `high_mhz`.

    It follows from the share of a resource that is used; `source` says from what it was read off.
    """

    low_mhz: float
    typical_mhz: float
    high_mhz: float
    used: float
    resource: Resource
    source: str


def f_max_of(use: ResourceUse, family: Family) -> FmaxRange:
    """The clock that builds of this utilisation reached on a device family."""
    clock = cost_table(family).clock
    used = use.utilisation if clock.shell else use.of_device(use.kernel)
    fullest = max(clock.by, key=lambda name: used[name])
    share = min(1.0, used[fullest])
    typical = max(clock.floor_mhz, clock.empty_mhz - clock.fall_mhz * share)
    return FmaxRange(
        low_mhz=typical * clock.low,
        typical_mhz=typical,
        high_mhz=typical * clock.high,
        used=share,
        resource=fullest,
        source=clock.source,
    )
