"""Scalars to vectors: what the loop becomes, where it stays, and that both compute the same."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.rewrite import NotOfferedError, Offer
from burstline_server.rewrites.syntax import loop_at
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = "__kernel void k(__global const {t} *restrict x, __global {t} *restrict y, const int n, const {t} a)\n"
SCALE = (
    HEAD.format(t="float")
    + """{
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + a; // scaled
}
"""
)
TAPS = (
    HEAD.format(t="float")
    + """{
    for (int i = 1; i < n - 1; i++) {
        /* three taps */
        const float sum = x[i - 1] + x[i] + x[i + 1], most = fmax(sum, a * n);
        y[i] -= most / (x[0] + 3);
    }
}
"""
)
BITS = (
    HEAD.format(t="uint").replace("const int n", "const uint n")
    + """{
    for (uint i = 0; i < n; ++i) {
        uint v = x[i] >> 3;
        v ^= ~a & x[i + n];
        y[i] = v << (x[i] & 7);
    }
}
"""
)
ROWS = (
    HEAD.format(t="int")
    + """{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < n; c += 1) {
            y[r * n + c] = max(x[r * n + c], 5) % 7 + a;
        }
    }
}
"""
)
SPARSE = """__kernel
void k(__global const int *restrict x, __global const int *restrict start, __global int *restrict y, int n)
{
    for (int r = 0; r < n; r++) {
        for (int j = start[r]; j < start[r + 1]; j++)
            y[j] = x[j] * 3 + r;
    }
}
"""
COUNTED = """__kernel
void k(__global const int *restrict x, __global const int *restrict start, __global int *restrict y, int n)
{
    for (int j = 0; j < *start; j++)
        y[j] = x[j] * 3 + n;
}
"""
FULL = SCALE.replace("i < n", "i < 4800")
MACROS = (
    "#define EDGE (1 << 2)\n#define T float\n#define GAIN 2.5f\n"
    + HEAD.format(t="T")
    + """{
    for (int i = 0; i < n - EDGE; i++) {
        const T v = fmin(x[i + EDGE], GAIN) * GAIN;
        y[i] = v - x[EDGE];
    }
}
"""
)
OUTER = (
    HEAD.format(t="float")
    + """{
    float v = 0, w;
    for (int i = 0; i < n; i++) {
        v = x[i] * a;
        v = v + 1.0f;
        w = v * v;
        y[i] = w;
    }
}
"""
)
CASES = {"outer": OUTER, "scale": SCALE, "taps": TAPS, "bits": BITS, "rows": ROWS, "full": FULL, "macros": MACROS}


@once
def offers(text: str, n: int = 100_003, **settings: Any) -> list[Offer]:
    """The edits to vectors that are possible."""
    layers = [Layer("file", {"arguments": {"n": n}, **settings})]
    return [
        o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if title_text(o.title).startswith("Vectorise")
    ]


def applied(text: str, **settings: Any) -> str:
    """The text with the one edit made."""
    (offer,) = offers(text, **settings)
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


def test_whole_vectors_first_and_the_rest_as_it_was() -> None:
    assert applied(SCALE).splitlines()[2:-1] == [
        "    const int whole = n - n % 16;",
        "    for (int i = 0; i < whole; i += 16)",
        "        vstore16(2.0f * vload16(0, &x[i]) + a, 0, &y[i]);",
        "    for (int i = whole; i < n; i++)",
        "        y[i] = 2.0f * x[i] + a; // scaled",
    ]
    after = applied(TAPS)
    assert "fmax(sum, (float16)(a * n));" in after
    assert "vstore16(vload16(0, &y[i]) - (most / (x[0] + 3)), 0, &y[i]);" in after
    assert "/* three taps */" in after


def test_no_rest_where_the_trips_are_a_multiple() -> None:
    assert applied(FULL).splitlines()[2:-1] == [
        "    for (int i = 0; i < 4800; i += 16)",
        "        vstore16(2.0f * vload16(0, &x[i]) + a, 0, &y[i]); // scaled",
    ]
    assert "i < n * 32; i += 16" in applied(SCALE.replace("i < n", "i < n * 32"))


@pytest.mark.parametrize(
    ("text", "settings", "lanes"),
    [
        (SCALE, {}, 16),
        (SCALE, {"board": "s10mx_hbm2"}, 8),
        (SCALE.replace("float", "double").replace("2.0f", "2.0"), {}, 8),
    ],
)
def test_as_wide_as_the_memory_asks(text: str, settings: dict[str, Any], lanes: int) -> None:
    assert f"vload{lanes}(" in applied(text, **settings)


def test_gain_is_that_of_the_edited_text() -> None:
    settings = {"arguments": {"n": 100_003}}
    layers, assessor = [Layer("file", settings)], Assessor()
    (fix,) = [
        f
        for f in fixes_of(assessor, assessor.assess(SCALE, "k.cl", layers), layers)
        if fix_title(f).startswith("Vectorise")
    ]
    before, after = (assess(t, **settings).kernels[0] for t in (SCALE, applied(SCALE)))
    assert {u.width_bits for u in after.lsus} == {512, 32}
    assert before.estimate.time_s is not None
    assert after.estimate.time_s is not None
    assert fix.speedup == before.estimate.time_s / after.estimate.time_s
    assert fix.speedup > 2


@pytest.mark.parametrize(
    "text",
    [
        SCALE.replace("2.0f * x[i]", "x[i] > a ? x[i] : 1.0f"),
        SCALE.replace("2.0f", "2.0"),
        SCALE.replace("2.0f", "i"),
        SCALE.replace("2.0f", "x[n - i]"),
        SCALE.replace("2.0f * x[i]", "exp(x[i])"),
        SCALE.replace("2.0f * x[i]", "(int)x[i]"),
        SCALE.replace("y[i] =", "if (x[i] > a) y[i] ="),
        SCALE.replace("y[i] =", "y[2 * i] ="),
        SCALE.replace("y[i] = 2.0f", "y[i + 1] = y[i]"),
        SCALE.replace("y[i] = 2.0f", "y[0] += x[i]"),
        SCALE.replace("*restrict y", "*y").replace("*restrict x", "*x"),
        SCALE.replace("    for", "    #pragma ivdep\n    for"),
        SCALE.replace("*restrict x", "*restrict x, __global const int *restrict z").replace("2.0f", "z[i]"),
        SCALE.replace("i = 0; i < n", "i = 0; i != n"),
        MACROS.replace("GAIN 2.5f", "GAIN x[i]"),
        MACROS.replace("(1 << 2)", "n - 4"),
        MACROS.replace("EDGE (1 << 2)", "EDGE 1 << 2"),
        BITS.replace("i = 0;", "i = 1;"),
        BITS.replace("const uint n", "const int n"),
        BITS.replace("uint v = x[i] >> 3;", "uint v = 1 << x[i];"),
        BITS.replace("uint", "uchar"),
    ],
)
def test_not_offered_where_elements_differ_from_vectors(text: str) -> None:
    assert offers(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SCALE.replace("2.0f * x[i]", "exp(x[i])"), "exp(x[i]) is not a built-in that gives elements what it gives"),
        (SCALE.replace("y[i] =", "y[n - i] ="), "y[n - i] does not move to the next element"),
        (SCALE.replace("2.0f", "i"), "i is not a scalar that goes with float vectors"),
        (SCALE.replace("y[i] =", "if (x[i] > a) y[i] ="), "its body is more than declarations and assignments"),
        (BITS.replace("const uint n", "const int n"), "its bounds are not of its counter's type"),
        (SCALE.replace("i < n", "i != n"), "it does not count up by one to a fixed bound"),
    ],
)
def test_says_why_a_loop_stays_one_over_scalars(text: str, reason: str) -> None:
    refused = refusals_of(assess(text, arguments={"n": 100_003}))
    assert any(
        title_text(r.title).startswith("Vectorise the loop") and reason in obstacle_text(r.reason) for r in refused
    )


def test_a_bound_may_be_loaded_where_nothing_in_the_loop_stores_to_it() -> None:
    assert applied(SPARSE).splitlines()[4:-2] == [
        "        const int whole = start[r + 1] - (start[r + 1] - start[r]) % 16;",
        "        for (int j = start[r]; j < whole; j += 16)",
        "            vstore16(vload16(0, &x[j]) * 3 + r, 0, &y[j]);",
        "        for (int j = whole; j < start[r + 1]; j++)",
        "            y[j] = x[j] * 3 + r;",
    ]
    assert "const int whole = *start - (*start) % 16;" in applied(COUNTED)


@pytest.mark.parametrize(
    "text",
    [
        SPARSE.replace("restrict start", "start").replace("restrict y", "y"),
        SPARSE.replace("const int *restrict start", "volatile const int *restrict start"),
        SPARSE.replace("start[r + 1]; j++", "start[start[r]]; j++")
        .replace("y[j]", "start[j]")
        .replace("const int *r", "int *r"),
        COUNTED.replace("restrict start", "start").replace("restrict y", "y"),
        COUNTED.replace("*start; j", "*start + y[0]; j"),
    ],
)
def test_a_loaded_bound_that_a_store_or_others_may_change_is_refused(text: str) -> None:
    def bound(text: str) -> str:
        found = assess(text, arguments={"n": 100_003})
        (facts,) = (one.facts for one in found.kernels)
        loop, effects = facts.loops[-1], Effects(found.source)
        return counts_up(effects, loop_at(found.source, loop.span), within=(facts, loop)).name

    assert bound(SPARSE) == bound(COUNTED) == "j"
    with pytest.raises(NotOfferedError, match="bound_may_change"):
        bound(text)
    assert offers(text) == []


def test_a_variable_declared_before_the_loop_is_one_of_each_iteration() -> None:
    assert applied(OUTER).splitlines()[3:11] == [
        "    const int whole = n - n % 16;",
        "    for (int i = 0; i < whole; i += 16) {",
        "        float16 v = vload16(0, &x[i]) * a;",
        "        v = v + 1.0f;",
        "        float16 w = v * v;",
        "        vstore16(w, 0, &y[i]);",
        "    }",
        "    for (int i = whole; i < n; i++) {",
    ]


@pytest.mark.parametrize(
    "text",
    [
        OUTER.replace("v = x[i] * a;", "w = v; v = x[i] * a;"),
        OUTER.replace("v = x[i] * a;", "v = v + x[i] * a;"),
        OUTER.replace("    }\n}", "    }\n    y[0] = w;\n}"),
        OUTER.replace("float v", "volatile float v"),
        OUTER.replace("float v", "__local float v").replace("v = 0", "v"),
        OUTER.replace("float v", "double v"),
        OUTER.replace("float v = 0, w;", "float v = 0, w, *p = &w;").replace("y[i] = w", "y[i] = *p"),
        OUTER.replace("w = v * v;", "{ w = v * v; }"),
    ],
)
def test_a_variable_that_others_see_keeps_the_loop_as_it_is(text: str) -> None:
    assert text != OUTER
    assert offers(text) == []


@pytest.mark.parametrize("type_", ["uint", "size_t", "ushort"])
def test_a_signed_counter_may_go_to_a_bound_without_a_sign(type_: str) -> None:
    text = SCALE.replace("const int n", f"const {type_} n")
    assert "    const int whole = n - n % 16;\n    for (int i = 0; i < whole; i += 16)" in applied(text)
    assert offers(SCALE.replace("const int n", "const long n")) == []
    assert offers(text.replace("i = 0", "i = 1")) == []


@pytest.mark.parametrize("n", [0, 1, 16, 100])
def test_such_a_bound_computes_the_same_on_a_real_runtime(n: int) -> None:
    np = pytest.importorskip("numpy")
    text = SCALE.replace("const int n", "const uint n")
    arrays = {"x": np.arange(200, dtype=np.float32), "y": np.zeros(200, np.float32)}
    expected, got = (results(one, arrays, {"n": np.uint32(n), "a": np.float32(3)}) for one in (text, applied(text)))
    assert np.array_equal(expected["y"], got["y"])


@pytest.mark.parametrize("rows", [[0], [5], [16], [17, 40], [40, 3, 50, 50, 99]])
@pytest.mark.parametrize("text", [SPARSE, COUNTED], ids=["sparse", "counted"])
def test_loaded_bounds_compute_the_same_on_a_real_runtime(text: str, rows: list[int]) -> None:
    np = pytest.importorskip("numpy")
    x = np.arange(200, dtype=np.int32) - 50
    arrays = {
        "x": x,
        "start": np.array([rows[0], *rows] if text == COUNTED else [0, *rows], dtype=np.int32),
        "y": x * 0,
    }
    expected, got = (results(one, arrays, {"n": np.int32(len(rows))}) for one in (text, applied(text)))
    assert np.array_equal(expected["y"], got["y"])
    assert rows == [0] or expected["y"].any()


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_reads_clean_and_is_offered_once(text: str) -> None:
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after) == []
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [-5, -20, 0, 1, 2, 15, 16, 17, 18, 33, 100])
@pytest.mark.parametrize("name", CASES)
def test_computes_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    text = CASES[name]
    type_ = np.dtype({"bits": "uint32", "rows": "int32"}.get(name, "float32"))
    rng = np.random.default_rng(n + 99)
    arrays = {key: rng.integers(0, 2000, 5000).astype(type_) / type_.type(1) for key in ("x", "y")}
    arrays = {key: value.astype(type_) for key, value in arrays.items()}
    length = np.uint32(max(n, 0)) if name == "bits" else np.int32(n)
    scalars = {"n": length, "a": type_.type(3)}
    expected, got = results(text, arrays, scalars), results(applied(text), arrays, scalars)
    assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    if n > 4:
        assert not np.array_equal(expected["y"], arrays["y"])
