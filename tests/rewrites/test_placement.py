"""Pointers in banks and channels of their own: the edit, and what the host has to do for it."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import Fix, fixes_of, offers_of
from burstline_server.words.edits import fix_title
from tests.assessing import assess, once

ROTATE = """// turns points
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void rotate(__global const float *restrict x, __global const float *restrict y,
                     __global float *restrict u, __global float *restrict v)
{
    const int i = get_global_id(0);
    u[i] = x[i] - y[i];
    v[i] = x[i] + y[i];
}
"""


@once
def fixes(text: str, **settings: object) -> list[Fix]:
    """Edits that pay for a large launch."""
    assessor, layers = Assessor(), [Layer("file", {"global_size": 32_768_000, **settings})]
    return fixes_of(assessor, assessor.assess(text, "rotate.cl", layers), layers)


def test_interleaved_banks_become_one_for_each_buffer() -> None:
    # At lower clocks the ring that all stores share is the limit, and banks gain nothing.
    (fix,) = [f for f in fixes(ROTATE, board="p520", f_max_mhz=480) if fix_title(f).startswith("Place")]
    assert fix.offer.kind == "host"
    after = fix.offer.applied(ROTATE.encode()).decode()
    interleaved, apart = (
        assess(t, board="p520", f_max_mhz=480, global_size=32_768_000).kernels[0].estimate for t in (ROTATE, after)
    )
    assert interleaved.time_s is not None
    assert apart.time_s is not None
    assert apart.time_s < interleaved.time_s
    comment = after.splitlines()[1]
    assert comment.startswith("// burstline: interleaving=off bank[x]=")
    assert after.splitlines()[2].startswith("__attribute__")
    assert {u.banks for u in interleaved.units} == {(0, 1, 2, 3)}
    assert {u.banks for u in apart.units} == {(0,), (1,), (2,), (3,)}
    assert [fix_title(f) for f in fixes(after, board="p520") if fix_title(f).startswith("Place")] == []
    assert "aoc -no-interleaving=default rotate.cl" in fix.offer.host
    assert {f"CL_CHANNEL_{n}_INTELFPGA" in fix.offer.host for n in (1, 2, 3, 4)} == {True}


@pytest.mark.parametrize("settings", [{"board": "s10gx_ddr4_1866"}, {"board": "p520", "interleaving": False}])
def test_banks_are_not_offered_without_several_interleaved_ones(settings: dict[str, object]) -> None:
    assert [fix_title(f) for f in fixes(ROTATE, **settings) if fix_title(f).startswith("Place")] == []


def test_channels_come_with_the_hosts_part() -> None:
    (fix,) = [f for f in fixes(ROTATE, board="s10mx_hbm2") if fix_title(f).startswith("Give x, y, u, v a channel each")]
    assert fix.offer.host.count("CL_MEM_HETEROGENEOUS_INTELFPGA") == 4
    assert "clSetKernelArg(rotate, 3, sizeof(cl_mem), &v);" in fix.offer.host


SHIFTED = """__kernel void shifted(__global const float *restrict x, __global float *restrict y, const int n)
{
    #pragma unroll 16
    for (int i = 0; i < n; i++)
        y[i + 3] = 2.0f * x[i + 3];
}
"""


def test_padded_results_are_read_from_behind_the_padding() -> None:
    found = Assessor().assess(SHIFTED, "k.cl", [Layer("file", {"arguments": {"n": 1 << 20}})])
    of = {o.title.names[0]: o.host for o in offers_of(found) if o.title.kind == "pad_by"}
    assert "clEnqueueWriteBuffer(queue, x, CL_TRUE, 52, " in of["x"]
    assert "clEnqueueReadBuffer" not in of["x"]
    assert "clEnqueueReadBuffer(queue, y, CL_TRUE, 52, " in of["y"]
    assert "any other kernel" in of["y"]
