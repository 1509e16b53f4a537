"""The roofs over a kernel: what each is, and what it comes from."""

from __future__ import annotations

from typing import assert_never

from burstline_model.devices.resource_use import WORDS
from burstline_model.estimate.roofline import Banks, Copies, RoofOf


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
