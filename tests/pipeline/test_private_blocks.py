"""Private arrays too large for registers are memory blocks: their ports and banks are those of local arrays."""

from __future__ import annotations

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess

HISTOGRAM = """__attribute__((max_global_work_dim(0)))
__kernel void count(__global const ushort *restrict in, __global int *restrict out, int n)
{{
    {space} int t[8][256];
    for (int i = 0; i < 2048; i++)
        t[i >> 8][i & 255] = 0;
    for (int i = 0; i < n; i += 8) {{
        #pragma unroll
        for (int c = 0; c < 8; c++)
            {update};
    }}
    for (int i = 0; i < 256; i++)
        out[i] = t[0][i] + t[1][i] + t[7][i];
}}
"""


def _counted(space: str, update: str, **settings: str) -> KernelAssessment:
    (kernel,) = assess(HISTOGRAM.format(space=space, update=update), arguments={"n": 1 << 20}, **settings).kernels
    return kernel


@pytest.mark.parametrize(
    "update",
    [
        "t[(in[i + c] >> 8) & 7][in[i + c] & 255] += 1",
        "t[c & 3][in[i + c] & 255] += 1",
        "t[c][in[i + c] & 255] += 1",
        "t[c][in[i + c] & 255] = i",
        "t[in[i + c] & 7][i & 255] = i",
        "if (in[i + c] > 9) t[in[i + c] & 7][i & 255] += 3",
    ],
)
@pytest.mark.parametrize("settings", [{}, {"board": "a10_ref"}])
def test_private_blocks_have_the_ports_of_local_ones(update: str, settings: dict[str, str]) -> None:
    own, shared = (_counted(space, update, **settings).estimate for space in ("", "__local"))
    assert [(one.ii, one.turns) for one in own.loops] == [(one.ii, one.turns) for one in shared.loops]
    assert own.time_s == pytest.approx(shared.time_s, rel=0.01)


def test_places_that_data_choose_wait_for_each_other() -> None:
    apart = _counted("", "t[c][in[i + c] & 255] += 1").estimate.loops[1].ii or 0
    anywhere = _counted("", "t[(in[i + c] >> 8) & 7][in[i + c] & 255] += 1").estimate.loops[1].ii or 0
    assert anywhere >= 8 * apart


def test_a_private_array_that_nothing_changes_is_read_at_once() -> None:
    text = """__attribute__((max_global_work_dim(0)))
__kernel void look_up(__global const uchar *restrict in, __global int *restrict out, int n)
{
    int t[1024];
    for (int i = 0; i < 1024; i++)
        t[i] = i * i;
    for (int i = 0; i < n; i += 8) {
        int s = 0;
        #pragma unroll
        for (int c = 0; c < 8; c++)
            s += t[4 * in[i + c]];
        out[i >> 3] = s;
    }
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    assert [(one.ii, one.turns) for one in kernel.estimate.loops[:2]] == [(1, 1), (1, 1)]


def test_small_private_arrays_are_registers() -> None:
    small = HISTOGRAM.replace("[8][256]", "[8]").replace("t[i >> 8][i & 255]", "t[i & 7]").replace("][i]", "]")
    (kernel,) = assess(small.format(space="", update="t[in[i + c] & 7] = i"), arguments={"n": 1 << 20}).kernels
    assert all(one.turns == 1 for one in kernel.estimate.loops)


def test_places_that_are_computed_of_unrolled_counters_are_registers() -> None:
    """The delay lines of a transform, each stage's half as long as the one before."""
    text = """
__attribute__((max_global_work_dim(0)))
__kernel void delays(__global const float *restrict x, __global float *restrict y, int n)
{
    float line[127];
    for (int i = 0; i < n; i++) {
        float data = x[i];
        #pragma unroll
        for (int s = 0; s < 6; s++) {
            int depth = 1 << (6 - s);
            line[127 - depth] = data;
            data += line[128 - 2 * depth];
        }
        #pragma unroll
        for (int k = 0; k < 126; k++)
            line[k] = line[k + 1];
        y[i] = data;
    }
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    (loop,) = [one for one in kernel.estimate.loops if one.trip == 1 << 20]
    assert loop.ii == 1
    assert kernel.estimate.time_s is not None
    assert kernel.estimate.time_s * kernel.estimate.f_max_hz == pytest.approx(1 << 20, rel=0.1)


def test_stores_through_a_chosen_pointer_are_not_known_to_meet() -> None:
    """Two buffers that change places, written in whole rows: the author's kernel stores eight elements a cycle."""
    text = """
__attribute__((max_global_work_dim(0)))
__kernel void swap(__global const float *restrict x, __global float *restrict y, int n)
{
    float a[2048][8], b[2048][8];
    bool first = false;
    for (int i = 0; i < n; i++) {
        if ((i & 2047) == 0)
            first = !first;
        float (*to)[8] = first ? a : b;
        float (*from)[8] = first ? b : a;
        #pragma unroll
        for (int k = 0; k < 8; k++) {
            to[i & 2047][k] = x[8 * i + k];
            y[8 * i + k] = from[(i * 16 + i / 128) & 2047][k];
        }
    }
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    loop = kernel.estimate.loops[0]
    assert loop.ii == 1
    assert loop.turns == 1
