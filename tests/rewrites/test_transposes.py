"""Transposes under a condition without braces, as they are often written."""

from __future__ import annotations

import pytest

from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

HEAD = """__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void k(__global const int *restrict a, __global int *restrict b, __global int *restrict c, int n, int m)
{
    int x = get_global_id(0), y = get_global_id(1);
"""
LOAD, STORE = "c[y * n + x] = a[x * m + y];", "c[x * m + y] = a[y * n + x];"
FORMS = {
    "below": f"    if (x < n && y < m)\n        {LOAD}\n",
    "on one line": f"    if (x < n && y < m) {LOAD} // turned\n",
    "stored below": f"    if (x < n && y < m)\n        {STORE}\n    b[y * 32 + x] = 3;\n",
    "stored on one line": f"    if (x < n && y < m) {STORE}\n",
    "behind a declaration": f"    int w = m;\n    if (x >= n || y >= m)\n        return;\n    {LOAD}\n",
}
OTHERS = {
    "in a condition of the group": f"    if (n > 3)\n        if (x < n && y < m) {LOAD}\n",
    "around a condition of the group": f"    if (x < n && y < m)\n        if (n > 3)\n            {LOAD}\n",
    "where the limit changes": f"    if (x >= n)\n        return;\n    if (m == 27)\n        n = n / 2;\n    {LOAD}\n",
    "with another arm": f"    if (x < n && y < m) {LOAD} else b[y * 32 + x] = 2;\n",
    "in an arm": f"    if (n < 3) b[0] = 1; else if (x < n && y < m) {LOAD}\n",
}


def _kinds(body: str) -> list[str]:
    draw = np.random.default_rng(3)
    arrays = {argument: draw.integers(-9, 99, 1200).astype(np.int32) for argument in "abc"}
    sizes = ((30, 27, (32, 32)), (8, 16, (8, 16)), (1, 0, (8, 8)), (5, 32, (16, 32)))
    data = [Data(arrays, {"n": np.int32(n), "m": np.int32(m)}, items) for n, m, items in sizes]
    found = list(tried(HEAD + body + "}\n", data))
    assert [(one.offer.title, one.why) for one in found if one.unequal] == []
    return [one.offer.title.kind for one in found]


@pytest.mark.parametrize("form", FORMS)
def test_the_statement_of_a_condition_is_exchanged(form: str) -> None:
    assert "transpose_tile_kept" in _kinds(FORMS[form])


@pytest.mark.parametrize("form", OTHERS)
def test_conditions_around_it_are_left_alone(form: str) -> None:
    assert "transpose_tile_kept" not in _kinds(OTHERS[form])
