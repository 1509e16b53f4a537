"""Faults at places of the parsed text, brought to the user's file."""

from __future__ import annotations

from dataclasses import replace

from burstline_model.facts import Span
from burstline_server.faults.fault import Fault, FaultKind
from burstline_server.source.source import Source


def placed(source: Source, kind: FaultKind, start: int, end: int, message: str, *, given: bool = False) -> Fault:
    """A fault in a range of the parsed text: where that is of another file, at the place that includes it."""
    origin = source.origin(start, max(end, start + 1))
    span = Span(start=origin.start, end=max(origin.end, origin.start + 1))
    written = None
    if origin.file is not None:
        written = replace(span, file=origin.file)
        line = source.lines_of(origin.file).line_of(origin.start) + 1
        at = next(((a, b) for a, b, file in source.includes if file == origin.file), (0, 1))
        name = origin.file.replace("\\", "/").rsplit("/", 1)[-1]
        span, message = Span(start=at[0], end=at[1]), f"in {name}, line {line}: {message}"
    elif origin.macro is not None and source.original[origin.start : origin.end] != source.text[start:end]:
        message = f"{message} (in the expansion of the macro {origin.macro})"
    return Fault(kind, span, message, given, written)
