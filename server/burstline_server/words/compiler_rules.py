"""The texts of the page about the compiler's rules."""

from __future__ import annotations

from typing import Literal

TITLE = "The compiler's rules"
ABOUT = """\
What load/store units are inferred by: each row with its scope and its evidence. A unit's hover names the
rows that decided. Kernels in the shapes that the reports teach are in `tests/compiler/shapes/`."""
STRUCTURE_TITLE = "How many, how wide, how aligned"
EVIDENCE = """\
The tables below say of each row what it was read off, which document of the vendor states it, and how many units
of which public repositories' reports it gets right (won) or wrong (lost): inference with the row against
inference without it. A row is in force where a document states it, or where at least two independent
repositories show it, and where it does not lose more than it wins. The others are off: with their one repository
left out nobody would know them. Forks count as one repository."""
ORDER = "The first row in force that holds decides."
SWITCHES_TITLE = "Merged, dropped, kept apart"
SWITCHES = "Rules that the code implements, each with a switch of its own."
COLUMNS = ("in force", "families", "compilers", "read off", "stated in", "units won", "units lost")
"""The columns of what a row rests on."""
RULE, DOES = "rule", "what it does"
STRUCTURE_COLUMNS = (RULE, DOES, "families", "compilers", "evidence")
Force = Literal["on", "refuted", "one_repository", "no_report"]
"""Whether a row is in force, and why not."""
_FORCE: dict[Force, str] = {
    "on": "yes",
    "refuted": "off: loses more than it wins",
    "one_repository": "off: rests on one repository",
    "no_report": "off: no report at hand shows it",
}


def force_text(force: Force) -> str:
    """Whether a row is in force, and why not."""
    return _FORCE[force]
