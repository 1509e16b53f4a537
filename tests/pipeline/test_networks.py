"""Properties of kernels that run together, and of what a size that is given later does to a figure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_server.presentation.view_networks import networks_of
from burstline_server.words.remarks import remark_text
from burstline_server.words.verdict import headline, lever_lines, limit_line
from tests.assessing import assess

HEAD = "#pragma OPENCL EXTENSION cl_intel_channels : enable\n"
MOVES = {
    "in": "write_channel_intel(c0, x[{step} * i]);",
    "on": "write_channel_intel(c{to}, 2.0f * read_channel_intel(c{of}));",
    "out": "y[{step} * i] = read_channel_intel(c{of});",
}


def stage(number: int, last: int, n: int, step: int) -> str:
    """One kernel of a chain: the first loads, the last stores, those between hand on."""
    kind = "in" if number == 0 else "out" if number == last else "on"
    buffer = {"in": "__global const float *restrict x", "on": "int unused", "out": "__global float *restrict y"}[kind]
    move = MOVES[kind].format(step=step, of=number - 1, to=number)
    return (
        f"__attribute__((max_global_work_dim(0)))\n__kernel void stage{number}({buffer})\n"
        f"{{\n    for (int i = 0; i < {n}; i++)\n        {move}\n}}\n"
    )


@settings(max_examples=15, deadline=None)
@given(
    n=st.integers(1, 1 << 16),
    steps=st.tuples(st.sampled_from([1, 2, 16]), st.sampled_from([1, 16])),
    more=st.integers(0, 2),
)
def test_a_network_is_never_faster_than_its_slowest_stage_or_its_memory(
    n: int, steps: tuple[int, int], more: int
) -> None:
    last = more + 1
    every = [stage(k, last, n, steps[0] if k == 0 else steps[1]) for k in range(last + 1)]
    channels = HEAD + "".join(f"channel float c{k};\n" for k in range(last))
    together = assess(channels + "".join(every))
    times = {k.estimate.time_s for k in together.kernels}
    (time,) = times
    assert time is not None
    for text in every:
        (alone,) = assess(channels + text).kernels
        assert time >= (alone.estimate.time_s or 0.0) * (1 - 1e-9)
    moved = sum(u.bytes or 0.0 for k in together.kernels for u in k.estimate.units if u.lsu.space == "global")
    assert time >= moved / (together.board.memory.bandwidth_bytes_s * together.board.memory.banks)
    for kernel in together.kernels:
        assert sum(t.time_s for t in kernel.estimate.terms) == pytest.approx(time)


OPEN = """__kernel void part(__global const float *restrict x, __global const int *restrict k,
    __global float *restrict y, __global float *restrict z, int n, int mode)
{{
    int i = get_global_id(0);
    {body}
}}
"""
BODIES = (
    "if (i < n) y[i] = x[i];",
    "if (mode == 1) y[i] = x[i]; else z[i] = x[2 * i];",
    "if (i < n && mode > 2) y[i] = x[i]; z[i] = x[i];",
    "if (k[i] > 3 && i < n) y[i] = x[i];",
    "if (get_local_id(0) < n) y[i] = x[i];",
)


@settings(max_examples=25, deadline=None)
@given(body=st.sampled_from(BODIES), n=st.integers(0, 1 << 17), mode=st.integers(0, 4))
def test_times_of_rows_and_of_their_kernel_stay_within_what_was_said(body: str, n: int, mode: int) -> None:
    text = OPEN.format(body=body)

    def times(**arguments: int) -> dict[int, tuple[float, float, float]]:
        (kernel,) = assess(text, global_size=1 << 16, local_size=64, arguments=arguments).kernels
        own = kernel.estimate
        every = {u.lsu.members[0]: (u.time_low_s, u.time_s, u.time_high_s) for u in own.units}
        every[-1] = own.time_low_s, own.time_s, own.time_high_s
        return {at: (low or 0.0, time or 0.0, high or 0.0) for at, (low, time, high) in every.items()}

    before, after = times(), times(n=n, mode=mode)
    for at, (low, time, high) in after.items():
        assert before[at][0] * (1 - 1e-9) <= low <= time <= high <= before[at][2] * (1 + 2e-9)


@settings(max_examples=25, deadline=None)
@given(body=st.sampled_from(BODIES), n=st.integers(0, 1 << 17), mode=st.integers(0, 4))
def test_a_size_that_is_given_later_stays_within_what_was_said(body: str, n: int, mode: int) -> None:
    text = OPEN.format(body=body)

    def moved(**arguments: int) -> dict[int, tuple[float, float, float]]:
        (kernel,) = assess(text, global_size=1 << 16, local_size=64, arguments=arguments).kernels
        walks = {u.lsu.members[0]: u.walk for u in kernel.estimate.units}
        known = {i: w for i, w in walks.items() if w is not None}
        return {i: (w.low_bytes or 0.0, w.fetched_bytes or 0.0, w.high_bytes or 0.0) for i, w in known.items()}

    before, after = moved(), moved(n=n, mode=mode)
    for unit, (low, most_likely, high) in after.items():
        wide = before[unit]
        assert wide[0] * (1 - 1e-9) <= low <= most_likely * (1 + 1e-9)
        assert most_likely <= high * (1 + 1e-9) <= wide[2] * (1 + 2e-9)


def test_a_kernel_that_others_hold_up_at_the_memory_blames_none_of_its_own_accesses() -> None:
    text = (
        HEAD
        + """channel float c;
