"""The types of expressions as far as they are certain, and what C refuses in them."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.faults.certain_types import (
    FLOAT,
    INT,
    UNKNOWN,
    Type,
    combined,
    element,
    named,
    of_lanes,
    pointer,
    swizzle,
    variable,
)
from burstline_server.faults.declarations import described_type
from burstline_server.faults.known_names import is_known, result_of
from burstline_server.faults.section_reading import Expression, Walk

_BITS = {"%", "&", "|", "^", "<<", ">>", "%=", "&=", "|=", "^=", "<<=", ">>="}
_PRODUCTS = {"*", "/", "*=", "/="}
_TRUTH = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"}


def name(walk: Walk, node: Node) -> Type:
    """A name as a value."""
    text = text_of(node)
    found = walk.lookup(text)
    if found is None:
        if text not in walk.types and not is_known(text):
            walk.free(node, "value")
        return UNKNOWN
    return found


def number(node: Node) -> Type:
    """A literal."""
    text = text_of(node).lower()
    real = not text.startswith("0x") and ("." in text or "e" in text or text.endswith("f"))
    return FLOAT if real else INT


def inner(walk: Walk, node: Node) -> Type:
    """An expression in parentheses."""
    found = UNKNOWN
    for child in node.named_children:
        found = walk.value(child)
    return found


def subscript(walk: Walk, node: Node) -> Type:
    """An element of an array, or of what a pointer points to."""
    argument, index = node.child_by_field_name("argument"), node.child_by_field_name("index")
    base, place = walk.value(argument), walk.value(index)
    if base.scalar and place.kind not in {"pointer", "array", "unknown"}:
        walk.refuse(argument or node, f"subscripted value of type '{base.name}' is no array or pointer")
    elif base.kind in {"pointer", "array"} and place.kind in {"real", "vector", "pointer", "struct"}:
        walk.refuse(index or node, f"array subscript of type '{place.name}' is not an integer")
    return element(base)


def member(walk: Walk, node: Node) -> Type:
    """A member of a structure, or lanes of a vector."""
    base, member = walk.value(node.child_by_field_name("argument")), node.child_by_field_name("field")
    name = text_of(member) if member is not None else ""
    arrow = any(c.type == "->" for c in node.children)
    aim = (base.to or UNKNOWN) if arrow and base.kind in {"pointer", "array"} else UNKNOWN if arrow else base
    if member is None:
        return UNKNOWN
    if base.scalar or (not arrow and base.kind == "pointer") or (arrow and aim.scalar):
        walk.refuse(member, f"no member '{name}' in '{base.name}'")
    elif aim.kind == "vector":
        lanes = swizzle(name, aim.lanes)
        if not lanes:
            walk.refuse(member, f"'{aim.name}' has no element '{name}'")
        return of_lanes(aim, lanes) if lanes else UNKNOWN
    else:
        walk.free(member, "member")
    return Type("unknown", const=aim.const)


def call(walk: Walk, node: Node) -> Type:
    """A call, or a vector made of its elements."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = [c for c in given.named_children if c.type != "comment"] if given is not None else []
    for argument in arguments:
        walk.value(argument) if argument.type != "compound_statement" else walk.statement(argument)
    if function is None or function.type != "identifier":
        made = text_of(function).strip("() \n\t") if function is not None else ""
        walk.value(function)
        return named(made) if function is not None and function.type == "parenthesized_expression" else UNKNOWN
    name = text_of(function)
    known = walk.lookup(name)
    if known is not None:
        if known.kind in {"integer", "real", "vector", "struct"}:
            walk.refuse(function, f"'{name}' is not a function: it is a '{known.name}'")
        return known.to or UNKNOWN if known.kind == "function" else UNKNOWN
    walk.calls.add(name)
    walk.free(function, "call", len(arguments))
    return result_of(name)


def unary(walk: Walk, node: Node) -> Type:
    """``-x``, ``!x``, ``~x``."""
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    found = walk.value(argument)
    sign = text_of(operator) if operator is not None else ""
    if sign == "~" and found.real:
        walk.refuse(node, f"'~' does not take a '{found.name}'")
    return INT if sign == "!" and found.kind != "vector" else variable(found)


def aimed(walk: Walk, node: Node) -> Type:
    """``*p`` and ``&x``."""
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    found = walk.value(argument)
    if operator is None or text_of(operator) == "&":
        return pointer(found)
    if found.scalar or found.kind in {"vector", "struct"}:
        walk.refuse(node, f"'*' needs a pointer, not a '{found.name}'")
    return element(found) if found.kind in {"pointer", "array"} else UNKNOWN


