"""Reports that are plain text: place and route's summary, and the table that the compiler prints."""

from __future__ import annotations

import re

from burstline_model.vendor_report.records import Usage

_FIGURE = re.compile(r"^\s*(?P<name>[A-Za-z0-9/ ]+?)\s*:\s*(?P<value>[\d,.]+)(?:\s*/\s*(?P<of>[\d,.]+))?", re.MULTILINE)
_ROW = re.compile(r"^;\s*(?P<name>[A-Za-z ]+?)\s*;\s*(?P<percent>\d+)\s*%\s*;", re.MULTILINE)
_SHARES = {
    "Logic utilization": "logic", "ALUTs": "aluts", "Dedicated logic registers": "ffs", "Memory blocks": "rams",
    "DSP blocks": "dsps",
}  # fmt: skip


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


def quartus_summary(text: str) -> tuple[float | None, Usage, Usage]:
    """f_max in MHz, what is used and what the device has, from an ``acl_quartus_report.txt``."""
    figures = {m["name"]: m for m in _FIGURE.finditer(text)}

    def used(name: str) -> float | None:
        return _number(figures[name]["value"]) if name in figures else None

    def of(name: str) -> float | None:
        return _number(figures[name]["of"]) if name in figures and figures[name]["of"] else None

    clock = used("Actual clock freq") or used("Kernel fmax")
    total = Usage(
        aluts=used("ALUTs"), alms=used("Logic utilization"), ffs=used("Registers"), rams=used("RAM blocks"),
        dsps=used("DSP blocks"),
    )  # fmt: skip
    return clock, total, Usage(alms=of("Logic utilization"), rams=of("RAM blocks"), dsps=of("DSP blocks"))


def usage_table(text: str) -> dict[str, float]:
    """Shares of the device from the table of estimated resource usage that the compiler prints."""
    return {_SHARES[m["name"]]: int(m["percent"]) / 100 for m in _ROW.finditer(text) if m["name"] in _SHARES}
