"""Where the parallel copies of one access lie: SIMD lanes times the copies of unrolled loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import reduce
from itertools import product
from math import gcd, prod

from burstline_model.facts import Access, KernelFacts, Symbol
from burstline_model.parallelism.loop_copies import MAX_COPIES
from burstline_model.parallelism.made_of import differs_with
from burstline_model.parallelism.running_copies import closure, copies_that_run, is_whole, value_of, whole_number
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial, TooComplexError
from burstline_model.record import fixed

LANE_KINDS = {"global_id", "local_id"}
CONDITIONAL = {"less", "equal", "select"}
"""Operations that compare, or choose by a comparison."""


@fixed
class Lanes:
    """The byte offsets of an access's copies against its first one; None when they are not fixed.

    `base` is the address of the first copy, its counters rewritten to step over whole groups, so that its
    coefficients show what the group's address is a multiple of. `count` is how many copies there are,
    `scattered` whether where they lie depends on values that nobody knows before run time. `rows`: by what the copies
    of further loops lie apart, with their number; the text does not fix how far, so that each row has its own units.
    """

    count: int
    offsets: tuple[int, ...] | None
    base: Polynomial | None
    scattered: bool = False
    rows: tuple[tuple[Polynomial, int], ...] = ()

    @property
    def row_count(self) -> int:
        """How often the offsets come, in places that lie apart."""
        return prod(n for _, n in self.rows)


def lanes_of(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> Lanes:
    """The lanes of an access; identical addresses count once, but for atomics, each of which is made."""
    factors = lane_factors(facts, access, copies)
    known: dict[object, Lanes] = facts.kept.setdefault(Lanes, {})
    conditions = tuple(g.condition for g in access.guards) if factors else ()
    key = access.offset, access.op == "atomic", access.divided, conditions, tuple(factors.items())
    if key not in known:
        known[key] = _lanes(facts, access, factors)
    return known[key]


def _lanes(facts: KernelFacts, access: Access, factors: Mapping[str, int]) -> Lanes:
    offset = access.offset
    if offset is None:
        return Lanes(_total(factors), None, None, scattered=True)
    used = offset.symbols
    relevant = {name: n for name, n in factors.items() if _depends(facts, used, name)}
    count = min(_total(relevant), MAX_COPIES)
    made = len(copies_that_run(facts, access, factors, _grid(factors, MAX_COPIES))) if access.op == "atomic" else count
    if not relevant:
        return Lanes(made, (0,), offset)
    if access.op != "atomic" and (by_rows := _by_carried_rows(facts, access, factors, relevant)) is not None:
        return by_rows
    grid = copies_that_run(facts, access, relevant, _grid(relevant, count))
    if len(grid) < count:
        count = len(grid)
        made = count if access.op != "atomic" else made
    moved = regrouped(facts, offset, relevant)
    own = {s for name in relevant for s in _names(facts, name)}
    hidden = any(differs_with(facts, s, own) for s in used - own)
    steps = {name: moved.coefficient(_lane(name)) for name in relevant}
    moving = own | set(map(_lane, relevant))
    rows = tuple((step, relevant[name]) for name, step in steps.items() if step is not None and _is_row(step, moving))
    unknown = sum(_constant(step) is None for step in steps.values())
    if hidden or unknown > len(rows) or (rows and len(grid) < _total(relevant)):
        return _written_out(facts, offset, relevant, grid) or _sampled(facts, offset, relevant, grid)
    if access.divided:  # the compiler does not see that they are neighbours
        apart = tuple((step, relevant[name]) for name, step in steps.items() if step is not None)
        return Lanes(made, (0,), moved.without(_gone(facts, relevant)), rows=apart)
    known = [_constant(step) or 0 for step in steps.values()]
    offsets = {sum(s * k for s, k in zip(known, at, strict=True)) for at in grid}
    first = min(offsets)
    base = moved.without(_gone(facts, relevant)) + Polynomial.number(first)
    return Lanes(made, tuple(sorted(o - first for o in offsets)), base, rows=rows)


def _by_carried_rows(
    facts: KernelFacts, access: Access, factors: Mapping[str, int], relevant: Mapping[str, int]
) -> Lanes | None:
    """The copies where some loops only choose among carried values that each copy has of its own; None elsewhere.

    In each of those copies the others lie side by side as ever, wherever that copy is (``x[at[p] + j]``).
    """
    offset = access.offset
    symbols = [facts.symbols[s] for s in offset.symbols if s in facts.symbols] if offset is not None else []
    carried = [s for s in symbols if s.kind == "carried" and s.operation is None]
    choosing = {name: n for name, n in relevant.items() if any(name in s.depends_on for s in carried)}
    inner = {name: n for name, n in factors.items() if name not in choosing}
    own = {s for name in inner for s in _names(facts, name)}
    if not choosing or any(not own.isdisjoint(s.depends_on) for s in carried):
        return None
    if any(s.name in choosing or (s not in carried and not choosing.keys().isdisjoint(s.depends_on)) for s in symbols):
        return None
    count = min(_total(relevant), MAX_COPIES)
    if len(copies_that_run(facts, access, relevant, _grid(relevant, count))) < _total(relevant):
        return None
    lanes = _lanes(facts, access, inner)
    if lanes.offsets is None:
        return None
    rows = (*lanes.rows, *((Polynomial(), n) for n in choosing.values()))
    return replace(lanes, count=count, rows=rows)


MOST_WRITTEN_OUT = 256
"""The most copies that are looked at one by one."""


def _written_out(
    facts: KernelFacts, offset: Polynomial, factors: Mapping[str, int], grid: Sequence[tuple[int, ...]]
) -> Lanes | None:
    """The copies of loops that are unrolled as a whole: their counters, and what is made of these, are numbers.

    None where copies differ by more than that, or rows of them do not lie apart by one amount.
    """
    if len(grid) > MOST_WRITTEN_OUT or not all(is_whole(facts, name, copies) for name, copies in factors.items()):
        return None
    made = [
        name
        for name in offset.symbols - factors.keys()
        if name in facts.symbols and not factors.keys().isdisjoint(facts.symbols[name].depends_on)
    ]
    if not all(closure(facts, Polynomial.symbol(name)) <= factors.keys() for name in made):
        return None
    rows: dict[Polynomial, set[int]] = {}
    for at in grid:
        values = dict(zip(factors, at, strict=True))
        found = {name: value_of(facts, Polynomial.symbol(name), dict(values)) for name in made}
        numbers = {name: Polynomial.number(n) for name, n in (found | values).items() if n is not None}
        try:
            place = offset.substitute(numbers)
        except TooComplexError:
            return None
        if len(numbers) < len(found) + len(values):
            return None
        rows.setdefault(place - Polynomial.number(place.offset), set()).add(place.offset)
    starts = [apart + Polynomial.number(min(own)) for apart, own in rows.items()]
    shapes = {tuple(sorted(o - min(own) for o in own)) for own in rows.values()}
    step = starts[1] - starts[0] if len(starts) > 1 else Polynomial()
    if len(shapes) > 1 or any(start - starts[0] != step.scaled(n) for n, start in enumerate(starts)):
        return None
    return Lanes(len(grid), shapes.pop(), starts[0], rows=((step, len(starts)),) if len(starts) > 1 else ())


def _is_row(step: Polynomial, moving: Collection[str]) -> bool:
    """Whether copies lie apart by an amount that the text does not fix, and that no lane changes."""
    return step.constant is None and step.symbols.isdisjoint(moving)


def _gone(facts: KernelFacts, factors: Mapping[str, int]) -> list[str]:
    """What is no part of the first copy's address: the lanes, and counters of loops that are unrolled as a whole."""
    return [*map(_lane, factors), *(name for name, copies in factors.items() if is_whole(facts, name, copies))]


