"""Buffers that are of use to one work-item alone, copies as far as the device holds them, and requests of vectors."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import MoreCopies, MoreUnits, PrivateArray
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

# Each work-item lists what it finds in a row of its own, then adds up what it listed.
LISTED = """__kernel void k(__global const int *restrict x, __global int *restrict list, __global int *restrict z{more})
{{
    const int i = get_global_id(0);
    int n = 0, s = 0;
    for (int j = 0; j < 64; j++)
        if (x[i * 64 + j] > 0)
            list[{row} + n++] = x[i * 64 + j];
    for (int j = 0; j < 16; j++)
        s += list[{row} + j] * j;
    {last}
}}
"""


def listed(row: str = "i * 16", last: str = "z[i] = s;", more: str = "") -> KernelAssessment:
    """The kernel with its list's row, what it does last, and more arguments."""
    text = LISTED.format(row=row, last=last, more=more)
    (kernel,) = assess(text, board="de5net", global_size=[1 << 20], arguments={"m": 16} if more else {}).kernels
    return kernel


def arrays(kernel: KernelAssessment) -> list[PrivateArray]:
    return [one.change for one in kernel.estimate.levers if isinstance(one.change, PrivateArray)]


def test_a_row_that_its_work_item_alone_loads_is_a_private_array() -> None:
    kernel = listed()
    assert arrays(kernel) == [PrivateArray(pointer="list", elements=16)]
    assert any(
        "keep list in a private array of 16 elements, if nothing reads it later" in line
        for line in lever_lines(kernel, 9)
    )


def test_without_the_list_it_takes_what_it_says() -> None:
    """The kernel with the array, from its text, and the time that the advice has for it."""
    kernel = listed()
    text = LISTED.format(row="0", last="z[i] = s;", more="").replace(", __global int *restrict list", "")
    text = text.replace("int n = 0, s = 0;", "int list[16], n = 0, s = 0;")
    (after,) = assess(text, board="de5net", global_size=[1 << 20]).kernels
    (lever,) = (one for one in kernel.estimate.levers if isinstance(one.change, PrivateArray))
    assert lever.after_s == pytest.approx(after.estimate.time_s, rel=0.06)


@pytest.mark.parametrize(
    ("row", "last", "more"),
    [
        ("i * 1024", "z[i] = s;", ""),  # too long for what each work-item in flight holds
        ("0", "z[i] = s;", ""),  # one row for all
        ("i * m", "z[i] = s;", ", const int m"),  # as long as an argument says
        ("get_local_id(0) * 16", "z[i] = s;", ""),  # groups meet there
        ("i * 16", "z[i] = s; list[i * 16] = s;", ""),  # the last store is a result
    ],
)
def test_other_rows_stay(row: str, last: str, more: str) -> None:
    assert arrays(listed(row, last, more)) == []


WORDS = """__kernel void k(__global const uchar *restrict text, __global int *restrict z)
{
    const int i = get_global_id(0);
    int word = 0, words = 0;
    for (int j = 0; j < 16; j++) {
        const uchar c = text[i * 16 + j];
        words += c == ' ' && word != 0;
        word = c == ' ' ? 0 : (word << 5) + word + c;
    }
    z[i] = words + word;
}
"""


def test_copies_of_a_loop_that_work_items_take_turns_in_need_not_wait_for_each_other() -> None:
    """A hash goes through the letters of one work-item: others are in the loop meanwhile."""
    (kernel,) = assess(WORDS, board="de5net", global_size=[1 << 22]).kernels
    first = kernel.estimate.levers[0]
    assert isinstance(first.change, MoreCopies)
    assert first.change.vectors
    assert f"unroll the loop by {first.copies}, or use a vector type" in lever_lines(kernel, 1)[0]
    unrolled = WORDS.replace("    for (", f"    #pragma unroll {first.copies}\n    for (")
    (after,) = assess(unrolled, board="de5net", global_size=[1 << 22]).kernels
    assert first.after_s == pytest.approx(after.estimate.time_s, rel=1e-6)
    assert (after.estimate.time_s or 1.0) < 0.2 * (kernel.estimate.time_s or 0.0)


POWERS = """__kernel void k(__global const float *restrict x, __global float *restrict z, int n)
{
    const int i = get_global_id(0);
    float s = x[i];
    if (i < n)
        for (int j = 0; j < 128; j++)
            s = s * s * s * s * 0.5f + 1.0f;
    z[i] = s;
}
"""


def test_copies_end_where_the_device_does() -> None:
    """Of four products an iteration, 256 DSP blocks hold 64 copies; with an 8-byte type fewer."""
    factors = {}
    for kind in ("float", "double"):
        text = POWERS.replace("float", kind).replace("0.5f", "0.5").replace("1.0f", "1.0")
        (kernel,) = assess(text, board="de5net", global_size=[1 << 22], arguments={"n": 1 << 22}).kernels
        (factors[kind],) = (one.copies for one in kernel.estimate.levers if isinstance(one.change, MoreCopies))
        copied = text.replace("        for (", f"        #pragma unroll {factors[kind]}\n        for (")
        (built,) = assess(copied, board="de5net", global_size=[1 << 22]).kernels
        assert built.estimate.resources is not None
        assert max(built.estimate.resources.shares.values()) <= 1
    assert factors["float"] > factors["double"]


def test_compute_units_are_advised_where_lanes_cannot_be_built() -> None:
    """A loop that some work-items pass by keeps lanes away, and units take a part of the groups each."""
    settings = {"board": "de5net", "global_size": [1 << 22], "arguments": {"n": 1 << 22}}
    (apart,) = assess(POWERS, **settings).kernels
    (alike,) = assess(POWERS.replace("    if (i < n)\n", ""), **settings).kernels
    units = [one for one in apart.estimate.levers if isinstance(one.change, MoreUnits)]
    assert len(units) == 1
    text = POWERS.replace("__kernel", f"__attribute__((num_compute_units({units[0].change.units}))) __kernel")
    (after,) = assess(text, **settings).kernels
    assert units[0].after_s == pytest.approx(after.estimate.time_s, rel=1e-6)
    assert not any(isinstance(one.change, MoreUnits) for one in alike.estimate.levers)
