"""Channels of an array that a run chooses: a warning or an error, by the vendor's guides (Static Indexing)."""

from __future__ import annotations

import pytest

from burstline_server.words.unread import unread_text
from tests.assessing import assess

KERNEL = """#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c[4];
__kernel void k(__global const int *restrict x, int n)
{
    BODY
}
"""


def said(body: str) -> list[str]:
    (kernel,) = assess(KERNEL.replace("BODY", body)).kernels
    return [unread_text(r.kind, r.names) for r in kernel.facts.remarks if r.kind == "run_time_channel"]


@pytest.mark.parametrize(
    ("body", "channel"),
    [
        ("int u = get_global_id(0); write_channel_intel(c[u], x[u]);", "c[u]"),
        ("for (int i = 0; i < n; i++) write_channel_intel(c[i], x[i]);", "c[i]"),
        ("write_channel_intel(c[n], x[0]);", "c[n]"),
        ("int u = x[get_global_id(0)] & 3; write_channel_intel(c[u], u);", "c[u]"),
    ],
)
def test_a_channel_that_is_chosen_at_run_time_is_named(body: str, channel: str) -> None:
    assert said(body) == [
        f"{channel} is chosen at run time: 18.1 Standard refuses it, Pro builds an access to each channel"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "write_channel_intel(c[2], x[0]);",
        "#pragma unroll\n    for (int i = 0; i < 4; i++) write_channel_intel(c[i], x[i]);",
        "#pragma unroll\n    for (int i = 0; i < 4; i++) write_channel_intel(c[(i + 1) % 4], x[i]);",
        "write_channel_intel(c[LANE], x[0]);",
    ],
)
def test_one_that_is_constant_once_loops_are_unrolled_is_not(body: str) -> None:
    assert said(body) == []
