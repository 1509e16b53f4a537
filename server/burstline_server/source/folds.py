"""What can be folded away: blocks, comments, runs of includes, branches of the preprocessor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

from burstline_model.record import fixed
from burstline_server.source.origins import Origins
from burstline_server.source.preprocess import DIRECTIVE
from burstline_server.source.queries import foldable
from burstline_server.source.source import Source


@fixed
class Fold:
    """Lines `first` to `last` (from 0): the first stays, and so does the line that closes a block."""

    first: int
    last: int
    kind: Literal["comment", "imports", "region", "block"]


def folds(source: Source) -> list[Fold]:
    """Every fold of a file, each line's widest one, in order."""
    found = [*_nodes(source), *_branches(source), *_includes(source)]
    widest: dict[int, Fold] = {}
    for fold in found:
        if fold.last > fold.first and (fold.first not in widest or widest[fold.first].last < fold.last):
            widest[fold.first] = fold
    return [widest[line] for line in sorted(widest)]


def _nodes(source: Source) -> Iterator[Fold]:
    blocks, notes = foldable(source)
    lines, origins = source.lines, Origins(source, 0, len(source.text))
    for start, end in blocks:
        origin = origins.of(start, end)
        if origin.file is None and origin.macro is None:
            yield Fold(lines.line_of(origin.start), lines.line_of(origin.end) - 1, "block")
    comments = []
    for start, end in notes:
        origin = origins.of(start, end)
        first = lines.line_of(origin.start)
        if origin.file is None and not source.original[lines.start_of(first) : origin.start].strip():
            comments.append((first, lines.line_of(max(origin.start, origin.end - 1))))
    yield from (Fold(first, last, "comment") for first, last in _runs(sorted(comments)))


def _branches(source: Source) -> Iterator[Fold]:
    lines = source.lines
    open_lines: list[int] = []
    for match in DIRECTIVE.finditer(source.original):
        word, line = match[1], lines.line_of(match.start())
        if word in {b"elif", b"else", b"endif"} and open_lines:
            yield Fold(open_lines.pop(), line - 1, "region")
        if word in {b"if", b"ifdef", b"ifndef", b"elif", b"else"}:
            open_lines.append(line)


def _includes(source: Source) -> Iterator[Fold]:
    rows = sorted({source.lines.line_of(start) for start, _, _ in source.includes})
    yield from (Fold(first, last, "imports") for first, last in _runs((row, row) for row in rows))


def _runs(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that follow one another, as one."""
    numbered = list(ranges)
    rows = [row for first, last in numbered for row in range(first, last + 1)]
    for _, run in groupby(enumerate(dict.fromkeys(rows)), key=lambda pair: pair[1] - pair[0]):
        together = [row for _, row in run]
        yield together[0], together[-1]
