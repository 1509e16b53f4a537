"""Reads of an array on the chip that are written out side by side are one wide read, as those of an unrolled loop."""

import pytest

from burstline_model.devices.resource_use import Array, InBlocks
from tests.assessing import assess

KERNEL = """
__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict s, __global float *restrict d, __global const int *restrict at)
{
    __local float cube[65536];
    for (unsigned t = 0; t < 16384; t++) {
        #pragma unroll
        for (int k = 0; k < 4; k++)
            cube[t * 4 + k] = s[t * 4 + k];
    }
    for (unsigned t = 0; t < 16384; t++) {
        BODY
    }
}
"""
BY_HAND = "d[t] = cube[t * 4] + cube[t * 4 + 1] + cube[t * 4 + 2] + cube[t * 4 + 3];"
BY_PRAGMA = """float sum = 0.0f;
#pragma unroll
for (int k = 0; k < 4; k++) sum += cube[t * 4 + k];
d[t] = sum;"""


def kept(body: str) -> InBlocks:
    """How the array is kept."""
    (kernel,) = assess(KERNEL.replace("BODY", body), board="p520").kernels
    assert kernel.estimate.resources is not None
    (size,) = [p.of.size for p in kernel.estimate.resources.parts if isinstance(p.of, Array)]
    assert isinstance(size, InBlocks)
    return size


def test_neighbours_by_hand_are_wired_as_those_of_an_unrolled_loop() -> None:
    assert kept(BY_HAND) == kept(BY_PRAGMA)


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        (BY_HAND, 1),
        ("float a = cube[4 * t + 3]; float b = cube[4 * t + 2]; d[t] = a - b; d[t + 16384] = cube[4 * t] * a;", 2),
        ("d[t] = cube[t * 2] - cube[t * 2 + 1];", 1),
        ("d[t] = cube[t] - cube[t + 1];", 2),  # every other pair lies in two words
        ("d[t] = cube[t * 4] - cube[t * 4 + 2];", 2),
        ("float a = cube[t * 2]; cube[t * 2] = a + 1.0f; d[t] = a + cube[t * 2 + 1];", 2),  # a store between
        ("float a = cube[t * 2]; if (a > 0) d[t] = cube[t * 2 + 1];", 2),
        ("d[t] = cube[at[t]] + cube[at[t] + 1];", 2),
        ("int i = at[t]; d[t] = cube[2 * i] + cube[2 * i + 1];", 1),
    ],
)
def test_reads_that_a_block_serves_in_one_cycle(body: str, reads: int) -> None:
    assert kept(body).reads == reads
