"""How addresses move from request to request, and what that makes the memory fetch: from text to bytes and times."""

from typing import Any

import pytest

from burstline_model.estimate.kernel_estimate import UnitEstimate
from tests.assessing import assess

MEGA = 1 << 20
SINGLE = "__attribute__((max_global_work_dim(0)))\n"
"""A kernel of one work-item."""


def units(text: str, **settings: Any) -> dict[str, UnitEstimate]:
    """The units of a text's first kernel by their index, with the pointer in front."""
    kernel = assess(text, **settings).kernels[0]
    first = [kernel.facts.accesses[u.lsu.members[0]] for u in kernel.estimate.units]
    return {f"{a.op} {a.pointer}": u for a, u in zip(first, kernel.estimate.units, strict=True) if a.space == "global"}


def fetched(unit: UnitEstimate) -> float:
    assert unit.walk is not None
    assert unit.walk.fetched_bytes is not None
    return unit.walk.fetched_bytes


LISTS = (
    SINGLE
    + """
__kernel void lists(__global const int *restrict begin, __global const float *restrict weight,
                    __global const float *restrict state, __global const int *restrict target,
                    __global float *restrict out, int n)
{
    for (int v = 0; v < n; v++) {
        float sum = 0.0f;
        for (int e = begin[v]; e < begin[v + 1]; e++)
            sum += weight[e] * state[target[e]];
        out[v] = sum;
    }
}
"""
)


def test_lists_that_follow_one_another_are_read_in_order_and_a_gather_is_not() -> None:
    line = LISTS[: LISTS.index("for (int e")].count("\n") + 1
    found = units(LISTS, arguments={"n": 10000}, trips={line: 8})
    assert found["load weight"].lsu.stride == found["load target"].lsu.stride == 1
    assert fetched(found["load weight"]) == pytest.approx(4 * 80000, rel=0.01)
    assert fetched(found["load state"]) == pytest.approx(64 * 80000, rel=0.01)
    walk = found["load state"].walk
    assert walk is not None
    assert walk.low_bytes is not None
    assert walk.low_bytes < fetched(found["load state"])


@pytest.mark.parametrize(
    "place",
    [
        "max(i - 2, 0)", "min(i + 3, n - 1)", "i > 0 ? i - 1 : n - 1", "i ^ 1", "(i / w) * w + i % w",
        "i / w * w + (w - 1 - i % w)", "i + shift[0]",
    ],
)  # fmt: skip
def test_borders_small_windows_and_loaded_starts_leave_a_walk_in_order(place: str) -> None:
    text = (
        SINGLE
        + f"""
    __kernel void k(__global const float *restrict x, __global const int *restrict shift, __global float *restrict y,
                    int n, int w)
    {{
        for (int i = 0; i < n; i++)
            y[i] = x[{place}];
    }}
    """
    )
    found = units(text, arguments={"n": MEGA, "w": 1000})
    assert fetched(found["load x"]) == pytest.approx(4 * MEGA, rel=0.05)


def test_what_a_filter_keeps_is_written_in_order() -> None:
    text = (
        SINGLE
        + """
    __kernel void keep(__global const int *restrict x, __global int *restrict y, int n)
    {
        int kept = 0;
        for (int i = 0; i < n; i++)
            if (i % 3 == 0)
                y[kept++] = x[i];
    }
    """
    )
    store = units(text, arguments={"n": MEGA})["store y"]
    assert store.lsu.stride == 1
    assert fetched(store) <= 4 * MEGA


