"""What a trip of a loop adds to its variables, and the variables that it counts with."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from burstline_model.facts import Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.assignment import Assignment
from burstline_server.analysis.assignments import LOOPS
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.loop_ways import added_in_a_trip, jumps_on
from burstline_server.analysis.nodes import identifiers
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.trips import Changing, Trip, trips_of
from burstline_server.analysis.values import Value, moved, somewhere


def at_trip(change: Changing, trips: Polynomial) -> Value:
    """The variable after `trips` trips."""
    start, type_ = change.start, change.variable.type
    if change.step is None:
        own = start.symbols | (frozenset({change.carried}) if change.carried else frozenset())
        value = Value(type_, symbols=own, loads=start.loads, chains=start.chains, made_of=start.made_of)
        if type_.is_integer:
            return value._replace(number=Polynomial.symbol(change.carried))
        if start.pointer is not None:
            why = Unknown(kind="changes_each_trip")
            return value._replace(pointer=somewhere(start.pointer, type_, Polynomial.symbol(change.carried), why))
        return value
    distance = change.step * trips
    if start.pointer is not None:
        return start._replace(pointer=moved(start.pointer, distance))
    number = start.number + distance if start.number is not None else None
    return start._replace(type=type_, number=number)


def step_of(
    reader: Reader, regions: Sequence[Node], all_: list[Assignment], assigned: frozenset[str], variable: Variable
) -> Polynomial | None:
    """What one trip adds to the variable; None when that is not one fixed amount, on whichever way.

    `regions` are what a trip goes through: the loop's body, update and condition.
    """
    is_pointer = variable.type.kind == "pointer"
    real = [a for a in all_ if not a.declares and (a.whole or not is_pointer)]
    start = variable.value
    unit = 1
    if is_pointer and variable.type.element is not None:
        unit = variable.type.element.size
        if not unit or start is None or start.pointer is None or start.pointer.offset is None:
            return None
    elif not variable.type.is_integer or start is None or start.number is None:
        return None
    amounts: list[tuple[Node, Polynomial]] = []
    for assignment in real:
        amount = _amount(reader, assignment, assigned)
        if amount is None:
            return Polynomial() if _is_set_back(reader, real, assigned, start) else None
        amounts.append((assignment.node, amount.scaled(unit)))
    if any(a.conditional for a in real) or any(jumps_on(region) for region in regions):
        return added_in_a_trip(regions, amounts) if real else None
    return sum((amount for _, amount in amounts), Polynomial()) if real else None


def _is_set_back(reader: Reader, all_: list[Assignment], assigned: frozenset[str], start: Value) -> bool:
    """Whether the last thing every trip does to a variable is to give it the value that it came with.

    Loops whose work-items share out a tile do so with the item's own counter.
    """
    last = max(all_, key=lambda a: a.node.start_byte)
    statement = last.node.parent
    body = statement.parent if statement is not None else None
    loop = body.parent if body is not None else None
    right, operator = last.node.child_by_field_name("right"), last.node.child_by_field_name("operator")
    plain = operator is not None and operator.type == "=" and last.whole and not (last.conditional or last.loops)
    if not plain or right is None or start.number is None or loop is None or body is None or loop.type not in LOOPS:
        return False
    if loop.child_by_field_name("body") != body or _skips(body) or identifiers(right) & assigned:
        return False
    if any(not body.start_byte <= a.node.start_byte < body.end_byte for a in all_):
        return False
    return not reader.assignments.names(right) and reader.evaluate_quietly(right).number == start.number


def _amount(reader: Reader, assignment: Assignment, assigned: frozenset[str]) -> Polynomial | None:
    """What one assignment adds in one trip of the loop; None when that may differ from trip to trip."""
    if assignment.steps is None or (assignment.conditional and assignment.loops):
        return None
    total = fixed(reader, *assignment.steps, assigned, assignment.name.partition(".")[2])
    if total is None:
        return None
    total += Polynomial.number(assignment.more)
    for inner in assignment.loops:
        trips = _peek_trips(reader, inner, assigned)
        if trips is None:
            return None
        total = total * trips
    return total


def fixed(reader: Reader, node: Node | None, sign: int, assigned: frozenset[str], path: str = "") -> Polynomial | None:
    """A step's value (the node None means one), of a vector's at a path; None when it may differ from trip to trip."""
    if node is None:
        return Polynomial.number(sign)
    if reader.assignments.names(node) or identifiers(node) & assigned:
        return None
    value = reader.evaluate_quietly(node)
    number = dict(value.parts).get(path) if value.type.kind == "vector" else value.number
    if number is None or any(reader.symbols.kind(s) == "loaded" for s in number.symbols):
        return None
    return number.scaled(sign)


def _peek_trips(reader: Reader, loop: Node, assigned: frozenset[str]) -> Polynomial | None:
    """The trip count of an inner loop before it is read, when nothing around it changes it."""
    update, condition = loop.child_by_field_name("update"), loop.child_by_field_name("condition")
    initializer = loop.child_by_field_name("initializer")
    name = counted_name(reader, update, condition, declared=_declared_names(initializer))
    if loop.type != "for_statement" or condition is None or initializer is None or not name:
        return None
    inside = identifiers(condition) | identifiers(initializer)
    if (inside - {name}) & assigned or any(leaves(c) for c in loop.named_children):
        return None
    regions = [r for r in (update, loop.child_by_field_name("body")) if r is not None]
    steps = [a for r in regions for a in reader.assignments.from_outside(r) if a.name == name]
    if len(steps) != 1 or steps[0].steps is None or steps[0].conditional:
        return None
    trial = reader.trial()
    trial.frame.scopes.append({})
    trial.run(initializer)
    variable = trial.find(name)
    trip: Trip | None = None
    if variable is not None and len(trial.accesses) == len(reader.accesses):
        step = step_of(trial, regions, steps, assigned, variable)
        if step is not None:
            counter = trial.symbols.once("peeked", "(inner)", "loop")
            change = Changing(variable, variable.value or Value(), step, "")
            variable.value = at_trip(change, Polynomial.symbol(counter))
            with trial.quietly():
                trip = trips_of(trial, condition, counter, {name: change})
    reader.add_effort(trial)
    return trip.count if trip is not None and not trip.early else None


def counted_name(
    reader: Reader, update: Node | None, condition: Node | None, declared: frozenset[str] = frozenset()
) -> str:
    """The variable that the loop counts with: stepped by the update and tested by the condition."""
    tested = identifiers(condition) if condition is not None else frozenset[str]()
    stepped = [a.name for a in reader.assignments.within(update)] if update is not None else []
    for name in stepped:
        if name in tested and (name in declared or reader.find(name) is not None):
            return name
    return stepped[0] if stepped else ""


def _declared_names(initializer: Node | None) -> frozenset[str]:
    return identifiers(initializer) if initializer is not None else frozenset()


def leaves(body: Node) -> bool:
    """Whether a break of this loop, a return or a goto is in its body."""
    return _jumps(body, "break_statement", _BREAKABLE)


def _skips(body: Node) -> bool:
    """Whether a continue of this loop, or what leaves it, is in its body."""
    return _jumps(body, "continue_statement", LOOPS) or leaves(body)


def _jumps(body: Node, statement: str, around: set[str]) -> bool:
    """Whether a return, a goto, or such a statement that none of `around` catches is in a loop's body."""
    text = body.text or b""
    if not any(word in text for word in (b"return", b"goto", statement.partition("_")[0].encode())):
        return False
    waiting = [(body, False)]
    while waiting:
        node, inner = waiting.pop()
        if node.type in {"return_statement", "goto_statement"} or (node.type == statement and not inner):
            return True
        inner = inner or node.type in around
        waiting.extend((child, inner) for child in node.named_children)
    return False


_BREAKABLE = {"for_statement", "while_statement", "do_statement", "switch_statement"}
