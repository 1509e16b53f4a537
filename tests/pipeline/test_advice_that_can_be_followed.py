"""Advice that the text allows: no promise that cannot be made, and something to do where there is something."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import MoreCopies, MoreUnits, WiderItems
from burstline_server.words.changes import action_text
from burstline_server.words.edits import fix_title
from burstline_server.words.verdict import lever_lines, limit_line
from tests.assessing import assess
from tests.rewrites.test_fixes import fixes

SWAPS = """
void swap(__global unsigned *a, __global unsigned *b)
{
    unsigned kept = *a;
    *a = *b;
    *b = kept;
}
__kernel void pairs(__global unsigned *restrict d)
{
    int low = get_global_id(0), high = low + 8;
    if ((low & 8) == 0 && (low & 64) == 0 && d[low] > d[high])
        swap(&d[low], &d[high]);
    if ((low & 8) == 0 && (low & 64) != 0 && d[low] < d[high])
        swap(&d[low], &d[high]);
}
"""


def test_no_promise_is_asked_for_where_one_pointer_is_stored_to_and_loaded_outside_loops() -> None:
    # restrict is there already, and ivdep is for loops: what helps is that all loads come first.
    (kernel,) = assess(SWAPS, aoc_version="18.1", global_size=1 << 20, local_size=256).kernels
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert "load all that is read of d before its first store" in texts
    assert not any("promise" in text for text in texts)


STREAMS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float2 c0;
__attribute__((max_global_work_dim(0)))
__kernel void join(__global const float2 *restrict a, __global const float2 *restrict b,
                   __global const float2 *restrict c, __global const float2 *restrict d)
{
    for (int i = 0; i < 1048576; i++)
        write_channel_intel(c0, a[i] + b[i] + c[i] + d[i]);
}
"""


def test_where_narrow_units_take_turns_at_the_memory_less_data_is_not_all_that_helps() -> None:
    # 4 x 8.4 MB through 14.9 GB/s are 2.25 ms; four units of 8 bytes reach far less of it.
    done = assess(STREAMS, board="s10gx_ddr4_1866", f_max_mhz=450)
    (kernel,) = done.kernels
    assert kernel.estimate.limit == "memory"
    (lever,) = kernel.estimate.levers
    assert lever.change == WiderItems(channels=("c0",))
    assert 2.25e-3 < (lever.after_s or 0.0) < 1.5 * 2.25e-3
    assert "no more because 4 units take turns" in limit_line(done, kernel)


