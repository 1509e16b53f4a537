"""What a request at places that data decide asks for, what the memory moves for it, and that all parts say the same."""

import pytest

from burstline_model.estimate.changes import NoGather, Widen
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.diagnostics.reasons import Pays
from burstline_server.words.changes import advice_text
from tests.assessing import assess

GATHER = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const int *restrict at, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    float s = 0.0f;
    #pragma unroll
    for (int k = 0; k < WIDE; k++)
        s += x[STEP * at[i] + k];
    y[i] = s;
}
"""


def gathers(estimate: KernelEstimate) -> list[NoGather]:
    return [o.change for u in estimate.units for o in u.observations if isinstance(o.change, NoGather)]


@pytest.mark.parametrize(
    ("wide", "step", "asked", "moved"),
    [(1, 1, 4, 64), (4, 4, 16, 64), (16, 16, 64, 64), (16, 1, 64, 128), (3, 3, 12, 64)],
)
def test_a_gather_says_what_its_requests_ask_for(wide: int, step: int, asked: int, moved: int) -> None:
    text = GATHER.replace("WIDE", str(wide)).replace("STEP", str(step))
    estimate = assess(text, global_size=[1 << 22], f_max_mhz=2000, board="p385a").kernels[0].estimate
    found = gathers(estimate)
    if moved > asked:
        assert found
    for one in found:
        assert (one.request_bytes, one.moved_bytes) == (asked, moved)
        assert f"{moved} B for each {asked} B" in advice_text(one) or moved == asked


TWO_WIDTHS = """
__attribute__((reqd_work_group_size(64, 1, 1), num_simd_work_items(2)))
__kernel void k(__global const float4 *restrict x, __global float *restrict y, __global float *restrict z)
{
    int i = get_global_id(0);
    float4 v = x[i];
    y[i] = v.x + v.y;
    z[i] = v.z + v.w;
}
"""


def test_advice_and_finding_name_the_same_request() -> None:
    done = assess(TWO_WIDTHS, global_size=[1 << 22], f_max_mhz=100, board="p385a")
    (kernel,) = done.kernels
    said = [lever.change for lever in kernel.estimate.levers if isinstance(lever.change, Widen)]
    assert len(said) == 1
    (reason,) = [f.reason for f in findings_of(done) if f.code == "BL106"]
    assert isinstance(reason, Pays)
    assert reason.change == said[0]
