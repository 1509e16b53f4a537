"""Pragmas in front of a loop: one put on a line of its own, wherever the loop begins, and one that is there already."""

from __future__ import annotations

from collections.abc import Collection

from tree_sitter import Node

from burstline_model.facts import Span
from burstline_server.analysis.nodes import previous_end
from burstline_server.analysis.pragmas import attributes
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, in_front_of, line_end
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, only_pragmas
from burstline_server.source.preprocess import DIRECTIVE, SKIPPED, WORD
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


def require_no_pragmas(loop: SourceNode) -> None:
    """Refuses a loop with pragmas or attributes above it, whatever they ask for."""
    line = loop.source.original.rfind(b"\n", 0, loop.start) + 1
    if above_pragmas(loop.source, line) != line:
        raise NotOfferedError("pragma_says")


def asks_otherwise(source: Source, loop: Node) -> bool:
    """Whether a pragma of another compiler asks for copies of a loop: one of ours next to it is refused.

    ``#pragma clang loop unroll(disable)`` is such a one, for the compilers that are made of clang.
    """
    found = source.pragmas_in(previous_end(loop), loop.start_byte)
    return any(_first_word(one.text) in _OTHERS for one in found)


_OTHERS = {"clang", "GCC"}


def pragma_before(source: Source, loop: Node, names: Collection[str]) -> tuple[int, int] | None:
    """Where the one pragma of these names is that a loop has, from its ``#`` to its argument's last byte.

    Comments behind that, blank lines and other pragmas are no part of it. None where there is no such pragma or more
    than one, where an attribute asks for the same (``opencl_unroll_hint``), or where a build chooses: by a macro in
    it, or by a condition around it.
    """
    before = previous_end(loop)
    notes = source.notes_in(before, loop.start_byte)
    found = [one for one in source.pragmas_in(before, loop.start_byte) if _first_word(one.text) in names]
    if len(found) != 1 or any("opencl_unroll_hint" in attributes(one.text) for one in notes):
        return None
    above, start, end = (
        source.origin(at, at + 1).start for at in (max(before - 1, 0), found[0].start, loop.start_byte)
    )
    plain = SKIPPED.sub(lambda match: b" " * len(match[0]), source.original[:end][above:])
    directive = DIRECTIVE.match(plain, start - above)
    if directive is None or directive[1] != b"pragma" or not only_pragmas(plain):
        return None
    read = directive[2].replace(b"\\\r\n", b"").replace(b"\\\n", b"").decode("utf-8", "replace")
    says = [word["name"] for word in WORD.finditer(read.encode()) if word["name"] is not None]
    if len(says) != 1 or read.split() != found[0].text.split():
        return None  # a macro in it
    return start + directive[0].index(b"#"), above + directive.start() + len(directive[0].rstrip())


def _first_word(text: str) -> str:
    return text.strip().replace("(", " ").split(" ", 1)[0].strip()
