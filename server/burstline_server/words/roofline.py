"""The roofs over a kernel: what each is, and what it comes from."""

from __future__ import annotations

from typing import assert_never

from burstline_model.devices.resource_use import WORDS
from burstline_model.estimate.roofline import Banks, Copies, Form, Roofline, RoofOf
from burstline_server.quantities import time_text


def roof_text(roof: RoofOf) -> tuple[str, str]:
    """The name of a roof, and what it comes from."""
    match roof:
        case "one_copy":
            return "one copy", "its pipeline at its clock (TYTRA Eq. 4)"
        case Copies():
            why = f"80 % of the device, {WORDS[roof.scarcest]} is the scarcest (TYTRA Eq. 6)"
            return f"{roof.copies:.3g} copies", why
        case "pattern":
            return "this access pattern", "the memory model, useful bytes"
        case Banks():
            return "one bank" if roof.banks == 1 else f"{roof.banks} banks", "datasheet"
        case "host_link":
            return "link to the host", "given"
        case _:
            assert_never(roof)


def point_text(kernel: str, copies: int) -> str:
    """The name of a point: the kernel, or how many copies of it."""
    return kernel if copies == 1 else f"{copies} copies"


_WHERE: dict[Form, str] = {
    "A": "form A, data sent by the host for each launch",
    "B": "form B, data in the board's memory",
    "C": "form C, data on the chip",
}


def form_text(kernel: str, found: Roofline, time_s: float) -> str:
    """A kernel in one of TYTRA's forms: its time, what it and its copies reach, and how many copies pay."""
    now, unit = found.points[0], f"G{found.unit}/s"
    best = max(found.points, key=lambda p: p.performance)
    copies = f", {best.copies} copies {best.performance:.3g}" if len(found.points) > 1 else ""
    pays = f"; more than {found.replication_limit} gain nothing" if found.replication_limit is not None else ""
    limit = WORDS[found.limited_by] if found.limited_by != "memory" else "the way of the data"
    roof = f"ceiling {found.attainable:.3g} {unit}, by {limit}"
    return f"{kernel}: {_WHERE[found.form]}: {time_text(time_s)}, {now.performance:.3g} {unit}{copies}{pays}; {roof}"


def no_roofline_text(kernel: str) -> str:
    """That a kernel has no roofline."""
    return f"{kernel}: no roofline: its sizes are not known, or it computes nothing"
