"""What limits a kernel."""

import re

import pytest

from burstline_model.estimate.changes import NoAlias
from burstline_server.cli.text import text
from burstline_server.quantities import time_text
from burstline_server.words.changes import action_text
from burstline_server.words.loop_terms import term_text
from burstline_server.words.verdict import OVERLAPS, headline, limit_line, other_terms, time_line, visible_share_text
from tests.assessing import assess

COPY = """{attributes}
__kernel void copy(__global const float *restrict x, __global float *restrict y)
{{
    const int i = get_global_id(0);
    y[i] = x[i];
}}
"""
WIDE = "__attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))"


@pytest.mark.parametrize(
    ("attributes", "f_max_mhz", "bound"),
    [("", 480, "kernel"), (WIDE, 480, "memory"), (WIDE, 60, "kernel")],
    ids=["a word of 4 B a cycle", "whole words", "a slow clock"],
)
def test_the_memory_or_the_kernels_own_clock(attributes: str, f_max_mhz: float, bound: str) -> None:
    (kernel,) = assess(COPY.format(attributes=attributes), global_size=1 << 24, f_max_mhz=f_max_mhz).kernels
    assert kernel.estimate.bound == bound


def test_without_sizes_nothing_is_claimed_of_a_narrow_kernel() -> None:
    (kernel,) = assess(COPY.format(attributes="")).kernels
    assert kernel.estimate.bound == "unknown"


@pytest.mark.parametrize("attributes", ["", WIDE], ids=["narrow", "wide"])
def test_the_time_of_a_work_item_is_its_share_of_the_whole(attributes: str) -> None:
    text = COPY.format(attributes=attributes)
    one, whole = (assess(text, **sizes).kernels[0].estimate for sizes in ({}, {"global_size": 1 << 20}))
    assert whole.time_s is not None
    assert one.time_item_s == pytest.approx(whole.time_s / (1 << 20))


NEST = """__attribute__((max_global_work_dim(0)))
__kernel void rows(__global const int *restrict at, __global float *restrict x, __global float *restrict y)
{{
    #pragma unroll {copies}
    for (int row = 0; row < 64; row++) {{
        float v = 1.0f;
        #pragma max_interleaving 1
        for (int i = 0; i < 1000; i++)
            {body}
        y[row] = v;
    }}
}}
"""
SERIAL, OVERLAPPING = "x[at[1000 * row + i]] += 1.0f;", "v = v * x[1000 * row + i] + 2.0f;"


@pytest.mark.parametrize(
    ("body", "copies", "in_all"),
    [(SERIAL, 1, "64 000"), (SERIAL, 4, "64 000"), (OVERLAPPING, 1, "64 000"), (OVERLAPPING, 4, "16 000")],
    ids=["waits", "copies wait", "overlaps", "copies overlap"],
)
def test_copies_of_a_nest_run_at_the_same_time_only_where_its_iterations_overlap(
    body: str, copies: int, in_all: str
) -> None:
    done = assess(NEST.format(body=body, copies=copies))
    assert f"1000 iterations, {in_all} in all" in text([(done, [])])
    one = assess(NEST.format(body=body, copies=1)).kernels[0].estimate.time_s
    time = done.kernels[0].estimate.time_s
    assert one is not None
    assert time == pytest.approx(one if body == SERIAL else one / copies, rel=0.05)


def test_trips_that_are_no_whole_number_are_an_average() -> None:
    kernel = """
__kernel void triangle(__global const float *restrict x, __global float *restrict y) {
    int g = get_global_id(0);
    float b[16][16];
    #pragma unroll
    for (int i = 0; i < 16; i++) b[i][0] = x[g];
    for (int i = 0; i < 16; i++)
        for (int j = i + 1; j < 16; j++) b[j][i] = b[i][j];
    y[g] = b[3][4];
}
"""
    done = assess(kernel, global_size=1 << 16)
    said = [what for _, what, _ in other_terms(done, done.kernels[0])]
    assert "loop: 7.5 iterations on average" in said


def test_what_overlaps_is_not_said_to_take_nothing() -> None:
    assert visible_share_text(0.001, 0.37, 16.2) == OVERLAPS
    assert visible_share_text(0.001, 0.01, 16.2) == "0 %"
    assert visible_share_text(0.02, 0.37, 16.2) == "2 %"


def test_a_promise_about_stores_says_what_to_write() -> None:
    assert "(restrict, or #pragma ivdep)" in action_text(NoAlias(why=None))


LANES = """__attribute__((num_simd_work_items(4), reqd_work_group_size(64, 1, 1)%s))
__kernel void scale(__global const char *restrict a, __global char *restrict b, int n)
{
    int i = get_global_id(0);
    char s = 0;
    %s
    if (i < 1000000) b[i] = a[i] + s;
}
"""


