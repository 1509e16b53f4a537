"""Conditions that ask how far a loop has come whose end data decide: the body and the tail of a row."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from tests.assessing import assess
from tests.walk.walking import SINGLE, fetched, units

ROWS = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void rows(__global const int *restrict first, __global const float *restrict a, __global float *restrict y)
{
    int r = get_global_id(0);
    float s = 0.0f;
    for (int j = first[r]; j < first[r + 1]; j += 16) { // burstline: trip=33
        if (j + 15 < first[r + 1]) {
            #pragma unroll
            for (int k = 0; k < 16; k++)
                s += a[j + k];
        } else {
            for (int k = j; k < first[r + 1]; k++) // burstline: trip=8
                s += a[k];
        }
    }
    y[r] = s;
}
"""
SIZES = {"global_size": [4096], "f_max_mhz": 300}


def kernel(text: str) -> KernelAssessment:
    return assess(text, **SIZES).kernels[0]


def requests(text: str) -> list[float]:
    """How often each load of `a` runs."""
    done = kernel(text)
    first = [done.facts.accesses[u.lsu.members[0]] for u in done.estimate.units]
    found = [u.walk for a, u in zip(first, done.estimate.units, strict=True) if a.pointer == "a"]
    return [walk.requests for walk in found if walk is not None and walk.requests is not None]


BODIES, TAILS = 4096 * 32, 4096 * 8


def test_the_tail_of_a_row_runs_once_a_row() -> None:
    assert requests(ROWS) == pytest.approx([BODIES, TAILS])


@pytest.mark.parametrize(
    "condition",
    ["j <= first[r + 1] - 16", "first[r + 1] - j > 15", "!(first[r + 1] < j + 16)", "first[r + 1] >= j + 16"],
)
def test_however_the_condition_is_written(condition: str) -> None:
    assert requests(ROWS.replace("j + 15 < first[r + 1]", condition)) == pytest.approx([BODIES, TAILS])


def test_ends_in_two_arrays_and_in_variables() -> None:
    text = ROWS.replace("first[r + 1]", "to").replace("j = first[r]", "j = from")
    text = text.replace(
        "float s =", "int from = first[2 * r], to = y[r] > 0.0f ? first[r + 7] : first[r];\n    float s ="
    )
    text = text.replace("y[r] > 0.0f ? first[r + 7] : first[r]", "first[3 * r + 1]")
    assert requests(text) == pytest.approx([BODIES, TAILS])


def test_a_condition_on_another_end_is_counted_as_half() -> None:
    assert requests(ROWS.replace("if (j + 15 < first[r + 1])", "if (j + 15 < first[r + 9])")) == pytest.approx(
        [4096 * 33 / 2, 4096 * 33 * 8 / 2]
    )


def test_no_time_is_counted_for_trips_of_the_tail_in_every_trip_of_the_row() -> None:
    found = kernel(ROWS).estimate
    assert found.compute_s == pytest.approx(4096 * 33 / 300e6, rel=0.05)
    assert not found.remarks


def test_rows_follow_each_other_by_the_length_of_the_row_and_not_of_its_tail() -> None:
    body = ROWS[: ROWS.index("else {")].rstrip() + "\n    }\n    y[r] = s;\n}\n"
    alone = fetched(units(body, **SIZES)["load a"])
    done = kernel(ROWS)
    walks = [u.walk for u in done.estimate.units if u.walk is not None and u.lsu.lanes == 16]
    assert [walk.fetched_bytes for walk in walks] == [pytest.approx(alone, rel=0.01)]


BETWEEN = """
#define MAX(A, B) ((A) > (B) ? (A) : (B))
#define MIN(A, B) ((A) < (B) ? (A) : (B))
__kernel void between(__global const int *restrict at, __global const int *restrict wide, __global float *restrict y,
                      int n, int w)
{
    for (int t = 0; t < n; t++) {
        int a = at[t], s = wide[t];
        int start = MAX(w - a, -s), end = MIN(w + 63 - a, s);
        for (int k = start; k <= end; ++k)
            y[a + k] += 1.0f;
    }
}
"""


def test_a_run_between_two_choices_asks_itself_nothing() -> None:
    """Its length holds the comparisons that choose its ends, which ask how far the run has come."""
    (done,) = assess(BETWEEN, arguments={"n": 100, "w": 64}, trips={"10": 20}).kernels
    assert done.estimate.time_s is not None


def test_a_long_chain_of_comparisons_is_followed() -> None:
    chain = "v"
    for n in range(110):
        chain = f"({chain} < {n} + i)"
    text = f"""
    __kernel void k(__global const int *restrict x, __global int *restrict y, int n)
    {{
        int i = get_global_id(0), v = x[i];
        y[{chain} ? 3 * i : i] = v;
    }}
    """
    assert kernel(text).estimate.time_s is not None


def test_many_choices_in_turn_are_followed() -> None:
    steps = "\n".join(f"if (v < {n} + i) v = i + {n};" for n in range(120))
    text = f"""
    __kernel void k(__global const int *restrict x, __global int *restrict y, int n)
    {{
        int i = get_global_id(0), v = x[i];
        {steps}
        y[v] = i;
    }}
    """
    assert kernel(text).estimate.time_s is not None


def test_what_runs_once_lies_nowhere_apart() -> None:
    text = "__kernel void k(__global const float *restrict x, __global float *restrict y) { y[0] = x[3] + 1.0f; }"
    found = [u.walk for u in kernel(SINGLE + text).estimate.units if u.walk is not None]
    assert [walk.apart for walk in found] == [False, False]
