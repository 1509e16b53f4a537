"""Kernels whose loops take too many turns to be executed, with fewer: the same edit is made and executed there.

The turns that are left are some of those before, at the same places: what holds of all pairs of iterations holds of
those. A loop is made shorter where its head says from where to where it counts, the end in one word or number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from burstline_model.facts import KernelFacts, Loop
from burstline_server.interpreter.verdicts import NotExecuted, Verdict
from burstline_server.rewrites.rewrite import Offer
from burstline_server.source.source import Source

CAPS = (16, 8, 4)
"""Turns that a loop is left with, whichever of them the run ends with first."""
MOST_TURNS = 40_000
"""Turns of all loops together that are executed in time, before and after an edit."""
_HEAD = re.compile(
    rb"for\s*\(\s*(?:(?:unsigned|int|uint|long|short|size_t)\s+)*(?P<name>\w+)\s*=\s*0\s*;"
    rb"\s*(?P=name)\s*<\s*(?P<end>[^;<>=]+?)\s*;\s*(?:(?P=name)\s*\+\+|\+\+\s*(?P=name)|(?P=name)\s*\+=\s*1)\s*\)"
)


def is_too_long(found: Verdict | None) -> bool:
    """Whether a run of the kernel as it is does not come to its end, or leaves the largest buffers that are made."""
    return isinstance(found, NotExecuted) and found.reason.what in {"steps", "time", "no_trial"}


def texts_with_shorter_loops(source: Source, facts: KernelFacts) -> Iterator[bytes]:
    """The file with shorter loops in a kernel, the longest first; none where that cannot be said of enough of them."""
    text = source.original
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
            made = text
            # A loop of a function counts once for each call.
            for (start, end), trip in sorted({places[i]: trips[i] for i in shorter}.items(), reverse=True):
                made = made[:start] + str(trip).encode() + made[end:]
            yield made


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


def same_edit(offer: Offer, others: list[Offer]) -> Offer | None:
    """The edit of a text with shorter loops that is this one; its factor may be another one, as loops are shorter."""
    alike = [o for o in others if o.kind == offer.kind and _form(o) == _form(offer)]
    return alike[0] if len(alike) == 1 else next((o for o in alike if o.id == offer.id), None)


def _form(offer: Offer) -> str:
    return re.sub(r"\b\d+\b", "", offer.id.partition("/line ")[0])