def test_a_group_is_walked_in_its_own_shape() -> None:
    text = """
    __attribute__((reqd_work_group_size(%s, 1)))
    __kernel void copy(__global const float *restrict a, __global float *restrict b, int w)
    {
        int row = get_global_id(0), column = get_global_id(1);
        b[row * w + column] = a[row * w + column];
    }
    """
    settings: dict[str, Any] = {"arguments": {"w": 2048}, "global_size": [2048, 2048]}
    along, across = (units(text % shape, **settings)["load a"] for shape in ("1, 128", "128, 1"))
    assert along.lsu.stride == 1
    assert fetched(along) == 4 << 22
    assert fetched(across) == 64 << 22


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("get_local_id(0) == 0", 1 / 64), ("i < n / 4", 1 / 4), ("i >= n / 4", 3 / 4), ("i % 4 == 1", 1 / 4),
        ("i > 9 && i < n - 10", 1.0), ("i < n / 2 && get_local_id(0) < 16", 1 / 8), ("n == 5", 0.0),
        ("get_group_id(0) == 7 || i < 0", 64 / MEGA),
    ],
)  # fmt: skip
def test_conditions_on_ids_and_arguments_are_counted(condition: str, share: float) -> None:
    text = f"""
    __attribute__((reqd_work_group_size(64, 1, 1)))
    __kernel void some(__global int *restrict y, int n)
    {{
        int i = get_global_id(0);
        if ({condition})
            y[i] = i;
    }}
    """
    store = units(text, global_size=[MEGA], arguments={"n": MEGA})["store y"]
    assert store.bytes == pytest.approx(4 * MEGA * share, rel=0.01)


def test_a_condition_on_data_gives_a_range_and_arms_share() -> None:
    text = (
        SINGLE
        + """
    __kernel void split(__global const int *restrict x, __global int *restrict y, __global int *restrict z, int n)
    {
        for (int i = 0; i < n; i++)
            if (x[i] > 0)
                y[i] = 1;
            else
                z[i] = 1;
    }
    """
    )
    found = units(text, arguments={"n": MEGA})
    assert (found["store y"].bytes or 0) + (found["store z"].bytes or 0) == 4 * MEGA
    walk = found["store y"].walk
    assert walk is not None
    assert (walk.low_bytes, walk.high_bytes) == (0, 4 * MEGA)
    assert walk.data == "x[i] > 0"


COUNT = """
__kernel void count(__global const int *restrict x, __global int *restrict total)
{
    atomic_add(&total[0], x[get_global_id(0)]);
}
"""


def test_every_atomic_operation_is_made() -> None:
    def time(items: int, mode: str) -> float:
        return assess(COUNT, global_size=[items], mode=mode).kernels[0].estimate.time_s or 0.0

    assert time(2 * MEGA, "calibrated") == pytest.approx(2 * time(MEGA, "calibrated"))
    assert 0.5 < time(MEGA, "calibrated") / time(MEGA, "faithful") < 2


