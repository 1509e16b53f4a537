"""A build's resources as the resource model's answer."""

from __future__ import annotations

from burstline_model.devices.resource_use import Amounts, ResourceUse
from burstline_model.vendor_report.records import Usage, VendorReport

ALUTS_IN_AN_ALM = 2


def reported_use(report: VendorReport, kernel: str, compute_units: int) -> ResourceUse | None:
    """What all compute units of a kernel take by a report: as placed, else as the compiler estimates.

    None where it does not list logic, RAM or DSPs.
    """
    listed = next((k for k in report.kernels if k.name == kernel), None)
    device = report.available
    if listed is None or not (device.aluts and device.rams and device.dsps):
        return None
    usage = listed.fitted if _full(listed.fitted) else listed.usage
    if not _full(usage):
        return None
    count = max(compute_units, 1)
    return ResourceUse(
        unit=_amounts(usage, 1 / count),
        compute_units=count,
        shell=_amounts(report.shell),
        device=_amounts(device),
        reported=True,
    )


def _full(usage: Usage) -> bool:
    return None not in (usage.alms if usage.aluts is None else usage.aluts, usage.rams, usage.dsps)


def _amounts(usage: Usage, times: float = 1.0) -> Amounts:
    """Logic is given in ALMs, or in look-up tables, of which an ALM holds two."""
    return Amounts(
        logic_alms=(usage.alms if usage.alms is not None else (usage.aluts or 0.0) / ALUTS_IN_AN_ALM) * times,
        registers=(usage.ffs or 0.0) * times,
        rams=(usage.rams or 0.0) * times,
        dsps=(usage.dsps or 0.0) * times,
    )
