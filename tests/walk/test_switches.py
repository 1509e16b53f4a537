"""How often the cases of a ``switch`` run, from text to bytes."""

import pytest

from tests.assessing import assess
from tests.walk.walking import MEGA, SINGLE, units

KERNEL = """__kernel void k(
    __global const int *restrict x, __global int *restrict p, __global int *restrict q, int n, int m)
{
    for (int i = 0; i < n; i++) {
        switch (%s) { %s }
    }
}
"""


@pytest.mark.parametrize(
    ("chosen", "cases", "p", "q"),
    [
        ("i & 3", "case 0: p[i] = 1; break; case 1: q[i] = 1; break; default: break;", 1 / 4, 1 / 4),
        ("i % 8", "case 0: case 5: p[i] = 1; break; default: q[i] = 1;", 1 / 4, 3 / 4),
        ("i % 8", "case 0: p[i] = 1; case 1: q[i] = 1; break; case 2: return;", 1 / 8, 1 / 4),
        ("i % 8", "default: p[i] = 1; case 1: q[i] = 1; break; case 2: break;", 3 / 4, 7 / 8),
        ("i % 8", "case -1: p[i] = 1; break; case 1: { q[i] = 1; break; }", 0.0, 1 / 8),
        ("m", "case 7: p[i] = 1; break; case 9: q[i] = 1; break;", 1.0, 0.0),
    ],
)
def test_a_case_runs_as_often_as_its_value_is_chosen(chosen: str, cases: str, p: float, q: float) -> None:
    found = units(SINGLE + KERNEL % (chosen, cases), arguments={"n": MEGA, "m": 7})
    for name, share in (("store p", p), ("store q", q)):
        walk = found[name].walk
        assert walk is not None
        assert found[name].bytes == pytest.approx(4 * MEGA * share, rel=0.01)
        assert walk.low_bytes == walk.fetched_bytes
        assert (walk.fetched_bytes == 0) == (share == 0)


@pytest.mark.parametrize(
    ("chosen", "cases"),
    [
        ("x[i]", "case 0: q[i] = 1; break; default: p[i] = 1;"),
        ("i % 8", "case 0: if (x[i]) break; case 1: p[i] = 1;"),
        ("i % 8", "case 0: while (x[i]) { break; } case 1: p[i] = 1;"),
        ("i % 8", "case UNKNOWN: q[i] = 1; break; case 2: p[i] = 1;"),
    ],
)
def test_a_case_that_data_decide_runs_any_number_of_times(chosen: str, cases: str) -> None:
    walk = units(SINGLE + KERNEL % (chosen, cases), arguments={"n": MEGA})["store p"].walk
    assert walk is not None
    assert walk.low_bytes == 0


@pytest.mark.parametrize(
    ("cases", "p", "q"),
    [
        ("case 0: q[i] = 1; break; default: p[i] = 1;", 1 / 2, 1 / 2),
        ("case 0: q[i] = 1; break; case 1: case 2: p[i] = 1; break; default: break;", 1 / 2, 1 / 4),
        ("case 0: q[i] = 1; case 1: p[i] = 1; break; case 2: case 3: break;", 1 / 2, 1 / 4),
        ("case 0: q[i] = 1; break; case 1: p[i] = 1; break; case 2: if (n) return; default: break;", 1 / 4, 1 / 4),
    ],
)
def test_of_cases_that_data_choose_each_runs_equally_often(cases: str, p: float, q: float) -> None:
    found = units(SINGLE + KERNEL % ("x[i]", cases), arguments={"n": MEGA})
    for name, share in (("store p", p), ("store q", q)):
        walk = found[name].walk
        assert walk is not None
        assert found[name].bytes == pytest.approx(4 * MEGA * share, rel=0.01)
        assert walk.low_bytes == 0


CHOOSES = """__kernel void k(__global const int *restrict x, __global const float *restrict a,
                __global const float *restrict b, __global float *restrict p) {
    for (int i = 0; i < 1048576; i++) {
        int o = x[i];
        float v;
        %s
        p[i] = v;
    }
}
"""


def test_a_switch_takes_what_its_chain_of_conditions_takes() -> None:
    switch = CHOOSES % "switch (o) { case 0: v = a[i]; break; default: v = b[i]; }"
    chain = CHOOSES % "if (o == 0) v = a[i]; else v = b[i];"
    first, second = (assess(SINGLE + text).kernels[0].estimate.time_s for text in (switch, chain))
    assert first == pytest.approx(second, rel=1e-3)
