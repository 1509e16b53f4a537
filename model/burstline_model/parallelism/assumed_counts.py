"""Trips of loops that nobody counts, and work-items, as far as the text says what they may be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from math import ceil

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.ranges import is_constant, largest
from burstline_model.polynomial import Polynomial


def polls(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a loop does nothing but ask again for what another work-item or the host has to write.

    One iteration hands nothing to the next and stores nothing, so that only others can end it.
    """
    asked = facts.accesses_in(loop)
    hands_on = loop.carries or loop.recurrences or loop.early_exit or loop.trip is not None
    if hands_on or not asked or any(one.parent == loop.id for one in facts.loops):
        return False
    repeated = all(a.op == "atomic" or (a.op == "load" and a.volatile) for a in asked)
    meets = any(loop.id in c.loops for c in facts.channels) or any(loop.id in b.loops for b in facts.barriers)
    return repeated and not meets


def in_groups(facts: KernelFacts) -> bool:
    """Whether what a kernel does follows from its work-groups: it has barriers, or asks for its place in one."""
    kinds = {"local_id", "group_id", "local_size", "num_groups"}
    return bool(facts.barriers) or any(symbol.kind in kinds for symbol in facts.symbols.values())


def groups_alike(facts: KernelFacts) -> bool:
    """Whether every work-group does what each other one does, so that it takes one: a kernel by local ids alone.

    Nothing adds up over groups then, as atomics and channels would.
    """
    kinds = {symbol.kind for symbol in facts.symbols.values()}
    adds_up = bool(facts.channels) or any(a.op == "atomic" and a.space == "global" for a in facts.accesses)
    return "local_id" in kinds and kinds.isdisjoint(_IDS) and not adds_up


def each_of_group(facts: KernelFacts, loop: Loop, each: int, value: Callable[[Polynomial], Fraction | None]) -> int:
    """What is assumed of a loop's trips: `each`, in all where data end it and a group's work-items share it out.

    `value`: what a polynomial is under the launch.
    """
    shared = shared_out(facts, loop)
    if shared is None or not any(facts.symbols[n].kind == "loaded" for n in shared[0].symbols if n in facts.symbols):
        return each
    by_group = {facts.symbols[n].kind for n in shared[1].symbols if n in facts.symbols} == {"local_size"}
    many = value(shared[1]) if by_group else None
    return ceil(each / many) if many is not None and many >= 1 else each


def shares_in_group(facts: KernelFacts, loop: Loop) -> bool:
    """Whether the work-items of a group share out a loop, which every group runs: each of them a part of its own."""
    shared = shared_out(facts, loop)
    if shared is None:
        return False
    left, step = ({facts.symbols[n].kind for n in one.symbols if n in facts.symbols} for one in shared)
    return step == {"local_size"} and "local_id" in left and left.isdisjoint(_IDS)


def shared_out(facts: KernelFacts, loop: Loop) -> tuple[Polynomial, Polynomial] | None:
    """What is left to the end of a loop, and in which steps its variable goes there, where a size is in these."""
    names = loop.trip.symbols if loop.trip is not None else frozenset[str]()
    for symbol in (facts.symbols[n] for n in names if n in facts.symbols):
        if symbol.operation == "quotient":
            left, step = symbol.operands
            if any(facts.symbols[n].kind in _SIZES for n in step.symbols if n in facts.symbols):
                return left, step
    return None


_SIZES = frozenset({"local_size", "global_size", "num_groups"})


def assumed_mean(facts: KernelFacts, loop: Loop, mean: Fraction, each: int | None) -> Fraction:
    """Trips at assumed values: where the id of a work-item is in them as well, no more than `each`, as of any loop.

    ``(id + 1) * rows - size`` is as many as there are work-items, whatever is assumed of its arguments. Nor are they
    more than their text leaves, as of a count of eight bits.
    """
    own = {name for name in (loop.trip.symbols if loop.trip is not None else ()) if name in facts.symbols}
    behind = own.union(*(facts.symbols[name].depends_on for name in own))
    by_id = any(facts.symbols[name].kind in _IDS for name in behind if name in facts.symbols)
    most = most_of(facts, loop)
    mean = min(mean, Fraction(each)) if by_id and each is not None else mean
    return min(mean, Fraction(most)) if most is not None else mean


def is_of_group(facts: KernelFacts, loop: Loop) -> bool:
    """Whether only the place of a work-item in its group says where it begins: once round may be all that is left."""
    names = loop.trip.symbols if loop.trip is not None else frozenset[str]()
    behind = names.union(*(facts.symbols[n].depends_on for n in names if n in facts.symbols))
    kinds = {facts.symbols[n].kind for n in behind if n in facts.symbols}
    return "local_id" in kinds and kinds.isdisjoint({*_IDS, "global_size", "num_groups", "loop"})


