"""Byte spans as the lines and columns that people and tools count."""

from __future__ import annotations

from burstline_model.facts import Access, Span
from burstline_model.record import fixed
from burstline_server.source.lines import Encoding
from burstline_server.source.source import Source


@fixed
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


def written(source: Source, access: Access) -> str:
    """An access as the user wrote it, on one line; one that a macro holds by its pointer and index as well."""
    span = access.span
    text = " ".join(source.text_of(span.file)[span.start : span.end].decode("utf-8", "replace").split())
    index = f"[{access.index}]" if access.index else ""
    return text if access.macro is None else f"{access.pointer}{index} in {text}"
