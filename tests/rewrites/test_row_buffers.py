"""Rows of a plane on chip in place of loads from several rows: the edits, and equal results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = "#define W 24\n__kernel void k(__global const {t} *restrict x, __global {t} *restrict y, const int n)\n"
CROSS = (
    HEAD.format(t="int")
    + """{
    for (int r = 1; r < n - 1; r++)
        for (int c = 1; c < W - 1; c++)
            y[r * W + c] = x[(r - 1) * W + c] + x[r * W + c - 1] - x[r * W + c] + x[r * W + c + 1] + x[(r + 1) * W + c];
}
"""
)
BOX = (
    HEAD.format(t="float")
    + """{
    for (int r = 1; r <= 8; r++) {
        const int row = r * W;
        // every column
        for (int c = 1; c < W - 1; c++) {
            float sum = 0;
            #pragma unroll
            for (int dr = -1; dr <= 1; dr++)
                #pragma unroll
                for (int dc = -1; dc < 2; dc++)
                    sum += x[row + dr * W + c + dc];
            if (sum < n) continue;
            y[row + c] = sum / 9;
        }
    }
}
"""
)
MACROS = (
    "#define AT(r, c) ((r) * W + (c))\n"
    + HEAD.format(t="uchar")
    + """{
    int odd = 0, row = 3; uchar x_rows = 0;
    for (int r = 2; r <= n; ++r)
    {
        for (int c = row - 1; c < 20; c++)
        {
            int s = x[AT(r - 2, c)] + x[AT(r, c - 2)]
                - x[AT(r + 2, c)] * x[AT(r,
                     c + 2)];
            odd += s & 1;
            y[AT(r, c)] = s + odd + x_rows;
        }
    }
}
"""
)
DOWN = (
    HEAD.format(t="float4")
    + """{
    #pragma ivdep array(y)
    for (long r = 0; r < n; r++) {
        for (int c = 0; c < W; c++) { const int at = c + 2; y[r * W + c] = x[(r + 3) * W + at] - x[r * W + at]; }
    }
}
"""
)
FIRST = (
    CROSS.replace("int r = 1", "int r = 2 - 1")
    .replace("int c = 1", "int c = (1 + 1)")
    .replace("    for (int r", "    for (int t = 0; t < 2; t++)\n    {\n    for (int r")
    .replace("c];\n}", "c] + t;\n    }\n}")
)
CASES = {"cross": CROSS, "box": BOX, "macros": MACROS, "down": DOWN, "first": FIRST}


@once
def offers(text: str) -> list[Offer]:
    """The edits of this kind that are possible."""
    layers = [Layer("file", {"arguments": {"n": 1000}})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if o.title.kind == "row_buffers_of"]


def applied(text: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text)
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


@once
def refused(text: str) -> list[str]:
    """Why it is not offered."""
    return [
        obstacle_text(r.reason) for r in refusals_of(assess(text, arguments={"n": 9})) if r.title.kind == "row_buffers"
    ]


def test_one_load_an_iteration_and_nothing_outside_what_was_read() -> None:
    after = applied(CROSS)
    assert after.splitlines()[3:-1] == [
        "    int x_rows[2][24];",
        "    int x_window[3][3];",
        "    if (1 < n - 1) {",
        "        for (int r = -1; r < n - 1; r++)",
        "            for (int c = -1; c < W - 1; c++) {",
        "                #pragma unroll",
        "                for (int row = 0; row < 3; row++)",
        "                    #pragma unroll",
        "                    for (int column = 0; column < 2; column++)",
        "                        x_window[row][column] = x_window[row][column + 1];",
        "                if ((r > -1 || c >= 0) && (r < (n - 1) - 1 || c < (W - 1) - 1))",
        "                    x_window[2][2] = x[(r + 1) * W + c + 1];",
        "                #pragma unroll",
        "                for (int row = 0; row < 2; row++)",
        "                    x_window[row][2] = x_rows[row][c + 1];",
        "                #pragma unroll",
        "                for (int row = 0; row < 2; row++)",
        "                    x_rows[row][c + 1] = x_window[row + 1][2];",
        "                if (r >= 1 && c >= 1)",
        "                    y[r * W + c] = x_window[0][1] + x_window[1][0] - x_window[1][1] + x_window[1][2]"
        " + x_window[2][1];",
        "            }",
        "    }",
    ]
    assert sum(a.pointer == "x" for a in assess(after).kernels[0].facts.accesses) == 1


def test_loops_over_neighbours_walk_through_the_window() -> None:
    after = applied(BOX)
    assert "sum += x_window[dr + 1][dc + 1];" in after
    assert "            x_window[2][2] = x[row + 1 * W + c + 1];\n" in after
    assert "        // every column\n" in after
    assert "if (1 <= 8)" not in after


def test_offered_where_it_pays() -> None:
    text = CROSS.replace("W 24", "W 1024").replace("int", "long").replace("long r", "int r").replace("long c", "int c")
    layers, assessor = [Layer("file", {"arguments": {"n": 4096}})], Assessor()
    found = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers, chosen=_keeps)
    assert [title_text(f.offer.title) for f in found] == [
        "Keep 2 rows of x on chip, one load an iteration (128 kbit of RAM)"
    ]
    assert found[0].speedup is not None
    assert found[0].speedup > 1.3


def _keeps(offer: Offer) -> bool:
    return offer.title.kind == "row_buffers_of"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CROSS.replace("* W", "* n"), "rows are as long as n says: give the width as a constant"),
        (CROSS.replace("c < W - 1", "c < n"), "rows are as long as n says: give the width as a constant"),
        (CROSS.replace("*restrict x", "*x").replace("*restrict y", "*y"), "the loops may store to x through y"),
        (CROSS.replace("int r", "uint r"), "counting r in blocks may leave the range of its type"),
        (CROSS.replace("const int n", "const uint n"), "counting r in blocks may leave the range of its type"),
        (CROSS.replace("    for (int r", "#pragma ivdep\n    for (int r"), "a pragma already decides how it is built"),
        (CROSS.replace("        for", "#pragma unroll 2\n        for"), "a pragma already decides how it is built"),
        (CROSS.replace("        for", "        if (n > r) for"), None),
        (CROSS.replace("            y[", "            if (c > 3) y["), None),
        (CROSS.replace("            y[", "            /* here */ y["),
         "a comment or a directive is between a loop's head and its body"),
        (CROSS.replace("const int *", "const volatile int *"), None),
        (BOX.replace("#pragma unroll", ""),
         "a loop that walks over the neighbours is not unrolled: add #pragma unroll"),
        (BOX.replace("continue", "break"), "it may end before its trips are over"),
        (BOX.replace("r * W;", "r * W; y[r] = 0;"), "something is between the two loops"),
        (BOX.replace("r * W;", "r * W, q = 8 / r;"), "something is between the two loops"),
        (BOX.replace("24", "65536"), "its rows take more than 128 kB"),
        (CROSS.replace("x[(r - 1) * W", "x[(r << 5) - W").replace("W 24", "W 32").replace("x[(r + 1) * W",
         "x[(r + 1 << 5)"), "the index of x is computed in the loop"),
    ],
)  # fmt: skip
def test_not_offered_where_it_is_not_proved(text: str, why: str | None) -> None:
    assert offers(text) == []
    assert refused(text) == ([why] if why is not None else [])


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_reads_clean_and_is_offered_once(text: str) -> None:
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after) == []
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 3, 5, 9])
@pytest.mark.parametrize("name", CASES)
def test_rows_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n + 3)
    type_ = {"box": np.float32, "down": np.float32, "macros": np.uint8}.get(name, np.int32)
    arrays: dict[str, Any] = {key: rng.integers(0, 50, 2048).astype(type_) for key in ("x", "y")}
    expected, got = (results(t, arrays, {"n": np.int32(n)}) for t in (CASES[name], applied(CASES[name])))
    assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    assert n < 5 or not np.array_equal(expected["y"], arrays["y"])


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_interpreter_finds_no_difference(text: str) -> None:
    """It ends where a load is outside its buffer, which none of the rows that are loaded early may be."""
    layers, assessor = [Layer("file", {"arguments": {"n": 9}})], Assessor()
    found: list[Fix] = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers, every=True, chosen=_keeps)
    assert [type(f.execution).__name__ for f in found] == ["Equal"]
