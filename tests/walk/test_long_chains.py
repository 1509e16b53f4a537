"""Loads each at what the one before gave, many in a row: latency benchmarks are written so."""

import logging

import pytest

from tests.assessing import assess


def test_a_long_chain_of_loads_is_estimated(caplog: pytest.LogCaptureFixture) -> None:
    loads = "x = a[x]; " * 400
    with caplog.at_level(logging.ERROR):
        done = assess(
            f"__kernel void k(__global int *restrict a, int n) {{ int x = get_global_id(0); {loads}a[n] = x; }}"
        )
    assert not caplog.records
    (kernel,) = done.kernels
    assert len([u for u in kernel.estimate.units if u.lsu.op == "load"]) == 400
