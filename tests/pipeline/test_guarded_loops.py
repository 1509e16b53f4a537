"""Loops that not every work-item or iteration comes to: the time counts those that do."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.remarks import remark_text
from tests.assessing import assess

LED = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict in, __global float *restrict out)
{
    __local float row[1024];
    int l = get_local_id(0);
    if (%s)
        for (int i = 0; i < 1024; i++)
            row[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = row[l];
}
"""


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("l < 16", 1 / 4),
        ("(l & 1) == 0", 1 / 2),
        ("l >= 0", 1),
    ],
)
def test_a_loop_runs_for_the_work_items_that_come_to_it(condition: str, share: float) -> None:
    (kernel,) = assess(LED % condition, global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(65536 * 1024 * share / 400e6, rel=0.05)


@pytest.mark.parametrize(("condition", "groups"), [("l == 0", 1024), ("l == 0 && get_global_id(0) < 32768", 512)])
def test_a_loop_that_one_work_item_of_each_group_runs_waits_for_each_of_its_loads(condition: str, groups: int) -> None:
    # A barrier holds each group up, so that a few groups are there at a time, with one work-item each: four groups of
    # 64 fill a loop of a few hundred stages. An iteration ends when its load has come, after 100 cycles at least.
    (kernel,) = assess(LED % condition, global_size=[65536], f_max_mhz=400).kernels
    least = groups * 1024 * 100 / 4 / 400e6
    assert kernel.estimate.time_s is not None
    assert least < kernel.estimate.time_s < 4 * least


EVERY_FOURTH = """
__kernel void k(__global const float *restrict in, __global float *restrict out, int n)
{
    for (int r = 0; r < n; r++) {
        float sum = 0.0f;
        if (r % 4 == 0)
            for (int i = 0; i < 1000; i++)
                sum = max(sum, in[1000 * r + i]);
        out[r] = sum;
    }
}
"""


def test_a_loop_runs_in_the_iterations_that_come_to_it() -> None:
    (kernel,) = assess(EVERY_FOURTH, arguments={"n": 4000}, f_max_mhz=400).kernels
    rows = 1000
    assert kernel.estimate.time_s is not None
    assert rows * 1000 / 400e6 <= kernel.estimate.time_s < 2 * rows * 1000 / 400e6


def test_a_condition_that_data_decide_counts_as_holding() -> None:
    (kernel,) = assess(LED % "in[l] > 0.0f", global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(65536 * 1024 / 400e6, rel=0.05)


ARMS = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const float *restrict in, __global float *restrict out)
{
    int l = get_local_id(0);
    float sum = 0.0f;
    if (l < 32) {
        for (int i = 0; i < 1000; i++)
            sum += in[i];
    } else {
        for (int i = 0; i < 1000; i++)
            sum -= in[i];
    }
    out[get_global_id(0)] = sum;
}
"""


def test_loops_in_both_arms_of_a_branch_follow_each_other() -> None:
    (kernel,) = assess(ARMS, global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(65536 * 1000 / 400e6, rel=0.05)


FEW_IN_EITHER_ARM = ARMS.replace("if (l < 32) {", "if (l == 0) {").replace("} else {", "} else if (l == 1) {")


def test_arms_that_few_work_items_take_follow_each_other_for_those() -> None:
    (kernel,) = assess(FEW_IN_EITHER_ARM, global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(2 / 64 * 65536 * 1000 / 400e6, rel=0.05)


def test_groups_that_nobody_sizes_have_the_usual_size() -> None:
    def made(condition: str, **given: list[int]) -> KernelAssessment:
        text = (LED % condition).replace("__attribute__((reqd_work_group_size(64, 1, 1)))", "")
        return assess(text, global_size=[65536], f_max_mhz=400, **given).kernels[0]

    led = made("l == 0").estimate
    assert any("work-groups of 256 work-items are assumed" in remark_text(remark) for remark in led.remarks)
    # One work-item of each group is in the loop, and its next iteration begins when the last one has ended.
    assert led.time_s is not None
    assert led.time_s > 10 * 65536 / 256 * 1024 / 400e6
    assert led.time_s == pytest.approx(made("l == 0", local_size=[256]).estimate.time_s)
    text = LED.replace("__attribute__((reqd_work_group_size(64, 1, 1)))", "").replace(
        "barrier(CLK_LOCAL_MEM_FENCE);", ""
    )
    (alone,) = assess(text % "get_global_id(0) < 4096", global_size=[65536], f_max_mhz=400).kernels
    assert not any("work-groups" in remark_text(remark) for remark in alone.estimate.remarks)


TRANSFORMS = """
__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void transforms(__global const float *restrict in, __global float *restrict out)
{
    float a[8], b[8];
    int at = get_global_id(0);
    #pragma unroll
    for (int i = 0; i < 8; i++)
        a[i] = in[at + 4096 * i];
    for (int n = 0; n < 2; n++) {
        OPERATIONS
    }
    #pragma unroll
    for (int i = 0; i < 8; i++)
        out[at + 4096 * i] = b[i];
}
"""


@pytest.mark.parametrize(("operations", "copies"), [(20, 2), (60, 1)])
def test_a_loop_over_private_arrays_is_unrolled_unasked_where_its_text_is_short(operations: int, copies: int) -> None:
    lines = (f"b[{i % 8}] = a[{i % 8}] * {i}.5f + b[{(i + 3) % 8}];" for i in range(operations // 2))
    (kernel,) = assess(TRANSFORMS.replace("OPERATIONS", "\n".join(lines)), global_size=[4096]).kernels
    assert [loop.unroll for loop in kernel.estimate.loops][1] == copies


TWO_LOOPS = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global const int *restrict flag, __global const float *restrict in, __global float *restrict out)
{
    int r = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < 32; j++) {
        if (flag[j]) { // burstline: taken=31/32
            %s
            for (int i = 0; i < 16; i++)
                sum += in[i];
        } else {
            #pragma unroll 1
            for (int i = 0; i < %d; i++)
                sum -= in[i];
        }
    }
    out[r] = sum;
}
"""


@pytest.mark.parametrize("rare", [8, 64, 1024, 30000])
def test_arms_count_by_their_shares_and_trips(rare: int) -> None:
    (kernel,) = assess(TWO_LOOPS % ("#pragma unroll 1", rare), global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(65536 * (31 * 16 + rare) / 400e6, rel=0.02)


def test_a_loop_that_is_written_out_waits_for_no_other_arm() -> None:
    (kernel,) = assess(TWO_LOOPS % ("#pragma unroll", 8), global_size=[65536], f_max_mhz=400).kernels
    assert kernel.estimate.time_s == pytest.approx(65536 * 32 / 400e6, rel=0.05)
