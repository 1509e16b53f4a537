"""Pointers that structures hold are followed to their buffers."""

from __future__ import annotations

import pytest

from tests.assessing import assess

KERNEL = """
typedef struct { __global const float *x; __global float *y; int n; } Both;
__kernel void copy(__global const float *restrict x, __global float *restrict y, __global float *restrict z, int n)
{
    Both s;
    s.x = x + 2;
    s.y = y;
    MORE
    for (int i = 0; i < n; i++) s.y[i] = s.x[i];
}
"""


def test_pointers_in_a_structure_are_followed() -> None:
    (kernel,) = assess(KERNEL.replace("MORE", "")).kernels
    found = [(a.op, a.pointer, str(a.offset)) for a in kernel.facts.accesses]
    assert found == [("load", "x", "4·i + 8"), ("store", "y", "4·i")]


def test_a_pointer_that_is_set_twice_has_no_known_address() -> None:
    (kernel,) = assess(KERNEL.replace("MORE", "if (n > 4) s.y = z;")).kernels
    (store,) = [a for a in kernel.facts.accesses if a.op == "store"]
    assert store.offset is None


def test_a_pointer_of_unknown_origin_is_said() -> None:
    text = """
typedef struct { __global float *y; } One;
__attribute__((max_global_work_dim(0)))
__kernel void k(int n)
{
    One s;
    for (int i = 0; i < n; i++) s.y[i] = 1.0f;
}
"""
    (kernel,) = assess(text).kernels
    assert [r.kind for r in kernel.facts.remarks] == ["unknown_origin"]


@pytest.mark.parametrize(("space", "remarks"), [("__constant", []), ("", ["unknown_origin"])])
def test_nothing_is_left_out_behind_pointers_to_constant_memory(space: str, remarks: list[str]) -> None:
    text = f"""
__constant float cosines[2][4] = {{{{1.0f, 0.5f, 0.0f, -0.5f}}, {{1.0f, 0.7f, 0.0f, -0.7f}}}};
__constant float sines[4] = {{0.0f, 0.5f, 1.0f, 0.5f}};
float factor(int stage, int at)
{{
    {space} float *tables[2] = {{cosines[1], sines}};
    return tables[stage][at];
}}
__kernel void turn(__global const float *restrict x, __global float *restrict y, int n, int stage)
{{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * factor(stage, i & 3);
}}
"""
    (kernel,) = assess(text).kernels
    assert [r.kind for r in kernel.facts.remarks] == remarks


STACK = """
typedef struct { int node; float near; float far; int code; } item;
__kernel void k(__global item *restrict stack, __global const int *restrict next, int n)
{
    __global item *top = stack;
    for (int i = 0; i < n; i++)
        if (next[i] > 0) {
            top->node = next[i];
            top->near = 1.0f;
            top->far = 2.0f;
            top->code = i;
            top++;
        } else if (next[i] < -1)
            top--;
}
"""


def test_neighbours_behind_a_pointer_that_a_loop_moves_share_a_unit() -> None:
    (kernel,) = assess(STACK, device_family="Arria 10", aoc_version="20.4").kernels
    (unit,) = [u for u in kernel.lsus if u.op == "store"]
    assert (unit.width_bits, unit.count, unit.unfixed) == (128, 1, "data")