_IDS = frozenset({"global_id", "group_id"})


def stored_below(facts: KernelFacts, arguments: Mapping[str, int]) -> dict[int, int]:
    """By dimension, what the id of every work-item that stores anything is below: a number, or one of `arguments`."""
    stores = [a for a in facts.accesses if a.op != "load" and a.space == "global"]
    found = dict[int, int]()
    for name, symbol in facts.symbols.items():
        if symbol.operation != "less":
            continue
        left, right = symbol.operands
        item = facts.symbols.get(next(iter(left.symbols), ""))
        known = _known(facts, right, arguments)
        if item is None or item.kind != "global_id" or left != Polynomial.symbol(item.name) or known is None:
            continue
        if stores and known > 0 and all(any(_asks(facts, g.condition, name) for g in a.guards) for a in stores):
            found[item.dimension] = min(known, found.get(item.dimension, known))
    for loop in facts.loops if stores else ():
        below = _entered_below(facts, loop, arguments) if all(loop.id in a.loops for a in stores) else None
        if below is not None:
            dimension, known = below
            found[dimension] = min(known, found.get(dimension, known))
    return found


def _entered_below(facts: KernelFacts, loop: Loop, arguments: Mapping[str, int]) -> tuple[int, int] | None:
    """The dimension and the bound of the id of work-items that enter a loop: from a place of their own on, in steps.

    As in ``for (i = 4 * id; i < 1024; i += 4096)``: what is left to the end is a step at least.
    """
    trip = facts.symbols.get(next(iter(loop.trip.symbols), "")) if loop.trip is not None else None
    if trip is None or trip.operation != "quotient" or loop.trip != Polynomial.symbol(trip.name):
        return None
    left, step = trip.operands
    ids = [name for name in left.symbols if name in facts.symbols and facts.symbols[name].kind == "global_id"]
    each = left.coefficient(ids[0]) if len(ids) == 1 else None
    rest = left.without(ids).evaluate(arguments)
    if step.constant is None or each is None or each.constant is None or each.constant >= 0 or rest is None:
        return None
    most = (rest - step.constant) // -each.constant
    return (facts.symbols[ids[0]].dimension, int(most) + 1) if most >= 0 else None


def _known(facts: KernelFacts, bound: Polynomial, arguments: Mapping[str, int]) -> int | None:
    """A number, or an argument by itself that has a value."""
    if bound.constant is not None:
        return int(bound.constant)
    name = next(iter(bound.symbols))
    plain = bound == Polynomial.symbol(name) and facts.argument(name) is not None
    return arguments.get(name) if plain else None


_ONE = Polynomial.number(1)


def _asks(facts: KernelFacts, condition: Polynomial | None, name: str) -> bool:
    """Whether a condition holds only where the one of this name does."""
    if condition is None or len(condition.symbols) != 1:
        return False
    only = next(iter(condition.symbols))
    symbol = facts.symbols[only]
    if condition == _ONE - Polynomial.symbol(only):
        return symbol.operation == "or" and any(_asks(facts, _ONE - one, name) for one in symbol.operands)
    if condition != Polynomial.symbol(only):
        return False
    return only == name or (symbol.operation == "and" and any(_asks(facts, one, name) for one in symbol.operands))


def most_of(facts: KernelFacts, loop: Loop) -> int | None:
    """The most iterations that the text of a loop leaves it; None where nothing bounds them."""
    return most_left(facts, loop.trip) if loop.trip is not None else None


def most_left(facts: KernelFacts, trip: Polynomial) -> int | None:
    """The most iterations that a loop's text leaves it; None where nothing bounds them.

    As what a division by a number leaves, behind a loop that takes several elements at a time, or a count that starts
    at a number and grows under conditions.
    """
    for name in trip.symbols:
        symbol = facts.symbols.get(name)
        divisor = symbol.operands[1].constant if symbol is not None and symbol.operation in _DIVIDES else None
        if symbol is None or divisor is None or divisor < 2:
            continue
        own = Polynomial.symbol(name)
        if trip == (own if symbol.operation == "remainder" else symbol.operands[0] - own.scaled(divisor)):
            return divisor - 1
    outside = any(is_constant(facts, Polynomial.symbol(name)) for name in trip.symbols)
    return largest(facts, trip) if not outside else None


_DIVIDES = {"quotient", "remainder"}


def is_rest(facts: KernelFacts, loop: Loop, missing: Collection[str]) -> bool:
    """Whether what a division leaves is that of missing arguments, and the kernel has more to do than this loop.

    Sizes that are assumed are powers of two, so that such a loop has nothing left to do, as with most that are given.
    """
    elsewhere = any(a.space == "global" and loop.id not in a.loops for a in facts.accesses)
    return elsewhere and all(facts.argument(name) is not None for name in missing)
