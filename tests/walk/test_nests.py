"""Loops whose bounds follow the counters around them: how often what is in them really runs."""

import pytest

from tests.assessing import assess
from tests.walk.walking import MEGA, SINGLE, units

KERNEL = """__kernel void nest(__global const float *restrict a, __global float *restrict b, int n)
{
%s
}
"""
NESTS = {
    "a product of a rising and a falling bound": (
        "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) for (int k = 0; k < i; k++)",
        lambda n: sum((n - 1 - i) * i for i in range(n)),
    ),
    "a pyramid": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) for (int k = 0; k < j; k++)",
        lambda n: sum(j for i in range(n) for j in range(i)),
    ),
    "a square of the counter": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < i * i; k++)",
        lambda n: sum(3 * i * i for i in range(n)),
    ),
    "a bound that falls below zero": (
        "for (int i = 0; i < n; i++) for (int k = i + 8; k < n; k++)",
        lambda n: sum(max(n - 8 - i, 0) for i in range(n)),
    ),
}


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("n", [16, 40])
def test_a_nest_runs_as_often_as_its_bounds_say(name: str, n: int) -> None:
    head, iterations = NESTS[name]
    text = SINGLE + KERNEL % f"{head} b[k] = a[k] * 2.0f;"
    for unit in units(text, arguments={"n": n}).values():
        assert unit.walk is not None
        assert unit.walk.requests == pytest.approx(iterations(n), rel=0.01)


def test_a_long_pyramid_is_a_sixth_of_its_cube() -> None:
    head, _ = NESTS["a pyramid"]
    text = SINGLE + KERNEL % f"{head} b[k] = a[k] * 2.0f;"
    found = units(text, arguments={"n": 4096})["load a"].walk
    assert found is not None
    assert found.requests == pytest.approx(4096**3 / 6, rel=0.01)


def test_a_kernel_whose_loop_never_runs_is_costed() -> None:
    text = SINGLE + KERNEL % (
        "for (int i = 0; i < n; i++) b[i] = a[i];\n"
        "for (int i = 64; i < n; i++) { float s = 0.0f; for (int k = 64; k < n; k++) s += a[k]; b[i] = s; }"
    )
    assert [k.facts.name for k in assess(text, arguments={"n": 16}).kernels] == ["nest"]


def test_a_loop_under_a_condition_on_its_bound_runs_as_often_as_both_say() -> None:
    head = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (j > i) for (int k = 0; k < i; k++)"
    found = units(SINGLE + KERNEL % f"{head} b[j + k] = a[i + j + k];", arguments={"n": 16})["store b"].walk
    assert found is not None
    assert found.requests == pytest.approx(sum(i for i in range(16) for j in range(16) if j > i))


STRIDED = """__kernel void strided(__global const float *restrict a, __global float *restrict b, int n)
{
    float sum = 0.0f;
    for (int i = get_group_id(0) * get_local_size(0) * 2 + get_local_id(0); i < n;
         i += 64 * get_num_groups(0))
        sum += a[i];
    b[get_global_id(0)] = sum;
}
"""


@pytest.mark.parametrize("n", [16, 100, 300])
def test_work_items_beyond_the_end_do_not_cancel_those_within(n: int) -> None:
    sizes = {"global_size": [128], "local_size": [64], "arguments": {"n": n}}
    found = units(STRIDED, **sizes)["load a"].walk
    starts = [group * 128 + item for group in range(2) for item in range(64)]
    assert found is not None
    assert found.requests == pytest.approx(sum(len(range(start, n, 128)) for start in starts), rel=0.02)


POOL = """__kernel void pool(__global const float *restrict a, __global float *restrict b, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    float best = 0.0f;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++)
            if (x * 2 + dx > 0 && x * 2 + dx < w)
                best = fmax(best, a[(y * 2 + dy) * w + x * 2 + dx]);
    b[y * 16 + x] = best;
}
"""


def test_a_condition_is_counted_in_each_copy_of_an_unrolled_body() -> None:
    found = units(POOL, global_size=[16, 8], local_size=[8, 4], arguments={"w": 20})["load a"]
    assert found.walk is not None
    assert found.walk.requests is not None
    copies = found.lsu.lanes
    assert copies == 4
    reached = sum(0 < x * 2 + dx < 20 for x in range(16) for dx in range(2)) * 8 * 2
    assert found.walk.requests * copies == pytest.approx(reached)


def test_a_condition_that_comes_round_holds_a_whole_number_of_times() -> None:
    text = SINGLE + KERNEL % "for (int i = 0; i < n; i++) if (i % 16 == 0) b[0] = a[i];"
    found = units(text, arguments={"n": 256})["store b"].walk
    assert found is not None
    assert found.requests == pytest.approx(16)


def test_a_condition_in_a_triangle_is_counted_over_the_triangle() -> None:
    text = SINGLE + KERNEL % "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (j > 3) b[i + j] = a[j];"
    found = units(text, arguments={"n": 16})["store b"].walk
    assert found is not None
    assert found.requests == pytest.approx(sum(j > 3 for i in range(16) for j in range(i)))


def test_an_image_s_border_in_one_loop_over_all_planes() -> None:
    text = SINGLE + KERNEL % (
        "for (int i = 0; i < 215296; i++)\n"
        "    b[i] = (58 <= i % 3364 && i % 3364 < 3306 && 1 <= i % 58 && i % 58 < 57) ? a[i - 57] : 0.0f;"
    )
    found = units(text)["load a"].walk
    assert found is not None
    assert found.requests == pytest.approx(64 * 56 * 56, rel=0.005)


@pytest.mark.parametrize(
    ("bound", "mean"),
    [
        ("i % 4", 1.5), ("i & 15", 7.5), ("64 - i % 64", 32.5), ("i % 4 + 2", 3.5), ("i % 100", 49.5),
        ("i & ~15", (MEGA - 16) / 2), ("i / 4", (MEGA - 4) / 8), ("i", (MEGA - 1) / 2), ("(i & 1) * i", MEGA / 4),
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["counter", "id"])
def test_a_bound_that_comes_round_has_the_mean_of_a_period_whatever_the_size(
    bound: str, mean: float, where: str
) -> None:
    inner = f"for (int j = 0; j < ({bound}); j++) b[j] = a[j];"
    if where == "counter":
        text, size = SINGLE + KERNEL % f"for (int i = 0; i < n; i++) {inner}", None
    else:
        text, size = KERNEL % f"int i = get_global_id(0); {inner}", [MEGA]
    for unit in units(text, arguments={"n": MEGA}, global_size=size).values():
        assert unit.walk is not None
        assert unit.walk.requests == pytest.approx(MEGA * mean, rel=0.03)
