"""A pragma on a line of its own in front of a loop, wherever on its line the loop begins."""

from __future__ import annotations

from burstline_model.facts import Span
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, in_front_of, line_end
from burstline_server.source.source import Source


def pragma_line(source: Source, loop: Span, pragma: str) -> TextEdit:
    """The edit that puts a pragma in front of the loop whose head is at `loop`.

    Where something comes before the loop on its line, the loop moves to a line of its own. Not within the use of a
    macro: no directive may be among its arguments.
    """
    text, start = source.original, loop.start
    place, end = in_front_of(text, start), line_end(text)
    if place is not None:
        at, indent = place
        return TextEdit(at, at, f"{indent}{pragma}{end}")
    line = text[text.rfind(b"\n", 0, start) + 1 : start]
    if source.offset_of(start) is None:
        raise NotOfferedError("no_line_for_pragma")
    blank = len(line) - len(line.lstrip(b" \t"))
    indent = line[:blank].decode("ascii")
    if not line.rstrip(b" \t").endswith((b";", b"}")):
        indent += "\t" if b"\n\t" in text else "    "
    gap = len(line) - len(line.rstrip(b" \t"))
    return TextEdit(start - gap, start, f"{end}{indent}{pragma}{end}{indent}")
