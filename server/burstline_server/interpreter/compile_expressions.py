"""Expressions to code, by the kind of their syntax."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import (
    Expr,
    common,
    converted,
    each,
    folded,
    negated,
    number,
    pointer,
    size_of,
    truth,
)
from burstline_server.interpreter.compile_calls import call, literal
from burstline_server.interpreter.compile_places import Fixed, Memory, address, load, pinned, place, store
from burstline_server.interpreter.initializers import filled
from burstline_server.interpreter.kinds import (
    F2,
    F4,
    F8,
    I4,
    U4,
    Array,
    Pointer,
    Scalar,
    Vector,
    Void,
    integer,
    kind_of,
)
from burstline_server.interpreter.operators import operate
from burstline_server.interpreter.precedence import regrouped
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer, operands, part, sign_of

_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)")
_REAL = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([fFw]?)")
"""A number of half precision ends with a ``w`` in place of its ``h``."""
_HEX_REAL = re.compile(r"([-+]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?\d+)([fF]?)")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}
UNDEFINED = 4
"""What a name counts as that the text does not define: the compiler's command line does."""


def expression(w: Writer, node: Node) -> Expr:
    """The code of an expression."""
    reader = _READERS.get(node.type)
    if reader is None:
        raise NotExecutableError("expression", node.type)
    return reader(w, node)


def number_of(_w: Writer, node: Node) -> Expr:
    """A number as it is written."""
    text = text_of(node).replace("'", "")
    if match := _INTEGER.fullmatch(text):
        digits, suffix = match[2], match[3].lower()
        value = int(digits, 8) if digits.isdigit() and digits[0] == "0" else int(digits, 0)
        plain = digits.isdigit() and digits[0] != "0"
        wide = "l" in suffix or value >= 1 << (31 if plain and "u" not in suffix else 32)
        size = 8 if wide else 4
        signed = "u" not in suffix and value < 1 << (8 * size - 1)
        kind = integer(size, signed=signed)
        return number(value, kind) if match[1] != "-" else negated(number(value, kind), "-")
    if match := _REAL.fullmatch(text):
        kind = {"f": F4, "w": F2}.get(match[2].lower(), F8)
        return converted(number(float(match[1]), F8), kind)
    if match := _HEX_REAL.fullmatch(text):
        return converted(number(float.fromhex(match[1]), F8), F4 if match[2] else F8)
    raise NotExecutableError("expression", text[:20])


def _character(_w: Writer, node: Node) -> Expr:
    body = text_of(node)[1:-1]
    if not body.startswith("\\"):
        return number(ord(body[:1] or "\0"), I4)
    rest = body[1:]
    if rest[:1] == "x":
        return number(int(rest[1:], 16), I4)
    return number(int(rest, 8) if rest.isdigit() else _ESCAPES.get(rest, 0), I4)


def _identifier(w: Writer, node: Node) -> Expr:
    name = text_of(node)
    variable = w.find(name)
    if variable is not None:
        return load(place(w, node))
    if name in w.types.enumerators:
        return number(w.types.enumerators[name], I4)
    if name in _NAMED:
        return _NAMED[name]
    if w.program.defines(name):
        return number(UNDEFINED, I4)
    raise NotExecutableError("name", name)


