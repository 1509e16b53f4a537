"""Advice that the device and the code allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burstline_model.estimate.changes import (
    Change,
    HandOn,
    Ivdep,
    MoreCopies,
    MoreUnits,
    NeighboursInOrder,
    OwnArray,
    PrivateCopy,
    RowTile,
    Widen,
)
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.cli.main import main
from burstline_server.words.changes import action_text, change_text
from burstline_server.words.remarks import remark_text
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

TASK = """
__kernel {} void total(__global const float *restrict x, __global float *restrict y, int n) {{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}}
"""
TAPS = """
__kernel void taps(__global const float *restrict x, __global float *restrict y, __constant float *w) {
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 64; k++)
        sum += x[i + k] * w[k];
    y[i] = sum;
}
"""
SCALE = """
__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((num_simd_work_items(4)))
__kernel void scale(__global const float *restrict x, __global float *restrict y) {
    const int i = get_global_id(0);
    y[i] = 2.0f * x[i];
}
"""
LARGE = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void polynomials(__global const float *restrict x, __global float *restrict y) {
    const int i = get_global_id(0);
    float v = x[i];
    #pragma unroll
    for (int k = 0; k < 64; k++)
        v = v * v + (float)k / (v + 1.0f);
    y[i] = v;
}
"""


def estimate(text: str, **settings: Any) -> KernelEstimate:
    return assess(text, **settings).kernels[0].estimate


def advice(text: str, **settings: Any) -> str:
    return " | ".join(change_text(lever.change) for lever in estimate(text, **settings).levers)


def test_a_task_runs_on_one_of_its_compute_units() -> None:
    settings = {"arguments": {"n": 1 << 24}, "board": "a10_ref", "f_max_mhz": 250}
    one = estimate(TASK.format(""), **settings).time_s
    many = estimate(TASK.format("__attribute__((num_compute_units(16)))"), **settings).time_s

    assert one is not None
    assert many == pytest.approx(one)


def test_the_number_of_lanes_is_what_the_attribute_takes() -> None:
    text = advice(SCALE, global_size=[1 << 24], board="p520")

    assert "num_simd_work_items(16)" in text
    assert "num_simd_work_items(4)" not in text


def test_a_window_asks_for_a_step_of_it_anew() -> None:
    text = advice(
        """
__kernel void stencil(__global const float *restrict in, __global float *restrict out, const int n) {
    for (int i = 1; i < n - 1; i++)
        out[i] = in[i - 1] + in[i] + in[i + 1];
}
""",
        arguments={"n": 1 << 24},
    )

    assert text.startswith("4 B requests, 64 B words")


def test_the_members_of_a_structure_are_asked_for_together() -> None:
    text = advice(
        """
typedef struct { float x, y; } Point;
__kernel void sums(__global const Point *restrict points, __global float *restrict sum) {
    int i = get_global_id(0);
    sum[i] = points[i].x + points[i].y;
}
""",
        global_size=[1 << 20],
    )

    assert text.startswith("8 B requests, 64 B words")


@pytest.mark.parametrize(("group", "lanes"), [("256, 1, 1", 16), ("28, 4, 1", 4), ("18, 1, 1", 2)])
def test_the_number_of_lanes_divides_the_work_group(group: str, lanes: int) -> None:
    one_lane = SCALE.replace("256, 1, 1", group).replace(" __attribute__((num_simd_work_items(4)))", "")
    text = advice(one_lane, global_size=[28 * 36 * 1024, 4] if "4" in group else [28 * 36 * 4096], board="p520")

    assert f"num_simd_work_items({lanes})" in text


def test_lanes_that_would_not_divide_the_work_group_are_no_advice() -> None:
    odd = SCALE.replace("256, 1, 1", "27, 1, 1").replace(" __attribute__((num_simd_work_items(4)))", "")

    assert "num_simd_work_items" not in advice(odd, global_size=[27 * 65536], board="p520")


def test_lanes_that_the_device_cannot_hold_are_no_advice() -> None:
    settings = {"global_size": [1 << 22], "board": "de1soc"}

    assert estimate(LARGE, **settings).resources.utilisation["logic_alms"] > 0.5
    assert "num_simd_work_items" not in advice(LARGE, **settings)


