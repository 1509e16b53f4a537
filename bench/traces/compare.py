"""Traces against what is said: one verdict for each access, by line, pointer and operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.traces.oracle import Trace
from bench.traces.said import Said

EXACT = 0.005
"""Shares of executions are sums of fractions; what differs by less is equal."""
_OPS = {"l": "load", "s": "store", "a": "atomic"}


@dataclass(frozen=True)
class Verdict:
    """One access. `seen` and `said` are bytes of the launch (None: not known, or not there).

    `result`: "equal"; "line" (bytes of the pointer are equal, on other lines); "exchanged" (bytes of the line are
    equal, of several buffers whose pointers a loop exchanges); "data" (what memory holds decides);
    "range" (a range is said, and holds it); "not known"; "differs"; "not seen" or "not said" where one side alone has
    it. `walk`: "equal", "differs", "data", or empty where it was not executed often enough.
    """

    line: int
    op: str
    pointer: str
    seen: float | None
    said: float | None
    result: str
    walk: str = ""
    moved: str = ""


@dataclass
class _Place:
    seen: list[Trace] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)


def compare(traces: Sequence[Trace], said: Sequence[Said], pointers: Sequence[str]) -> list[Verdict]:
    """The verdicts of one run. `pointers` are the buffers' names, "" for one that is not global memory."""
    places: dict[tuple[str, str, int], _Place] = {}
    for trace in traces:
        if trace.buffer and pointers[trace.buffer - 1]:
            line = trace.at[0][1] if trace.at else 0
            key = (pointers[trace.buffer - 1], _OPS[trace.op], line)
            places.setdefault(key, _Place()).seen.append(trace)
    for one in said:
        if one.pointer in pointers:
            places.setdefault((one.pointer, one.op, one.line), _Place()).said.append(one)
    exchanged = {(op, line) for (_, op, line), place in places.items() if any(s.exchanged for s in place.said)}
    equal_lines = {at for at in exchanged if _same_bytes([x for k, x in places.items() if k[1:] == at])}
    same_total = {
        (p, op): _close(
            sum(_seen_bytes(x.seen) for k, x in places.items() if k[:2] == (p, op)),
            _said_bytes([s for k, x in places.items() if k[:2] == (p, op) for s in x.said]),
        )
        for p, op, _ in places
    }
    by_data = {key[:2] for key, place in places.items() if any(s.data for s in place.said)}
    return [
        _verdict(key, place, same_total[key[:2]], key[:2] in by_data, key[1:] in equal_lines)
        for key, place in places.items()
    ]


def _same_bytes(places: Sequence[_Place]) -> bool:
    seen = sum(_seen_bytes(place.seen) for place in places)
    return _close(seen, _said_bytes([s for place in places for s in place.said]))


def _verdict(
    key: tuple[str, str, int], place: _Place, same_total: bool, by_data: bool, same_line: bool
) -> Verdict:  # fmt: skip
    pointer, op, line = key
    seen, said = _seen_bytes(place.seen), _said_bytes(place.said)
    if _close(seen, said):
        result = "equal"
    elif same_total:
        result = "line"
    elif same_line:
        result = "exchanged"
    elif by_data:
        result = "data"
    elif said is None:
        result = "not known"
    elif any(s.range for s in place.said) and seen <= said:
        result = "range"
    elif not place.said:
        result = "not said"
    else:
        result = "differs" if place.seen else "not seen"
    walk, moved = _walk(place) if result == "equal" else ("", "")
    return Verdict(line, op, pointer, seen if place.seen else None, said if place.said else None, result, walk, moved)


def _seen_bytes(traces: Iterable[Trace]) -> float:
    return float(sum(t.bytes for t in traces))


def _said_bytes(said: Iterable[Said]) -> float | None:
    total = 0.0
    for one in said:
        if one.executions is None:
            return None
        total += one.executions * one.element_bytes
    return total


def _close(a: float, b: float | None) -> bool:
    return b is not None and abs(a - b) <= EXACT * max(a, b)


def _walk(place: _Place) -> tuple[str, str]:
    """Whether the steps seen are those said, at a place with one access on either side."""
    if len(place.seen) != 1 or len(place.said) != 1:
        return "", ""
    trace, said = place.seen[0], place.said[0]
    steps = {by for by, _ in (*trace.inner, *trace.between)}
    total = sum(n for _, n in trace.inner) + sum(n for _, n in trace.between)
    moved = f"seen {list(trace.inner[:3])} {list(trace.between[:3])}, said {said.kind} {said.step_bytes:g}"
    if total == 0:
        return "", moved
    otherwise = "data" if said.placed_by_data else "differs"
    if said.kind == "anywhere":
        return ("data" if said.data or len(steps) > 1 else otherwise), moved
    if said.kind == "same" and not (trace.even or trace.items == 1) and steps != {0}:
        return "", moved  # work-items begin in different iterations, which the simulator runs one by one
    if said.kind == "same":
        return ("equal" if steps == {0} else "differs"), moved
    if said.kind == "advances" and len({by for by, _ in trace.between or trace.inner} - {0}) <= 1:
        return "equal", moved
    if said.step_bytes in steps:
        return "equal", moved
    return (otherwise if trace.even or trace.items == 1 else ""), moved
