"""Reasons why an edit is not offered, which must be true of the loop that they are about."""

from __future__ import annotations

import pytest

from burstline_server.rewrites.catalogue import refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import assess

KERNEL = """__kernel void k(__global const int *restrict x, __global int *restrict y, {type} n)
{{
    int t[4] = {{1, 2, 3, 4}};
    for ({type} i = 0; i < n; i++) {{
{lines}
        y[i] = x[i] + t[i & 3];
    }}
}}
"""
INNER = "        #pragma unroll\n        for (int k = 0; k < 4; k++)\n            t[k] += k;"


def _reasons(text: str, kind: str) -> list[str]:
    found = refusals_of(assess(text, arguments={"n": 100}))
    return [obstacle_text(one.reason) for one in found if one.title.kind == kind]


@pytest.mark.parametrize(
    ("type_", "lines", "reason"),
    [
        ("int", INNER, "it contains another loop"),
        ("uchar", "", "counting i in blocks may leave the range of its type"),
        (
            "int",
            "        #pragma ii 1\n        ;",
            "a macro that is not a constant, an include or a directive takes part in it",
        ),
    ],
    ids=["a loop in it", "a narrow counter", "a pragma in it"],
)
def test_vectors_say_what_is_in_their_way(type_: str, lines: str, reason: str) -> None:
    assert reason in _reasons(KERNEL.format(type=type_, lines=lines), "vectorise")


def test_a_window_is_no_block_that_shares_a_copy() -> None:
    text = KERNEL.format(type="int", lines=INNER).replace("x[i] +", "x[i] + x[i + 1] * x[i + 2] +")
    assert _reasons(text, "private_block") == ["each element of x is loaded once by what would share a copy"]


FILLED = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    float row[8192];
    for (int i = 0; i < 8192; i++)
        row[i] = x[i];
    for (int r = 0; r < 100; r++)
        y[r] = row[(r * 7) & 8191];
}
"""


def test_filling_an_array_makes_no_chain() -> None:
    chain = "row goes from one iteration to the next: unrolling makes the chain longer"
    said = _reasons(FILLED, "vectorise")
    assert "iterations of the loop share row" in said
    assert chain not in said