def test_a_kernel_larger_than_its_device_says_so() -> None:
    large = LARGE.replace("k < 64", "k < 1024")

    assert any(
        "does not fit" in remark_text(remark)
        for remark in estimate(large, global_size=[1 << 22], board="de1soc").remarks
    )
    assert not any(
        "fit" in remark_text(remark) for remark in estimate(SCALE, global_size=[1 << 22], board="p520").remarks
    )


def test_work_items_share_a_tile_and_no_shift_register() -> None:
    text = advice(TAPS, global_size=[1 << 20], board="a10_ref")

    assert "shift register" not in text
    assert "tile of x" in text


SUM = """__kernel void sum(__global const float *restrict x, __global float *restrict y, int n)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += x[i];
    y[0] = s;
}
"""


def test_a_wider_loop_is_advised_with_the_time_of_the_edited_kernel() -> None:
    """Unrolling the sum as it is makes each iteration wait for sixteen additions in a row."""
    settings: dict[str, Any] = {"arguments": {"n": 1 << 20}}
    (kernel,) = assess(SUM, **settings).kernels
    lever = kernel.estimate.levers[0]
    assert action_text(lever.change) == "unroll the loop by 16, with 16 partial results of s"
    assert lever.after_s is not None
    assert kernel.estimate.time_s is not None
    assert lever.after_s < kernel.estimate.time_s
    unrolled = SUM.replace("    for", "    #pragma unroll 16\n    for")
    assert (assess(unrolled, **settings).kernels[0].estimate.time_s or 0) > kernel.estimate.time_s
    copy = SUM.replace("s += x[i];", "y[i] = x[i];")
    (plain,), (wide,) = (assess(t, **settings).kernels for t in (copy, unrolled.replace("s += x[i];", "y[i] = x[i];")))
    assert action_text(plain.estimate.levers[0].change) == "unroll the loop by 16"
    assert plain.estimate.levers[0].after_s == pytest.approx(wide.estimate.time_s)


@pytest.mark.parametrize(("trips", "factor"), [("5", 5), ("24", 24), ("128", 64), ("n", 16)])
def test_an_advised_factor_leaves_no_iterations_over(trips: str, factor: int) -> None:
    """Work-items wait for a loop on the chip; 64 copies at most, and sixteen where nobody fixes the count."""
    text = f"""
    __kernel void k(__global float *restrict y, int n)
    {{
        int i = get_global_id(0);
        float p = 1.0f;
        #pragma unroll 1
        for (int j = 0; j < {trips}; j++)
            p = p * 0.5f + i;
        y[i] = p;
    }}
    """
    (kernel,) = assess(text, global_size=[1 << 20], arguments={"n": 64}).kernels
    assert kernel.estimate.levers[0].copies == factor


CARRIED = """
__kernel void carried(__global const float *restrict a, __global const int *restrict next, __global float *restrict b,
                      int n, float x) {{
    float s = 1.0f;
    int p = 0;
    for (int i = 0; i < n; i++)
        {};
    b[p] = s;
}}
"""
PARTIAL, FOLLOWED = "partial results", "local memory"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("s *= a[i]", PARTIAL),
        ("s = s * x + a[i]", None),
        ("s = 0.5f * (s + a[i] / s)", None),
        ("p = next[p]", FOLLOWED),
        ("p = next[p] + i", FOLLOWED),
    ],
)
def test_partial_results_are_advised_where_their_order_does_not_matter(body: str, said: str | None) -> None:
    found = estimate(CARRIED.format(body), arguments={"n": 1 << 20, "x": 2})

    assert found.limit == "dependence"
    assert [word for word in (PARTIAL, FOLLOWED) for lever in found.levers if word in change_text(lever.change)] == (
        [said] if said else []
    )


def test_a_kernel_far_shorter_than_its_launch_gets_no_advice() -> None:
    text = "__kernel void first(__global float *restrict y) { if (get_global_id(0) == 0) y[0] = 1.0f; }"
    short, long = (estimate(text, global_size=size) for size in ((16,), (1 << 24,)))
    assert (short.advice, short.levers) == ((), ())
    assert any("launch" in remark_text(remark) for remark in short.remarks)
    assert long.advice
    assert not any("launch takes" in remark_text(remark) for remark in long.remarks)


ENDED_BY_DATA = """
__kernel void ends(__global const char *restrict text, __global int *restrict length)
{
    int at = get_global_id(0) * 4096, n = 0;
    while (text[at] != '}') {
        n += text[at] == ',';
        at++;
    }
    length[get_global_id(0)] = n;
}
"""


