"""How addresses move from request to request, and what that makes the memory fetch: from text to bytes."""

from typing import Any

import pytest

from tests.walk.walking import MEGA, SINGLE, fetched, units

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


def test_an_index_that_seldom_moves_in_a_loop_of_17_and_a_half_iterations_is_answered() -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
        "{ for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) y[j] = x[j / 1000]; }\n"
    )
    load = units(text, arguments={"n": 34})["load x"]  # 1 to 34 iterations of the inner loop
    assert load.walk is not None
    assert load.walk.kind == "same"


@pytest.mark.parametrize(
    ("place", "moved"),
    [
        ("(i & ~15) + ((i & 3) << 2) + ((i >> 2) & 3)", 4 * MEGA), ("(i / 16) * 16 + (i * 3) % 16", 4 * MEGA),
        ("(i & ~7) | (((i & 1) << 2) | (i & 2) | ((i & 4) >> 2))", 4 * MEGA), ("(i * 5) % 16", 64),
        ("(i / 256) * 256 + (i * 17) % 256", 64 * MEGA),
    ],
)  # fmt: skip
def test_places_in_another_order_within_a_word_take_the_word_once(place: str, moved: int) -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
        f"{{ for (int i = 0; i < n; i++) y[{place}] = 1.0f; }}\n"
    )
    assert fetched(units(text, arguments={"n": MEGA})["store y"]) == pytest.approx(moved, rel=0.02, abs=128)