def regrouped(facts: KernelFacts, offset: Polynomial, factors: Mapping[str, int]) -> Polynomial:
    """Each stepping counter as its factor times the number of the group, plus the lane."""
    try:
        return offset.substitute(
            {
                symbol: Polynomial.symbol(symbol).scaled(factor) + Polynomial.symbol(_lane(name))
                for name, factor in factors.items()
                for symbol in _names(facts, name)
            }
        )
    except TooComplexError:
        return offset


def _lane(name: str) -> str:
    return f"lane of {name}"


def _constant(p: Polynomial | None) -> int | None:
    return p.constant if p is not None else None


def lane_factors(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> dict[str, int]:
    """Copies by the symbol they step: the counters of unrolled loops, ``gid0``/``lid0`` for SIMD ("simd")."""
    factors = {facts.loops[i].counter: copies[i] for i in access.loops if copies.get(i, 1) > 1}
    if facts.simd > 1:
        factors["simd"] = facts.simd
    return factors


def simd_symbols(facts: KernelFacts) -> tuple[str, ...]:
    """The id symbols that step together from one SIMD lane to the next: dimension 0's."""
    return tuple(n for n, s in facts.symbols.items() if s.kind in LANE_KINDS and s.dimension == 0)


def multiple_of(facts: KernelFacts, base: Polynomial, factors: Mapping[str, int]) -> int:
    """The largest number that provably divides every value of `base` (0 for the constant 0).

    `factors` are the lanes that `base` was regrouped by (see `lane_factors`).
    """
    return reduce(gcd, (_term_multiple(facts, m, c, factors) for m, c in base.terms), 0)


def _term_multiple(facts: KernelFacts, monomial: tuple[str, ...], coefficient: int, factors: Mapping[str, int]) -> int:
    size = abs(coefficient)
    for name in monomial:
        symbol = facts.symbols.get(name)
        size *= _symbol_multiple(facts, symbol, factors) if symbol else 1
    return size


def _symbol_multiple(facts: KernelFacts, symbol: Symbol, factors: Mapping[str, int]) -> int:
    group = facts.work_group_size
    if symbol.kind in {"global_size", "local_size"} and group is not None:
        return max(group[symbol.dimension], 1)
    if symbol.operation == "remainder":
        whole = regrouped(facts, symbol.operands[0], factors).without([_lane(n) for n in factors])
        return gcd(multiple_of(facts, whole, factors), symbol.operands[1].constant or 1) or 1
    return symbol.multiple_of


def _total(factors: Mapping[str, int]) -> int:
    total = 1
    for n in factors.values():
        total *= n
    return min(total, MAX_COPIES)


def _names(facts: KernelFacts, name: str) -> tuple[str, ...]:
    return simd_symbols(facts) if name == "simd" else (name,)


def _depends(facts: KernelFacts, used: frozenset[str], name: str) -> bool:
    own = set(_names(facts, name))
    return any(differs_with(facts, s, own) for s in used)


def depends_on(facts: KernelFacts, access: Access, name: str) -> bool:
    """Whether an access lies elsewhere, or somewhere unknown, for other values of a symbol."""
    return access.offset is None or _depends(facts, access.offset.symbols, name)


def _grid(factors: Mapping[str, int], count: int) -> list[tuple[int, ...]]:
    return [at for _, at in zip(range(count), product(*(range(n) for n in factors.values())), strict=False)]


# -- values that are not affine: look at a few points --------------------------------------------------

_SAMPLES = (3, 7, 12)
NEXT_TO_EACH_OTHER, FEW_COPIES = 16, 64
"""How many groups that follow each other are looked at from each sample on, of at most so many copies each.

Rows whose length is no multiple of the copies end within one group of many: no compiler makes one unit of those copies.
"""


def _sampled(
    facts: KernelFacts, offset: Polynomial, factors: Mapping[str, int], grid: Sequence[tuple[int, ...]]
) -> Lanes:
    """Offsets that come out the same at several sample points, else unknown."""
    count = len(grid)
    names = [(symbol, position) for position, name in enumerate(factors) for symbol in _names(facts, name)]
    fixed, moved = _Steps(), _Steps()
    if not _order(facts, offset, {symbol for symbol, _ in names}, fixed, moved):
        return Lanes(count, None, None, scattered=True)
    if any(_ends_anywhere(symbol) for symbol, _ in moved.of):
        return Lanes(count, None, None)
    steps, whole = list(factors.values()), [is_whole(facts, name, n) for name, n in factors.items()]
    patterns: set[tuple[int, ...]] = set()
    following = NEXT_TO_EACH_OTHER if count <= FEW_COPIES else 1
    for sample, next_ in product(_SAMPLES, range(following)):
        firsts = [0 if all_ else step * (sample * 16 + next_) for all_, step in zip(whole, steps, strict=True)]
        rows: list[int] = []
        same: dict[str, int] = {}
        if not fixed.into(same, sample):
            return Lanes(count, None, None, scattered=True)
        for at in grid:
            values = {**same, **{symbol: firsts[position] + at[position] for symbol, position in names}}
            if not moved.into(values, sample):
                return Lanes(count, None, None, scattered=True)
            rows.append(int(offset.evaluate(values) or 0))
        patterns.add(tuple(r - rows[0] for r in rows))
        if len(patterns) > 1:
            return Lanes(count, None, None)
    offsets = tuple(sorted(set(patterns.pop())))
    first = offsets[0]
    base = regrouped(facts, offset, factors).without(_gone(facts, factors)) + Polynomial.number(first)
    return Lanes(count, tuple(o - first for o in offsets), base)


@fixed
class _Steps:
    """What a value is made of, in the order in which it is worked out: each symbol, and its place among its like."""

    of: list[tuple[Symbol, int]] = field(default_factory=list)

    def into(self, values: dict[str, int], sample: int) -> bool:
        """Add their values at a sample point; False where one has none."""
        for symbol, position in self.of:
            if symbol.operation is None:
                values[symbol.name] = 1009 * sample + 64 * position + 1
                continue
            result = operate(symbol.operation, [whole_number(o, values) for o in symbol.operands])
            if result is None:
                return False
            values[symbol.name] = result
        return True


def _order(facts: KernelFacts, p: Polynomial, lanes: set[str], fixed: _Steps, moved: _Steps) -> bool:
    """Fill in the steps to a polynomial, those that lanes move apart; False where lanes decide a value nobody knows."""
    known, moving = set(lanes), set(lanes)

    def follow(p: Polynomial) -> bool:
        for position, name in enumerate(sorted(p.symbols)):
            if name in known:
                continue
            symbol = facts.symbols[name]
            decided = not known.isdisjoint(symbol.depends_on)
            # What a condition chooses is no fixed pattern, whatever a few samples say.
            if decided and (symbol.operation in CONDITIONAL or symbol.operation is None or _wraps_anywhere(symbol)):
                return False
            if not all(map(follow, symbol.operands)):
                return False
            if symbol.operation is not None and any(not moving.isdisjoint(o.symbols) for o in symbol.operands):
                moving.add(name)
            (moved if name in moving else fixed).of.append((symbol, position))
            known.add(name)
        return True

    return follow(p)


def _wraps_anywhere(symbol: Symbol) -> bool:
    """Whether a value starts over, or steps, wherever a divisor that the text does not fix has it."""
    return symbol.operation in {"quotient", "remainder"} and symbol.operands[1].constant is None


def _ends_anywhere(symbol: Symbol) -> bool:
    """Whether a value ends at a bound that the text does not fix: no samples say which copies are beyond it."""
    return symbol.operation in {"minimum", "maximum"} and all(one.constant is None for one in symbol.operands)
