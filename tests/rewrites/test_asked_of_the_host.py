"""Edits that change how a kernel is launched: what they need of the kernel, and how the answer says so."""

from __future__ import annotations

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import offers_of, reach_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once

COUNT = """__kernel void count(__global const uint *restrict x, __global int *restrict h, __global int *restrict o)
{
    int i = get_global_id(0);
    atomic_inc(&h[x[i] >> 24]);
}
"""
CALLED = """__kernel void inner(__global const float *restrict x, __global float *restrict y, int w)
{
    int i = get_global_id(0), j = get_global_id(1);
    y[i * w + j] = x[i * w + j] * 2.0f;
}
"""
CALLER = """__kernel void outer(__global const float *restrict x, __global float *restrict y, int w)
{
    inner(x, y, w);
}
"""
STRIPS = """__kernel void product(__global const long *restrict x, __global long *restrict y, int n, int lo)
{
    long s = 3;
    for (int i = FIRST; i < n; i++)
        s *= x[i];
    y[0] = s;
}
"""
CHECKED = """__kernel void turn(__global const float *restrict x, __global const volatile int *restrict f,
                   __global float *restrict y, int n)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    if (i < n && j < n) {
        float v = x[i * n + j]OTHER;
        y[j * n + i] = v * 2.0f;
    }
}
"""


@once
def offered(text: str, kind: str, **settings: object) -> list[Offer]:
    done = Assessor().assess(text, "k.cl", [Layer("file", settings)])
    return [offer for offer in offers_of(done) if offer.title.kind.startswith(kind)]


def test_counting_in_local_memory_fixes_no_size_that_the_kernel_depends_on() -> None:
    (offer,) = offered(COUNT, "local_histogram", global_size=[512])
    assert "reqd_work_group_size(256, 1, 1)" in offer.edits[0].text
    assert "const size_t local_size[] = { 256 };" in offer.host
    assert reach_of(offer) == "host"
    asks = COUNT.replace("    atomic", "    o[get_group_id(0)] = 1;\n    atomic")
    assert offered(asks, "local_histogram", global_size=[512]) == []
    shared = COUNT.replace("int *restrict o)", "int *restrict o, __local int *t)")
    assert offered(shared, "local_histogram", global_size=[512]) == []
    # A group's size divides what is launched.
    (offer,) = offered(COUNT, "local_histogram", global_size=[1000])
    assert "reqd_work_group_size(8, 1, 1)" in offer.edits[0].text


def test_a_kernel_that_another_one_calls_keeps_its_launch() -> None:
    assert offered(CALLED, "exchange_ids", global_size=[4096, 4096], arguments={"w": 4096})
    assert offered(CALLED + CALLER, "", global_size=[4096, 4096], arguments={"w": 4096}) == []


def test_strips_begin_at_a_constant() -> None:
    (offer,) = offered(STRIPS.replace("FIRST", "2"), "sum_strips", arguments={"n": 1 << 20})
    assert "2 < n ? n - (n - 2) % " in offer.edits[0].text
    found = Assessor().assess(STRIPS.replace("FIRST", "lo"), "k.cl", [Layer("file", {"arguments": {"n": 1 << 20}})])
    said = [obstacle_text(r.reason) for r in refusals_of(found) if r.title.kind == "sum_strips"]
    assert said == ["its counter does not begin at a constant"]


def test_what_is_loaded_next_to_a_tile_stays_behind_its_condition() -> None:
    sizes = {"global_size": [1024, 1024], "arguments": {"n": 1024}}
    assert offered(CHECKED.replace("OTHER", ""), "transpose_tile", **sizes)
    assert offered(CHECKED.replace("OTHER", ", w = f[i]"), "transpose_tile", **sizes) == []


ADD = """__kernel void add(__global const float *restrict x, __global float *restrict y)
{
    y[get_global_id(0)] = x[get_global_id(0)] + 1.0f;
}
"""


def test_the_group_of_lanes_divides_what_is_launched() -> None:
    (offer,) = offered(ADD, "simd", global_size=[1000000])
    assert "reqd_work_group_size(64, 1, 1)" in offer.edits[0].text
    assert "num_simd_work_items(16)" in offer.edits[0].text
    assert offered(ADD, "simd", global_size=[999999]) == []
