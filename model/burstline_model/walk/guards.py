"""How often the conditions around an access hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from burstline_model.facts import Guard, KernelFacts
from burstline_model.polynomial import Polynomial
from burstline_model.walk.order import Dimension
from burstline_model.walk.sampler import Sampler

FEW = 64
"""Places that are counted one by one."""
EDGE = 8
"""Places at either end of more than that, which borders pick out."""
WINDOWS = 8
WIDTH, WIDTH_ROUND = 9, 65
"""Windows in between, and the places in each: more where a remainder makes the condition come round."""
OUTER = 12
"""Places along a dimension that a condition shares with others."""
SCATTERED_BELOW = 2.0
"""A condition that holds for fewer neighbours at a time picks single places."""


@dataclass(frozen=True)
class Chosen:
    """The share of places along some dimensions at which conditions hold; `run` neighbours at a time."""

    dimensions: tuple[Dimension, ...]
    share: float
    run: float


@dataclass(frozen=True)
class Share:
    """How often an access runs: `parts` multiply. `low`: the least, where data or values nobody gave decide.

    `data` is the condition that data decide, if there is one.
    """

    parts: tuple[Chosen, ...] = ()
    point: float = 1.0
    low: float = 1.0
    data: str = ""


def share_of(sampler: Sampler, guards: Sequence[Guard], every: Sequence[Dimension]) -> Share:
    """The share of an iteration space in which conditions hold.

    Conditions on ids, counters and given arguments are counted. One that arguments decide which are not given is taken
    to hold: as a rule it keeps work-items from what lies behind the end. One that data decide holds at most always;
    it counts in full, or half where accesses stand under its opposite as well.
    """
    point, low, data = 1.0, 1.0, ""
    groups: list[tuple[set[int], list[Polynomial]]] = []
    for guard in guards:
        for condition in _parts(sampler.facts, guard):
            if condition is None or not sampler.known(condition):
                low = 0.0
                if condition is None or guard.loaded:
                    data = guard.text
                continue
            names = sampler.moving(condition)
            on = {n for n, d in enumerate(every) if not names.isdisjoint(d.names)}
            near = [g for g in groups if g[0] & on]
            groups = [g for g in groups if g not in near]
            groups.append((on.union(*(g[0] for g in near)), [condition, *(c for g in near for c in g[1])]))
        if guard.loaded and _has_opposite(sampler.facts, guard):
            point /= 2
    parts = [_chosen(sampler, [every[n] for n in sorted(on)], conditions) for on, conditions in groups]
    for part in parts:
        point, low = point * part.share, low * part.share
    return Share(tuple(parts), point, low, data)


def _parts(facts: KernelFacts, guard: Guard) -> list[Polynomial | None]:
    """The conditions that must hold all together."""
    if guard.condition is None:
        return [None]
    found: list[Polynomial | None] = []
    waiting = [guard.condition]
    while waiting:
        condition = waiting.pop()
        name = next(iter(condition.symbols), "") if len(condition.terms) == 1 else ""
        symbol = facts.symbols.get(name)
        if symbol is not None and symbol.operation == "and" and condition == Polynomial.symbol(name):
            waiting += symbol.operands
        else:
            found.append(condition)
    return found


def _has_opposite(facts: KernelFacts, guard: Guard) -> bool:
    """Whether accesses stand under the opposite of a condition."""
    opposite = guard.text[2:-1] if guard.text.startswith("!(") else f"!({guard.text})"
    return any(g.span == guard.span and g.text == opposite for a in facts.accesses for g in a.guards)


def _chosen(sampler: Sampler, own: Sequence[Dimension], conditions: Sequence[Polynomial]) -> Chosen:
    """The share of places along the dimensions `own` at which all conditions hold."""
    round_ = any(
        s.operation in {"remainder", "and", "quotient"}
        for c in conditions
        for n in sampler.moving(c) | c.symbols
        if (s := sampler.facts.symbols.get(n)) is not None
    )
    axes = _axes(own)

    def holds(at: Sequence[int]) -> bool:
        point = sampler.at([])
        for axis, place in zip(axes, at, strict=True):
            for dimension, where in axis.places(place):
                for name, by in dimension.moves:
                    point[name] = point.get(name, 0) + where * by // dimension.lanes
        return all(sampler.value(c, point) for c in conditions)

    if not axes:
        return Chosen((), float(holds(())), 1.0)
    share, run = _mean(holds, [axis.size for axis in axes], WIDTH_ROUND if round_ else WIDTH)
    return Chosen(tuple(own), share, run)


@dataclass(frozen=True)
class _Axis:
    """Dimensions that one number counts through: a loop, or work-items with those of the other groups."""

    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> int:
        total = 1.0
        for one in self.dimensions:
            total *= one.size * one.lanes
        return max(int(total), 1)

    def places(self, place: int) -> list[tuple[Dimension, int]]:
        found = []
        for one in self.dimensions:
            size = max(int(one.size * one.lanes), 1)
            found.append((one, place % size))
            place //= size
        return found


def _axes(own: Sequence[Dimension]) -> list[_Axis]:
    items: dict[int, list[Dimension]] = {}
    axes = [_Axis((d,)) for d in own if d.kind == "loop"]
    for d in own:
        if d.kind != "loop":
            items.setdefault(d.number, []).append(d)
    return [*axes, *(_Axis(tuple(ds)) for ds in items.values())]


def _mean(holds: Callable[[Sequence[int]], bool], sizes: Sequence[int], width: int) -> tuple[float, float]:
    """The share of places at which a condition holds, over all axes, and how many neighbours along the first do."""
    if len(sizes) == 1:
        return _along(lambda place: holds([place]), sizes[0], width)
    last = sizes[-1]
    few = range(last) if last <= FEW else [int((k + 0.5) * last / OUTER) for k in range(OUTER)]
    found = [_mean(lambda at, p=place: holds([*at, p]), sizes[:-1], width) for place in few]  # type: ignore[misc]
    total = sum(share for share, _ in found)
    run = sum(share * run for share, run in found) / total if total else 1.0
    return total / len(found), run


def _along(holds: Callable[[int], bool], size: int, width: int) -> tuple[float, float]:
    """The same along one axis: both ends exactly, windows in between, and the place where it changes between these."""
    if size <= FEW:
        values = [holds(place) for place in range(size)]
        return sum(values) / size, _run(values)
    count = sum(holds(p) for p in range(EDGE)) + sum(holds(p) for p in range(size - EDGE, size))
    room = size - 2 * EDGE
    width = min(width, max(room // WINDOWS, 1))
    starts = [EDGE + int(k * (room - width) / (WINDOWS - 1)) for k in range(WINDOWS)]
    windows = [[holds(start + k) for k in range(width)] for start in starts]
    inside = 0.0
    for here, there, start, end in zip(windows, windows[1:], starts, starts[1:], strict=False):
        if len(set(here)) == 1 and len(set(there)) == 1:
            inside += _until(holds, start, end, here[0]) if here[0] != there[0] else (end - start) * here[0]
        else:
            inside += (end - start) * (sum(here) + sum(there)) / (2 * width)
    inside += sum(windows[-1])
    total = count + inside
    mixed = [w for w in windows if len(set(w)) > 1]
    run = sum(map(_run, mixed)) / len(mixed) if mixed and not any(all(w) for w in windows) else total
    return min(total / size, 1.0), max(run, 1.0)


def _until(holds: Callable[[int], bool], low: int, high: int, value: bool) -> float:
    """Places in between at which a condition holds that changes once."""
    first, last = low, high
    while last - first > 1:
        middle = (first + last) // 2
        if holds(middle) == value:
            first = middle
        else:
            last = middle
    return float(last - low if value else high - last)


def _run(values: Sequence[bool]) -> float:
    """How many neighbours hold at a time."""
    rises = sum(1 for a, b in zip([False, *values], values, strict=False) if b and not a)
    return sum(values) / rises if rises else 1.0
