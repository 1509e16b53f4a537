"""The copies of unrolled loops that run: conditions on counters that are numbers in each copy rule others out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from math import prod

from burstline_model.facts import Access, Guard, KernelFacts
from burstline_model.parallelism.loop_copies import MAX_COPIES
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial


def copies_that_run(
    facts: KernelFacts, access: Access, factors: Mapping[str, int], grid: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """The copies in a grid that may run, by the values of what `factors` step; all of them where none seems to."""
    whole = [name for name, copies in factors.items() if is_whole(facts, name, copies)]
    return _holding(facts, decided(facts, access.guards, whole), factors, grid) or grid


def left_open(facts: KernelFacts, access: Access, copies: Mapping[int, int], guards: Sequence[Guard]) -> list[Guard]:
    """The conditions that do not choose between the copies of an access alone: what they choose is its lanes."""
    counters = {facts.loops[i].counter: n for i in access.loops if (n := copies.get(i, 1)) > 1}
    whole = {name: n for name, n in counters.items() if is_whole(facts, name, n)}
    chosen = decided(facts, guards, whole) if whole and prod(whole.values()) <= MAX_COPIES else []
    if not chosen or not _holding(facts, chosen, whole, list(product(*(range(n) for n in whole.values())))):
        return list(guards)
    return [guard for guard in guards if guard not in chosen]


def decided(facts: KernelFacts, guards: Sequence[Guard], whole: Collection[str]) -> list[Guard]:
    """The conditions that counters of loops which are unrolled as a whole decide."""
    known = [(guard, guard.condition) for guard in guards if guard.condition is not None]
    return [guard for guard, condition in known if condition.symbols and closure(facts, condition).issubset(whole)]


def _holding(
    facts: KernelFacts, guards: Sequence[Guard], factors: Mapping[str, int], grid: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """The copies in a grid in which conditions hold."""
    conditions = [guard.condition for guard in guards if guard.condition is not None]
    if not conditions:
        return grid
    found = []
    for at in grid:
        values = dict(zip(factors, at, strict=True))
        if all(value_of(facts, condition, dict(values)) != 0 for condition in conditions):
            found.append(at)
    return found


def closure(facts: KernelFacts, p: Polynomial) -> frozenset[str]:
    """The counters and other values that a polynomial is made of, through the operations on them."""
    symbols = [facts.symbols[s] for s in p.symbols if s in facts.symbols]
    return frozenset(n for s in symbols for n in (s.depends_on if s.operation is not None else (s.name,)))


def is_whole(facts: KernelFacts, symbol: str, copies: int) -> bool:
    """Whether the copies are all the iterations that a loop has."""
    loop = facts.symbols[symbol].loop if symbol in facts.symbols else None
    trip = facts.loops[loop].trip if loop is not None else None
    return trip is not None and trip.constant == copies


def value_of(facts: KernelFacts, p: Polynomial, values: dict[str, int]) -> int | None:
    """A polynomial where the values of counters are given: conditions on them hold or not."""
    for position, name in enumerate(sorted(p.symbols)):
        if name in values:
            continue
        symbol = facts.symbols[name]
        if symbol.operation is not None:
            result = operate(symbol.operation, [value_of(facts, o, values) for o in symbol.operands])
            if result is None:
                return None
            values[name] = result
        elif symbol.depends_on and set(symbol.depends_on) & values.keys():
            return None
        else:
            values[name] = 64 * position + 1
    return whole_number(p, values)


def whole_number(p: Polynomial, values: Mapping[str, int]) -> int | None:
    """The value of a polynomial, where all of its symbols have one."""
    value = p.evaluate(values)
    return int(value) if value is not None else None
