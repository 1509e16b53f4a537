"""Iterations that work-items share out are as many in all as is assumed of a launch, however the share is written."""

from __future__ import annotations

import pytest

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.verdict import decision
from tests.assessing import assess

BY_GROUPS = """
__kernel void twice(__global const float *restrict x, __global float *restrict y, const int n)
{
    int at = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int stride = get_num_groups(0) * get_local_size(0);
    while (at < n) {
        y[at] = x[at] * 2.0f;
        at += stride;
    }
}
"""
PARTS = """
__kernel void twice(__global const float *restrict x, __global float *restrict y, const int n)
{
    int part = n / get_global_size(0);
    int first = get_global_id(0) * part;
    for (int at = first; at < first + part; at++)
        y[at] = x[at] * 2.0f;
}
"""


def bytes_used(kernel: KernelAssessment) -> list[float]:
    """What each unit uses at assumed sizes."""
    guess = kernel.at_assumed
    assert guess is not None
    return [unit.bytes or 0.0 for unit in guess.estimate.units]


@pytest.mark.parametrize("text", [BY_GROUPS, PARTS])
def test_a_million_elements_are_shared_out(text: str) -> None:
    # 1024 work-items of 1024 iterations each, 4 B in and 4 B out.
    (kernel,) = assess(text).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.launch.global_size == (1024,)
    assert bytes_used(kernel) == pytest.approx([4 * 1024 * 1024] * 2, rel=0.02)


def test_parts_lie_a_part_apart() -> None:
    # Neighbouring work-items are 4 kB apart: each word of 64 B is fetched for 4 B.
    (kernel,) = assess(PARTS).kernels
    assert decision(assess(PARTS), kernel).limit.startswith("memory-bound")


def test_ids_made_of_groups_launch_a_work_item_for_each_element() -> None:
    assessment = assess(BY_GROUPS)
    (kernel,) = assessment.kernels
    assert decision(assessment, kernel).lever.startswith("launch a work-item for each element")
