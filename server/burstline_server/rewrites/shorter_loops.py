"""Kernels whose loops take too many turns to be executed, with fewer: the same edit is made and executed there.

The turns that are left are some of those before, at the same places: what holds of all pairs of iterations holds of
those. A loop is made shorter where its head says from where to where it counts, the end in one word or number.
"""

from __future__ import annotations

import re
from math import prod

from burstline_model.facts import KernelFacts, Loop
from burstline_server.interpreter.verdicts import NotExecuted, Verdict
from burstline_server.rewrites.rewrite import Offer
from burstline_server.source.source import Source

CAPS = (16, 8, 4)
"""Turns that a loop is left with: the most with which few enough are left of all, else the fewest."""
MOST_TURNS = 40_000
"""Turns of all loops together that are executed in time, before and after an edit."""
_HEAD = re.compile(
    rb"for\s*\(\s*(?:(?:unsigned|int|uint|long|short|size_t)\s+)*(?P<name>\w+)\s*=\s*0\s*;"
    rb"\s*(?P=name)\s*<\s*(?P<end>[^;<>=\n]+?)\s*;\s*(?:(?P=name)\s*\+\+|\+\+\s*(?P=name)|(?P=name)\s*\+=\s*1)\s*\)"
)


def is_too_long(found: Verdict | None) -> bool:
    """Whether a run of the kernel as it is does not reach its end, or leaves the largest buffers that are made."""
    return isinstance(found, NotExecuted) and found.reason.what in {"steps", "time", "no_trial"}


def with_shorter_loops(source: Source, *kernels: KernelFacts) -> bytes | None:
    """The file with shorter loops in some kernels; None where none can be made shorter, or too many turns are left."""
    made, places = source.original, dict[tuple[int, int], int]()
    for facts in kernels:
        own = _ends(source.original, facts)
        if not own:
            return None
        places |= own
    # A loop of a function counts once for each call.
    for (start, end), trip in sorted(places.items(), reverse=True):
        made = made[:start] + str(trip).encode() + made[end:]
    return made


def _ends(text: bytes, facts: KernelFacts) -> dict[tuple[int, int], int]:
    """Where the ends of a kernel's loops are written, and what they become; none where that makes it no shorter."""
    places: dict[int, tuple[int, int]] = {}
    for loop in facts.loops:
        trip = loop.trip.constant if loop.trip is not None else None
        head = _HEAD.match(text, loop.span.start, loop.body.start) if loop.span.file is None else None
        if trip is not None and head is not None and (not head["end"].isdigit() or int(head["end"]) == trip):
            places[loop.id] = head.span("end")
    for cap in CAPS:
        trips = {loop.id: _left(loop, cap, makes=loop.id in places) for loop in facts.loops}
        shorter = [i for i in places if trips[i] != _left(facts.loops[i], cap, makes=False)]
        if shorter and _turns(facts, trips) <= MOST_TURNS:
            return {places[i]: trips[i] for i in shorter}
    return {}


def _left(loop: Loop, cap: int, *, makes: bool) -> int:
    """The turns of a loop, made shorter or not: to a divisor where there is one, as edits ask for multiples."""
    trip = loop.trip.constant if loop.trip is not None else None
    if trip is None or not makes or trip <= cap:
        return trip if trip is not None else 1
    return next((n for n in range(cap, 1, -1) if trip % n == 0), cap)


def _turns(facts: KernelFacts, trips: dict[int, int]) -> int:
    """The turns of all loops."""
    total = 0
    for loop in facts.loops:
        around, at = [loop.id], loop.parent
        while at is not None:
            around.append(at)
            at = facts.loops[at].parent
        total += prod(max(trips[i], 1) for i in around)
    return total


def is_same_edit(offer: Offer, text: bytes, other: Offer, shorter: bytes) -> bool:
    """Whether an edit of a text with shorter loops is that of the text; its factor may be another one."""
    return offer.kind == other.kind and _form(offer, text) == _form(other, shorter)


def _form(offer: Offer, text: bytes) -> tuple[str, int]:
    """What it does, and the line where: shorter loops leave the lines."""
    first = min(edit.start for edit in offer.edits)
    return re.sub(r"\b\d+\b", "", offer.id.partition("/line ")[0]), text.count(b"\n", 0, first)
