"""Settings that name lines, after an edit that moves the lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from burstline_server.config.layers import Layer
from burstline_server.rewrites.rewrite import TextEdit

BY_LINE = ("trips", "taken")
ASSUMED = "assumed_trips"


def following(layers: Sequence[Layer], text: bytes, edits: Sequence[TextEdit]) -> list[Layer]:
    """Layers for the edited text: what they say of a line, they say of where that line is now.

    A line that an edit writes anew is found by its words, at each place that holds them: the kernels of a split
    both have the loop. So is the head of a loop whose bounds are written in another way, by its counter. Where it
    is not there any more, no trip count is assumed in place of the given one.
    """
    if not any(_of_lines(layer.keys) for layer in layers):
        return list(layers)
    lines = _Lines(text, edits)
    found = [replace(layer, keys=_moved(layer.keys, lines)) for layer in layers]
    if not lines.lost:
        return found
    return [replace(layer, keys={k: v for k, v in layer.keys.items() if k != ASSUMED}) for layer in found]


def _of_lines(keys: Mapping[str, Any]) -> bool:
    parts = [keys, *(part for part in _mapping(keys.get("kernels")).values() if isinstance(part, Mapping))]
    return any(part.get(name) for part in parts for name in BY_LINE)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _moved(keys: Mapping[str, Any], lines: _Lines) -> dict[str, Any]:
    found = dict(keys)
    for name in BY_LINE:
        if isinstance(keys.get(name), Mapping):
            found[name] = {new: value for line, value in keys[name].items() for new in lines.now(line)}
    if isinstance(keys.get("kernels"), Mapping):
        parts = keys["kernels"].items()
        found["kernels"] = {n: _moved(one, lines) if isinstance(one, Mapping) else one for n, one in parts}
    return found


def _heads(new: bytes, old: bytes, line: bytes) -> list[int]:
    """The lines (from 0) of an edit that begin the only loop of its counter, whose bounds it writes in another way."""
    begin, counts, _ = line.strip().partition(b"=")
    if not counts or not begin.startswith(b"for"):
        return []
    before, after = ([n for n, one in enumerate(t.split(b"\n")) if one.strip().startswith(begin)] for t in (old, new))
    return after if len(before) == 1 else []


class _Lines:
    """Where the lines (from 1) of a text are after edits; `lost` once one was asked for that is nowhere."""

    def __init__(self, text: bytes, edits: Sequence[TextEdit]) -> None:
        self.lost = False
        self._text, self._edits = text, sorted(edits, key=lambda e: (e.start, e.end))
        self._starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == ord("\n"))]

    def now(self, line: object) -> list[Any]:
        """The lines that hold it now; what is no line of the text stays as it is."""
        number = int(str(line)) if str(line).isdecimal() else 0
        if not 1 <= number <= len(self._starts):
            return [line]
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self._text)
        words = self._text[start:end].split()
        first = start + len(self._text[start:end]) - len(self._text[start:end].lstrip())
        added, found = 0, list[int]()
        for edit in self._edits:
            new, old = edit.text.encode(), self._text[edit.start : edit.end]
            at = bisect_right(self._starts, edit.start) + added
            if edit.start <= first and end <= edit.end:
                found += [at + n for n, one in enumerate(new.split(b"\n")) if one.split() == words] or [
                    at + n for n in _heads(new, old, self._text[start:end])
                ]
                self.lost |= not found
                return found
            if edit.start <= first:
                added += new.count(b"\n") - old.count(b"\n")
        return [number + added]
