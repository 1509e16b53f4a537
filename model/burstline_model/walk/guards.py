"""How often the conditions around an access hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd, lcm, prod

from burstline_model.facts import Guard, KernelFacts, Span, Symbol
from burstline_model.parallelism.made_of import COMPARES, joins_truths, made_of
from burstline_model.parallelism.periods import period_of
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_model.walk.issue_order import Dimension
from burstline_model.walk.kept_shares import kept_share
from burstline_model.walk.look import FEW, MOST_PERIOD, MOST_ROWS, Look, TooManyPlacesError
from burstline_model.walk.place_values import Axis, Values
from burstline_model.walk.sampler import Sampler

NARROW = 1 / 16
"""Conditions that hold for fewer are not seen in some tens of work-items."""


@fixed
class Chosen:
    """The share of places along some dimensions at which conditions hold.

    `first`: those of the dimensions that one number counts through, the fastest. They hold for `run` neighbours at a
    time along it, and for the share `along` of a row in which they hold at all. `shift`: how many places further they
    hold in the next row (a diagonal: 1).
    """

    dimensions: tuple[Dimension, ...]
    share: float
    run: float
    first: tuple[Dimension, ...] = ()
    along: float = 1.0
    shift: int = 0


@fixed
class Share:
    """How often an access runs: `parts` multiply. `low`: the least, where data or values nobody gave decide.

    `given`: the part of `point` that the launch gives. `data` is the condition that data decide, if there is one.
    """

    parts: tuple[Chosen, ...] = ()
    point: float = 1.0
    low: float = 1.0
    given: float = 1.0
    data: str = ""


Alternatives = tuple[tuple[Polynomial, ...], ...]
"""A condition that holds where all of one of these hold."""


def share_of(
    sampler: Sampler, guards: Sequence[Guard], every: Sequence[Dimension], arms: Sequence[Sequence[Guard]] = ()
) -> Share:  # fmt: skip
    """The share of an iteration space in which conditions hold.

    Conditions on ids, counters and given arguments are counted. One that arguments decide which are not given is taken
    to hold: as a rule it keeps work-items from what lies behind the end, and at assumed sizes nothing does; so is one
    that asks whether a counter that starts over is within bounds. One that data decide holds at most always; it counts
    in full, half where accesses are under its opposite as well, and in a ``switch`` each case as often as any other,
    unless the launch gives its share.
    `arms`: conditions of which all in one hold too, for a unit that several accesses share; they are counted where
    integers decide all of them.
    """
    point, low, taken, data = 1.0, 1.0, 1.0, ""
    groups: list[tuple[set[int], list[Alternatives]]] = []
    unlikely = float(sampler.extent.launch.assumed_trips is not None)  # how often arguments that nobody gave let it run

    def add(condition: Alternatives) -> None:
        names = frozenset[str]().union(*(sampler.moving(one) for several in condition for one in several))
        on = {n for n, d in enumerate(every) if not names.isdisjoint(d.names)}
        near = [g for g in groups if g[0] & on]
        groups[:] = [g for g in groups if g not in near]
        groups.append((on.union(*(g[0] for g in near)), [condition, *(c for g in near for c in g[1])]))

    for guard in guards:
        given = sampler.extent.launch.taken.get(guard.text)
        if given is not None:
            taken *= given
            continue
        undecided = False
        for condition in _parts(sampler.facts, guard):
            if condition is None or not sampler.is_counted(condition) or _starts_over(sampler, condition):
                undecided = True
                if condition is None or guard.loaded or _handed_on(sampler, condition):
                    low, data = 0.0, guard.text
                low = min(low, unlikely)
                continue
            if not sampler.known(condition):
                low = 0.0  # it is counted in groups of the usual size
            add(((condition,),))
        if guard.loaded and undecided and guard.cases is not None:
            point *= guard.cases[0] / guard.cases[1]
        elif guard.loaded and undecided and has_opposite(sampler.facts, guard):
            point /= 2
    if (either := _either(sampler, arms)) is not None:
        add(either[0])
        low = low if either[1] or _cover_everything(arms) else 0.0
    elif arms and not _cover_everything(arms):
        low = 0.0
    parts = [_chosen(sampler, [every[n] for n in sorted(on)], conditions) for on, conditions in groups]
    parts = _within_nest(sampler, parts, [conditions for _, conditions in groups], every)
    for part in parts:
        point, low = point * part.share, low * part.share
    taken *= _leaving(guards, every, parts, point * taken)
    return Share(tuple(parts), point * taken, low * taken, taken, data)


def counted(sampler: Sampler, guards: Sequence[Guard]) -> list[Polynomial] | None:
    """The conditions of some guards that ids, counters and what the launch gives decide, as `share_of` counts them.

    None where one is counted by the usual size of a work-group, so that no single work-item is known to fulfil it.
    """
    found = []
    for guard in guards:
        if guard.text in sampler.extent.launch.taken:
            continue
        for condition in _parts(sampler.facts, guard):
            if condition is None or not sampler.is_counted(condition) or _starts_over(sampler, condition):
                continue
            if not sampler.known(condition):
                return None
            found.append(condition)
    return found


def _leaving(guards: Sequence[Guard], every: Sequence[Dimension], parts: Sequence[Chosen], share: float) -> float:
    """What is left of a share of all iterations, as what is done on the way out of loops is done once."""
    most = share
    for left in {g.leaves for g in guards if g.leaves}:
        inside = [d for d in every if d.kind == "loop" and d.number in left]
        elsewhere = [part.share for part in parts if not any(d in inside for d in part.dimensions)]
        most = min(most, prod(elsewhere) / prod(max(d.size * d.lanes, 1.0) for d in inside))
    return most / share if share else 1.0


def _either(sampler: Sampler, arms: Sequence[Sequence[Guard]]) -> tuple[Alternatives, bool] | None:
    """The condition of a unit that accesses in several arms share, and whether nothing else decides when it runs.

    Of an arm that data decide as well, only what integers decide of it is counted. That is all of it where another arm
    is taken whenever that holds (``if (i < n && x[i] > 0) y[i] = x[i];``). None where an arm has no such condition.
    """
    counted = list[tuple[Polynomial, ...]]()
    open_ones, whole = list[frozenset[Polynomial]](), list[frozenset[Polynomial]]()
    for arm in arms:
        parts = [part for guard in arm for part in _parts(sampler.facts, guard)]
        known = [part for part in parts if part is not None and sampler.known(part) and not _starts_over(sampler, part)]
        if not known:
            return None
        counted.append(tuple(known))
        (whole if len(known) == len(parts) else open_ones).append(frozenset(known))
    decided = all(any(one <= other for one in whole) for other in open_ones)
    return (tuple(dict.fromkeys(counted)), decided) if counted else None


def _cover_everything(arms: Sequence[Sequence[Guard]]) -> bool:
    """Whether one of several arms is taken, whatever the conditions are: both of each condition are there."""
    left = {tuple((g.text, g.span) for g in arm) for arm in arms}
    while pair := next(((a, b) for a in left for b in left if a and (*a[:-1], _other(a[-1])) == b), None):
        left = left - {*pair} | {pair[0][:-1]}
    return () in left


def _other(condition: tuple[str, Span]) -> tuple[str, Span]:
    return opposite_of(condition[0]), condition[1]


def _within_nest(
    sampler: Sampler, parts: Sequence[Chosen], conditions: Sequence[Sequence[Alternatives]], every: Sequence[Dimension]
) -> list[Chosen]:  # fmt: skip
    """The same with the share over a nest whose bounds follow from counters or ids: a triangle is not half of a square.

    The conditions that are on what decides how long its loops are, are looked at together.
    """
    found, extent = list(parts), sampler.extent
    inner = max((d.number for d in every if d.kind == "loop"), default=None)
    if inner is None:
        return found
    made = {n: _made_from(own) for n, own in enumerate(conditions) if all(len(one) == 1 for one in own)}
    together = [n for n, own in made.items() if extent.is_slanted(inner, own)]
    if not together:
        return found
    own = [c for n in together for c in made[n]]
    narrow = prod(found[n].share for n in together) < NARROW
    share = extent.share_within(inner, own, _of_items(sampler, own, every), narrow=narrow)
    if share is not None:
        # All of it is in the last one, so that the product over the parts is the share.
        *others, last = sorted(together, key=lambda n: any(d.kind == "loop" for d in found[n].dimensions))
        rest = prod(found[n].share for n in others)
        found[last] = replace(found[last], share=min(share / rest, 1.0) if rest else 0.0)
    return found


def _of_items(sampler: Sampler, conditions: Sequence[Polynomial], every: Sequence[Dimension]) -> float:
    """The share of all work-items that fulfils those of some conditions that are on ids alone."""
    ids = {
        c: frozenset(n for n, d in enumerate(every) if not sampler.moving(c).isdisjoint(d.names)) for c in conditions
    }
    alone = [c for c, on in ids.items() if all(every[n].kind != "loop" for n in on)]
    dimensions = [every[n] for n in sorted(frozenset[int]().union(*(ids[c] for c in alone)))]
    return _chosen(sampler, dimensions, [((c,),) for c in alone]).share if alone else 1.0


def _starts_over(sampler: Sampler, condition: Polynomial) -> bool:
    """Whether a condition compares the value of a counter that starts over, which its step does not show."""
    made = made_of(sampler.facts, [condition])
    compares = [sampler.apart(s) for s in made if s.operation in COMPARES]
    symbols = (sampler.facts.symbols.get(name) for one in compares for name in sampler.moving(one))
    return any(s.kind == "carried" and not sampler.counts_turns(s) for s in symbols if s is not None)


def _handed_on(sampler: Sampler, condition: Polynomial) -> bool:
    """Whether a condition is on what iterations hand on, which neither an argument nor a counter decides."""
    symbols = (sampler.facts.symbols.get(name) for name in sampler.moving(condition))
    return any(s.kind == "carried" and not sampler.counts_turns(s) for s in symbols if s is not None)


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
        elif (arms := _neither(facts, condition)) is not None:
            waiting += arms
        else:
            found.append(condition)
    return found


def _neither(facts: KernelFacts, condition: Polynomial) -> list[Polynomial] | None:
    """The opposites of both sides of a condition that neither of them may hold; None for another."""
    opposite = Polynomial.number(1) - condition
    symbol = facts.symbols.get(next(iter(opposite.symbols), ""))
    if symbol is None or symbol.operation != "or" or opposite != Polynomial.symbol(symbol.name):
        return None
    return [Polynomial.number(1) - o for o in symbol.operands] if joins_truths(facts, symbol) else None


def has_opposite(facts: KernelFacts, guard: Guard) -> bool:
    """Whether accesses are under the opposite of a condition."""
    return facts.is_guarded(opposite_of(guard.text), guard.span)


def opposite_of(condition: str) -> str:
    """The text of the opposite of a condition."""
    return condition[2:-1] if condition.startswith("!(") else f"!({condition})"


def _made_from(conditions: Sequence[Alternatives]) -> list[Polynomial]:
    return [one for condition in conditions for several in condition for one in several]


def _chosen(sampler: Sampler, own: Sequence[Dimension], conditions: Sequence[Alternatives]) -> Chosen:
    """The share of places along the dimensions `own` at which all conditions hold."""
    # It is the same, however many places are issued at once.
    places = tuple((d.kind, d.number, d.size * d.lanes, *((n, by / d.lanes) for n, by in d.moves)) for d in own)
    key = places, tuple(conditions)
    axes, known = _axes(own), sampler.extent.shares
    if key not in known:
        known[key] = kept_share(sampler, places, conditions, lambda: _counted(sampler, own, axes, conditions))
    # Two dimensions may be equal: the answer has those that were asked about.
    share, run, along, shift = known[key]
    first = axes[0].dimensions if axes else ()
    return Chosen(tuple(own), share, run, first, along, shift)


def _counted(
    sampler: Sampler, own: Sequence[Dimension], axes: Sequence[Axis], conditions: Sequence[Alternatives]
) -> tuple[float, float, float, int]:  # fmt: skip
    """The share, the run, the share along the first axis and the shift of `Chosen`, place by place."""
    values = Values(sampler, axes)

    def made(each: Alternatives) -> Callable[[Sequence[int]], bool]:
        arms = [[values.of(c) for c in several] for several in each]
        if len(arms) == 1 and len(arms[0]) == 1:
            (only,) = arms[0]
            return lambda at: only(at) != 0
        return lambda at: any(all(value(at) for value in several) for several in arms)

    together = [(made(each), frozenset[int]().union(*map(values.axes_of, _made_from([each])))) for each in conditions]
    if not axes:
        return float(all(condition(()) for condition, _ in together)), 1.0, 1.0, 0
    # Conditions that are joined come round where one of them does.
    symbols = [s for s in made_of(sampler.facts, _made_from(conditions)) if not joins_truths(sampler.facts, s)]
    compared = [d for s in symbols if s.operation in COMPARES and not _repeats(sampler, d := sampler.apart(s))]
    apart = [(values.of(d), values.axes_of(d)) for d in compared]

    turning = any(sampler.turn(s) for s in symbols)
    own_period = _period(sampler, own, symbols)
    period = 1 if _only_compares(symbols) and not turning else own_period * -(-FEW // 8 // own_period)
    periods = [_period_along(sampler, axis, symbols) for axis in axes]
    group = 0 if turning else _group_along(sampler, axes[0], symbols)
    sizes = [axis.size for axis in axes]
    by = [s.operands[1] for s in symbols if s.operation == "remainder"]
    divisors = [values.of(d) for d in by if (moved := values.axes_of(d)) and 0 not in moved]
    look = Look(together, apart, period, periods, group=group, divisors=divisors)
    try:
        share, run, along = look.mean(sizes, ())
    except TooManyPlacesError:
        most = max(int(MOST_ROWS ** (1 / (len(sizes) - 1))), 2)
        look = Look(together, apart, period, periods, most, group, divisors)
        share, run, along = look.mean(sizes, ())
    return share, run, along, look.shift(sizes)


def _repeats(sampler: Sampler, distance: Polynomial) -> bool:
    """Whether what is compared comes round by itself, so that one change of sign says nothing of others."""
    made = made_of(sampler.facts, [distance])
    truths = {s.name for s in made if s.operation in {*COMPARES, *_JOINS}}
    masks = [
        s for s in made if s.operation in _JOINS and not all(o.symbols and o.symbols <= truths for o in s.operands)
    ]
    return bool(masks) or any(s.operation == "remainder" or sampler.turn(s) for s in made)


def _only_compares(symbols: Sequence[Symbol]) -> bool:
    """Whether nothing changes a condition between the places where its comparisons change."""
    names = {s.name for s in symbols if s.operation in COMPARES}
    for symbol in symbols:
        joins = symbol.operation in _JOINS and all(len(o.symbols) == 1 and o.symbols <= names for o in symbol.operands)
        if symbol.kind == "local_id" or not (symbol.operation is None or symbol.operation in COMPARES or joins):
            return False
    return True


def _group_along(sampler: Sampler, axis: Axis, symbols: Sequence[Symbol]) -> int:
    """The places of a work-group along an axis where comparisons alone change conditions within it; 0 if not."""
    inside = int(prod(d.size * d.lanes for d in axis.dimensions if d.kind == "local"))
    names = frozenset[str]().union(*(d.names for d in axis.dimensions))
    moved = [s for s in symbols if s.kind != "local_id" and names & sampler.moving(Polynomial.symbol(s.name))]
    return inside if inside >= FEW and _only_compares(moved) else 0


_JOINS = {"and", "or", "xor"}


def _period(sampler: Sampler, own: Sequence[Dimension], symbols: Sequence[Symbol]) -> int:
    """After how many places conditions repeat, by their remainders and the items of a group."""
    period = 1
    for symbol in symbols:
        if symbol.operation == "remainder":
            period = lcm(period, max(abs(sampler.value(symbol.operands[1], {})), 1))
        elif turn := sampler.turn(symbol):
            period = lcm(period, turn)
        elif symbol.turns is not None and symbol.turns.period is None and symbol.kind == "carried":
            period = max(period, MOST_PERIOD + 1)  # what it moves does not come round
        elif symbol.operation in {"and", "or", "xor", "quotient"}:
            period = lcm(period, FEW) if period <= MOST_PERIOD else period
        elif symbol.kind == "local_id":
            inside = [d.size * d.lanes for d in own if d.kind == "local" and d.number == symbol.dimension]
            period = lcm(period, max(int(prod(inside)), 1))
    return period


def _period_along(sampler: Sampler, axis: Axis, symbols: Sequence[Symbol]) -> int:
    """After how many places along one axis remainders and masks repeat: every second of a row of even length never."""
    names = frozenset[str]().union(*(d.names for d in axis.dimensions))

    def fixed(number: Polynomial) -> int | None:
        return sampler.value(number, {}) if sampler.known(number) and not sampler.moving(number) & names else None

    period = 1
    for symbol in symbols:
        moved = [o for o in symbol.operands if not sampler.moving(o).isdisjoint(names)]
        if not moved:
            continue
        own = period_of([symbol], fixed, FEW)
        shares = [share for n in names if (share := moved[0].coefficient(n)) is None or share != Polynomial()]
        if len(shares) == 1 and shares[0] is not None and (step := fixed(shares[0])) is not None:
            affine = all(n in names or sampler.moving(Polynomial.symbol(n)).isdisjoint(names) for n in moved[0].symbols)
            own = own // gcd(own, step) if affine else own
        period = lcm(period, own)
    return period


def _axes(own: Sequence[Dimension]) -> list[Axis]:
    """What the dimensions count through, in the order of the fastest of each."""
    found: dict[tuple[bool, int], list[Dimension]] = {}
    for d in own:
        found.setdefault((d.kind == "loop", d.number), []).append(d)
    return [Axis(tuple(ds)) for ds in found.values()]