channel float d;
__kernel void light(__global const float *restrict x, int n)
{
    float v[16];
    for (int i = 0; i < 16; i++) v[i] = x[i];
    for (int i = 0; i < n; i++) write_channel_intel(c, v[i & 15]);
}
__kernel void loads(__global const float16 *restrict w, int n)
{
    for (int i = 0; i < n; i++) { float16 v = w[i]; write_channel_intel(d, v.s0 + v.sf + read_channel_intel(c)); }
}
__kernel void stores(__global float16 *restrict y, int n)
{
    for (int i = 0; i < n; i++) y[i] = (float16)(read_channel_intel(d));
}
"""
    )
    done = assess(text, arguments={"n": 1_000_000})
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert "memory-bound: kernels that run at the same time" in lines["light"]
    assert "memory-bound: w[i] on line" in lines["loads"]
    assert "memory-bound: y[i] on line" in lines["stores"]


BROKEN = (
    HEAD
    + """channel float c0;

__attribute__((max_global_work_dim(0)))
__kernel void load(__global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(c0, x[i]REST);
}

__attribute__((max_global_work_dim(0)))
__kernel void store(__global float *restrict y)
{
    for (int i = 0; i < 4096; i++)
        y[i] = read_channel_intel(c0);
}
"""
)


def test_no_figure_rests_on_a_kernel_that_does_not_compile() -> None:
    sizes = {"arguments": {"n": 1 << 24}}
    whole = assess(BROKEN.replace("REST", ""), **sizes)
    (together,) = {k.estimate.time_s for k in whole.kernels}
    done = assess(BROKEN.replace("REST", " +"), **sizes)
    assert [w.name for w in done.withheld] == ["load"]
    (store,) = done.kernels
    assert together is not None
    assert store.estimate.time_s is not None
    assert store.estimate.time_s < together / 100


COUNTED = (
    HEAD
    + """channel float c0;

__attribute__((max_global_work_dim(0)))
__kernel void produce(int n)
{
    float v = 0.0f;
    for (int i = 0; i < n; i++) {
        v = v * 0.5f + 1.0f;
        if (v > 0.5f) write_channel_intel(c0, v);
    }
}

