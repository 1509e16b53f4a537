"""Look-ups in a table of the file: blocks of RAM for the table, and hardly anything for each look-up."""

from __future__ import annotations

import pytest

from tests.assessing import assess

LOOKED_UP = """
__constant uchar table[256] = {1, 2, 3};
__attribute__((max_global_work_dim(0)))
__kernel void looked_up(__global const uint *restrict a, __global uint *restrict o, int n)
{
    uint line[64] = {0};
    for (int i = 0; i < n; i++) {
        uint sum = 0;
        #pragma unroll
        for (int j = 0; j < 64; j++)
            sum += table[(line[j] ^ a[i]) & 255];
        o[i] = sum;
        #pragma unroll
        for (int j = 63; j > 0; j--)
            line[j] = line[j - 1];
        line[0] = a[i];
    }
}
"""


@pytest.mark.parametrize("board", ["s10gx_ddr4_1866", "pac_a10"])
def test_look_ups_in_a_small_table_take_few_blocks(board: str) -> None:
    # 64 reads in a cycle, from blocks of two ports: some 32 copies of the table in one block each.
    (kernel,) = assess(LOOKED_UP, board=board).kernels
    by_table = [p for p in kernel.estimate.resources.parts if p.array == "table"]
    assert 16 <= sum(p.amounts.rams for p in by_table) <= 32
    assert sum(p.amounts.rams for p in kernel.estimate.resources.parts) < 80
