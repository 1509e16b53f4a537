"""Trees in local memory that half as many work-items take part in from round to round."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import CombineFirst
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.words.changes import advice_text
from tests.assessing import assess

TREE = """
__kernel void total(__global const float *restrict x, __global float *restrict sums, __local float *part)
{
    int lid = get_local_id(0);
    part[lid] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = %s) {
        if (%s)
            part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = part[0];
}
"""
HALVES = "get_local_size(0) / 2; s > 0; s /= 2"
DOUBLES = "1; s < get_local_size(0); s *= 2"


def estimate(text: str) -> KernelEstimate:
    """The estimate of a million work-items in groups of 256, at 400 MHz."""
    return assess(text, global_size=[1 << 20], local_size=[256], f_max_mhz=400).kernels[0].estimate


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        (HALVES, "lid < s"),
        (DOUBLES, "lid % (2 * s) == 0"),
        (DOUBLES, "2 * s * lid < get_local_size(0)"),
        (DOUBLES, "2 * s * lid < 256"),
    ],
)
def test_several_elements_are_combined_before_a_tree(steps: str, part: str) -> None:
    found = estimate(TREE % (steps, part))
    first = found.levers[0]
    assert first.change == CombineFirst(pointer="x", elements=16)
    assert advice_text(first.change) == (
        "combine 16 elements of x in each work-item first: all of a group go round in the loop with the barrier, ever "
        "fewer of them with work"
    )
    # A sixteenth of the work-items, each with a request of 64 B and eight rounds in place of eight rounds.
    assert found.time_s is not None
    assert first.after_s == pytest.approx(found.time_s * 9 / 128, rel=0.05)


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        (HALVES, "lid < 64"),
        (HALVES, "x[lid] > 0"),
        (HALVES, "(lid ^ s) > lid"),
        (HALVES, "lid >= 0"),
        (HALVES, "lid * lid * s < 256"),
        (HALVES, "s * lid < get_global_id(1)"),
        (HALVES, "2 * lid < 64"),
    ],
    ids=["a fixed part", "data", "pairs", "all", "squares", "other bounds", "a fixed step"],
)
def test_loops_in_which_as_many_work_to_the_end_are_no_trees(steps: str, part: str) -> None:
    assert not any(isinstance(one.change, CombineFirst) for one in estimate(TREE % (steps, part)).levers)