_MATHEMATICAL = {
    "PI": math.pi, "PI_2": math.pi / 2, "PI_4": math.pi / 4, "1_PI": 1 / math.pi, "2_PI": 2 / math.pi, "E": math.e,
    "2_SQRTPI": 2 / math.sqrt(math.pi), "SQRT2": math.sqrt(2), "SQRT1_2": math.sqrt(0.5), "LN2": math.log(2),
    "LN10": math.log(10), "LOG2E": 1 / math.log(2), "LOG10E": 1 / math.log(10),
}  # fmt: skip
_NAMED = {
    "true": number(1, I4), "false": number(0, I4), "NULL": number(0, I4), "INFINITY": number(float("inf"), F4),
    "NAN": number(float("nan"), F4), "HUGE_VALF": number(float("inf"), F4), "HUGE_VAL": number(float("inf"), F8),
    "memory_order_relaxed": number(0, I4), "memory_order_acquire": number(2, I4), "memory_order_release": number(3, I4),
    "memory_order_acq_rel": number(4, I4), "memory_order_seq_cst": number(5, I4),
    "memory_scope_work_item": number(0, I4), "memory_scope_work_group": number(1, I4),
    "memory_scope_device": number(2, I4), "memory_scope_all_svm_devices": number(3, I4),
    "FLT_MAX": number(3.4028234663852886e38, F4), "MAXFLOAT": number(3.4028234663852886e38, F4),
    "FLT_MIN": number(1.1754943508222875e-38, F4), "FLT_EPSILON": number(2.0**-23, F4),
    "DBL_MAX": number(1.7976931348623157e308, F8), "DBL_MIN": number(2.2250738585072014e-308, F8),
    "DBL_EPSILON": number(2.0**-52, F8), "UINT_MAX": number(0xFFFFFFFF, U4),
    **{f"M_{name}": number(value, F8) for name, value in _MATHEMATICAL.items()},
    **{f"M_{name}_F": converted(number(value, F8), F4) for name, value in _MATHEMATICAL.items()},
}  # fmt: skip


def _parenthesized(w: Writer, node: Node) -> Expr:
    inner = operands(node)
    if len(inner) != 1 or inner[0].type == "compound_statement":
        raise NotExecutableError("expression", "({")
    return expression(w, inner[0])


def _comma(w: Writer, node: Node) -> Expr:
    left, right = expression(w, part(node, "left")), expression(w, part(node, "right"))
    return Expr(f"({left.code}, {right.code})[1]", right.kind)


def _binary(w: Writer, node: Node) -> Expr:
    items = regrouped(w, node)
    return items if isinstance(items, Expr) else _chain(w, node)


def _chain(w: Writer, node: Node) -> Expr:
    """Long chains are folded without recursion."""
    chain: list[Node] = []
    left = node
    while left.type == "binary_expression":
        chain.append(left)
        left = part(left, "left")
    value = expression(w, left)
    for link in reversed(chain):
        right = expression(w, part(link, "right"))
        if _is_term(w, part(link, "right")):
            right = _counted(link, "right", value, right)
        elif _is_term(w, part(link, "left")):
            value = _counted(link, "left", right, value)
        value = operate(w, sign_of(link), value, right)
    return value


def _is_term(w: Writer, node: Node) -> bool:
    return (node.start_byte, node.end_byte) in w.program.terms


def _counted(operation: Node, side: str, held: Expr, term: Expr) -> Expr:
    """A term, counted before the operation that it is on a side of adds it to what a variable holds, or multiplies."""
    if not isinstance(held.kind, Scalar) or not held.kind.real:
        return term
    bits, product = _PRECISION[held.kind.size], sign_of(operation).startswith("*")
    at = part(operation, side).start_byte, part(operation, side).end_byte
    return Expr(f"W.term({at}, {bits}, {held.code}, {term.code}, {product})", term.kind)


_PRECISION = {2: 11, 4: 24, 8: 53}
"""Bits of a real's significand by its bytes."""


def _unary(w: Writer, node: Node) -> Expr:
    sign, value = sign_of(node), expression(w, part(node, "argument"))
    if sign == "!":
        if isinstance(value.kind, Vector):
            kind = Vector(integer(value.kind.element.size, signed=True), value.kind.lanes)
            return each("-(x == 0)", kind, value)
        test = f"(not {truth(value)})"
        return folded(test, I4, value) if value.const is not None else Expr(test, I4)
    return negated(value, sign)


def _pointer(w: Writer, node: Node) -> Expr:
    return address(w, part(node, "argument")) if sign_of(node) == "&" else load(place(w, node))


def _read(w: Writer, node: Node) -> Expr:
    return load(place(w, node))


def _assignment(w: Writer, node: Node) -> Expr:
    sign, where = sign_of(node), place(w, part(node, "left"))
    right = part(node, "right")
    if sign == "=":
        return store(where, expression(w, right))
    before, held = pinned(w, where)
    term = expression(w, right)
    if _is_term(w, right):
        term = _counted(node, "right", load(held), term)
    return _after(before, store(held, operate(w, sign[:-1], load(held), term)))


