"""What variables are behind a loop that changes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tree_sitter import Node

from burstline_model.facts import Loop, Unknown
from burstline_model.polynomial import Polynomial, TooComplexError
from burstline_server.analysis.chains import loads_side_by_side, outside, without
from burstline_server.analysis.channel_answers import read_before
from burstline_server.analysis.logic import truth
from burstline_server.analysis.loop_steps import at_trip
from burstline_server.analysis.loop_ways import jumps_on
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.symbol_table import SymbolTable
from burstline_server.analysis.trips import Changing
from burstline_server.analysis.values import combined, somewhere
from burstline_server.analysis.whole_loops import is_unrolled_whole

MAX_SYMBOLS = 12
"""Most symbols that a value behind a loop is followed through."""
_FIXED = frozenset({"argument", "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"})


def _read_side_by_side(changing: Mapping[str, Changing], loop: int) -> None:
    """Behind an unrolled loop: a way from outside is through one of its loads, where no copy waits for another's."""
    ends = [v for c in changing.values() if (v := c.variable.value) is not None]
    if loads := loads_side_by_side([v.chains for v in ends], loop):
        for change in changing.values():
            if (end := change.variable.value) is not None:
                change.variable.value = end._replace(chains=outside(end.chains, loop, loads))


def leave(
    reader: Reader, changing: Mapping[str, Changing], counter: str, trip: Polynomial | None, loop: Loop, node: Node
) -> None:  # fmt: skip
    """Set every variable that a loop changed to its value after it.

    `trip`: its iterations, all of them whole; None where that is not known.
    """
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    # What the condition sets, it sets once more than there are iterations; a `continue` may go round any statement.
    tested = reader.assignments.names(condition) if condition is not None else frozenset[str]()
    straight = trip if body is not None and not jumps_on(body) else None
    if is_unrolled_whole(loop.unroll, trip):
        _read_side_by_side(changing, loop.id)
    if reader.channels:
        read_before(reader.channels, {n: v for n, c in changing.items() if (v := c.variable.value)}, loop.id)
    for name, change in changing.items():
        end = change.variable.value
        if change.carried and end is not None:
            reader.symbols.add_dependence(change.carried, end.varies_with(), loaded=bool(end.loads))
            reader.symbols.grows(change.carried, end.number, change.most)
        if change.step is not None and trip is not None:
            change.variable.value = at_trip(change, trip)
            continue
        base = end or change.start
        after = combined(change.variable.type, base._replace(number=None, pointer=None), change.start)
        kept = frozenset(s for s in after.symbols if s != counter)
        after = after._replace(symbols=kept, chains=without(after.chains, loop.id))
        last = None
        if straight is not None and end is not None and end.number is not None and name not in tested:
            last = _of_the_last(reader.symbols, name, counter, straight, change.start.number, end.number)
        if last is not None:
            after = after._replace(number=last)
        elif change.variable.type.is_integer:
            number = reader.symbols.unknown(name, after)
            reader.symbols.counted(next(iter(number.symbols)), change.carried, change.start.number, trip)
            after = after._replace(number=number)
        elif change.start.pointer is not None:
            place = reader.symbols.unknown(name, after)
            why = Unknown(kind="moved_in_loop")
            after = after._replace(pointer=somewhere(change.start.pointer, after.type, place, why))
        change.variable.value = after


def _of_the_last(
    symbols: SymbolTable, name: str, counter: str, trip: Polynomial, start: Polynomial | None, end: Polynomial
) -> Polynomial | None:  # fmt: skip
    """The value behind a loop of `trip` iterations: `end` in the last one, `start` where there is none.

    `end` is the value after iteration `counter`. None where it follows from anything but counters, ids, sizes and
    arguments. A compiler replaces such values as well (LLVM: indvars, the exit values of loops).
    """
    if not _are_followed(symbols, end.symbols, counter):
        return None
    try:
        last = _with(symbols, end, counter, trip - Polynomial.number(1))
        if trip.constant is not None:
            return last if trip.constant > 0 else start
        if start is None:
            return None
        enters = truth(symbols, symbols.operation("less", (Polynomial(), trip)))
        return symbols.operation("select", (enters, last, start), name)
    except TooComplexError:
        return None


def _are_followed(symbols: SymbolTable, names: Iterable[str], counter: str) -> bool:
    """Whether all that some symbols are made of is followed, and not too much; looked at until one is not."""
    for count, one in enumerate(symbols.made_of(names), start=1):
        if count > MAX_SYMBOLS or not _is_followed(symbols, one, counter):
            return False
    return True


def _is_followed(symbols: SymbolTable, name: str, counter: str) -> bool:
    """Whether a symbol is the same in all iterations of the loop, its counter, or made of such ones."""
    kind = symbols.kind(name)
    if kind == "loop":
        return name == counter or symbols.loop_of(name) in symbols.open_loops
    return kind in _FIXED or (kind == "opaque" and symbols.operated(name)[0] is not None)


def _with(symbols: SymbolTable, number: Polynomial, name: str, value: Polynomial) -> Polynomial:
    """A number with a value in place of a symbol, in all that it is made of."""
    there: dict[str, Polynomial] = {}
    for one in number.symbols:
        if one == name:
            there[one] = value
        elif name in symbols.closure((one,)):
            operation, operands = symbols.operated(one)
            if operation is not None:
                there[one] = symbols.operation(operation, tuple(_with(symbols, o, name, value) for o in operands))
    return number.substitute(there) if there else number