MESSAGE = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct { int width; __global float *rows; } message;
channel message orders;
__kernel void k()
{
    while (1) {
        message now = read_channel_intel(orders);
        for (int i = 0; i < now.width; i++)
            now.rows[i] = now.rows[i] * 2.0f;
    }
}
"""


def test_a_pointer_that_comes_through_a_channel_leads_to_global_memory() -> None:
    (kernel,) = assess(MESSAGE).kernels
    assert [(u.op, u.space, u.width_bits) for u in kernel.lsus] == [("load", "global", 32), ("store", "global", 32)]
    assert {a.pointer for a in kernel.facts.accesses if a.space == "global"} == {"now.rows"}
    assert not [r for r in kernel.facts.remarks if r.kind == "unknown_origin"]


def test_a_pointer_of_unknown_origin_may_reach_what_is_stored_through_others() -> None:
    text = MESSAGE.replace("k()", "k(__global const float *SIDE scale)").replace("* 2.0f", "* scale[0]")
    units = {}
    for qualifier in ("", "restrict"):
        (kernel,) = assess(text.replace("SIDE", qualifier)).kernels
        scale = next(a for a in kernel.facts.accesses if a.pointer == "scale")
        units[qualifier] = len(scale.loops)
    assert units == {"": 2, "restrict": 1}  # the inner loop may not be entered


TO_ARRAYS = """
typedef struct { float re, im; } pair;
void put(__local float4 (*tile)[16], int i, float4 v) { tile[i][2] = v; }
__kernel void k(__global const float2 *restrict x, __global const float *restrict w, __global pair (*z)[8],
                __global float *restrict y)
{
    const int m = 32;
    __global const float2 (*p)[64] = (__global const float2 (*)[64])x;
    __global float (*q)[m] = (__global float (*)[m])w;
    __local float4 tile[16][16];
    float4 rows[4][4];
    {
        float4 (*row)[4] = rows;
        row[1][2] = 0;
    }
    for (int i = 0; i < 1024; i++) {
        put(tile, i & 15, rows[1][2]);
        y[i] = p[i][3].x + (*p)[i].y + q[i][1] + z[i][2].im + tile[i & 15][2].x;
    }
}
"""


def test_pointers_to_arrays_reach_their_rows() -> None:
    done = assess(TO_ARRAYS)
    assert done.faults == ()
    (kernel,) = done.kernels
    found = [(a.pointer, str(a.offset), a.element_bytes) for a in kernel.facts.accesses if a.space == "global"]
    assert found == [
        ("x", "512·i + 24", 8),
        ("x", "8·i", 8),
        ("w", "128·i + 4", 4),
        ("z", "64·i + 20", 4),
        ("y", "4·i", 4),
    ]
    assert {u.width_bits for u in kernel.lsus if u.space == "global"} == {32, 64}


@pytest.mark.parametrize("qualifier", ["__local", "local", "__global", "volatile __global"])
def test_a_pointer_to_an_array_is_declared_with_any_type(qualifier: str) -> None:
    body = f"{qualifier} pair (* restrict other)[4];\n    other = 0;"
    done = assess(TO_ARRAYS.replace("const int m = 32;", f"const int m = 32; {body}"))
    assert done.faults == ()


@pytest.mark.parametrize(
    ("address", "offset"),
    [
        ("from + 4 * i", "4·i + 16"),
        ("(i << 2) + from", "4·i + 16"),
        ("from + 16 * i - 8", "16·i + 8"),
    ],
)
def test_an_address_that_an_integer_holds_is_one_of_bytes(address: str, offset: str) -> None:
    (kernel,) = assess(
        f"""__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
        {{
            ulong from = (ulong)x + 16;
            for (int i = 0; i < n; i++) y[i] = *(__global const float *)({address});
        }}"""
    ).kernels
    (load,) = [a for a in kernel.facts.accesses if a.op == "load"]
    assert (load.pointer, load.element_bytes, str(load.offset)) == ("x", 4, offset)


SCATTERED = """
__kernel void k(__global const char *restrict a, __global const char *restrict b, __global const uint *restrict from,
                __global char *restrict y, int n)
{
    __global const char *rows[4];
    for (int w = 0; w < 4; w++) rows[w] = &a[from[w]];
    MORE
    for (int i = 0; i < n; i++)
        for (int w = 0; w < 4; w++) y[4 * i + w] = rows[w][i];
}
"""


def test_pointers_in_an_array_lead_to_their_buffer_wherever_in_it() -> None:
    (kernel,) = assess(SCATTERED.replace("MORE", "")).kernels
    (load,) = [a for a in kernel.facts.accesses if a.pointer == "a"]
    assert (load.op, load.offset, load.loops) == ("load", None, (1, 2))
    assert not [r for r in kernel.facts.remarks if r.kind == "unknown_origin"]


@pytest.mark.parametrize("more", ["rows[n & 3] = b;", "rows[n & 3] = b; rows[n & 1] = a;"])
def test_an_array_with_pointers_to_several_buffers_leads_to_none_of_them(more: str) -> None:
    (kernel,) = assess(SCATTERED.replace("MORE", more)).kernels
    assert not {a.pointer for a in kernel.facts.accesses} & {"a", "b"}
    assert [r for r in kernel.facts.remarks if r.kind == "unknown_origin"]
    assert {"a", "b"} <= {name for group in kernel.facts.mixed for name in group}


def test_an_element_that_alone_was_set_keeps_its_address() -> None:
    (kernel,) = assess(SCATTERED.replace("rows[w] = &a[from[w]]", "rows[1] = a + w").replace("MORE", "")).kernels
    assert [a.pointer for a in kernel.facts.accesses if a.op == "load"] == ["a"]


def test_an_element_that_is_written_index_first_is_one_of_its_array() -> None:
    plain = KERNEL.replace("MORE", "")
    turned = plain.replace("s.y[i] = s.x[i]", "(i + 2)[s.y] = (i + 1)[s.x]")
    (kernel,) = assess(turned).kernels
    found = [(a.op, a.pointer, str(a.offset)) for a in kernel.facts.accesses]
    assert found == [("load", "x", "4·i + 12"), ("store", "y", "4·i + 8")]
    assert kernel.facts.index_first
    assert not assess(plain).kernels[0].facts.index_first
