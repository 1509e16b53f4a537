"""A loop that one work-item runs while the others leave it out, barriers behind longer loops, and scattered marks."""

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.source.locate import place_of
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import headline, lever_lines, limit_line
from tests.assessing import assess

SUMS = """__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void cumulate(__global float *restrict weights, __global float *restrict sums, int n)
{
    int i = get_global_id(0);
    weights[i] *= 2.0f;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0) {
        sums[0] = weights[0];
        for (int k = 1; k < n; k++)
            sums[k] = weights[k] + sums[k - 1];
    }
}
"""


def test_a_loop_that_one_work_item_runs_is_the_bottleneck_not_the_launch() -> None:
    done = assess(SUMS, global_size=[1 << 16], arguments={"n": 1 << 16})
    (kernel,) = done.kernels
    assert "loop on line 9" in headline(done, kernel)
    assert "most leave out the loop on line 9" in limit_line(done, kernel)
    assert lever_lines(kernel, 1)[0].startswith("make the loop a single work-item kernel of its own")
    (finding,) = [f for f in findings_of(done) if f.code == "BL403"]
    assert place_of(done.source, finding.span).line + 1 == 9
    assert "those that run it wait for each iteration" in message_text(finding)
    # An iteration takes tens of cycles: a load, an addition and a store of one work-item.
    cycles = (kernel.estimate.time_s or 0.0) * kernel.estimate.f_max_hz / (1 << 16)
    assert 10 < cycles < 400


def test_a_small_launch_needs_no_kernel_for_a_loop() -> None:
    text = "__kernel void add(__global float *restrict y) { int i = get_global_id(0); y[i] = sqrt(y[i]) + 1.0f; }"
    (kernel,) = assess(text, global_size=[16], local_size=[16]).kernels
    assert kernel.estimate.limit in {"latency", "work_items"}
    assert not any("kernel of its own" in line for line in lever_lines(kernel, 3))


MARKS = """__kernel void visit(__global const int *restrict edges, __global int *levels, int now)
{
    int v = edges[get_global_id(0)];
    if (levels[v] == -1)
        %s
}
"""


def test_what_is_marked_is_no_sum() -> None:
    """A level that is set where it was not has nothing to add up in a copy."""
    marks, sums = (
        lever_lines(assess(MARKS % body, global_size=[1 << 20], arguments={"now": 1}).kernels[0], 3)
        for body in ("levels[v] = now + 1;", "levels[v] = levels[v] + now;")
    )
    assert not any("accumulate" in line for line in marks)
    assert any("accumulate" in line for line in sums)


TILES = """__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void tiles(__global const float *restrict a, __global float *restrict b)
{
    __local float t[64];
    int l = get_local_id(0);
    float s = 0.0f;
    for (int k = 0; k < 8; k++) {
        t[l] = a[get_group_id(0) * 512 + k * 64 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < 64; j++)
            s = sqrt(s * t[j] + 1.0f);
        for (int j = 0; j < LONG; j++)
            t[l] = t[l] * 0.5f;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = s;
}
"""


def test_a_barrier_is_blamed_for_no_more_than_it_adds_to_longer_loops() -> None:
    def blamed(trips: int) -> list[float]:
        done = assess(TILES.replace("LONG", str(trips)), global_size=[1024], aoc_version="19.4")
        return [f.share or 0.0 for f in findings_of(done) if f.code == "BL404"]

    (one,) = blamed(1)  # two barriers, one loop
    assert 0.05 < one < 0.5
    assert blamed(4) == []


FILLS = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void smooth(__global const float *restrict x, __global float *restrict y)
{
    __local float t[1024];
    int l = get_local_id(0);
    if (l == 0)
        for (int i = 0; i < 1024; i++)
            t[i] = x[1024 * get_group_id(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = t[16 * l] + t[1023 - 16 * l];
}
"""


def test_a_tile_that_one_work_item_of_each_group_fills_is_shared_by_all() -> None:
    done = assess(FILLS, global_size=[1 << 16], f_max_mhz=300)
    (kernel,) = done.kernels
    # An iteration of one work-item takes a load from memory, tens of cycles at least. 1024 groups of 1024 iterations,
    # of which the pipeline holds a few at a time: far longer than one iteration a cycle (3.5 ms), and no less than
    # 1024 x 1024 x 50 cycles by 8 groups (22 ms).
    assert kernel.estimate.time_s is not None
    assert 22e-3 < kernel.estimate.time_s < 1.0
    assert "loop on line 8" in headline(done, kernel)
    assert lever_lines(kernel, 1)[0].startswith("let all work-items of a group share the loop")
    shared = FILLS.replace("if (l == 0)\n", "").replace("int i = 0; i < 1024; i++", "int i = l; i < 1024; i += 64")
    (after,) = assess(shared, global_size=[1 << 16], f_max_mhz=300).kernels
    assert after.estimate.time_s is not None
    assert after.estimate.time_s < kernel.estimate.time_s / 10


PLACES = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void smooth(__global const float *restrict x, __global const int *restrict begins, __global float *restrict y,
                     int width)
{
    __local float t[1024];
    int l = get_local_id(0), first = get_group_id(0) * width;
    if (l == 0) {
        int from = first - width;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 256; c++) {
                t[256 * r + c] = x[from + 1];
                from++;
            }
            from = %s;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = t[4 * l] + t[256 + 3 * l];
}
"""


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("first + r * width", "let all work-items of a group share the loop"),
        ("begins[from]", "make the loop a single work-item kernel of its own"),
    ],
)
def test_a_place_that_counters_decide_is_no_reason_to_leave_a_tile_to_one(where: str, said: str) -> None:
    (kernel,) = assess(PLACES % where, global_size=[1 << 16], f_max_mhz=300, arguments={"width": 4096}).kernels
    assert lever_lines(kernel, 1)[0].startswith(said)


PEAK = """__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void rows(__global const float *restrict image, __global float *restrict peaks, int height)
{
    __local float highest[256];
    int column = get_global_id(0);
    float high = 0.0f;
    if (%s)
        for (int row = 0; row < height; row++)
            high = fmax(high, image[row * 256 + column]);
    highest[get_local_id(0)] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    peaks[get_global_id(1) * 256 + column] = highest[255 - get_local_id(0)];
}
"""


def test_a_group_that_runs_a_loop_with_all_its_work_items_fills_it() -> None:
    """One group comes to the loop, with all of its 256 work-items: only conditions within a group part it."""

    def taken(condition: str) -> float:
        text = PEAK % condition
        (kernel,) = assess(text, global_size=[256, 1024], f_max_mhz=300, arguments={"height": 1024}).kernels
        assert kernel.estimate.time_s is not None
        return kernel.estimate.time_s

    # 256 x 1024 work-items and 256 x 1024 iterations, one of each a cycle: 0.9 ms.
    assert 0.8e-3 < taken("get_global_id(1) == 0") < 2e-3
    assert 0.8e-3 < taken("get_group_id(1) == 0") < 2e-3
    # One work-item of each group: its iterations wait for each other, as many cycles as a load takes and more.
    assert taken("get_local_id(0) == 0") > 5e-3
