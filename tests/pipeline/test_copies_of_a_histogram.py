"""Copies of a histogram, one for each copy of the loop's body, are not updated one after the other."""

from __future__ import annotations

import pytest

from tests.assessing import assess

COUNT = """__kernel void count(__global const {type} *restrict in, __global int *restrict out, int n)
{{
    {space} int bins{size};
    for (int i = 0; i < n; i += 8) {{
        #pragma unroll
        for (int c = 0; c < 8; c++)
            bins{place} += 1;
    }}
    for (int i = 0; i < 256; i++)
        out[i] = bins{first};
}}
"""


def interval(type_: str, size: str, place: str, first: str) -> float:
    text = COUNT.format(type=type_, space="__local", size=size, place=place, first=first)
    (kernel,) = assess(text, board="a10_ref", arguments={"n": 1 << 20}).kernels
    return kernel.estimate.loops[0].ii or 0


@pytest.mark.parametrize(
    ("type_", "size", "place", "first"),
    [
        ("uchar", "[8][256]", "[c][in[i + c]]", "[0][i]"),
        ("int", "[8][256]", "[c][in[i + c]]", "[0][i]"),
        ("int", "[256][8]", "[in[i + c]][c]", "[i][0]"),
        ("int", "[8 * 256]", "[256 * c + (in[i + c] & 255)]", "[i]"),
    ],
)
def test_each_copy_has_rows_of_its_own(type_: str, size: str, place: str, first: str) -> None:
    one = interval("int", "[256]", "[in[i + c]]", "[i]")
    assert interval(type_, size, place, first) <= one / 8


def test_places_that_may_lie_in_another_copy_wait() -> None:
    apart = interval("int", "[8 * 256]", "[256 * c + in[i + c]]", "[i]")
    assert apart == interval("int", "[256]", "[in[i + c]]", "[i]")