def binary(walk: Walk, node: Node) -> Type:
    """Two operands."""
    operator = node.child_by_field_name("operator")
    left, right = walk.value(node.child_by_field_name("left")), walk.value(node.child_by_field_name("right"))
    sign = text_of(operator) if operator is not None else ""
    _operands(walk, node, sign, left, right)
    if sign in _TRUTH:
        return INT if left.scalar and right.scalar else UNKNOWN
    return combined(left, right)


def _operands(walk: Walk, node: Node, sign: str, left: Type, right: Type) -> None:
    certain = left.kind != "unknown" and right.kind != "unknown"
    bits = sign in _BITS and (left.real or right.real)
    void = certain and "void" in {left.kind, right.kind}
    structure = certain and "struct" in {left.kind, right.kind} and sign not in {"=", "=="}
    if (bits and certain) or void or structure or (certain and _of_addresses(sign, left, right)):
        walk.refuse(node, f"'{sign}' does not take a '{left.name}' and a '{right.name}'")


def _of_addresses(sign: str, left: Type, right: Type) -> bool:
    """Whether an operator does not take an address, where one of its operands is one."""
    addresses = {"pointer", "array"}
    if not addresses & {left.kind, right.kind}:
        return False
    if sign in _PRODUCTS or sign in _BITS:
        return True
    if sign in {"+", "-", "+=", "-="}:
        both = left.kind in addresses and right.kind in addresses
        return (both and sign != "-") or not (both or "integer" in {left.kind, right.kind})
    return False


def assignment(walk: Walk, node: Node) -> Type:
    """``x = y`` and its like."""
    target, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
    left, right = walk.value(target), walk.value(node.child_by_field_name("right"))
    _assigned(walk, target, left)
    sign = text_of(operator) if operator is not None else "="
    if sign != "=":
        _operands(walk, node, sign, left, right)
    else:
        walk.check_fits(node.child_by_field_name("right") or node, left, right)
    return variable(left)


def update(walk: Walk, node: Node) -> Type:
    """``x++`` and its like."""
    target = node.child_by_field_name("argument")
    found = walk.value(target)
    _assigned(walk, target, found)
    return variable(found)


def _assigned(walk: Walk, target: Node | None, type_: Type) -> None:
    """What is assigned to must not be constant."""
    if target is None:
        return
    base = target
    while base.type in {"subscript_expression", "parenthesized_expression", "field_expression"}:
        inner = base.child_by_field_name("argument") or next(iter(base.named_children), None)
        if inner is None or any(c.type == "->" for c in base.children):
            break
        base = inner
    if type_.const:
        what = f"'{text_of(base)}'" if base.type == "identifier" else "this"
        walk.refuse(target, f"cannot assign to {what}: it is constant")
    elif base.type == "identifier" and walk.lookup(text_of(base)) is None and not is_known(text_of(base)):
        walk.free(base, "written")


def conditional(walk: Walk, node: Node) -> Type:
    """``a ? b : c``."""
    walk.value(node.child_by_field_name("condition"))
    a, b = (walk.value(node.child_by_field_name(side)) for side in ("consequence", "alternative"))
    return combined(a, b) if a.scalar and b.scalar else a if a == b else UNKNOWN


def cast(walk: Walk, node: Node) -> Type:
    """``(type)x``."""
    walk.value(node.child_by_field_name("value"))
    described = node.child_by_field_name("type")
    return described_type(walk, described) if described is not None else UNKNOWN


def sized(walk: Walk, node: Node) -> Type:
    """``sizeof``."""
    type_ = node.child_by_field_name("type")
    described_type(walk, type_) if type_ is not None else walk.value(node.child_by_field_name("value"))
    return Type("integer", "size_t")


def listed(walk: Walk, node: Node) -> Type:
    """A value of two after one another."""
    walk.value(node.child_by_field_name("left"))
    return walk.value(node.child_by_field_name("right"))


def literal(walk: Walk, node: Node) -> Type:
    """``(type){…}``."""
    type_, inside = node.child_by_field_name("type"), node.child_by_field_name("value")
    found = described_type(walk, type_) if type_ is not None else UNKNOWN
    if inside is not None:
        walk.other(inside)
    return found


EXPRESSIONS: Mapping[str, Expression] = {
    "identifier": name, "number_literal": lambda _walk, node: number(node), "parenthesized_expression": inner,
    "subscript_expression": subscript, "field_expression": member, "call_expression": call,
    "unary_expression": unary, "pointer_expression": aimed, "binary_expression": binary,
    "assignment_expression": assignment, "update_expression": update,
    "conditional_expression": conditional, "cast_expression": cast, "sizeof_expression": sized,
    "comma_expression": listed, "compound_literal_expression": literal,
}  # fmt: skip
"""What gives the type of each kind of expression; that of all others is not known."""
