"""Loops around loops that run differently often: whether they are pipelined, and what that costs."""

from __future__ import annotations

import pytest

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.kernel_estimate import LoopEstimate
from tests.assessing import assess

CHANNEL = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float c;\n"
HEAD = "__kernel void k(__global const int *restrict p, __global const float *restrict x, __global float *restrict y,"
ROWS = HEAD + (
    " int n, int m)\n{ for (int r = 0; r < n; r++) { float s = 0.0f;\n"
    "    for (int j = %s; j < %s; j++) %s\n    y[r] = s; } }"
)
SUM, STORE, SEND = "s += x[j];", "y[n + j * m + r] = x[j];", "write_channel_intel(c, x[j]);"


def outer(text: str, version: str) -> LoopEstimate:
    """The outermost loop."""
    return assess(text, device_family="Arria 10", aoc_version=version).kernels[0].estimate.loops[0]


@pytest.mark.parametrize("version", ["16.1", "17.1", "18.1", "19.4"])
@pytest.mark.parametrize(("low", "high"), [("p[r]", "p[r + 1]"), ("0", "r"), ("r", "n"), ("0", "n - r / 2")])
def test_loop_around_a_varying_loop_that_stores_is_not_pipelined(low: str, high: str, version: str) -> None:
    one = outer(ROWS % (low, high, STORE), version)
    assert one.pipelined is False
    assert one.serial
    assert one.ii is None


@pytest.mark.parametrize("version", ["16.1", "17.1", "19.4"])
@pytest.mark.parametrize(("low", "high"), [("0", "m"), ("p[0]", "p[1]"), ("m", "n")])
def test_loop_around_one_with_fixed_bounds_is_pipelined(low: str, high: str, version: str) -> None:
    assert outer(ROWS % (low, high, STORE), version).pipelined is True


def test_varying_loop_that_only_reads_is_no_matter_from_18_on() -> None:
    text = ROWS % ("p[r]", "p[r + 1]", SUM)
    assert [outer(text, version).pipelined for version in ("17.1", "19.4")] == [False, True]


def test_varying_loop_that_a_loaded_value_ends_keeps_the_one_around_serial() -> None:
    """A report (Arria 10, 19.4): three loops around one that ends by what it loads, none of which stores."""
    text = ROWS % ("0", "m", "{ if (x[r + j] > 9.0f) break; s += x[j]; }")
    assert outer(text, "19.4").pipelined is False


def test_channel_keeps_the_order() -> None:
    assert outer(CHANNEL + ROWS % ("0", "r", SEND), "17.1").pipelined is True


def test_loop_that_ends_early_varies() -> None:
    text = ROWS % ("0", "m", "{ if (x[j] > 9.0f) break; s += x[j]; }")
    assert outer(text, "17.1").pipelined is False


def test_varying_loop_that_is_unrolled_is_no_loop() -> None:
    text = ROWS % ("0", "8", SUM)
    assert outer(text.replace("for (int j", "\n#pragma unroll\nfor (int j"), "17.1").pipelined is True


def test_each_iteration_waits_for_the_end_of_the_one_before() -> None:
    """A row of eight costs its eight iterations, and a way to memory before the next one begins."""
    even = assess(ROWS % ("0", "m", SUM), aoc_version="17.1", arguments={"n": 1 << 20, "m": 8}).kernels[0].estimate
    assert even.limit == "pipeline"
    rows = assess(ROWS % ("p[r]", "p[r + 1]", SUM), aoc_version="17.1", arguments={"n": 1 << 20}, trips={3: 8})
    assert rows.kernels[0].estimate.limit == "dependence"
    assert (rows.kernels[0].estimate.time_s or 0) > 4 * (even.time_s or 0)


@pytest.mark.parametrize(
    ("low", "high", "change"),
    [("0", "r", "even_inner_loops"), ("0", "n - r / 2", "even_inner_loops"), ("p[r]", "p[r + 1]", "one_loop")],
)
def test_what_to_do_is_said(low: str, high: str, change: str) -> None:
    """Bounds that follow from counters can be made alike; where data decide them, one loop may count through all."""
    sizes = {"trips": {3: 8}, "arguments": {"n": 1 << 20}} if change == "one_loop" else {"arguments": {"n": 200}}
    rows = assess(ROWS % (low, high, SUM), aoc_version="17.1", **sizes)
    assert [lever.change for lever in rows.kernels[0].estimate.levers][:1] == [change]


MACHINE = """
__attribute__((max_global_work_dim(0)))
__kernel void machine(__global const uint4 *restrict code, __global const int *restrict x, __global int *restrict y,
    int n)
{
    __local int kept[4096];
    for (int pc = 0; pc < n; pc++) {
        uint4 order = code[pc];
        if (order.x == 1) {
            for (int r = 0; r < order.y; r++)
                for (int i = 0; i < order.z; i++)
                    kept[order.w + r * order.z + i] = x[order.w + r * 64 + i];
        } else if (order.x == 2) {
            for (int i = 0; i < order.y; i++)
                y[order.w + i] = kept[i];
        }
    }
}
"""


def test_bounds_that_instructions_bring_cannot_be_fixed() -> None:
    estimate = assess(MACHINE, arguments={"n": 1000}, trips={9: 8, 10: 8, 13: 8}).kernels[0].estimate
    assert estimate.loops[0].pipelined is False
    assert {"even_inner_loops", "one_loop"}.isdisjoint(str(lever.change) for lever in estimate.levers)
    assert estimate.loops[0].gain < WORTH_REPORTING
