"""Places that values are loaded from and stored to: names, memory, lanes of either."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeAlias

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import Expr, converted, is_simple, moved, number, pointer
from burstline_server.interpreter.kinds import I4, Array, Kind, Pointer, Record, Scalar, Vector, has_pointer
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Variable, Writer, operands, part, sign_of


@fixed
class Local:
    """A variable that is a name of the generated code."""

    name: str
    kind: Kind


@fixed
class Memory:
    """A value in a block, at an offset; `base` is evaluated before `offset`, each once."""

    base: str
    offset: str
    kind: Kind


@fixed
class Lanes:
    """Some lanes of a vector at a place."""

    of: Local | Memory
    lanes: tuple[int, ...]
    kind: Kind


@fixed
class Fixed:
    """A value that has a name and no place of its own: a constant, or a pointer that nothing moves."""

    value: Expr


Place: TypeAlias = Local | Memory | Lanes | Fixed
_LANES = re.compile(r"[xyzw]+|[rgba]+|[sS][0-9a-fA-F]+|lo|hi|even|odd")


def lanes_of(name: str, vector: Vector) -> tuple[int, ...]:
    """The lanes that a component's name means."""
    if not _LANES.fullmatch(name):
        raise NotExecutableError("expression", name)
    whole = range(4 if vector.lanes == 3 else vector.lanes)
    half = len(whole) // 2
    match name:
        case "lo":
            found = tuple(whole[:half])
        case "hi":
            found = tuple(whole[half:])
        case "even":
            found = tuple(whole[::2])
        case "odd":
            found = tuple(whole[1::2])
        case _ if name[0] in "sS":
            found = tuple(int(c, 16) for c in name[1:])
        case _:
            found = tuple(("xyzw" if name[0] in "xyzw" else "rgba").index(c) for c in name)
    if max(found) >= vector.lanes:
        raise NotExecutableError("expression", name)
    return found


def place_of_variable(variable: Variable) -> Place:
    """Where a variable is."""
    if variable.form == "local":
        return Local(variable.name, variable.kind)
    if variable.form == "block":
        return Memory(variable.name, "0", variable.kind)
    if variable.form == "pair" and isinstance(variable.kind, Pointer):
        return Fixed(pointer(f"{variable.name}b", f"{variable.name}o", variable.kind.to))
    if variable.value is not None:
        return Fixed(variable.value)
    raise NotExecutableError("name", variable.name)


def pointed(w: Writer, value: Expr, kind: Kind | None = None) -> Memory:
    """What a pointer points to."""
    if not isinstance(value.kind, Pointer):
        raise NotExecutableError("expression", "pointer")
    to = kind or value.kind.to
    value = parts(w, value)
    return Memory(value.base, value.offset, to)


def parts(w: Writer, value: Expr) -> Expr:
    """A pointer whose parts have code each."""
    if value.base:
        return value
    if is_simple(value.code):
        return replace(value, base=f"{value.code}[0]", offset=f"{value.code}[1]")
    name = w.fresh()
    return replace(value, base=f"({name} := {value.code})[0]", offset=f"{name}[1]")


def place(w: Writer, node: Node) -> Place:
    """The place that an expression names; a value without one is put into a variable of its own."""
    match node.type:
        case "identifier":
            variable = w.find(text_of(node))
            if variable is not None:
                return place_of_variable(variable)
            return Fixed(w.program.value(w, node))
        case "parenthesized_expression":
            return place(w, operands(node)[-1])
        case "subscript_expression":
            array = w.program.value(w, part(node, "argument"))
            index = w.program.value(w, part(node, "index"))
            if isinstance(index.kind, Pointer):
                array, index = index, array
            return pointed(w, moved(parts(w, array), index, "+"))
        case "pointer_expression" if sign_of(node) == "*":
            return pointed(w, w.program.value(w, part(node, "argument")))
        case "field_expression":
            return _field(w, node)
        case _:
            return Fixed(w.program.value(w, node))


def _field(w: Writer, node: Node) -> Place:
    argument, name = part(node, "argument"), text_of(part(node, "field"))
    if sign_of(node) == "->":
        whole: Place = pointed(w, w.program.value(w, argument))
    else:
        whole = place(w, argument)
    kind = whole.value.kind if isinstance(whole, Fixed) else whole.kind
    if isinstance(kind, Record):
        offset, inner = kind.field(name)
        if isinstance(whole, Fixed):
            return Memory(f"record({whole.value.code})", str(offset), inner)
        if isinstance(whole, Memory):
            here = pointer(whole.base, whole.offset, Scalar("i1", 1, False, True))
            return Memory(whole.base, moved(here, number(offset, I4), "+").offset, inner)
    if isinstance(kind, Vector):
        return _component(whole, kind, lanes_of(name, kind))
    raise NotExecutableError("expression", name)


