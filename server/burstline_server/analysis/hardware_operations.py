"""Which operations take hardware: what is left of the source's operators once constants are folded into wires."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from burstline_model.body_operations import Folded
from burstline_model.polynomial import Polynomial, TooComplexError
from burstline_server.analysis.folding import Left, left_of
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import INT, CType
from burstline_server.analysis.values import Value

_KINDS = {"+": "add", "-": "add", "*": "mul", "/": "div", "%": "rem", "<<": "shift", ">>": "shift"}
_COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
_LOGIC = {"&&", "||"}
_FUNCTIONS = {
    "sqrt": "sqrt", "rsqrt": "sqrt", "divide": "div", "recip": "div", "fmin": "compare", "fmax": "compare",
    "sin": "sin", "cos": "sin", "sincos": "sin", "tan": "sin", "exp": "exp", "exp2": "exp", "exp10": "exp",
    "log": "log", "log2": "log", "log10": "log", "pow": "pow", "powr": "pow", "pown": "pow",
    "floor": "round", "ceil": "round", "trunc": "round", "round": "round", "rint": "round",
}  # fmt: skip
_WIRES = {"fabs", "copysign", "sign"}
_UNITS = {1, -1}


def count_operator(reader: Reader, sign: str, common: CType, a: Value, b: Value) -> None:
    """Count ``a sign b``, both taken to the type `common` first."""
    real = common.kind == "real" or (common.element is not None and common.element.kind == "real")
    remaining = partial(_of_reals if real else _of_integers, sign)
    x, y = (_whole(a), _whole(b)) if real else (a.number, b.number)
    first = x.constant if x is not None else None
    second = y.constant if y is not None else None
    operation = remaining(first, second)
    if real:
        if a.varies or b.varies:
            for value in (a, b):
                count_conversion(reader, common, value)
            if operation is not None:
                _count(reader, common, operation, left=left_of(reader.symbols, x, y, remaining))
        return
    if (first is not None and second is not None) or _is_known(reader, sign, a, b) or operation is None:
        return
    by = reader.symbols.moved_by(_result(sign, a.number, b.number))
    width_bytes = max(v.type.scalar_bytes for v, c in ((a, first), (b, second)) if c is None) or INT.size
    left = left_of(reader.symbols, x, y, remaining)
    if sign in _LOGIC:
        _count(reader, INT, operation, width_bytes=1, copied_by=by, left=left)
    else:
        _count(reader, common, operation, width_bytes=width_bytes, copied_by=by, left=left)


def _whole(value: Value) -> Polynomial | None:
    """The whole number that a value is as a real."""
    ratio = value.as_ratio
    return ratio[0] if ratio is not None and ratio[1].constant == 1 else None


def _of_integers(sign: str, x: int | None, y: int | None) -> str | None:
    """What ``x sign y`` takes, where each is a constant or not known."""
    known = y if y is not None else x
    if x is not None and y is not None:
        return None
    if sign in _LOGIC:
        return "bitwise"
    if sign in _COMPARISONS:
        return "compare"
    if known is None or sign in {"+", "-"}:
        nothing = y == 0 or (x == 0 and sign == "+")
        return None if nothing else _KINDS.get(sign, "bitwise")
    if sign == "*":
        # Reports keep products by -2 and -4 as multipliers; by -1, they are part of a sum.
        return None if known == -1 or (known >= 0 and is_power_of_two(known)) else "scale"
    if sign in {"/", "%"}:
        return None if y is not None and is_power_of_two(y) else _KINDS[sign]
    return None


def _of_reals(sign: str, x: int | None, y: int | None) -> str | None:
    """The same of reals: a product by 0 is kept, as it is none for an infinite factor."""
    if x is not None and y is not None:
        return None
    if sign in _COMPARISONS:
        return "compare"
    if (sign == "*" and (x in _UNITS or y in _UNITS)) or (sign == "/" and y in _UNITS):
        return None
    return _KINDS.get(sign, "bitwise")


def _is_known(reader: Reader, sign: str, a: Value, b: Value) -> bool:
    """Whether the same integers were combined before: the compiler computes them once."""
    if reader.silent or a.number is None or b.number is None:
        return False
    key = (sign, a.number, b.number)
    if key in reader.combined:
        return True
    reader.combined.add(key)
    return False


def _result(sign: str, x: Polynomial | None, y: Polynomial | None) -> Polynomial | None:
    if x is None or y is None:
        return None
    try:
        return x * y if sign == "*" else x + y
    except TooComplexError:
        return None


def count_conversion(reader: Reader, type_: CType, value: Value) -> None:
    """Count a conversion between integers and reals; constants are converted by the compiler."""
    to, of = (t.element if t.kind == "vector" and t.element is not None else t for t in (type_, value.type))
    constant = value.number is not None and value.number.constant is not None
    if not constant and {to.kind, of.kind} == {"integer", "real"}:
        left = left_of(reader.symbols, value.number, None, lambda x, _: "convert" if x is None else None)
        _count(reader, of if of.kind == "real" else to, "convert", left=left)


def count_select(reader: Reader, type_: CType) -> None:
    """Count the choice between two values of a type."""
    if type_.kind in {"integer", "real", "vector"}:
        for _ in range(type_.count or 1 if type_.kind == "vector" else 1):
            _count(reader, INT, "select", width_bytes=type_.scalar_bytes)


def count_function(reader: Reader, type_: CType, name: str) -> None:
    """Count a built-in function of real numbers."""
    if name in {"mad", "fma"}:
        _count(reader, type_, "mul")
        _count(reader, type_, "add")
    elif name not in _WIRES:
        _count(reader, type_, _FUNCTIONS.get(name, "function"))


def count_extreme(reader: Reader, type_: CType, values: Sequence[Value]) -> None:
    """Count min, max or clamp: a comparison and a choice for each operand but the first."""
    for _ in values[1:]:
        _count(reader, type_, "compare")
        count_select(reader, type_)


def _count(
    reader: Reader,
    type_: CType,
    operation: str,
    *,
    width_bytes: int = 0,
    copied_by: tuple[int, ...] | None = None,
    left: Left | None = None,
) -> None:
    """Count an operation on `type_`, its lanes one by one; integers may be narrower than their type."""
    if reader.silent:
        return
    scalar = type_.element if type_.kind == "vector" and type_.element is not None else type_
    lanes = type_.count or 1 if type_.kind == "vector" else 1
    base = scalar.name if scalar.kind == "real" else "int"
    width_bits = 8 * (width_bytes if width_bytes and scalar.kind != "real" else scalar.size or INT.size)
    folded = None
    if left is not None and copied_by is None:
        folded = Folded(loops=left.loops, operation=f"{base} {left.operation or operation}", count=left.count)
    key = (tuple(reader.open_loops), f"{base} {operation}", width_bits, copied_by, folded)
    reader.operations[key] = reader.operations.get(key, 0) + lanes


def is_power_of_two(value: int) -> bool:
    """Whether an integer times this is a shift, 0 and negative ones included."""
    return value == 0 or abs(value) & (abs(value) - 1) == 0