PASSES = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void passes(__global const uint *restrict x, __global uint *restrict y)
{
    __local uint t[256];
    uint l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 128; j > 0; j >>= 1) {
        uint other = l ^ j;
        uint own = t[l], far = t[other];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = (l & j) ? max(own, far) : min(own, far);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = t[l];
}
"""


def test_a_loop_with_a_barrier_that_limits_is_helped_by_more_compute_units() -> None:
    # Eight passes of 2^20 work-items at 300 MHz are 28 ms.
    (kernel,) = assess(PASSES, global_size=1 << 20, f_max_mhz=300).kernels
    assert kernel.estimate.time_s == pytest.approx(8 * (1 << 20) / 300e6, rel=0.1)
    assert any(isinstance(lever.change, MoreUnits) for lever in kernel.estimate.levers)


PLANES = """
__kernel void planes(__global const float *restrict x, __global float *restrict y, int n)
{
    int plane = get_global_id(0), row = get_global_id(1), column = get_global_id(2);
    y[(plane * n + row) * n + column] = 2.0f * x[(plane * n + row) * n + column];
}
"""


def test_the_dimension_whose_neighbours_lie_side_by_side_comes_first() -> None:
    # Planes come first: each float is a word of its own, 64 bytes for 4. Columns first, all of a word is used.
    (kernel,) = assess(PLANES, global_size=[64, 128, 128], arguments={"n": 128}, f_max_mhz=300).kernels
    (lever, *_) = kernel.estimate.levers
    assert action_text(lever.change) == "swap get_global_id(0) and get_global_id(2)"
    assert lever.after_s is not None
    # 2^20 work-items at 300 MHz are 3.5 ms; 2 x 67 MB through 14.9 GB/s were 9 ms.
    assert lever.after_s == pytest.approx((1 << 20) / 300e6, rel=0.05)


IN_TURNS = """
__kernel void columns(__global const float *restrict x, __global const int *restrict ends, __global float *restrict y,
                      int n, int width)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    %s
    for (int k = 0; k < %s; k++)
        sum += x[k * width + i];
    y[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("before", "end", "ways"),
    [
        ("", "64", "unroll the loop whole, or put a barrier in it"),
        ("if (ends[i] > 0)", "64", "unroll the loop whole"),
        ("", "n", "put a barrier in the loop"),
        ("", "ends[i]", "write a single work-item kernel whose innermost loop runs over the work-items"),
        ("if (ends[i] > 0)", "n", "write a single work-item kernel whose innermost loop runs over the work-items"),
    ],
)
def test_work_items_are_kept_together_in_a_way_that_the_loop_allows(before: str, end: str, ways: str) -> None:
    # A barrier that some work-items do not come to hangs; a loop is built whole where its trips are a number.
    settings = {"arguments": {"n": 64, "width": 65536}, "global_size": 65536, "local_size": 256, "assumed_trips": 64}
    (kernel,) = assess(IN_TURNS % (before, end), **settings).kernels
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert f"{ways}, to keep neighbours in x together" in texts


def test_loops_that_stay_in_a_word_run_in_turn() -> None:
    text = """
    __kernel void lengths(__global char *text, __global const int *restrict ends, __global int *restrict y)
    {
        int i = get_global_id(0);
        int sum = 0;
        for (int k = 0; k < ends[i]; k++)
            sum += text[i * 16 + k];
        y[i] = sum;
    }
    """
    (kernel,) = assess(text, global_size=65536, local_size=256, trips={6: 16}).kernels
    texts = [action_text(o.change) for unit in kernel.estimate.units for o in unit.observations]
    in_turn = "write a single work-item kernel that runs their loops in turn, to keep neighbours in text together"
    assert in_turn in texts


REREAD = """
__kernel void rows(__global int *graph)
{
    int i = get_global_id(0);
    __global int *first = &graph[graph[0]];
    for (int e = first[i]; e < first[i + 1]; e++)
        graph[e] += 1;
}
"""


def test_what_begins_at_a_place_that_is_loaded_before_the_loop_is_loaded_once() -> None:
    (kernel,) = assess(REREAD, global_size=65536, local_size=256, trips={5: 16}).kernels
    texts = [action_text(o.change) for unit in kernel.estimate.units for o in unit.observations]
    assert "load first[i + 1] once, before the loop" in texts


STRIDED = """
__kernel void keep(__global const uint2 *restrict rows, __global int *restrict marks, int n, int low, int high)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        marks[i] = rows[i].y >= low && rows[i].y <= high;
}
"""


def test_all_that_a_loop_takes_apart_is_one_change() -> None:
    settings = {"arguments": {"n": 1 << 24}, "global_size": 65536, "local_size": 256}
    (kernel,) = assess(STRIDED, **settings).kernels
    (lever,) = kernel.estimate.levers
    launch = "launch a work-item for each element in place of the loop, if its iterations are independent"
    assert action_text(lever.change) == f"{launch}, to keep neighbours in marks and rows together"
    one_a_row = STRIDED.replace(
        "for (int i = get_global_id(0); i < n; i += get_global_size(0))", "int i = get_global_id(0);"
    )
    (after,) = assess(one_a_row, **{**settings, "global_size": 1 << 24}).kernels
    assert lever.after_s is not None
    assert lever.after_s == pytest.approx(after.estimate.time_s, rel=0.1)


