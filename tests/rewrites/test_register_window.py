"""A shift register for what unrolled loops read again: the edit, and equal results."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess, once
from tests.rewrites.runtime import results

HEAD = "#define TAPS 8\n__kernel void k(__global const {t} *restrict x, __global {t} *restrict y, const int n)\n"
FIR = (
    HEAD.format(t="float")
    + """{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += 0.3f * (float)(k + 1) * x[i + k];
        y[i] = sum;
    }
}
"""
)
BACK = (
    HEAD.format(t="uchar")
    + """{
    for (int c = 0; c < 2; c++)
        #pragma ii 1
        for (long i = TAPS - 1; i <= n; ++i) // backwards
        {
            #pragma unroll
            for (int k = TAPS - 1; k >= 0; k--)
                y[c * 256 + i] += x[c * 256 + i - k] * (k + 1);
        }
}
"""
)
EDGES = (
    HEAD.format(t="int")
    + """{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        #pragma unroll
        for (int k = -3; k <= 3; k++) {
            const int at = i + k;
            if (at >= 0 && n > at)
                sum += x[at] * (k + 9);
        }
        if (sum == 3) continue;
        y[i] = sum;
    }
}
"""
)
CHOSEN = EDGES.replace("if (at >= 0 && n > at)\n                sum += x[at]", "sum += (at < 0 ? 0 : x[at])")
BOTH_WAYS = (
    HEAD.format(t="float4")
    + """{
    #pragma unroll 2
    for (int i = 8; i < n; i++) {
        float4 sum = x[i];
        #pragma unroll
        for (int j = 0; j < 2; j++)
            #pragma unroll
            for (int k = 1; k < 3; k++)
                sum += (float)(j + k) * (x[i + 2 * j + k] - x[i - k - j * 2]);
        y[i] = sum;
    }
}
"""
)
CASES = {"fir": FIR, "back": BACK, "edges": EDGES, "both ways": BOTH_WAYS}


@once
def offers(text: str) -> list[Offer]:
    """The edits of this kind that are possible."""
    layers = [Layer("file", {"arguments": {"n": 1000}})]
    return [o for o in offers_of(Assessor().assess(text, "k.cl", layers)) if o.title.kind == "register_window_of"]


def applied(text: str) -> str:
    """The text with the one edit of this kind made."""
    (offer,) = offers(text)
    assert offer.kind == "proved"
    return offer.applied(text.encode()).decode()


def test_one_load_an_iteration() -> None:
    after = applied(FIR)
    assert after.splitlines()[3:-1] == [
        "    float x_window[8];",
        "    #pragma unroll",
        "    for (int back = 1; back < 8; back++)",
        "        x_window[8 - back] = 0 < n ? x[7 - back] : 0;",
        "    for (int i = 0; i < n; i++) {",
        "        #pragma unroll",
        "        for (int at = 0; at < 7; at++)",
        "            x_window[at] = x_window[at + 1];",
        "        x_window[7] = x[i + 7];",
        "        float sum = 0.0f;",
        "        #pragma unroll",
        "        for (int k = 0; k < TAPS; k++)",
        "            sum += 0.3f * (float)(k + 1) * x_window[k];",
        "        y[i] = sum;",
        "    }",
    ]
    loads = [a.index for a in assess(after).kernels[0].facts.accesses if a.pointer == "x"]
    assert loads == ["7 - back", "i + 7"]


def test_conditions_on_the_place_are_asked_of_what_is_loaded() -> None:
    after = applied(EDGES)
    assert "        x_window[6] = ((int)(i + 3) >= 0 && n > (int)(i + 3)) ? x[(int)(i + 3)] : 0;\n" in after
    assert "sum += x_window[k + 3] * (k + 9);" in after
    assert "            const int at = i + k;\n            if (at >= 0 && n > at)\n" in after


def test_several_loads_and_loops_share_one_window() -> None:
    after = applied(BOTH_WAYS)
    assert "x_window[2 * j + k + 4] - x_window[4 - 2 * j - k]" in after
    assert "float4 sum = x_window[4];" in after
    assert "x_window[9 - back] = 8 < n ? x[8 + 2 * 1 + 2 - back] : (float4)(0);" in after


def test_its_gain_is_that_of_the_edited_text() -> None:
    layers, assessor = [Layer("file", {"arguments": {"n": 100_000}})], Assessor()
    (fix,) = fixes_of(assessor, assessor.assess(FIR, "k.cl", layers), layers, every=True, chosen=_is_window)
    before, after = (assess(t, arguments={"n": 100_000}).kernels[0].estimate for t in (FIR, applied(FIR)))
    assert before.time_s is not None
    assert after.time_s is not None
    assert fix.speedup == before.time_s / after.time_s
    assert fix_title(fix).startswith("Keep 8 elements of x in a shift register, one load an iteration: kernel ")


def _is_window(offer: Offer) -> bool:
    return offer.title.kind == "register_window_of"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FIR.replace("#pragma unroll", ""),
         "a loop that walks over the neighbours is not unrolled: add #pragma unroll"),
        (FIR.replace("#pragma unroll", "#pragma unroll 4"),
         "a loop that walks over the neighbours is not unrolled: add #pragma unroll"),
        (FIR.replace("*restrict x", "*x").replace("*restrict y", "*y"), "the loops may store to x through y"),
        (FIR.replace("y[i] = sum", "if (sum > 9) break; y[i] = sum"), "it may end before its trips are over"),
        (FIR.replace("int i", "uint i"), "counting i in blocks may leave the range of its type"),
        (FIR.replace("i++", "i += 1, x += 0"), "it does not count up by one to a fixed bound"),
        (FIR.replace("x[i + k]", "x[(uchar)i + k]"),
         "a narrow type takes part in the index of x[(uchar)i + k], which may come round"),
        (FIR.replace("sum +=", "if (y[k] > 1) sum +="),
         "a condition or a jump decides whether x[i + k] is loaded, so it may lie outside its buffer"),
        (FIR.replace("sum +=", "if (k < n) sum +="),
         "a condition or a jump decides whether x[i + k] is loaded, so it may lie outside its buffer"),
        (EDGES.replace("x[at] * (k + 9);", "x[at]; else sum += x[at + 1];"),
         "a condition or a jump decides whether x[at] is loaded, so it may lie outside its buffer"),
        (FIR.replace("sum +=", "x += n > k; sum +="), None),
        (FIR.replace("x[i + k]", "x[i * 2 + k]"), None),
        (FIR.replace("x[i + k]", "x[i + y[k]]"), None),
        (FIR.replace("const float *", "volatile float *"), None),
        (FIR.replace("TAPS 8", "TAPS 4096"), None),
        (FIR.replace("float sum", "int m = i; float sum").replace("x[i", "x[m").replace("y[i] =", "m++; y[m] ="),
         "m changes in the loop"),
    ],
)  # fmt: skip
def test_not_offered_where_it_is_not_proved(text: str, why: str | None) -> None:
    assert offers(text) == []
    found = [r for r in refusals_of(assess(text, arguments={"n": 9})) if r.title.kind == "register_window"]
    assert [obstacle_text(r.reason) for r in found] == ([why] if why is not None else [])
    assert all(title_text(r.title) == "Keep a row of x in a shift register" for r in found)


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_reads_clean_and_is_offered_once(text: str) -> None:
    after = applied(text)
    assert not assess(after).source.tree.root_node.has_error
    assert offers(after) == []
    assert applied(text.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 9, 64])
@pytest.mark.parametrize("name", CASES)
def test_window_computes_the_same_on_a_real_runtime(name: str, n: int) -> None:
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(n + 3)
    type_ = {"fir": np.float32, "both ways": np.float32, "back": np.uint8}.get(name, np.int32)
    arrays: dict[str, Any] = {key: rng.integers(0, 50, 512).astype(type_) for key in ("x", "y")}
    expected, got = (results(t, arrays, {"n": np.int32(n)}) for t in (CASES[name], applied(CASES[name])))
    assert all(np.array_equal(expected[key], got[key]) for key in arrays)
    assert n < 9 or not np.array_equal(expected["y"], arrays["y"])


@pytest.mark.parametrize("text", [*CASES.values(), CHOSEN], ids=[*CASES, "chosen"])
def test_interpreter_finds_no_difference(text: str) -> None:
    """It ends where a load is outside its buffer, which no element that is loaded before the loop may be."""
    layers, assessor = [Layer("file", {"arguments": {"n": 9}})], Assessor()
    found: list[Fix] = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers, every=True, chosen=_is_window)
    assert [type(f.execution).__name__ for f in found] == ["Equal"]
