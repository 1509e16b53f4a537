"""What cards say of an access and of the unit that serves it."""

from __future__ import annotations

from burstline_model.facts import Access
from burstline_server.quantities import bandwidth_text, frequency_text
from burstline_server.words.unread import not_analysable_text

FIGURES = ("T_ideal", "T_ovh", "time", "bandwidth used")
"""The columns of a unit's figures."""
NOTHING_TO_GAIN = "nothing to gain here"


def merged_text(other: str, line: int) -> str:
    """Another access has the unit."""
    return f"served by the unit of {other}, line {line}"


def address_text(access: Access, step: str) -> str:
    """Where an access goes: its offset and its unit's step, or why that is not known."""
    if access.offset is None:
        return f"address {not_analysable_text(access.offset_why)}"
    return f"byte offset {access.offset}" + (f", δ = {step}" if step else "")


def unknown_address_text(access: Access) -> str:
    """Why the address of an access is not known, as a reason."""
    return f"the address is {not_analysable_text(access.offset_why)}"


def not_restrict_text(pointer: str) -> str:
    """What keeps the compiler careful."""
    return f"{pointer} is not restrict"


def macro_text(name: str, line: int) -> str:
    """The macro that an access comes from."""
    return f"{name}, defined in line {line}"


def units_text(count: int) -> str:
    """How many load/store units."""
    return f"{count} LSU{'s' if count > 1 else ''}"


def bandwidth_used_text(
    used: float, useful: float, peak: float, *, saturated: bool | None, f_max_hz: float, f_min_hz: float
) -> str:
    """The bytes a second that a unit asks for, those that the kernel uses, of what its banks have."""
    state = "saturated" if saturated else "not saturated"
    own = f" ({bandwidth_text(useful)} useful)" if useful < used else ""
    clocks = f"f_max {frequency_text(f_max_hz)}, f_min {frequency_text(f_min_hz)}"
    return f"{bandwidth_text(used)}{own} of {bandwidth_text(peak)}, {state} ({clocks})"