def test_a_loop_that_sums_up_stays() -> None:
    text = STRIDED.replace("    for", "    int sum = 0;\n    for").replace(
        "marks[i] = rows[i].y >= low && rows[i].y <= high;", "{ sum += rows[i].x; marks[i] = sum; }"
    )
    (kernel,) = assess(text, arguments={"n": 1 << 24}, global_size=65536, local_size=256).kernels
    assert not any("in place of the loop" in action_text(lever.change) for lever in kernel.estimate.levers)


def test_a_loop_stays_where_groups_do_more_than_it() -> None:
    """A work-item for each element would clear and add up a histogram in each of ever more groups."""
    text = """
__kernel void counted(__global const int *restrict data, __global int *restrict bins, int n)
{
    __local int own[256];
    own[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[data[i] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}
"""
    (kernel,) = assess(text, arguments={"n": 1 << 24}, global_size=1024, local_size=256).kernels
    assert kernel.estimate.levers
    assert not any("in place of the loop" in action_text(lever.change) for lever in kernel.estimate.levers)


def test_a_loop_over_what_data_choose_is_no_stride() -> None:
    text = """
__kernel void mark(__global const int *restrict ends, __global const int *restrict to, __global char *restrict seen)
{
    for (int e = ends[get_global_id(0)]; e < ends[get_global_id(0) + 1]; e++)
        if (!seen[to[e]]) seen[to[e]] = 1;
}
"""
    (kernel,) = assess(text, global_size=1 << 20, assumed_trips=16).kernels
    assert not any("in place of the loop" in action_text(lever.change) for lever in kernel.estimate.levers)


