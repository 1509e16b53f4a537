"""Kernels whose loops data end: what they take at least."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.main import main
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.cards import kernel_card
from burstline_server.presentation.report_build import file_report
from burstline_server.words.findings import message_text
from burstline_server.words.kernel_times import time_line
from burstline_server.words.verdict import decision, limit_line
from tests.assessing import assess

PROBING = """
__kernel void insert(__global const uint *restrict keys, __global uint *table, uint mask, int n)
{
    for (int i = 0; i < n; i++) {
        uint h = (keys[i] * 2654435761u) & mask;
        while (table[h] != 0)
            h = (h + 1) & mask;
        table[h] = keys[i];
    }
}
"""


def lines(done: Assessment) -> tuple[str, str]:
    kernel = done.kernels[0]
    return time_line(kernel), limit_line(done, kernel)


def test_a_probe_asks_its_condition_once_at_least() -> None:
    done = assess(PROBING, arguments={"n": 100_000})
    title, said = lines(done)
    assert title.startswith("at least ")
    assert said.startswith("At least, with 1 iteration of line 6. Limited by iterations that wait for each other: ")
    assert said.endswith("Give iterations of line 6: --trip 6=…, or a comment // burstline: trip[6]=…")
    least = done.kernels[0].estimate.least
    assert least is not None
    # Each key waits for the word that its condition reads: some 200 ns and more on any board.
    assert 100_000 * 150e-9 < least.time_s < 100_000 * 1e-6


def test_the_least_time_is_no_longer_than_one_with_more_iterations() -> None:
    least = assess(PROBING, arguments={"n": 1000}).kernels[0].estimate.least
    once, often = (
        assess(PROBING.replace("!= 0)", f"!= 0) // burstline: trip={n}"), arguments={"n": 1000}).kernels[0].estimate
        for n in (1, 50)
    )
    assert least is not None
    assert once.time_low_s is not None
    assert often.time_low_s is not None
    assert least.time_s == pytest.approx(once.time_low_s)
    assert least.time_s < often.time_low_s


def test_assumed_sizes_are_said_next_to_it() -> None:
    title, said = lines(assess(PROBING))
    assert title.startswith("≈? at least ")
    assert title.endswith(" at assumed sizes")
    assert "with 1 iteration of line 6, and assumed: n = 1024." in said


def test_parts_of_a_time_that_is_not_shown_are_shares() -> None:
    sums = """
        __kernel void sums(__global const float *x, __global const int *at, __global float *y, float least)
        {
            const int i = get_global_id(0);
            while (y[i] < least)
                for (int k = at[i]; k < at[i + 1]; k++)
                    y[i] += x[k];
        }
        """
    _, said = lines(assess(sums, global_size=[4096]))
    assert re.search(r"takes \d+ % of it", said)


def test_what_channels_keep_going_has_the_time_of_an_iteration() -> None:
    text = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int way;
__attribute__((max_global_work_dim(0)))
__kernel void drain(__global int *restrict y)
{
    int i = 0;
    while (read_channel_intel(way) > 0)
        y[i++] = 1;
}
"""
    done = assess(text, f_max_mhz=400)
    assert lines(done)[0] == "≈ 2.50 ns per iteration"
    report = file_report(done, findings_of(done)).kernels[0].least_time
    assert report is not None
    assert report.iteration_of == 8


FEW_ITERATIONS = """
__attribute__((max_global_work_dim(0)))
__kernel void scores(__global const int *restrict a, __global int *restrict out, int n)
{
    for (int t = 0; t < n; t++) {
        int m[4096];
        for (int i = 0; i < 4; i++) m[i] = a[i];
        for (int i = 1; i < 64; i++)
            #pragma unroll 1
            for (int j = 0; j < WIDE; j++)
                m[i * 64 + j] = m[(i - 1) * 64 + j + 1] * 3 / 7 + a[j];
        out[t] = m[4095];
    }
}
"""


@pytest.mark.parametrize(("wide", "empties"), [("4", True), ("4096", False)])
def test_a_loop_of_few_iterations_is_said_to_run_empty_each_time(wide: str, empties: bool) -> None:
    done = assess(FEW_ITERATIONS.replace("WIDE", wide), arguments={"n": 100})
    _, said = lines(done)
    assert ("is begun 6300 times and runs empty each time: " in said) == empties
    assert ("starts one iteration a cycle" in said) != empties


def test_a_loop_that_is_all_of_a_kernel_has_the_time_of_an_iteration() -> None:
    text = """
__kernel void steps(__global int *restrict out, int n)
{
    int i = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        i++;
    }
    out[0] = i;
}
"""
    done = assess(text)
    assert re.fullmatch(r"≈ [\d.]+ ns per iteration", time_line(done.kernels[0]))


def test_a_loop_that_is_all_of_a_kernel_waits_at_least_for_the_load_that_ends_it() -> None:
    text = """
__kernel void length(__global const char *restrict text, __global int *restrict out)
{
    int i = 0;
    while (text[i] != 0)
        i++;
    out[0] = i;
}
"""
    least = assess(text).kernels[0].estimate.least
    assert least is not None
    assert 300e-9 < least.time_s < 500e-9  # a load and its way through the pipeline, at some 460 MHz


