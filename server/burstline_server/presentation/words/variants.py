"""What keeps a variant from being listed, and what is left to do outside the kernel's text."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_server.presentation.words.edits import title_text
from burstline_server.quantities import share_text
from burstline_server.rewrites.reasons import Title

UNKNOWN_GAIN = "the edit's gain is not known"


def full_text(most: float) -> str:
    """A variant does not fit below a share of the device."""
    return f"it takes more than {share_text(most)} of a resource"


def define_text(name: str, value: str) -> str:
    """The text does not define a macro: the build does."""
    return f"build it with -D {name}={value}"


def banks_text(banks: Mapping[str, int]) -> str:
    """The host places the buffers."""
    return "place the buffers in their banks: " + " ".join(f"{pointer}={bank}" for pointer, bank in banks.items())


def host_text(edit: Title) -> str:
    """An edit needs a change of the host program."""
    return f"the host has its part: {title_text(edit)}"
