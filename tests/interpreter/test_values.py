"""From source text to values: what C and OpenCL C define for integers, conversions, vectors, statements."""

from __future__ import annotations

import time

import numpy as np
import pytest

from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.program import ALL_OPEN, NOTHING_OPEN, Program
from burstline_server.interpreter.run import Launched, Sizes, run
from burstline_server.interpreter.verdicts import OutOfBoundsError
from burstline_server.source.read import read_source
from tests.interpreter.running import interpreted

INTEGERS = [
    ("7 / -2", -3),
    ("-7 % 2", -1),
    ("-7 / 2", -3),
    ("7 % -2", 1),
    ("-7 >> 1", -4),
    ("1 << 33", 2),
    ("1L << 33", 1 << 33),
    ("-1 < 1u", 0),
    ("(uint)-1 >> 28", 15),
    ("(uchar)300", 44),
    ("(char)200", -56),
    ("(uchar)1 - 2", -1),
    ("(short)40000 + 0", -25536),
    ("2000000000u + 2000000000u > 3", 1),
    ("(ushort)65535 + 1", 65536),
    ("~0u == 4294967295", 1),
    ("0x7fffffff + 1u", 1 << 31),
    ("(long)0x80000000", 1 << 31),
    ("010 + 0b11", 11),
    ("'a' + '\\n'", 107),
    ("!5", 0),
    ("!!5", 1),
    ("3 > 2 ? 4 : 5", 4),
    ("(1, 2)", 2),
    ("0 && 1 / 0", 0),
    ("sizeof(float3)", 16),
    ("sizeof(int[3])", 12),
    ("hadd(-7, 2)", -3),
    ("rhadd(-7, 2)", -2),
    ("mul_hi(0x40000000, 8)", 2),
    ("mul_hi(0xffffffffu, 2u)", 1),
    ("add_sat((char)100, (char)100)", 127),
    ("sub_sat((uchar)1, (uchar)2)", 0),
    ("abs_diff(-2000000000, 2000000000)", 4000000000),
    ("clz(1)", 31),
    ("popcount((uchar)255)", 8),
    ("rotate(0x80000001u, 4u)", 24),
    ("upsample((short)-1, (ushort)3)", -65533),
    ("mad_sat(2000000000, 2, 0)", 2147483647),
    ("clamp(9, 1, 5)", 5),
    ("select(3, 4, 1)", 4),
    ("bitselect(12, 10, 6)", 10),
    ("convert_uchar_sat(-3.5f)", 0),
    ("convert_int_rte(2.5f)", 2),
    ("convert_int_rtp(2.1f)", 3),
    ("convert_char_sat(1000)", 127),
    ("as_int(1.0f)", 0x3F800000),
    ("as_uint(-0.0f)", 1 << 31),
    ("(int)-2.9f", -2),
    ("(int)1e9", 10**9),
    ("isnan(NAN)", 1),
    ("(uint)-1 * 2u == 4294967294u", 1),
    ("5 - (uint)-1 == 6", 1),
    ("max((uchar)3, (uchar)200)", 200),
    ("any((int2)(0, -1))", 1),
    ("all((int2)(0, -1))", 0),
    ("((int4)(1, 2, 3, 4)).s2", 3),
    ("((int4)(1, 2, 3, 4)).odd.y", 4),
    ("((int3)(7)).z", 7),
    ("(int4)(1, 2, 3, 4).hi.x", 3),
    ("((int4)((int2)(5, 6), 7, 8)).wzyx.z", 6),
    ("((int2)(1, 5) < (int2)(3)).x", -1),
    ("((uchar2)(250, 3) + (uchar2)(10)).x", 4),
    ("as_int2(0x100000002L).y", 1),
    ("convert_int2((float2)(1.9f, -1.9f)).y", -1),
]


@pytest.mark.parametrize(("written", "value"), INTEGERS, ids=[written for written, _ in INTEGERS])
def test_an_expression_has_the_value_that_the_language_defines(written: str, value: int) -> None:
    text = f"__kernel void k(__global long *out) {{ out[0] = {written}; }}"
    assert interpreted(text, {"out": np.zeros(1, np.int64)}, {})["out"][0] == value


