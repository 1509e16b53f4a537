"""Loops that data end and that run along rows: a time at most, and a loop whose counter is set back."""

from __future__ import annotations

from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.remarks import remark_text
from burstline_server.words.verdict import headline
from tests.assessing import assess

NEAR = """
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void sum(__global const int *restrict count, __global const int *restrict near,
                  __global const float *restrict mass, __global float *restrict out, int n)
{
    int box = get_global_id(0);
    float total = 0.0f;
    for (int k = 0; k < BOUND; k++) {
        BODY
    }
    out[box] = total;
}
"""
ITEMS = 65536
CLOCK_MHZ = 250


def kernel(body: str, bound: str = "count[box]", **settings: Any) -> tuple[Assessment, KernelAssessment]:
    """The kernel with this loop, and what is said of it."""
    text = NEAR.replace("BOUND", bound).replace("BODY", body)
    done = assess(text, global_size=[ITEMS], f_max_mhz=CLOCK_MHZ, **settings)
    return done, done.kernels[0]


@pytest.mark.parametrize(
    ("body", "bound", "trips"),
    [
        ("total += near[12 * box + k];", "count[box]", 12),
        ("if (k > 0) total += near[12 * box + k];", "count[box]", None),
        ("if (k == 0) total += 1.0f; else total += near[12 * box + k - 1];", "count[box] + 1", 13),
        ("total += near[k * 4096 + box];", "count[box]", None),
        ("total += near[count[box] + k];", "count[box]", None),
        ("if (k < 3) total += near[12 * box + k];", "count[box]", None),
    ],
)
def test_a_row_of_fixed_length_bounds_the_loop_along_it(body: str, bound: str, trips: int | None) -> None:
    done, one = kernel(body, bound)
    assert one.estimate.loops[0].trip == trips
    assert ("at most" in headline(done, one)) == (trips is not None)
    assert (one.estimate.time_s is None) == (trips is None)


def test_the_bound_is_said_and_a_given_count_goes_over_it() -> None:
    _, one = kernel("total += near[12 * box + k];")
    assert any("near" in text and "12" in text for text in map(remark_text, one.estimate.remarks))
    done, given = kernel("total += near[12 * box + k];", trips={"8": 6})
    assert one.estimate.time_s is not None
    assert given.estimate.time_s is not None
    assert given.estimate.time_s == pytest.approx(one.estimate.time_s / 2, rel=0.1)
    assert "at most" not in headline(done, given)
    assert not any("row" in remark_text(remark) for remark in given.estimate.remarks)


@pytest.mark.parametrize(("length", "trips"), [(6, 6), (64, 64)])
def test_an_array_bounds_the_loop_that_fills_it_in_registers_and_in_memory(length: int, trips: int) -> None:
    text = NEAR.replace("float total = 0.0f;", f"float total = 0.0f; int kept[{length}];")
    body = "kept[k] = near[count[box] + k]; total += mass[kept[k]];"
    done = assess(text.replace("BOUND", "count[box]").replace("BODY", body), global_size=[ITEMS])
    assert done.kernels[0].estimate.loops[0].trip == trips
    assert "at most" in headline(done, done.kernels[0])


def test_a_declared_row_bounds_the_loop_along_it_whatever_chooses_the_row() -> None:
    text = NEAR.replace("float total = 0.0f;", "float total = 0.0f; short list[64][20]; list[box & 63][n & 7] = n;")
    body = "total += mass[list[near[box] & 63][k + 1]];"
    done = assess(text.replace("BOUND", "count[box]").replace("BODY", body), global_size=[ITEMS])
    assert done.kernels[0].estimate.loops[0].trip == 19
    assert "at most" in headline(done, done.kernels[0])


def test_no_more_is_assumed_than_a_row_holds() -> None:
    text = """
__kernel void rows(__global float *restrict x, __global const int *restrict count, int m)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < count[i]; j++)
            x[i * 64 + j] += 1.0f;
}
"""
    done = assess(text)
    found = done.kernels[0].estimate.at_assumed
    assert found is not None
    assert found.estimate.loops[1].trip == 64
    assert found.sizes.trips == {0: 1024}


def test_a_bound_unrolls_nothing() -> None:
    _, one = kernel("total += near[2 * box + k];")
    assert one.estimate.loops[0].trip == 2
    assert all(u.count == 1 and u.width_bits == 32 for u in one.lsus)


