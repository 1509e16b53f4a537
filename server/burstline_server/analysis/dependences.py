"""What the accesses and loops of a kernel depend on, closed over all its symbols once it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from burstline_model.facts import Access, ChannelOperation, Guard, LocalArray, Loop, Remark
from burstline_server.analysis.chains import from_channels
from burstline_server.analysis.frames import OpenAccess, OpenGuard
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.symbol_table import Sources, SymbolTable

_UNIFORM = {"argument", "global_size", "local_size", "num_groups", "global_offset", "group_id"}
"""Kinds of symbols that are the same in all items of a work-group."""


def finished_accesses(reader: Reader, sources: Mapping[str, Sources]) -> tuple[Access, ...]:
    """The accesses with every dependence closed; `sources` as the symbol table gives them."""
    all_of = _closing(reader, sources)
    return tuple(_finished(o, reader.symbols, all_of) for o in reader.accesses)


def finished_private(reader: Reader, sources: Mapping[str, Sources]) -> tuple[Access, ...]:
    """The same of private arrays, where one is stored to as a kernel runs: others are tables."""
    all_of = _closing(reader, sources)
    own = (o for o in reader.private.accesses if o.access.pointer in reader.stored)
    return tuple(replace(_finished(o, reader.symbols, all_of), id=number) for number, o in enumerate(own))


def finished_loops(reader: Reader, sources: Mapping[str, Sources]) -> tuple[Loop, ...]:
    """The loops with the conditions around them."""
    all_of = _closing(reader, sources)

    def finished(loop: Loop) -> Loop:
        guards = tuple(_guard(g, reader.symbols, all_of) for g in reader.loop_guards.get(loop.id, ()))
        return loop.model_copy(update={"guards": guards}) if guards else loop

    return tuple(finished(loop) for loop in reader.loops)


def finished_channels(reader: Reader, sources: Mapping[str, Sources]) -> tuple[ChannelOperation, ...]:
    """The operations on channels with the conditions around them."""
    all_of = _closing(reader, sources)
    found = []
    for one in reader.channels:
        update: dict[str, object] = {}
        if one.guards:
            update["guards"] = tuple(_guard(g, reader.symbols, all_of) for g in one.guards)
        if one.operation.op == "write":
            brought = {(name, False) for name in from_channels(one.sent)} | {(name, True) for name in one.later}
            update["made_of"] = tuple(sorted(brought))
        found.append(one.operation.model_copy(update=update) if update else one.operation)
    return tuple(found)


def _closing(reader: Reader, sources: Mapping[str, Sources]) -> Callable[[frozenset[str]], tuple[str, ...]]:
    """Closes sets of symbols over what they depend on, each once."""
    closed: dict[frozenset[str], tuple[str, ...]] = {}

    def all_of(symbols: frozenset[str]) -> tuple[str, ...]:
        if symbols not in closed:
            closed[symbols] = reader.symbols.closed(symbols, sources)
        return closed[symbols]

    return all_of


def _guard(g: OpenGuard, symbols: SymbolTable, all_of: Callable[[frozenset[str]], tuple[str, ...]]) -> Guard:
    depends_on = all_of(g.symbols)
    loaded = g.loaded or any(symbols.kind(s) == "loaded" for s in depends_on)
    return Guard(
        text=g.text, span=g.span, depends_on=depends_on, loaded=loaded, early_return=g.early_return,
        condition=g.condition, calls=g.calls, choice=g.choice, cases=g.cases, leaves=g.leaves,
    )  # fmt: skip


def _finished(
    open_access: OpenAccess, symbols: SymbolTable, all_of: Callable[[frozenset[str]], tuple[str, ...]]
) -> Access:
    guards = [_guard(g, symbols, all_of) for g in open_access.guards]
    varies = True
    if open_access.operand is not None and open_access.access.op == "atomic":
        kinds = {symbols.kind(s) for s in all_of(open_access.operand.varies_with())}
        varies = bool(open_access.operand.loads) or bool(kinds - _UNIFORM)
    return replace(open_access.access, guards=tuple(guards), operand_varies=varies)


def finished_array(reader: Reader, array: LocalArray) -> LocalArray:
    """An array with all that is known of it once the kernel is read."""
    loops, reach = reader.picked.get(array.name), None
    if loops is not None and array.name in reader.taps:
        known = ((loop.counter, loop.trip.constant) for loop in reader.loops if loop.trip is not None)
        trips = {counter: count for counter, count in known if count is not None}
        reach = reader.taps[array.name].reach(array, trips)
    picked = tuple(sorted(loops)) if loops is not None else None
    return array.model_copy(update={"written": array.name in reader.stored, "picked_by": picked, "reach": reach})


def used_in_arrays(reader: Reader) -> set[str]:
    """Every symbol that an access to a private array names."""
    found = set[str]()
    for one in reader.private.accesses:
        for number in (one.access.offset, *(g.condition for g in one.guards)):
            found |= number.symbols if number is not None else frozenset()
        found = found.union(*(g.symbols for g in one.guards))
    return found


def finished_remarks(reader: Reader, used: set[str]) -> list[Remark]:
    """What could not be read, and names without a definition behind the symbols that are used.

    What is stored at file scope is left out: there are constants, to which nobody stores.
    """
    stored = [one.access for one in reader.accesses if one.access.space == "constant" and one.access.op != "load"]
    first = {one.pointer: one.span for one in reversed(stored)}
    left = [Remark(span=span, kind="at_file_scope", names=(name,)) for name, span in first.items()]
    behind = reader.symbols.closure(used) if reader.undefined else frozenset[str]()
    undefined = ((n, span) for n, span in reader.undefined.items() if n in behind)
    unknown = [Remark(span=span, kind="undefined_name", names=(n,)) for n, span in undefined]
    return [*reader.remarks.values(), *left, *unknown]


def used_symbols(reader: Reader) -> set[str]:
    """Every symbol that a loop, an access or a condition names."""
    used = {loop.counter for loop in reader.loops}
    for loop in reader.loops:
        used = used.union(*(n.symbols for n in (loop.trip, *loop.trip_limits) if n is not None))
    for open_access in reader.accesses:
        offset = open_access.access.offset
        used |= offset.symbols if offset is not None else frozenset()
    inside = (*(o.guards for o in reader.accesses), *(o.guards for o in reader.channels))
    for guards in (*reader.loop_guards.values(), *inside):
        used = used.union(*(g.symbols for g in guards))
        used = used.union(*(g.condition.symbols for g in guards if g.condition is not None))
    return used
