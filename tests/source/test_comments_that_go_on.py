"""A backslash at the end of a line takes a comment on to the next one: what is written there is no code."""

from __future__ import annotations

import pytest

from tests.assessing import assess

TEXT = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 2.0f; // a slope: /\\
        COMMENTED
    }
}
__kernel void next(__global float *restrict y) { y[0] = 0.0f; }
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("commented", ["}", "{", "y[n] = x[0];", '"', "/* a", "int;", "}\\\n }"])
def test_no_code_is_read_from_a_comment_that_goes_on(commented: str, line_end: str) -> None:
    text = TEXT.replace("COMMENTED", commented).replace("\n", line_end)
    done = assess(text, arguments={"n": 1024})
    assert [kernel.facts.name for kernel in done.kernels] == ["k", "next"]
    plain = assess(TEXT.replace(" // a slope: /\\\n        COMMENTED", ""), arguments={"n": 1024})
    for kernel, other in zip(done.kernels, plain.kernels, strict=True):
        assert [a.place for a in kernel.facts.accesses] == [a.place for a in other.facts.accesses]
        assert kernel.estimate.time_s == other.estimate.time_s


def test_a_backslash_inside_a_line_ends_with_it() -> None:
    text = TEXT.replace("/\\\n        COMMENTED", "\\ and more\n        y[n] = x[0];")
    places = [a.place for a in assess(text, arguments={"n": 1024}).kernels[0].facts.accesses]
    assert places == ["x[i]", "y[i]", "x[0]", "y[n]"]
