"""Where a value lives: variables, and bytes in memory behind pointers, elements and fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tree_sitter import Node

from burstline_model.facts import Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.assignment import field_of, variable_of
from burstline_server.analysis.chains import extended, joined, lanewise
from burstline_server.analysis.composed import HOLDING, held_at, held_in, hold, start_in, within
from burstline_server.analysis.element_variables import at_place, key_of, note, read_in_turn
from burstline_server.analysis.frames import Variable, let_go
from burstline_server.analysis.integers import whole_part
from burstline_server.analysis.mixed import leads_to
from burstline_server.analysis.nodes import one_line, text_of
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.resets import is_zero
from burstline_server.analysis.swizzles import component, lanes_named
from burstline_server.analysis.types import COMPOSED, HALF, UNKNOWN, CType, components, lane_name, pointer_to
from burstline_server.analysis.values import Pointer, Value, combined, moved, ratio_as

_SUBSCRIPT = re.compile(r"\[[^\[\]]*\]|[\s()*&]")


@dataclass(slots=True)
class Place:
    """A variable, or `type` bytes at `pointer`. `part` marks a component of it (a vector's `lanes`, a field).

    `packed` marks a member that its structure aligns less than its type asks for, `index` is the text
    between the last brackets (of a variable: its name), `seen` the values that went into the address.
    """

    type: CType
    variable: Variable | None = None
    pointer: Pointer | None = None
    part: CType | None = None
    packed: bool = False
    lanes: tuple[int, ...] = ()
    index: str = ""
    seen: Value | None = None
    lost: bool = False
    """Behind a pointer whose origin is not known."""
    at: int = 0
    """Where a component lies in its variable, in bytes."""
    path: str = ""
    """How the text names it: a variable, or a field that the variable holds by itself."""
    element: Pointer | None = None
    """Where an element lies that is a variable, in the array that is taken apart."""
    counter: str = ""
    """The counter that takes the place of such elements, where one variable is all of them."""


def place_of(reader: Reader, node: Node | None) -> Place:
    """The place an expression names; address arithmetic in it is evaluated (and recorded) once."""
    if node is None:
        return Place(UNKNOWN)
    match node.type:
        case "identifier":
            return _named(reader, node)
        case "parenthesized_expression":
            inner = [c for c in node.named_children if c.type != "comment"]
            return place_of(reader, inner[-1]) if inner else Place(UNKNOWN)
        case "subscript_expression":
            return _element(reader, node)
        case "field_expression":
            return _field(reader, node)
        case "pointer_expression":
            return pointee(reader.evaluate(node.child_by_field_name("argument")), "")
        case _:
            value = reader.evaluate(node)
            return Place(value.type, seen=value)


def _named(reader: Reader, node: Node) -> Place:
    name = text_of(node)
    variable = reader.find(name)
    return of_variable(reader, name, variable) if variable is not None else Place(UNKNOWN, seen=reader.evaluate(node))


def of_variable(reader: Reader, name: str, variable: Variable) -> Place:
    """The place that a name in the text means."""
    if variable.array is not None:
        return Place(variable.type, variable, Pointer(root_of(reader, name), variable.array, Polynomial()), path=name)
    return Place(variable.type, variable, index=name, path=name)


def root_of(reader: Reader, name: str) -> str:
    """Arrays of helper functions are distinguished from the kernel's by the function's name."""
    if len(reader.frames) > 1 and any(name in scope for scope in reader.frame.scopes):
        return f"{reader.call_names[-1]}.{name}"
    return name


def pointee(value: Value, index: str) -> Place:
    """The place that a pointer leads to."""
    element = value.type.element or UNKNOWN
    if value.pointer is None:
        # What lies in constant memory is on the chip, and no store reaches it.
        lost = value.type.kind == "pointer" and value.type.space != "constant"
        return Place(element, seen=value, index=index, lost=lost)
    pointer = value.pointer._replace(volatile=value.pointer.volatile or element.volatile)
    return Place(element, pointer=pointer, index=index, seen=value)


def _element(reader: Reader, node: Node) -> Place:
    return _taken_apart(reader, node) or _in_array(reader, node)


def _taken_apart(reader: Reader, node: Node) -> Place | None:
    """The variable that an element of a private array is."""
    name = variable_of(node.child_by_field_name("argument"))
    array = reader.find(name) if name else None
    if array is None or array.elements is None:
        return None
    key = key_of(array, node)
    held = reader.find(key) if key else None
    number = reader.evaluate(node.child_by_field_name("index")).number
    if held is None and (value := read_in_turn(reader, array, node, number)) is not None:
        return Place(value.type, seen=value, path=text_of(node))
    if held is None or number is None:
        return None
    element = Pointer(root_of(reader, name), "private", number.scaled(held.type.size))
    return Place(held.type, held, index=key, path=key, element=element, counter="".join(number.symbols))


def _in_array(reader: Reader, node: Node) -> Place:
    base = reader.evaluate(node.child_by_field_name("argument"))
    index_node = node.child_by_field_name("index")
    index = reader.evaluate(index_node)
    if base.type.is_integer and index.type.kind == "pointer":  # `i[p]` is `p[i]`
        base, index, index_node = index, base, node.child_by_field_name("argument")
        reader.index_first = True
    text = one_line(index_node) if index_node is not None else ""
    place = pointee(base, text)
    if place.pointer is None:
        place.seen = combined(place.type, base, index)
        if _is_fixed(reader, base, node):
            place.seen = place.seen._replace(number=reader.symbols.unknown(one_line(node), place.seen))
        return place
    number = index.number
    if not reader.silent:
        reader.observed.update(mark for mark, _ in index.chains)
    if number is None:
        number = reader.symbols.unknown(text or "?", index)
    step = number.scaled(place.type.size) if place.type.size else None
    before = place.pointer.offset if _is_narrow(reader, index) else None
    no_size = Unknown(kind="no_size", names=(place.type.name,))
    place.pointer = moved(place.pointer, step, no_size, narrow_from=before)
    gone = (reader.symbols.divided(s) for s in index.symbols - number.symbols)
    if any(by is not None and by[1].constant is None for by in gone):
        place.pointer = place.pointer._replace(divided=True)
    place.seen = combined(place.type, base, index)
    return place


def _is_fixed(reader: Reader, base: Value, node: Node) -> bool:
    """Whether an element is one of an array in a structure that is passed by value, and that nothing sets.

    It is then as fixed as its place.
    """
    if base.type.kind != "array" or {reader.symbols.kind(s) for s in base.symbols} != {"argument"}:
        return False
    name, _ = field_of(node.child_by_field_name("argument"))
    body = node.parent
    while body is not None and body.type != "function_definition":
        body = body.parent
    return bool(name) and name not in reader.assignments.names(body)


def _is_narrow(reader: Reader, index: Value) -> bool:
    """Whether an index's type keeps it below 256; a signed one that data decide may be negative."""
    if not index.type.is_integer or index.type.size != 1:
        return False
    kinds = {reader.symbols.kind(s) for s in index.number.symbols} if index.number is not None else {"opaque"}
    return index.type.unsigned or kinds.isdisjoint({"loaded", "carried", "opaque"})


def _field(reader: Reader, node: Node) -> Place:
    name_node = node.child_by_field_name("field")
    name = text_of(name_node) if name_node is not None else ""
    argument = node.child_by_field_name("argument")
    operator = node.child_by_field_name("operator")
    arrow = operator is not None and operator.type == "->"
    place = pointee(reader.evaluate(argument), "") if arrow else place_of(reader, argument)
    inside = _inside(place, name)
    if inside and (held := reader.find(inside)) is not None:
        _name_number(reader, held, inside)
        return Place(held.type, held, index=inside)
    if place.type.kind == "vector":
        lanes = lanes_named(name, place.type.count or 1)
        if place.part is not None:  # lanes of some lanes
            lanes = tuple(place.lanes[n] for n in lanes if n < len(place.lanes))
        place.part, place.lanes = component(place.type, name), lanes
        return place
    offset, type_ = place.type.fields.get(name, (None, UNKNOWN))
    if place.pointer is None:
        return replace(place, type=type_, part=type_, path=inside, at=place.at + (offset or 0))
    step = Polynomial.number(offset) if offset is not None else None
    if step is not None and name in place.type.adrift:
        display = f"offset of {name}"
        step += Polynomial.symbol(reader.symbols.once((place.type.name, name), display, "argument"))
    no_field = Unknown(kind="no_field", names=(name, place.type.name))
    pointer = moved(place.pointer, step, no_field)
    packed = place.type.align < min(type_.align, type_.size or 1)
    return Place(type_, pointer=pointer, packed=packed, index=place.index, seen=place.seen, path=inside)


def _name_number(reader: Reader, held: Variable, path: str) -> None:
    """Give a number that a vector or a structure holds a symbol where it is not known: copies of it are the same."""
    if held.value is None or held.value.number is None:
        known = combined(held.type, held.value or Value())
        held.value = known._replace(number=reader.symbols.unknown(path, known))


def _inside(place: Place, name: str) -> str:
    """The path of a field of a place that has one, with a vector's lane by its usual name."""
    if not place.path or place.lanes:
        return ""
    lanes = lanes_named(name, place.type.count or 1) if place.type.kind == "vector" else ()
    if place.type.kind == "vector" and len(lanes) != 1:
        return ""
    return f"{place.path}.{lane_name(lanes[0]) if lanes else name}"


def read(reader: Reader, node: Node, place: Place) -> Value:
    """The value held at a place; an access when it is in memory. A vector's lane reads the whole vector."""
    if place.pointer is not None:
        if place.type.kind == "array" and place.type.element is not None:
            decayed = pointer_to(place.type.element, place.pointer.space)
            return Value(decayed, pointer=place.pointer, symbols=_symbols(place))
        lanes = place.lanes if place.pointer.space == "private" else ()
        pointer = place.pointer._replace(lanes=lanes)
        value = reader.load(node, pointer, place.type, index=place.index, packed=place.packed)
        if place.type.kind == "pointer":
            own = place.pointer.space in HOLDING
            known = held_at(reader, place.pointer) if own else None
            if known is None and (start_in(place.pointer) is not None or not own):
                known = _arrived(reader, place, value, text_of(node))
            value = value._replace(pointer=known)
        if place.seen is not None:
            kind = f"{place.pointer.space} load"
            through = extended(place.seen.chains, kind, tuple(reader.open_loops)) if place.seen.chains else ()
            value = value._replace(
                symbols=value.symbols | place.seen.varies_with(),
                loads=value.loads | place.seen.loads,
                chains=joined([value.chains, through]),
            )
        if place.part is None:
            value = value._replace(held=held_in(reader, place.pointer, place.type))
            return _whole(reader, place, value) if place.path and place.type.kind in COMPOSED else value
        return value._replace(type=place.part, number=None)
    if place.variable is not None:
        value = place.variable.value or Value(place.variable.type)
        if place.element is not None:
            note(reader, place.element, written=False)
            value = at_place(reader, value, place.variable.place, place.counter) if place.variable.place else value
        reader.notice_ids(value)
        if value.type is not place.variable.type:
            value = value._replace(type=place.variable.type)
        if place.type.kind in COMPOSED:
            value = _whole(reader, place, value)
        return _part_of(value, place, place.part) if place.part else value
    if place.lost:
        reader.remark(node, "unknown_origin")
    seen = place.seen or Value()
    return _part_of(seen, place, place.part)._replace(pointer=None) if place.part else seen


def _whole(reader: Reader, place: Place, value: Value) -> Value:
    """The value of a variable with the numbers that it is made of."""
    if not place.path or not (paths := components(place.type)):
        return value
    held = dict[str, Value]()
    for path in paths:
        inner = reader.find(f"{place.path}.{path}")
        if inner is not None and inner.value is not None:
            if inner.type.is_integer and not reader.silent:
                _name_number(reader, inner, f"{place.path}.{path}")
            held[path] = inner.value
    numbers = tuple((path, one.number) for path, one in held.items() if one.number is not None)
    if not held:
        return value
    return combined(value.type, value, *held.values())._replace(parts=numbers, held=value.held)


def _part_of(value: Value, place: Place, type_: CType) -> Value:
    """Some lanes of a vector, or a member of a structure."""
    held = within(value.held, place.at, type_.size)
    if type_.kind == "pointer":
        return value._replace(type=type_, number=None, pointer=dict(held).get(0), parts=(), held=())
    value = value._replace(held=held)
    numbers = dict(value.parts)
    own = [numbers.get(lane_name(lane)) for lane in place.lanes]
    if type_.is_integer and len(own) == 1:
        return value._replace(type=type_, number=own[0], parts=())
    parts = tuple((lane_name(n), number) for n, number in enumerate(own) if number is not None)
    return value._replace(type=type_, number=None, parts=parts)


def set_parts(find: Callable[[str], Variable | None], path: str, type_: CType, value: Value) -> None:
    """Give the numbers that a variable is made of those of a value, lanes of a vector all of a scalar's."""
    numbers, scalar = dict(value.parts), value.number if type_.kind == "vector" else None
    for inner, inner_type in components(type_).items():
        held = find(f"{path}.{inner}")
        if held is not None:
            own = combined(inner_type, value)._replace(number=numbers.get(inner, scalar), ratio=value.ratio)
            lanes = type_.kind == "vector" and own.chains
            held.value = own._replace(chains=lanewise(own.chains, path, f"{path}.{inner}")) if lanes else own


def write(reader: Reader, node: Node, place: Place, value: Value) -> None:
    """Store a value at a place. Storing a vector's lane in memory reads and writes the whole vector."""
    if reader.silent:
        return
    if place.pointer is not None:
        pointer = place.pointer._replace(lanes=place.lanes)
        if place.part is not None:
            reader.load(node, pointer, place.type, index=place.index)
        stored = combined(value.type, value, place.seen) if place.seen is not None else value
        if is_zero(value) and place.part is None:
            stored = stored._replace(number=Polynomial())
        reader.store(node, pointer, place.type, stored, index=place.index, packed=place.packed)
        if place.part is None:
            hold(reader, pointer, place.type, value)
        if place.path and place.part is None:
            set_parts(reader.find, place.path, place.type, value)
    elif place.lost:
        reader.remark(node, "unknown_origin")
    elif place.variable is not None:
        if place.part is not None:
            before = place.variable.value
            pointers = _overlaid(before.held if before else (), place, value)
            known = combined(place.type, value, before) if before else combined(place.type, value)
            place.variable.value = known._replace(held=pointers)
            numbers = dict(value.parts)
            for n, lane in enumerate(place.lanes):
                held = reader.find(f"{place.path}.{lane_name(lane)}") if place.path else None
                if held is not None:
                    number = numbers.get(lane_name(n), value.number)
                    held.value = combined(held.type, value)._replace(number=number)
        else:
            leads_to(reader, place.variable, value.pointer)
            if place.element is not None:
                note(reader, place.element, written=True)
            place.variable.value = own = _as_declared(reader, place, value)
            if place.path and place.type.kind in COMPOSED:
                set_parts(reader.find, place.path, place.type, value)
            if place.path and place.type.kind == "vector" and own.chains:
                place.variable.value = own._replace(chains=lanewise(own.chains, place.path, place.path))


def _arrived(reader: Reader, place: Place, value: Value, text: str) -> Pointer | None:
    """A pointer that came in a structure, from a channel or from memory: to a buffer that the host knows.

    No pointer to other memory can come from there. Where it begins is a symbol of its own for each arrival.
    """
    element = value.type.element
    if element is None or not element.size or place.pointer is None:
        return None
    came = {s for s in value.symbols if reader.symbols.kind(s) == "loaded"}
    if place.path and came:
        start = reader.symbols.once(("arrived", place.path, frozenset(came)), place.path, "loaded")
        return Pointer(place.path, "global", Polynomial.symbol(start).scaled(element.size))
    if place.pointer.space in HOLDING:
        return None
    name = _SUBSCRIPT.sub("", text).replace("->", ".")
    if place.pointer.offset is None or place.pointer.volatile:
        begins = reader.symbols.unknown(name, value)
    else:
        key = (place.pointer.root, place.pointer.offset, value.type.name)
        known = reader.loaded.get(key)
        begins = Polynomial.symbol(known) if known is not None else reader.symbols.unknown(name, value)
        reader.loaded[key] = known if known is not None else next(iter(begins.symbols))
    return Pointer(name, "global", begins.scaled(element.size))


def _overlaid(held: tuple[tuple[int, Pointer], ...], place: Place, value: Value) -> tuple[tuple[int, Pointer], ...]:
    """The pointers of a variable after a component of it was set."""
    end = place.at + place.type.size
    kept = tuple((at, pointer) for at, pointer in held if not place.at <= at < end)
    own = ((0, value.pointer),) if value.pointer is not None else value.held
    return (*kept, *((place.at + at, pointer) for at, pointer in own))


_CROSSING = {("real", "integer"), ("integer", "real")}


def conversion(reader: Reader, value: Value, type_: CType) -> Value:
    """The value after the step that makes it one of another type: from or to integers or halves."""
    if value.type is type_:
        return value
    of, to = value.type.lane, type_.lane
    if (of.kind, to.kind) in _CROSSING:
        return reader.stepped(value, to, "convert") if to.is_real else reader.stepped(value, of, "truncate")
    halves = {one.scalar_bytes == HALF.size for one in (of, to) if one.is_real}
    return reader.stepped(value, HALF, "convert") if len(halves) > 1 else value


def _as_declared(reader: Reader, place: Place, value: Value) -> Value:
    """The value as the variable's type holds it: an integer variable always has a number."""
    type_ = place.variable.type if place.variable is not None else place.type
    if type_.is_integer and value.number is None and value.ratio is not None:
        value = value._replace(number=whole_part(reader, *value.ratio))
    if type_.is_integer and value.number is None and value.pointer is None:
        known = combined(type_, conversion(reader, value, type_))
        return known._replace(number=reader.symbols.unknown(place.index or "?", known))
    number = value.number if type_.is_integer else None
    ratio = ratio_as(type_, value)
    return conversion(reader, value, type_)._replace(type=type_, number=number, ratio=ratio)


def address_of(reader: Reader, node: Node | None) -> Value:
    """``&expression``."""
    let_go(reader.frame, variable_of(node) or field_of(node)[0])
    place = place_of(reader, node)
    if place.pointer is not None:
        inner = place.part or place.type
        return Value(pointer_to(inner, place.pointer.space), pointer=place.pointer, symbols=_symbols(place))
    name = text_of(node) if node is not None and node.type == "identifier" else "?"
    pointer = Pointer(root_of(reader, name), "private", Polynomial())
    if place.variable is not None and not reader.silent:
        place.variable.array = "private"  # from here on, its value may change behind the pointer
        value = place.variable.value or Value(place.type)
        reader.hold(pointer, value)
        hold(reader, pointer, place.type, value, fresh=True)
    return Value(pointer_to(place.type, "private"), pointer=pointer)


def _symbols(place: Place) -> frozenset[str]:
    return place.seen.varies_with() if place.seen is not None else frozenset()
