"""What an edit must see of the whole kernel: each is either not offered, or computes the same on a real runtime."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.rewrites.catalogue import refusals_of
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, assessed, offered, tried

np = pytest.importorskip("numpy")

TWO_PASSES = """__kernel void blur(__global const int *restrict in, __global int *restrict mid,
                   __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++)
        mid[i] = in[i] + in[i + 1];
    for (int j = 0; j < n - 1; j++)
        out[j] = mid[j] - mid[j + 1];
}
"""
IN_PLACE = """__kernel void twice(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int a = 0; a < n; a++) {
        out[a] = 5 * in[a];
    }
    for (int b = 0; b < n; b++)
        out[b] = out[b] ^ in[b];
}
"""
BIAS = """__kernel void layer(__global int *restrict in, __global const int *restrict w, __global int *restrict out,
                    int n)
{
    in[2] = 7;
    for (int j = 0; j < n; j++)
        out[j] = in[j] * w[j] + out[j];
}
"""
STEPS = """__kernel void settle(__global int *restrict heat, int n, int steps)
{
    for (int s = 0; s < steps; s++)
        for (int i = 1; i < n; i++)
            heat[i] = (heat[i] + heat[i + 1]) / 2;
}
"""
FOLLOWS = """void follow(int *place, int by) { *place = *place * 2 + by; }
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        int v = in[i];
        follow(&v, 3);
        out[i] = out[i] + v;
    }
}
"""
HURRIES = """void hurry(int *c) { (*c)++; }
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] += in[i + 1];
        hurry(&i);
    }
}
"""
WANDERS = """void wander(int *o) { *o = (*o + 3) % 7; }
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int o = 0;
    for (int i = 0; i < n; i++) {
        out[i] += in[i + o];
        wander(&o);
    }
}
"""
PARTS = """__kernel void k(__global const float *restrict in, __global float *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        int power;
        const float rest = frexp(in[i], &power);
        out[i] = out[i] * 2 + power + rest;
    }
}
"""
VECTOR_RESULT = """void turn(float2 v, float2 *to) { *to = (float2)(-v.y, v.x); }
__kernel void k(__global const float *restrict in, __global float *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        float2 to;
        turn((float2)(in[i], 2.0f), &to);
        out[i] = out[i] + to.x * to.y;
    }
}
"""
STARTS_LATE = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int from = 0;
    for (int i = from++; i < n; i++)
        out[i] = in[i] + in[i + 1] + in[i + 2] + from;
}
"""
STARTS_LATE_CARRY = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int from = 1;
    for (int i = from++; i < n; i++)
        out[i] = out[i - 1] / 2 + in[i + from];
}
"""
BELOW_ZERO = """#define HALO 3u
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int i = -HALO; i < n; i++)
        out[i + 3] = in[i + 3] - in[i + 4] + in[i + 5];
}
"""
UNSIGNED_CARRY = """__kernel void k(__global const int *restrict in, __global int *restrict out, uint skip, int n)
{
    for (int i = skip - 5; i < n; i++)
        out[i + 6] = out[i + 5] / 3 + in[i + 5];
}
"""
COUNT_DOWN = """__kernel void k(__global const int *restrict in, __global int *restrict out, uint m, int n)
{
    for (int i = m - 3; i >= 0; i--)
        out[i] = out[i + 2] / 2 - in[i];
}
"""
UNTIL_EQUAL = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int i = n - 1; i != -1; i--)
        out[i] = out[i + 3] / 2 - in[i];
}
"""
FLOAT_START = """__kernel void k(__global const int *restrict in, __global int *restrict out, float from, int n)
{
    for (int i = from; i < n; i++)
        out[i] = out[i - 1] / 2 + in[i];
}
"""
READ_IN_HEAD = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    for (int i = 1; i < n && out[i - 1] != 77; i++)
        out[i] = out[i - 1] / 2 + in[i];
}
"""
OVERLAP = """__kernel void k(__global const int *in, __global int *sums, int n)
{
    for (int i = 0; i < n; i++)
        atomic_add(&sums[2], in[i]);
}
"""
TRUNCATED = """__kernel void k(__global const float *restrict w, __global int *restrict sums, int n)
{
    for (int i = 0; i < n; i++)
        atomic_sub(&sums[2], w[i] * 0.75f);
}
"""
NOTHING_TO_ADD = """__kernel void k(__global const int *restrict in, __global int *restrict sums, int n)
{
    for (int i = 0; i < n; i++)
        atomic_xor(&sums[n - 1], in[i]);
}
"""
CHAIN_OF_HELPERS = """int place(void) { return get_global_id(0); }
  int moved(int by) {
    return place() + by;
  }
