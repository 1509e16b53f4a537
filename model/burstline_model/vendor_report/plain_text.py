"""Reports that are plain text: place and route's summary, and the table that the compiler prints."""

from __future__ import annotations

import re

from burstline_model.vendor_report.records import Usage

_FIGURE = re.compile(r"\s*([\d,.]++)(?:\s*+/\s*+([\d,.]++))?")
_PERCENT = re.compile(r"\s*+(\d++)\s*+%\s*+")
_SHARES = {
    "Logic utilization": "logic", "ALUTs": "aluts", "Dedicated logic registers": "ffs", "Memory blocks": "rams",
    "DSP blocks": "dsps",
}  # fmt: skip


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


def quartus_summary(text: str) -> tuple[float | None, Usage, Usage]:
    """f_max in MHz, what is used and what the device has, from an ``acl_quartus_report.txt``."""
    parts = (line.partition(":") for line in text.splitlines())
    figures = {name.strip(): m for name, _, rest in parts if (m := _FIGURE.match(rest))}

    def used(name: str) -> float | None:
        return _number(figures[name][1]) if name in figures else None

    def of(name: str) -> float | None:
        return _number(figures[name][2]) if name in figures and figures[name][2] else None

    clock = used("Actual clock freq") or used("Kernel fmax")
    total = Usage(
        aluts=used("ALUTs"), alms=used("Logic utilization"), ffs=used("Registers"), rams=used("RAM blocks"),
        dsps=used("DSP blocks"),
    )  # fmt: skip
    return clock, total, Usage(alms=of("Logic utilization"), rams=of("RAM blocks"), dsps=of("DSP blocks"))


def usage_table(text: str) -> dict[str, float]:
    """Shares of the device from the table of estimated resource usage that the compiler prints."""
    cells = (line.split(";") for line in text.splitlines() if line.startswith(";"))
    rows = ((row[1].strip(), _PERCENT.fullmatch(row[2])) for row in cells if len(row) > 3)
    return {_SHARES[name]: int(m[1]) / 100 for name, m in rows if m and name in _SHARES}
