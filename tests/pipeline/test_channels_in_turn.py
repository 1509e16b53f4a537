"""Loops that ask one channel several times in an iteration: a channel carries one item at a time, in order."""

from __future__ import annotations

import pytest

from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import kernel_card
from tests.assessing import assess

HEAD = (
    "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float c, d, e[4];\n"
    "void put(float v) { write_channel_intel(c, v); }\n"
    "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
)


def intervals(body: str) -> list[float | None]:
    """The intervals of a kernel's loops."""
    done = assess(f"{HEAD}{{ for (int i = 0; i < n; i++) {{ {body} }} }}", device_family="Arria 10", aoc_version="19.4")
    return [one.ii for one in done.kernels[0].estimate.loops]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # The report (19.4): an iteration of four writes begins every five cycles.
        ("".join(f"write_channel_intel(c, x[4 * i + {j}]); " for j in range(4)), [5]),
        ("y[i] = read_channel_intel(c) * read_channel_intel(c);", [3]),
        ("put(x[2 * i]); put(x[2 * i + 1]);", [3]),
        # Each channel goes its own way; what an array of channels has is as many of them.
        ("write_channel_intel(c, x[i]); write_channel_intel(d, x[i]);", [1]),
        ("write_channel_intel(e[0], x[i]); write_channel_intel(e[1], x[i]);", [1]),
        ("\n#pragma unroll\nfor (int j = 0; j < 4; j++) write_channel_intel(e[j], x[4 * i + j]);", [1, None]),
        # Around another loop there is time: reports give such loops no interval of their own.
        ("put(x[i]); put(x[i + 1]); for (int j = 0; j < n; j++) y[j] = x[j];", [1, 1]),
        ("write_channel_intel(c, x[i]); for (int j = 0; j < n; j++) write_channel_intel(c, x[j]);", [1, 1]),
        # An iteration comes to one of two arms.
        ("if (x[i] > 0) write_channel_intel(c, x[i]); else write_channel_intel(c, 0);", [1]),
        # More than that takes longer.
        ("for (int j = 0; j < n; j++) { if (x[j] > 0) put(x[j]); put(x[i]); }", [1, 3]),
    ],
)
def test_operations_on_one_channel_follow_each_other(body: str, expected: list[float | None]) -> None:
    assert intervals(body) == expected


def test_a_longer_wait_counts() -> None:
    """A sum that starts at none of the hard block's values takes four cycles, two writes three."""
    body = "float s = 1; for (int j = 0; j < n; j++) { s += x[j] * x[j]; put(s); put(x[j]); } y[i] = s;"
    assert intervals(body) == [1, 4]


def test_the_card_names_the_channel() -> None:
    text = f"{HEAD}{{ for (int i = 0; i < n; i++) {{ put(x[2 * i]); put(x[2 * i + 1]); }} }}"
    done = assess(text, device_family="Arria 10", aoc_version="19.4")
    assert "2 writes of c in each iteration, one after the other" in plain(kernel_card(done, done.kernels[0]))