def test_a_loop_that_data_end_is_not_unrolled() -> None:
    (ended,) = assess(ENDED_BY_DATA, global_size=[65536], trips={"5": 100}).kernels
    assert not any("unroll" in change_text(lever.change) for lever in ended.estimate.levers)
    counted = ENDED_BY_DATA.replace("text[at] != '}'", "at < last").replace("n = 0;", "n = 0, last = at + 100;")
    (other,) = assess(counted, global_size=[65536]).kernels
    assert any("unroll" in change_text(lever.change) for lever in other.estimate.levers)


def test_narrow_requests_are_not_the_reason_for_lanes_where_a_loop_on_the_chip_takes_the_time() -> None:
    text = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mixed(__global const float *restrict x, __global float *restrict y) {
    __local float tile[256];
    const int i = get_global_id(0), l = get_local_id(0);
    tile[l] = x[i];
    for (int r = 0; r < 64; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += tile[255 - l];
    }
    y[i] = tile[l];
}
"""
    assert "B requests, " not in advice(text, global_size=1 << 20, board="a10_ref")
    assert "B requests, " in advice(
        SCALE.replace("num_simd_work_items(4)", "num_simd_work_items(1)"), global_size=1 << 20
    )


COLLAPSED = """
__kernel void collapsed(__global const float *restrict a, __global float *restrict b, int width, long trips)
{
    int x = 0, row = 0;
    for (long i = 0; i < trips; i++) {
        #pragma unroll
        for (int v = 0; v < 8; v++)
            if (row + x + v < width) b[row + x + v] = a[row + x + v];
        x = (x + 8) & 511;
        if (x == 0) row += 510;
    }
}
"""


def test_counters_have_no_partial_results() -> None:
    found = estimate(COLLAPSED, board="pac_a10", arguments={"width": 1 << 22, "trips": 1 << 19})
    assert not [lever for lever in found.levers if PARTIAL in change_text(lever.change)]


SUMS = """__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sums(__global const float *restrict x, __global float *restrict y)
{
    __local float t[256];
    int l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s /= 2) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[get_group_id(0)] = t[0];
}
"""


def test_no_copies_are_advised_of_a_loop_whose_passes_a_barrier_keeps_apart() -> None:
    (kernel,) = assess(SUMS, global_size=1 << 20).kernels
    assert kernel.estimate.limit == "pipeline"
    assert all(lever.copies < 2 for lever in kernel.estimate.levers)


BARRIER = """
__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void rounds(__global float *restrict y)
{
    __local float tile[8];
    int i = get_local_id(0);
    tile[i] = y[get_global_id(0)];
    for (int r = 0; r < 64; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[i] = sqrt(tile[7 - i]);
    }
    y[get_global_id(0)] = tile[i];
}
"""
TRANSPOSE = """
__kernel void transpose(__global const float *restrict in, __global float *restrict out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}
"""
REST = """
__kernel void scale(__global const float *restrict x, __global float *restrict y, int from, int to)
{
    for (int i = from; i < to; i++)
        y[i] = 2.0f * x[i];
}
"""


def test_a_loop_with_a_barrier_is_given_more_compute_units() -> None:
    estimate = assess(BARRIER, kernels={"rounds": {"global_size": [65536]}}).kernels[0].estimate
    first = estimate.levers[0]
    assert isinstance(first.change, MoreUnits)
    assert first.change.units > 1
    assert first.after_s is not None
    assert estimate.time_s is not None
    written = BARRIER.replace("((reqd", f"((num_compute_units({first.change.units}), reqd")
    assert assess(written, kernels={"rounds": {"global_size": [65536]}}).kernels[0].estimate.time_s == pytest.approx(
        first.after_s, rel=0.02
    )


def test_a_transpose_is_given_a_tile_with_the_time_after_it() -> None:
    estimate = (
        assess(TRANSPOSE, kernels={"transpose": {"global_size": [2048, 2048], "arguments": {"n": 2048}}})
        .kernels[0]
        .estimate
    )
    first = estimate.levers[0]
    assert first.change == RowTile(pointer="out", op="store")
    assert first.after_s is not None
    assert estimate.time_s is not None
    assert first.after_s < 0.6 * estimate.time_s
    assert not any(isinstance(lever.change, NeighboursInOrder) for lever in estimate.levers)


def test_a_loop_is_to_be_unrolled_by_one_factor() -> None:
    done = assess(REST, kernels={"scale": {"arguments": {"from": 0, "to": 1 << 20}}})
    factors = set()
    for lever in done.kernels[0].estimate.levers:
        by = lever.change.by if isinstance(lever.change, Widen) else lever.change
        factors |= {by.copies} if isinstance(by, MoreCopies) else set()
    assert len(factors) == 1


COPIED_NEST = """
__attribute__((max_global_work_dim(0)))
__kernel void rows(__global const int *restrict x, __global int *restrict y)
{{
    #pragma unroll 2
    for (int row = 0; row < 64; row++)
        {}
        for (int i = 0; i < 1024; i++)
            y[1024 * row + i] = x[1024 * row + i];
}}
"""


def test_units_of_copies_of_a_nest_become_wider_with_the_loop_that_walks_along_the_row() -> None:
    first = assess(COPIED_NEST.format("")).kernels[0].estimate.levers[0]
    assert isinstance(first.change, Widen)
    assert first.change.by == MoreCopies(copies=16)
    unrolled = assess(COPIED_NEST.format("#pragma unroll 16")).kernels[0].estimate
    assert unrolled.time_s == pytest.approx(first.after_s, rel=0.02)
    assert not any(isinstance(lever.change, Widen) for lever in unrolled.levers)


FILTERED = """
__attribute__((max_global_work_dim(0)))
__kernel void filtered(__global const float *restrict x, __global float *restrict y, float a)
{
    for (int i = 1; i < 65536; i++)
        y[i] = a * y[i - 1] + x[i];
}
"""
IN_REGISTER = """
__attribute__((max_global_work_dim(0)))
__kernel void filtered(__global const float *restrict x, __global float *restrict y, float a)
{
    float before = y[0];
    for (int i = 1; i < 65536; i++) {
        before = a * before + x[i];
        y[i] = before;
    }
}
"""
SUMMED = """
__attribute__((max_global_work_dim(0)))
__kernel void summed(__global const float *restrict x, __global float *restrict y)
{
    for (int row = 0; row < 1024; row++) {
        y[row] = 0.0f;
        for (int k = 0; k < 64; k++) {
            #pragma unroll
            for (int c = 0; c < 8; c++)
                y[row] += x[512 * row + 8 * k + c];
        }
    }
}
"""
TWO_STEPS = """
__attribute__((max_global_work_dim(0)))
__kernel void steps(__global const float *restrict x, __global float *restrict t, __global float *restrict y)
{
    for (int k = 0; k < 64; k++) {
        for (int i = 0; i < 4096; i++)
            t[i] = x[4096 * k + i] * 2.0f;
        for (int i = 0; i < 4096; i++)
            y[4096 * k + i] = t[4095 - i];
    }
}
"""


def test_a_value_taken_out_of_memory_still_goes_through_its_operations() -> None:
    estimate = assess(FILTERED).kernels[0].estimate
    first = estimate.levers[0]
    assert first.change == HandOn(element="y[i]")
    made = assess(IN_REGISTER).kernels[0].estimate
    assert (made.loops[0].ii or 0) > 1
    assert first.after_s == pytest.approx(made.time_s, rel=0.1)


def test_a_sum_that_is_kept_in_a_register_is_to_be_split_and_not_kept_once_more() -> None:
    estimate = assess(SUMMED).kernels[0].estimate
    assert estimate.limit == "dependence"
    assert [lever.change for lever in estimate.levers][:1] == ["partial_results"]


def test_what_one_inner_loop_stores_for_another_gets_an_array_of_its_own() -> None:
    levers = assess(TWO_STEPS).kernels[0].estimate.levers
    assert OwnArray(pointer="t", loop="k") in [lever.change for lever in levers]
    assert not any(isinstance(lever.change, HandOn) for lever in levers)


HEAD = """__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void k(__global float *restrict q, const float f, const int j, const int k, const int n)
"""


@pytest.mark.parametrize(
    ("body", "change", "has_time"),
    [
        ("q[i * 64 + j] = q[i * 64 + j] - f * q[i * 64 + k];", Ivdep(pointer="q"), True),
        ("q[i * j] = q[i * k] * f;", Ivdep(pointer="q"), True),
        ("q[i + n] = q[i + k] * f;", Ivdep(pointer="q"), True),
        ("q[i + 1] = q[i] * f;", HandOn(element="q[i + 1]"), True),
        ("q[i] = q[k] * f;", Ivdep(pointer="q"), True),
        ("q[i] = q[2 * i] * f;", PrivateCopy(pointer="q", bins=False), False),
        ("for (int c = 0; c < 8; c++) q[i + c] = q[i + c + 1] * f;", PrivateCopy(pointer="q", bins=False), False),
        ("for (int c = 0; c < 8; c++) { q[i + c] = f; q[n + c] = q[i + c + 2]; }", None, False),
    ],
)
def test_an_element_is_handed_on_only_over_a_distance_that_is_known(
    body: str, change: Change | None, *, has_time: bool
) -> None:
    text = f"{HEAD}{{\n    for (int i = 1; i < 4096; i++) {{\n        {body}\n    }}\n}}\n"
    estimate = assess(text).kernels[0].estimate
    levers = [one for one in estimate.levers if one.loop == 0]
    if change is None:
        assert not any(isinstance(one.change, HandOn | Ivdep) for one in levers)
        return
    assert levers[0].change == change
    assert (levers[0].after_s is not None) == has_time


def test_what_may_or_may_not_come_again_is_not_to_be_kept_in_a_variable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Column j is stored, column k is read: no element is used again unless they are the same column."""
    path = tmp_path / "column.cl"
    path.write_text(
        HEAD + "{\n    for (int m = 0; m < 4096; m++)\n        q[m * 64 + j] = q[m * 64 + j] - f * q[m * 64 + k];\n}\n"
    )
    main(["check", str(path)])
    said = capsys.readouterr().out
    assert "private variable" not in said
    (advice,) = [line for line in said.splitlines() if line.strip().startswith("do:")]
    assert "#pragma ivdep array(q)), if none loads what an earlier one stored to q: " in advice
    # The time is that of the text with the pragma.
    promised = assess(path.read_text()).kernels[0].estimate.levers[0].after_s
    made = assess(path.read_text().replace("    for", "    #pragma ivdep array(q)\n    for")).kernels[0].estimate
    assert made.time_s == pytest.approx(promised, rel=0.01)


