"""Loops that not all work-items of a group run alike: lanes, and groups one after the other."""

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.unread import unread_text
from tests.assessing import assess

KERNEL = """
__attribute__((reqd_work_group_size({group}, 1, 1))) {lanes}
__kernel void k(__global const float *restrict x, __global float *restrict z, int n) {{
    __local float t[{group}];
    const int i = get_global_id(0), l = get_local_id(0);
    {condition}
    t[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    {pragma}
    for (int j = 0; j < {trips}; j++) s = s * 0.5f + t[l ^ j];
    barrier(CLK_LOCAL_MEM_FENCE);
    z[i] = s;
}}
"""
LEAVES = "if (i >= n) return;"
LANES = "__attribute__((num_simd_work_items(4)))"
ITEMS = 1 << 16


def done(
    condition: str = "", *, lanes: str = "", group: int = 8, pragma: str = "#pragma unroll 1", trips: str = "32"
) -> Assessment:
    text = KERNEL.format(condition=condition, lanes=lanes, group=group, pragma=pragma, trips=trips)
    return assess(text, board="de5net", f_max_mhz=200, global_size=[ITEMS], arguments={"n": ITEMS})


@pytest.mark.parametrize(
    ("condition", "pragma", "trips", "lanes"),
    [
        ("", "#pragma unroll 1", "32", 4),
        (LEAVES, "#pragma unroll 1", "32", 1),
        (LEAVES, "#pragma unroll", "32", 4),  # no loop is left behind the condition
        ("if (n < 3) return;", "#pragma unroll 1", "32", 4),  # all work-items leave or none
        ("if (get_group_id(0) > n) return;", "#pragma unroll 1", "32", 4),
        ("", "#pragma unroll 1", "l", 1),
        ("", "#pragma unroll 1", "n", 4),
    ],
)
def test_a_loop_that_keeps_work_items_apart_takes_their_lanes(
    condition: str, pragma: str, trips: str, lanes: int
) -> None:
    (kernel,) = done(condition, lanes=LANES, pragma=pragma, trips=trips).kernels
    assert kernel.facts.simd == lanes
    found = [r for r in kernel.facts.remarks if "num_simd_work_items(4) has no effect" in unread_text(r.kind, r.names)]
    assert bool(found) == (lanes == 1)


def time_s(condition: str, group: int) -> float:
    (kernel,) = done(condition, group=group).kernels
    assert kernel.estimate.time_s is not None
    return kernel.estimate.time_s


def test_small_groups_take_turns_in_a_loop_that_some_work_items_pass_by() -> None:
    assert time_s("", 2) == pytest.approx(time_s("", 64), rel=0.05)
    assert time_s(LEAVES, 2) == pytest.approx(4 * time_s(LEAVES, 8), rel=0.05)
    assert time_s(LEAVES, 2) > 4 * time_s("", 2)
    assert time_s(LEAVES, 1024) == pytest.approx(time_s("", 1024), rel=0.2)


@pytest.mark.parametrize(
    ("lanes", "group", "model"), [(1, 1, "single_work_item"), (1, 2, "ndrange"), (2, 2, "ndrange")]
)
def test_one_lane_makes_no_work_items_of_a_task(lanes: int, group: int, model: str) -> None:
    text = f"__attribute__((num_simd_work_items({lanes})))\n__attribute__((reqd_work_group_size({group}, 1, 1)))\n"
    (kernel,) = assess(text + "__kernel void k(__global int *z) { for (int i = 0; i < 9; i++) z[i] = i; }").kernels
    assert kernel.facts.model == model


@pytest.mark.parametrize(("flags", "slower"), [([], True), (["-fp-relaxed"], False)])
def test_few_work_items_wait_for_an_unrolled_sum(flags: list[str], *, slower: bool) -> None:
    text = (
        "__kernel void k(__global const float *restrict x, __global float *restrict z, int n) {{\n"
        "    int i = get_global_id(0); float c[32];\n"
        "    #pragma unroll\n"
        "    for (int j = 0; j < 32; j++) c[j] = j;\n"
        "    for (int t = 0; t < n; t++) {{\n"
        "        float s = 0;\n"
        "        #pragma unroll\n"
        "        for (int j = 0; j < {0}; j++) s += c[j] * x[i * n + t];\n"
        "        z[i * n + t] = s;\n"
        "    }}\n"
        "}}\n"
    )
    times = []
    for copies in (2, 32):
        (kernel,) = assess(
            text.format(copies), board="de5net", f_max_mhz=200, global_size=[4], arguments={"n": 4096}, aoc_flags=flags
        ).kernels
        assert kernel.estimate.time_s is not None
        times.append(kernel.estimate.time_s)
    assert (times[1] > 2 * times[0]) == slower
