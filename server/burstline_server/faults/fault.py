"""A fault of the program."""

from __future__ import annotations

from typing import Literal

from burstline_model.facts import Span
from burstline_model.record import fixed

FaultKind = Literal["syntax", "undeclared", "refused"]


@fixed
class Fault:
    """Something that the compiler refuses, at a place of the user's file (byte offsets).

    `given` holds where a definition that the build may give (``-D``, a header) would mend it: the text by itself does
    not compile, with that definition it may. `written` is its own place where that is in an included file.
    """

    kind: FaultKind
    span: Span
    message: str
    given: bool = False
    written: Span | None = None


@fixed
class Withheld:
    """A kernel without figures: its name, its definition's place, the name's place, and the faults that touch it."""

    name: str
    span: Span
    name_span: Span
    faults: tuple[Fault, ...]


def faults_text(kernel: Withheld) -> str:
    """How many faults keep a kernel from being costed, and the first."""
    count = len(kernel.faults)
    what = "something is missing" if all(f.given for f in kernel.faults) else "it does not compile"
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{what}: {kernel.faults[0].message}{more}"
