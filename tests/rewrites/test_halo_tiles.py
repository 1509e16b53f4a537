"""Neighbours of work-items in tiles with a halo: the edits, where they pay, and equal results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.equality import Data, ran

REQUIRED = "__attribute__((reqd_work_group_size({}, {}, {})))\n"
HEAD = "__kernel void k(__global const {t} *restrict a, __global {t} *restrict c, const int w, const int h)\n"
LINE = (
    HEAD.format(t="int")
    + """{
    const int g = get_global_id(0);
    if (g > 0 && g < w - 1)
        c[g] = a[g - 1] + 2 * a[g] - a[g + 1]; // three
}
"""
)
CROSS = (
    HEAD.format(t="int")
    + """{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w - 1 || y >= h - 1 || x < 1 || y == -1) return;
    if (y > 0)
        c[y * w + x] = a[(y - 1) * w + x] + a[y * w + x - 1] + a[y * w + x] + a[y * w + x + 1] - a[(y + 1) * w + x];
}
"""
).replace(" || y == -1", "")
BOX = (
    HEAD.format(t="float4")
    + """{
    const int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    if (x > 1 && x < w - 2 && y >= 2 && y + 2 < h) {
        for (int r = -2; r <= 2; r++)
            for (int q = 0; q < 3; q++)
                sum += a[(y + r) * w + 2 * q + x - 2];
        c[y * w + x] = sum / 9;
    }
}
"""
)
EDGES = (
    "#define AT(r, q) ((r) * w + (q))\n"
    + HEAD.format(t="uchar")
    + """{
    const size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    if (x < w && y < h) {
        uchar left = x > 0 ? a[AT(y, x - 1)] : 7;
        c[AT(y, x)] = left + a[AT(y, x)] * 2 + (y >= 1 ? a[AT(y - 1, x)] : 0);
    }
}
"""
)
WHOLE = CROSS[: CROSS.index("    if (x")] + "    c[y * 64 + x] = a[(y + 1) * 66 + x] + a[(y + 1) * 66 + x + 2];\n}\n"
NOUGHT = CROSS.replace("x < 1", "x == 0").replace("y > 0", "y != 0")
UNSIGNED = (
    HEAD.format(t="int").replace("const int w", "const uint N")
    + """{
    const int x = get_global_id(0), y = get_global_id(1);
    if (y > 0)
        c[y * 64 + x] = a[(y - 1) * N + x] + a[y * N + x];
}
"""
)
CASES = {
    "unsigned": UNSIGNED,
    "line": LINE,
    "cross": CROSS,
    "ids that are not 0": NOUGHT,
    "box": BOX,
    "edges": EDGES,
    "whole": WHOLE,
    "fixed": REQUIRED.format(16, 2, 1) + CROSS,
    "lanes": REQUIRED.format(32, 8, 1) + "__attribute__((num_simd_work_items(16)))\n" + CROSS,
    "row of a plane": REQUIRED.format(8, 4, 1) + CROSS.replace(" + a[(y + 1)", " + a[(y - 1)")
    .replace("a[(y - 1) * w + x]", "0").replace("- a[(y + 1) * w + x]", "")
    .replace("y * w + x - 1]", "x - 1]").replace("a[y * w + x", "a[x"),
}  # fmt: skip


@once
def offers(text: str) -> list[Offer]:
    """The edits of this kind that are possible."""
    layers = [Layer("file", {"arguments": {"w": 1000, "h": 1000}})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if o.title.kind.startswith("halo_tile")]


def applied(text: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text)
    assert offer.kind == ("proved" if "reqd" in text else "host")
    return offer.applied(text.encode()).decode()


def gain(text: str, items: tuple[int, ...]) -> float:
    """How many times faster the edit makes a kernel."""
    layers = [Layer("file", {"arguments": {"w": 4096, "h": 4096}, "global_size": list(items)})]
    assessor = Assessor()
    now = assessor.assess(text, "k.cl", layers)
    (offer,) = [o for o in offers_of(now) if o.title.kind.startswith("halo_tile")]
    fix = tried(assessor, now, layers, offer, every=True)
    assert fix is not None
    assert fix.speedup is not None
    return fix.speedup


def test_a_group_loads_its_block_and_what_is_around_it() -> None:
    assert applied(LINE).splitlines() == [
        "__attribute__((reqd_work_group_size(256, 1, 1)))",
        LINE.splitlines()[0],
        "{",
        "    __local int a_tile[258];",
        "    const int item_x = get_local_id(0);",
        "    const long x_first = get_global_id(0) - item_x;",
        "    if (0 < (x_first + item_x) && max((x_first + max(item_x - 2, 0)), (long)1) < w - 1)",
        "        a_tile[item_x] = a[(x_first + item_x) - 1];",
        "    if (item_x < 2 && 0 < (x_first + 255) && max((x_first + item_x + 254), (long)1) < w - 1)",
        "        a_tile[item_x + 256] = a[(x_first + item_x + 256) - 1];",
        "    barrier(CLK_LOCAL_MEM_FENCE);",
        "    const int g = get_global_id(0);",
        "    if (g > 0 && g < w - 1)",
        "        c[g] = a_tile[item_x] + 2 * a_tile[item_x + 1] - a_tile[item_x + 2]; // three",
        "}",
    ]


def test_lanes_that_fill_a_word_start_at_one() -> None:
    after = applied(CASES["lanes"])
    assert "    __local int a_tile[10][49];\n" in after
    assert "a_tile[item_y][item_x] = a[(x_first + item_x - 15) - w + (y_first + item_y) * w - 1];" in after
    assert "a_tile[item_y + 1][item_x + 16]" in after


def test_an_unsigned_width_is_no_part_of_a_negative_index() -> None:
    assert "= a[-(long)N + (x_first + item_x) + (long)N * (y_first + item_y)];" in applied(UNSIGNED)


def test_loops_over_neighbours_walk_through_the_tile() -> None:
    assert "sum += a_tile[item_y + r + 2][item_x + 2 * q];" in applied(BOX)


def test_pays_where_memory_is_what_limits() -> None:
    wide = HEAD.format(t="float") + "{\n    const int x = get_global_id(0), y = get_global_id(1);\n"
    taps = " + ".join(f"a[(y + {r}) * w + x + {q}]" for r in range(7) for q in range(7))
    assert gain(wide + f"    c[y * w + x] = {taps};\n}}\n", (4096, 4096)) > 2
    assert gain(CASES["lanes"], (4096, 4096)) > 1.3
    assert gain(LINE, (1 << 22,)) < 1.05


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LINE.replace("*restrict", "*"), "a and c may overlap: neither is declared restrict"),
        (LINE.replace("c[g] =", "if (a[g] > 3) c[g] ="), None),
        (LINE.replace("g > 0 &&", "a[0] > 3 &&"),
         "a condition that may differ between work-items of a group decides whether it runs"),
        (LINE.replace("g > 0 &&", "g % 3 &&"),
         "a condition that may differ between work-items of a group decides whether it runs"),
        (LINE.replace("g > 0 &&", "g > h &&"),
         "a condition that may differ between work-items of a group decides whether it runs"),
        (LINE.replace("int g", "size_t g").replace("g < w - 1", "g - 1 < w - 2"),
         "a condition that may differ between work-items of a group decides whether it runs"),
        (LINE.replace("    if", "    a += 1;\n    if"), None),
        (CROSS.replace("const int w,", "int w,").replace("    if (y", "    w = w * 2;\n    if (y"), None),
        (REQUIRED.format(4, 1, 1) + CROSS.replace("y - 1", "y - 9"), "neighbours reach too far for work-groups of 4×1"),
        (LINE.replace("const int *", "const volatile int *"), None),
        (REQUIRED.format(2, 1, 1) + LINE, "groups of 2×1×1"),
    ],
)  # fmt: skip
def test_not_offered_where_it_is_not_proved(text: str, why: str | None) -> None:
    found = [obstacle_text(r.reason) for r in refusals_of(assess(text)) if r.title.kind == "halo_tile"]
    if why is None:
        assert offers(text) == []
    else:
        assert offers(text) == []
        assert len(found) == 1
        assert why in found[0]


@pytest.mark.parametrize("name", CASES)
def test_reads_clean_and_leaves_the_same_when_executed(name: str) -> None:
    text = CASES[name]
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after) == []
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    layers, assessor = [Layer("file", {"arguments": {"w": 40, "h": 20, "N": 64}})], Assessor()
    fix = tried(assessor, assessor.assess(text, "k.cl", layers), layers, offers(text)[0], every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)


@pytest.mark.parametrize("name", CASES)
def test_tiles_compute_the_same_on_a_real_runtime(name: str) -> None:
    """Between pages that nobody may touch: buffers end right behind what the kernel reads last."""
    np = pytest.importorskip("numpy")
    text, rng = CASES[name], np.random.default_rng(1)
    after = applied(text)
    for w, h in ((1, 1), (2, 3), (3, 2), (3, 3), (5, 4), (40, 20), (63, 32), (64, 31)):
        items = (512,) if name == "line" else (64, 32)
        count = {"whole": 65 * 66 - 66 * 32 + 66, "line": w, "unsigned": 31 * w + 64}.get(name, w * h) * (
            4 if name == "box" else 1
        )
        type_ = {"box": np.float32, "edges": np.uint8}.get(name, np.int32)
        arrays: dict[str, Any] = {"a": rng.integers(0, 50, max(count, 1)).astype(type_)}
        arrays["c"] = np.zeros(max(count, 64 * 32), type_)
        data = Data(arrays, {"w": np.int32(w), "h": np.int32(h), "N": np.uint32(w)}, items)
        assert ran(text, data) == ran(after, data), (w, h)


def test_rows_that_loops_run_along_need_no_tile() -> None:
    text = """__kernel void rows(__global const int *restrict starts, __global const int *restrict columns,
    __global const float *restrict x, __global float *restrict y)
{
    int r = get_global_id(0);
    float s = 0.0f;
    for (int j = starts[r]; j < starts[r + 1]; j++)
        s += x[columns[j]];
    y[r] = s;
}
"""
    layers = [Layer("file", {"board": "a10_ref", "global_size": [65536], "assumed_trips": 1024})]
    found = offers_of(Assessor().assess(text, "k.cl", layers))
    assert found
    assert not [one for one in found if one.title.kind.startswith("halo_tile")]
