"""How each kind of statement but the loops is read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tree_sitter import Node

from burstline_model.facts import LocalArray, Space
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.arms import changed
from burstline_server.analysis.array_attributes import declared_ports
from burstline_server.analysis.breaks import last_word, left_by_goto
from burstline_server.analysis.composed import filled, hold
from burstline_server.analysis.dead_statements import does_nothing, sets_dead
from burstline_server.analysis.element_variables import apart, begin
from burstline_server.analysis.expressions import ONE, merged
from burstline_server.analysis.frames import OpenGuard, Returned, Variable
from burstline_server.analysis.liveness import pure
from burstline_server.analysis.nodes import previous_end, text_of
from burstline_server.analysis.overwritten import computes_only, is_overwritten
from burstline_server.analysis.places import Place, root_of, set_parts, write
from burstline_server.analysis.reader import Reader, Statement
from burstline_server.analysis.resets import is_zero
from burstline_server.analysis.switch_arms import leaves_switch, of_either, run_switch
from burstline_server.analysis.tables import elements_of
from burstline_server.analysis.types import UNKNOWN, CType, leading_to
from burstline_server.analysis.unwritten import is_unwritten
from burstline_server.analysis.values import Pointer, Value, combined


def block(reader: Reader, node: Node) -> None:
    """Statements one after the other, until one of them leaves the block for good."""
    with reader.scope():
        statements(reader, node.named_children)


def statements(reader: Reader, nodes: list[Node]) -> None:
    """Run statements in order; nothing after an unconditional return, break or continue is reached."""
    for child in nodes:
        if reader.frame.left:
            return
        reader.run(child)


def declaration(reader: Reader, node: Node) -> None:
    """Declare variables, arrays and structures, and evaluate their initial values."""
    base = reader.types.base(node)
    words = _space_words(reader, node)
    space = _declared_space(node, words)
    for declarator in node.children_by_field_name("declarator"):
        name, type_ = reader.types.declared(declarator, base)
        if not name or type_.kind == "function":
            continue
        if "constant" in words:
            type_ = leading_to(type_, "constant")
        initial = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        if initial is not None and _is_dropped(reader, node, name, initial):
            initial = None
        value = reader.evaluate(initial) if initial is not None else None
        if value is not None and initial is not None and initial.type == "initializer_list":
            value = filled(type_, value)
        declare(reader, declarator, name, type_, space, value)


def _is_dropped(reader: Reader, node: Node, name: str, initial: Node) -> bool:
    """Whether nobody uses the value that a declaration gives a variable."""
    if name in reader.frame.dead:
        return pure(text_of(initial))
    if not reader.assignments.is_set_behind(node, name):
        return False
    return computes_only(text_of(initial), reader.functions) and is_overwritten(node, name)


def declare(reader: Reader, node: Node, name: str, type_: CType, space: Space, value: Value | None) -> None:
    """Bring one name into scope. Arrays, structures and local variables are separate memories."""
    number = value.number if value is not None else None
    fixed = space == "constant" and number is not None and number.constant is not None
    scalar = space in {"local", "constant"} and type_.kind != "pointer" and not fixed
    in_memory = type_.kind in {"array", "struct"} or scalar
    variable = Variable(type_, array=space if in_memory else None)
    reader.declare(name, variable)
    if space == "private" and type_.kind == "array" and (elements := apart(reader, node, name, type_)):
        variable.elements = elements
        begin(reader, elements, node.child_by_field_name("value"), value)
    if in_memory:
        root = root_of(reader, name)
        if space != "global" and (space != "private" or type_.kind == "array"):
            element = type_
            length: int | None = 1
            rows: list[int] = []
            while element.kind == "array" and element.element is not None:
                length = None if length is None or element.count is None else length * element.count
                element = element.element
                rows.append(element.size)
            reader.arrays.setdefault(
                root,
                LocalArray(
                    name=root,
                    space=space,
                    element_bytes=element.size,
                    length=length,
                    span=reader.span(node),
                    rows=tuple(rows[:-1]),
                    ports=declared_ports(reader.source, node),
                ),
            )
        if type_.kind != "vector":
            hold(reader, Pointer(root, space, Polynomial()), type_, value or Value(), fresh=True)
        if space == "private":
            reader.private.parts.begin(root, value.chains if value is not None else ())
        if value is not None:
            reader.contents[name] = value
            set_parts(reader.find, name, type_, value)
        values = node.child_by_field_name("value")
        table = None
        if values is not None and type_.kind == "array":
            kept = space == "private" and is_unwritten(node, name, type_)
            table = elements_of(values, type_, space, reader.whole, unwritten=kept)
        if space == "private" and _begins_at_zero(reader, values):
            reader.private.resets.declared(root, reader.guards)
        reader.tables.pop(root, None)
        if table is not None:
            reader.tables[root] = table
    elif value is not None:
        write(reader, node, Place(type_, variable, index=name, path=name), value)
    elif type_.is_integer:
        symbol = reader.symbols.fresh(name, "opaque")
        variable.value = Value(type_, Polynomial.symbol(symbol))


def _begins_at_zero(reader: Reader, values: Node | None) -> bool:
    """Whether an initializer gives all elements 0; those that it does not name are 0 by C's rules."""
    if values is None or values.type != "initializer_list":
        return False
    for one in values.named_children:
        if one.type == "initializer_list" and one.named_children:
            if not _begins_at_zero(reader, one):
                return False
        elif one.type not in {"comment", "initializer_list"} and not is_zero(reader.evaluate_quietly(one)):
            return False
    return True


