"""Structures to arrays and back: the edits, which one is predicted to gain, and that results stay the same."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

POINTS = """typedef struct {
    float x, y;
    int kind;
    float weight; // not read
} point;

__kernel void shift(__global const int *restrict by, __global point *restrict points, const int n)
{
    for (int i = 0; i < n; i++) {
        if (points[i].kind > 3)
            points[n - 1 - i].y += points[i].x * by[i]; /* moved */
    }
}
"""
SUMS = """// three in step
__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void sums(__global const float *restrict a, const int n, __global const float *restrict b,
                   __global const char *restrict c,
                   __global float *restrict out, __global const float *restrict table)
{
    const int i = get_global_id(0);
    out[i] = a[i + n] * b[i + n] + c[n + i] - table[i];
}
"""


@once
def offers(text: str, word: str) -> list[Offer]:
    """The edits of a kind that are possible."""
    layers = [Layer("file", {"arguments": {"n": 100_000}, "global_size": 1 << 20})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if title_text(o.title).startswith(word)]


def applied(text: str, word: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text, word)
    assert offer.kind == "host"
    assert "needs a host change" in title_text(offer.title)
    return offer.applied(text.encode()).decode()


def test_fields_become_parameters_under_each_other() -> None:
    after = applied(POINTS, "Give")
    assert "shift(__global const int *restrict by, __global float *restrict points_x,\n" in after
    lines = after.splitlines()
    at = next(i for i, line in enumerate(lines) if "points_x," in line)
    column = lines[at].index("__global float")
    assert lines[at + 1] == " " * column + "__global float *restrict points_y,"
    assert lines[at + 2] == " " * column + "__global int *restrict points_kind, const int n)"
    assert "if (points_kind[i] > 3)" in after
    assert "points_y[n - 1 - i] += points_x[i] * by[i]; /* moved */" in after
    (offer,) = offers(POINTS, "Give")
    assert title_text(offer.title).endswith("buffers of x, y, kind)")
    assert "    points_kind[i] = points[i].kind;\n" in offer.host
    # Each argument by its number: one that is set by an old number is another one.
    assert "shift now takes: 0 by, 1 points_x, 2 points_y, 3 points_kind, 4 n." in offer.host


def test_arrays_in_step_become_members_the_widest_first() -> None:
    assert applied(SUMS, "Keep").splitlines() == [
        "typedef struct {",
        "    float a, b;",
        "    char c;",
        "} record;",
        "",
        *SUMS.splitlines()[:2],
        "__kernel void sums(__global const record *restrict records, const int n,",
        "                   __global float *restrict out, __global const float *restrict table)",
        "{",
        "    const int i = get_global_id(0);",
        "    out[i] = records[i + n].a * records[i + n].b + records[n + i].c - table[i];",
        "}",
    ]


def test_a_structure_comes_above_attributes_that_are_macros() -> None:
    text = "#define FOUR __attribute__((reqd_work_group_size(4, 1, 1)))\n" + SUMS.replace(
        "// three in step\n__attribute__((reqd_work_group_size(4, 1, 1)))", "// three in step\nFOUR"
    )
    after = applied(text, "Keep")
    assert "} record;\n\n// three in step\nFOUR\n__kernel void sums(" in after


def test_host_lays_the_arrays_out_side_by_side() -> None:
    (offer,) = offers(SUMS, "Keep")
    assert "    records[i].c = c[i];\n" in offer.host
    assert "sums now takes: 0 records, 1 n, 2 out, 3 table." in offer.host


def test_the_model_says_which_layout_is_faster() -> None:
    def best(text: str) -> set[str]:
        layers, assessor = [Layer("file", {"global_size": 1 << 20, "arguments": {"n": 0}})], Assessor()
        found = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers)
        return {fix_title(f).split()[0] for f in found if f.offer.kind == "host" and (f.speedup or 0) > 1}

    one = """typedef struct { float x, y, z, w; } item;
__attribute__((reqd_work_group_size(64, 1, 1), num_simd_work_items(4)))
__kernel void one(__global const item *restrict items, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = items[i].w;
}
"""
    assert "Give" in best(one)
    every = one.replace("items[i].w", "items[i].x + items[i].y + items[i].z + items[i].w")
    assert "Give" not in best(every)
    assert "Keep" in best(applied(every, "Give"))


@pytest.mark.parametrize(
    "text",
    [
        POINTS.replace("points[i].x *", "(points + i)->x *"),
        POINTS.replace("if (points[i]", "point p = points[0]; if (points[i]"),
        POINTS.replace("float weight", "float rest[4]").replace("points[i].x", "points[i].rest[1]"),
        POINTS.replace("__global point *restrict points", "__global /* all */ point *restrict points"),
        SUMS.replace("b[i + n]", "b[i + 2]").replace("c[n + i]", "c[3]"),
        SUMS.replace("a[i + n]", "*(a + i + n)").replace("c[n + i]", "c[3]"),
        SUMS.replace("const float *restrict a", "float *restrict a").replace("c[n + i]", "c[3]"),
        SUMS.replace("__global const float *restrict b,", "__global const float *restrict b, /* c */").replace(
            "a[i + n]", "a[i + 5]"
        ),
    ],
)
def test_not_offered_where_the_pointer_is_used_in_another_way(text: str) -> None:
    assert [title_text(o.title) for o in offers(text, "Give") + offers(text, "Keep")] == []


@pytest.mark.parametrize(("text", "word"), [(POINTS, "Give"), (SUMS, "Keep")], ids=["fields", "records"])
def test_reads_clean_and_is_offered_once(text: str, word: str) -> None:
    after = applied(text, word)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after, word) == []
    assert applied(text.replace("\n", "\r\n"), word) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64])
def test_fields_give_the_same_on_a_real_runtime(n: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n)
    points = np.zeros(64, [("x", "f4"), ("y", "f4"), ("kind", "i4"), ("weight", "f4")])
    for field in ("x", "y", "kind"):
        points[field] = rng.integers(-9, 9, 64)
    arrays: dict[str, Any] = {"by": rng.integers(-9, 9, 64).astype(np.int32), "points": points}
    apart = {f"points_{field}": np.ascontiguousarray(points[field]) for field in ("x", "y", "kind")}
    expected = results(POINTS, arrays, {"n": np.int32(n)})
    got = results(applied(POINTS, "Give"), arrays | apart, {"n": np.int32(n)})
    assert all(np.array_equal(expected["points"][name[7:]], got[name]) for name in apart)
    assert n < 7 or not np.array_equal(expected["points"]["y"], points["y"])


@pytest.mark.parametrize("items", [4, 12, 60])
def test_records_give_the_same_on_a_real_runtime(items: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(items)
    arrays: dict[str, Any] = {name: rng.integers(-9, 9, 64).astype(np.float32) for name in ("a", "b", "out", "table")}
    arrays["c"] = rng.integers(-9, 9, 64).astype(np.int8)
    records = np.zeros(64, np.dtype([("a", "f4"), ("b", "f4"), ("c", "i1")], align=True))
    for member in ("a", "b", "c"):
        records[member] = arrays[member]
    expected = results(SUMS, arrays, {"n": np.int32(3)}, items, 4)
    got = results(applied(SUMS, "Keep"), arrays | {"records": records}, {"n": np.int32(3)}, items, 4)
    assert np.array_equal(expected["out"], got["out"])
    assert not np.array_equal(expected["out"], arrays["out"])
