"""Kernels that go round for ever: what a round takes, what limits it and what would shorten it."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.quantities import time_text
from burstline_server.words.verdict import decision, limit_line
from tests.assessing import assess

BLOCKS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int blocks __attribute__((depth(64)));
channel int sums __attribute__((depth(64)));
__attribute__((max_global_work_dim(0)))
__attribute__((autorun))
__kernel void weigh(void)
{
    int block[1024];
    while (1) {
        for (int i = 0; i < 1024; i++)
            block[i] = read_channel_intel(blocks);
        int sum = 0;
        for (int i = 0; i < 1024; i++)
            for (int j = 0; j < 512; j++)
                sum += block[i] * block[(i ^ j) & 1023];
        write_channel_intel(sums, sum);
        %s
    }
}
"""


def assessed(last: str = "") -> Assessment:
    return assess(BLOCKS % last, f_max_mhz=400)


def test_a_round_is_costed_where_nothing_counts_the_rounds() -> None:
    done = assessed()
    kernel = done.kernels[0]
    assert kernel.estimate.time_s is None
    found = kernel.estimate.least
    assert found is not None
    assert found.goes_round == 0
    # 1024 x 512 iterations in the nest, and 1024 that read, at 400 MHz.
    assert found.time_s == pytest.approx((1024 * 512 + 1024) / 400e6, rel=0.02)
    first = decision(done, kernel)
    assert first.time == f"≈ {time_text(found.time_s)} a round"
    assert first.limit == "pipeline-bound: loop on line 15"
    assert first.lever.startswith("unroll the loop by 16 → ")
    assert limit_line(done, kernel).startswith(
        "In a round of the endless loop on line 10. Limited by the kernel's own pipeline: the loop on line 15 starts "
    )


def test_a_loop_that_ends_has_no_rounds() -> None:
    found = assessed("if (sum == 0) break;").kernels[0].estimate.least
    assert found is None or found.goes_round is None


def test_an_endless_loop_without_loops_has_an_iteration() -> None:
    text = BLOCKS.replace(
        "for (int i = 0; i < 1024; i++)\n            block[i]", "int at = 0;\n            block[at++]"
    )
    text = (
        text.partition("for (int i")[0] + "sum += block[at & 1];\n        write_channel_intel(sums, sum);\n    }\n}\n"
    )
    kernel = assess(text).kernels[0]
    assert kernel.estimate.least is None
