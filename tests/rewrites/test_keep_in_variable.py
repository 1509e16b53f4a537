"""An element that a loop reads and writes again and again, kept in a variable: edits, refusals, results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.runtime import runtime

HEAD = "__kernel void k(__global const int *restrict x, __global int *restrict y, const int n)\n"
ITEMS = (
    HEAD
    + """{
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        y[i] += x[i * 64 + j];
}
"""
)
FIRST = ITEMS.replace("    for", "    y[i] = 7;\n    int t = 3;\n    // all of them\n    for").replace(
    "+ j]", "+ j] * t"
)
NESTED = (
    HEAD
    + """{
    int i = get_global_id(0);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n - 2; c++) {
            y[i] = y[i] * 3 + x[i * 64 + r] - x[c];
        }
}
"""
)
ONE = (
    HEAD
    + """{
    for (int i = 0; i < 9; i++)
        #pragma unroll 2
        for (uint j = 3; j < n; j++)
            y[i] ^= x[j] + i; // one bit each
}
"""
)
SOME = ITEMS.replace("    for", "    y[i] = 1;\n    for").replace(
    "        y[i] +=", "    {\n        if (x[j] < 0)\n            break;\n        if (x[j] > 90)\n            y[i] +="
).replace("+ j];", "+ j];\n    }")  # fmt: skip
LAST = ITEMS.replace("+=", "=")
ADD = "void add(__global int *p, int v) { *p += v; }\n"
CASES = {"items": ITEMS, "first": FIRST, "nested": NESTED, "one": ONE, "some": SOME, "last": LAST}
TITLE = "Keep y[i] in a variable, and store it after the loop"


@once
def assessed(text: str) -> Any:
    layers = [Layer("file", {"arguments": {"n": 64}, "aoc_version": "18.1", "global_size": [64]})]
    return Assessor().assess(text, "k.cl", layers), layers


@once
def offers(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)[0]) if o.title.kind == "keep_in_variable"]


def applied(text: str) -> str:
    (offer,) = offers(text)
    assert offer.kind == "proved"
    assert title_text(offer.title) == TITLE
    return offer.applied(text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            ITEMS,
            [
                "    int y_kept = 0 < n ? y[i] : 0;", "        y_kept += x[i * 64 + j];",
                "    if (0 < n)", "        y[i] = y_kept;",
            ],
        ),
        (FIRST, ["    int y_kept = 7;", "        y_kept += x[i * 64 + j] * t;", "    y[i] = y_kept;"]),
        (
            NESTED,
            [
                "    int y_kept = (0 < n) && (0 < n - 2) ? y[i] : 0;",
                "            y_kept = y_kept * 3 + x[i * 64 + r] - x[c];", "    if ((0 < n) && (0 < n - 2))",
            ],
        ),
        (
            ONE,
            [
                "    for (int i = 0; i < 9; i++) {", "        int y_kept = (uint)3 < n ? y[i] : 0;",
                "            y_kept ^= x[j] + i; // one bit each", "            y[i] = y_kept;", "    }",
            ],
        ),
        (SOME, ["    int y_kept = 1;", "            y_kept += x[i * 64 + j];", "    y[i] = y_kept;"]),
        (LAST, ["    int y_kept = 0;", "        y_kept = x[i * 64 + j];", "        y[i] = y_kept;"]),
    ],
)  # fmt: skip
def test_edit_reads_like_the_file(text: str, lines: list[str]) -> None:
    after = applied(text)
    assert [line for line in lines if line not in after.splitlines()] == []
    assert offers(after) == []
    crlf = text.replace("\n", "\r\n")
    assert applied(crlf) == after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ITEMS.replace("        y[i]", "        if (x[j] > 3) y[i]"), "a condition or a jump decides"),
        (ITEMS.replace("y[i] +=", "{ if (x[j] > 3) continue; y[i] +=").replace("+ j];", "+ j]; }"), "a condition or a"),
        (ITEMS.replace("j];", "j] + y[(uchar)(j + 1) + i];"), "the loop uses y in another place as well"),
        (SOME.replace("break", "return"), "goto"),
        (ITEMS.replace("j];", "j] + y[j];"), "the loop uses y in another place as well"),
        (ITEMS.replace("y[i] +=", "int at = i; y[at] +=").replace("        int", "{ int").replace("j];", "j]; }"),
         "at changes in the loop"),
        (ITEMS.replace("__global int", "volatile __global int"), "y is not in plain global memory"),
        (ITEMS.replace("    for", "    while (n > 3)"), ""),
        (NESTED.replace("c < n - 2", "c < y[0]"), "the loop uses y in another place"),
        (ADD + ITEMS.replace("y[i] +=", "add(&y[i],").replace("j];", "j]);"),
         "its accesses are in a helper function"),
        ("#define ITS y[i]\n" + ITEMS.replace("y[i] +=", "ITS +="), "a macro that is not a constant"),
        (ITEMS.replace("y[i] +=", "{ barrier(CLK_GLOBAL_MEM_FENCE); y[i] +=").replace("j];", "j]; }"),
         "others may wait"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, why: str) -> None:
    assert offers(text) == []
    found = [obstacle_text(r.reason) for r in refusals_of(assessed(text)[0]) if r.title.kind == "keep_in_variable"]
    assert why == "" or [one for one in found if why in one]


def test_a_pragma_in_the_loop_stays_and_a_branch_of_the_preprocessor_keeps_its_store() -> None:
    text = NESTED.replace("        for", "        #pragma unroll 1\n        for")
    assert "        #pragma unroll 1\n        for (int c" in applied(text)
    branch = FIRST.replace("    y[i] = 7;\n", "#ifndef KEPT\n    y[i] = 7;\n#endif\n")
    after = applied(branch)
    assert "    y[i] = 7;\n#endif" in after
    assert "    int y_kept = 0 < n ? y[i] : 0;" in after
    assert offers(ITEMS.replace("        y[i]", "#if 1\n        y[i]").replace("j];", "j];\n#endif")) == []


def test_buffers_that_may_overlap_are_the_users_word() -> None:
    (offer,) = offers(ITEMS.replace("restrict ", ""))
    assert offer.kind == "assertion"
    assert title_text(offer.title) == f"{TITLE} (unsafe: you assert that y does not overlap x)"
    assert offer.host_side is not None
    assert offer.host_side.apart


def test_memory_is_written_once_and_the_loop_waits_no_more() -> None:
    text = ONE.replace("restrict ", "").replace("        #pragma unroll 2\n", "")
    assessment, layers = assessed(text)
    (offer,) = offers(text)
    fix = tried(Assessor(), assessment, layers, offer)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert (fix.speedup or 0) > 20


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [0, 1, 2, 17, 64])
def test_edited_kernels_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    cl, context, queue = runtime()
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n)
    x, y = (rng.integers(-5, 1000, 64 * 64).astype(np.int32) for _ in range(2))

    def run(source: str) -> Any:
        (kernel,) = cl.Program(context, source).build(options=["-w"]).all_kernels()
        flags = cl.mem_flags
        a = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
        b = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
        kernel(queue, (64,) if "get_global_id" in source else (1,), None, a, b, np.int32(n))
        out = np.empty_like(y)
        cl.enqueue_copy(queue, out, b)
        return out

    text = CASES[name]
    assert np.array_equal(run(applied(text)), run(text))
