"""How often the conditions around an access hold, from text to bytes."""

from collections.abc import Callable

import pytest

from burstline_server.words.remarks import remark_text
from tests.assessing import assess
from tests.walk.walking import MEGA, SINGLE, fetched, units


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


@pytest.mark.parametrize("group", [1024, 2048, 8192])
@pytest.mark.parametrize(
    ("condition", "items"),
    [
        ("get_local_id(0) == 0", lambda i, group: i % group == 0),
        ("get_local_id(0) < 3 || get_local_id(0) == 700", lambda i, group: i % group < 3 or i % group == 700),
        ("get_local_id(0) + 5 > get_local_size(0)", lambda i, group: i % group + 5 > group),
        ("get_local_id(0) == 9 && i < n / 2", lambda i, group: i % group == 9 and i < 1 << 15),
    ],
)  # fmt: skip
def test_conditions_on_local_ids_are_counted_in_large_groups(
    group: int, condition: str, items: Callable[[int, int], bool]
) -> None:
    text = f"""
    __attribute__((reqd_work_group_size({group}, 1, 1)))
    __kernel void some(__global int *restrict y, int n)
    {{
        int i = get_global_id(0);
        if ({condition})
            y[i] = i;
    }}
    """
    store = units(text, global_size=[1 << 16], arguments={"n": 1 << 16})["store y"]
    assert store.bytes == 4 * sum(items(i, group) for i in range(1 << 16))


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


@pytest.mark.parametrize(("guard", "share"), [("i % 2 == 0", 2), ("i % 4 == 0", 4), ("(i & 1) == 0", 2)])
@pytest.mark.parametrize("size", [1 << 16, 1 << 12, 60_000])
def test_a_remainder_of_what_items_and_a_loop_count_through_together_is_counted(
    guard: str, share: int, size: int
) -> None:
    text = """
    __kernel void stride(__global const float *restrict x, __global float *restrict y, int n)
    { for (int i = get_global_id(0); i < n; i += get_global_size(0)) if (%s) y[i] = x[i]; }
    """
    for unit in units(text % guard, global_size=[size], arguments={"n": 64 * size}).values():
        assert unit.bytes == pytest.approx(4 * 64 * size / share, rel=0.01)


