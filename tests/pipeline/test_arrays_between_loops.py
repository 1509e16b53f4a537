"""Arrays on the chip that loops inside one fill and read: its iterations take turns, unless each has its own copy."""

import pytest

from burstline_model.estimate.kernel_estimate import LoopEstimate
from tests.assessing import assess

KERNEL = """
__kernel void rows(__global const float *restrict x, __global float *restrict y)
{
    %s
    for (int r = 0; r < 1024; r++) {
        %s
        for (int i = 0; i < 512; i++)
            row[i] = x[512 * r + i];
        for (int i = 0; i < 512; i++)
            y[512 * r + i] = row[511 - i];
    }
}
"""


def outer(outside: str, inside: str = "", text: str = KERNEL) -> LoopEstimate:
    (kernel,) = assess(text % (outside, inside), board="p385a").kernels
    return next(one for one in kernel.estimate.loops if kernel.facts.loops[one.loop].variable == "r")


@pytest.mark.parametrize("space", ["", "__local "])
def test_an_array_from_outside_is_filled_again_only_once_it_was_read(space: str) -> None:
    assert outer(f"{space}float row[512];").serial


def test_an_array_of_each_iteration_is_not_waited_for() -> None:
    assert not outer("", "float row[512];").serial


def test_rows_of_their_own_are_not_waited_for() -> None:
    text = """
__kernel void rows(__global const float *restrict x, __global float *restrict y)
{
    float row[16][64];
    for (int r = 0; r < 16; r++) {
        for (int i = 0; i < 64; i++)
            row[r][i] = x[64 * r + i];
        for (int i = 0; i < 64; i++)
            y[64 * r + i] = row[r][63 - i];
    }%s%s
}
"""
    assert not outer("", text=text).serial


def test_a_promise_lets_iterations_overlap() -> None:
    assert not outer("float row[512];\n    #pragma ivdep").serial


def test_an_array_in_registers_is_not_waited_for() -> None:
    text = """
__kernel void window(__global const float *restrict x, __global float *restrict y)
{
    float w[32];%s%s
    for (int r = 0; r < 4096; r++) {
        #pragma unroll
        for (int i = 0; i < 31; i++)
            w[i] = w[i + 1];
        w[31] = x[r];
        y[r] = w[0] + w[31];
    }
}
"""
    assert not outer("", text=text).serial


@pytest.mark.parametrize("space", ["", "__local "])
def test_both_loops_take_their_time_and_no_private_copy_is_promised(space: str) -> None:
    def kernel(outside: str, inside: str) -> tuple[float, list[float]]:
        (one,) = assess(KERNEL % (outside, inside), board="p385a").kernels
        assert one.estimate.time_s
        return one.estimate.time_s, [loop.gain for loop in one.estimate.loops]

    kept, gains = kernel(f"{space}float row[512];", "")
    own, _ = kernel("", "float row[512];")
    assert kept > 1.9 * own
    assert not any(gains)


def test_one_of_several_loops_that_keeps_an_array_to_itself_does_not_hold_up_the_others() -> None:
    text = """
__kernel void filters(__global const float *restrict x, __global float *restrict y)
{
    float kept[512];%s%s
    for (int i = 0; i < 512; i++)
        kept[i] = 0.0f;
    for (int r = 0; r < 1024; r++) {
        for (int i = 0; i < 512; i++) {
            y[512 * r + i] = kept[i];
            kept[i] = x[512 * r + i];
        }
        for (int j = 0; j < 512; j++)
            y[524288 + 512 * r + j] = x[524288 + 512 * r + j];
    }
}
"""
    assert not outer("", text=text).serial
