"""Units that accesses in several arms share: how often any of them runs."""

import pytest

from tests.walk.test_walks import units

BORDER = """__kernel void border(__global const float *restrict a, __global float *restrict b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int place = y * get_global_size(0) + x;
    if (x < 2 || y < 2) {
        b[place] = a[place];
        return;
    }
    if (x > n - 3)
        b[place] = a[place];
}
"""
SIZES = {"global_size": [16, 8], "local_size": [8, 4], "arguments": {"n": 16}}


def test_a_unit_of_two_borders_runs_at_both_and_nowhere_else() -> None:
    found = units(BORDER, **SIZES)["store b"]
    assert len(found.lsu.members) == 2
    assert found.walk is not None
    reached = sum(x < 2 or y < 2 or x > 13 for x in range(16) for y in range(8))
    assert found.walk.requests == pytest.approx(reached)


def test_arms_that_cover_everything_run_everywhere() -> None:
    text = BORDER.replace("        return;\n", "").replace("    if (x > n - 3)", "    else")
    found = units(text, **SIZES)["store b"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(16 * 8)


def test_arms_that_data_choose_count_in_full() -> None:
    text = BORDER.replace("x > n - 3", "a[0] > 0.0f")
    found = units(text, **SIZES)["store b"]
    assert found.walk is not None
    assert found.walk.requests == pytest.approx(16 * 8)
