"""Edits: where two texts differ."""

from __future__ import annotations

from collections.abc import Callable

from burstline_model.record import fixed

_CHUNK = 1 << 14


def utf8(text: str | bytes) -> bytes:
    """A text as bytes; what UTF-8 has no bytes for becomes a question mark."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "replace")


@fixed
class Edit:
    """Where two texts differ: bytes `start` to `old_end` of the one are `start` to `new_end` of the other."""

    start: int
    old_end: int
    new_end: int

    @property
    def by(self) -> int:
        """How far what follows moves."""
        return self.new_end - self.old_end

    def moved(self, by: int) -> Edit:
        """The same edit of longer texts that begin `by` bytes before these."""
        return Edit(self.start + by, self.old_end + by, self.new_end + by)

    def followed_by(self, later: Edit) -> Edit:
        """One edit for this one and a later one, what lies between them included."""
        end = max(self.new_end, later.old_end)
        return Edit(min(self.start, later.start), end - self.by, end + later.by)

    def after(self, place: int) -> int:
        """Where a place outside the edit is after it."""
        return place if place < self.old_end else place + self.by


def difference(old: bytes, new: bytes) -> Edit:
    """The one edit between two texts."""
    shorter = min(len(old), len(new))
    start = _common(shorter, lambda low, high: old[low:high] == new[low:high])
    a, b = len(old), len(new)
    tail = _common(shorter - start, lambda low, high: old[a - high : a - low] == new[b - high : b - low])
    return Edit(start, a - tail, b - tail)


def _common(most: int, equal: Callable[[int, int], bool]) -> int:
    """How many bytes, counted from one end of two texts, are equal; `equal` compares a range of them."""
    low = 0
    while low < most and equal(low, min(low + _CHUNK, most)):
        low += _CHUNK
    low, high = min(low, most), min(low + _CHUNK, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if equal(low, middle) else (low, middle - 1)
    return low
