"""Copies of the slowest loop, where another one takes nearly as long at the same time."""

import pytest

from burstline_model.estimate.changes import MoreCopies
from burstline_server.words.changes import action_text
from tests.assessing import assess

ROUNDS = """
__kernel void rounds(__global const uint *restrict x, __global uint *restrict y)
{
    int i = get_global_id(0);
    uint v = x[i], w = 0;
    for (int r = 0; r < 24; r++)
        v = (v << 3) ^ (v >> 5) ^ r;
    for (int r = 0; r < OTHER; r++)
        w = (w ^ v) * 5 + (w >> 7);
    y[i] = w;
}
"""


@pytest.mark.parametrize(
    ("other", "action", "left"),
    [
        # An item goes through both loops, each of which starts one iteration a cycle: 24 cycles an item.
        (24, "unroll the 2 slowest loops by 24", 1 / 24),
        (20, "unroll the 2 slowest loops by 20 to 24", 1 / 24),
        (16, "unroll the 2 slowest loops by 16 to 24", 1 / 24),
        # One alone saves most of the time where the other takes a sixth of it.
        (4, "unroll the loop by 6", 4 / 24),
    ],
)
def test_those_that_leave_little_to_save_are_unrolled_together(other: int, action: str, left: float) -> None:
    text = ROUNDS.replace("OTHER", str(other))
    text = text.replace("for (int r = 0; r < 4;", "#pragma unroll 1\n    for (int r = 0; r < 4;")
    (kernel,) = assess(text, global_size=1 << 22).kernels
    first = next(one for one in kernel.estimate.levers if isinstance(one.change, MoreCopies))
    assert action_text(first.change) == action
    assert (first.after_s or 0.0) / (kernel.estimate.time_s or 1.0) == pytest.approx(left, rel=0.1)
