"""Origins of many places of a part of a text, one after the other."""

from __future__ import annotations

from bisect import bisect_right

from burstline_server.source.source import Origin, Source


class Origins:
    """Where the user wrote ranges of a part of the parsed text, as `Source.origin` returns it."""

    def __init__(self, source: Source, start: int, stop: int) -> None:
        self._source = source
        pieces = [(first, end, s.start - s.out) for first, end, s in source.pieces(start, stop) if s.plain]
        self._plain = pieces if source.segments else [(start, stop, 0)]
        self._starts = [first for first, _, _ in self._plain]

    def of(self, start: int, end: int) -> Origin:
        """Where a range was written."""
        number = bisect_right(self._starts, start) - 1
        if number >= 0 and end <= self._plain[number][1]:
            by = self._plain[number][2]
            return Origin(start + by, end + by)
        return self._source.origin(start, end)
