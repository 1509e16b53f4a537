"""Statements at the start and the end of a loop's body, laid out as the user has it; braces where it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, after_comment, in_front_of, line_end, step_in
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, braced, written
from burstline_server.source.source import Source


def in_front(loop: SourceNode, lines: Sequence[str]) -> list[TextEdit]:
    """Edits that put lines in front of a loop and its pragmas, in a block with it where it was alone under a head.

    They come before those of the loop's body, whose end may be the loop's. Raises `NotOfferedError` where they have no
    line.
    """
    text, place = loop.source.original, in_front_of(loop.source.original, loop.start)
    if place is None:
        raise NotOfferedError("no_line_for_declaration")
    line, end = above_pragmas(loop.source, place[0]), line_end(text)
    put = TextEdit(line, line, "".join(f"{place[1]}{one}{end}" for one in lines))
    if loop.in_block:
        return [put]
    around = braced(loop)
    parent = loop.node.parent
    if around is None or parent is None or parent.type not in _HEADS or not line > around[0].start:
        raise NotOfferedError("no_line_for_declaration")
    closing = after_comment(text, loop.end)
    return [around[0], put, TextEdit(closing, closing, around[1].text)]


_HEADS = {"for_statement", "while_statement", "if_statement"}


@fixed
class Body:
    """A loop's body, whose loop is indented by `outer`. `opening` and `closing` are its braces where it has some."""

    text: bytes
    outer: str
    indent: str
    opening: SourceNode | None
    closing: SourceNode | None
    statement: SourceNode | None

    @classmethod
    def of(cls, source: Source, loop: Node, outer: str) -> Body:
        """The body of a loop; raises `NotOfferedError` where its ends are not written out."""
        body, text = loop.child_by_field_name("body"), source.original
        if body is None:
            raise NotOfferedError("macro_in_it")
        unit = step_in(text, outer)
        if body.type != "compound_statement":
            statement = written(source, body)
            if statement is None:
                raise NotOfferedError("macro_in_it")
            place = in_front_of(text, statement.start)
            return cls(text, outer, place[1] if place is not None else outer + unit, None, None, statement)
        opening, closing = (written(source, body.children[at]) for at in (0, -1))
        if opening is None or closing is None or opening.text != "{" or closing.text != "}":
            raise NotOfferedError("macro_in_it")
        inner = [written(source, n) for n in body.named_children if n.type != "comment"]
        places = [in_front_of(text, n.start) for n in inner if n is not None]
        indent = next((p[1] for p in places if p is not None and len(p[1]) > len(outer)), outer + unit)
        return cls(text, outer, indent, opening, closing, None)

    @property
    def unit(self) -> str:
        """What a line is indented by inside a block."""
        return step_in(self.text, self.indent)

    def around(self, first: Sequence[str], last: Sequence[str], after: str) -> Iterator[TextEdit]:
        """Edits that put lines at the body's start and end, and text right after the loop."""
        end = line_end(self.text)
        if self.statement is not None:
            yield from self._braced(self.statement, first, last, after)
        elif self.opening is not None and self.closing is not None:
            yield self._opened(self.opening, first)
            before = in_front_of(self.text, self.closing.start)
            if before is not None:
                yield TextEdit(before[0], before[0], "".join(f"{self.indent}{line}{end}" for line in last))
            elif last:
                lines = "".join(f"{end}{self.indent}{line}" for line in last)
                yield TextEdit(self.closing.start, self.closing.start, f"{lines}{end}{self.outer}")
            yield TextEdit(self.closing.end, self.closing.end, after)

    def _opened(self, opening: SourceNode, first: Sequence[str]) -> TextEdit:
        """Lines right after the brace, and after the comment behind it."""
        end, at = line_end(self.text), opening.end
        stop = self.text.find(b"\n", at)
        rest = self.text[at : stop if stop >= 0 else None].strip()
        lines = "".join(f"{end}{self.indent}{line}" for line in first)
        if rest.startswith(b"//") and not rest.endswith(b"\\") and stop >= 0:
            at += len(self.text[at:stop].rstrip())
        elif rest:
            blank = len(self.text[at:]) - len(self.text[at:].lstrip(b" \t"))
            return TextEdit(at, at + blank, f"{lines}{end}{self.indent}")
        return TextEdit(at, at, lines)

    def _braced(
        self, statement: SourceNode, first: Sequence[str], last: Sequence[str], after: str
    ) -> Iterator[TextEdit]:  # fmt: skip
        end, place = line_end(self.text), in_front_of(self.text, statement.start)
        tail = "".join(f"{end}{self.indent}{line}" for line in last)
        around = braced(statement) if place is not None else None
        if around is not None and place is not None:
            line = above_pragmas(statement.source, place[0])
            yield around[0]
            yield TextEdit(line, line, "".join(f"{self.indent}{one}{end}" for one in first))
            yield TextEdit(around[1].start, around[1].end, f"{tail}{around[1].text}{after}")
        elif place is None:
            lines = "".join(f"{end}{self.indent}{line}" for line in first)
            yield TextEdit(statement.start, statement.start, f"{{{lines}{end}{self.indent}")
            yield TextEdit(statement.end, statement.end, f"{tail}{end}{self.outer}}}{after}")
        else:
            raise NotOfferedError("no_line_for_declaration")
