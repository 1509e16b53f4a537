"""Private arrays whose elements are variables once loops are unrolled: compilers take them apart, and registers count.

Every use of such an array names an element by a number, or every one by the counter of a loop that is unrolled whole.
Then one variable is all elements: what it holds is made of a symbol for the element's place. Elements set by number may
be read by such a counter as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from burstline_model.facts import Loop
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.assignment import Assignment, added_to, variable_of
from burstline_server.analysis.chains import outside
from burstline_server.analysis.frames import Elements, Variable
from burstline_server.analysis.nodes import text_of, unwrapped
from burstline_server.analysis.pragmas import loop_pragmas
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import INT, CType
from burstline_server.analysis.values import Pointer, Value, combined
from burstline_server.analysis.whole_loops import is_unrolled_whole

MAX_USES = 400
"""Most uses that are looked at; an array that has more is followed as a whole."""
MAX_ELEMENTS = 64
"""Most elements that are followed one by one."""
_INDEX = re.compile(r"\d+")


@dataclass(slots=True)
class _Uses:
    """How the elements of an array are named so far."""

    numbers: set[int] = field(default_factory=set)
    loops: dict[int, Node] = field(default_factory=dict)
    """The loops whose counters name elements, by where they begin."""
    trips: set[int] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    set_in_turn: bool = False
    """Whether a counter names what is set."""


def apart(reader: Reader, declarator: Node, name: str, type_: CType) -> Elements | None:
    """The variables that an array is taken apart into; None for one that stays whole."""
    element, block = type_.element, _block(declarator)
    if type_.kind != "array" or element is None or element.volatile or block is None or not type_.count:
        return None
    if not (element.is_integer or element.kind == "pointer"):
        return None
    uses, text, start = _Uses(), block.text or b"", block.start_byte
    for count, found in enumerate(re.finditer(rb"\b%s\b" % re.escape(name.encode()), text)):
        at = start + found.start()
        if declarator.start_byte <= at < declarator.end_byte:
            continue
        use = block.descendant_for_byte_range(at, at + len(name))
        if count > MAX_USES or use is None or (use.type == "identifier" and not _take(reader, use, uses)):
            return None
    if uses.loops and not uses.numbers and len(uses.trips) == 1 and max(uses.trips) <= type_.count:
        if any(_is_inside(a, b) for a in uses.loops.values() for b in uses.loops.values() if a != b):
            return None
        own = reader.symbols.fresh(f"{name}[]", "opaque")
        counters = frozenset(uses.names)
        return Elements(
            element, max(uses.trips), {"": f"{name}[{uses.names[0]}]"}, own, frozenset(uses.loops), counters
        )
    if not uses.numbers or max(uses.numbers) >= min(type_.count, MAX_ELEMENTS):
        return None
    known = not uses.set_in_turn and element.is_integer and set(range(max(uses.trips, default=0))) <= uses.numbers
    if uses.loops and not known:
        return None
    return Elements(element, type_.count, {str(n): f"{name}[{n}]" for n in sorted(uses.numbers)})


def _block(declarator: Node) -> Node | None:
    """The block that a declaration in it is visible in."""
    declaration = declarator.parent
    block = declaration.parent if declaration is not None else None
    return block if block is not None and block.type == "compound_statement" else None


def _take(reader: Reader, use: Node, uses: _Uses) -> bool:
    """Note which element a use of an array names; False where that is not one variable."""
    whole = use.parent
    if whole is None or whole.type != "subscript_expression" or whole.child_by_field_name("argument") != use:
        return False
    outer = whole.parent
    operator = outer.child_by_field_name("operator") if outer is not None else None
    if outer is None or (outer.type == "pointer_expression" and operator is not None and operator.type == "&"):
        return False
    index = whole.child_by_field_name("index")
    if (number := _number(index)) is not None:
        uses.numbers.add(number)
        return True
    loop = _loop_of(use, variable_of(index))
    trips = _whole_trips(reader, loop) if loop is not None else None
    if loop is None or not trips:
        return False
    uses.loops[loop.start_byte] = loop
    uses.trips.add(trips)
    uses.names.append(variable_of(index))
    is_set = outer.type == "assignment_expression" and outer.child_by_field_name("left") == whole
    uses.set_in_turn |= is_set or outer.type == "update_expression"
    return True


def _number(index: Node | None) -> int | None:
    """The number that an index is written as."""
    text = text_of(unwrapped(index)) if index is not None else ""
    return int(text) if _INDEX.fullmatch(text) and (text == "0" or text[0] != "0") else None


def _loop_of(use: Node, counter: str) -> Node | None:
    """The loop around a use that counts with a variable of its own."""
    node = use.parent
    while node is not None and counter and node.type != "function_definition":
        begin = node.child_by_field_name("initializer") if node.type == "for_statement" else None
        declarator = begin.child_by_field_name("declarator") if begin is not None else None
        if declarator is not None and declarator.type == "init_declarator":
            value = declarator.child_by_field_name("value")
            if variable_of(declarator.child_by_field_name("declarator")) == counter:
                return node if value is not None and text_of(value) == "0" else None
        node = node.parent
    return None


_STEPS = ("{0}++", "++{0}", "{0}+=1", "{0}={0}+1")


def _whole_trips(reader: Reader, loop: Node) -> int | None:
    """The trips of a loop that counts up from 0 by one, and that a pragma unrolls whole; None for any other."""
    condition, update = loop.child_by_field_name("condition"), loop.child_by_field_name("update")
    body = loop.child_by_field_name("body")
    if condition is None or update is None or condition.type != "binary_expression" or body is None:
        return None
    left, operator = condition.child_by_field_name("left"), condition.child_by_field_name("operator")
    counter, bound = variable_of(left), condition.child_by_field_name("right")
    stepped = "".join(text_of(update).split()) in {one.format(counter) for one in _STEPS}
    if not counter or operator is None or operator.type != "<" or bound is None or not stepped:
        return None
    if b"break" in (body.text or b"") or counter in reader.assignments.names(body):
        return None
    trips = Polynomial.number(reader.constant(bound) or 0)
    return trips.constant if is_unrolled_whole(loop_pragmas(reader.source, loop).unroll, trips) else None


def _is_inside(inner: Node, outer: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def begin(reader: Reader, elements: Elements, listed: Node | None, value: Value | None) -> None:
    """Bring the elements of an array into scope, with their first values: those behind a list's end are 0."""
    numbers = {int(place): number for place, number in value.parts} if value is not None else {}
    if listed is not None and listed.type == "initializer_list":
        given = [one for one in listed.named_children if one.type != "comment"]
        if all(one.type != "initializer_pair" for one in given):
            numbers |= {n: Polynomial() for n in range(len(given), elements.count)}
    pointers = {at // elements.type.size: one for at, one in value.held} if value is not None else {}
    for place, key in elements.names.items():
        variable = Variable(elements.type, place=elements.own, counters=elements.counters)
        reader.frame.scopes[-1][key] = variable
        if elements.type.kind == "pointer":
            pointer = pointers.get(int(place)) if place else None
            variable.value = Value(elements.type, pointer=pointer) if pointer is not None else None
            continue
        known = numbers.get(int(place)) if place else _in_line(numbers, elements)
        if known is None:
            known = Polynomial.symbol(reader.symbols.fresh(key, "opaque", depends_on=_own(elements)))
        variable.value = Value(elements.type, known)


def _own(elements: Elements) -> tuple[str, ...]:
    return (elements.own,) if elements.own else ()


def _in_line(numbers: Mapping[int, Polynomial], elements: Elements) -> Polynomial | None:
    """The numbers of all elements by their place, where they lie evenly apart."""
    first = numbers.get(0)
    if first is None:
        return None
    step = numbers[1] - first if 1 in numbers else Polynomial()
    if any(numbers.get(n) != first + step.scaled(n) for n in range(elements.count)):
        return None
    return first + Polynomial.symbol(elements.own) * step


def key_of(variable: Variable, node: Node) -> str:
    """The name of the variable that ``a[0]`` or ``a[c]`` is."""
    if variable.elements is None:
        return ""
    index = _number(node.child_by_field_name("index"))
    return variable.elements.names.get("" if variable.elements.own else str(index), "")


def read_in_turn(reader: Reader, variable: Variable, node: Node, number: Polynomial | None) -> Value | None:
    """What ``a[c]`` reads of an array whose elements are variables by number; None for any other.

    Compilers know each element in a loop that they unroll whole. Where all lie evenly apart, so does what is read.
    """
    elements = variable.elements
    if elements is None or elements.own or number is None:
        return None
    held = {int(place): reader.find(key) for place, key in elements.names.items()}
    values = {n: one.value for n, one in held.items() if one is not None and one.value is not None}
    if len(values) < len(held):
        return None
    known = {n: one.number for n, one in values.items() if one.number is not None}
    value = combined(elements.type, *values.values())
    first, step = known.get(0), known.get(1, Polynomial()) - known.get(0, Polynomial())
    if first is not None and all(known.get(n) == first + step.scaled(n) for n in held):
        return value._replace(number=first + number * step)
    value = value._replace(symbols=value.symbols | set(number.symbols))
    return value._replace(number=reader.symbols.unknown(text_of(node), value))


def is_element(reader: Reader, subscript: Node) -> bool:
    """Whether ``a[0]`` or ``a[c]`` is a variable of its own."""
    variable = reader.find(variable_of(subscript.child_by_field_name("argument")))
    return variable is not None and bool(key_of(variable, subscript))


def element_loops(reader: Reader, name: str) -> frozenset[int]:
    """Where the loops begin that take all elements one by one of the array that a variable is an element of."""
    variable = reader.find(name.partition("[")[0])
    return variable.elements.loops if variable is not None and variable.elements is not None else frozenset()


def stepped_elements(variable: Variable, every: Sequence[Assignment], loop: int) -> dict[str, list[Assignment]]:
    """What is assigned in a loop that begins at a place to the elements of an array, by the variables that they are.

    In a loop that takes all elements one by one, none goes on from one trip to the next.
    """
    elements, found = variable.elements, dict[str, list[Assignment]]()
    if elements is None or loop in elements.loops:
        return found
    for one in every:
        left = one.node.child_by_field_name("left") or one.node.child_by_field_name("argument")
        key = key_of(variable, left) if left is not None and left.type == "subscript_expression" else ""
        if key:
            around = tuple(n for n in one.loops if n.start_byte not in elements.loops)
            own = replace(one, name=key, whole=True, steps=added_to(one.node), loops=around)
            found.setdefault(key, []).append(own)
    return found


@contextmanager
def at_its_place(reader: Reader, variable: Variable) -> Iterator[None]:
    """Read what the text says of one element by a counter as what it is for each."""
    if not variable.place:
        yield
        return
    with reader.scope():
        for name in variable.counters:
            reader.declare(name, Variable(INT, Value(INT, Polynomial.symbol(variable.place))))
        yield


def settled(reader: Reader, node: Node, loop: Loop) -> None:
    """Behind a loop that takes the elements of arrays one by one: what they hold, by their place, not the counter."""
    for scope in reader.frame.scopes:
        for variable in [*scope.values()]:
            elements = variable.elements
            if elements is None or node.start_byte not in elements.loops:
                continue
            own = reader.find(elements.names[""])
            if own is not None and own.value is not None:
                value = own.value._replace(chains=outside(own.value.chains, loop.id))
                own.value = at_place(reader, value, loop.counter, elements.own)


def at_place(reader: Reader, value: Value, old: str, new: str) -> Value:
    """What a value is at another place, or under another counter."""
    symbols = reader.symbols

    def there(number: Polynomial | None) -> Polynomial | None:
        return symbols.at(number, old, new) if number is not None else None

    pointer = value.pointer
    moved = pointer._replace(offset=there(pointer.offset), narrow_from=None) if pointer is not None else None
    own = frozenset(new if s == old else s for s in value.symbols)
    if old in symbols.closure(own):
        own |= {new}
    return value._replace(number=there(value.number), pointer=moved, symbols=own)


def note(reader: Reader, pointer: Pointer, *, written: bool) -> None:
    """Note that an element of an array is read, or set."""
    if not reader.silent:
        reader.pick(pointer)
        if written:
            reader.stored.add(pointer.root)
