"""What the accesses and loops of a kernel depend on, closed over all its symbols once it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from burstline_model.facts import Access, ChannelOperation, Guard, LocalArray, Loop, Remark, Span
from burstline_server.analysis.chains import from_channels
from burstline_server.analysis.frames import OpenAccess, OpenGuard
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.symbol_table import Sources

_UNIFORM = {"argument", "global_size", "local_size", "num_groups", "global_offset", "group_id"}
"""Kinds of symbols that are the same in all items of a work-group."""


class Finished:
    """The accesses, loops and channels of a kernel that is read, every dependence closed; each condition is made once.

    `sources` as the symbol table gives them.
    """

    def __init__(self, reader: Reader, sources: Mapping[str, Sources]) -> None:
        self._reader, self._sources = reader, sources
        self._closed: dict[frozenset[str], tuple[str, ...]] = {}
        self._guards: dict[int, Guard] = {}
        """By the identity of what is open, which the reader holds."""

    def accesses(self) -> tuple[Access, ...]:
        """The accesses of memory."""
        return tuple(self._access(one, one.access.id) for one in self._reader.accesses)

    def private(self) -> tuple[Access, ...]:
        """The same of private arrays, where one is stored to as a kernel runs: others are tables."""
        return self._stored(self._reader.private.accesses)

    def in_registers(self) -> tuple[Access, ...]:
        """The same of arrays that registers hold."""
        return self._stored(self._reader.private.in_registers)

    def _stored(self, every: Sequence[OpenAccess]) -> tuple[Access, ...]:
        own = (o for o in every if o.access.pointer in self._reader.stored)
        return tuple(self._access(one, number) for number, one in enumerate(own))

    def loops(self) -> tuple[Loop, ...]:
        """The loops with the conditions around them."""
        around = self._reader.loop_guards
        return tuple(
            loop.model_copy(update={"guards": self._all(guards)}) if (guards := around.get(loop.id)) else loop
            for loop in self._reader.loops
        )

    def channels(self) -> tuple[ChannelOperation, ...]:
        """The operations on channels with the conditions around them."""
        found = []
        for one in self._reader.channels:
            update: dict[str, object] = {}
            if one.guards:
                update["guards"] = self._all(one.guards)
            if one.operation.op == "write":
                brought = {(name, False) for name in from_channels(one.sent)} | {(name, True) for name in one.later}
                update["made_of"] = tuple(sorted(brought))
            found.append(one.operation.model_copy(update=update) if update else one.operation)
        return tuple(found)

    def _all_of(self, symbols: frozenset[str]) -> tuple[str, ...]:
        """A set of symbols, closed over what they depend on."""
        if symbols not in self._closed:
            self._closed[symbols] = self._reader.symbols.closed(symbols, self._sources)
        return self._closed[symbols]

    def _all(self, guards: Sequence[OpenGuard]) -> tuple[Guard, ...]:
        return tuple([self._guards.get(id(g)) or self._guard(g) for g in guards])

    def _guard(self, g: OpenGuard) -> Guard:
        depends_on, kind = self._all_of(g.symbols), self._reader.symbols.kind
        loaded = g.loaded or any(kind(s) == "loaded" for s in depends_on)
        made = self._guards[id(g)] = Guard(
            text=g.text, span=g.span, depends_on=depends_on, loaded=loaded, early_return=g.early_return,
            condition=g.condition, calls=g.calls, choice=g.choice, cases=g.cases, leaves=g.leaves,
        )  # fmt: skip
        return made

    def _access(self, one: OpenAccess, number: int) -> Access:
        varies = True
        if one.operand is not None and one.access.op == "atomic":
            kinds = {self._reader.symbols.kind(s) for s in self._all_of(one.operand.varies_with())}
            varies = bool(one.operand.loads) or bool(kinds - _UNIFORM)
        return replace(one.access, id=number, guards=self._all(one.guards), operand_varies=varies)


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
    every = [*reader.private.accesses, *reader.private.in_registers]
    offsets = (one.access.offset for one in every)
    found = {name for number in offsets if number is not None for name in number.symbols}
    return found | _asked(one.guards for one in every)


def finished_remarks(reader: Reader, used: set[str]) -> list[Remark]:
    """What could not be read, and names without a definition behind the symbols that are used.

    What is stored at file scope is left out: there are constants, to which nobody stores.
    """
    stored = [one.access for one in reader.accesses if one.access.space == "constant" and one.access.op != "load"]
    first = {one.pointer: one.span for one in reversed(stored)}
    left = [Remark(span=span, kind="at_file_scope", names=(name,)) for name, span in first.items()]
    left += [Remark(span=span, kind="global_at_file_scope", names=(name,)) for name, span in _not_given(reader)]
    behind = reader.symbols.closure(used) if reader.undefined else frozenset[str]()
    undefined = ((n, span) for n, span in reader.undefined.items() if n in behind)
    unknown = [Remark(span=span, kind="undefined_name", names=(n,)) for n, span in undefined]
    return [*reader.remarks.values(), *left, *unknown]


def _not_given(reader: Reader) -> Iterable[tuple[str, Span]]:
    """The first use of each global array at file scope."""
    at_file_scope = {name for name, one in reader.file_scope.items() if one.array == "global"}
    uses = [one.access for one in reversed(reader.accesses) if one.access.pointer in at_file_scope]
    return {one.pointer: one.span for one in uses if one.space == "global"}.items()


def used_symbols(reader: Reader) -> set[str]:
    """Every symbol that a loop, an access or a condition names."""
    used = {loop.counter for loop in reader.loops}
    numbers = [number for loop in reader.loops for number in (loop.trip, *loop.trip_limits)]
    numbers += [one.access.offset for one in reader.accesses]
    used.update(name for number in numbers if number is not None for name in number.symbols)
    inside = (*(o.guards for o in reader.accesses), *(o.guards for o in reader.channels))
    return used | _asked((*reader.loop_guards.values(), *inside))


def _asked(guards: Iterable[Sequence[OpenGuard]]) -> set[str]:
    """Every symbol that conditions name; each is looked at once, however much it is around."""
    found = set[str]()
    for one in {id(g): g for some in guards for g in some}.values():
        found |= one.symbols
        if one.condition is not None:
            found |= one.condition.symbols
    return found