static int
further(int by) { return moved(by) * 2; }
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int i = get_global_id(0);
    out[i] = in[i] + further(n);
}
"""
SIZE_DIVIDES = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int i = get_global_id(0);
    int part = (in[i] - 50) / get_global_size(0);
    out[i] = in[i] - 20 < get_global_size(0) ? part : n;
}
"""
ONE_OF_FOUR = """__kernel void k(__global const float4 *restrict p, __global const float4 *restrict q,
                __global float4 *restrict out)
{
    int i = get_global_id(0);
    out[i] = q[i] * p[i].z;
}
"""
GUARDED_TILE = """__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void k(__global const int *restrict in, __global int *restrict out, int n)
{
    int i = get_global_id(0);
    if (i >= 2 && i < n - 2)
        out[i] = in[i - 2] + in[i] + in[i + 2];
}
"""
SIGNED_REMAINDER = """__kernel void k(__global const int *restrict table, __global int *restrict out, int low, int n)
{
    for (int i = low; i < n; i++)
        out[i + 9] = table[6 - i % 7] - table[6 - i % 7] / 2;
}
"""
INDEX_FIRST = """__kernel void k(__global int *restrict in, __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i + 1] = in[i] + in[i + 1] + i[in + 2];
        (i + 2)[in] = i;
    }
}
"""
BINS = """__kernel void k(__global const uchar *restrict in, __global int *restrict bins, int n)
{
    for (int i = 0; i < n; i++)
        bins[in[i]] += 1;
}
"""
ROUNDS = """__kernel void k(__global const int *restrict in, __global int *restrict out, int n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] += in[r * 3 + i];
}
"""


def ints(size: int = 96, low: int = -9, high: int = 90) -> Any:
    return np.random.default_rng(size + high).integers(low, high, size).astype(np.int32)


def floats(size: int = 96) -> Any:
    return ints(size).astype(np.float32) / 4


def single(sizes: tuple[int, ...] = (0, 1, 2, 7, 40), **more: Any) -> list[Data]:
    """Launches of one work-item with buffers of whole numbers."""
    names = ("in", "mid", "out", "w", "heat", "sums", "table", "bins")
    arrays = {name: ints(96, high=40 + i) for i, name in enumerate(names)}
    arrays |= more.pop("arrays", {})
    return [Data(arrays, {"n": np.int32(n), **more}) for n in sizes]


def items(*sizes: int) -> list[Data]:
    arrays = {"in": ints(), "out": ints(high=30)}
    return [Data(arrays, {"n": np.int32(11)}, (size,)) for size in sizes]


CASES: dict[str, tuple[str, list[Data]]] = {
    "two passes": (TWO_PASSES, single()),
    "in place": (IN_PLACE, single()),
    "store before the loop": (BIAS, single()),
    "index first": (INDEX_FIRST, single()),
    "steps in time": (STEPS, single(steps=np.int32(4))),
    "rounds over the same": (ROUNDS, single(rounds=np.int32(3))),
    "helper sets a value": (FOLLOWS, single()),
    "helper steps the counter": (HURRIES, single()),
    "helper moves an offset": (WANDERS, single()),
    "built-in sets a value": (PARTS, single(arrays={"in": floats(), "out": floats(95)})),
    "helper sets a vector": (VECTOR_RESULT, single(arrays={"in": floats(), "out": floats(95)})),
    "first value steps": (STARTS_LATE, single()),
    "first value steps, carried": (STARTS_LATE_CARRY, single()),
    "unsigned below zero": (BELOW_ZERO, single()),
    "unsigned first value": (UNSIGNED_CARRY, single(skip=np.uint32(2))),
    "count down": (COUNT_DOWN, [d for m in (0, 1, 3, 30) for d in single((4,), m=np.uint32(m))]),
    "until equal": (UNTIL_EQUAL, single()),
    "float first value": (FLOAT_START, [Data(d.arrays, {**d.scalars, "from": np.float32(2.75)}) for d in single()]),
    "read in the head": (READ_IN_HEAD, single()),
    "float operand": (TRUNCATED, single(arrays={"w": floats()})),
    "no operand": (NOTHING_TO_ADD, single((0, 1, 5), arrays={"sums": ints(5)})),
    "chain of helpers": (CHAIN_OF_HELPERS, items(1, 5, 32)),
    "size divides": (SIZE_DIVIDES, items(1, 5, 32)),
    "guarded tile": (GUARDED_TILE, items(16, 96)),
    "signed remainder": (SIGNED_REMAINDER, single((0, 1, 20), low=np.int32(-9))),
    "bins": (BINS, single(arrays={"in": ints(96, 0, 40).astype(np.uint8)})),
}