REALS = [
    ("16777216.0f + 1.0f", 16777216.0),
    ("1.0f / 3.0f", float(np.float32(1) / np.float32(3))),
    ("1.0 / 3.0f", 1 / 3),
    ("0.1f", float(np.float32(0.1))),
    ("fma(16777217.0, 1.0, 1.0)", 16777218.0),
    ("1.0f / 0.0f", np.inf),
    ("fma(4097.0f, 4097.0f, -16785408.0f)", 1.0),
    ("4097.0f * 4097.0f - 16785408.0f", 0.0),
    ("1e30f * 1e30f", np.inf),
    ("fmin(NAN, 2.0f)", 2.0),
    ("round(-2.5f)", -3.0),
    ("rint(2.5f)", 2.0),
    ("fmod(-7.5f, 2.0f)", -1.5),
    ("sign(-3.0f)", -1.0),
    ("mix(1.0f, 3.0f, 0.5f)", 2.0),
    ("dot((float2)(1, 2), (float2)(3, 4))", 11.0),
    ("ldexp(1.5f, 4)", 24.0),
    ("(float)16777217", 2.0**24),
    ("nextafter(1.0f, 2.0f)", 1 + 2.0**-23),
    ("step(2.0f, 1.0f)", 0.0),
    ("length((float2)(3, 4))", 5.0),
    ("0x1.8p1f", 3.0),
]


@pytest.mark.parametrize(("written", "value"), REALS, ids=[written for written, _ in REALS])
def test_a_real_is_rounded_once_to_its_precision(written: str, value: float) -> None:
    text = f"__kernel void k(__global double *out) {{ out[0] = {written}; }}"
    assert interpreted(text, {"out": np.zeros(1)}, {})["out"][0] == value


BODIES = {
    "switch that falls through": (
        "int s = 0; for (int i = 0; i < 6; i++) { switch (i) { case 1: s += 1; case 2: s += 10; break;"
        " case 4: continue; default: s += 100; } s += 1000; } out[0] = s;",
        5321,
    ),
    "do": ("int i = 9; do { i--; if (i == 7) continue; } while (i > 5); out[0] = i;", 5),
    "comma in a head": ("int s = 0; for (int i = 0, j = 5; i < j; i++, j--) s += j - i; out[0] = s;", 9),
    "shadowing": ("int a = 1; { int a = 2; a++; } out[0] = a;", 1),
    "address": ("int a = 1; int *p = &a; *p += 4; (*p)++; out[0] = a;", 6),
    "pointer walk": (
        "int t[4] = {1, 2, 3}; int *p = t; int s = *p++; s = s * 10 + *p; out[0] = s * 10 + (int)(p - t);",
        121,
    ),
    "rows": ("int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; out[0] = t[1][0] * 10 + t[0][2];", 43),
    "designated": (
        "struct pair { int x; short y[2]; } p = {.x = 3, .y = {4, 5}}, q = p; "
        "q.y[1] = 9; out[0] = p.y[1] * 10 + q.y[1];",
        59,
    ),
    "union": ("union { uint i; uchar b[4]; } u; u.i = 0x01020304; out[0] = u.b[3];", 1),
    "lanes": (
        "int4 v = (int4)(1, 2, 3, 4); v.xw = v.wx; v.s1 += 10; v.odd *= 2; out[0] = v.x * 1000 + v.y * 10 + v.w;",
        4242,
    ),
    "vector loads": (
        "short t[8]; for (int i = 0; i < 8; i++) t[i] = i; vstore4(vload4(1, t), 0, t); out[0] = t[0] * 10 + t[3];",
        47,
    ),
    "prefix and postfix": ("int i = 3; int a = i++ * 10 + i; out[0] = a * 100 + --i;", 3403),
    "early return": ("out[0] = 5; if (out[0] > 3) return; out[0] = 6;", 5),
    "enumeration": ("enum { A = 3, B, C = A * 4 }; out[0] = B + C;", 16),
    "printed": ('int i = 3; printf("%d " "%d", i++, out[0] = i); out[1] = 0; out[0] += i;', 8),
    "constant length": ("const int n = 3; int t[n * 2]; t[5] = 8; out[0] = t[n + 2];", 8),
    "chosen": ("int4 a = (int4)(1, 2, 3, 4); int4 b = a > (int4)(2) ? a : -a; out[0] = b.x * 10 + b.w;", -6),
}