SHARED = """
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void tiles(__global const float *restrict in, __global float *restrict out, int n)
{
    __local float tile[100];
    int lid = get_local_id(0), at = lid;
    for (int t = 0; t < n; t++) {
        while (at < 100) {
            tile[at] = in[t * 100 + at];
            at += 128;
        }
        at = lid;
        SKIP
        barrier(CLK_LOCAL_MEM_FENCE);
        while (at < 100) {
            float sum = 0.0f;
            for (int j = 0; j < 50; j++)
                sum += tile[j];
            out[t * 100 + at] = sum;
            at += 128;
        }
        RESET;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""


def test_a_counter_that_is_set_back_starts_every_trip_as_the_first() -> None:
    text = SHARED.replace("SKIP", "").replace("RESET", "at = lid")
    (one,) = assess(text, global_size=[12800], arguments={"n": 10}, f_max_mhz=CLOCK_MHZ).kernels
    # 100 of 128 work-items come to the inner loop, in each of ten tiles.
    assert one.estimate.time_s == pytest.approx(12800 * 10 * 50 * 100 / 128 / CLOCK_MHZ / 1e6, rel=0.1)


@pytest.mark.parametrize(
    ("skip", "reset"),
    [
        ("if (in[t] > 9.0f) continue;", "at = lid"),
        ("", "if (in[t] > 9.0f) at = lid"),
        ("", "at = lid + t"),
        ("", "at = lid + 1"),
    ],
)
def test_a_counter_that_may_start_elsewhere_is_not_known(skip: str, reset: str) -> None:
    text = SHARED.replace("at = lid;\n        SKIP", f"{skip}").replace("RESET", reset)
    (one,) = assess(text, global_size=[12800], arguments={"n": 10}).kernels
    assert one.estimate.time_s is None


KEPT = """
__kernel void pick(__global const int *restrict in, __global int *restrict out, int n)
{
    int kept[8];
    for (int r = 0; r < n; r++) {
        TYPE used = START;
        for (int j = 0; j < 8; j++) {
            int v = in[8 * r + j];
            if (v > 0)
                kept[used++] = v;
        }
        for (int j = FROM; j < TO; j++)
            out[8 * r + j] = kept[j];
    }
}
"""


@pytest.mark.parametrize(
    ("kind", "start", "begin", "end", "most"),
    [
        ("uint", "0", "used", "8", 8),
        ("int", "0", "0", "used", 8),
        ("int", "2", "used", "8", 6),
        ("int", "0", "used", "n", None),
    ],
)
def test_what_an_earlier_loop_counted_bounds_one_from_or_to_it(
    kind: str, start: str, begin: str, end: str, most: int | None
) -> None:
    text = KEPT.replace("TYPE", kind).replace("START", start).replace("FROM", begin).replace("TO", end)
    assert assess(text).kernels[0].facts.loops[2].most == most


def test_a_counter_that_falls_as_well_bounds_nothing() -> None:
    text = KEPT.replace("TYPE", "int").replace("START", "0").replace("FROM", "used").replace("TO", "8")
    text = text.replace("= v;", "= v; else used--;")
    assert assess(text).kernels[0].facts.loops[2].most is None


SIFTED = """
__attribute__((max_global_work_dim(0)))
__kernel void sift(__global const int *restrict x, __global int *restrict out, int m)
{
    SPACE int kept[32];
    int used = 0;
    for (int i = 0; i < m; i++) {
        int v = x[i];
        if (v > 0 && used < 32)
            kept[used++] = v;
    }
    for (int j = 0; j < END; j++)
        BODY
}
"""


@pytest.mark.parametrize("space", ["", "__local"])
@pytest.mark.parametrize(
    ("end", "body", "most"),
    [
        ("used", "out[j] = kept[j];", 32),
        ("used", "out[j] = kept[j + 8];", 24),
        ("used", "out[j] = kept[2 * j];", 16),
        ("used", "if (x[j] > 0) out[j] = kept[j];", None),
        ("used", "out[j] = kept[31 - j];", None),
        ("m / 7", "out[j] = kept[j];", None),
        ("m", "out[j] = kept[j];", None),
    ],
)
def test_the_end_of_an_array_on_the_chip_bounds_what_was_counted(
    space: str, end: str, body: str, most: int | None
) -> None:
    done = assess(SIFTED.replace("SPACE", space).replace("END", end).replace("BODY", body), arguments={"m": 4096})
    (one,) = done.kernels
    assert one.facts.loops[1].most == most
    if most is not None:
        assert one.estimate.loops[1].trip == most or one.estimate.loops[0].trip == most
        assert "at most" in headline(done, one)


REST = """
__kernel void rest(__global const int *restrict ends, __global const float *restrict x, __global float *restrict y)
{
    int t = get_global_id(0), first = ends[t], last = ends[t + 1];
    float sum = 0.0f;
    if (CONDITION)
        for (int k = first; k < last; k++)
            sum += x[k];
    y[t] = sum;
}
"""


@pytest.mark.parametrize(
    ("condition", "most"),
    [
        ("first + 8 > last", 7),
        ("!(first + 7 < last)", 7),
        ("last - first <= 4 && t < 100", 4),
        ("last <= first", 0),
        ("last > first + 8", None),
        ("last < 100", None),
        ("first + 8 > last || t < 100", None),
    ],
)
def test_a_condition_around_a_loop_bounds_what_is_left_to_its_end(condition: str, most: int | None) -> None:
    assert assess(REST.replace("CONDITION", condition)).kernels[0].facts.loops[0].most == most
