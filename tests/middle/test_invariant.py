"""Loads in front of loops that do not change them: from the text to what is read."""

from __future__ import annotations

import pytest

from burstline_model.facts import Access
from tests.assessing import assess

KERNEL = """
__kernel void k(__global const float *RESTRICT a, __global const int *restrict rows, __global float *RESTRICT y, int n)
{{
    for (int i = 0; i < n; i++) {{
        float sum = 0.0f;
        for (int j = rows[i]; j < rows[i + 1]; j++) {{
            {body}
        }}
        y[i] = sum;
    }}
}}
"""


def loads(body: str, pointer: str, restrict: str = "restrict") -> list[Access]:
    """The loads of one pointer, as they are built."""
    text = KERNEL.format(body=body).replace("RESTRICT", restrict)
    return [a for a in assess(text).kernels[0].facts.accesses if a.op == "load" and a.pointer == pointer]


def test_an_invariant_load_is_made_once_for_each_entry_of_the_loop() -> None:
    (load,) = loads("sum += a[i] * j;", "a")
    assert len(load.loops) == 1


def test_a_bound_shares_its_unit_with_its_neighbour_in_front_of_the_loop() -> None:
    text = KERNEL.format(body="sum += a[j];").replace("RESTRICT", "restrict")
    kernel = assess(text, device_family="Arria 10", aoc_version="20.4").kernels[0]
    units = [u for u in kernel.lsus if kernel.facts.accesses[u.members[0]].pointer == "rows"]
    assert [(u.width_bits, u.count) for u in units] == [(64, 1)]


@pytest.mark.parametrize(
    ("body", "restrict", "why"),
    [
        ("sum += a[j];", "restrict", "each iteration reads another place"),
        ("if (j > n) sum += a[i];", "restrict", "not every iteration makes it"),
        ("sum += a[i]; y[j] = sum;", "", "a store in the loop may change it"),
        ("if (sum > 9.0f) break; sum += a[i];", "restrict", "an iteration may leave before it"),
    ],
)
def test_other_loads_stay(body: str, restrict: str, why: str) -> None:
    text_restrict = restrict
    (load,) = loads(body, "a", text_restrict)
    assert len(load.loops) == 2, why


def test_time_counts_what_is_moved() -> None:
    text = """
__kernel void k(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += a[i] * b[j];
    c[i] = sum;
}
"""
    (kernel,) = assess(text, arguments={"n": 16384}, global_size=[16384]).kernels
    moved = {kernel.facts.accesses[u.lsu.members[0]].pointer: u.bytes for u in kernel.estimate.units}
    assert moved["a"] == moved["c"]


ROWS = """
__kernel void k(__global const int *restrict rows, __global const int *restrict pick, __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        int row = pick[i] > 0 ? pick[i] : pick[n];
        int sum = 0;
        for (int j = rows[row]; j < rows[row + 1]; j++) sum += j;
        out[i] = sum;
    }
}
"""


def test_a_bound_at_a_place_that_was_chosen_before_the_loop_comes_before_it() -> None:
    (kernel,) = assess(ROWS, device_family="Arria 10", aoc_version="20.4").kernels
    rows = [u for u in kernel.lsus if kernel.facts.accesses[u.members[0]].pointer == "rows"]
    assert [(u.width_bits, len(u.members)) for u in rows] == [(64, 2)]


NESTED = """
__kernel void k(__global const float *restrict a, __global const float *restrict b, __global float *restrict y,
                int n, int m)
{{
    for (int i = 0; i < n; i++) {{
        float sum = 0.0f;
        {inner}
        y[i] = sum;
    }}
}}
"""


@pytest.mark.parametrize(
    ("inner", "left_around"),
    [
        ("for (int j = 0; j < m; j++) sum += b[j] * a[3];", 1),
        ("for (int j = 0; j < 8; j++) sum += b[j] * a[3];", 0),
        ("int j = 0; do { sum += b[j] * a[3]; } while (++j < m);", 0),
        ("for (int j = 0; j < a[3]; j++) sum += b[j];", 0),
    ],
    ids=["may not be entered", "is entered", "asked behind", "in the head"],
)
def test_what_only_a_loop_that_runs_makes_stays_around_it(inner: str, left_around: int) -> None:
    facts = assess(NESTED.format(inner=inner)).kernels[0].facts
    (load,) = [a for a in facts.accesses if a.pointer == "a"]
    assert len(load.loops) == left_around