__attribute__((max_global_work_dim(0)))
__kernel void store(__global float *restrict y)
{
    for (int i = 0; i < 16; i++)
        y[i] = read_channel_intel(c0);
}
"""
)


def test_a_stage_without_accesses_takes_as_long_at_assumed_sizes_as_with_these_given() -> None:
    produce, store = assess(COUNTED).kernels
    guess = produce.estimate.at_assumed
    assert produce.estimate.time_s is None
    assert guess is not None
    (n,) = guess.sizes.trips.values()
    given = assess(COUNTED, arguments={"n": n}).kernels
    assert guess.estimate.time_s == given[0].estimate.time_s
    assert store.estimate.limit != "channels", "how long it waits is not known without n"
    assert given[1].estimate.limit == "channels"


SLOW_STAGE = (
    HEAD
    + """channel float c0;
channel float c1;
__kernel void source(int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(c0, (float)i);
}
__kernel void halves(int n)
{
    for (int i = 0; i < n; i++) {
        float v = read_channel_intel(c0);
        #pragma unroll 1
        for (int k = 0; k < 16; k++)
            v *= 0.5f;
        write_channel_intel(c1, v);
    }
}
__kernel void sink(__global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(c1);
}
"""
)


def test_kernels_that_wait_for_a_stage_name_the_one_to_speed_up() -> None:
    done = assess(SLOW_STAGE, arguments={"n": 1 << 20})
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert "speed up halves" in lines["source"]
    assert "speed up halves" in lines["sink"]
    assert "speed up" not in lines["halves"]


def test_kernels_that_wait_for_the_memory_of_others_are_to_move_less_there() -> None:
    text = SLOW_STAGE.replace("            v *= 0.5f;", "            v *= x[k + 64 * i];").replace(
        "halves(int n)", "halves(__global const float *restrict x, int n)"
    )
    text = text.replace("unroll 1", "unroll").replace("y[i] =", "y[64 * i] =")
    done = assess(text, arguments={"n": 1 << 20})
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert "move less data in halves and sink" in lines["source"]


TWO_RATES = (
    HEAD
    + """channel int c, d;
__attribute__((max_global_work_dim(0)))
__kernel void both(__global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(c) + read_channel_intel(d);
}
__attribute__((max_global_work_dim(0)))
__kernel void feed(__global const int *restrict x, int n)
{
    for (int i = 0; i < 2 * n; i++)
        if (i & 1)
            write_channel_intel(d, x[i]);
        else
            write_channel_intel(c, x[i]);
}
"""
)


def test_a_stage_that_asks_for_a_word_a_cycle_is_the_limit_not_the_memory() -> None:
    done = assess(TWO_RATES, arguments={"n": 1_000_000})
    both, feed = done.kernels
    assert (both.estimate.limit, feed.estimate.limit) == ("channels", "issue")
    assert "speed up feed" in headline(done, both)
    assert feed.estimate.time_s == pytest.approx(2e6 / feed.estimate.f_max_hz, rel=0.01)


def test_one_clock_runs_all_kernels_that_channels_join() -> None:
    big = TWO_RATES.replace(
        "y[i] = read_channel_intel(c) + read_channel_intel(d);",
        "{ float v = read_channel_intel(c) + read_channel_intel(d);\n"
        "#pragma unroll\n for (int k = 0; k < 300; k++) v = v * 1.5f + (float)k; y[i] = (int)v; }",
    )
    both, feed = (k.estimate for k in assess(big, arguments={"n": 1_000_000}).kernels)
    (alone,) = (k.estimate for k in assess(big[: big.index("__attribute__")] + big[big.rindex("__attribute__") :],
                                           arguments={"n": 1_000_000}).kernels)  # fmt: skip
    assert alone.f_max_hz > both.f_max_hz
    assert feed.f_max_hz == both.f_max_hz


ORDERED = """
__kernel void feed(__global const int *restrict where)
{
    for (int i = 0; i < 1048576; i++)
        write_channel_intel(c0, where[i]);
}
__kernel void take(__global float *restrict y)
{
    for (int i = 0; i < 1048576; i++) {
        const int w = read_channel_intel(c0);
        y[w] = 1.0f;
    }
}
"""


def test_places_that_come_through_a_channel_lie_anywhere() -> None:
    text = HEAD + "channel int c0;\n" + ORDERED
    take = assess(text).kernels[1]
    in_order = assess(text.replace("y[w] = 1.0f", "y[i] = w")).kernels[1]
    assert take.estimate.time_s > 64 * 1048576 / 14.9e9
    assert take.estimate.time_s > 2 * in_order.estimate.time_s


def test_a_stage_that_waits_for_less_than_its_own_time_is_not_what_to_change() -> None:
    text = """channel float c0;
