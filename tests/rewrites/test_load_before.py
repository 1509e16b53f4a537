"""Loads made once before their loop: edits, refusals, results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, tried
from burstline_server.rewrites.load_before import LoadBefore
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.runtime import results, runtime

HEAD = "__kernel void k(__global const int *x, __global const int *s, __global int *y, const int n)\n"
APART = HEAD.replace("*", "*restrict ")
SCALE = (
    HEAD
    + """{
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        y[i * 40 + j] = x[i * 40 + j] * s[i];
}
"""
)
SAME = (
    APART
    + """{
    int i = get_global_id(0);
    y[0] = 3;
    if (i == 0)
        #pragma unroll 1
        for (int j = 0; j < n; j++)
            y[j + 1] = y[0] + (y[0] > 2 ? x[j] : y[0]); // of the first
}
"""
)
BREAKS = (
    APART
    + """{
    int i = get_global_id(0);
    int v = 0;
    for (int j = 1; j < s[i] % 32; j++) {
        v += x[j] * s[i + 1];
        if (x[j] > 600)
            break;
    }
    y[i] = v;
}
"""
)
GUARDED = (
    APART
    + """{
    int i = get_global_id(0), v = 0;
    for (int r = 0; r < n; r++) {
        for (int j = 3; j < n - 2; ++j) {
            if (i > 4)
                v += x[j] * s[i + 1];
            else {
                v += x[j] - x[i * 40 + 7];
            }
        }
    }
    y[i] = v;
}
"""
)
SEARCH = (
    APART
    + """{
    int i = get_global_id(0);
    if (i < n && s[i] > 0) {
        for (int j = 0; j < n; j++) {
            int at = x[j] & 31;
            if (x[j] > 300)
                y[i * 40 + at] = s[i] + j;
        }
    }
}
"""
)
WHILE = (
    APART
    + """{
    int i = get_global_id(0), j = n;
    while (j > s[2]) {
        y[i * 40 + (j & 31)] = j * s[2];
        if (y[i * 40 + 33] == 4) break;
        j--;
    }
}
"""
).replace("s[2]", "(s[2] & 7)")
CASES = {"scale": SCALE, "same": SAME, "breaks": BREAKS, "guarded": GUARDED, "search": SEARCH, "while": WHILE}


@once
def assessed(text: str) -> Any:
    layers = [Layer("file", {"arguments": {"n": 64}, "aoc_version": "18.1", "global_size": [1024]})]
    return Assessor().assess(text, "k.cl", layers), layers


@once
def offers(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)[0]) if o.title.kind.startswith("load_before")]


@once
def refused(text: str) -> list[str]:
    assessment = assessed(text)[0]
    found = super(LoadBefore, LoadBefore()).refusals(assessment, assessment.kernels[0])
    return [obstacle_text(one.reason) for one in found]


def applied(text: str) -> str:
    for offer in offers(text):
        text = offer.applied(text.encode()).decode()
        break
    return text


@pytest.mark.parametrize(
    ("text", "kind", "lines"),
    [
        (SCALE, "assertion", ["    const int s_value = 0 < n ? s[i] : 0;",
         "        y[i * 40 + j] = x[i * 40 + j] * s_value;"]),
        (
            SAME,
            "proved",
            [
                "        const int y_value = y[0];", "        #pragma unroll 1",
                "            y[j + 1] = y_value + (y_value > 2 ? x[j] : y_value); // of the first", "    }",
            ],
        ),
        (BREAKS, "proved", ["    const int s_value = s[i];", "    for (int j = 1; j < s_value % 32; j++) {"]),
        (GUARDED, "proved",
         ["    const int s_value = (0 < n) && (3 < n - 2) && (i > 4) ? s[i + 1] : 0;",
          "                v += x[j] * s_value;"]),
        (SEARCH, "proved", ["        const int s_value = s[i];", "                y[i * 40 + at] = s_value + j;"]),
        (WHILE, "proved", ["    const int s_value = s[2];", "    while (j > (s_value & 7)) {"]),
    ],
    ids=CASES,
)  # fmt: skip
def test_edit_reads_like_the_file(text: str, kind: str, lines: list[str]) -> None:
    after = applied(text)
    assert offers(text)[0].kind == kind
    assert [line for line in lines if line not in after.splitlines()] == []
    crlf = text.replace("\n", "\r\n")
    assert applied(crlf) == after.replace("\n", "\r\n")


def test_the_title_says_what_keeps_the_compiler_from_it() -> None:
    titles = [title_text(offers(text)[0].title) for text in (SCALE, SAME, BREAKS, GUARDED)]
    assert titles == [
        "Load s[i] once, before the loop (the compiler does not: the loop stores to y; unsafe: you assert that s does "
        "not overlap y)",
        "Load y[0] once, before the loop (the compiler does not: the loop stores to y)",
        "Load s[i] once, before the loop (the compiler does not: the loop may end early)",
        "Load s[i + 1] once, before the loop (the compiler does not: a condition decides whether it is loaded)",
    ]


def test_a_place_that_data_may_lead_to_is_the_users_word() -> None:
    text = SCALE.replace("y[i * 40 + j] =", "y[x[j]] =").replace("s[i]", "y[i]")
    (offer,) = offers(text.replace("*x", "*restrict x"))
    assert title_text(offer.title).endswith("you assert that nothing in the loop stores to y[i])")
    text = SEARCH.replace(" && s[i] > 0", "").replace("+ at]", "+ at + 1]").replace("s[i]", "s[i]")
    (offer,) = offers(text)
    assert title_text(offer.title).endswith("you assert that s holds an element for each work-item)")
    other = text.replace("s[i]", "s[i + 2]")
    (further,) = offers(other)
    assert title_text(further.title).endswith("s[i + 2] is an element of its buffer whenever the loop is reached)")
    for one, said in ((text, offer), (other, further)):
        assessment, layers = assessed(one)
        fix = tried(Assessor(), assessment, layers, said, every=True)
        assert fix is not None
        assert isinstance(fix.execution, Equal)


def test_the_level_of_a_node_is_loaded_before_its_edges_are_followed() -> None:
    text = """__kernel void search(__global const int *restrict first, __global const int *restrict edges,
                     __global const char *restrict seen, __global int *restrict cost, const int n)
{
    for (int node = 0; node < n; node++)
        for (int e = first[node]; e < first[node + 1]; e++) {
            int to = edges[e];
            if (!seen[to])
                cost[to] = cost[node] + 1;
        }
}
"""
    assessment, layers = assessed(text)
    (offer,) = offers(text)
    assert [one.kind for one in offer.title.asserts] == ["not_stored_there", "is_element"]
    assert "        const int cost_value = cost[node];\n" in offer.applied(text.encode()).decode()
    fix = tried(Assessor(), assessment, layers, offer, every=True)
    assert fix is not None
    assert isinstance(fix.execution, Equal)


def test_an_index_of_a_narrow_type_proves_nothing() -> None:
    for place in ("y[(uchar)j + 1]", "y[c + 1]", "y[j * 0xFFFFFFFFu + 9]", "y[of(j) + 1]"):
        text = SAME.replace("            y[j + 1]", f"        {{ uchar c = j; {place}").replace("; // of", "; } // of")
        text = "int of(uchar c) { return c; }\n" + text
        assert [o.kind for o in offers(text)] in ([], ["assertion"])
    assert [o.kind for o in offers(SAME.replace("y[j + 1]", "y[(uint)j + 1]"))] == ["proved"]


def test_lanes_are_of_a_vector_that_is_loaded_whole() -> None:
    text = BREAKS.replace("const int *restrict s", "const int4 *restrict s").replace(
        "s[i + 1]", "(s[i + 1].x - s[i + 1].w)"
    )
    after = applied(text.replace("s[i] % 32", "n"))
    assert "    const int4 s_value = 1 < n ? s[i + 1] : (int4)(0);" in after
    assert "(s_value.x - s_value.w)" in after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SAME.replace("y[j + 1]", "y[j]"), "the loop may store to y, which y[0] reads"),
        (SCALE.replace("s[i];", "s[i]; barrier(CLK_GLOBAL_MEM_FENCE); }").replace("        y", "{ y"),
         "others may wait"),
        (SCALE.replace("s[i];", "s[i]; atomic_inc(&y[3]); }").replace("        y", "{ y"), "atomics read and write"),
        (SCALE.replace("__global const int *s", "volatile __global const int *s"), "plain global memory"),
        (SCALE.replace("__global int *y", "volatile __global int *y"), "y is not in plain global memory"),
        (SCALE.replace("        y", "        { int i = j / 9; y").replace("s[i];", "s[i]; }"), ""),
        (SCALE.replace("s[i];", "s[i]; i += 2; }").replace("        y", "{ y"), ""),
        (SCALE.replace("int i =", "int h = 0; int *w = &h; int i =").replace("s[i];", "s[h]; *w = j; }")
         .replace("        y", "{ y"), ""),
        ("#define ITS s[i]\n" + SCALE.replace("* s[i]", "* ITS"), "a macro that is not a constant"),
        ("int of(__global const int *p, int i) { return p[i]; }\n" + SCALE.replace("* s[i]", "* of(s, i)"),
         "its accesses are in a helper function"),
        (SEARCH.replace(" && s[i] > 0", "").replace("s[i]", "s[x[3]]"), "so it may lie outside its buffer"),
        (SCALE.replace("    for", "    __global int *q = (__global int *)(ulong)n;\n    for")
         .replace("        y", "        { q[j] = 3; y").replace("s[i];", "s[i]; }"), "part of what the kernel reads"),
        (SCALE.replace("    for", "again:\n    for"), "do/goto/switch"),
        (SCALE.replace("        y", "#if 1\n        y").replace("s[i];", "s[i];\n#endif"), "preprocessor conditions"),
        (SCALE.replace("int i =", "int t[2] = {n, 3}; int i =").replace("s[i]", "s[t[0]]"), "what s[t[0]] reads"),
        (SCALE.replace("    for (int j = 0;", "    int j; for (j = (y[3] = 0);"), "has a side effect"),
        (SCALE.replace("    for", "    n > 3 ? 1 : 0; for"), "no separate line for a declaration"),
    ],
)  # fmt: skip
def test_refused_with_the_reason(text: str, why: str) -> None:
    assert [o.title for o in offers(text) if o.title.names[0].startswith(("s", "y[0]"))] == []
    assert why == "" or [one for one in refused(text) if why in one]


def test_buffers_that_overlap_are_what_the_user_rules_out() -> None:
    assessment, layers = assessed(SCALE)
    (offer,) = offers(SCALE)
    fix = tried(Assessor(), assessment, layers, offer)
    assert fix is not None
    assert isinstance(fix.execution, Equal)
    assert (fix.speedup or 0) > 1.05
    assert offers(SCALE.replace("*y", "*restrict y")) == []  # the compiler moves it


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [0, 1, 2, 17, 32])
def test_edited_kernels_compute_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    runtime()
    rng = np.random.default_rng(n)
    arrays = {one: rng.integers(-5, 1000, 4000).astype(np.int32) for one in ("x", "s", "y")}
    text = CASES[name]
    after = applied(text)
    assert after != text
    left = [results(one, arrays, {"n": np.int32(n)}, items=32) for one in (text, after)]
    assert all(np.array_equal(left[0][one], left[1][one]) for one in arrays)
