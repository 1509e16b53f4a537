"""A kernel's pointer parameters as the user wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.facts import Argument
from burstline_model.record import fixed
from burstline_server.rewrites.rewrite import in_front_of, line_end

_POINTER = re.compile(
    r"(?P<before>(?:__)?global\s+(?:(?:const|volatile)\s+)*)(?P<type>(?:struct\s+)?\w+(?:\s+int)?)(?P<after>\s*\*[\s\w]*?)"
    r"(?P<name>\w+)"
)
_START = re.compile(rb"\b(?:__)?global\b(?=[^,(]{0,400}$)")


@fixed
class Parameter:
    """``__global const float *restrict x`` in its pieces; offsets are those of the file."""

    start: int
    end: int
    before: str
    type: str
    after: str
    name: str

    def written(self, type_: str, name: str) -> str:
        """The same parameter with another type and name."""
        return f"{self.before}{type_}{self.after}{name}"

    def below(self, text: bytes) -> str:
        """A line end and blanks, so that what follows is under the parameter."""
        line = text.rfind(b"\n", 0, self.start) + 1
        place = in_front_of(text, self.start)
        return line_end(text) + (place[1] if place is not None else " " * (self.start - line))


def parameter_of(text: bytes, argument: Argument) -> Parameter | None:
    """A pointer to global memory; None where a macro, an attribute or a comment takes part in it."""
    word = _START.search(text[: argument.span.end]) if argument.span.file is None else None
    if word is None:
        return None
    match = _POINTER.fullmatch(text[word.start() : argument.span.end].decode("utf-8", "replace"))
    if match is None or match["name"] != argument.name:
        return None
    return Parameter(
        word.start(), argument.span.end, match["before"], match["type"], match["after"], argument.name
    )  # fmt: skip


def moved_by_host(kernel: str, arguments: Iterable[str], before: Iterable[str], after: Iterable[str] = ()) -> str:
    """C text of a host that lays its data out anew, element by element, and takes results back.

    `arguments` are all of the edited kernel, in order.
    """
    order = ", ".join(f"{number} {name}" for number, name in enumerate(arguments))
    text = f"/* {kernel} now takes: {order}. Each array has a buffer of its own. Before the launch: */\n" + _loop(
        before
    )
    back = _loop(after)
    return text + (f"/* After the launch: */\n{back}" if back else "")


def _loop(statements: Iterable[str]) -> str:
    lines = "".join(f"    {one}\n" for one in statements)
    return f"for (size_t i = 0; i < count; i++) {{\n{lines}}}\n" if lines else ""