def test_what_starts_in_a_cycle_counts_the_lanes_and_names_the_compute_units() -> None:
    """A million work-items take 262 144 cycles on four lanes: not one work-item a cycle."""

    def limit(units: str, body: str) -> str:
        done = assess(LANES % (units, body), global_size=[1 << 20], arguments={"n": 64}, f_max_mhz=100, board="p520")
        return limit_line(done, done.kernels[0])

    assert "it starts 4 work-items a cycle at 100 MHz;" in limit("", "") + ";"
    assert limit(", num_compute_units(2)", "").endswith(
        "it starts 4 work-items a cycle at 100 MHz in each of its 2 compute units"
    )
    looped = limit("", "for (int k = 0; k < n; k++) s = s * 3 + a[k];")
    assert "starts one iteration of 4 work-items a cycle at 100 MHz" in looped


def test_a_row_of_an_unrolled_loop_counts_what_is_left_of_its_iterations() -> None:
    text = """__attribute__((max_global_work_dim(0)))
__kernel void poly(__global const float *restrict x, __global float *restrict y, int rows)
{
    float t[512];
    for (int r = 0; r < rows; r++) {
        #pragma unroll 4
        for (int i = 0; i < 512; i++) t[i] = x[0] * i + r;
        y[r] = t[r & 511];
    }
}
"""
    done = assess(text, arguments={"rows": 100}, board="p520")
    said = [what for _, what, _ in other_terms(done, done.kernels[0])]
    assert "loop: 128 iterations after unrolling by 4, 12 800 in all, II 1" in said


NOT_HERE = """
void filtered(__global const int *from, __global int *to);
__kernel void k(__global const int *restrict from, __global int *restrict to)
{
    BEFORE
    filtered(from, to);
}
"""


def test_nothing_is_said_of_the_time_of_a_kernel_that_calls_what_is_not_defined() -> None:
    done = assess(NOT_HERE.replace("BEFORE", ""))
    (kernel,) = done.kernels
    assert kernel.estimate.time_s is None
    assert (headline(done, kernel), limit_line(done, kernel)) == ("time not known", "Nothing of it is counted")
    shown = text([(done, ())])
    assert "no access to global memory" not in shown
    assert "cannot show a change" not in shown


def test_the_limit_of_what_is_counted_is_called_so() -> None:
    done = assess(NOT_HERE.replace("BEFORE", "for (int i = 0; i < 1024; i++) to[i] = from[i];"))
    (kernel,) = done.kernels
    assert limit_line(done, kernel).startswith("Of what is counted, limited by the ")
    assert re.search(r"at least 2\.\d+ µs .*\n(.*\n)+    total 2\.\d+ µs at \d+ MHz", text([(done, ())]))
    assert "cannot show a change" not in text([(done, ())])


def test_a_lower_bound_is_that_of_the_values_that_are_counted() -> None:
    chosen = "if (kind == 3) for (int i = 0; i < 1024; i++) to[i] = from[i];"
    text_ = NOT_HERE.replace("BEFORE", chosen).replace("restrict to)", "restrict to, int kind)")
    (kernel,) = assess(text_).kernels
    assert kernel.estimate.time_s is not None
    assert kernel.estimate.time_s > 1e-6
    assert time_line(kernel) == f"at least {time_text(kernel.estimate.time_s)}"


WAITING = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int out, back;
__attribute__((max_global_work_dim(0))) __kernel void ask(int n) {
    write_channel_intel(out, n);
    int answer = read_channel_intel(back);
}
__attribute__((max_global_work_dim(0))) __kernel void reply(__global int *restrict x) {
    x[0] = read_channel_intel(out) + nowhere;
    write_channel_intel(back, x[1]);
}
"""


def test_a_kernel_that_waits_for_one_without_figures_has_no_time() -> None:
    done = assess(WAITING)
    (kernel,) = done.kernels
    shown = (headline(done, kernel), limit_line(done, kernel))
    assert shown == ("time not known", "It waits at its channels, for kernels without figures")


def test_what_a_loop_adds_to_longer_work_is_called_so() -> None:
    (kernel,) = assess("""
    __attribute__((max_global_work_dim(0))) __kernel void k(__global const int *from, __global int *to, int n) {
        for (int i = 0; i < 4096; i++) {
            int sum = from[i];
            #pragma unroll 1
            for (int j = 0; j < 4; j++) sum = (sum << 1) ^ 5;
            to[i] = sum;
        }
    }""").kernels
    inner = next(t for t in kernel.estimate.terms if t.loop == 1)
    assert term_text(kernel, inner).endswith(": what longer work does not hide")