def test_no_time_is_promised_for_a_copy_of_what_certainly_comes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "smooth.cl"
    path.write_text(HEAD + "{\n    for (int i = 0; i < 4096; i++)\n        q[i] = q[2 * i] * f;\n}\n")
    main(["check", str(path)])
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "do: keep a private copy of q in local memory, written out once after the loop" in said
    (finding,) = [line for line in said if "BL401" in line]
    assert "→" not in finding


UNROLLED = """
__kernel void scale(__global const float *restrict x, __global float *restrict y, int n)
{
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i];
}
"""


def test_copies_count_in_what_a_narrow_request_asks_for() -> None:
    text = advice(UNROLLED, board="de5net", arguments={"n": 1 << 20})
    assert text.startswith("16 B requests, 64 B words")


TRIANGLE = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void triangle(__global const float *restrict x, __global float *restrict y)
{
    __local float s[64];
    int t = get_local_id(0);
    s[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < i; j++)
            sum += s[j] * s[i];
    y[get_global_id(0)] = sum;
}
"""


def test_the_time_of_a_work_item_is_that_of_its_loops() -> None:
    (kernel,) = assess(TRIANGLE, board="s10gx_ddr4_1866").kernels
    estimate = kernel.estimate
    assert estimate.time_item_s is not None
    # 64 · 63 / 2 iterations of the inner loop, one a cycle.
    assert estimate.time_item_s * estimate.f_max_hz == pytest.approx(2016, rel=0.01)


STEP = """
__kernel void step(__global const int *restrict edges, __global int *restrict cost, int from, int n)
{
    for (int i = 0; i < n; i++)
        cost[edges[i]] = cost[from] + 1;
}
"""


def test_a_load_that_stays_is_made_before_the_loop() -> None:
    text = advice(STEP, arguments={"n": 1 << 20})
    assert text.startswith("load cost[from] once, before the loop, unless it stores there")
    moves = advice(STEP.replace("cost[from]", "cost[i]"), arguments={"n": 1 << 20})
    assert "once, before the loop" not in moves


GATHERS = """
__kernel void flux(__global const int *restrict at, __global const float *restrict u, __global const float *restrict v,
                   __global const float *restrict w, __global float *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        int k = at[i];
        out[i] = u[k] * v[k] - w[k];
    }
}
"""


def test_gathers_from_the_same_places_become_one() -> None:
    text = advice(GATHERS, arguments={"n": 1 << 20})
    assert "keep u, v and w in one array of structures" in text
    # One that is also read elsewhere stays by itself.
    assert "keep v and w in one" in advice(
        GATHERS.replace("- w[k]", "- w[k] + u[at[n - 1 - i]]"), arguments={"n": 1 << 20}
    )


BORDERS = """
__kernel void smooth(__global const float *restrict field, __global float *restrict out, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int i = c + r * columns;
            int up = r == 0 ? 0 : -columns, left = c == 0 ? 0 : -1, right = c == columns - 1 ? 0 : 1;
            out[i] = field[i] + field[i + up] + field[i + left] + field[i + right];
        }
}
"""


def test_a_window_lets_copies_share_a_request() -> None:
    text = advice(BORDERS, board="de5net", arguments={"rows": 8000, "columns": 8000})
    assert text.startswith("keep the neighbours in field in a shift register, and unroll the loop by ")
    # What is stored to while it is read cannot be kept in one.
    stored = BORDERS.replace("out[i] = ", "field[i] = out[i] = ").replace(
        "const float *restrict field", "float *restrict field"
    )
    assert "the neighbours in field" not in advice(stored, board="de5net", arguments={"rows": 8000, "columns": 8000})


CROSS = """
__kernel void cross(__global const float *restrict field, __global float *restrict out)
{
    for (int r = 1; r < 1023; r++)
        for (int c = 1; c < 1025; c++) {
            int i = r * 1026 + c;
            out[i] = field[i] + field[i - 1] + field[i + 1] + field[i - 1026] + field[i + 1026];
        }
}
"""


def test_neighbours_in_several_rows_come_through_one_unit() -> None:
    """Each element once: 2 x 4.2 MB at 15 GB/s take 0.56 ms, and the pipeline of 16 copies less."""
    text = advice(CROSS)
    assert text.startswith("keep the neighbours in field in a shift register, and unroll the loop by ")
    (lever, *_) = assess(CROSS).kernels[0].estimate.levers
    assert lever.after_s == pytest.approx(0.6e-3, rel=0.1)


def test_a_loop_that_is_to_stay_rolled_gets_the_window_alone() -> None:
    rolled = CROSS.replace("        for (int c", "        #pragma unroll 1\n        for (int c")
    assert "use a shift register (sliding window) of 2053 elements: each element of field" in advice(rolled)


def test_rows_that_no_device_holds_get_no_window() -> None:
    wide = CROSS.replace("1026", "100000000").replace("1025", "100000001").replace("r < 1023", "r < 3")
    assert "shift register" not in advice(wide)


ROWS_OF_WORDS = """
__kernel void mark(__global char *restrict out)
{
    out[get_global_id(0) * 64] = 1;
}
"""


def test_words_that_are_not_used_up_are_not_called_full() -> None:
    for group in ([1], [256]):
        text = advice(ROWS_OF_WORDS, global_size=[1 << 16], local_size=group)
        assert "every fetched word is used" not in text, group


WINDOW_OF_ITEMS = """
__attribute__((reqd_work_group_size(1024, 1, 1)))
__kernel void smooth(__global float *w, __global int *red, __global int *green, __global int *blue,
                     __global float *out)
{
    int i = get_global_id(0), row = i / 32, column = i % 32;
    for (int f = 0; f < 32; f++) {
        float sum = 0;
        for (int r = row - 2; r <= row + 2; r++)
            for (int c = column - 2; c <= column + 2; c++) {
                int down = r - row + 2, right = c - column + 2;
                int at = right - 2 + row * 32 + column + (down - 2) * 32;
                if (r < 0 || c < 0 || c > 31 || r > 31)
                    sum += 0;
                else
                    sum += red[at] * w[50 * f + down * 5 + right] + green[at] * w[50 * f + 25 + down * 5 + right] +
                           blue[at] * w[3 * f];
            }
        out[f * 1024 + i] = sum;
    }
}
"""


def test_a_window_that_slides_by_an_element_cannot_start_on_aligned_addresses() -> None:
    (kernel,) = assess(WINDOW_OF_ITEMS, global_size=[1 << 10]).kernels
    every = [change_text(lever.change) for lever in kernel.estimate.levers]
    assert any("with its border in local memory" in text for text in every)
    assert not any("aligned addresses" in text for text in every)


TOO_MANY = """
__kernel void products(__global const double *restrict x, __global double *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        double p = 1.0;
        #pragma unroll
        for (int k = 0; k < 4096; k++)
            p = p * x[i] + y[i];
        y[i] = p;
    }
}
"""


def test_a_kernel_that_does_not_fit_is_to_use_less() -> None:
    text = advice(TOO_MANY, arguments={"n": 1 << 20})
    assert text.startswith("it does not fit the device: unroll less")
    assert "not fit" not in advice(TOO_MANY.replace("4096", "16"), arguments={"n": 1 << 20})


def test_what_the_iteration_before_stored_is_kept_on_chip_over_all_iterations() -> None:
    """An array of each iteration's own would lose it."""
    text = """
__kernel void relax(__global float *restrict a, __global float *restrict b, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < 1023; x++)
            b[x] = 0.25f * (a[x - 1] + a[x + 1]);
        for (int x = 1; x < 1023; x++)
            a[x] = b[x];
    }
}
"""
    lines = lever_lines(assess(text, arguments={"steps": 1000}).kernels[0], 5)
    assert [line for line in lines if "of a in" in line or "place of" in line] == [
        "keep a private copy of a in local memory, written out once after the loop"
    ]


