"""Sizes that are assumed keep loops within the arrays on chip that they run over."""

from __future__ import annotations

import pytest

from burstline_server.words.verdict import decision
from tests.assessing import assess

PLANES = """
#define MOST 65536
__attribute__((max_global_work_dim(0)))
__kernel void planes(__global const float *restrict in, __global float *restrict out, int depth, int rows, int columns)
{
    float kept[MOST];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            for (int d = 0; d < depth; d++)
                kept[(r * columns + c) * depth + d] = in[(r * columns + c) * depth + d];
    for (int d = 0; d < depth; d++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                out[(d * rows + r) * columns + c] = kept[(r * columns + c) * depth + d];
}
"""


@pytest.mark.parametrize(("most", "each"), [(65536, 32), (262144, 64), (1 << 22, 128)])
def test_no_more_elements_are_assumed_than_an_array_holds(most: int, each: int) -> None:
    # The largest power of two of which the cube is at most `most`.
    (kernel,) = assess(PLANES.replace("65536", str(most))).kernels
    assert kernel.at_assumed is not None
    assert {loop.trip for loop in kernel.at_assumed.estimate.loops} == {each}


MERGED = """
__kernel void merged(__global const uint *restrict data, __global uint *histo, __local uint *own, int bins, int size)
{
    int lid = get_local_id(0);
    for (int at = lid; at < bins; at += get_local_size(0))
        own[at] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < size; i += get_global_size(0))
        atomic_inc(&own[data[i] % 256]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = lid; at < bins; at += get_local_size(0))
        atomic_add(histo + at, own[at]);
}
"""


def test_groups_that_each_merge_a_copy_of_their_own_had_better_be_fewer() -> None:
    done = assess(MERGED, local_size=256, arguments={"bins": 256, "size": 1 << 20}, global_size=1 << 18)
    assert decision(done, done.kernels[0]).lever.startswith("let fewer work-groups do more each")
