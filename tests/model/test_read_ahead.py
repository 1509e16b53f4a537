"""Prefetching units read large blocks ahead, so that many narrow streams leave a bank more of its peak."""

import pytest

from tests.assessing import assess


def gb_s(streams: int, *, ahead: bool) -> float:
    """What two banks deliver to a loop over so many arrays of floats; through `volatile` no unit prefetches."""
    kind = "__global const float *restrict" if ahead else "volatile __global const float *restrict"
    pointers = ", ".join(f"{kind} x{k}" for k in range(streams))
    total = " + ".join(f"x{k}[i]" for k in range(streams))
    text = (
        "__attribute__((max_global_work_dim(0)))\n"
        f"__kernel void k({pointers}, __global float *restrict z, const int n)\n"
        f"{{ for (int i = 0; i < n; i++) z[i] = {total}; }}\n"
    )
    n = (1 << 24) + 7
    done = assess(text, board="pac_a10", aoc_version="19.4", f_max_mhz=289, arguments={"n": n})
    (kernel,) = done.kernels
    assert {u.lsu.style == "Prefetching" for u in kernel.estimate.units if u.lsu.op == "load"} == {ahead}
    time = kernel.estimate.time_s
    assert time is not None
    return (streams + 1) * n * 4 / time / 1e9


def test_eight_streams_come_as_fast_as_they_are_asked_for() -> None:
    """Nine units of 4 B at 294 MHz were measured to move 10.6 GB/s (the feed-forward paper, HS-3D)."""
    assert gb_s(8, ahead=True) == pytest.approx(9 * 4 * 0.289, rel=0.02)


def test_sixteen_streams_that_are_read_ahead_get_more_than_others() -> None:
    """Two kernels of nine such units each were 1.55 times as fast as one: 16 GB/s (its Table 3)."""
    assert gb_s(16, ahead=True) == pytest.approx(16, rel=0.15)
    assert gb_s(16, ahead=False) < 0.8 * gb_s(16, ahead=True)
