"""Loops: which variables count, how many trips there are, and what a variable is during and after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tree_sitter import Node

from burstline_model.facts import Loop
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.assignment import Assignment
from burstline_server.analysis.behind_loops import leave
from burstline_server.analysis.breaks import Break, breaks_of
from burstline_server.analysis.carried import cycles, marked, taken_in
from burstline_server.analysis.chains import from_loads
from burstline_server.analysis.counter_restarts import advance_of, habit_of
from burstline_server.analysis.dead_statements import does_nothing
from burstline_server.analysis.element_variables import at_its_place, settled, stepped_elements
from burstline_server.analysis.expressions import merged
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.halving import halved
from burstline_server.analysis.loop_locals import fixed_locals
from burstline_server.analysis.loop_steps import at_trip, counted_name, fixed, leaves, step_of
from burstline_server.analysis.nodes import identifiers, is_left_early, runs_once, subscripted
from burstline_server.analysis.places import root_of
from burstline_server.analysis.pragmas import asked_of
from burstline_server.analysis.reader import Reader, Statement
from burstline_server.analysis.repeated_loops import sets_the_same
from burstline_server.analysis.set_anew import set_anew
from burstline_server.analysis.swizzles import lanes_named
from burstline_server.analysis.trips import Changing, Trip, multiplied, powers, trips_of, updated_in
from burstline_server.analysis.types import COMPOSED, MAX_COMPONENTS, components
from burstline_server.analysis.values import Value
from burstline_server.analysis.whole_loops import asked_first
from burstline_server.analysis.wrapped_counters import WrappedCounters


def _for(reader: Reader, node: Node) -> None:
    if does_nothing(reader, node):
        return
    with reader.scope():
        initializer = node.child_by_field_name("initializer")
        if initializer is not None:
            reader.run(initializer)
        _loop(reader, node, "for", node.child_by_field_name("update"))


def _while(reader: Reader, node: Node) -> None:
    _loop(reader, node, "while", None)


def _do(reader: Reader, node: Node) -> None:
    body = node.child_by_field_name("body")
    if body is None or not runs_once(node):
        _loop(reader, node, "do", None)
    elif is_left_early(body):
        _left_early(reader, node, body)
    else:
        reader.run(body)


def _left_early(reader: Reader, node: Node, body: Node) -> None:
    """``do … while (0)`` out of which breaks lead: what a variable was before, or what the whole body makes of it."""
    text = body.text or b""
    names = [a.name for a in reader.assignments.within(body) if not a.declares and a.whole]
    if b"return" in text or b"goto" in text or len(names) != len(set(names)):
        _loop(reader, node, "do", None)
        return
    before = [(name, variable, variable.value) for name in names if (variable := reader.find(name)) is not None]
    guards, leaving = len(reader.guards), dict(reader.leaving_loads)
    reader.run(body)
    del reader.guards[guards:]
    reader.frame.left, reader.leaving_loads = False, leaving  # its breaks leave no loop
    for name, variable, old in before:
        if old is None or variable.value is None or variable.array is not None:
            variable.value = variable.value or old
        else:
            variable.value = merged(reader, name, Value(), variable.value, old)


def _loop(reader: Reader, node: Node, kind: str, update: Node | None) -> None:
    body, condition = node.child_by_field_name("body"), node.child_by_field_name("condition")
    counted, number = counted_name(reader, update, condition), len(reader.loops)
    counter = reader.symbols.fresh(counted or f"loop{number}", "loop", loop=number)
    updating = (update, counted) if kind == "for" else updated_in(reader, node) if kind == "while" else (None, "")
    counted_out = multiplied(reader, node, *updating)
    regions = [r for r in (body, update, condition) if r is not None]
    changing = _enter(reader, regions, counter, number, node.start_byte)
    if counted_out is not None:
        _by_powers(reader, changing, *updating, counter)
    _forget(reader, reader.assignments.changed_behind(*regions))
    pragmas = asked_of(reader, node)
    carries, roots = _carries(reader, regions, changing)
    loop = Loop(
        id=number, parent=reader.open_loops[-1] if reader.open_loops else None,
        kind="for" if kind == "for" else "while" if kind == "while" else "do",
        span=reader.span_of(node.start_byte, _head_end(node, body)),
        body=reader.span(body or node),
        variable=counted, counter=counter, trip=None, unroll=pragmas.unroll, ivdep=pragmas.ivdep,
        safelen=pragmas.safelen, initiation_interval=pragmas.initiation_interval, coalesce=pragmas.coalesce,
        max_concurrency=pragmas.max_concurrency, max_interleaving=pragmas.max_interleaving, pipelined=pragmas.pipelined,
        carries=carries, sets_anew=set_anew(reader.assignments, body, regions, carries),
    )  # fmt: skip
    reader.loops.append(loop)
    reader.loop_guards[number] = tuple(reader.guards)
    reader.open_loops.append(number)
    _mark(reader, loop, roots, changing)
    guards, asked = len(reader.guards), len(reader.accesses)
    trip, most = asked_first(reader, condition if kind != "do" else None, loop, changing)
    tested = range(asked, len(reader.accesses))
    endless = _never_fails(trip) and (kind != "do" or (condition is not None and bool(reader.constant(condition))))
    breaks, alone = breaks_of(body, reader.assignments)
    leaving = breaks[0] if alone and endless else None
    trip = _with_breaks(reader, trip, [b for b in breaks if b.at_start], leaving, counter, changing)
    never = trip.count is not None and trip.count.constant == 0
    if not never:  # the compiler removes a body that no iteration reaches
        reader.run(body)
    reader.frame.left = False
    del reader.guards[guards:]
    behind = [b for b in breaks if b.at_end and not b.at_start]
    trip = _with_breaks(reader, trip, behind, leaving, counter, changing)
    if update is not None and not never:
        reader.run(update)
    if kind == "do" and condition is not None and trip.count is None:
        begun = len(reader.accesses)
        trip = _tested_after(reader, condition, counter, changing)
        tested = range(begun, len(reader.accesses))
    by_rows = _by_rows(reader, condition if kind != "do" else None, counter, changing)
    if trip.count is None:
        trip = (
            Trip(counted_out)
            if counted_out is not None
            else by_rows or halved(reader, condition, body, changing) or trip
        )
    reader.open_loops.pop()
    by_break = leaving is not None and trip.count is not None
    early = trip.early or (body is not None and not by_break and leaves(body))
    kept = trip.count if not early and (leaving is None or leaving.first or leaving.last) else None
    ends = {n: v for n, c in changing.items() if c.step is None and (v := _held(reader, n, c.variable)) is not None}
    zeros = {n for n in ends if (start := changing[n].start.as_ratio) and start[0].constant == 0}
    facts = {
        "ends_by": _ends_by(reader, loop, tested, condition, ends),
        "by_data": _by_data(reader, loop, condition, changing),
        "trip": most or trip.count, "trip_why": trip.why, "trip_limits": trip.limits, "early_exit": early,
        "recurrences": (*cycles(ends, number, zeros, reader.observed | taken_in(ends, number)),
                        *reader.private.leave(number, counter, kept, reader.observed)),
        "stores_before": _stores_before(reader, number),
        "alike": number + 1 == len(reader.loops) and sets_the_same(reader, regions, changing, ends, counter),
    }  # fmt: skip
    reader.loops[number] = loop.model_copy(update=facts)
    leave(reader, changing, counter, kept, loop, node)
    settled(reader, node, loop)


def _stores_before(reader: Reader, number: int) -> tuple[int, ...]:
    """How many loops had begun when something was stored in a loop, which is read by now."""
    storing = {one for one in reader.storing if one[0] == number}
    reader.storing -= storing
    return tuple(sorted(begun for _, begun in storing))


def _ends_by(
    reader: Reader, loop: Loop, tested: range, condition: Node | None, ends: Mapping[str, Value]
) -> tuple[int, ...]:  # fmt: skip
    """The loads of global memory that decide whether a loop goes on: in its condition, of what this tests, and of ifs.

    `tested`: the accesses that its condition makes.
    """
    found = {*tested, *reader.leaving_loads.pop(loop.id, ())}
    for name in identifiers(condition) & ends.keys() if condition is not None else ():
        found |= from_loads(ends[name].chains).keys()
    loads = (reader.accesses[i].access for i in sorted(found))
    return tuple(a.id for a in loads if a.op == "load" and a.space == "global" and loop.id in a.loops)


def _by_data(reader: Reader, loop: Loop, condition: Node | None, changing: Mapping[str, Changing]) -> bool:
    """Whether elements of an array decide if a loop goes on: in its condition, or in those of ifs that leave it."""
    moved = {*changing, *loop.carries, loop.variable}
    return loop.id in reader.left_by_data or (condition is not None and not subscripted(condition).isdisjoint(moved))


def _held(reader: Reader, name: str, variable: Variable) -> Value | None:
    """The value of a variable, or, once a pointer leads to it, of the memory that it is in."""
    return variable.value if variable.array is None else reader.contents.get(root_of(reader, name), variable.value)


def _by_powers(
    reader: Reader, changing: Mapping[str, Changing], update: Node | None, name: str, counter: str
) -> None:  # fmt: skip
    """The value of a counter that each trip multiplies or divides by a number, from the number of the trip."""
    change = changing.get(name)
    start = change.start.number if change is not None and change.step is None else None
    found = powers(reader, update, name, counter) if start is not None else None
    value = change.variable.value if change is not None else None
    if change is None or start is None or found is None or value is None:
        return
    power, grows = found
    number = start * power if grows else reader.symbols.operation("quotient", (start, power))
    change.variable.value = value._replace(number=number, symbols=change.start.symbols | number.symbols)


def _tested_after(reader: Reader, condition: Node, counter: str, changing: dict[str, Changing]) -> Trip:
    """How often a body runs whose condition comes behind it."""
    trip = trips_of(reader, condition, counter, changing)
    return trip if trip.count is None else trip.once_more()


def _by_rows(reader: Reader, condition: Node | None, counter: str, changing: dict[str, Changing]) -> Trip | None:
    """The trips of a loop that tests a variable which moves each time that a counter has reached its end.

    What most iterations add to the variables of such loops is noted.
    """
    carried = [(c, v) for n, c in changing.items() if c.carried and (v := _held(reader, n, c.variable)) is not None]
    ends = {c.carried: (c.start.number, v.number) for c, v in carried if v.number is not None}
    wrapped = WrappedCounters(reader.symbols, counter, ends)
    for moving in wrapped.moves:
        if (step := wrapped.usual_step(moving)) is not None:
            reader.symbols.steps(moving, step)
        if (turns := wrapped.turns(moving)) is not None:
            reader.symbols.turns(moving, turns)
    tested = identifiers(condition) if condition is not None else frozenset[str]()
    for name, change in changing.items():
        every = wrapped.iterations_for(change.carried) if name in tested and change.carried else None
        if condition is None or every is None:
            continue
        rows = replace(change, step=wrapped.moves[change.carried].step, carried="")
        end, change.variable.value = change.variable.value, at_trip(rows, Polynomial.symbol(counter))
        with reader.quietly():
            trip = trips_of(reader, condition, counter, {**changing, name: rows})
        change.variable.value = end
        if trip.count is not None:
            return Trip(trip.count * every, trip.why, trip.early)
    return None


def _never_fails(trip: Trip) -> bool:
    """Whether a loop has no condition, or one that always holds."""
    return trip.count is None and trip.why is not None and trip.why.kind in {"no_condition", "endless"}


def _until(reader: Reader, leaving: Break, counter: str, changing: dict[str, Changing]) -> Trip | None:
    """How often the body begins that one break ends, what comes behind the break left out the last time.

    Where nothing comes before it, the last beginning counts for nothing. None where nothing counts it.
    """
    with reader.quietly():
        trip = trips_of(reader, leaving.condition, counter, changing, ends=True)
    if trip.count is None:
        return None
    return trip if leaving.first else trip.once_more()


def _with_breaks(
    reader: Reader, trip: Trip, breaks: list[Break], leaving: Break | None, counter: str, changing: dict[str, Changing]
) -> Trip:
    """The trips of a loop which breaks end as well, or its only way out, `leaving`, alone."""
    for one in breaks:
        found = _until(reader, one, counter, changing)
        if found is not None:
            trip = found if one is leaving else trip.and_at_most(found)
    return trip


def _head_end(node: Node, body: Node | None) -> int:
    """Where the head of a loop ends: what follows up to its body is no part of it."""
    before = body.prev_sibling if body is not None else None
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    return before.end_byte if before is not None else node.end_byte


def _enter(reader: Reader, regions: list[Node], counter: str, loop: int, at: int) -> dict[str, Changing]:
    """Set every variable that the loop changes to its value at the start of trip `counter`."""
    by_name: dict[str, list[Assignment]] = {}
    for region in regions:
        for assignment in reader.assignments.from_outside(region):
            by_name.setdefault(assignment.name, []).append(assignment)
    hidden = {a.name for region in regions for a in reader.assignments.within(region) if a.is_hidden_in(region)}
    for name in tuple(by_name):
        by_name |= _inside(reader, name, by_name[name], at)
    assigned = frozenset(n for n, all_ in by_name.items() if not all(a.declares for a in all_))
    changing: dict[str, Changing] = {}
    with fixed_locals(reader, by_name) as moving:
        for name in sorted(assigned):
            variable = reader.find(name)
            if variable is None or variable.array is not None:
                continue
            # A parameter that is written as an array is a pointer, too.
            pointer = variable.type.kind == "pointer"
            pointer |= variable.value is not None and variable.value.pointer is not None
            if pointer and not any(a.whole for a in by_name[name]):
                continue
            start = variable.value or Value(variable.type)
            with at_its_place(reader, variable):
                step = step_of(reader, regions, by_name[name], (moving | hidden) - variable.counters, variable)
            carried = (
                ""
                if step is not None
                else _carried(reader, name, by_name[name], moving, start, loop, counter, variable.place)
            )
            most = advance_of(reader, by_name[name], pointer=pointer) if carried else 0
            changing[name] = Changing(variable, start, step, carried, most)
    for change in changing.values():
        change.variable.value = at_trip(change, Polynomial.symbol(counter))
    return changing


def _inside(reader: Reader, name: str, all_: list[Assignment], loop: int) -> dict[str, list[Assignment]]:
    """The assignments to the numbers that a variable is made of, of those to it and to its fields."""
    variable = reader.find(name)
    found: dict[str, list[Assignment]] = {}
    if variable is not None and variable.elements is not None:
        return stepped_elements(variable, all_, loop)
    if variable is None or variable.type.kind not in COMPOSED:
        return found
    for path in components(variable.type):
        here = [a for a in all_ if a.field == path or (a.whole and not a.field)]
        own = [replace(a, name=f"{name}.{path}", whole=True, field="") for a in here]
        own += [replace(a, name=f"{name}.{path}", steps=None) for a in all_ if _covers(a.field, path)]
        if own:
            found[f"{name}.{path}"] = own
    return found


def _covers(field: str, path: str) -> bool:
    """Whether a store to a field may reach another path: all lanes that a swizzle names, or a structure inside."""
    if not field or field == path:
        return False
    last = field.rpartition(".")[2]
    return path.startswith(f"{field}.") or (len(last) > 1 and bool(lanes_named(last, MAX_COMPONENTS)))


def _forget(reader: Reader, stored: Iterable[str]) -> None:
    """What was loaded before a loop is not what its iterations load, where they store behind these names."""
    roots = set[str]()
    for name in stored if reader.loaded else ():
        variable = reader.find(name)
        pointer = variable.value.pointer if variable is not None and variable.value is not None else None
        roots.add(pointer.root if pointer is not None else root_of(reader, name))
    reader.loaded = {k: s for k, s in reader.loaded.items() if k[0] not in roots}


def _mark(reader: Reader, loop: Loop, roots: Iterable[str], changing: dict[str, Changing]) -> None:
    """Mark what the loop carries, so that chains of operations can be followed from its iterations' start."""
    for name, change in changing.items():
        if change.step is None and change.variable.value is not None:
            change.variable.value = marked(change.variable.value, name, loop.id)
    reader.private.enter(roots, loop.id, loop.counter, reader.arrays, reader.guards)
    for root in roots:
        reader.contents[root] = marked(reader.contents.get(root, Value()), f"[{root}]", loop.id)


