"""Byte spans as the lines and columns that people and tools count."""

from __future__ import annotations

from dataclasses import dataclass

from burstline_model.facts import Span
from burstline_server.source.lines import Encoding
from burstline_server.source.source import Source


@dataclass(frozen=True, slots=True)
class Place:
    """A range, 0-based, columns in the encoding's units; `file` is an included file's path or None."""

    line: int
    column: int
    end_line: int
    end_column: int
    file: str | None


def place_of(source: Source, span: Span, encoding: Encoding = "utf-16") -> Place:
    """Where a span is."""
    table = source.lines_of(span.file)
    return Place(*table.position(span.start, encoding), *table.position(span.end, encoding), span.file)


def text_at(source: Source, span: Span) -> str:
    """What the user wrote there, on one line."""
    return " ".join(source.text_of(span.file)[span.start : span.end].decode("utf-8", "replace").split())