PRODUCT = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void product(__global const float *restrict a, __global const float *restrict b,
                      __global float *restrict c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""


def test_a_private_cache_keeps_only_what_fits_it() -> None:
    small, large = (
        units(PRODUCT, arguments={"n": n}, global_size=[n, n], board="a10_ref", aoc_version="18.1") for n in (64, 1024)
    )
    assert small["load b"].lsu.cache_bytes == large["load b"].lsu.cache_bytes == 65536
    assert fetched(small["load b"]) == 64 * 64 * 4
    assert fetched(large["load b"]) >= 1024 * (1024 // 256) * 1024 * 256 * 4


@pytest.mark.parametrize(("start", "factor"), [("", 1), (" + 16", 1), (" + 3", 2), (" + pad", 1)])
def test_requests_that_start_off_a_word_take_two(start: str, factor: int) -> None:
    text = (
        SINGLE
        + f"""
    __kernel void copy(__global const float *restrict a, __global float *restrict d, int n, int pad)
    {{
        #pragma unroll 16
        for (int i = 0; i < n; i++)
            d[i{start}] = a[i{start}];
    }}
    """
    )
    settings: dict[str, Any] = {
        "board": "p385a", "f_max_mhz": 266.67, "banks": {"a": 0, "d": 1}, "arguments": {"n": 1 << 24, "pad": 32},
    }  # fmt: skip
    time = assess(text, **settings).kernels[0].estimate.time_s
    assert time == pytest.approx(factor * (1 << 24) * 4 / 17.066e9, rel=0.1)


def test_a_loop_that_never_runs_is_free_and_more_trips_never_cost_less() -> None:
    text = """
    __kernel void k(__global const float *restrict a, __global float *restrict b, int n)
    {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += a[get_global_id(0) + j];
        b[get_global_id(0)] = sum;
    }
    """
    times = [
        assess(text, global_size=[512], arguments={"n": n}).kernels[0].estimate.time_s or 0.0 for n in (0, 1, 2, 9, 99)
    ]
    assert times == sorted(times)
    assert times[0] < 1e-5


def test_kernels_that_channels_join_share_the_memory() -> None:
    text = """
    #pragma OPENCL EXTENSION cl_intel_channels : enable
    channel float16 on;
    __attribute__((max_global_work_dim(0)))
    __kernel void fetch(__global const float16 *restrict a, int n)
    {
        for (int i = 0; i < n; i++)
            write_channel_intel(on, a[i]);
    }
    __attribute__((max_global_work_dim(0)))
    __kernel void put(__global float16 *restrict d, int n)
    {
        for (int i = 0; i < n; i++)
            d[i] = read_channel_intel(on);
    }
    """

    def times(bank: int) -> list[float]:
        settings: dict[str, Any] = {"board": "p385a", "f_max_mhz": 266.67, "arguments": {"n": MEGA}}
        done = assess(text, **settings, banks={"a": 0, "d": bank})
        return [k.estimate.time_s or 0.0 for k in done.kernels]

    apart, together = times(1), times(0)
    assert apart[0] == apart[1]
    assert together[0] == together[1]
    assert together[0] > 1.8 * apart[0]


def test_items_in_groups_of_one_are_dispatched_slower() -> None:
    text = """
    __kernel void next(__global const float *restrict a, __global float *restrict b)
    {
        b[get_global_id(0)] = a[get_global_id(0)] + 1.0f;
    }
    """
    one, many = (assess(text, global_size=[MEGA], local_size=[n]).kernels[0].estimate.time_s or 0.0 for n in (1, 256))
    assert one > 1.2 * many


def test_a_comment_gives_how_often_data_let_an_access_run() -> None:
    text = (
        SINGLE
        + """
    __kernel void some(__global const int *restrict x, __global int *restrict y, int n)
    {
        for (int i = 0; i < n; i++)
            if (x[i] > 0)  // burstline: taken=%s
                y[i] = 1;
    }
    """
    )
    stores = [units(text % share, arguments={"n": MEGA})["store y"].bytes for share in ("1/16", "0.25", "1")]
    assert stores == [MEGA / 4, MEGA, 4 * MEGA]


def test_a_condition_on_two_ids_is_counted_over_both() -> None:
    """A triangle: 100 + 99 + ... + 1 = 5050 items of a million."""
    text = """
    __kernel void k(__global const float *restrict x, __global float *restrict z)
    {
        const int i = get_global_id(0), j = get_global_id(1);
        if (i + j < 100) z[1024 * j + i] = x[1024 * j + i];
    }
    """
    for unit in units(text, global_size=[1024, 1024]).values():
        assert unit.walk is not None
        assert unit.walk.used_bytes == pytest.approx(4 * 5050, rel=0.03)
        assert 4 * 5050 * 0.97 <= fetched(unit) <= 1.5 * 4 * 5050


def test_rows_are_one_stream_where_each_ends_at_the_beginning_of_the_next() -> None:
    def fetched_along(row: str, column: str) -> float:
        text = (
            f"{SINGLE}__kernel void rows(__global float *restrict out, int n) {{\n"
            "    for (int j = 0; j < n; j++)\n#pragma unroll 1\n        for (int i = 0; i < 30; i++)\n"
            f"            out[30 * ({row}) + {column} + 1] = i + j;\n}}\n"
        )
        return fetched(units(text, arguments={"n": 10000})["store out"])

    used = 4 * 30 * 10000
    assert fetched_along("j", "i") == pytest.approx(used, rel=0.01)
    assert fetched_along("n - 1 - j", "29 - i") == pytest.approx(used, rel=0.01)
    # The word in which a row ends is fetched again for the row before it.
    assert fetched_along("n - 1 - j", "i") == pytest.approx(1.5 * used, rel=0.05)


@pytest.mark.parametrize(
    ("head", "in_order"),
    [
        ("for (int k = at[row]; k < at[row + 1]; k++)", True),  # where a row ends the next begins
        ("for (int k = at[row]; k < n; k++)", False),
        ("for (int k = at[row]; k < 2 * at[row]; k++)", False),
    ],
)
def test_rows_follow_each_other_only_where_one_array_says_where_they_begin_and_end(
    head: str, *, in_order: bool
) -> None:
    text = f"""
__kernel void rows(__global const int *restrict at, __global const float *restrict x, __global float *restrict y,
                   int n, int m) {{
    for (int row = 0; row < m; row++) {{
        float sum = 0.0f;
        {head} // burstline: trip=4
            sum += x[k];
        y[row] = sum;
    }}
}}
"""
    (kernel,) = assess(text, arguments={"m": 1 << 16, "n": 1 << 20}).kernels
    used, moved = next(
        (u.bytes or 0.0, (u.bandwidth_bytes_s or 0.0) * (u.time_s or 0.0))
        for u in kernel.estimate.units
        if kernel.facts.accesses[u.lsu.members[0]].pointer == "x"
    )
    assert (moved < 1.1 * used) == in_order
    assert in_order or moved > 4 * used


ROWS = (
    SINGLE
    + """
__kernel void rows(__global const float *restrict x, __global const int *restrict at, __global float *restrict out,
                   int n, int width)
{
    for (int r = 0; r < n; r++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; k++)
            sum += x[%s + k];
        out[r] = sum;
    }
}
"""
)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("at[r]", 1.9375),  # 64 bytes from any float on reach into a second word 15 times of 16
        ("8 * at[r]", 1.5),
        ("16 * at[r]", 1.0),
        ("(at[r] & ~15)", 1.0),
        ("at[r] * width", 1.0),  # a width that is given divides as a constant does
    ],
)
def test_rows_that_data_choose_start_where_their_index_is_a_multiple(start: str, words: float) -> None:
    load = units(ROWS % start, arguments={"n": MEGA, "width": 1024})["load x"]
    assert fetched(load) == words * 64 * MEGA


