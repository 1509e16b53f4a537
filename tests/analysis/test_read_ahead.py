"""What is read ahead to count an inner loop leaves no trace: it is read once more, and counted then."""

from collections import Counter

from burstline_server.words.units import stride_text
from tests.assessing import assess

KERNEL = """
__kernel void k(__global const float *restrict x, __global float *restrict y, const float f, const int n)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        for (int j = (int)(f * 2.0f); j < 8; j++) STEP;
        y[i] = x[at];
    }
}
"""


def test_what_a_loop_starts_with_is_counted_once() -> None:
    # Only a counter that lives on makes the outer loop look ahead at the inner one.
    for step in ("at++", "y[j] = x[j]"):
        (kernel,) = assess(KERNEL.replace("STEP", step)).kernels
        counts = Counter(one.operation for one in kernel.facts.operations for _ in range(one.count))
        assert (counts["float mul"], counts["float convert"]) == (1, 1)


def test_a_counter_moves_by_the_iterations_of_the_loop_ahead() -> None:
    (kernel,) = assess(KERNEL.replace("STEP", "at++").replace("(int)(f * 2.0f)", "2")).kernels
    (load,) = [unit for unit in kernel.lsus if unit.op == "load"]
    assert stride_text(load) == "6"
