"""How each kind of expression is read."""

from __future__ import annotations

import re

from tree_sitter import Node

from burstline_model.facts import Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.arms import Arms, choice_of
from burstline_server.analysis.bits import lowest_bit
from burstline_server.analysis.chains import SELECT, joined
from burstline_server.analysis.composed import filled, listed
from burstline_server.analysis.conversions import converted, named_type
from burstline_server.analysis.hardware_operations import count_operator, count_select, is_power_of_two
from burstline_server.analysis.integers import integer, left_divided, short
from burstline_server.analysis.logic import below, truth
from burstline_server.analysis.mixed import leads
from burstline_server.analysis.nodes import one_line, text_of
from burstline_server.analysis.places import address_of, conversion, of_variable, place_of, pointee, read, write
from burstline_server.analysis.quotients import arithmetic, literal
from burstline_server.analysis.reader import Expression, Reader
from burstline_server.analysis.types import INT, LONG, SIZE, UINT, UNKNOWN, CType, components, pointer_to
from burstline_server.analysis.values import Pointer, Value, combined, moved, somewhere

_NUMBER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34}
_COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
_OPERATIONS = {"+": "add", "-": "add", "*": "mul", "/": "div", "%": "div", **dict.fromkeys(_COMPARISONS, "compare")}
ONE = Polynomial.number(1)
TOO_LARGE = 1 << 64
"""No integer of the language can hold this: what reaches it is not analysed."""


def number_of(value: int) -> Value:
    """An int constant."""
    return Value(INT, Polynomial.number(value))


def _number(_reader: Reader, node: Node) -> Value:
    text = text_of(node).replace("'", "")
    match = _NUMBER.fullmatch(text)
    if not match:
        size = 4 if text[-1:] in "fF" else 2 if text[-1:] == "w" else 8
        return Value(CType("real", {2: "half", 4: "float", 8: "double"}[size], size, size), ratio=literal(text))
    digits = match[2]
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        value = int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        return Value(INT)
    if value >= TOO_LARGE:
        return Value(INT)
    value = -value if match[1] == "-" else value
    suffix = match[3].lower()
    types = (SIZE, UINT) if "u" in suffix else (LONG, INT)
    return Value(types[0] if "l" in suffix else types[1], Polynomial.number(value))


def _character(_reader: Reader, node: Node) -> Value:
    body = text_of(node)[1:-1]
    value = _ESCAPES.get(body[1:2], 0) if body.startswith("\\") else ord(body[0]) if body else 0
    return number_of(value)


_STANDARD = re.compile(
    r"M_\w+|(?:FLT|DBL|HALF)_\w+|CLK_\w+|memory_(?:order|scope)_\w+|(?:U?(?:CHAR|SHRT|INT|LONG)|SCHAR)_(?:MAX|MIN)|"
    r"INFINITY|NAN|HUGE_VALF?|MAXFLOAT|ATOMIC_\w+|CL_\w+|__\w+__"
)
"""Constants that OpenCL C defines: none of them sizes a buffer."""


def _identifier(reader: Reader, node: Node) -> Value:
    name = text_of(node)
    variable = reader.find(name)
    if variable is None:
        if name in reader.types.enumerators:
            return number_of(reader.types.enumerators[name])
        if name in {"true", "false"}:
            return number_of(int(name == "true"))
        if not reader.silent and not _STANDARD.fullmatch(name):
            reader.undefined.setdefault(name, reader.span(node))
        return Value(INT, Polynomial.symbol(reader.symbols.once(("name", name), name, "argument")))
    return read(reader, node, of_variable(reader, name, variable))


def _parenthesized(reader: Reader, node: Node) -> Value:
    inner = [c for c in node.named_children if c.type != "comment"]
    return reader.evaluate(inner[-1]) if inner else Value()


def _comma(reader: Reader, node: Node) -> Value:
    reader.evaluate(node.child_by_field_name("left"))
    return reader.evaluate(node.child_by_field_name("right"))


def _binary(reader: Reader, node: Node) -> Value:
    """Operands left to right; long chains are folded without recursion."""
    chain: list[Node] = []
    left: Node | None = node
    while left is not None and left.type == "binary_expression":
        chain.append(left)
        left = left.child_by_field_name("left")
    cast, before = named_type(reader, left), None
    value = reader.evaluate(left) if cast is None else None
    for link in reversed(chain):
        operator = link.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        right_node = link.child_by_field_name("right")
        if cast is not None or value is None:
            right, cast = converted(reader, cast or UNKNOWN, _signed(reader, link, sign, right_node)), None
            value = right if before is None or value is None else operate(reader, link, before, value, right)
            continue
        if link is not node and (cast := named_type(reader, right_node)) is not None:
            before = sign
            continue
        if sign in {"&&", "||"} and right_node is not None:
            known = value.number.constant if value.number is not None else None
            if known is not None and bool(known) == (sign == "||"):
                value = number_of(int(bool(known)))
                continue
            left_node, arms = link.child_by_field_name("left") or link, Arms(reader, right_node)
            with reader.under(reader.guard(left_node, value, negated=sign == "||")):
                right = reader.evaluate(right_node)
            if known is None:
                arms.other()
                arms.join(value, merged, negated=sign == "||")
        else:
            right = reader.evaluate(right_node)
        value = operate(reader, link, sign, value, right)
    return value or Value()


