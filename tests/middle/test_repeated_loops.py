"""Loops whose iterations all do the same are run once, as the compiler builds them."""

from __future__ import annotations

import pytest

from tests.assessing import assess

KERNEL = """
float twice(float v) {{ return 2.0f * v; }}
__kernel void k(__global const float *restrict a, __global const float *restrict c, __global float *restrict d, int n)
{{
    int id = get_global_id(0);
    float sum = 0.0f, other = 0.0f;
    float kept[4];
    {before}
    for (int j = 0; j < n; j++) {{
        {body}
    }}
    d[id] = sum + other + kept[id & 3];
}}
"""


def trips(body: str, before: str = "") -> list[str]:
    (kernel,) = assess(KERNEL.format(body=body, before=before)).kernels
    said = [r.kind for r in kernel.facts.remarks if r.kind == "loop_repeats"]
    loop = kernel.facts.loops[0]
    assert bool(said) == (loop.trip is not None and loop.trip.constant == 1)
    return said


@pytest.mark.parametrize(
    "body",
    [
        "sum = a[id] + c[id];",
        "sum = twice(a[id]); other = sum * 3.0f;",
        "float part = a[id]; if (part > 0.0f) part = 0.0f; sum = part;",
        "sum = 1.0f;",
    ],
)
def test_what_no_iteration_changes_is_done_once(body: str) -> None:
    assert trips(body) == ["loop_repeats"]


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("sum += a[id];", ""),
        ("sum = a[id] + j;", ""),
        ("sum = a[id + j];", ""),
        ("if (j == id) sum = a[id];", ""),
        ("sum = other; other = a[id];", ""),
        ("kept[j & 3] = a[id];", ""),
        ("d[id + j] = 0.0f; sum = 1.0f;", ""),
        ("if (a[id] > j) break; sum = c[id];", ""),
    ],
)
def test_what_an_iteration_changes_or_hands_on_is_not(body: str, before: str) -> None:
    assert not trips(body, before)


def test_a_loop_around_a_barrier_is_not() -> None:
    assert not trips("barrier(CLK_LOCAL_MEM_FENCE); sum = a[id];")


def test_the_time_is_that_of_one_iteration() -> None:
    text = KERNEL.format(body="sum = a[id] + c[id];", before="")
    few, many = (assess(text, arguments={"n": n}, global_size=1 << 20).kernels[0].estimate.time_s for n in (2, 1000))
    assert few == many