__kernel void feed(__global const float *restrict x)
{
    for (int i = 0; i < 1048576; i++)
        write_channel_intel(c0, x[16 * i]);
}
__kernel void take(__global float *restrict y)
{
    #pragma ii 3
    for (int i = 0; i < 1048576; i++)
        y[i] = read_channel_intel(c0);
}
"""
    feed, take = assess(HEAD + text).kernels
    alone = assess(HEAD + text.replace("#pragma ii 3", "")).kernels[0]
    assert 1.05 * alone.estimate.time_s < take.estimate.time_s < 2 * alone.estimate.time_s
    assert feed.estimate.limit == "channels"
    assert list(lever_lines(feed, 9)) == ["all kernels that channels join wait for take: speed that one up"]
    assert sum(term.time_s for term in feed.estimate.terms) == pytest.approx(feed.estimate.time_s)


@pytest.mark.parametrize("form", ["unrolled", "helper", "named"])
def test_a_kernel_that_reads_an_array_of_channels_waits_for_whoever_writes_its_elements(form: str) -> None:
    reads = {
        "unrolled": "#pragma unroll\n        for (int k = 0; k < 2; k++) sum += read_channel_intel(way[k]);",
        "helper": "sum = taken(0) + taken(LAST);",
        "named": "sum = read_channel_intel(way[0]) + read_channel_intel(way[2 - 1]);",
    }[form]
    text = (
        HEAD
        + """#define LAST 1
channel float way[2];
channel float other[2];
float taken(int k) { return read_channel_intel(way[k]); }
__kernel void give(__global const float *restrict s, int n)
{
    for (int t = 0; t < n; t++) {
        write_channel_intel(way[0], s[t * 64] + s[t * 64 + 16]);
        write_channel_intel(way[1], s[t * 64 + 32] + s[t * 64 + 48]);
    }
}
__kernel void take(__global float *restrict d, int n)
{
    for (int t = 0; t < n; t++) {
        float sum = 0.0f;
        """
        + reads
        + """
        d[t] = sum;
    }
}
__kernel void apart(__global float *restrict e, int n)
{
    for (int t = 0; t < n; t++) e[t] = read_channel_intel(other[0]);
}
__kernel void apart_too(int n)
{
    for (int t = 0; t < 3 * n; t++) write_channel_intel(other[1], 0.5f);
}
"""
    )
    done = assess(text, arguments={"n": 1_000_000}, board="p520")
    times = {k.facts.name: k.estimate.time_s for k in done.kernels}
    assert times["give"] == times["take"]
    assert times["apart"] != times["apart_too"]
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert "channels-bound" in lines["take"]
    assert "speed up give" in lines["take"]
    (network,) = networks_of(done)
    assert {(a, b) for a, b, _ in network.links} == {(0, 1)}
    assert {name for _, _, name in network.links} == {"way[0]", "way[1]"}


ONE_BEHIND_THE_OTHER = """
channel int done;
__attribute__((max_global_work_dim(0)))
__kernel void first(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 1048576; i++)
        y[i] = 2.0f * x[i];
    mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_CHANNEL_MEM_FENCE);
    write_channel_intel(done, 1);
}
__attribute__((max_global_work_dim(0)))
__kernel void second(__global const float *restrict y, __global float *restrict z)
{
    int go = read_channel_intel(done);
    for (int i = 0; i < 1048576; i++)
        z[i] = y[i] + 1.0f;
}
"""


def test_a_kernel_that_waits_for_the_end_of_another_does_not_share_the_memory_with_it() -> None:
    # 2^20 iterations at 200 MHz are 5.24 ms each, and the memory's part of 8 MB less: one after the other, not at once.
    assessment = assess(HEAD + ONE_BEHIND_THE_OTHER, f_max_mhz=200)
    for kernel in assessment.kernels:
        assert kernel.estimate.time_s == pytest.approx(1048576 / 200e6, rel=0.02)
        assert kernel.estimate.limit != "channels"
    _, second = assessment.kernels
    (note,) = map(remark_text, second.estimate.remarks)
    assert note == "starts when first has ended (it waits for that at a channel): the times add up"
    assert networks_of(assessment) == []


def test_a_token_in_each_iteration_joins_kernels() -> None:
    text = ONE_BEHIND_THE_OTHER.replace("y[i] = 2.0f * x[i];", "{ y[i] = x[i]; write_channel_intel(done, i); }")
    text = text.replace("z[i] = y[i]", "z[i] = read_channel_intel(done) + y[i]").replace(
        "int go = read_channel_intel(done);", ""
    )
    assert len(networks_of(assess(HEAD + text, f_max_mhz=200))) == 1


COUNTERS = """
channel int c0;
channel int c1;
__attribute__((max_global_work_dim(0)))
__kernel void deal(__global const int2 *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        int2 v = x[i];
        write_channel_intel(c0, v.x);
        write_channel_intel(c1, v.y);
    }
}
""" + "".join(
    f"""
