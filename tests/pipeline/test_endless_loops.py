"""Kernels whose loop never ends: what an iteration takes, what limits it and what would shorten it."""

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


def test_an_iteration_is_costed_where_nothing_counts_them() -> None:
    done = assessed()
    kernel = done.kernels[0]
    assert kernel.estimate.time_s is None
    found = kernel.estimate.least
    assert found is not None
    assert found.endless == 0
    # 1024 x 512 iterations in the nest, and 1024 that read, at 400 MHz.
    assert found.time_s == pytest.approx((1024 * 512 + 1024) / 400e6, rel=0.02)
    first = decision(done, kernel)
    assert first.time == f"≈ {time_text(found.time_s)} per iteration"
    assert first.limit == "pipeline-bound: loop on line 15"
    assert first.lever.startswith("unroll the loop by 16 → ")
    assert limit_line(done, kernel).startswith(
        "Per iteration of the loop on line 10. Limited by the kernel's own pipeline: the loop on line 15 starts "
    )


def test_data_that_end_it_leave_an_iteration_what_it_is() -> None:
    found, endless = (assessed(last).kernels[0].estimate.least for last in ("if (sum == 0) break;", ""))
    assert found is not None
    assert endless is not None
    assert found.endless == 0
    assert found.time_s == pytest.approx(endless.time_s, rel=0.01)


STAGE = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float from __attribute__((depth(64)));
channel float to __attribute__((depth(64)));
__attribute__((max_global_work_dim(0)))
__attribute__((autorun))
__kernel void stage(void)
{
    float last = 0;
    while (1) {
        last = %s;
        write_channel_intel(to, last);
    }
}
"""


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ("2 * read_channel_intel(from)", "pipeline-bound: loop on line 10"),
        ("0.5f * last + read_channel_intel(from)", "dependence-bound: loop on line 10"),
    ],
)
def test_a_stage_has_the_time_from_one_item_to_the_next(value: str, limit: str) -> None:
    done = assess(STAGE % value, f_max_mhz=400)
    found = done.kernels[0].estimate.least
    assert found is not None
    interval = found.estimate.loops[0].ii
    assert interval is not None
    assert (interval > 1) == limit.startswith("dependence")
    assert found.time_s == pytest.approx(interval / 400e6, rel=0.01)
    assert decision(done, done.kernels[0]).limit == limit


def test_assumed_sizes_inside_are_those_of_one_iteration() -> None:
    text = BLOCKS.replace("weigh(void)", "weigh(int most)").replace("j < 512", "j < most")
    text = text.replace("__attribute__((autorun))\n", "")
    found = assess(text % "", f_max_mhz=400).kernels[0].estimate.least
    assert found is not None
    assert found.assumed is not None
    assert found.assumed.arguments == {"most": 1024}
    assert found.time_s == pytest.approx((1024 * 1024 + 1024) / 400e6, rel=0.05)


def test_two_loops_in_turn_have_no_iteration_in_common() -> None:
    text = BLOCKS % "if (sum == 0) break;"
    again = text[text.index("    while (1)") : text.rindex("}")]
    found = assess(text[: text.rindex("}")] + again + "}\n").kernels[0].estimate.least
    assert found is None