def test_tools_get_it_with_its_loops_and_what_is_assumed() -> None:
    given, assumed = (
        file_report(done, []).kernels[0].least_time
        for done in (assess(PROBING, arguments={"n": 1000}), assess(PROBING))
    )
    assert given is not None
    assert 0.15 < given.time_ms < 1  # each of 1000 keys waits for the word that its condition reads
    assert (given.limit, given.loops, given.global_size, given.assumed_loops) == ("dependence", [6], None, [])
    assert assumed is not None
    assert [(one.line, one.trips) for one in assumed.assumed_loops] == [(4, 1024)]
    counted = assess(PROBING.replace("!= 0)", "!= 0) // burstline: trip=2"), arguments={"n": 1000})
    assert file_report(counted, []).kernels[0].least_time is None


UNCOUNTED = {
    "a pointer that nothing sets": "typedef struct { __global float *row; } Row;\n"
    "__kernel void k(__global float *restrict out)\n"
    "{ Row one; for (int i = 0; i < 4096; i++) { out[i] = one.row[i]; } }",
    "images": "__kernel void k(read_only image2d_t pixels, __global float4 *restrict out)\n"
    "{ for (int i = 0; i < 4096; i++) out[i] = read_imagef(pixels, (int2)(i, 0)); }",
    "a helper of another file": "float far(__global float *p);\n"
    "__kernel void k(__global float *restrict x, __global float *restrict out)\n"
    "{ for (int i = 0; i < 4096; i++) out[i] = far(x + i); }",
}


@pytest.mark.parametrize("text", UNCOUNTED.values(), ids=UNCOUNTED)
def test_time_is_a_lower_bound_where_accesses_are_not_counted(text: str) -> None:
    assert time_line(assess(text).kernels[0]).startswith("at least ")


def test_time_is_no_bound_where_accesses_are_not_counted_and_the_loop_may_end_before() -> None:
    text = UNCOUNTED["a pointer that nothing sets"].replace("out[i] =", "if (i == out[0]) break; out[i] =")
    assert time_line(assess(text).kernels[0]).startswith("≈ ")


ELSEWHERE = """
uint sort_in_place(__global uint *keys, __global uint *spare, int n);
__kernel void sorted(__global uint *restrict keys, __global uint *restrict spare, int n)
{
    for (int i = 0; i < n; i++)
        spare[i] = keys[i];
    sort_in_place(keys, spare, n);
}
"""


def test_what_makes_a_time_the_least_is_said_with_it() -> None:
    assessment = assess(ELSEWHERE, arguments={"n": 4096})
    (kernel,) = assessment.kernels
    assert time_line(kernel).startswith("at least ")
    (doubt,) = (one.text for one in kernel_card(assessment, kernel).details if one.topic == "doubt")
    left = "sort_in_place is not defined here: its accesses to keys and spare are not counted"
    assert doubt == left
    assert [message_text(f) for f in findings_of(assessment) if f.code == "BL302"] == [left]


LOOKED_THROUGH = """
__kernel void total(const int m, __global const float *restrict a, __global float *restrict y)
{
    int at = 16, found = 0;
    while (at != 0) {
        #pragma unroll
        for (int i = 0; i < 16; i++)
            found |= a[at + i] > 0.5f;
        at = (at * 5 + 16) & (m - 1);
    }
    *y = found;
}
"""


def test_a_loop_without_a_counter_has_its_limit_and_the_time_of_an_iteration() -> None:
    done = assess(LOOKED_THROUGH)
    (kernel,) = done.kernels
    shown = kernel.in_an_iteration
    assert shown is not None
    load, _ = shown.estimate.units
    assert load.bytes == 64
    assert shown.estimate.time_s == pytest.approx(sum(term.time_s for term in shown.estimate.terms))
    assert time_line(kernel).endswith(" per iteration")


def test_work_items_whose_loop_data_end_say_what_limits_the_rest() -> None:
    text = """
__kernel void mixed(__global const uint *restrict keys, __global uint *restrict y)
{
    int at = get_global_id(0);
    uint sum = 0;
    for (int i = 0; i < 100; i++)
        sum = sum * 7 + keys[at] % (i + 3);
    while ((sum & 15) != 3)
        sum = sum * 5 + 1;
    y[at] = sum;
}
"""
    done = assess(text)
    said = decision(done, done.kernels[0])
    assert "at least" in said.time
    assert said.limit == "pipeline-bound: loop on line 6"


def test_no_row_of_a_least_time_is_a_figure_that_is_longer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Data choose where each work-item's value lies: at best, neighbours share words."""
    path = tmp_path / "probe.cl"
    path.write_text("""
__kernel void probe(__global const uint2 *restrict t, __global const uint *restrict key, __global uint *restrict y)
{
    uint i = get_global_id(0), h = key[i];
    while (t[h & 0xffffff].x != key[i] && t[h & 0xffffff].x != 0)
        h++;
    y[i] = t[h & 0xffffff].y;
}
""")
    main(["check", "--global-size", "1048576", str(path)])
    said = capsys.readouterr().out
    assert "at least " in said
    (row,) = [line for line in said.splitlines() if "].y" in line and "load" in line]
    assert re.search(r"\d [µm]s to [\d.]+ ms +\?$", row)
    assert "(" not in row.partition("load")[2]