def test_no_promise_is_advised_of_what_data_have_copied_from_just_before() -> None:
    """Each token says how far back its letters are: a promise that they were not stored just now is seldom true."""
    text = """
__kernel void unpack(__global const ushort2 *restrict token, __global uchar *restrict out, int n)
{
    int at = 0;
    for (int t = 0; t < n; t++) {
        ushort2 one = token[t];
        for (int k = 0; k < one.y; k++) {
            out[at] = out[at - BACK];
            at++;
        }
    }
}
"""
    (chosen,) = assess(text.replace("BACK", "one.x"), arguments={"n": 1000}).kernels
    shown = chosen.at_assumed or chosen
    assert shown.estimate.levers[0].change == PrivateCopy(pointer="out", bins=False)
    (given,) = assess(text.replace("BACK", "n"), arguments={"n": 1000}).kernels
    shown = given.at_assumed or given
    assert not any(isinstance(lever.change, PrivateCopy) for lever in shown.estimate.levers)


def test_a_buffer_that_is_too_large_for_the_chip_is_not_kept_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The steps stay one after the other; requests of whole words make each of them faster."""
    path = tmp_path / "relax.cl"
    path.write_text("""
__kernel void relax(__global float *restrict a, __global float *restrict b, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int x = 1; x < n - 1; x++)
            b[x] = 0.25f * (a[x - 1] + a[x + 1]);
        for (int x = 1; x < n - 1; x++)
            a[x] = b[x];
    }
}
""")
    main(["check", "--arg", "n=1048576", "--arg", "steps=10", str(path)])
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert not any("private copy" in line for line in said)
    assert any(line.startswith("do: 4 B requests, 64 B words: unroll the loop by 16") for line in said)
    (finding,) = [line for line in said if "BL401" in line]
    assert "→" not in finding  # no known change makes the steps overlap


PASSES = """
__kernel void clean(__global float *restrict r, __global const float *restrict s, int n, float t)
{
    float m = 1.0f;
    for (int it = 0; it < n && m > t; it++) {
        for (int i = 0; i < LENGTH; i++)
            r[i] -= m * s[i];
        m = r[0];
        for (int i = 1; i < LENGTH; i++)
            if (r[i] > m)
                m = r[i];
    }
    r[0] = m;
}
"""


@pytest.mark.parametrize(("length", "hands_on"), [(1024, True), (1 << 21, False)])
def test_no_array_of_millions_is_handed_on_in_registers(length: int, *, hands_on: bool) -> None:
    text = advice(PASSES.replace("LENGTH", str(length)), arguments={"n": 512})
    assert ("keep r[i] in a private variable" in text) == hands_on


MASKED = """
__kernel void k(__global const float4 *restrict table, __global const uint *restrict at,
                __global float4 *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = table[at[i] & MASK];
}
"""


@pytest.mark.parametrize(("mask", "whole"), [("0xffu", True), ("0x7fffffffu", False)])
def test_no_more_is_copied_than_the_chip_holds(mask: str, *, whole: bool) -> None:
    text = advice(MASKED.replace("MASK", mask), arguments={"n": 1 << 20})
    assert ("all that indices reach" in text) == whole
    assert "34.4 GB" not in text
