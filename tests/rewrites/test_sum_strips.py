"""Sums in strips of several terms: the text, that results stay, and where they are not offered."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

DOT = """__kernel void dot_of(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    y[0] = sum;
}
"""
AFTER = """__kernel void dot_of(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict y, int n)
{
    float sum = 0;
    float sum_parts[8];
    #pragma unroll
    for (int part = 0; part < 8; part++)
        sum_parts[part] = -0.0f;
    const int whole = n - n % 16;
    for (int strip = 0; strip < whole; strip += 16) {
        float sum_own = -0.0f;
        #pragma unroll
        for (int i = strip; i < strip + 16; i++)
            sum_own += a[i] * b[i];
        float sum_next = sum_parts[0] + sum_own;
        #pragma unroll
        for (int part = 0; part < 7; part++)
            sum_parts[part] = sum_parts[part + 1];
        sum_parts[7] = sum_next;
    }
    #pragma unroll
    for (int part = 0; part < 8; part++)
        sum += sum_parts[part];
    for (int i = whole; i < n; i++)
        sum += a[i] * b[i];
    y[0] = sum;
}
"""
WHOLE = DOT.replace("i < n", "i < 4096")
ODD = """#define FIRST 3
__kernel void odd(__global const float *restrict a, __global const float *restrict b, __global float *restrict y, int n)
{
\tfloat sum = y[1], wide = 1.0f;
\tfor (int i = FIRST; i < n - 1; ++i) { // both
\t\tif (a[i] < 0) continue;
\t\tsum = sum - a[i];
\t\twide = b[i] + wide;
\t\tif (b[i] > 5) sum += 0.5f; }
\ty[0] = sum;
\ty[2] = wide;
}
"""
LAYERS = [Layer("file", {"arguments": {"n": 1 << 20}, "board": "s10gx_ddr4_2666", "aoc_version": "19.4"})]


def strips(offer: Offer) -> bool:
    """Whether an offer is of this kind."""
    return offer.title.kind == "sum_strips_of"


@once
def fixes(text: str) -> list[Fix]:
    """The strips of a text that pay."""
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", LAYERS)
    return fixes_of(assessor, assessment, LAYERS, chosen=strips)


def test_a_strip_is_added_up_and_goes_into_the_register() -> None:
    (fix,) = fixes(DOT)
    assert fix.offer.applied(DOT.encode()).decode() == AFTER
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 5
    assert title_text(fix.offer.title) == (
        "Make sum from strips of 16 terms, with 8 partial results in a shift register "
        "(unsafe: you assert that the terms of sum may be added in another order)"
    )


def test_nothing_is_left_over_of_whole_strips() -> None:
    assessor = Assessor()
    assessment = assessor.assess(WHOLE, "k.cl", LAYERS)
    fix = fixes_of(assessor, assessment, LAYERS, every=True, chosen=strips)[0]
    after = fix.offer.applied(WHOLE.encode()).decode()
    assert "    for (int strip = 0; strip < 4096; strip += 16) {\n" in after
    assert after.count("a[i] * b[i]") == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [DOT, WHOLE, ODD], ids=["dot", "whole", "odd"])
def test_the_kernel_computes_the_same_where_sums_are_exact(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-8, 9, 4096).astype(np.float32) for _ in range(2))
    y = np.array([3, -2, 7, 1], np.float32)
    data = [Data({"a": a, "b": b, "y": y}, {"n": np.int32(n)}, (1,)) for n in (-3, 0, 1, 15, 16, 17, 20, 64, 250)]
    every = tried(text, data, ("assertion",), board="s10gx_ddr4_2666", arguments={"n": 1 << 20})
    found = [one for one in every if one.offer.title.kind == "sum_strips_of"]
    assert len(found) == 1
    assert [one.why for one in found if one.unequal is not None] == []
    after = found[0].offer.applied(text.encode()).decode()
    assert after.count("\n") == after.count(newline)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DOT.replace("int i = 0; i < n; i++", "int i = n; i > 0; i--"), "does not count up"),
        (DOT.replace("sum +=", "if (i > 5) break; else sum +="), "it may end before its trips are over"),
        (DOT.replace("sum +=", "again: sum +="), "do/goto/switch"),
        (DOT.replace("    for", "    #pragma ivdep\n    for"), "pragma"),
        (DOT.replace("    for", "    if (n > 3)\n    for"), "no separate line"),
        (DOT.replace("i < n;", "i < (uint)n;"), "its bounds are not of its counter's type"),
        (DOT.replace("a[i] *", "n-- *"), "its bound or its counter may change"),
    ],
)
def test_not_where_strips_would_not_be_the_same(text: str, why: str) -> None:
    assert fixes(text) == []
    found = refusals_of(Assessor().assess(text, "k.cl", LAYERS))
    said = [obstacle_text(r.reason) for r in found if r.title.kind == "sum_strips"]
    assert any(why in one for one in said), said