def test_rows_of_a_width_that_nobody_gave_start_anywhere() -> None:
    load = units(ROWS % "at[r] * width", arguments={"n": MEGA})["load x"]
    assert fetched(load) == 1.9375 * 64 * MEGA


@pytest.mark.parametrize("guard", ["i % 128 < 64", "i > 999 && i < 525288"])
def test_a_guard_that_lets_half_of_the_loop_through_in_one_go_halves_what_is_fetched(guard: str) -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
        "{ for (int i = 0; i < n; i++) if (" + guard + ") y[i] = x[i]; }\n"
    )
    load = units(text, arguments={"n": MEGA})["load x"]
    assert fetched(load) == pytest.approx(2 * MEGA, rel=0.01)


def test_a_guard_on_common_bits_of_two_counters_is_counted() -> None:
    text = SINGLE + (
        "__kernel void k(__global const float16 *restrict x, __global float16 *restrict y)\n"
        "{ for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) if (i & j) y[64 * i + j] = x[64 * i + j]; }\n"
    )
    load = units(text)["load x"]
    assert fetched(load) == pytest.approx(
        (4**6 - 3**6) * 64, rel=0.05
    )  # six bits: three of four pairs have none in common


@pytest.mark.parametrize(("pitch", "words_a_row"), [(640, 40.0), (650, 40.0), (660, 40.75)])
def test_rows_with_a_narrow_border_are_read_as_one_range(pitch: int, words_a_row: float) -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int pitch)\n"
        "{ for (int j = 0; j < 480; j++) for (int i = 0; i < 640; i++) y[640 * j + i] = x[pitch * j + i]; }\n"
    )
    # A row of 2560 bytes; from 3 % on each one's first and last words are its own.
    assert fetched(units(text, arguments={"pitch": pitch})["load x"]) == pytest.approx(480 * 64 * words_a_row)


def test_what_a_flag_lets_through_is_not_known() -> None:
    text = (
        SINGLE
        + """
__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int w)
{
    int loading = 1, c = 0;
    for (int i = 0; i < n; i++) {
        if (loading == 1)
            y[i] = x[i];
        c++;
        if (c == w) {
            c = 0;
            loading = 1 - loading;
        }
    }
}
"""
    )
    load = units(text, arguments={"n": MEGA, "w": 1000})["load x"]
    assert load.walk is not None
    assert load.walk.low_bytes == 0
    assert load.walk.high_bytes == 4 * MEGA


def test_an_index_that_seldom_moves_in_a_loop_of_17_and_a_half_iterations_is_answered() -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
        "{ for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) y[j] = x[j / 1000]; }\n"
    )
    load = units(text, arguments={"n": 34})["load x"]  # 1 to 34 iterations of the inner loop
    assert load.walk is not None
    assert load.walk.kind == "same"
