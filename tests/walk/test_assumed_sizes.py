"""Sizes that are assumed cost what the same sizes cost when they are given, rows as long as assumed included."""

import pytest

from burstline_server.words.changes import change_text
from tests.assessing import assess
from tests.walk.walking import SINGLE

COLUMN_SUMS = (
    SINGLE
    + """
    __kernel void sums(__global const float *restrict a, __global float *restrict s, int rows, int cols)
    {
        for (int j = 0; j < cols; j++) {
            float t = 0.0f;
            for (int i = 0; i < rows; i++)
                t += a[i * cols + j];
            s[j] = t;
        }
    }
    """
)
ROWS_OF_ITEMS = """
    __kernel void products(__global const float *restrict a, __global const float *restrict x,
                           __global float *restrict y, int n)
    {
        int row = get_global_id(0);
        float s = 0.0f;
        #pragma unroll 8
        for (int i = 0; i < n; i++)
            s += a[row * n + i] * x[i];
        y[row] = s;
    }
    """
MATRICES = """
    __kernel void product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict c, int n)
    {
        int column = get_global_id(0), row = get_global_id(1);
        float s = 0.0f;
        for (int k = 0; k < n; k++)
            s += a[row * n + k] * b[k * n + column];
        c[row * n + column] = s;
    }
    """


@pytest.mark.parametrize("text", [COLUMN_SUMS, ROWS_OF_ITEMS, MATRICES])
def test_assumed_sizes_cost_what_given_ones_do(text: str) -> None:
    assumed = assess(text).kernels[0].estimate.at_assumed
    assert assumed is not None
    sizes = {"global_size": list(assumed.sizes.global_size)} if assumed.sizes.global_size else {}
    given = assess(text, arguments=assumed.sizes.arguments, **sizes).kernels[0].estimate
    assert given.at_assumed is None
    assert assumed.estimate.time_s == pytest.approx(given.time_s, rel=0.01)


BELOW = """
__kernel void sums(__global const float *restrict x, __global float *restrict y, int n, int m)
{
    int i = get_global_id(0);
    GUARD
    float s = 0.0f;
    for (int k = 0; k < n; k++)
        s += x[k];
    STORE
}
"""


@pytest.mark.parametrize(
    ("guard", "store", "items"),
    [
        ("if (i >= n) return;", "y[i] = s;", 1024),
        ("", "if (i < n) y[i] = s;", 1024),
        ("", "if (i < n && m > 3) y[i] = s;", 1024),
        ("if (i >= 2300) return;", "y[i] = s;", 2300),
        ("if (i >= n) return;", "if (i < 100) y[i] = s;", 100),
        ("if (i >= n || m < 3) return;", "y[i] = s;", 1024),
        ("if (i >= n && m < 3) return;", "y[i] = s;", 1 << 20),
        ("if (i >= m) return;", "y[i] = s;", 1 << 20),
        ("", "if (i < n || m > 3) y[i] = s;", 1 << 20),
        ("", "if (i < n) y[i] = s; else y[i] = 0.0f;", 1 << 20),
        ("", "y[i] = s;", 1 << 20),
        ("", "for (int k = 1024 * i; k < 1048576; k += 1048576) y[k] = s;", 1024),
        ("", "for (int k = 8 * i; k < 4096; k += 64) y[k] = s;", 512),
        ("", "for (int k = 8 * i; k < 4096; k += 64) y[k] = s; y[i] = s;", 1 << 20),
        ("", "for (int k = 8 * i; k < m; k += 64) y[k] = s;", 1 << 20),
    ],
)
def test_as_many_work_items_are_assumed_as_pass_what_keeps_them_in_the_data(guard: str, store: str, items: int) -> None:
    text = BELOW.replace("GUARD", guard).replace("STORE", store)
    (kernel,) = assess(text).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.launch.global_size == (items,)


def test_a_given_bound_of_the_ids_says_how_many_there_are() -> None:
    text = BELOW.replace("GUARD", "if (i >= n) return;").replace("STORE", "y[i] = s;")
    (kernel,) = assess(text, arguments={"n": 5000}).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.launch.global_size == (5000,)


SHARED_OUT = """
    __kernel void doubled(__global const float *restrict x, __global float *restrict y, int n)
    {
        for (int i = get_global_id(0); i < n; i += %s)
            y[i] = 2.0f * x[i];
    }
    """


@pytest.mark.parametrize("step", ["get_global_size(0)", "get_local_size(0) * get_num_groups(0)"])
def test_work_items_that_share_a_loop_out_do_not_each_run_all_of_it(step: str) -> None:
    (kernel,) = assess(SHARED_OUT % step).kernels
    assert kernel.at_assumed is not None
    moved = [u.walk.used_bytes for u in kernel.at_assumed.estimate.units if u.walk is not None]
    assert moved == [pytest.approx(4 << 20)] * 2


