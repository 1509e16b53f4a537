"""Small launches wait for the memory: no kernel is done before its first data have come."""

from __future__ import annotations

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

ROUND_TRIP_S = 240e-9
"""What the default board's memory takes to answer."""
BUFFERS = "__global const float *restrict x, __global const int *restrict k, __global float *restrict y"


def task(body: str) -> KernelEstimate:
    """A single work-item kernel."""
    text = f"__attribute__((max_global_work_dim(0)))\n__kernel void once({BUFFERS}) {{ {body} }}\n"
    (kernel,) = assess(text).kernels
    return kernel.estimate


def in_total(estimate: KernelEstimate) -> float:
    """The kernel's time, of which its parts are all."""
    assert estimate.time_s is not None
    assert sum(t.time_s for t in estimate.terms) == pytest.approx(estimate.time_s)
    return estimate.time_s


@pytest.mark.parametrize(
    ("body", "in_a_row"),
    [
        ("y[0] = 1.0f;", 1),
        ("y[0] = x[0];", 2),
        ("y[0] = x[0] + x[64] + x[128];", 2),
        ("y[0] = x[k[0]];", 3),
        ("y[0] = x[k[k[k[0]]]];", 5),
        ("if (k[0] > 3) y[0] = x[9];", 1),
        ("for (int i = 0; i < k[0]; i++) y[i] = x[i];", 1),
    ],
)
def test_a_launch_is_not_done_before_its_chain_of_loads_and_its_store(body: str, in_a_row: int) -> None:
    estimate = task(body)
    if estimate.time_s is None:
        assert "i < k[0]" in body  # nobody counts that loop
        return
    assert in_total(estimate) >= in_a_row * ROUND_TRIP_S


def test_independent_loads_wait_together() -> None:
    one = task("y[0] = x[0];")
    many = task("float s = 0.0f;\n#pragma unroll\nfor (int i = 0; i < 8; i++) s += x[k[i]];\ny[0] = s;")
    assert in_total(one) >= 2 * ROUND_TRIP_S
    assert 3 * ROUND_TRIP_S <= in_total(many) < 4.5 * ROUND_TRIP_S
    assert many.limit == "latency"


def test_copies_that_follow_each_other_wait_in_turn() -> None:
    walk = "int at = 0;\n#pragma unroll\nfor (int i = 0; i < 4; i++) at = k[at];\ny[0] = (float)at;"
    assert in_total(task(walk)) >= 5 * ROUND_TRIP_S


def test_many_work_items_wait_once() -> None:
    text = f"__kernel void scale({BUFFERS}) {{ int i = get_global_id(0); y[i] = 2.0f * x[i]; }}"
    (few,), (many,) = (assess(text, global_size=n).kernels for n in (64, 1 << 24))
    first = [t.time_s for t in many.estimate.terms if t.limit == "latency"]
    assert first == [pytest.approx(2 * ROUND_TRIP_S)]
    assert few.estimate.limit in {"latency", "work_items"}
    assert many.estimate.limit != "latency"


def test_the_papers_mode_knows_no_latency() -> None:
    text = f"__kernel void scale({BUFFERS}) {{ int i = get_global_id(0); y[i] = 2.0f * x[i]; }}"
    (kernel,) = assess(text, global_size=64, mode="faithful").kernels
    assert all(t.limit != "latency" for t in kernel.estimate.terms)


@pytest.mark.parametrize("body", ["", "for (int i = 0; i < 0; i++) y[i] = x[i];"])
def test_a_kernel_that_moves_nothing_waits_for_no_data(body: str) -> None:
    estimate = task(body)
    assert estimate.limit == "pipeline"
    assert all(term.limit != "latency" for term in estimate.terms)