def operate(reader: Reader, node: Node, sign: str, a: Value, b: Value) -> Value:
    """The value of ``a sign b``."""
    if a.pointer is not None or b.pointer is not None:
        return _pointer_arithmetic(reader, sign, a, b)
    common = _common(a.type, b.type)
    type_ = common if sign not in _COMPARISONS | {"&&", "||"} else INT
    operation = _operation(sign, common, a, b)
    count_operator(reader, sign, common, a, b)
    if common.is_real:
        a, b = (conversion(reader, v, common) for v in (a, b))
        if sign == "-" and a.number is not None and a.number.constant == 0:
            return b._replace(type=type_, ratio=None)
        if sign == "*":
            product = reader.stepped(combined(type_, a, b), common, operation)
            exact = arithmetic(sign, a, b) if type_.kind == "real" else None
            return product._replace(factors=joined([a.chains, b.chains]), ratio=exact)
        if sign == "+" and (a.factors is not None or b.factors is not None):
            operation = "multiply-add"
            a, b = (a, _factor(reader, b, common)) if b.factors is not None else (_factor(reader, a, common), b)
    result = reader.stepped(combined(type_, a, b), common, operation)
    if type_.kind == "real":
        result = result._replace(ratio=arithmetic(sign, a, b))
    if common.kind == "vector":
        return result._replace(parts=_lanes(reader, node, sign, common, a, b, result)) if type_ == common else result
    if a.number is None or b.number is None or type_.kind != "integer":
        return result
    number = below(reader.symbols, sign, a.number, b.number) if _is_unsigned(a.type, b.type) else None
    number = number or integer(reader, node, sign, a.number, b.number, result)
    if sign == "+" and number is not None and number.symbols != a.number.symbols | b.number.symbols:
        gone, left = left_divided(reader, a.number, b.number, number)
        result = result._replace(symbols=result.symbols - (gone - left))
    held = number is None or all(abs(c) < TOO_LARGE for _, c in number.terms)
    return result._replace(number=number) if held else result


def _lanes(
    reader: Reader, node: Node, sign: str, common: CType, a: Value, b: Value, result: Value
) -> tuple[tuple[str, Polynomial], ...]:
    """The numbers of the lanes of ``a sign b``; a scalar is that of each lane."""
    if not (a.parts or b.parts):
        return ()
    found = []
    for name in components(common):
        x, y = (dict(v.parts).get(name) if v.type.kind == "vector" else v.number for v in (a, b))
        number = integer(reader, node, sign, x, y, result) if x is not None and y is not None else None
        if number is not None:
            found.append((name, number))
    return tuple(found)


def _operation(sign: str, common: CType, a: Value, b: Value) -> str:
    """What computes ``a sign b``; integers times or divided by a constant power of two are wires, and shift."""
    usual = _OPERATIONS.get(sign, "bitwise")
    if common.kind != "integer" or usual not in {"mul", "div"}:
        return usual
    x, y = (v.number.constant if v.number is not None else None for v in (a, b))
    if not any(c is not None and is_power_of_two(c) for c in ((y,) if usual == "div" else (x, y))):
        return usual
    # What is negative is rounded towards zero, which takes a sum.
    return "add" if usual == "div" and not common.unsigned else "bitwise"


def _factor(reader: Reader, product: Value, type_: CType) -> Value:
    """A product as one operand of a multiply-add: hard blocks multiply on the way."""
    return reader.stepped(product._replace(chains=product.factors or ()), type_, "fused mul")


def _pointer_arithmetic(reader: Reader, sign: str, a: Value, b: Value) -> Value:
    if sign not in {"+", "-"} or (a.pointer is not None and b.pointer is not None):
        return combined(LONG if sign == "-" else INT, a, b)
    base, step = (a, b) if a.pointer is not None else (b, a)
    if base.pointer is None or (sign == "-" and base is b):
        return combined(UNKNOWN, a, b)
    # An address that an integer holds is one of bytes.
    size = base.type.element.size if base.type.element else int(base.type.is_integer)
    number = step.number if step.number is not None else reader.symbols.unknown("?", step)
    distance = number.scaled(size if sign == "+" else -size)
    pointer = moved(base.pointer, distance if size else None, Unknown(kind="no_element_size"))
    return combined(base.type, a, b)._replace(pointer=pointer)


