"""The interpreter next to a real OpenCL runtime: operators, conversions and functions at the ends of ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.interpreter.running import interpreted
from tests.rewrites.runtime import results

pytestmark = pytest.mark.slow

TYPES: dict[str, Any] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64,
}  # fmt: skip
INTEGERS = [name for name in TYPES if name not in {"float", "double"}]
PLAIN = "#pragma OPENCL FP_CONTRACT OFF\n"


def ends(type_: str) -> Any:
    """Values around the ends of a type's range and around zero."""
    if type_ in INTEGERS:
        info = np.iinfo(TYPES[type_])
        values = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.max // 2, info.min, info.min + 1]
        return np.array(values + ([-1, -2, -7] if info.min else []), TYPES[type_])
    values = [
        0.0,
        1,
        -1,
        1.5,
        -1.5,
        0.5,
        2.5,
        3.5,
        -2.5,
        1e-3,
        7.25,
        -100.7,
        1e10,
        3.4e38,
        1e-40,
        np.inf,
        -np.inf,
        np.nan,
    ]
    return np.array(values, TYPES[type_])


def pairs(one: str, other: str) -> tuple[Any, Any]:
    """Every value of one type with every value of another."""
    a, b = ends(one), ends(other)
    return np.repeat(a, len(b)), np.tile(b, len(a))


def disagreeing(written: Sequence[str], arguments: dict[str, tuple[str, Any]], result: str) -> list[str]:
    """The expressions that the interpreter and the runtime compute other bits of, in some work-item."""
    items = len(next(iter(arguments.values()))[1])
    heads = [f"__global {type_} *{name}" for name, (type_, _) in arguments.items()]
    heads += [f"__global {result} *o{k}" for k in range(len(written))]
    body = "".join(f"o{k}[i] = {one}; " for k, one in enumerate(written))
    text = f"{PLAIN}__kernel void k({', '.join(heads)}) {{ int i = get_global_id(0); {body} }}"
    arrays = {name: values for name, (_, values) in arguments.items()}
    arrays |= {f"o{k}": np.zeros(items, TYPES[result]) for k in range(len(written))}
    expected, found = results(text, arrays, {}, items), interpreted(text, arrays, {}, (items,))
    return [one for k, one in enumerate(written) if bits(found[f"o{k}"]) != bits(expected[f"o{k}"])]


def bits(values: Any) -> bytes:
    """The bits of an array; all values that are no numbers have the same."""
    reals = values.dtype.kind == "f"
    return bytes((np.where(np.isnan(values), values.dtype.type(np.nan), values) if reals else values).tobytes())


@pytest.mark.parametrize("type_", INTEGERS)
def test_operators_on_integers_of_two_types(type_: str) -> None:
    for other in INTEGERS:
        a, b = pairs(type_, other)
        wide = "(ulong)a[i]", "(ulong)b[i]"
        written = [
            f"(ulong)({x} {sign} {y})"
            for x, y in (("a[i]", "b[i]"),)
            for sign in ("&", "|", "^", "<", "==", ">=", "&&", "||")
        ]
        written += [f"({wide[0]} {sign} {wide[1]})" for sign in ("+", "-", "*")]
        written += ["(ulong)(a[i] >> b[i])", "(ulong)((uint)a[i] << b[i])", "(ulong)(a[i] > b[i] ? a[i] : b[i])"]
        written += [f"(b[i] != 0 && b[i] != ({other})-1 ? (ulong)(a[i] {sign} b[i]) : 0)" for sign in ("/", "%")]
        assert disagreeing(written, {"a": (type_, a), "b": (other, b)}, "ulong") == []


@pytest.mark.parametrize("type_", list(TYPES))
def test_conversions(type_: str) -> None:
    for to, number in TYPES.items():
        values = ends(type_)
        if type_ not in INTEGERS and to in INTEGERS:
            info = np.iinfo(number)
            values = values[np.isfinite(values)]
            values = values[(values > max(info.min, -(2**31)) - 1) & (values < min(info.max, 2**31))]
        written = [f"({to})a[i]", f"convert_{to}(a[i])"]
        if to in INTEGERS:
            written += [f"convert_{to}_sat(a[i])", f"convert_{to}_rtz(a[i])"]
            written += [f"convert_{to}_rte(a[i])"] if type_ not in INTEGERS else []
        assert disagreeing(written, {"a": (type_, values)}, to) == []


@pytest.mark.parametrize("type_", INTEGERS)
def test_functions_of_integers(type_: str) -> None:
    a, b = pairs(type_, type_)
    two = ("min", "max", "abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate")
    written = [f"(ulong){name}(a[i], b[i])" for name in two]
    written += [f"(ulong){name}(a[i])" for name in ("abs", "clz", "popcount")]
    written += [f"(ulong){name}(a[i], b[i], c[i])" for name in ("mad_hi", "mad_sat", "bitselect")]
    written += ["(ulong)clamp(a[i], min(b[i], c[i]), max(b[i], c[i]))"]
    assert disagreeing(written, {"a": (type_, a), "b": (type_, b), "c": (type_, np.roll(a, 3))}, "ulong") == []


@pytest.mark.parametrize("type_", ["float", "double"])
def test_reals(type_: str) -> None:
    a, b = pairs(type_, type_)
    written = [f"a[i] {sign} b[i]" for sign in ("+", "-", "*", "/", "<", "==", "!=", "&&")]
    written += ["fma(a[i], b[i], c[i])", "a[i] < b[i] ? a[i] : -b[i]", "a[i] * b[i] + c[i]"]
    written += [
        f"{name}(a[i])" for name in ("fabs", "floor", "ceil", "trunc", "round", "rint", "sign", "isnan", "isnormal")
    ]
    written += ["sqrt(fabs(a[i]))", "ldexp(a[i], 3)"]
    two = ("fmod", "copysign", "fdim", "step", "nextafter", "isless", "isordered", "remainder")
    written += [f"{name}(a[i], b[i])" for name in two]
    assert disagreeing(written, {"a": (type_, a), "b": (type_, b), "c": (type_, np.roll(a, 3))}, type_) == []


@pytest.mark.parametrize("type_", ["char", "ushort", "int", "ulong", "float"])
@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16])
def test_vectors(type_: str, lanes: int) -> None:
    vector = f"{type_}{lanes}"
    text = f"""{PLAIN}__kernel void k(__global {type_} *a, __global {type_} *b, __global {type_} *o) {{
    int i = get_global_id(0);
    {vector} x = vload{lanes}(i, a), y = vload{lanes}(i, b);
    {vector} z = (x + y) * ({vector})(3) - x.s0;
    z.lo = y.lo; z.s1 += x.s1;
    z = x < y ? z : -y;
    z = max(z, x); z.even = min(z.even, y.even);
    vstore{lanes}(z, i, o);
}}"""
    rng = np.random.default_rng(lanes)
    arrays = {name: rng.integers(0, 60, 8 * lanes).astype(TYPES[type_]) for name in ("a", "b", "o")}
    if lanes == 3:  # its upper half has a lane that is none
        text = text.replace("z.even = min(z.even, y.even);", "")
    expected, found = results(text, arrays, {}, 8), interpreted(text, arrays, {}, (8,))
    assert bits(found["o"]) == bits(expected["o"])
