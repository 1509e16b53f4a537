"""Statements to lines of code, by the kind of their syntax."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from burstline_server.analysis.nodes import previous_end
from burstline_server.interpreter.code import Expr, converted, truth
from burstline_server.interpreter.initializers import filled, length_of
from burstline_server.interpreter.kinds import I4, Array, Kind, Pointer, Record, Scalar, Vector, Void, kind_of
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Jump, Variable, Writer, operands, part

TURN = ("T.left -= 1", "if T.left < 0: T.spend()")
"""What each turn of a loop does first."""
MOST_DEPTH = 60
"""Most blocks inside each other."""


def statement(w: Writer, node: Node) -> None:
    """Add the code of a statement."""
    writer = _WRITERS.get(node.type)
    if writer is None:
        raise NotExecutableError("statement", node.type)
    if w.depth > MOST_DEPTH:
        raise NotExecutableError("size")
    writer(w, node)


def inside(w: Writer, *nodes: Node) -> None:
    """Statements as a block of their own, one step further in."""
    w.depth += 1
    w.scopes.append({})
    before = len(w.lines)
    for node in nodes:
        statement(w, node)
    if len(w.lines) == before:
        w.emit("pass")
    w.scopes.pop()
    w.depth -= 1


def _block(w: Writer, node: Node) -> None:
    w.scopes.append({})
    for one in operands(node):
        statement(w, one)
    w.scopes.pop()


def _expression(w: Writer, node: Node) -> None:
    for one in operands(node):
        w.emit(w.program.value(w, one).code)


def _declaration(w: Writer, node: Node) -> None:
    base = w.types.base(node)
    words = {n.text.strip("_") for n in w.program.source.notes_in(previous_end(node), node.end_byte)}
    for declarator in node.children_by_field_name("declarator"):
        name, type_ = w.types.declared(declarator, base)
        value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        if type_.kind == "function":
            continue
        if type_.kind == "array" and type_.count is None and value is not None and type_.element is not None:
            kind: Kind = Array(kind_of(type_.element), length_of(w, value))
        else:
            kind = kind_of(type_)
        shared = "local" in words and not isinstance(kind, Pointer)
        if type_.const and isinstance(kind, Scalar) and value is not None and name not in w.addressed:
            known = converted(w.program.value(w, value), kind)
            if known.const is not None:
                w.declare(name, Variable(kind, "value", "", known))
                continue
        _declare(w, name, kind, value, shared=shared)


def _declare(w: Writer, name: str, kind: Kind, value: Node | None, *, shared: bool) -> None:
    made = w.fresh("v")
    if shared:
        w.emit(f"{made} = c.shared({w.program.next_shared()}, {kind.size})")
        w.declare(name, Variable(kind, "block", made))
        return
    if isinstance(kind, Array | Record) or name in w.addressed:
        w.emit(f"{made} = Block({kind.size}, '', FILL[1])" if value is None else f"{made} = Block({kind.size})")
        w.declare(name, Variable(kind, "block", made))
        if value is not None:
            for code in _given(w, made, kind, value):
                w.emit(code)
        return
    initial = _initial(w, kind, value)
    if isinstance(kind, Pointer) and name not in w.set and value is not None:
        w.emit(f"{made}b, {made}o = {initial.code}")
        w.declare(name, Variable(kind, "pair", made))
        return
    w.emit(f"{made} = {initial.code}")
    w.declare(name, Variable(kind, "local", made))


def _given(w: Writer, made: str, kind: Kind, value: Node) -> list[str]:
    if value.type != "initializer_list" and isinstance(kind, Record):
        return [f"store_record({made}, 0, {converted(w.program.value(w, value), kind).code})"]
    return filled(w, made, 0, kind, value)


def _initial(w: Writer, kind: Kind, value: Node | None) -> Expr:
    if value is not None:
        if value.type == "initializer_list":
            inner = operands(value)
            if isinstance(kind, Vector):
                return w.program.vector(w, kind, *inner)
            value = inner[0] if inner else None
        if value is not None:
            return converted(w.program.value(w, value), kind)
    match kind:
        case Scalar():
            return converted(Expr("FILL[0]", I4), kind)
        case Vector():
            return converted(converted(Expr("FILL[0]", I4), kind.element), kind)
        case Pointer():
            return Expr("NULL", kind)
        case _:
            raise NotExecutableError("type", "void")


def _if(w: Writer, node: Node) -> None:
    w.emit(f"if {truth(w.program.value(w, part(node, 'condition')))}:")
    inside(w, part(node, "consequence"))
    alternative = node.child_by_field_name("alternative")
    if alternative is not None:
        w.emit("else:")
        inside(w, *operands(alternative))


def _loop(w: Writer, loop: Node, condition: Node | None, step: tuple[str, ...] = (), *, ahead: bool = True) -> None:
    """A loop; its condition comes at the start of each turn, or (not `ahead`) at the end."""
    body, at = part(loop, "body"), loop.start_byte
    watched = at in w.program.watched
    test = truth(w.program.value(w, condition)) if condition is not None else ""
    leave = (f"if not {test}: break",) if test else ()
    if watched:
        w.emit(f"W.enter({at})")
    w.emit("while True:")
    w.depth += 1
    for line in (*TURN, *((f"W.turn({at})",) if watched else ()), *(leave if ahead else ())):
        w.emit(line)
    w.jumps.append(Jump("loop", step if ahead else leave))
    w.depth -= 1
    inside(w, body)
    w.jumps.pop()
    w.depth += 1
    for line in step if ahead else leave:
        w.emit(line)
    w.depth -= 1
    if watched:
        w.emit(f"W.leave({at})")


def _while(w: Writer, node: Node) -> None:
    _loop(w, node, part(node, "condition"))


def _do(w: Writer, node: Node) -> None:
    _loop(w, node, part(node, "condition"), ahead=False)


def _for(w: Writer, node: Node) -> None:
    w.scopes.append({})
    initial = node.child_by_field_name("initializer")
    if initial is not None:
        if initial.type == "declaration":
            _declaration(w, initial)
        else:
            w.emit(w.program.value(w, initial).code)
    update = node.child_by_field_name("update")
    step = (w.program.value(w, update).code,) if update is not None else ()
    _loop(w, node, node.child_by_field_name("condition"), step)
    w.scopes.pop()


def _break(w: Writer, _node: Node) -> None:
    if not w.jumps:
        raise NotExecutableError("statement", "break")
    w.emit("break")


def _continue(w: Writer, _node: Node) -> None:
    if w.jumps and w.jumps[-1].kind == "switch":
        for jump in reversed(w.jumps):
            if jump.kind == "loop":
                break
            jump.used = True
            w.emit(f"{jump.flag} = True")
        w.emit("break")
        return
    if not w.jumps:
        raise NotExecutableError("statement", "continue")
    for line in w.jumps[-1].step:
        w.emit(line)
    w.emit("continue")


def _return(w: Writer, node: Node) -> None:
    inner = operands(node)
    if not inner:
        w.emit("return")
        return
    value = w.program.value(w, inner[0])
    w.emit(f"return {value.code if isinstance(w.returns, Void) else converted(value, w.returns).code}")


def _switch(w: Writer, node: Node) -> None:
    cases = operands(part(node, "body"))
    value = w.program.value(w, part(node, "condition"))
    if any(case.type != "case_statement" for case in cases) or not isinstance(value.kind, Scalar):
        raise NotExecutableError("statement", "switch")
    labels: dict[int, int] = {}
    otherwise = len(cases)
    for at, case in enumerate(cases):
        label = case.child_by_field_name("value")
        if label is None:
            otherwise = at
            continue
        known = converted(w.program.value(w, label), value.kind).const
        if known is None:
            raise NotExecutableError("statement", "case")
        labels.setdefault(int(known), at)
    chosen, flag = w.fresh("k"), w.fresh("k")
    w.emit(f"{flag} = False")
    w.emit(f"{chosen} = {labels!r}.get({value.code}, {otherwise})")
    w.emit("while True:")
    w.depth += 1
    w.scopes.append({})
    jump = Jump("switch", flag=flag)
    w.jumps.append(jump)
    for at, case in enumerate(cases):
        label = case.child_by_field_name("value")
        body = [one for one in operands(case) if label is None or one != label]
        if body:
            w.emit(f"if {chosen} <= {at}:")
            _flat(w, body)
    w.emit("break")
    w.jumps.pop()
    w.scopes.pop()
    w.depth -= 1
    if jump.used:
        w.emit(f"if {flag}:")
        w.depth += 1
        _continue(w, node)
        w.depth -= 1


def _flat(w: Writer, nodes: list[Node]) -> None:
    """Statements one step further in, whose declarations hold up to the end of the switch."""
    w.depth += 1
    before = len(w.lines)
    for node in nodes:
        statement(w, node)
    if len(w.lines) == before:
        w.emit("pass")
    w.depth -= 1


def _labelled(w: Writer, node: Node) -> None:
    """A statement with a name: nothing else, since no ``goto`` is executed."""
    for one in operands(node):
        if one.type != "statement_identifier":
            statement(w, one)


def _nothing(_w: Writer, _node: Node) -> None:
    """A type or an attribute: no code."""


def _type(w: Writer, node: Node) -> None:
    w.types.declare_typedef(node)


def _tag(w: Writer, node: Node) -> None:
    w.types.specifier(node)


_WRITERS: dict[str, Callable[[Writer, Node], None]] = {
    "compound_statement": _block, "expression_statement": _expression, "declaration": _declaration, "if_statement": _if,
    "while_statement": _while, "do_statement": _do, "for_statement": _for, "break_statement": _break,
    "continue_statement": _continue, "return_statement": _return, "switch_statement": _switch, "comment": _nothing,
    "type_definition": _type, "struct_specifier": _tag, "union_specifier": _tag, "enum_specifier": _tag,
    "attributed_statement": _block, "labeled_statement": _labelled,
}  # fmt: skip
