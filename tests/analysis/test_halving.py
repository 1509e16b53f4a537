"""A loop that halves a range in each trip runs at most as often as that goes, each trip waiting for the one before."""

import pytest

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.words.kernel_times import time_line
from burstline_server.words.verdict import limit_line
from tests.assessing import assess

SEARCH = """__attribute__((max_global_work_dim(0)))
kernel void search(global const {type}* restrict a, global const {type}* restrict keys, global int* restrict out,
                   global const int* restrict starts, int n, int m)
{{
    for (int i = 0; i < m; i++) {{
        {type} key = keys[i];
        int lo = {lo}, hi = {hi}, found = 0;
        while ({test}) {{
            {body}
        }}
        out[i] = lo;
    }}
}}
"""
HALVES = "int mid = (lo + hi) / 2; if (a[mid] < key) lo = mid + 1; else hi = mid;"


def _search(
    body: str = HALVES, test: str = "lo < hi", lo: str = "0", hi: str = "n", type_: str = "int"
) -> KernelAssessment:
    text = SEARCH.format(type=type_, lo=lo, hi=hi, test=test, body=body)
    (kernel,) = assess(text, arguments={"n": 1 << 20, "m": 1000}).kernels
    return kernel


@pytest.mark.parametrize("type_", ["int", "float"])
@pytest.mark.parametrize(
    ("test", "body", "trips"),
    [
        ("lo < hi", HALVES, 21),
        ("lo < hi", "int mid = lo + (hi - lo) / 2; if (!(a[mid] < key)) hi = mid; else { lo = mid + 1; }", 21),
        ("hi > lo", "int mid = (hi + lo) >> 1; if (key > a[mid]) lo = mid + 1; else hi = mid;", 21),
        ("lo + 1 < hi", "int mid = lo + ((hi - lo) >> 1); if (a[mid] <= key) lo = mid; else hi = mid - 1;", 21),
        ("lo <= hi", "int mid = (lo + hi) / 2; if (a[mid] < key) lo = mid + 1; else hi = mid - 1;", 21),
        (
            "lo < hi",
            "int mid = (lo + hi) / 2; int up = a[mid] < key; lo = up ? mid + 1 : lo; hi = up ? hi : mid;",
            21,
        ),
        (
            "lo <= hi",
            "int mid = (lo + hi) / 2; if (a[mid] == key) { lo = mid; break; }"
            "if (a[mid] < key) lo = mid + 1; else hi = mid - 1;",
            21,
        ),
        (
            "lo <= hi && !found",
            "int mid = (lo + hi) / 2; if (a[mid] == key) found = 1;"
            "else if (a[mid] < key) lo = mid + 1; else hi = mid - 1;",
            21,
        ),
    ],
)
def test_a_search_takes_the_logarithm_of_its_range_at_most(type_: str, test: str, body: str, trips: int) -> None:
    kernel = _search(body, test, type_=type_)
    assert kernel.estimate.loops[1].trip == trips
    assert time_line(kernel).startswith("at most ")


def test_the_range_is_from_one_end_to_the_other() -> None:
    assert [_search(lo=lo, hi=hi).estimate.loops[1].trip for lo, hi in (("0", "1000"), ("24", "1048"), ("0", "1"))] == [
        10, 11, 1,
    ]  # fmt: skip


def test_each_trip_waits_for_what_the_one_before_has_loaded() -> None:
    kernel = _search()
    search = kernel.estimate.loops[1]
    assert search.ii_at_run is not None
    assert search.ii_at_run > 100
    assert kernel.estimate.time_s == pytest.approx(1000 * 21 * search.ii_at_run / kernel.estimate.f_max_hz, rel=0.1)


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("lo < hi", "int mid = (lo + hi) / 2; if (a[mid] < key) lo = lo + 1; else hi = mid;"),
        ("lo < hi", "int mid = (lo + hi) / 2; if (a[mid] < key) lo = mid + 1; if (a[mid] > key + 9) hi = mid;"),
        ("lo < hi", "int mid = (lo + 3 * hi) / 4; if (a[mid] < key) lo = mid + 1; else hi = mid;"),
        ("lo < hi", "int mid = (lo + hi) / 2; if (a[lo] < key) { if (a[mid] < key) lo = mid + 1; else hi = mid; }"),
        ("lo < hi", "int mid = (lo + hi) / 2; if (a[mid] < key) { lo = mid + 1; hi = hi + 1; } else hi = mid;"),
    ],
)
def test_what_may_not_halve_its_range_is_not_counted(test: str, body: str) -> None:
    assert _search(body, test).estimate.time_s is None


def test_a_range_that_data_give_is_not_counted() -> None:
    assert _search(lo="starts[i]", hi="starts[i + 1]").estimate.time_s is None


def test_probing_asks_for_its_trips() -> None:
    text = """kernel void probe(global const int* restrict t, global int* restrict out, int n, int mask)
{
    for (int i = 0; i < n; i++) {
        int h = i & mask;
        while (t[h] != i && t[h] != -1)
            h = (h + 1) & mask;
        out[i] = h;
    }
}
"""
    assessment = assess(text, arguments={"n": 1 << 20, "mask": 65535})
    (kernel,) = assessment.kernels
    assert kernel.estimate.time_s is None
    assert "--trip 5=" in limit_line(assessment, kernel)
