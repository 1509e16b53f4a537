"""Nests in which an outer counter gives the length of an inner loop: unrolled whole, and that results stay."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import MoreCopies
from burstline_server.interpreter.verdicts import Equal
from burstline_server.words.edits import fix_title
from tests.rewrites.equality import Data, assessed, tried
from tests.rewrites.test_unroll import fixes

np = pytest.importorskip("numpy")

KERNEL = """__kernel void windows(__global const int *restrict x, __global int *restrict y, int n)
{{
    for (int i = 0; i < n; i++) {{
        int v[8];
        #pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = x[i * 8 + k];
        int sum = 0;
        {outer}
            {inner}
                sum += v[{place}] * (b + 1);
        y[i] = sum;
    }}
}}
"""
FALLING = KERNEL.format(outer="for (int a = 0; a < 8; a++)", inner="for (int b = 0; b < 8 - a; b++)", place="a + b")
RISING = KERNEL.format(outer="for (int a = 0; a < 8; a++)", inner="for (int b = 0; b <= a; b++)", place="b")
FROM = KERNEL.format(outer="for (int a = 0; a < 8; a++)", inner="for (int b = a; b < 8; b++)", place="b")
SETTINGS = {"arguments": {"n": 100_000}, "global_size": 1}


@pytest.mark.parametrize("text", [FALLING, RISING, FROM], ids=["falling", "rising", "from"])
def test_both_loops_of_a_triangle_get_a_pragma(text: str) -> None:
    (fix,) = (one for one in fixes(text, **SETTINGS) if one.offer.title.kind == "unroll_nest")
    outer, inner = (line for line in text.splitlines() if "int a" in line or "int b" in line)
    after = text
    for line in (outer, inner):
        indent = line[: line.index("for")]
        after = after.replace(line, f"{indent}#pragma unroll\n{line}")
    assert fix.offer.applied(text.encode()).decode() == after
    assert fix_title(fix).startswith("Unroll 2 nested loops whole: kernel ")
    assert fix.offer.kind == "proved"
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 10  # 36 sums in turn become one iteration


@pytest.mark.parametrize("text", [FALLING, RISING, FROM], ids=["falling", "rising", "from"])
def test_the_advice_names_the_edit_that_is_offered(text: str) -> None:
    """The edit's own estimate is made from the text with pragmas, that of the advice from the loops' bounds."""
    (kernel,) = assessed(text, **SETTINGS).kernels
    first = kernel.estimate.levers[0]
    assert isinstance(first.change, MoreCopies)
    assert (first.change.nest, first.change.loops) == (True, 2)
    (fix,) = (one for one in fixes(text, **SETTINGS) if one.offer.title.kind == "unroll_nest")
    assert fix.gain is not None
    assert first.after_s == pytest.approx(fix.gain.after_s, rel=0.3)  # the clocks differ, by what the copies take


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("for (int a = 0; a < n; a++)", "for (int b = 0; b < 8 - (a & 7); b++)"),
        ("for (int a = 0; a < 8; a++)", "for (int b = 0; b < n - a; b++)"),
        ("for (int a = 0; a < 8; a++)", "#pragma unroll 1\n            for (int b = 0; b < 8 - a; b++)"),
        ("for (int a = 0; a < 8; a++)", "for (int b = 0; b < a * a; b++)"),
        ("for (int a = 0; a < 8; a++)", "for (int b = 0; b < 8 - a && sum < 100; b++)"),
        ("for (int a = 0; a < 32; a++)", "for (int b = 0; b < 32 - a; b++)"),
    ],
    ids=["outer not constant", "an argument", "a pragma", "a square", "ends early", "too many"],
)
def test_other_nests_are_not(outer: str, inner: str) -> None:
    text = KERNEL.format(outer=outer, inner=inner, place="(a + b) & 7")
    assert [one for one in fixes(text, **SETTINGS) if one.offer.title.kind == "unroll_nest"] == []


@pytest.mark.parametrize("text", [FALLING, RISING, FROM], ids=["falling", "rising", "from"])
def test_results_stay(text: str) -> None:
    x = np.arange(512, dtype=np.int32)
    data = [Data({"x": x, "y": np.zeros(64, np.int32)}, {"n": np.int32(n)}) for n in (0, 1, 7, 64)]
    found = [one for one in tried(text, data, **SETTINGS) if one.offer.title.kind == "unroll_nest"]
    assert [(one.why, one.launches) for one in found] == [("", 4)]


SORTED = """__attribute__((max_global_work_dim(0)))
__kernel void sorted(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        float v[16];
        #pragma unroll
        for (int k = 0; k < 16; k++) v[k] = x[i * 16 + k];
        OUTER
        for (int j = 0; j < 16; j++)
            for (int k = 0; k < 15 - j; k++) {
                float low = fmin(v[k], v[k + 1]), high = fmax(v[k], v[k + 1]);
                v[k] = low;
                v[k + 1] = high;
            }
        #pragma unroll
        for (int k = 0; k < 16; k++) y[i * 16 + k] = v[k];
    }
}
"""


@pytest.mark.parametrize("outer", ["", "#pragma unroll"], ids=["rolled", "outer one unrolled"])
def test_a_network_of_pairs_is_unrolled_whole_not_by_a_few(outer: str) -> None:
    text = SORTED.replace("OUTER", outer)
    (kernel,) = assessed(text, **SETTINGS).kernels
    changes = [one.change for one in kernel.estimate.levers if isinstance(one.change, MoreCopies)]
    assert [(one.nest, one.loops) for one in changes] == [(True, 2)]
    (fix,) = (one for one in fixes(text, **SETTINGS) if one.offer.title.kind == "unroll_nest")
    after = fix.offer.applied(text.encode()).decode()
    assert after.count("#pragma unroll") == 4  # one for each loop, none twice
    assert not [one for one in fixes(after, **SETTINGS) if one.offer.title.kind.startswith("unroll")]
