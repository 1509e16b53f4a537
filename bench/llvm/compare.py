"""Ours against LLVM's, place by place: one verdict an access place, an access, a loop."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from bench.llvm.sides import Counted, Place, Touched, named


@dataclass(frozen=True)
class Verdict:
    """`what` is "accesses", "steps" or "trips"; `kind` "equal" or the class of the difference."""

    what: str
    kind: str
    place: str
    ours: str = ""
    theirs: str = ""


NOWHERE = 0
"""The line of what LLVM made from several lines."""


def compare_accesses(
    ours: Sequence[Touched],
    theirs: Sequence[Touched],
    loops: Collection[str],
    served: Collection[tuple[Place, str, str]],
) -> Iterator[Verdict]:
    """How many accesses are left on each line, and how they move. `loops` are those that LLVM knows the place of.

    `served` are the places of our accesses that have no unit, since another one serves them.
    """
    theirs = _placed(ours, theirs)
    places: dict[tuple[Place, str, str], tuple[list[Touched], list[Touched]]] = defaultdict(lambda: ([], []))
    for side, found in enumerate((ours, theirs)):
        for one in found:
            places[one.place, one.op, one.pointer][side].append(one)
    totals = [Counter((t.op, t.pointer) for t in found) for found in (ours, theirs)]
    for (place, op, pointer), (own, others) in sorted(places.items(), key=str):
        where = f"{named(place)} {op} {pointer}"
        same = totals[0][op, pointer] == totals[1][op, pointer]
        kind = _kind(own, others, same=same)
        if len(own) < len(others) and (place, op, pointer) in served:
            kind = "served in ours"
        yield Verdict("accesses", kind, where, _listed(own), _listed(others))
        if kind == "equal":
            yield from _steps(where, own, others, loops)


def _placed(ours: Sequence[Touched], theirs: Sequence[Touched]) -> list[Touched]:
    """LLVM's accesses; one that it made from several goes to places where we have one more of its kind.

    What it made of arms that go through several pointers is one for each arm that we have. One through a pointer that
    comes from memory is one that we have at its place.
    """
    lacking = Counter((t.place, t.op, t.pointer) for t in ours)
    lacking.subtract((t.place, t.op, t.pointer) for t in theirs)
    found = []
    for one in sorted(theirs, key=lambda t: (bool(t.arms), not t.pointer)):
        taken = []
        if one.arms or not one.pointer or one.place[1] == NOWHERE:
            free = [key for key, n in lacking.items() if n > 0 and key[1] == one.op]
            here = [key for key in free if key[0] == one.place]
            for pointer in one.arms or (one.pointer,):
                among = here if here or not pointer else free
                key = next((key for key in among if pointer in ("", key[2]) and lacking[key] > 0), None)
                if key is not None:
                    lacking[key] -= 1
                    taken.append(replace(one, place=key[0], pointer=key[2]))
        found += taken or [one]
    return found


def _kind(own: Sequence[Touched], others: Sequence[Touched], *, same: bool) -> str:
    if len(own) == len(others):
        return "equal"
    if sum(t.size_bytes for t in own) == sum(t.size_bytes for t in others):
        return "as many bytes in other pieces"
    if same:
        return "on another line"
    if not others:
        return "gone in LLVM"
    if not own:
        return "gone in ours"
    return "fewer in LLVM" if len(others) < len(own) else "fewer in ours"


def _listed(found: Sequence[Touched]) -> str:
    return "; ".join(f"{t.size_bytes} B at {t.kept[:80]}" for t in found[:4]) + (" …" if len(found) > 4 else "")


def _steps(where: str, own: Sequence[Touched], others: Sequence[Touched], loops: Collection[str]) -> Iterator[Verdict]:
    """The steps of a place's accesses, paired so that as many as can agree do."""
    left = list(own)
    for other in (t for t in others if not t.arms):
        best = min(left, key=lambda one: sum(kind != "equal" for _, kind in _pairs(one, other, loops)))
        left.remove(best)
        for key, kind in _pairs(best, other, loops):
            yield Verdict("steps", kind, f"{where} by {key}", best.kept[:100], other.kept[:100])


def _pairs(own: Touched, other: Touched, loops: Collection[str]) -> list[tuple[str, str]]:
    first, second = dict(own.steps), dict(other.steps)
    # An access that has left a loop does not move in it; of a loop that is gone, or that has lost its place, LLVM says
    # nothing.
    keys = [key for key in sorted({*first, *second}) if key.startswith("get_") or key in loops]
    made = {key: step for key, step in first.items() if key not in own.fixed or second.get(key, 0) == step}
    return [(key, _step_kind(made.get(key, 0), second.get(key, 0))) for key in keys]


def _step_kind(own: int | None, other: int | None) -> str:
    if own == other:
        return "equal" if own is not None else "neither knows"
    if own is None:
        return "no number in ours"
    return "no number in LLVM" if other is None else "differs"


def compare_loops(ours: Sequence[Counted], theirs: Sequence[Counted]) -> Iterator[Verdict]:
    """How often loops run, those that begin on one line in the order of their counts."""
    places: dict[Place, tuple[list[Counted], list[Counted]]] = defaultdict(lambda: ([], []))
    for side, found in enumerate((ours, theirs)):
        for one in found:
            places[one.place][side].append(one)
    for place, (own, others) in sorted(places.items(), key=str):
        left = list(own)
        for other in others:
            best = min(left, key=lambda one: _trip_kind(one, other) != "equal", default=None)
            if best is not None:
                left.remove(best)
            kind = _trip_kind(best, other) if best is not None else "no loop in ours"
            yield Verdict("trips", kind, named(place), best.said if best else "", other.said)
        yield from (Verdict("trips", "no loop in LLVM", named(place), one.said) for one in left)


def _trip_kind(own: Counted, other: Counted) -> str:
    if other.said == "None":
        return "neither knows" if own.said == "None" else "no trips in LLVM"
    if own.said == "None":
        return "no trips in ours"
    # LLVM counts from the inside: its number holds where the loop is entered at all.
    entered = [(a, b) for a, b in zip(own.trips, other.trips, strict=True) if a is not None and b is not None and a > 0]
    if not entered:
        return "equal" if own.said == other.said or own.trips == other.trips else "cannot be evaluated"
    if all(a == b for a, b in entered):
        return "equal"
    return "ends early" if own.exits else "differs"
