"""Pragmas that keep iterations apart for a number of them: ``#pragma ivdep safelen(32)``."""

from __future__ import annotations

import pytest

from burstline_server.words.changes import change_text
from tests.assessing import assess

GLOBAL = """
#define APART 16
__kernel void add(__global int *restrict sums, __global const int *restrict place, int n)
{
    PRAGMA
    for (int i = 0; i < n; i++)
        sums[place[i]] += 3;
}
"""
PRIVATE = """
__kernel void add(__global const uint *restrict key, __global const float *restrict value,
                  __global float *restrict out, int n)
{
    float sums[512];
    for (int k = 0; k < 512; k++)
        sums[k] = 0.0f;
    PRAGMA
    for (int i = 0; i < n; i++)
        sums[key[i] & 511] += value[i];
    for (int k = 0; k < 512; k++)
        out[k] = sums[k];
}
"""


def interval(text: str, pragma: str) -> float:
    """The interval of the loop behind a pragma, in clock cycles."""
    one = assess(text.replace("PRAGMA", pragma)).kernels[0]
    found = next(o for o in one.estimate.loops if one.facts.loops[o.loop].variable == "i")
    assert found.ii is not None
    return found.ii


@pytest.mark.parametrize("text", [GLOBAL, PRIVATE])
def test_iterations_so_many_apart_share_the_way_round(text: str) -> None:
    waiting = interval(text, "")
    assert waiting > 4
    assert interval(text, "#pragma ivdep safelen(2)") == pytest.approx(waiting / 2, abs=1)
    assert interval(text, "#pragma ivdep array(sums) safelen(4)") == pytest.approx(waiting / 4, abs=1)
    assert interval(text, "#pragma ivdep safelen(4096)") == 1
    assert interval(text, "#pragma ivdep") == 1


@pytest.mark.parametrize(
    ("pragma", "apart"),
    [
        ("#pragma ivdep safelen(APART)", 16),
        ("#pragma ivdep safelen((APART + 4) * 2)", 40),
        ("#pragma ivdep array(other) safelen(8)", 1),
        ("#pragma ivdep array(place) safelen(8)", 1),
        ("#pragma ivdep array(sums) safelen(8)\n    #pragma ivdep array(place)", 8),
        ("#pragma ivdep safelen(8)\n    #pragma ivdep array(sums) safelen(32)", 32),
        ("#pragma ivdep safelen(1)", 1),
    ],
)
def test_the_number_is_a_constant_and_of_its_arrays_alone(pragma: str, apart: int) -> None:
    waiting = interval(GLOBAL, "")
    assert interval(GLOBAL, pragma) == pytest.approx(waiting / apart, abs=1)


def test_a_number_that_is_not_known_is_a_promise_of_all_iterations() -> None:
    assert interval(GLOBAL, "#pragma ivdep safelen(UNKNOWN)") == 1


def test_the_plain_pragma_after_one_with_a_number_says_more() -> None:
    assert interval(GLOBAL, "#pragma ivdep safelen(8)\n    #pragma ivdep") == 1
    assert interval(GLOBAL, "#pragma ivdep\n    #pragma ivdep safelen(8)") == 1


def test_a_loop_around_loops_overlaps_its_iterations() -> None:
    text = """
    __kernel void rows(__global float *restrict a, __global const int *restrict row, int n)
    {
        PRAGMA
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 64; j++)
                a[row[i] * 64 + j] *= 2.0f;
    }
    """

    def waits(pragma: str) -> bool:
        loops = assess(text.replace("PRAGMA", pragma)).kernels[0].estimate.loops
        return next(o for o in loops if o.loop == 0).serial

    assert waits("")
    assert waits("#pragma ivdep safelen(1)")
    assert not waits("#pragma ivdep safelen(2)")
    assert not waits("#pragma ivdep")


def test_copies_stay_within_the_iterations_that_are_apart() -> None:
    levers = [
        change_text(one.change)
        for apart in (8, 1024)
        for one in assess(PRIVATE.replace("PRAGMA", f"#pragma ivdep safelen({apart})"), arguments={"n": 1 << 20})
        .kernels[0]
        .estimate.levers[:1]
    ]
    assert "unroll" not in levers[0]
    assert "unroll" in levers[1]
