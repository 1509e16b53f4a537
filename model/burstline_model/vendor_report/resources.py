"""A build's resources as the resource model's answer."""

from __future__ import annotations

from burstline_model.resources.use import Amounts, ResourceUse
from burstline_model.vendor_report.records import Usage, VendorReport

ALUTS_IN_AN_ALM = 2


def reported_use(report: VendorReport, kernel: str, compute_units: int) -> ResourceUse | None:
    """What a report says that all compute units of a kernel take; None where logic, RAM or DSPs are not told."""
    usage = next((k.usage for k in report.kernels if k.name == kernel), Usage())
    device = report.available
    if None in (usage.aluts, usage.rams, usage.dsps) or not (device.aluts and device.rams and device.dsps):
        return None
    count = max(compute_units, 1)
    return ResourceUse(
        unit=_amounts(usage, 1 / count),
        compute_units=count,
        shell=_amounts(report.shell),
        device=_amounts(device),
        reported=True,
    )


def _amounts(usage: Usage, times: float = 1.0) -> Amounts:
    """Logic is told in look-up tables; an ALM holds two."""
    return Amounts(
        logic_alms=(usage.aluts or 0.0) / ALUTS_IN_AN_ALM * times,
        registers=(usage.ffs or 0.0) * times,
        rams=(usage.rams or 0.0) * times,
        dsps=(usage.dsps or 0.0) * times,
    )