ROWS_OF_GROUPS = """
    __kernel void rows(__global const float *x, __global const int *starts, __global float *restrict y)
    {
        int row = get_group_id(0), i = get_local_id(0);
        float s = 0.0f;
        for (int k = starts[row] + i; k < starts[row + 1]; k += %s)
            s += x[k];
        y[get_global_id(0)] = s;
    }
    """


@pytest.mark.parametrize(("step", "trips"), [("get_local_size(0)", 4), ("1", 1024)])
def test_a_row_that_a_group_shares_out_is_no_longer_than_that_of_one_work_item(step: str, trips: int) -> None:
    (kernel,) = assess(ROWS_OF_GROUPS % step, local_size=[256]).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.estimate.loops[0].trip == trips


VECTORS_AND_REST = """
    __kernel void doubled(__global const float *restrict x, __global float *restrict y, int n)
    {
        int i = get_global_id(0);
        if (i < n / 4)
            vstore4(2.0f * vload4(i, x), i, y);
        else
            for (int k = 0; k < n % 4; k++)
                y[4 * i + k] = 2.0f * x[4 * i + k];
    }
    """


def test_nothing_is_left_behind_vectors_of_a_size_that_is_assumed() -> None:
    (kernel,) = assess(VECTORS_AND_REST).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.estimate.loops[0].trip == 0
    assert kernel.estimate.at_assumed is not None
    assert kernel.estimate.at_assumed.sizes.arguments == {"n": 1024}
    # 2^20 work-items, one a cycle; each loads and stores 16 bytes, which takes less.
    assert kernel.at_assumed.estimate.time_s == pytest.approx((1 << 20) / kernel.at_assumed.estimate.f_max_hz, rel=0.1)


def test_what_a_division_leaves_runs_where_a_kernel_has_nothing_else_to_do() -> None:
    text = """
        __kernel void rest(__global const float *restrict x, __global float *restrict y, int n)
        { for (int k = 0; k < n % 16; k++) y[k] = x[k]; }
        """
    (kernel,) = assess(text).kernels
    assert kernel.at_assumed is not None
    assert kernel.at_assumed.estimate.loops[0].trip == 15


ROWS_BY_256 = """
    __attribute__((reqd_work_group_size(256, 1, 1)))
    __kernel void sums(__global const float *restrict x, __global float *restrict y, int width)
    {
        float s = 0.0f;
        for (int k = get_local_id(0); k < width / 4; k += 256)
            s += x[get_group_id(0) * width + k];
        for (int k = 0; k < width; k++)
            s *= 0.5f;
        y[get_global_id(0)] = s;
    }
    """


def test_a_row_that_a_group_goes_over_once_is_as_long_as_assumed() -> None:
    (kernel,) = assess(ROWS_BY_256).kernels
    assert kernel.at_assumed is not None
    assert [one.trip for one in kernel.at_assumed.estimate.loops] == [1, 1024]


GROUP_SUMS = """
    __kernel void sums(__global const float *restrict x, __global float *restrict y, __local float *kept)
    {
        int lid = get_local_id(0);
        kept[lid] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0) {
            float s = 0.0f;
            for (int k = 0; k < get_local_size(0); k++)
                s += kept[k];
            y[get_group_id(0)] = s;
        }
    }
    """


def test_work_groups_that_are_assumed_cost_what_they_do_when_they_are_given() -> None:
    (kernel,) = assess(GROUP_SUMS).kernels
    (given,) = assess(GROUP_SUMS, local_size=[256]).kernels
    assert kernel.at_assumed is not None
    assert given.at_assumed is not None
    assert kernel.at_assumed.estimate.loops[0].trip == 256
    assert kernel.at_assumed.estimate.time_s == pytest.approx(given.at_assumed.estimate.time_s)
    # 4096 groups, each with one work-item that adds 256 numbers at a latency, few groups at a time.
    assert kernel.at_assumed.estimate.time_s > 4096 * 256 / 480e6


