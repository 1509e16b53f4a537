"""Why a loop that counts to a bound is not counted: what the message says of it."""

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

KERNEL = """__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sum(__global const int *restrict off, __global const float *restrict a, __global float *restrict o,
         const float share, const int n, const int m)
{{
    float s = 0;
    {before}
    for (int i = 0; i < {bound}; i++) s += a[i];
    o[0] = s;
}}
"""
SIZE = "int size = off[1] - 5; int trips = size % 8 == 0 ? size / 8 : size / 8 + 1;"
BOUNDS = {
    "loaded": ("", "off[1]", "its bound is data: off[1]"),
    "chosen": (SIZE, "trips", "its bound is data: off[1]"),
    "chosen in place": ("", "(off[1] ? 7 : n)", "its bound is data: off[1]"),
    "chosen by a branch": ("int trips = 7; if (off[1]) trips = n;", "trips", "its bound is data: off[1]"),
    "chosen by an argument": ("", "(m > 3 ? n : 7)", "it depends on m, n"),
    "no integer": ("", "(int)share", "its bound is not known"),
}


@pytest.mark.parametrize(("before", "bound", "why"), BOUNDS.values(), ids=list(BOUNDS))
def test_the_reason_is_the_bound_s(before: str, bound: str, why: str) -> None:
    done = assess(KERNEL.format(before=before, bound=bound))
    (message,) = (message_text(one) for one in findings_of(done) if one.code == "BL202")
    assert f"({why})" in message


def test_a_loop_that_counts_nothing_is_said_to_have_no_counter_bound() -> None:
    done = assess(KERNEL.format(before="while (s < 1.0f) s += a[0];", bound="8"))
    (message,) = (message_text(one) for one in findings_of(done) if one.code == "BL202")
    assert "the condition s < 1.0f" in message


def test_loops_that_ask_for_nothing_more_are_one_finding() -> None:
    text = """
__kernel void pool(__global const int *restrict x, __global int *restrict y, int w, int h)
{
    for (int i = 0; i < 100 * w * h; i++)
        y[i] = x[i];
    for (int r = 0; r < h; r++)
        for (int c = 0; c < w; c++)
            y[r * w + c] += 1;
}
"""
    (found,) = [one for one in findings_of(assess(text)) if one.code == "BL202"]
    assert len(found.related) == 2


SPREAD = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct { uint many; uint item[8]; } batch;
channel batch batches;
channel uint items;
__attribute__((max_global_work_dim(0)))
__kernel void spread(int n)
{
    HEAD {
        batch b = read_channel_intel(batches);
        for (int j = 0; j < b.many; j++) write_channel_intel(items, b.item[j]);
    }
}
"""


@pytest.mark.parametrize(("head", "asked"), [("while (true)", False), ("for (int i = 0; i < n; i++)", True)])
def test_a_loop_in_one_that_runs_as_long_as_data_come_is_not_asked_for(head: str, asked: bool) -> None:
    """Neither its count nor a wider item is known to change the time, which the other kernels set."""
    done = assess(SPREAD.replace("HEAD", head), arguments={"n": 1000})
    assert bool([one for one in findings_of(done) if one.code == "BL202"]) == asked
    assert any("send vectors" in line for line in lever_lines(done.kernels[0], 9)) == asked


def test_it_is_asked_for_where_the_loop_around_is_given() -> None:
    text = SPREAD.replace("HEAD", "while (true)").replace("while (true) {", "while (true) { // burstline: trip=1000")
    assert [one.code for one in findings_of(assess(text)) if one.code == "BL202"]


def test_a_step_as_long_as_the_bound_is_one_trip() -> None:
    text = """
    __kernel void k(__global float *restrict y, int n, int m) {
        for (int i = 0; i < n - m; i += n - m) y[i] = 1.0f;
        for (int i = 0; i < n; i += m) y[i] += 2.0f;
    }"""
    (kernel,) = assess(text).kernels
    assert [str(loop.trip) for loop in kernel.facts.loops] == ["1", "((m + n - 1) / m)"]