@pytest.mark.parametrize("name", BODIES)
def test_statements_run_as_the_language_defines(name: str) -> None:
    body, value = BODIES[name]
    text = f"__kernel void k(__global int *out) {{ {body} }}"
    assert interpreted(text, {"out": np.zeros(4, np.int32)}, {})["out"][0] == value


def test_macros_typedefs_tables_and_helpers_of_the_file_count() -> None:
    text = """#define TWICE(x) ((x) + (x))
typedef struct { int x; float4 v; } item;
__constant int table[] = {5, 6, 7};
static item made(int a) { item one; one.x = TWICE(a); one.v = (float4)(a); return one; }
void bump(int *p) { *p += table[2]; }
__kernel void k(__global int *out) { item one = made(4); bump(&one.x); out[0] = one.x + (int)one.v.z; }"""
    assert interpreted(text, {"out": np.zeros(1, np.int32)}, {})["out"][0] == 19


def test_work_items_of_a_group_meet_at_barriers() -> None:
    text = """__kernel void k(__global int *out, __local int *t) {
    int l = get_local_id(0), n = get_local_size(0);
    __local int sum;
    t[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) { sum = 0; for (int i = 0; i < n; i++) sum += t[i]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + t[n - 1 - l];
}"""
    found = interpreted(text, {"out": np.zeros(8, np.int32)}, {}, (8,), (4,))["out"]
    assert list(found) == [9, 8, 7, 6, 29, 28, 27, 26]


def test_a_group_copies_between_memories_once() -> None:
    text = """__kernel void k(__global int *out) {
    int l = get_local_id(0);
    __local int t[4];
    event_t done = async_work_group_copy(t, out + 4 * get_group_id(0), 4, 0);
    wait_group_events(1, &done);
    t[l] += 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    done = async_work_group_copy(out + 4 * get_group_id(0), t, 4, 0);
    wait_group_events(1, &done);
}"""
    found = interpreted(text, {"out": np.arange(8, dtype=np.int32)}, {}, (8,), (4,))["out"]
    assert list(found) == list(range(10, 18))


def test_components_in_memory_are_stored_alone() -> None:
    text = """__kernel void k(__global int4 *out, __global int4 *v) {
    v[0].y += v[1].z; v[0].zw = v[1].xy; int old = v[1].w++; v[1].x = old + v[0].wz.x; out[0] = v[0]; out[1] = v[1];
}"""
    arrays = {"out": np.zeros(8, np.int32), "v": np.arange(1, 9, dtype=np.int32)}
    assert list(interpreted(text, arrays, {})["out"]) == [1, 9, 5, 6, 14, 6, 7, 9]


def test_a_component_is_loaded_with_its_vector() -> None:
    text = "__kernel void k(__global int *out, __global int4 *v) { out[0] = v[0].x; }"
    with pytest.raises(OutOfBoundsError):
        interpreted(text, {"out": np.zeros(1, np.int32), "v": np.zeros(3, np.int32)}, {})


def test_kernels_send_through_channels_while_both_run() -> None:
    text = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c[2] __attribute__((depth(1)));
__kernel void one(__global int *a, int n) { for (int i = 0; i < n; i++) write_channel_intel(c[i & 1], a[i] * 2); }
__kernel void two(__global int *b, int n) { for (int i = 0; i < n; i++) b[i] = read_channel_intel(c[i & 1]) + 1; }"""
    arrays = {"a": np.arange(9, dtype=np.int32), "b": np.zeros(9, np.int32)}
    found = interpreted(text, arrays, {"n": 9}, kernels=("one", "two"))["b"]
    assert list(found) == [2 * i + 1 for i in range(9)]


def test_what_a_conversion_gives_beyond_its_type_is_open() -> None:
    text = "__kernel void k(__global int *y, float x) { y[0] = (int)x; y[1] = (int)(x / 1e12f); }"
    found = []
    for fill in (NOTHING_OPEN, ALL_OPEN):
        program, block = Program(read_source(text, "k.cl")), Block(8, "y")
        program.fill[:] = fill
        program.turns.start(100, time.thread_time() + 10)
        run(program, [Launched(program.function("k"), [(block, 0), 3e12], Sizes((1,), (1,)))])
        found.append([int.from_bytes(block.data[at : at + 4], "little", signed=True) for at in (0, 4)])
    assert found[1] == [ALL_OPEN[2], 3]
    assert found[0][0] != found[1][0]
    assert found[0][1] == 3