def _common(a: CType, b: CType) -> CType:
    """The type of an arithmetic result."""
    for type_ in (a, b):
        if type_.kind == "vector":
            return type_
    if a.kind == "real" or b.kind == "real":
        return max((t for t in (a, b) if t.kind == "real"), key=lambda t: t.size)
    if a.kind == "integer" and b.kind == "integer":
        return max(a, b, INT, key=lambda t: (t.size, t.unsigned))
    return a if a.kind != "opaque" else b


def _is_unsigned(a: CType, b: CType) -> bool:
    """Whether two integers are compared without their signs: the larger type has none."""
    size = max(a.size, b.size)
    return size >= INT.size and any(t.unsigned and t.size == size for t in (a, b))


def _unary(reader: Reader, node: Node) -> Value:
    operator = node.child_by_field_name("operator")
    return _with_sign(reader, operator.type if operator is not None else "", node.child_by_field_name("argument"))


def _signed(reader: Reader, node: Node, sign: str, argument: Node | None) -> Value:
    """What a sign makes of what is behind it; `node` is the whole."""
    if sign == "*":
        return read(reader, node, pointee(reader.evaluate(argument), ""))
    return address_of(reader, argument) if sign == "&" else _with_sign(reader, sign, argument)


def _with_sign(reader: Reader, sign: str, argument: Node | None) -> Value:
    value = reader.evaluate(argument)
    number = value.number
    if number is None:
        ratio = (-value.ratio[0], value.ratio[1]) if sign == "-" and value.ratio is not None else None
        return combined(INT if sign == "!" else value.type, value)._replace(ratio=ratio)
    match sign:
        case "-":
            number = -number
        case "~":
            number = -number - Polynomial.number(1)
        case "!":
            known = number.constant
            number = Polynomial.number(int(not known)) if known is not None else ONE - truth(reader.symbols, number)
        case _:
            pass
    return combined(INT if sign == "!" else value.type, value)._replace(number=number)


def _pointer_expression(reader: Reader, node: Node) -> Value:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type == "&":
        return address_of(reader, node.child_by_field_name("argument"))
    return read(reader, node, place_of(reader, node))


def _memory_read(reader: Reader, node: Node) -> Value:
    return read(reader, node, place_of(reader, node))