LAST_SUMS = """
__kernel void last(__global const float *restrict part, __global float *restrict y, __local float *sums, int n)
{
    int i = get_local_id(0);
    float sum = 0.0f;
    for (int k = i; k < n; k += get_local_size(0))
        sum += part[k];
    sums[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int h = get_local_size(0) / 2; h > 0; h /= 2) {
        if (i < h)
            sums[i] += sums[i + h];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0)
        y[%s] = sums[0];
}
"""
TILES = """
__kernel void tile(__global const float *restrict x, __global float *restrict y)
{
    __local float rows[16][16];
    int i = get_local_id(0), j = get_local_id(1);
    rows[j][i] = x[16 * j + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[16 * j + i] = rows[i][j];
}
"""


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (LAST_SUMS % "0", (256,)),
        (LAST_SUMS % "get_group_id(0)", (1 << 20,)),
        ((LAST_SUMS % "0").replace("__kernel", "__attribute__((reqd_work_group_size(64, 1, 1))) __kernel"), (64, 1, 1)),
        ((LAST_SUMS % "0").replace("y[0] = sums[0]", "atomic_max((__global int *)y, (int)sums[0])"), (1 << 20,)),
        (TILES, (16, 16)),
        (
            (LAST_SUMS % "0").replace(", __local float *sums, int n)\n{", ", int n)\n{\n    __local float sums[64];"),
            (64,),
        ),
    ],
)
def test_one_group_is_assumed_where_each_would_do_the_same(text: str, size: tuple[int, ...]) -> None:
    assumed = assess(text).kernels[0].estimate.at_assumed
    assert assumed is not None
    assert assumed.sizes.global_size == size
    assert assumed.launch.local_size in {None, *([size] if size != (1 << 20,) else [(256,)])}


@pytest.mark.parametrize(("place", "group"), [("i", 32), ("i + 8", 16), ("2 * i", 16), ("i & 31", 256)])
def test_a_group_that_is_assumed_has_no_more_work_items_than_places_in_local_memory(place: str, group: int) -> None:
    text = f"""
        __kernel void k(__global const float *restrict x, __global float *restrict y)
        {{
            __local float t[32];
            int i = get_local_id(0);
            t[{place}] = x[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            y[get_global_id(0)] = t[0];
        }}
    """
    assumed = assess(text).kernels[0].estimate.at_assumed
    assert assumed is not None
    assert assumed.launch.local_size == (group,)  # whole groups of 2^20 work-items


BORDER = """__kernel void k(__global const float *restrict in, __global float *restrict out)
{
    int z = get_global_id(0), x = z / 64, y = z % 64;
    float sum = 0.0f;
    for (int i = x - 1; i <= x + 1; i++)
        if (i >= 0 && i < 64)
            sum += in[i * 64 + y];
    out[z] = sum;
}
"""
REACH = """__kernel void k(__global const uchar *restrict in, __global uchar *restrict out, int width)
{
    int row = get_global_id(0);
    for (int j = 0; j < width; j++)
        if (j < width - 150)
            for (int k = 0; k < 150; k++)
                out[row * width + j] += in[row * width + j + k];
}
"""


@pytest.mark.parametrize(("text", "items"), [(BORDER, {1 << 12, 1 << 10}), (REACH, {1 << 14, 1 << 12})])
def test_fewer_work_items_are_assumed_where_an_access_would_not_run(text: str, items: set[int]) -> None:
    """A border that most of 2^20 work-items are behind, and a width of 4 that 2^20 work-items leave."""
    guess = assess(text).kernels[0].estimate.at_assumed
    assert guess is not None
    assert guess.sizes.global_size in {(number,) for number in items}
    assert all(unit.bytes for unit in guess.estimate.units)


def test_work_items_stay_as_assumed_where_one_of_them_alone_does_something() -> None:
    text = "__kernel void k(__global int *restrict p)\n{\n    int i = get_global_id(0);\n    p[i] = i;\n"
    guess = assess(text + "    if (i == 7)\n        p[1 << 20] = 1;\n}\n").kernels[0].estimate.at_assumed
    assert guess is not None
    assert guess.sizes.global_size == (1 << 20,)


def test_the_first_row_of_a_plane_leaves_the_sizes_as_they_are() -> None:
    text = """
__kernel void rows(__global float *restrict a, __global float *restrict b, __global const float *restrict m,
                   int n, int t)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n - 1 - t && y < n - t) {
        a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
        if (y == 0)
            b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
    }
}
"""
    found = assess(text).kernels[0].estimate.at_assumed
    assert found is not None
    assert found.sizes.global_size == (1024, 1024)
    assert "swap get_global_id(0) and get_global_id(1)" in change_text(found.estimate.levers[0].change)


IN_CHUNKS = """
__kernel void copy(__global const uint16 *restrict in, __global uint16 *restrict out, int size)
{
    uint16 held[128];
    int words = (size - 1) / 16 + 1;
    for (int i = 0; i < words; i += 128) {
        int count = i + 128 > words ? words - i : 128;
        for (int j = 0; j < count; j++)
            held[j] = in[i + j];
        for (int j = 0; j < count; j++)
            out[i + j] = held[j] + 1;
    }
}
"""


def test_a_loop_in_large_steps_runs_often_at_the_value_that_is_assumed() -> None:
    found = assess(IN_CHUNKS).kernels[0].estimate.at_assumed
    assert found is not None
    assert found.sizes.alone == ()
    size = found.sizes.arguments["size"]
    assert size / 2048 >= 64
    given = assess(IN_CHUNKS, arguments={"size": size}).kernels[0].estimate
    assert given.time_s == pytest.approx(found.estimate.time_s, rel=0.01)
