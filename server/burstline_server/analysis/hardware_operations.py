"""Which operations take hardware: what is left of the source's operators once constants are folded into wires."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.polynomial import Polynomial, TooComplexError
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


def count_operator(reader: Reader, sign: str, common: CType, a: Value, b: Value) -> None:
    """Count ``a sign b``, both taken to the type `common` first."""
    real = common.kind == "real" or (common.element is not None and common.element.kind == "real")
    x, y = (v.number.constant if v.number is not None else None for v in (a, b))
    if x is not None and y is not None:
        return
    if real:
        if a.varies or b.varies:
            for value in (a, b):
                count_conversion(reader, common, value)
            _count(reader, common, "compare" if sign in _COMPARISONS else _KINDS.get(sign, "bitwise"))
        return
    if _is_known(reader, sign, a, b):
        return
    known = y if y is not None else x
    by = reader.symbols.moved_by(_result(sign, a.number, b.number))
    width_bytes = max(v.type.scalar_bytes for v, c in ((a, x), (b, y)) if c is None) or INT.size
    if sign in _LOGIC:
        _count(reader, INT, "bitwise", width_bytes=1, copied_by=by)
    elif sign in _COMPARISONS:
        _count(reader, common, "compare", width_bytes=width_bytes, copied_by=by)
    elif known is None or sign in "+-":
        _count(reader, common, _KINDS.get(sign, "bitwise"), width_bytes=width_bytes, copied_by=by)
    elif sign == "*" and not is_power_of_two(known):
        _count(reader, common, "scale", width_bytes=width_bytes, copied_by=by)
    elif sign in "/%" and not (y is not None and is_power_of_two(y)):
        _count(reader, common, _KINDS[sign], width_bytes=width_bytes, copied_by=by)


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
        _count(reader, of if of.kind == "real" else to, "convert")


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
    reader: Reader, type_: CType, operation: str, *, width_bytes: int = 0, copied_by: tuple[int, ...] | None = None
) -> None:
    """Count an operation on `type_`, its lanes one by one; integers may be narrower than their type."""
    if reader.silent:
        return
    scalar = type_.element if type_.kind == "vector" and type_.element is not None else type_
    lanes = type_.count or 1 if type_.kind == "vector" else 1
    kind = f"{scalar.name if scalar.kind == 'real' else 'int'} {operation}"
    width_bits = 8 * (width_bytes if width_bytes and scalar.kind != "real" else scalar.size or INT.size)
    key = (tuple(reader.open_loops), kind, width_bits, copied_by)
    reader.operations[key] = reader.operations.get(key, 0) + lanes


def is_power_of_two(value: int) -> bool:
    """Whether an integer times this is a shift, 0 and negative ones included."""
    return value == 0 or abs(value) & (abs(value) - 1) == 0
