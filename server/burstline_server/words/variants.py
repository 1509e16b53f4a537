"""What keeps a variant from being listed, and what is left to do outside the kernel's text."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_server.quantities import share_text
from burstline_server.rewrites.reasons import Title
from burstline_server.words.edits import title_text

UNEQUAL_WORK = "variants do unequal work (bytes stored by a launch): order and gain are for the same work"
UNKNOWN_GAIN = "the edit's gain is not known"


def full_text(most: float) -> str:
    """A variant does not fit below a share of the device."""
    return f"it takes more than {share_text(most)} of a resource"


def fitting_text(fitting: int, total: int, shown: int, *, front: bool) -> str:
    """How many variants fit, how many of them are shown, and what a star says."""
    text = f"{fitting} of {total} variants listed fit"
    if fitting > shown:
        text += f"; the {shown} fastest are shown (--top)"
    return f"{text}; * nothing beats it in time and all resources" if front else text


def left_out_text(count: int, why: str) -> str:
    """How many variants are not listed for a reason."""
    return f"{count} left out: {why}"


def define_text(name: str, value: str) -> str:
    """The text does not define a macro: the build does."""
    return f"build it with -D {name}={value}"


def banks_text(banks: Mapping[str, int]) -> str:
    """The host places the buffers."""
    return "place the buffers in their banks: " + " ".join(f"{pointer}={bank}" for pointer, bank in banks.items())


def host_text(edit: Title) -> str:
    """An edit needs a change of the host program."""
    return f"the host has its part: {title_text(edit)}"