def _after(before: list[str], made: Expr) -> Expr:
    return Expr(f"({', '.join((*before, made.code))})[-1]", made.kind) if before else made


def _update(w: Writer, node: Node) -> Expr:
    argument = part(node, "argument")
    before, held = pinned(w, place(w, argument))
    operator = node.child_by_field_name("operator")
    prefix = operator is not None and operator.start_byte < argument.start_byte
    sign = "-" if sign_of(node) == "--" else "+"
    old = load(held)
    if prefix or (node.parent is not None and node.parent.type in {"expression_statement", "for_statement"}):
        return _after(before, store(held, operate(w, sign, old, number(1, I4))))
    name = w.fresh()
    saved = Expr(name, old.kind, base=f"{name}[0]", offset=f"{name}[1]")
    made = store(held, operate(w, sign, saved, number(1, I4)))
    return Expr(f"({', '.join((*before, f'({name} := {old.code})', made.code))})[-2]", old.kind)


def _conditional(w: Writer, node: Node) -> Expr:
    condition = expression(w, part(node, "condition"))
    first, second = (expression(w, part(node, name)) for name in ("consequence", "alternative"))
    if isinstance(condition.kind, Vector):
        kind = common(first.kind, second.kind)
        code = f"chosen({condition.code}, {converted(first, kind).code}, {converted(second, kind).code})"
        return Expr(code, kind)
    if isinstance(first.kind, Pointer) or isinstance(second.kind, Pointer):
        to = first.kind if isinstance(first.kind, Pointer) and first.code != "NULL" else second.kind
    else:
        to = first.kind if first.kind == second.kind else common(first.kind, second.kind)
    first, second = converted(first, to), converted(second, to)
    code = f"({first.code} if {truth(condition)} else {second.code})"
    whole = isinstance(to, Scalar) and None not in {condition.const, first.const, second.const}
    return folded(code, to, condition, first, second) if whole and isinstance(to, Scalar) else Expr(code, to)


def _cast(w: Writer, node: Node) -> Expr:
    kind = kind_of(w.types.described(part(node, "type")))
    inner = part(node, "value")
    if isinstance(kind, Vector):
        return literal(w, kind, inner)
    value = expression(w, inner)
    return Expr(value.code, kind) if isinstance(kind, Void) else converted(value, kind)


def _sizeof(w: Writer, node: Node) -> Expr:
    described = node.child_by_field_name("type")
    if described is not None:
        return size_of(kind_of(w.types.described(described)))
    value = part(node, "value")
    inner = operands(value)[0] if value.type == "parenthesized_expression" else value
    if inner.type == "identifier" and w.find(text_of(inner)) is None:
        type_ = w.types.lookup(text_of(inner))
        if type_ is not None:
            return size_of(kind_of(type_))
    where = place(w, inner)
    return size_of(where.value.kind if isinstance(where, Fixed) else where.kind)


def _compound(w: Writer, node: Node) -> Expr:
    kind = kind_of(w.types.described(part(node, "type")))
    values = part(node, "value")
    if isinstance(kind, Vector):
        return literal(w, kind, *operands(values))
    name = w.fresh()
    base = f"({name} := Block({kind.size}))"
    code = [base, *filled(w, name, 0, kind, values)]
    whole = load(Memory(name, "0", kind))
    if isinstance(kind, Array):
        return pointer(f"({', '.join(code)}, {name})[-1]", "0", kind.element)
    return Expr(f"({', '.join((*code, whole.code))})[-1]", kind)


_READERS: dict[str, Callable[[Writer, Node], Expr]] = {
    "number_literal": number_of, "char_literal": _character, "identifier": _identifier, "true": _identifier,
    "false": _identifier, "null": _identifier, "parenthesized_expression": _parenthesized, "comma_expression": _comma,
    "binary_expression": _binary, "unary_expression": _unary, "pointer_expression": _pointer,
    "subscript_expression": _read, "field_expression": _read, "assignment_expression": _assignment,
    "update_expression": _update, "conditional_expression": _conditional, "cast_expression": _cast,
    "sizeof_expression": _sizeof, "compound_literal_expression": _compound, "call_expression": call,
}  # fmt: skip
