"""Work-items of an NDRange kernel that are in different iterations of a loop: their requests do not join."""

from __future__ import annotations

import pytest

from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_server.words.changes import advice_text
from burstline_server.words.remarks import remark_text
from tests.assessing import assess

COLUMNS = """
__kernel void sums(__global float *in, __global float *out, int rows, int width)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    %s
    for (int k = 0; k < rows; k++) {
        sum += in[k * width + i];
        %s
    }
    out[i] = sum;
}
"""
LARGE = {"global_size": [65536], "local_size": [256], "arguments": {"rows": 64, "width": 65536}}
USED = 64 * 65536 * 4


def columns(text: str, **settings: object) -> UnitEstimate:
    """The load of the columns."""
    (kernel,) = assess(text, **settings).kernels
    return next(u for u in kernel.estimate.units if u.lsu.op == "load")


def test_neighbours_in_other_iterations_fetch_a_word_each() -> None:
    unit = columns(COLUMNS % ("", ""), **LARGE)
    assert unit.walk is not None
    assert unit.walk.in_turns
    assert unit.walk.fetched_bytes == 16 * USED


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (COLUMNS % ("", "barrier(CLK_LOCAL_MEM_FENCE);"), LARGE),
        (COLUMNS.replace("rows;", "64;") % ("#pragma unroll", ""), LARGE),
        (COLUMNS.replace("+ i]", "]") % ("", ""), {**LARGE, "arguments": {"rows": 64, "width": 8}}),
        (COLUMNS % ("", ""), {**LARGE, "global_size": [128], "local_size": [128]}),
    ],
    ids=["barrier", "unrolled", "all in one word", "few work-items"],
)
def test_neighbours_that_stay_together_share_words(text: str, settings: dict[str, object]) -> None:
    unit = columns(text, **settings)
    assert unit.walk is not None
    assert not unit.walk.in_turns


def test_groups_between_barriers_fill_a_loop_where_two_of_them_are_as_many_as_it_holds() -> None:
    waits = COLUMNS.replace("out[i] = sum;", "barrier(CLK_LOCAL_MEM_FENCE); out[i] = sum;") % ("", "")
    assert columns(waits, **LARGE).walk.in_turns  # type: ignore[union-attr]
    assert not columns(waits, **{**LARGE, "local_size": [64]}).walk.in_turns  # type: ignore[union-attr]


def test_it_is_said_what_keeps_them_together() -> None:
    (kernel,) = assess(COLUMNS % ("", ""), f_max_mhz=400, **LARGE).kernels
    change = kernel.estimate.levers[0].change
    assert type(change).__name__ in {"KeepTogether", "Widen"}
    assert any(type(one.change).__name__ == "KeepTogether" for one in kernel.estimate.levers)


def test_a_range_and_a_doubt_say_what_it_would_be_if_neighbours_stayed_together() -> None:
    settings = {**LARGE, "board": "s10gx_ddr4_1866", "f_max_mhz": 450}
    assessment = assess(COLUMNS % ("", ""), **settings)
    (kernel,) = assessment.kernels
    estimate = kernel.estimate
    assert estimate.limit == "memory"
    assert estimate.time_low_s is not None
    assert estimate.time_s is not None
    # Joined, the loop is the limit: 2^22 iterations at 450 MHz are 9.32 ms.
    assert estimate.time_low_s == pytest.approx((1 << 22) / 450e6, rel=0.02)
    # A word each: 268 MB through 14.9 GB/s are 18 ms at least, and words apart from each other reach no peak.
    assert 18e-3 < estimate.time_s < 2 * 18e-3
    (doubt,) = map(remark_text, estimate.remarks)
    assert "work-items in other iterations" in doubt
    assert "16× fewer bytes" in doubt


def test_a_condition_that_nobody_knows_leaves_the_doubt() -> None:
    text = COLUMNS.replace("for (int k", "if (i >= first) for (int k").replace("int width", "int width, int first")
    (kernel,) = assess(text % ("", ""), **LARGE).kernels
    doubts = list(map(remark_text, kernel.estimate.remarks))
    assert any("other iterations" in doubt and "16× fewer bytes" in doubt for doubt in doubts)


def test_work_items_that_stay_together_leave_no_doubt() -> None:
    assessment = assess(COLUMNS % ("", "barrier(CLK_LOCAL_MEM_FENCE);"), **LARGE)
    assert not any("other iterations" in remark_text(r) for r in assessment.kernels[0].estimate.remarks)


EDGES = """
__kernel void relax(__global const int *restrict first, __global const int *restrict edges, __global int *cost, int n)
{
    int i = get_global_id(0);
    for (int e = first[i]; e < first[i + 1]; e++) {
        int to = edges[e];
        if (cost[to] > cost[i] + 1)
            cost[to] = cost[i] + 1;
    }
}
"""


def test_what_a_work_item_loads_again_in_each_iteration_is_loaded_before_the_loop() -> None:
    """Neither a barrier nor whole unrolling is possible where data end the loop."""
    (kernel,) = assess(EDGES, global_size=[65536], local_size=[256], trips={5: 16}).kernels
    advice = [advice_text(one.change) for one in kernel.estimate.levers]
    assert "load cost[i] once, before the loop, unless it stores there" in advice
    assert not any("barrier" in one or "unroll the loop whole" in one for one in advice)


SUMS = """
__kernel void smooth(__global const float *restrict x, __global const float *w, __global float *y, int taps)
{
    int i = get_global_id(0);
    for (int k = 0; k < taps; k++)
        y[i] += w[k] * x[i];
}
"""


def test_what_a_work_item_stores_again_in_each_iteration_is_kept_in_a_variable() -> None:
    """It cannot be loaded before the loop alone: each iteration loads what the one before stored."""
    (kernel,) = assess(SUMS, global_size=[65536], local_size=[256], arguments={"taps": 64}).kernels
    advice = {advice_text(one.change): one.after_s for one in kernel.estimate.levers}
    kept = [after for text, after in advice.items() if text.startswith("keep y[i] in a private variable")]
    assert not any("y[i] once, before the loop" in text for text in advice)
    assert len(kept) == 1
    # What is left of y is loaded and stored once: the kernel is as fast as one with a sum in a variable.
    inside, outside = "y[i] += w[k] * x[i];", "sum += w[k] * x[i];"
    text = (
        SUMS.replace(inside, outside)
        .replace("    for", "    float sum = y[i];\n    for")
        .replace(outside, f"{outside}\n    y[i] = sum;")
    )
    (after,) = assess(text, global_size=[65536], local_size=[256], arguments={"taps": 64}).kernels
    assert kept[0] is not None
    assert kept[0] == pytest.approx(after.estimate.time_s, rel=0.3)
    # Promised apart, the compiler does it by itself.
    text = SUMS.replace("float *w", "float *restrict w")
    (apart,) = assess(text, global_size=[65536], local_size=[256], arguments={"taps": 64}).kernels
    assert not any("y[i] in a private variable" in advice_text(one.change) for one in apart.estimate.levers)
    assert apart.estimate.time_s == pytest.approx(after.estimate.time_s, rel=0.05)