def _component(whole: Place, vector: Vector, lanes: tuple[int, ...]) -> Place:
    kind: Kind = vector.element if len(lanes) == 1 else Vector(vector.element, len(lanes))
    match whole:
        case Fixed(value=value):
            one = f"{value.code}[{lanes[0]}]" if len(lanes) == 1 else f"pick({value.code}, {lanes!r})"
            return Fixed(Expr(one, kind))
        case Lanes(of=of, lanes=outer):
            return _component(of, Vector(vector.element, 16), tuple(outer[lane] for lane in lanes))
        case _:
            return Lanes(whole, lanes, kind)


def load(where: Place) -> Expr:
    """The value at a place; an array's is where it begins."""
    match where:
        case Fixed(value=value):
            return value
        case Local(name=name, kind=kind):
            return Expr(name, kind, base=f"{name}[0]", offset=f"{name}[1]") if isinstance(kind, Pointer) else Expr(
                name, kind)  # fmt: skip
        case Lanes(of=Local(name=name), lanes=lanes, kind=kind):
            return Expr(f"{name}[{lanes[0]}]" if len(lanes) == 1 else f"pick({name}, {lanes!r})", kind)
        case Lanes(of=Memory() as of, lanes=lanes, kind=kind):
            # Compilers load the whole vector, and take what is asked for.
            whole = load(of).code
            return Expr(f"{whole}[{lanes[0]}]" if len(lanes) == 1 else f"pick({whole}, {lanes!r})", kind)
        case Memory(base=base, offset=offset, kind=kind):
            return _loaded(base, offset, kind)
    raise NotExecutableError("expression")


def _loaded(base: str, offset: str, kind: Kind) -> Expr:
    match kind:
        case Scalar() | Vector():
            return Expr(f"L_{kind.code}({base}, {offset})", kind)
        case Array(element=element):
            return pointer(base, offset, element)
        case Record(size=size):
            if has_pointer(kind):
                raise NotExecutableError("type", kind.name)
            return Expr(f"load_record({base}, {offset}, {size})", kind)
        case Pointer():
            return Expr(f"load_pointer({base}, {offset})", kind)
        case _:
            raise NotExecutableError("type", "void")


def store(where: Place, value: Expr) -> Expr:
    """Put a value at a place; the expression's value is what was put."""
    if isinstance(where, Fixed):
        raise NotExecutableError("expression", "assignment")
    value = converted(value, where.kind)
    match where:
        case Local(name=name, kind=kind):
            code = f"({name} := {value.code})"
            if isinstance(kind, Pointer):
                return Expr(code, kind, base=f"{code}[0]", offset=f"{name}[1]")
            return Expr(code, kind)
        case Lanes(of=Local(name=name), lanes=lanes, kind=kind):
            values = f"({value.code},)" if isinstance(kind, Scalar) else value.code
            # As a value, the lanes are picked again.
            one = f"({name} := put({name}, {lanes!r}, {values}))"
            return Expr(f"{one}[{lanes[0]}]" if isinstance(kind, Scalar) else f"pick({one}, {lanes!r})", kind)
        case Lanes(of=Memory(base=base, offset=offset), lanes=lanes, kind=Vector(element=element) as kind):
            function = f"S_{element.code}"
            return Expr(f"store_lanes({base}, {offset}, {function}, {element.size}, {lanes!r}, {value.code})", kind)
        case Lanes(of=Memory() as of, lanes=(lane,), kind=Scalar() as element):
            return store(_lane(of, lane, element), value)
        case Memory(base=base, offset=offset, kind=Record() as kind):
            return Expr(f"store_record({base}, {offset}, {value.code})", kind)
        case Memory(base=base, offset=offset, kind=Pointer() as kind):
            return Expr(f"store_pointer({base}, {offset}, {value.code})", kind)
        case Memory(base=base, offset=offset, kind=(Scalar() | Vector()) as kind):
            return Expr(f"S_{kind.code}({base}, {offset}, {value.code})", kind)
        case _:
            raise NotExecutableError("expression", "assignment")


def pinned(w: Writer, where: Place) -> tuple[list[str], Place]:
    """Code that computes an address once, and the place with names for it."""
    inner = where.of if isinstance(where, Lanes) else where
    if not isinstance(inner, Memory) or (is_simple(inner.base) and is_simple(inner.offset)):
        return [], where
    base, offset = w.fresh(), w.fresh()
    code = [f"({base} := {inner.base})", f"({offset} := {inner.offset})"]
    held = replace(inner, base=base, offset=offset)
    return code, replace(where, of=held) if isinstance(where, Lanes) else held


def _lane(vector: Memory, lane: int, element: Scalar) -> Memory:
    """One lane of a vector in memory, as a number of its own."""
    here = moved(pointer(vector.base, vector.offset, element), number(lane, I4), "+")
    return Memory(vector.base, here.offset, element)


def address(w: Writer, node: Node) -> Expr:
    """``&x``."""
    where = place(w, node)
    if isinstance(where, Lanes) and isinstance(where.of, Memory) and isinstance(where.kind, Scalar):
        where = _lane(where.of, where.lanes[0], where.kind)
    if not isinstance(where, Memory):
        raise NotExecutableError("expression", "&")
    return pointer(where.base, where.offset, where.kind)
