"""Loads that a work-group makes together: the edits, equal results on a real runtime, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.equality import Data, ran

ROWS = """__kernel void k(__global const float *w, __global const float *v, __global float *restrict y, const int n)
{
    const int row = get_global_id(0);
    float sum = v[row];
    for (int i = 0; i < n; i++)
        sum += w[row * n + i] * v[i];
    y[row] = sum;
}
"""
PRODUCT = """__kernel void k(__global const float *restrict a, __global const float *restrict b,
                __global float *restrict c, const int m, const int p, const int n)
{
    const int col = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= m || col >= p)
        return;
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum += a[row * n + i] * b[i * p + col];
    }
    c[row * p + col] = sum;
}
"""
WITHOUT_LIMIT = PRODUCT.replace("    if (row >= m || col >= p)\n        return;\n", "")
WITHIN = """__kernel void k(__global const float *restrict a, __global const float *restrict b,
                __global float *restrict c, const int m, const int p, const int n)
{
    size_t row = get_global_id(0);
    size_t col = get_global_id(1);
    if (row < m && col < p) {
        float sum = c[row * p + col];
        int twice = 2 * n;
        for (int i = 0; i < n; ++i)
            sum += a[row * n + i] * b[i * p + col];
        float more = sum * twice;
        c[row * p + col] = more + a[row * n];
    }
}
"""
REQUIRED = "__attribute__((reqd_work_group_size({}, {}, {})))\n"
CASES: dict[str, str] = {
    "rows": ROWS,
    "counter outside": ROWS.replace("    for (int i", "    int i;\n    for (i"),
    "group of 24": REQUIRED.format(24, 1, 1) + ROWS,
    "group of 128": REQUIRED.format(128, 1, 1) + ROWS,
    "from 2": ROWS.replace("i = 0", "i = 2"),
    "constant trips": ROWS.replace("* n + i", "* 169 + i").replace("i < n", "i < 169 - 0"),
    "whole blocks": ROWS.replace("* n + i", "* 128 + i").replace("i < n", "i < 128"),
    "moved pointer": ROWS.replace("float sum", "w += row * n;\n    float sum").replace("w[row * n + i]", "w[i]"),
    "own pointer": ROWS.replace("float sum", "__global const float *own = w + n * row;\n    float sum").replace(
        "w[row * n + i]", "own[i]"
    ),
    "index in a variable": ROWS.replace(
        "        sum += w[row * n + i]",
        "    {\n        const int at = row * n;\n        int place = at + i;\n        sum += w[place]",
    ).replace("* v[i];", "* v[i];\n    }"),
    "unsigned": ROWS.replace("int n", "uint n").replace("int i", "uint i").replace("int row", "uint row"),
    "long ids": ROWS.replace("int row", "size_t row").replace("int i", "size_t i"),
    "asked to unroll": ROWS.replace("    for", "    #pragma unroll 3\n    for"),
    "continues": ROWS.replace(
        "        sum += w[row * n + i]", "    { float own = w[row * n + i]; if (own > 40) continue;\n        sum += own"
    ).replace("* v[i];", "* v[i]; }"),
    "two rows": ROWS.replace("* v[i]", "* w[row * n + i] + w[(row + 0) * n + i] - v[i]"),
    "in loops": ROWS.replace(
        "    for", "    for (int j = 0; j < n / 2; j++)\n    for (int h = 3; h >= 0; h--)\n    for"
    ).replace("sum += w", "sum = sum * h + w"),
    "helper": "int at(int r, int i, int n) { return r * n + i; }\n" + ROWS.replace("row * n + i", "at(row, i, n)"),
    "macros": "#define FIRST 0\n#define STEP (1)\n"
    + ROWS.replace("row * n", "row * n * STEP").replace("i = 0", "i = FIRST"),
    "backwards": ROWS.replace("row * n + i", "(63 - row + 64) * n + i"),
    "names in use": ROWS.replace("sum", "w_tile")
    .replace("row", "item")
    .replace("int n", "int i_first")
    .replace("* n", "* i_first")
    .replace("< n", "< i_first"),
    "product": PRODUCT,
    "product without limit": WITHOUT_LIMIT,
    "product within": WITHIN,
    "product with a constant": WITHIN.replace("int twice = 2 * n", "const int twice = a[row * n] > 9 ? 2 : 3"),
    "product other ids": WITHIN.replace("id(0)", "id(2)").replace("id(1)", "id(0)").replace("id(2)", "id(1)"),
    "product fixed": REQUIRED.format(8, 8, 1) + PRODUCT,
    "product oblong": REQUIRED.format(32, 4, 1) + WITHIN,
    "product upright": REQUIRED.format(4, 16, 1) + PRODUCT,
    "product in place of rows": PRODUCT.replace("b[i * p + col]", "b[col * n + i]"),
    "pragmas around": ROWS.replace("    float", "    if (row > 70) return;\n    float")
    .replace("    for", "    #pragma unroll 2\n    for (int j = 0; j < n; j++)\n        sum += v[j];\n    for")
    .replace("    y[row]", "    #pragma unroll 3\n    for (int j = 0; j < n; j++)\n        sum -= v[j];\n    y[row]"),
    "rows within": ROWS.replace("    float", "    if (row > n)\n        return;\n    float"),
    "rows of some": ROWS.replace(
        "    float sum = v[row];", "    if (row < 9 || row >= 70) return;\n    float sum = v[row];"
    ),
}
POOL = """__kernel void k(__global const float *w, __global float *restrict y, const int n, const int wide)
{
    const int row = get_global_id(0);
    w += row * 5 * wide;
    y += row * 2 * n;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < n; j++) {
            float best = 0.0f;
            #pragma unroll 1
            for (int k = 0; k < 3; k++) {
                #pragma unroll
                for (int l = 0; l < 3; l++) {
                    float value = w[(i * 2 + k) * wide + j * 2 + l];
                    if (value > best)
                        best = value;
                }
            }
            y[i * n + j] = best;
        }
    }
}
"""
TAPS = """__kernel void k(__global const float *w, __global float *restrict y, const int n, const int wide)
{
    const int row = get_global_id(0);
    if (row >= 100) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < TAPS; j++)
            for (int k = 0; k < 2; k++)
            sum += w[row * 5 * wide + 4 * i + j] * (w[row * 5 * wide + i * 4 + 3 * k] + k);
    y[row * 2 * n] = sum;
}
"""
WINDOWS = {
    "pool": POOL,
    "pool in a fixed group": REQUIRED.format(24, 1, 1) + POOL,
    "pool in a small group": REQUIRED.format(4, 1, 1) + POOL,
    "pool to a moving pointer": POOL.replace("y[i * n + j] = best", "*y = best;\n            y++"),
    "pool with an index": POOL.replace(
        "float value = w[(i * 2 + k) * wide + j * 2 + l]",
        "int at = k * wide; at_ = 0; float value = w[i * 2 * wide + at + j * 2 + l]",
    ).replace("at_ = 0; ", ""),
    "pool of one row": POOL.replace("k < 3", "k < 1"),
    "taps": TAPS.replace("TAPS", "4"),
    "many taps": TAPS.replace("TAPS", "9"),
    "one row": TAPS.replace("TAPS", "4")
    .replace("            for (int k = 0; k < 2; k++)\n", "")
    .replace("3 * k] + k", "0] + 1"),
    "few trips": TAPS.replace("TAPS", "4").replace("i < n", "i < 3"),
}
TURNED = """__kernel void k(__global float *restrict c, __global const float *a, const int m, const int p)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    c[x * m + y] = a[y * p + x] * 2;
}
"""
TURNED_LOAD = """__kernel void k(__global float *c, __global const float *restrict a, const int m, const int p)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    c[y * p + x] += a[x * m + y] / 3;
}
"""
LIMITED = "    if (x >= p || y >= m) return;\n    c["
TURNED_CASES = {
    "store": TURNED,
    "store under a limit": TURNED.replace("    c[", LIMITED),
    "store within": TURNED.replace("    c[", "    if (y < m && x < p) {\n        c[").replace("2;", "2;\n    }"),
    "store in a fixed group": REQUIRED.format(8, 16, 1) + TURNED.replace("    c[", LIMITED),
    "load": TURNED_LOAD,
    "load under a limit": TURNED_LOAD.replace("    c[", LIMITED),
    "load declared": TURNED_LOAD.replace(
        "    c[", LIMITED.replace("c[", "const float one = a[x * m + y];\n    c[")
    ).replace("a[x * m + y] / 3", "one * one"),
    "load by a macro": "#define AT(r, c, n) r * n + c\n"
    + TURNED_LOAD.replace("a[x * m + y]", "a[AT(x, y, m)]").replace("y * p + x", "AT(y, x, p)"),
}
SIZES = (0, 1, 5, 15, 16, 17, 63, 64, 65, 130)


@once
def offers(text: str, **sizes: Any) -> list[Offer]:
    """The edits of this kind that are possible."""
    given = sizes or {"global_size": [256, 256] if "id(1)" in text else [4096]}
    layers = [Layer("file", {"aoc_version": "19.4", "arguments": dict.fromkeys("nmp", 1000), **given})]
    found = offers_of(Assessor().assess(text, "k.cl", layers))
    return [o for o in found if o.title.kind.startswith(("row_tiles", "transpose_tile"))]


def applied(text: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text)
    assert offer.kind == ("proved" if "reqd" in text else "host")
    return offer.applied(text.encode()).decode()


def test_a_group_loads_blocks_of_its_rows() -> None:
    assert applied(ROWS).splitlines() == [
        "__attribute__((reqd_work_group_size(64, 1, 1)))",
        *ROWS.splitlines()[:2],
        "    __local float w_tile[64][64];",
        "    const int item = get_local_id(0);",
        "    const int row = get_global_id(0);",
        "    float sum = v[row];",
        "    for (int i_first = 0; i_first < n; i_first += 64) {",
        "        const int i_count = n - i_first < 64 ? n - i_first : 64;",
        "        if (item < i_count) {",
        "            #pragma unroll 4",
        "            for (int row_ = 0; row_ < 64; row_++)",
        "                w_tile[row_][item] = w[row * n + (i_first + item) + (row_ - item) * n];",
        "        }",
        "        barrier(CLK_LOCAL_MEM_FENCE);",
        "        #pragma unroll 4",
        "        for (int i = i_first; i < i_first + i_count; i++)",
        "            sum += w_tile[item][i - i_first] * v[i];",
        "        barrier(CLK_LOCAL_MEM_FENCE);",
        "    }",
        "    y[row] = sum;",
        "}",
    ]


def test_a_product_loads_each_element_once_a_group() -> None:
    after = applied(PRODUCT)
    assert "    const int inside = !(row >= m || col >= p);\n    float sum = 0.0f;\n" in after
    assert "            a_tile[item_y][item_x] = a[row * n + (i_first + item_x)];\n" in after
    assert (
        "        if (item_y < i_count && (long)get_global_id(1) - item_y < m && (long)get_global_id(0) < p)\n" in after
    )
    assert "sum += a_tile[item_y][i - i_first] * b_tile[i - i_first][item_x];" in after
    assert after.endswith("    if (inside) c[row * p + col] = sum;\n}\n")


def test_both_are_predicted_to_gain() -> None:
    for text, items, least in ((ROWS, [1 << 16], 4), (WITHOUT_LIMIT, [1024, 1024], 10)):
        layers = [Layer("file", {"arguments": dict.fromkeys("nmp", 1024), "global_size": items, "aoc_version": "19.4"})]
        assessor = Assessor()
        fixes = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers)
        (fix,) = [f for f in fixes if "through local memory" in fix_title(f)]
        assert fix.speedup is not None
        assert fix.speedup > least


@pytest.mark.parametrize("name", CASES)
def test_reads_clean_and_leaves_the_same_when_executed(name: str) -> None:
    text = CASES[name]
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after) == []
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    layers = [Layer("file", {"aoc_version": "19.4", "arguments": dict.fromkeys("nmp", 1000)})]
    assessor = Assessor()
    fix = tried(assessor, assessor.assess(text, "k.cl", layers), layers, offers(text)[0], every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)


@pytest.mark.parametrize("name", CASES)
def test_tiles_compute_the_same_on_a_real_runtime(name: str) -> None:
    np = pytest.importorskip("numpy")
    text, after, rng = CASES[name], applied(CASES[name]), np.random.default_rng(1)
    for n in SIZES:
        if "id(1)" in text:
            m, p, items = (17, 5, (32, 32)) if n % 2 else (32, 31, (32, 32))
            m, p = (32, 32) if "m ||" not in text and "m &&" not in text else (m, p)
            lengths = {"a": max(m, p) * n + 40, "b": max(m, p) * n + n * p + 40, "c": 32 * 32 + 40}
            if "c[" in text and "m ||" in text:
                lengths = {"a": max(m * n, 1), "b": max(n * p, 1), "c": m * p}
            scalars = {"m": np.int32(m), "p": np.int32(p), "n": np.int32(n)}
        else:
            items = (384,) if "24, 1" in text else (128,)
            lengths = {"w": max(items[0] * max(n, 169) + 16, 1), "v": 400, "y": items[0]}
            scalars = {"n": np.int32(n), "i_first": np.int32(n)}
        arrays = {key: rng.normal(size=count).astype(np.float32) * 50 for key, count in lengths.items()}
        for key in ("w", "v", "a", "b"):
            if key in arrays and arrays[key].size > 30:
                arrays[key][[7, 21]] = (np.inf, np.nan)
        assert ran(text, Data(arrays, scalars, items)) == ran(after, Data(arrays, scalars, items)), (name, n)


@pytest.mark.parametrize("name", TURNED_CASES)
def test_transposes_leave_the_same(name: str) -> None:
    np = pytest.importorskip("numpy")
    text = TURNED_CASES[name]
    after, rng = applied(text), np.random.default_rng(2)
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    assert not assess(after).source.tree.root_node.has_error
    layers, assessor = [Layer("file", {"aoc_version": "19.4"})], Assessor()
    fix = tried(assessor, assessor.assess(text, "k.cl", layers), layers, offers(text)[0], every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert fix.gain is None or fix.gain.speedup > 1
    limited = "x >= p" in text or "x < p" in text
    for m, p in ((1, 1), (17, 3), (32, 32), (5, 31)) if limited else ((32, 32),):
        arrays = {key: rng.normal(size=m * p).astype(np.float32) for key in ("a", "c")}
        data = Data(arrays, {"m": np.int32(m), "p": np.int32(p), "n": np.int32(1)}, (32, 32))
        assert ran(text, data) == ran(after, data), (name, m, p)


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_leave_the_same(name: str) -> None:
    np = pytest.importorskip("numpy")
    text = WINDOWS[name]
    after, rng = applied(text), np.random.default_rng(3)
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")
    assert not assess(after).source.tree.root_node.has_error
    layers, assessor = [Layer("file", {"aoc_version": "19.4"})], Assessor()
    fix = tried(assessor, assessor.assess(text, "k.cl", layers), layers, offers(text)[0], every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    items = 192 if "24, 1" in text else 128
    for n in (1, 2, 7, 14, 15, 16, 31, 61):
        wide = 2 * n + 1
        rows = 100 if "100" in text else items
        lengths = {"w": rows * 5 * wide + 12, "y": items * 2 * n}
        arrays = {key: rng.normal(size=count).astype(np.float32) for key, count in lengths.items()}
        data = Data(arrays, {"n": np.int32(n), "wide": np.int32(wide)}, (items,))
        assert ran(text, data) == ran(after, data), (name, n)


def test_a_window_is_loaded_row_by_row() -> None:
    after = applied(POOL)
    assert "    __local float w_tile[32][3][31];\n" in after
    assert "            if (item < 2 * j_count + 1) {\n                for (int k_at = 0; k_at < 3; k_at++)\n" in after
    assert "w[(i * 2 + k_at) * wide + j_first * 2 + 0 + item + (row_ - item) * wide * 5];" in after
    assert "float value = w_tile[item][k][2 * (j - j_first) + l];" in after


@pytest.mark.parametrize(
    "text",
    [
        POOL.replace("k < 3", "k < i"),
        POOL.replace("            #pragma unroll 1\n            for (int k", "            if (row > i) for (int k"),
        POOL.replace("j * 2", "j * 8"),
        POOL.replace("j * 2 + l", "j * 2 - l + 2"),
        POOL.replace("best = value;", "{ best = value; break; }"),
        ROWS.replace("w[row * n + i]", "w[row * n + i / 2]"),
        ROWS.replace("w[row * n + i]", "(i > 3 ? w[row * n + i] : 0)"),
    ],
)
def test_no_tile_suggests_itself(text: str) -> None:
    assert offers(text) == []


TURNED_REFUSED = {
    "read as well": (
        TURNED_LOAD.replace("a[x * m + y] / 3", "a[x * m + y] + a[x]").replace("restrict a", "a"),
        "a and c may",
    ),
    "stored twice": (TURNED.replace("* 2;", "* 2;\n    c[x * m + y] -= 1;"), "the kernel stores to c"),
    "condition on data": (TURNED.replace("    c[", "    if (a[x] > 0)\n    c["), "a condition that may differ"),
    "chosen": (TURNED_LOAD.replace("a[x * m + y] / 3", "(m > 3 ? a[x * m + y] : 0)"), "a condition that may differ"),
    "behind a barrier": (TURNED.replace("    c[", "    barrier(CLK_LOCAL_MEM_FENCE);\n    c["), "what it does depends"),
}


@pytest.mark.parametrize("name", TURNED_REFUSED)
def test_refuses_transposes_that_are_not_proved(name: str) -> None:
    text, reason = TURNED_REFUSED[name]
    assert offers(text) == []
    layers = [Layer("file", {"aoc_version": "19.4", "arguments": dict.fromkeys("nmp", 1000)})]
    refused = [r for r in refusals_of(Assessor().assess(text, "k.cl", layers)) if r.title.kind == "transpose_tile"]
    assert {obstacle_text(r.reason)[: len(reason)] for r in refused} == {reason}


REFUSED = {
    "trips differ": (ROWS.replace("i < n", "i < row"), "its trips may differ"),
    "condition on data": (ROWS.replace("    for", "    if (v[row] > 0) for"), "a condition that may differ"),
    "return on data": (
        ROWS.replace("    float", "    if (v[row] > 0) return;\n    float"),
        "a condition that may differ",
    ),
    "continue around": (
        ROWS.replace("    for", "    for (int j = 0; j < n; j++) {\n    if (v[row] > j) continue;\n    for").replace(
            "v[i];", "v[i]; }"
        ),
        "a condition that may differ",
    ),
    "return around": (
        ROWS.replace("    for", "    for (int j = 0; j < n; j++) {\n    if (row > j) return;\n    for").replace(
            "v[i];", "v[i]; }"
        ),
        "its trips may differ",
    ),
    "two limits": (
        PRODUCT.replace("    float", "    if (row < 2) return;\n    float"),
        "a condition that may differ",
    ),
    "may overlap": (ROWS.replace("restrict", ""), "w and y may overlap"),
    "stored to": (
        ROWS.replace("const float *w", "float *restrict w").replace("y[row] = sum", "y[row] = sum; w[row] = 1"),
        "the kernel stores to w",
    ),
    "break": (
        ROWS.replace("        sum +=", "    { sum +=").replace("* v[i];", "* v[i];\n        if (sum > 40) break; }"),
        "its trips may differ",
    ),
    "barrier within": (
        ROWS.replace("        sum +=", "    { barrier(1);\n        sum +=").replace("v[i];", "v[i]; }"),
        "it uses channels or barriers already",
    ),
    "group in use": (
        ROWS.replace("float sum = v[row]", "float sum = get_group_id(0)"),
        "what it does depends on its work-groups",
    ),
    "group of one": (REQUIRED.format(1, 1, 1) + ROWS, "work-groups of 1×1×1 are too small"),
    "counter outside": (
        ROWS.replace("    for (int i", "    int i;\n    for (i").replace("= sum", "= sum + i"),
        "its counter is declared outside it",
    ),
    "two steps": (
        ROWS.replace("i++", "i += 2").replace("row * n + i", "row * n + i / 2"),
        "it does not count up by one",
    ),
    "argument changes": (
        ROWS.replace("    float", "    const int m = n;\n    n = 8;\n    float")
        .replace("const int n", "int n")
        .replace("i < n", "i < m")
        .replace("row * n", "row * m"),
        "the distance between the rows of w",
    ),
    "few trips": (ROWS.replace("i < n", "i < 3"), "a block of its 3 trips"),
    "pointer moves": (
        ROWS.replace("        sum += w[row * n + i]", "    {\n        sum += w[row * n]").replace(
            "v[i];", "v[i]; w += 1; }"
        ),
        "w changes in the loop",
    ),
    "inner from 1": (POOL.replace("l = 0", "l = 1"), "it does not count up by one"),
    "jump": (
        ROWS.replace("    for", "    if (row > 3) goto end;\n    for").replace("    y[", "end:\n    y["),
        "contains",
    ),
    "switch": (
        ROWS.replace("    for", "    switch (row & 3) { case 0:\n    for").replace("    y[", "    break; }\n    y["),
        "a condition that may differ",
    ),
    "other value for some": (
        ROWS.replace("    for", "    int m = n;\n    if (row > 3) m = 5;\n    for").replace("i < n", "i < m"),
        "its trips may differ",
    ),
    "real from an id": (
        ROWS.replace("    for", "    float t = sqrt((float)row);\n    if (t > 3.0f)\n    for"),
        "a condition that may differ",
    ),
    "type of constants": (
        "typedef const int fixed;\n" + WITHIN.replace("int twice = 2 * n", "fixed twice = a[row * n] > 9 ? 2 : 3"),
        "a condition",
    ),
    "narrow counter": (ROWS.replace("int i", "uchar i"), "counting i in blocks"),
    "limit on a sum": (PRODUCT.replace("row >= m || col >= p", "row + col >= m"), "a condition that may differ"),
    "macro": ("#define LOAD(p) p[row * n + i]\n" + ROWS.replace("w[row * n + i]", "LOAD(w)"), ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_what_is_not_proved(name: str) -> None:
    text, reason = REFUSED[name]
    assert [title_text(o.title) for o in offers(text)] == []
    layers = [Layer("file", {"aoc_version": "19.4", "arguments": dict.fromkeys("nmp", 1000)})]
    refused = [r for r in refusals_of(Assessor().assess(text, "k.cl", layers)) if r.title.kind == "row_tiles"]
    assert [obstacle_text(r.reason)[: len(reason)] for r in refused] == [reason]


def test_a_negative_bound_next_to_an_unsigned_counter_is_not_run_by_those_that_returned() -> None:
    """``n = -1`` leaves no work-item behind the guard; a tile's loop, which all run, would count to 2^32."""

    def refused(text: str) -> list[str]:
        found = Assessor().assess(text, "k.cl", [Layer("file", {"arguments": {"m": 4096, "p": 4096, "n": 4096}})])
        return [obstacle_text(r.reason) for r in refusals_of(found) if r.title.kind == "row_tiles"]

    unsigned = PRODUCT.replace("int i = 0", "uint i = 0")
    assert refused(PRODUCT) == refused(unsigned.replace("const int n", "const uint n")) == []
    (why,) = refused(unsigned)
    assert "i in blocks may leave the range of its type" in why
