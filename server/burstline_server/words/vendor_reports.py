"""What a build's report says, and where inference says otherwise."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from burstline_model.vendor_report.report_files import DATA, SUMMARY, Unreadable, UnreadableReportError
from burstline_server.quantities import frequency_text, share_text
from burstline_server.validation.crosscheck import PlaceCheck, Units
from burstline_server.words.kernels import as_inferred_text

NOT_GIVEN = "device and compiler not given"
SETTINGS = "burstline.toml for this build:"
_CLOCKS = {"placed": "after place and route", "scheduled": "scheduled for"}


_UNREADABLE: dict[Unreadable, str] = {
    "absent": "no such file or folder",
    "no_report": f"no {DATA}, no folder of JSON views (lib/json/*.json) and no {SUMMARY} in it",
    "closed": "cannot be read ({0})",
    "damaged": "damaged ({0})",
    "no_table": "neither a summary of place and route nor a table of resource usage",
    "no_view": "holds none of the views mav, area and loops",
}


def unreadable_text(error: UnreadableReportError) -> str:
    """Why nothing at a path can be read as a report."""
    return f"{error.path}: {_UNREADABLE[error.kind].format(error.why)}"


def clock_text(f_max_mhz: float, of: Literal["placed", "scheduled"]) -> str:
    """A clock, and what it is of."""
    return f"f_max {frequency_text(f_max_mhz * 1e6)} {_CLOCKS[of]}"


def utilisation_text(name: str, share: float) -> str:
    """The share of the device that something takes."""
    return f"{name}: {share_text(share)} of the device"


def agreement_text(agreed: int, places: int, units: int) -> str:
    """How many places a report has as they were inferred, and how many units it lists."""
    return f"{as_inferred_text(agreed, places)} ({units} units reported)"


def difference_text(check: PlaceCheck) -> str:
    """What a report lists at a place, and what was inferred."""
    units = f"report {units_text(check.reported)}, inferred {units_text(check.inferred)}"
    return f"{check.file}:{check.line} {check.kernel} {check.op}: {units}"


def not_compared_text(file: str) -> str:
    """Why the units of a file are not compared."""
    return f"{file}: its text is neither in the report nor given: not compared"


def other_branch_text(file: str, line: int, directive: str) -> str:
    """That the build took another branch of a text."""
    given = "define what it asks for ([defines] in burstline.toml, or -D)"
    return f"{file}:{line} was compiled, but {directive} does not hold here: {given}"


def units_text(units: Units) -> str:
    """Units as a reader counts them."""
    parts = [
        f"{style}{f' {width} bit' if width is not None else ''}{f' ×{n}' if n > 1 else ''}"
        for (style, width), n in sorted(Counter(units).items(), key=str)
    ]
    return ", ".join(parts) or "none"
