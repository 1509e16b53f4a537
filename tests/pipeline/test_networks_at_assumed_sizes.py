"""Kernels that channels join, at sizes that are assumed of each by itself."""

from __future__ import annotations

from burstline_server.words.verdict import headline, lever_lines
from tests.assessing import assess

WEIGHTS_AND_DATA = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float weights, data;
__attribute__((max_global_work_dim(0)))
__kernel void load_weights(__global const float *restrict w, int {weights})
{
    for (int i = 0; i < {weights}; i++) {
        float v = w[i];
        #pragma unroll 1
        for (int k = 0; k < 16; k++)
            v *= 0.5f;
        write_channel_intel(weights, v);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void load_data(__global const float *restrict x, int {data})
{
    for (int i = 0; i < {data}; i++)
        write_channel_intel(data, x[i]);
}
__attribute__((max_global_work_dim(0)))
__kernel void scale(__global float *restrict y, {both})
{
    float w = 0.0f;
    for (int i = 0; i < {data}; i++) {
        if (i < {weights})
            w = read_channel_intel(weights);
        y[i] = w * read_channel_intel(data);
    }
}
"""


def of(weights: str, data: str, **arguments: int) -> dict[str, tuple[str, list[str]]]:
    """What is said of each kernel, in its first line and what to do."""
    both = ", ".join(f"int {name}" for name in dict.fromkeys((weights, data)))
    text = WEIGHTS_AND_DATA.replace("{weights}", weights).replace("{data}", data).replace("{both}", both)
    done = assess(text, arguments=arguments)
    return {k.facts.name: (headline(done, k), lever_lines(k, 9)) for k in done.kernels}


def test_which_kernel_is_the_slowest_is_not_said_of_sizes_assumed_of_each_alone() -> None:
    first, todo = of("n_weights", "n_data")["load_data"]
    assert "at assumed sizes · channels-bound · give the sizes" in first
    assert todo == ["give the sizes of all kernels that channels join: at assumed ones load_weights is the slowest"]


def test_it_is_said_where_one_size_counts_for_all() -> None:
    first, todo = of("n", "n")["load_data"]
    assert "at assumed sizes · channels-bound · speed up load_weights" in first
    assert todo == ["all kernels that channels join wait for load_weights: speed that one up"]


def test_and_of_sizes_that_are_given() -> None:
    first, _ = of("n_weights", "n_data", n_weights=1 << 20, n_data=1 << 20)["load_data"]
    assert "channels-bound · speed up load_weights" in first
    assert "assumed" not in first