@pytest.mark.parametrize(
    ("guard", "place", "used", "words"),
    [
        ("g % 16 == 0", "g", 16, 1), ("g % 4 == 1", "g", 4, 1), ("g % 32 == 5", "g", 32, 2), ("g & 4", "g", 2, 1),
        ("g % 4 == 0", "g / 4", 4, 4), ("(g & 7) == 3", "g >> 3", 8, 8), ("g % 16 == 0", "16 * g", 16, 1),
        ("g % 64 < 32", "g", 2, 2), ("g < 524288", "g", 2, 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("loop", [False, True])
def test_items_that_a_guard_leaves_out_are_fetched_with_their_words(
    guard: str, place: str, used: int, words: int, loop: bool
) -> None:
    body = f"if ({guard}) y[{place}] = x[{place}];"
    if loop:
        text = SINGLE + (
            "__kernel void k(__global const float *restrict x, __global float *restrict y)\n"
            f"{{ for (int g = 0; g < {MEGA}; g++) {body} }}\n"
        )
    else:
        text = (
            "__kernel void k(__global const float *restrict x, __global float *restrict y)\n"
            f"{{ int g = get_global_id(0); {body} }}\n"
        )
    for unit in units(text, global_size=None if loop else [MEGA]).values():
        assert unit.bytes == pytest.approx(4 * MEGA / used, rel=1e-3)
        assert fetched(unit) == pytest.approx(4 * MEGA / words, rel=1e-3)


def test_copies_of_which_one_is_let_through_make_one_request_for_all() -> None:
    """One of 16 copies asks for the word that they share, and no copy can make that less."""
    text = (
        "__attribute__((num_simd_work_items(16), reqd_work_group_size(256, 1, 1)))\n"
        "__kernel void k(__global const float *restrict x, __global float *restrict y)\n"
        "{ int g = get_global_id(0); if (g % 16 == 0) y[g] = x[g]; }\n"
    )
    for unit in units(text, global_size=[MEGA]).values():
        assert unit.bytes == MEGA / 4
        assert fetched(unit) == 4 * MEGA


@pytest.mark.parametrize(
    ("guard", "place", "step", "used", "moved"),
    [
        ("i == j", "i * n + j", 4100, 1024, 64 * 1024), ("i == j + 3", "i * n + j", 4100, 1021, 64 * 1021),
        ("i == j", "j", 4, 1024, 4096), ("i == j", "i", 4, 1024, 4096),
        ("i + j == n - 1", "i * n + j", 4092, 1024, 65536),
        ("j < i", "i * n + j", 4, 1023 * 512, 1023 * 512 * 4), ("(i + j) % 2 == 0", "i * n + j", 8, 1 << 19, 1 << 22),
        ("(i + j) % 32 == 0", "i * n + j", 128, 1 << 15, 1 << 21),
    ],
)  # fmt: skip
def test_a_guard_on_two_counters_picks_places_along_the_faster_one(
    guard: str, place: str, step: int, used: int, moved: int
) -> None:
    text = SINGLE + (
        "__kernel void k(__global const float *restrict x, __global float *restrict y, int n)\n"
        f"{{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if ({guard}) y[{place}] = x[{place}]; }}\n"
    )
    store = units(text, arguments={"n": 1024})["store y"]
    assert store.walk is not None
    assert store.walk.step_bytes == pytest.approx(step, rel=0.01)
    assert store.bytes == pytest.approx(4 * used, rel=0.03)
    assert fetched(store) == pytest.approx(moved, rel=0.03)


BORDER = """
__kernel void edge(__global int *restrict y)
{{
    int c = get_global_id(0), r = get_global_id(1);
    int w = get_global_size(0), h = get_global_size(1);
    {condition}
    y[r * w + c] = c;
}}
"""


@pytest.mark.parametrize(
    ("condition", "items"),
    [
        ("if (c == 0 || r == 0)", 2048 + 1024 - 1),
        ("if (c < 2 || c >= w - 2 || r < 2 || r >= h - 2)", 2048 * 1024 - 2044 * 1020),
        ("if (c < 2 || r < 2) return; if (c > w - 3 || r > h - 3) return;", 2044 * 1020),
        ("if (c % 2 != 0 || r % 2 != 0) return;", 1024 * 512),
        ("if (!(c >= 8 && r >= 8))", 2048 * 1024 - 2040 * 1016),
    ],
)
def test_borders_in_two_dimensions_are_counted(condition: str, items: int) -> None:
    store = units(BORDER.format(condition=condition), global_size=[2048, 1024])["store y"]
    assert store.bytes == pytest.approx(4 * items, rel=0.002)


def test_borders_in_three_dimensions_are_counted() -> None:
    text = """
    __kernel void edge(__global int *restrict y)
    {
        int c = get_global_id(0), r = get_global_id(1), p = get_global_id(2);
        int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
        if (c == 0 || r == h - 1 || p < 2)
            y[(p * h + r) * w + c] = c;
    }
    """
    store = units(text, global_size=[256, 128, 128])["store y"]
    assert store.bytes == pytest.approx(4 * (256 * 128 * 128 - 255 * 127 * 126), rel=0.002)


HELD = (
    SINGLE
    + """__kernel void held(__global const float *restrict w, __global const float *restrict x,
                          __global float *restrict y, int length)
    {
        int loading = 1, loaded = 0, left = 0;
        float kept = 0.0f;
        for (int i = 0; i < 65536; i++) {
            if (%s) {
                kept = w[i];
                if (++loaded == 16) { loading = 0; loaded = 0; }
            }
            y[i] = x[i] * kept;
            if (left == length) { loading = 1; left = 0; }
            else left++;
        }
    }
    """
)


@pytest.mark.parametrize(("condition", "doubted"), [("loading", True), ("i % 64 == 0", False), ("i < length", False)])
def test_a_condition_on_what_earlier_iterations_left_is_an_upper_bound_that_is_said(
    condition: str, doubted: bool
) -> None:
    (kernel,) = assess(HELD % condition, arguments={"length": 4096}).kernels
    said = f"earlier iterations decide {condition}: counted as always true, which is an upper bound"
    assert (said in [remark_text(remark) for remark in kernel.estimate.remarks]) == doubted


ONE_COPY = """__attribute__((max_global_work_dim(0)))
__kernel void one_copy(__global const float *restrict a, __global float *restrict b, __global int *restrict c, int n)
{{
    for (int i = 0; i < n; i++) {{
        float s = 0.0f;
        #pragma unroll
        for (int j = 0; j < 16; j++) {{
            s += a[i * 16 + j];
            if ({condition}) {statement}
        }}
        b[i * 32] = s;
    }}
}}
"""


@pytest.mark.parametrize(
    ("condition", "statement", "used"),
    [
        ("j == 3", "c[i * 64 + j] = (int)s;", 1),
        ("j < 4", "c[i * 64 + j * 16] = (int)s;", 4),
        ("j == 3", "c[i * 64] = (int)s;", 1),
        ("j >= 12 && i < n / 2", "c[i * 64 + j * 16] = (int)s;", 2),
        ("j == 3", "atomic_add(&c[0], 1);", 1),
        ("j & 1", "atomic_add(&c[j], 1);", 8),
        ("j == 16", "c[i * 64 + j] = (int)s;", 0),
    ],
)
def test_copies_that_a_condition_leaves_over_are_counted_once(condition: str, statement: str, used: int) -> None:
    text = ONE_COPY.format(condition=condition, statement=statement)
    (kernel,) = assess(text, arguments={"n": 1 << 20}).kernels
    stored = [u for u in kernel.estimate.units if kernel.facts.accesses[u.lsu.members[0]].pointer == "c"]
    assert sum(u.bytes or 0.0 for u in stored) == pytest.approx(used * 4 * (1 << 20))
