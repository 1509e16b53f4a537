"""Atomics of which none takes the most, but all together do."""

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.verdict import decision, limit_line
from tests.assessing import assess

COUNTS = """
__kernel void counts(__global const uchar *restrict x, __global uint *restrict a, __global uint *restrict b,
                     __global uint *restrict c)
{
    __local uint own[256];
    int l = get_local_id(0);
    own[l] = x[64 * get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&a[l], own[255 - l]);
    atomic_add(&b[l], own[l ^ 1]);
    atomic_add(&c[l], own[l ^ 2]);
}
"""


def test_atomics_that_together_take_the_most_are_the_limit() -> None:
    assessment = assess(COUNTS, global_size=1 << 16, local_size=256)
    (kernel,) = assessment.kernels
    atomics = [u for u in kernel.estimate.units if u.lsu.op == "atomic"]
    # Each takes a third of the time.
    assert [round(u.share or 0.0, 1) for u in atomics] == [0.3, 0.3, 0.3]
    assert decision(assessment, kernel).limit.startswith("atomic-bound: atomic_add(&a[l]")
    assert "2 more take as much" in limit_line(assessment, kernel)


@pytest.mark.parametrize("group", [{"local_size": 256}, {}], ids=["given groups", "usual groups"])
def test_fewer_groups_spare_the_atomics_of_all_buffers(group: dict[str, int]) -> None:
    assessment = assess(COUNTS, global_size=1 << 16, **group)
    (kernel,) = assessment.kernels
    first = kernel.estimate.levers[0]
    assert first.change == "fewer_groups"
    # With one group in place of 256 next to nothing of them is left, and one finding says so.
    assert (first.after_s or 0.0) < 0.1 * (kernel.estimate.time_s or 0.0)
    assert [f.code for f in findings_of(assessment)].count("BL104") == 1