def _assignment(reader: Reader, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator is not None else "="
    if left is None:
        return reader.evaluate(right)
    if sign == "=":
        value = reader.evaluate(right)
        place = place_of(reader, left)
    else:
        place = place_of(reader, left)
        before = read(reader, left, place)
        value = operate(reader, node, sign[:-1], before, reader.evaluate(right))
    write(reader, left, place, value)
    return value


def _update(reader: Reader, node: Node) -> Value:
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    if argument is None:
        return Value()
    place = place_of(reader, argument)
    before = read(reader, argument, place)
    sign = "-" if operator is not None and operator.type == "--" else "+"
    after = operate(reader, node, sign, before, number_of(1))
    write(reader, argument, place, after)
    prefix = operator is not None and operator.start_byte < argument.start_byte
    return after if prefix else before


def _conditional(reader: Reader, node: Node) -> Value:
    condition_node = node.child_by_field_name("condition")
    condition = reader.evaluate(condition_node)
    known = condition.number.constant if condition.number is not None else None
    first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if known is not None:
        return reader.evaluate(first if known else second)
    shown = condition_node if condition_node is not None else node
    choice, arms = choice_of(first, second), Arms(reader, first, second)
    holds = reader.guard(shown, condition, choice=choice)
    with reader.under(holds):
        a = reader.evaluate(first)
    arms.other()
    with reader.under(holds.opposite()):
        b = reader.evaluate(second)
    arms.join(condition, merged)
    return merged(reader, short(one_line(node)), condition, a, b)


def _whole_elements(a: Pointer, b: Pointer, type_: CType) -> bool:
    """Whether two addresses lie a whole number of elements apart."""
    size = type_.element.size if type_.element is not None else 0
    if not size or a.offset is None or b.offset is None:
        return False
    return all(factor % size == 0 for _, factor in (a.offset - b.offset).terms)


def merged(reader: Reader, name: str, condition: Value, a: Value, b: Value) -> Value:
    """One of two values, which one being decided by `condition`; `name` is what an integer is called then."""
    if a == b:
        return a
    leads(reader, a.pointer, b.pointer)
    type_ = a.type if a.type.kind != "opaque" else b.type
    count_select(reader, type_)
    either = reader.stepped(combined(type_, a, b, condition), type_, SELECT)
    either = either._replace(held=tuple(one for one in a.held if one in b.held))
    if a.parts and b.parts:
        same = dict(b.parts)
        return either._replace(parts=tuple((n, number) for n, number in a.parts if same.get(n) == number))
    if a.pointer is not None and a.pointer == b.pointer:
        return either._replace(pointer=a.pointer)
    if a.pointer is not None and b.pointer is not None and a.pointer.root == b.pointer.root:
        why = Unknown(kind="chosen_address")
        if not _whole_elements(a.pointer, b.pointer, type_):
            return either._replace(pointer=a.pointer._replace(offset=None, why=why))
        place = reader.symbols.unknown(name or a.pointer.root, either)
        return either._replace(pointer=somewhere(a.pointer, type_, place, why))
    if a.pointer is not None and b.pointer is not None and (apart := _apart(reader, name, condition, a, b)) is not None:
        return either._replace(pointer=a.pointer._replace(offset=apart, narrow_from=None))
    pointer = a.pointer or b.pointer
    if pointer is not None:
        known = pointer._replace(offset=None, why=Unknown(kind="chosen_buffer"))
        return either._replace(pointer=known)
    if a.number is not None and b.number is not None and a.number == b.number:
        return either._replace(number=a.number)
    if type_.is_integer and condition.number is not None and a.number is not None and b.number is not None:
        operands = (truth(reader.symbols, condition.number), a.number, b.number)
        return either._replace(number=reader.symbols.operation("select", operands, name))
    if type_.is_integer:
        return either._replace(number=reader.symbols.unknown(name, either))
    return either


BUFFER_ALIGNMENT = 1024
"""Bytes that the start of a buffer is aligned to: ``CL_DEVICE_MEM_BASE_ADDR_ALIGN`` of the vendor's devices."""
_FIXED = frozenset({"argument", "global_size", "local_size", "num_groups", "global_offset", "opaque"})


def _apart(reader: Reader, name: str, condition: Value, a: Value, b: Value) -> Polynomial | None:
    """The offset in one buffer of a pointer to it or to another, where the launch decides which: both walk alike.

    How far the buffers lie apart is a symbol. None where it may differ within a launch, or is not whole elements.
    """
    if a.pointer is None or b.pointer is None or a.pointer.offset is None or b.pointer.offset is None:
        return None
    symbols, element, further = reader.symbols, a.type.element, b.pointer.offset - a.pointer.offset
    size = element.size if element is not None else 0
    aligned = min(lowest_bit(symbols.bits(further)), BUFFER_ALIGNMENT) if further.terms else BUFFER_ALIGNMENT
    decided = condition.varies_with() | further.symbols
    kinds = {symbols.kind(s) for s in symbols.closure(decided)}
    same = a.pointer.space == b.pointer.space and element is not None and b.type.element == element
    if condition.loads or not kinds or not kinds <= _FIXED or not same or not size or aligned % size:
        return None
    known = Value(LONG, symbols=decided)
    return a.pointer.offset + symbols.unknown(name or a.pointer.root, known, multiple_of=aligned // size).scaled(size)


def _cast(reader: Reader, node: Node) -> Value:
    described = node.child_by_field_name("type")
    value = reader.evaluate(node.child_by_field_name("value"))
    return converted(reader, reader.types.described(described) if described is not None else UNKNOWN, value)


def _sizeof(reader: Reader, node: Node) -> Value:
    described = node.child_by_field_name("type")
    inner = node.child_by_field_name("value")
    if described is not None:
        type_ = reader.types.described(described)
    else:
        while inner is not None and inner.type == "parenthesized_expression" and inner.named_children:
            inner = inner.named_children[0]
        known = reader.types.lookup(text_of(inner)) if inner is not None and inner.type == "identifier" else None
        with reader.quietly():
            type_ = known or reader.evaluate(inner).type
    return Value(LONG, Polynomial.number(type_.size) if type_.size else None)


def _compound_literal(reader: Reader, node: Node) -> Value:
    described = node.child_by_field_name("type")
    value = reader.evaluate(node.child_by_field_name("value"))
    type_ = reader.types.described(described) if described is not None else UNKNOWN
    return filled(type_, value)._replace(type=type_)


def _string(_reader: Reader, _node: Node) -> Value:
    return Value(pointer_to(CType("integer", "char", 1, 1)))


EXPRESSIONS: dict[str, Expression] = {
    "number_literal": _number,
    "char_literal": _character,
    "string_literal": _string,
    "concatenated_string": _string,
    "true": lambda _r, _n: number_of(1),
    "false": lambda _r, _n: number_of(0),
    "null": lambda _r, _n: number_of(0),
    "identifier": _identifier,
    "parenthesized_expression": _parenthesized,
    "comma_expression": _comma,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "pointer_expression": _pointer_expression,
    "subscript_expression": _memory_read,
    "field_expression": _memory_read,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "conditional_expression": _conditional,
    "cast_expression": _cast,
    "sizeof_expression": _sizeof,
    "initializer_list": listed,
    "compound_literal_expression": _compound_literal,
}