def _space_words(reader: Reader, node: Node) -> set[str]:
    """The qualifiers of a declaration, address spaces among them."""
    notes = reader.source.notes_in(previous_end(node), node.end_byte)
    return {n.text.strip("_") for n in notes if n.kind == "qualifier"}


def _declared_space(node: Node, words: Collection[str]) -> Space:
    """The address space a declaration asks for by its `words`: local, constant or (by default) private."""
    declarators = node.children_by_field_name("declarator")
    is_pointer = any("pointer_declarator" in {c.type for c in (d, *d.named_children)} for d in declarators)
    if "local" in words and not is_pointer:
        return "local"
    if "constant" in words and not is_pointer:
        return "constant"
    return "private"


def _expression_statement(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        if not (reader.frame.dead and sets_dead(reader, child)):
            reader.evaluate(child)


def _if(reader: Reader, node: Node) -> None:
    if reader.frame.dead and does_nothing(reader, node):
        return
    condition_node = node.child_by_field_name("condition")
    condition = reader.evaluate(condition_node)
    then, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    known = condition.number.constant if condition.number is not None else None
    shown = condition_node if condition_node is not None else node
    if known is not None:
        reader.run(then if known else otherwise)
        return
    holds = reader.guard(shown, condition)
    arms = [
        (then, holds.leaving(_loops_left(reader, then))),
        (otherwise, holds.opposite().leaving(_loops_left(reader, otherwise))),
    ]
    left, kept = branches(reader, condition, arms)
    if left[0] != left[1]:
        remaining = reader.guard(shown, condition, negated=left[0], early_return=True)
        reader.guards.append(replace(remaining, leaves=_loops_left(reader, node.parent)))
    elif not left[0]:
        reader.guards += [_if_in(arm, inner) for (_, arm), own in zip(arms, kept, strict=True) for inner in own]


def _loops_left(reader: Reader, body: Node | None) -> tuple[int, ...]:
    """The loops that a body always leaves at its end."""
    word = last_word(body) if reader.open_loops else ""
    if word == "return":
        return tuple(reader.open_loops[reader.frame.loops :])
    number = 1 if word == "break" else left_by_goto(body) if reader.open_loops else 0
    own = reader.open_loops[reader.frame.loops :]
    return tuple(own[len(own) - number :]) if number else ()


def _if_in(arm: OpenGuard, inner: OpenGuard) -> OpenGuard:
    """The condition behind an `arm` that only what fulfils `inner` came out of: what was not in it, or fulfils that."""
    opposite = inner.text[2:-1] if inner.text.startswith("!(") else f"!({inner.text})"
    condition = None
    if arm.condition is not None and inner.condition is not None:
        condition = ONE - arm.condition * (ONE - inner.condition)
    return replace(
        inner, text=f"!({arm.text} && {opposite})", symbols=arm.symbols | inner.symbols,
        loaded=arm.loaded or inner.loaded, condition=condition, value=combined(UNKNOWN, arm.value, inner.value),
    )  # fmt: skip


def branches(
    reader: Reader, condition: Value, arms: list[tuple[Node | None, OpenGuard]]
) -> tuple[list[bool], list[list[OpenGuard]]]:
    """Run each arm from the same state and merge what they changed.

    Returns which arms left the block, and the conditions under which statements in each did not.
    """
    named = changed(reader, *(arm for arm, _ in arms))
    variables = [v for _, v in named]
    before, contents = [v.value for v in variables], reader.contents
    held: list[dict[str, Value]] = []
    outcomes: list[list[Value | None]] = []
    left: list[bool] = []
    kept: list[list[OpenGuard]] = []
    for arm, guard in arms:
        for variable, value in zip(variables, before, strict=True):
            variable.value = value
        reader.contents = dict(contents)
        with reader.under(guard):
            depth = len(reader.guards)
            reader.run(arm)
            kept.append([g for g in reader.guards[depth:] if g.early_return])
        left.append(reader.frame.left)
        reader.frame.left = False
        outcomes.append([v.value for v in variables])
        held.append(reader.contents)
    reader.contents = of_either(reader, held)
    staying = [o for o, gone in zip(outcomes, left, strict=True) if not gone] or outcomes[-1:]
    for i, (name, variable) in enumerate(named):
        values = [o[i] for o in staying]
        result = values[0]
        for other in values[1:]:
            if result is None or other is None:
                result = result or other
            else:
                result = merged(reader, name, condition, result, other)
        variable.value = result
    reader.frame.left = all(left)
    return left, kept


def _case(reader: Reader, node: Node) -> None:
    value = node.child_by_field_name("value")
    statements(reader, [c for c in node.named_children if value is None or c.id != value.id])


def _return(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        given = reader.evaluate(child)
        reader.frame.returned.append(Returned(given, tuple(reader.guards), len(reader.open_loops)))
    _leaves_loop(reader)
    reader.frame.left = True


def _leave(reader: Reader, _node: Node) -> None:
    reader.frame.left = True


def _break(reader: Reader, node: Node) -> None:
    if reader.frame.switches and leaves_switch(node):
        reader.frame.switches[-1]()
    else:
        _leaves_loop(reader)
    reader.frame.left = True


def _goto(reader: Reader, node: Node) -> None:
    if left_by_goto(node):
        _leaves_loop(reader)


def _leaves_loop(reader: Reader) -> None:
    """Keep the loads that decide about a statement which leaves the innermost loop of the call."""
    if len(reader.open_loops) > reader.frame.loops:
        loop = reader.open_loops[-1]
        own = reader.guards[len(reader.loop_guards[loop]) :]
        before = reader.leaving_loads.get(loop, frozenset())
        reader.leaving_loads[loop] = before.union(*(guard.value.loads for guard in own))
        tested = {name for guard in own for name in guard.value.varies_with()}
        if any(guard.loaded for guard in own) or any(reader.symbols.kind(name) == "loaded" for name in tested):
            reader.left_by_data.add(loop)


def _labeled(reader: Reader, node: Node) -> None:
    for child in node.named_children:
        if child.type != "statement_identifier":
            reader.run(child)


def _type_definition(reader: Reader, node: Node) -> None:
    reader.types.declare_typedef(node)


def _type_only(reader: Reader, node: Node) -> None:
    reader.types.specifier(node)


def _nothing(_reader: Reader, _node: Node) -> None:
    return


STATEMENTS: dict[str, Statement] = {
    "compound_statement": block,
    "declaration": declaration,
    "expression_statement": _expression_statement,
    "if_statement": _if,
    "switch_statement": run_switch,
    "case_statement": _case,
    "return_statement": _return,
    "break_statement": _break,
    "continue_statement": _leave,
    "goto_statement": _goto,
    "labeled_statement": _labeled,
    "type_definition": _type_definition,
    "struct_specifier": _type_only,
    "union_specifier": _type_only,
    "enum_specifier": _type_only,
    "comment": _nothing,
    "function_definition": _nothing,
}
