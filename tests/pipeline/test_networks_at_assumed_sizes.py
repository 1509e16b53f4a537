"""Kernels that channels join, at sizes that are assumed of each by itself."""

from __future__ import annotations

from burstline_server.words.verdict import headline, lever_lines, limit_line
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


KEPT_GOING = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float samples, smooth;
__attribute__((max_global_work_dim(0)))
__kernel void source(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(samples, x[i]);
}
__attribute__((autorun)) __attribute__((max_global_work_dim(0)))
__kernel void filter(void)
{
    while (1) {
        float v = read_channel_intel(samples);
        #pragma unroll 1
        for (int k = 0; k < 64; k++)
            v = v * 0.5f + 1.0f;
        write_channel_intel(smooth, v);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void sink(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(smooth);
}
"""


def test_a_kernel_that_others_keep_going_runs_for_what_they_send_at_assumed_sizes() -> None:
    done = assess(KEPT_GOING)
    first = {k.facts.name: headline(done, k) for k in done.kernels}
    filtering = next(k for k in done.kernels if k.facts.name == "filter")
    given = assess(KEPT_GOING, arguments={"n": 1024})
    same = next(k for k in given.kernels if k.facts.name == "filter")
    assert "at assumed sizes" in first["filter"]
    assert "speed up filter" in first["source"]
    assert "speed up filter" in first["sink"]
    assert filtering.at_assumed is not None
    assert filtering.at_assumed.estimate.time_s == same.estimate.time_s
    said = limit_line(done, filtering)
    assert said.startswith("Assumed: n = 1024. ")
    assert said.endswith("Runs for all that source moves through samples")


ITEMS_AND_COUNT = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float8 rows;
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void fetch(__global const float8 *restrict x)
{
    write_channel_intel(rows, x[get_global_id(0)]);
}
__attribute__((max_global_work_dim(0)))
__kernel void store(__global float8 *restrict y, int count)
{
    for (int i = 0; i < 32 * count; i++)
        y[i] = read_channel_intel(rows);
}
"""


def test_work_items_that_are_assumed_send_as_much_as_the_other_end_takes() -> None:
    fetch, store = assess(ITEMS_AND_COUNT).kernels
    assert fetch.at_assumed is not None
    assert fetch.at_assumed.launch.global_size == (32 * 1024,)
    assert store.at_assumed is not None
    times = [fetch.at_assumed.estimate.time_s, store.at_assumed.estimate.time_s]
    assert times[0] == times[1]


def test_an_end_that_takes_next_to_nothing_says_nothing_of_work_items() -> None:
    """It is launched as often as the other kernel has work-items, or groups of them."""
    fetch, _ = assess(ITEMS_AND_COUNT.replace("32 * count", "8").replace("64, 1, 1", "4, 1, 1")).kernels
    assert fetch.at_assumed is not None
    assert fetch.at_assumed.launch.global_size == (1 << 20,)


def test_given_work_items_stay_as_they_are() -> None:
    fetch, _ = assess(ITEMS_AND_COUNT, kernels={"fetch": {"global_size": [4096]}}).kernels
    assert fetch.launch.global_size == (4096,)


NARROW_STREAMS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float as, bs, sums;
__attribute__((max_global_work_dim(0)))
__kernel void load_pairs(__global const float *restrict a, __global const float *restrict b,
                         __global const float *restrict c, __global const float *restrict d, int n)
{
    for (int i = 0; i < n; i++) {
        write_channel_intel(as, a[i] + c[i]);
        write_channel_intel(bs, b[i] + d[i]);
    }
}
__attribute__((max_global_work_dim(0)))
__kernel void add(int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(sums, read_channel_intel(as) + read_channel_intel(bs));
}
__attribute__((max_global_work_dim(0)))
__kernel void store_sums(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(sums);
}
"""


def test_narrow_streams_on_a_shared_memory_are_to_be_vectors() -> None:
    done = assess(NARROW_STREAMS, arguments={"n": 1 << 20})
    load, add, _ = done.kernels
    todo = lever_lines(load, 9)
    assert any("send vectors through as and bs, at both ends: " in line and "→" in line for line in todo)
    assert any("move less data in load_pairs" in line for line in lever_lines(add, 9))
    first = load.estimate.levers[0]
    assert first.after_s is not None
    assert first.after_s < (load.estimate.time_s or 0.0)


def test_whole_words_are_no_better_as_vectors() -> None:
    text = NARROW_STREAMS.replace("float *", "float16 *").replace("channel float ", "channel float16 ")
    done = assess(text, arguments={"n": 1 << 20})
    assert not any("send vectors" in line for line in lever_lines(done.kernels[0], 9))


PLANES = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float pixels, sums;
__attribute__((max_global_work_dim(0)))
__kernel void load(__global const float *restrict x, int rows, int width)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < width; c++)
            write_channel_intel(pixels, x[r * width + c]);
}
__attribute__((max_global_work_dim(0)))
__kernel void weigh(__global const float *restrict w, int rows, int width, int depth, int maps)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            float v = read_channel_intel(pixels), sum = 0.0f;
            for (int d = 0; d < depth; d++)
                for (int m = 0; m < maps; m++)
                    sum += v * w[d * maps + m];
            write_channel_intel(sums, sum);
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void store(__global float *restrict y, int rows, int width)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < width; c++)
            y[r * width + c] = read_channel_intel(sums);
}
"""


def test_an_argument_of_one_name_is_assumed_alike_in_all_kernels() -> None:
    """Four nested loops are assumed shorter than two: of rows and width, each kernel has the shorter ones."""
    done = assess(PLANES)
    sizes = {k.facts.name: at.sizes for k in done.kernels if (at := k.estimate.at_assumed) is not None}
    assert {name: (own.arguments["rows"], own.arguments["width"]) for name, own in sizes.items()} == {
        "load": (128, 128), "weigh": (128, 128), "store": (128, 128)
    }  # fmt: skip
    assert set(sizes["load"].trips.values()) == {128}
    moved = {
        k.facts.name: [u.bytes for u in at.estimate.units]
        for k in done.kernels
        if (at := k.estimate.at_assumed) is not None and k.facts.name != "weigh"
    }
    assert moved == {"load": [4 * 128 * 128], "store": [4 * 128 * 128]}


def test_what_is_given_for_one_kernel_is_assumed_of_the_others() -> None:
    done = assess(PLANES, kernels={"load": {"arguments": {"rows": 1000, "width": 500}}})
    load, weigh, store = done.kernels
    assert [loop.trip for loop in load.estimate.loops] == [1000, 500]
    for kernel in (weigh, store):
        assert kernel.estimate.at_assumed is not None
        sizes = kernel.estimate.at_assumed.sizes
        assert (sizes.arguments["rows"], sizes.arguments["width"]) == (1000, 500)


FEW = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float sums __attribute__((depth(8)));
__kernel void add(__global const float *restrict a, int n)
{
    for (int r = 0; r < 16; r++) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += a[r * n + i];
        write_channel_intel(sums, sum);
    }
}
__kernel void keep(__global float *restrict y)
{
    y[get_global_id(0)] = read_channel_intel(sums);
}
"""


def test_work_items_that_take_from_a_channel_are_as_many_as_are_sent() -> None:
    add, keep = assess(FEW).kernels
    assert keep.at_assumed is not None
    assert keep.at_assumed.launch.global_size == (16,)
    assert add.estimate.at_assumed is not None
    assert add.estimate.at_assumed.estimate.limit == "pipeline"
