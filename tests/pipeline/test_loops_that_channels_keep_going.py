"""Loops that nobody counts, of kernels whose channels other kernels feed or empty."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.words.missing import missing_text
from burstline_server.words.remarks import remark_text
from burstline_server.words.verdict import headline
from tests.assessing import assess

N = 1_000_000
STAGES = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float c0, c1, c2;
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(c0, x[i]);
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun))
__kernel void twice()
{
    while (1)
        write_channel_intel(c1, 2.0f * read_channel_intel(c0));
}
__attribute__((max_global_work_dim(0))) __attribute__((autorun))
__kernel void slow()
{
    while (1) {
        float v = read_channel_intel(c1);
        #pragma unroll 1
        for (int k = 0; k < 16; k++)
            v = v * 0.5f + 1.0f;
        write_channel_intel(c2, v);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void sink(__global float *restrict y, int m)
{
    for (int i = 0; i < m; i++)
        y[i] = read_channel_intel(c2);
}
"""
ROWS = STAGES.replace("float v = read_channel_intel(c1);", "float v = 0.0f;").replace(
    "v = v * 0.5f + 1.0f;", "v = v * 0.5f + read_channel_intel(c1);"
)


def times(done: Assessment) -> dict[str, float | None]:
    """The time of each kernel."""
    return {k.facts.name: k.estimate.time_s for k in done.kernels}


def test_a_stage_without_a_count_runs_for_all_that_is_sent_to_it() -> None:
    """16 cycles an item, whatever the others could do: handed on from stage to stage, and to the last one's reader."""
    done = assess(STAGES, arguments={"n": N}, f_max_mhz=250, board="p520")
    assert times(done) == pytest.approx(dict.fromkeys(times(done), 16 * N / 250e6), rel=0.01)
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert "pipeline-bound: loop on line " in lines["slow"]
    assert "channels-bound · speed up slow" in lines["source"]
    assert "channels-bound · speed up slow" in lines["sink"]
    said = {k.facts.name: [remark_text(r) for r in k.estimate.remarks] for k in done.kernels}
    counted = "the trip count of the loop is not known: 1.00 M iterations are counted, as many as"
    assert f"{counted} twice moves items through c1" in said["slow"]
    assert (
        "the trip count of the loop is not known: 1.00 M iterations are counted, as many as slow moves items through c2"
        in said["sink"]
    )
    assert not [r for r in said["source"] if "trip count" in r]


ARRAY = STAGES.replace("channel float c0, c1, c2;", "channel float c[4];")
for number in range(3):
    ARRAY = ARRAY.replace(f"_intel(c{number}", f"_intel(c[{number}]")


def test_channels_of_an_array_are_known_by_their_numbers() -> None:
    done = assess(ARRAY, arguments={"n": N}, f_max_mhz=250, board="p520")
    assert times(done)["slow"] == pytest.approx(16 * N / 250e6, rel=0.01)
    anywhere = ARRAY.replace("write_channel_intel(c[0], x[i])", "write_channel_intel(c[i & 1 ? 0 : 3], x[i])")
    assert times(assess(anywhere, arguments={"n": N}, f_max_mhz=250, board="p520"))["slow"] is None


def test_a_round_that_takes_several_items_runs_so_much_less_often() -> None:
    done = assess(ROWS, arguments={"n": N, "m": N // 16}, f_max_mhz=250, board="p520")
    (slow,) = [k for k in done.kernels if k.facts.name == "slow"]
    assert slow.estimate.loops[0].trip == N // 16
    assert "1.00 M" not in "".join(remark_text(r) for r in slow.estimate.remarks if "nobody counts" in remark_text(r))


def test_a_reader_with_a_count_of_its_own_keeps_it() -> None:
    done = assess(STAGES, arguments={"n": N, "m": N}, f_max_mhz=250, board="p520")
    (sink,) = [k for k in done.kernels if k.facts.name == "sink"]
    assert sink.estimate.loops[0].trip == N
    assert not [r for r in map(remark_text, sink.estimate.remarks) if "nobody counts" in r]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float v = read_channel_intel(c1);", "float v = 0; if (k0 & 1) v = read_channel_intel(c1); k0++;"),
        ("float v = read_channel_intel(c1);", "float v = read_channel_intel(c1); if (v < 0) break;"),
        ("for (int i = 0; i < n; i++)", "for (int i = 0; x[i] > 0; i++)"),
    ],
)
def test_what_data_decide_stays_unknown(old: str, new: str) -> None:
    text = STAGES.replace(old, new).replace("    while (1) {", "    int k0 = 0;\n    while (1) {")
    done = assess(text, arguments={"n": N}, f_max_mhz=250, board="p520")
    assert times(done)["slow"] is None


def test_channels_that_disagree_say_nothing() -> None:
    text = STAGES.replace("y[i] = read_channel_intel(c2);", "y[i] = read_channel_intel(c2) + read_channel_intel(c2);")
    done = assess(text, arguments={"n": N, "m": N}, f_max_mhz=250, board="p520")
    assert times(done)["slow"] is None


def test_the_figures_follow_an_edit_of_the_other_kernel() -> None:
    first = times(assess(STAGES, arguments={"n": N}, f_max_mhz=250, board="p520"))
    half = times(assess(STAGES.replace("i < n;", "i < n / 2;"), arguments={"n": N}, f_max_mhz=250, board="p520"))
    assert half["slow"] == pytest.approx((first["slow"] or 0.0) / 2, rel=0.01)


SIDE_BY_SIDE = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float c[4], d;
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x)
{
    for (int i = 0; i < 4096; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++)
            write_channel_intel(c[k], x[4 * i + k]);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void windows(__global float *restrict y)
{
    float kept = 0.0f;
    int take = 9, column = 0;
    for (int i = 0; i < 1024; i++) {
        for (int j = 0; j < take; j++) {
            #pragma unroll
            for (int k = 0; k < 4; k++)
                kept += read_channel_intel(c[k]);
        }
        y[i] = kept;
        column++;
        take = column == 8 ? 3 : 1;
        if (column == 8) column = 0;
    }
}
"""


def test_copies_of_a_loops_body_on_an_array_of_channels_take_all_that_is_sent_to_it() -> None:
    _, windows = assess(SIDE_BY_SIDE).kernels
    notes = [remark_text(one) for one in windows.estimate.remarks]
    assert any("4 iterations are counted, as many as source moves items through c" in one for one in notes)
    assert windows.at_assumed is None


SENT_UNTIL = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int q __attribute__((depth(8)));
__attribute__((max_global_work_dim(0)))
__kernel void feed(__global const int *restrict a)
{
    int i = 0;
    BEGIN
        int v = a[i];
        LEAVES
        write_channel_intel(q, v);
        i++;
    END
}
"""


@pytest.mark.parametrize(
    ("begin", "leaves", "end", "asked"),
    [
        ("int go; do {", "go = v;", "} while (go);", "Give iterations of line 8: --trip 8=…"),
        ("while (1) {", "if (v == 0) break;", "}", "Give iterations of line 8: --trip 8=…"),
        ("while (1) {", "", "}", "Runs as long as its channels bring data"),
    ],
)
def test_what_a_loop_sends_until_its_own_data_end_it_is_to_be_counted(
    begin: str, leaves: str, end: str, asked: str
) -> None:
    done = assess(SENT_UNTIL.replace("BEGIN", begin).replace("LEAVES", leaves).replace("END", end))
    assert missing_text(done, done.kernels[0]).startswith(asked)