def _carries(reader: Reader, regions: list[Node], changing: dict[str, Changing]) -> tuple[tuple[str, ...], list[str]]:
    """The variables and on-chip arrays from outside that the loop changes, and the roots of the private arrays.

    Variables that step evenly are left out. What a pointer leads to, a helper's parameter among them, goes by its root.
    """
    every = {a.name for region in regions for a in reader.assignments.from_outside(region) if not a.declares}
    behind = reader.assignments.changed_behind(*regions) - reader.frame.dead
    found, roots = set[str](), set[str]()
    for name in (every | behind) - reader.frame.dead:
        variable = reader.find(name)
        if variable is None:
            continue
        if variable.elements is not None:
            own = [changing[key] for key in variable.elements.names.values() if key in changing]
            found |= {name} if any(one.step is None for one in own) else set()
            continue
        if variable.array is not None:
            found.add(name)
            if variable.array == "private":
                roots.add(root_of(reader, name))
            continue
        if name in changing and changing[name].step is None and name in every:
            found.add(name)
        pointer = variable.value.pointer if variable.value is not None and name in behind else None
        if pointer is not None and pointer.space == "private" and pointer.root in reader.arrays:
            found, roots = found | {pointer.root}, roots | {pointer.root}
    return tuple(sorted(found)), sorted(roots)


def _carried(
    reader: Reader,
    name: str,
    all_: list[Assignment],
    assigned: frozenset[str],
    start: Value,
    loop: int,
    counter: str,
    place: str,
) -> str:
    """A symbol for a variable that changes from trip to trip, with what it usually does."""

    def amount(node: Node | None, sign: int) -> Polynomial | None:
        return fixed(reader, node, sign, assigned)

    habit = habit_of(reader, all_, assigned, start, amount) if start.number is not None else None
    return reader.symbols.fresh(
        name,
        "carried",
        loop=loop,
        depends_on=(counter, place, *sorted(start.varies_with())) if place else (counter, *sorted(start.varies_with())),
        multiple_of=habit.multiple if habit is not None else 1,
        step=habit.step if habit is not None else None,
    )


LOOP_STATEMENTS: dict[str, Statement] = {
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
}