__attribute__((max_global_work_dim(0)))
__kernel void count{k}(__global int *restrict bins, int n)
{{
    for (int i = 0; i < n; i++)
        atomic_inc(&bins[read_channel_intel(c{k}) & 255]);
}}
"""
    for k in (0, 1)
)


def test_atomics_of_several_kernels_wait_for_the_memory_at_the_same_time() -> None:
    settings_ = {"arguments": {"n": 1 << 20}}
    deal, count0, count1 = assess(HEAD + COUNTERS, **settings_).kernels
    one = HEAD + COUNTERS.replace("write_channel_intel(c1, v.y);", "").split("__kernel void count1")[0]
    alone = assess(one.rpartition("__attribute__")[0], **settings_).kernels[1]
    assert alone.estimate.time_s is not None
    for kernel in (deal, count0, count1):
        assert kernel.estimate.time_s == pytest.approx(alone.estimate.time_s, rel=0.02)


def test_units_that_take_turns_are_those_of_all_kernels_on_the_memory() -> None:
    """Four units read for a kernel with one that writes: five share the bank."""
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    pointers = ", ".join(f"__global const int *restrict {name}" for name in "abde")
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int4 c;\n"
        f"{task} rows({pointers}, int n)"
        "{ for (int i = 0; i < n; i++) write_channel_intel(c, (int4)(a[i], b[i], d[i], e[i])); }\n"
        f"{task} sums(__global int *restrict y, int n)"
        "{ for (int i = 0; i < n; i++) { int4 v = read_channel_intel(c); y[i] = v.x + v.y + v.z + v.w; } }\n"
    )
    done = assess(text, arguments={"n": 1 << 22})
    assert limit_line(done, done.kernels[0]).endswith("no more because 5 units take turns")


def test_the_bandwidth_that_is_used_is_that_of_all_kernels_on_the_memory() -> None:
    """64 B a cycle in and out: either kernel moves half of what the memory takes."""
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int16 c;\n"
        f"{task} rows(__global const int16 *restrict x, int n)"
        "{ for (int i = 0; i < n; i++) write_channel_intel(c, x[i]); }\n"
        f"{task} sums(__global int16 *restrict y, int n)"
        "{ for (int i = 0; i < n; i++) y[i] = read_channel_intel(c) + 1; }\n"
    )
    done = assess(text, arguments={"n": 1 << 22})
    rows, sums = done.kernels
    assert limit_line(done, rows).endswith("; 46 % of 14.9 GB/s memory bandwidth used, 93 % with sums")
    assert limit_line(done, sums).endswith("; 46 % of 14.9 GB/s memory bandwidth used, 93 % with rows")


def test_stages_that_take_as_long_are_to_be_sped_up_together() -> None:
    """Sixteen items in turn at both ends of a channel: one end alone would still wait for the other."""
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    narrow = "for (int i = 0; i < 16 * n; i++)"
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int16 c0;\nchannel int c1;\n"
        f"{task} feed(__global const int16 *restrict x, int n)"
        "{ for (int i = 0; i < n; i++) write_channel_intel(c0, x[i]); }\n"
        f"{task} deal(int n) {{ for (int i = 0; i < n; i++) {{ int16 v = read_channel_intel(c0);"
        "\n#pragma unroll 1\nfor (int k = 0; k < 16; k++) write_channel_intel(c1, v.s0 >> k); } }\n"
        f"{task} add(__global int *restrict y, int n)"
        f"{{ int sum = 0; {narrow} sum += read_channel_intel(c1); y[0] = sum; }}\n"
    )
    done = assess(text, arguments={"n": 1 << 20})
    assert "speed up deal and add" in headline(done, done.kernels[0])


@pytest.mark.parametrize("more", ["", ' __attribute__((io("kernel_input_ch0")))'])
def test_attributes_before_the_type_of_a_channel_are_read(more: str) -> None:
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\ntypedef struct { int a, b; } pair_t;\n"
        f"channel __attribute__((depth((1 << (2 + 1))))){more} pair_t c[2];\n"
        f"{task} feed(__global const pair_t *restrict x, int n)"
        "{ for (int i = 0; i < n; i++) write_channel_intel(c[0], x[i]); }\n"
        f"{task} take(__global pair_t *restrict y, int n)"
        "{ for (int i = 0; i < n; i++) y[i] = read_channel_intel(c[0]); }\n"
    )
    done = assess(text, arguments={"n": 1 << 20})
    (network,) = networks_of(done)
    assert [stage.kernel for stage in network.stages] == ["feed", "take"]


@pytest.mark.parametrize(("size", "time"), [({}, "≈? at least "), ({"arguments": {"n": 1 << 20}}, "at least ")])
def test_a_kernel_joined_with_one_that_does_not_compile_may_take_longer(size: dict[str, object], time: str) -> None:
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    text = (
        "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel float c;\n"
        f"{task} feed(__global const float *restrict x, int n)"
        "{ for (int i = 0; i < n; i++) write_channel_intel(c, x[i] + missing); }\n"
        f"{task} take(__global float *restrict y, int n)"
        "{ for (int i = 0; i < n; i++) y[i] = read_channel_intel(c); }\n"
    )
    done = assess(text, **size)
    (take,) = done.kernels
    assert headline(done, take).startswith(time)
    said = [remark_text(one) for one in take.estimate.remarks]
    assert "channels join it with feed, without figures: the time is a lower bound" in said
    both = assess(text.replace(" + missing", ""), **size)
    assert not headline(both, both.kernels[1]).startswith(time)


def test_those_that_compile_wait_for_each_other_without_the_one_that_does_not() -> None:
    task = "__attribute__((max_global_work_dim(0))) __kernel void"
    watched = SLOW_STAGE.replace(
        "write_channel_intel(c1, v);", "write_channel_intel(c1, v); write_channel_intel(log, i);"
    )
    watched = watched.replace("__kernel void halves", "channel int log;\n__kernel void halves")
    body = "for (int i = 0; i < missing; i++) y[i] = read_channel_intel(log);"
    watch = f"{task} watch(__global int *restrict y) {{ {body} }}"
    done = assess(watched + watch, arguments={"n": 1 << 20})
    lines = {k.facts.name: headline(done, k) for k in done.kernels}
    assert lines.keys() == {"source", "halves", "sink"}
    assert lines["source"].startswith("at least ")
    assert "speed up halves" in lines["source"]
    assert "speed up halves" in lines["sink"]
