"""Copies of a loop's body that ask one channel: it carries one item a cycle, whichever of an array of them it is."""

import pytest

from burstline_model.estimate.changes import WiderItems
from tests.assessing import assess

PASSED_ON = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c[5];
__attribute__((max_global_work_dim(0), autorun, num_compute_units(4)))
__kernel void pass(void)
{
    int id = get_compute_id(0);
    while (1) {
        int last = 0;
        for (int j = 0; j < 8 - id; j++) {
            last = read_channel_intel(c[PLACE]);
            if (j > 0)
                write_channel_intel(c[id + 1], last);
        }
    }
}
"""


@pytest.mark.parametrize("place", ["id", "id * 1", "(id + 4) % 5"])
def test_a_channel_that_the_compute_unit_chooses_is_one_for_all_copies(place: str) -> None:
    (kernel,) = assess(PASSED_ON.replace("PLACE", place)).kernels
    assert not [lever for lever in kernel.estimate.levers if lever.copies > 1]


def test_copies_that_ask_a_channel_each_are_unrolled() -> None:
    text = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c[8];
__attribute__((max_global_work_dim(0)))
__kernel void take(__global int *restrict y)
{
    for (int i = 0; i < 1024; i++) {
        int sum = 0;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            int at = 7 - j;
            sum += read_channel_intel(c[at]);
        }
        y[i] = sum;
    }
}
"""
    (kernel,) = assess(text).kernels
    assert kernel.estimate.loops[1].unroll == 8


SENT = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel uchar c __attribute__((depth(64)));
__attribute__((max_global_work_dim(0)))
__kernel void sends(__global const uchar *restrict x, int n, int rows, int wide)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 64; j++)
                write_channel_intel(c, j < wide ? x[i * wide + j] : 2);
}
"""


def test_what_asks_the_memory_once_a_cycle_for_a_channel_sends_vectors() -> None:
    """No copies come of it: each byte that is loaded goes through the channel in a cycle of its own."""
    (kernel,) = assess(SENT, arguments={"n": 1 << 20, "rows": 16, "wide": 64}).kernels
    assert kernel.estimate.limit == "issue"
    assert [lever.change for lever in kernel.estimate.levers] == [WiderItems(channels=("c",))]


RECORDS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct {{ uchar of[9]; }} record;
channel record c __attribute__((depth(64)));
__attribute__((max_global_work_dim(0)))
__kernel void sends(__global const uchar *restrict x, int n)
{{
    record one;
    for (int i = 0; i < n; i++) {{
        #pragma unroll
        for (int j = 0; j < 8; j++)
            one.of[j] = one.of[j + 1];
        one.of[8] = x[i];
        {send}
    }}
}}
"""


@pytest.mark.parametrize(
    ("send", "found"),
    [
        ("write_channel_intel(c, one);", [WiderItems(channels=("c",), item_bits=72)]),
        ("if (i > 7) write_channel_intel(c, one);", [WiderItems(channels=("c",), item_bits=72)]),
        ("if (one.of[8] == 32) write_channel_intel(c, one);", []),
    ],
)
def test_structures_in_a_channel_are_to_hold_more(send: str, found: list[WiderItems]) -> None:
    """Where data decide whether one is sent, what paces the loop is what it reads, one element a round."""
    (kernel,) = assess(RECORDS.format(send=send), arguments={"n": 1 << 20}).kernels
    assert [lever.change for lever in kernel.estimate.levers if isinstance(lever.change, WiderItems)] == found