LEADER = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct { uchar lane[16]; } lanes;
channel lanes c0;
__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void writes(__global uchar *restrict y)
{
    __local uchar kept[16];
    if (get_local_id(0) == 0) {
        lanes v = read_channel_intel(c0);
        #pragma unroll
        for (int k = 0; k < 16; k++)
            kept[k] = v.lane[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = kept[get_local_id(0)];
}
"""


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (LEADER, "vectors of 16"),
        (LEADER.replace("y[get", "if (get_global_id(0) % 3 == 0) y[get"), "do more in each work-item"),
    ],
)
def test_a_channel_that_one_work_item_of_a_group_reads_is_not_asked_to_carry_more(text: str, advice: str) -> None:
    (kernel,) = assess(text, global_size=1 << 20, f_max_mhz=300).kernels
    assert kernel.estimate.time_s == pytest.approx((1 << 20) / 300e6, rel=0.05)
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert advice in texts
    assert not any("through c0" in text for text in texts)


SEEN = """__attribute__((max_global_work_dim(0)))
__kernel void first_times(__global const uint *restrict visited, __global uint *restrict count, int n)
{
    uint seen[4096];
    uint fresh = 0;
    for (int i = 0; i < 4096; i++) seen[i] = 0;
    for (int i = 0; i < n; i++) {
        uint v = visited[i] & 131071, word = seen[v >> 5], bit = 1u << (v & 31);
        if ((word & bit) == 0) {
            seen[v >> 5] = word | bit;
            fresh++;
        }
    }
    count[0] = fresh;
}
"""


def test_marks_that_are_asked_for_again_are_no_sum() -> None:
    """Copies of the marks that are added up at the end miss what another copy has seen."""
    estimate = assess(SEEN, arguments={"n": 1 << 20}, board="de5net").kernels[0].estimate
    assert estimate.limit == "dependence"
    texts = [action_text(lever.change) for lever in estimate.levers]
    assert texts[0] == "keep the last elements of seen in registers"
    assert not any("partial results" in text for text in texts)


TABLES = """
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void count(__global const uchar *restrict x, __global int *restrict bins)
{
    __local int own[256];
    int l = get_local_id(0);
    own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[x[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    %s
}
"""


@pytest.mark.parametrize("adds", ["atomic_add(&bins[l], own[l]);", "if (l == 0) atomic_add(bins, own[0]);"])
def test_what_groups_have_added_up_is_not_to_be_added_up_once_more(adds: str) -> None:
    # A copy is there already; each of the groups adds it to the result.
    (kernel,) = assess(TABLES % adds, global_size=1 << 20, local_size=256).kernels
    atomic = next(u for u in kernel.estimate.units if u.lsu.op == "atomic")
    for observation in atomic.observations:
        assert observation.change == "fewer_groups"
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert not any("copy" in text for text in texts)
    if "own[l]" in adds:
        assert texts[0] == "let fewer work-groups do more each"


def test_a_slow_loop_is_copied_where_every_word_of_the_memory_is_used() -> None:
    text = """
__kernel void rows(__global const float *restrict x, __global float *restrict y)
{
    float row[4096], made[4096];
    for (int r = 0; r < 128; r++) {
        #pragma unroll 16
        for (int i = 0; i < 4096; i++)
            row[i] = x[4096 * r + i];
        #pragma unroll 8
        for (int i = 0; i < 4096; i++)
            made[i] = row[i] * row[i];
        #pragma unroll 16
        for (int i = 0; i < 4096; i++)
            y[4096 * r + i] = made[i];
    }
}
"""
    (kernel,) = assess(text).kernels
    estimate = kernel.estimate
    assert estimate.limit == "memory"
    (lever,) = estimate.levers
    assert isinstance(lever.change, MoreCopies)
    assert lever.loop == 2
    assert lever.after_s
    assert estimate.time_s
    assert lever.after_s < 0.9 * estimate.time_s


@pytest.mark.parametrize(
    ("row", "column", "asked"),
    [
        ("16 * get_group_id(0) + get_local_id(0)", "16 * get_group_id(1) + get_local_id(1)", "get_local_id"),
        ("get_global_id(0)", "get_global_id(1)", "get_global_id"),
    ],
)
def test_the_ids_to_be_swapped_are_those_that_the_kernel_asks_for(row: str, column: str, asked: str) -> None:
    text = f"""
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void twice(__global const float *restrict x, __global float *restrict y, int n)
{{
    int row = {row}, column = {column};
    y[row * n + column] = 2 * x[row * n + column];
}}
"""
    (kernel,) = assess(text, arguments={"n": 4096}, global_size=[4096, 4096]).kernels
    assert action_text(kernel.estimate.levers[0].change).startswith(f"swap {asked}(0) and {asked}(1)")


DIFFUSED = """
__attribute__((max_global_work_dim(0)))
__kernel void halftone(__global const int *restrict in, __global int *restrict out, int n)
{
    int kept[64];
    #pragma unroll
    for (int k = 0; k < 64; k++)
        kept[k] = 0;
    for (int i = 0; i < n; i++) {
        int v = (i & 255) + BEFORE;
        int dot = v > 127 ? 255 : 0;
        #pragma unroll
        for (int k = 63; k > 0; k--)
            kept[k] = kept[k - 1];
        kept[0] = (v - dot) >> 1;
    }
    out[0] = kept[0] + kept[17] + in[0];
}
"""


def test_a_channel_to_the_kernel_itself_is_no_partner_that_it_waits_for() -> None:
    queue = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int kept_dots __attribute__((depth(64)));\n"
    own = "write_channel_intel(kept_dots, v); v += i > 63 ? read_channel_intel(kept_dots) : 0;\n        int dot"
    text = queue + DIFFUSED.replace("int dot", own).replace("BEFORE", "kept[63]")
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    assert [action_text(one.change) for one in kernel.estimate.levers] == ["run independent data side by side"]


@pytest.mark.parametrize(("before", "chained"), [("kept[63]", True), ("3", False)])
def test_a_loop_whose_iterations_need_the_one_before_says_that_only_other_data_help(before: str, chained: bool) -> None:
    done = assess(DIFFUSED.replace("BEFORE", before), arguments={"n": 1 << 20})
    (kernel,) = done.kernels
    assert kernel.estimate.limit == "pipeline"
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert ("run independent data side by side" in texts) == chained
    assert texts


ALIKE = """
__kernel void dot(__global const float *restrict x, __global const float *restrict w, __global float *restrict y)
{
    __local float last[4];
    int i = get_global_id(0);
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 16; k++)
        sum += x[k] * w[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[%s] = sum;
}
"""


@pytest.mark.parametrize(("place", "one"), [("0", True), ("i", False)])
def test_no_hardware_is_added_for_work_items_that_all_store_to_the_same_places(place: str, one: bool) -> None:
    (kernel,) = assess(ALIKE % place, global_size=1 << 20, local_size=256).kernels
    first = action_text(kernel.estimate.levers[0].change)
    assert (first == "launch one work-item") == one
    titles = [fix_title(fix) for fix in fixes(ALIKE % place, global_size=1 << 20, local_size=256)]
    assert any("num_" in title for title in titles) == (not one)


def test_one_work_item_is_not_advised_where_one_is_launched() -> None:
    (kernel,) = assess(ALIKE % "0", global_size=1, local_size=1).kernels
    assert "launch one work-item" not in [action_text(lever.change) for lever in kernel.estimate.levers]


TWO_LOOPS = """
__attribute__((max_global_work_dim(0)))
__kernel void two(__global const float *restrict a, __global float *restrict b, __global const float *restrict c,
                  __global float *restrict d, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2.0f;
    for (int i = 0; i < 2 * n; i++)
        d[i] = c[i] + 1.0f;
}
"""


def test_what_helps_two_loops_alike_by_different_times_names_their_lines() -> None:
    (kernel,) = assess(TWO_LOOPS, arguments={"n": 1 << 20}).kernels
    lines = [line for line in lever_lines(kernel, 9) if "unroll the loop" in line]
    assert ["(line 6)" in line or "(line 8)" in line for line in lines] == [True] * len(lines)
    assert len(lines) > 1


FILTERED = """
__attribute__((max_global_work_dim(0)))
__kernel void filter(__global const float *restrict x, __global float *restrict y, int n)
{
    float kept = 0.0f;
    for (int i = 0; i < n; i++) {
        kept = NEXT;
        EACH
    }
    y[n] = kept;
}
"""


@pytest.mark.parametrize(
    ("each_next", "each", "chained"),
    [
        ("0.9f * kept + x[i]", "y[i] = kept;", True),  # a filter: no sum in another order gives the same
        ("kept + x[i]", "", False),  # several partial sums are as good
    ],
)
def test_a_chain_of_long_operations_asks_for_other_data_in_turn(each_next: str, each: str, chained: bool) -> None:
    done = assess(FILTERED.replace("NEXT", each_next).replace("EACH", each), arguments={"n": 1 << 20})
    (kernel,) = done.kernels
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert ("let independent data take turns" in texts) == chained
    assert texts


PATHS = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float steps;
__attribute__((max_global_work_dim(0)))
__kernel void draw(__global const float *restrict x, int n)
{
    for (int i = 0; i < n * 1024; i++)
        write_channel_intel(steps, x[i & 1023]);
}
__attribute__((max_global_work_dim(0)))
__kernel void paths(__global float *restrict y, int n)
{
    FIRST
    for (int i = 0; i < n; i++) {
        AGAIN
        for (int t = 0; t < 1024; t++)
            price = 0.5f + price * read_channel_intel(steps);
        y[i] = price;
    }
}
"""


@pytest.mark.parametrize(
    ("first", "again", "chained"), [("", "float price = 1.0f;", True), ("float price = 1.0f;", "", False)]
)
def test_paths_that_begin_anew_may_take_turns_at_a_channel(first: str, again: str, chained: bool) -> None:
    done = assess(PATHS.replace("FIRST", first).replace("AGAIN", again), arguments={"n": 1 << 10})
    texts = [action_text(lever.change) for lever in done.kernels[1].estimate.levers]
    assert done.kernels[1].estimate.limit == "dependence"
    assert ("let independent data take turns" in texts) == chained


INSERTION = """
__kernel void sorted(__global const int *restrict in, __global int *restrict out)
{
    __local int a[256];
    for (int b = 0; b < 4096; b++) {
        for (int i = 0; i < 256; i++) a[i] = in[b * 256 + i];
        for (int i = 1; i < 256; i++) {
            const int own = a[i];
            int j = i - 1;
            SHIFT
            a[j + 1] = own;
        }
        for (int i = 0; i < 256; i++) out[b * 256 + i] = a[i];
    }
}
"""


@pytest.mark.parametrize(
    "shift",
    [
        "while (j >= 0 && a[j] > own) { a[j + 1] = a[j]; j--; }",
        "for (; j >= 0; j--) { const int other = a[j]; if (other <= own) break; a[j + 1] = other; }",
    ],
)
def test_a_loop_that_elements_end_is_not_to_be_unrolled(shift: str) -> None:
    # Each copy would wait for what the one before finds: only other blocks can be sorted at the same time.
    (kernel,) = assess(INSERTION.replace("SHIFT", shift)).kernels
    texts = [action_text(lever.change) for lever in kernel.estimate.levers]
    assert texts == ["run independent data side by side"]


ROW_PRODUCTS = """
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__kernel void rows(__global const float *restrict x, __global const float *restrict w, __global float *restrict y)
{
    const int m = get_global_id(0);
    float sum = 0.0f;
    #pragma unroll 8
    for (int i = 0; i < 512; i++)
        sum += x[i] * w[m * 512 + i];
    y[m] = sum;
}
"""


@pytest.mark.parametrize("group", [64, 1])
def test_a_pragma_goes_before_a_tile_that_saves_as_much(group: int) -> None:
    # 32 of 64 B of each word are asked for: 16 copies ask for all of them.
    (kernel,) = assess(ROW_PRODUCTS.replace("GROUP", str(group)), global_size=1 << 16).kernels
    first, *others = kernel.estimate.levers
    assert action_text(first.change).startswith("unroll the loop by 16")
    assert all((one.after_s or 0.0) >= 0.95 * (first.after_s or 0.0) for one in others)


WINDOW = """
__kernel void k(__global const float *restrict w, __global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int row = 0; row < 3; row++) {
            #pragma unroll 1
            for (int column = 0; column < COUNT; column++)
                sum += w[row * COUNT + column] * x[i + row * 64 + column];
        }
        y[i] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("count", "advice"), [(3, "unroll the loop by 3"), (64, "keep several partial results in turn")]
)
def test_a_loop_of_fewer_iterations_than_its_sum_takes_cycles_is_unrolled(count: int, advice: str) -> None:
    (kernel,) = assess(WINDOW.replace("COUNT", str(count)), arguments={"n": 1 << 20}).kernels
    first = kernel.estimate.levers[0]
    assert action_text(first.change).startswith(advice)
    assert first.after_s is not None
    assert first.after_s < kernel.estimate.time_s / (20 if count == 3 else 2)


FROM_BOARD = """
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel ushort4 samples __attribute__((depth(4))) %s;
__attribute__((max_global_work_dim(0)))
__kernel void keep(__global ushort4 *restrict out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = read_channel_intel(samples);
}
"""


@pytest.mark.parametrize(("io", "asked"), [("", True), ('__attribute__((io("samples")))', False)])
def test_a_channel_of_the_board_is_as_wide_as_the_board_has_it(io: str, asked: bool) -> None:
    (kernel,) = assess(FROM_BOARD % io, arguments={"n": 1 << 24}).kernels
    (channel,) = kernel.facts.channels
    assert channel.from_board is not asked
    assert any(isinstance(lever.change, WiderItems) for lever in kernel.estimate.levers) is asked
