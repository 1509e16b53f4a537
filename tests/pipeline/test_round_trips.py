"""Kernels that answer each other through channels: a time is the least where each item waits for the last answer."""

import pytest

from burstline_server.words.kernel_times import time_line
from burstline_server.words.remarks import remark_text
from tests.assessing import assess

PAIR = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float there __attribute__((depth(8)));
channel float on __attribute__((depth(8)));
channel float back __attribute__((depth(8)));

__attribute__((max_global_work_dim(0)))
__kernel void sends(__global const float *restrict x, __global float *restrict y, int n)
{{
    float t = 0.0f, u = 0.0f;
    for (int i = 0; i < n; i++) {{
        {sends}
    }}
    y[0] = t + u;
}}

__attribute__((max_global_work_dim(0)))
__kernel void answers(int n)
{{
    for (int i = 0; i < n; i++) {{
        float v = read_channel_intel({reads});
        {answers}
    }}
}}

__attribute__((max_global_work_dim(0)))
__kernel void between(int n)
{{
    for (int i = 0; i < n; i++) {{
        {between}
    }}
}}
"""
ANSWER = "write_channel_intel(back, v * 0.5f);"
ON = "write_channel_intel(on, read_channel_intel(there));"


def _said(sends: str, answers: str = ANSWER, reads: str = "there", between: str = "") -> tuple[str, list[str]]:
    """The time of the kernel that sends, and what has to be known of it."""
    text = PAIR.format(sends=sends, answers=answers, reads=reads, between=between)
    kernel = assess(text, arguments={"n": 1 << 20}).kernels[0]
    return time_line(kernel), [remark_text(one) for one in kernel.estimate.remarks]


@pytest.mark.parametrize(
    "sends",
    [
        "write_channel_intel(there, x[i] + t); t = read_channel_intel(back);",
        "write_channel_intel(there, x[i] + t); u = read_channel_intel(back); t = u * 2.0f;",
        "if (t < 9.0f) write_channel_intel(there, x[i]); t = read_channel_intel(back);",
        "write_channel_intel(there, x[i] + t); t = u; u = read_channel_intel(back);",
    ],
)
def test_items_that_wait_for_answers_have_a_least_time(sends: str) -> None:
    time, remarks = _said(sends)
    assert time.startswith("at least ")
    assert any("there" in one and "back" in one and "answers" in one and "not known" in one for one in remarks)


def test_an_answer_may_come_through_a_third_kernel() -> None:
    time, remarks = _said("write_channel_intel(there, x[i] + t); t = read_channel_intel(back);", reads="on", between=ON)
    assert time.startswith("at least ")
    assert any("answers and between" in one or "between and answers" in one for one in remarks)


@pytest.mark.parametrize(
    ("sends", "answers"),
    [
        # What is sent is not made of answers: many items are on their way at a time.
        ("write_channel_intel(there, x[i]); t += read_channel_intel(back);", ANSWER),
        # What comes back is not made of what was sent.
        (
            "write_channel_intel(there, x[i] + t); t = read_channel_intel(back);",
            "write_channel_intel(back, i);",
        ),
    ],
)
def test_items_that_wait_for_nothing_have_their_time(sends: str, answers: str) -> None:
    time, remarks = _said(sends, answers)
    assert time.startswith("≈ ")
    assert not any("not known" in one for one in remarks)