def of_kernel(text: str, data: list[Data]) -> list[Data]:
    """The data with the arrays that a kernel takes."""
    names = [a.name for a in assessed(text).kernels[0].facts.arguments]
    return [
        Data({n: v for n, v in d.arrays.items() if n in names}, {n: v for n, v in d.scalars.items() if n in names},
             d.items, d.shared) for d in data
    ]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_offered_computes_the_same(name: str) -> None:
    text, data = CASES[name]
    wrong = [
        f"{title_text(t.offer.title)}: {t.why}"
        for t in tried(text, of_kernel(text, data), arguments={"n": 500})
        if t.unequal
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "edit", "reason"),
    [
        ("in place", "Split", "reads what"),
        ("first value steps", "Keep in", "side effect"),
        ("first value steps, carried", "Keep out", "side effect"),
        ("index first", "Split", "index first"),
        ("guarded tile", "Copy in", "a condition"),
        ("bins", "Add #pragma ivdep", "at most 256 places"),
    ],
)
def test_refused_with_the_reason(name: str, edit: str, reason: str) -> None:
    text = CASES[name][0]
    promised = [
        title_text(o.title)
        for o in offered(text, ("proved", "host", "assertion"))
        if title_text(o.title).startswith(edit)
    ]
    assert [title for title in promised if edit != "Keep in"] == []
    refused = [obstacle_text(r.reason) for r in refusals_of(assessed(text)) if title_text(r.title).startswith(edit)]
    # A kernel that waits for nothing is not expected to be split.
    assert [r for r in refused if reason in r] or (edit == "Split" and not refused)


@pytest.mark.parametrize("name", ["two passes", "in place"])
def test_no_split_over_what_is_stored_and_loaded_later(name: str) -> None:
    assert [
        title_text(o.title)
        for o in offered(CASES[name][0], ("host", "assertion"))
        if "plit into" in title_text(o.title)
    ] == []


@pytest.mark.parametrize(
    ("name", "launched"),
    [("store before the loop", ""), ("steps in time", " for each s"), ("rounds over the same", " for each r")],
)
def test_what_is_stored_between_launches_may_be_split(name: str, launched: str) -> None:
    """That results are the same is held by `test_what_is_offered_computes_the_same`."""
    titles = [title_text(o.title) for o in offered(CASES[name][0], ("host",))]
    (split,) = [title for title in titles if title.startswith("Split into a memory and a compute kernel")]
    assert ("launched" + launched in split) == bool(launched)


def test_overlapping_buffers_are_not_gathered() -> None:
    assert [title_text(o.title) for o in offered(OVERLAP) if title_text(o.title).startswith("Gather")] == []
    apart = OVERLAP.replace("*in", "*restrict in")
    assert [title_text(o.title) for o in offered(apart) if title_text(o.title).startswith("Gather")] != []
    shared = [Data({"sums": ints(40)}, {"n": np.int32(9)}, (1,), {"in": ("sums", 0)})]
    assert [t.why for t in tried(OVERLAP, shared) if t.unequal] == []


def test_element_of_a_vector_gets_an_array_of_its_own_type() -> None:
    (offer,) = [o for o in offered_layouts(ONE_OF_FOUR) if "field of p" in title_text(o.title)]
    after = offer.applied(ONE_OF_FOUR.encode()).decode()
    assert "__global const float *restrict p_z," in after
    assert "p_z[i] = p[i].s[2];" in offer.host
    assert [o for o in offered_layouts(ONE_OF_FOUR.replace(".z", ".xy.x")) if "field of p" in title_text(o.title)] == []


def offered_layouts(text: str) -> list[Any]:
    from burstline_server.rewrites.catalogue import offers_of  # noqa: PLC0415

    return [o for o in offers_of(assessed(text)) if o.subjects]
