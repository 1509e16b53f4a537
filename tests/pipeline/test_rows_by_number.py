"""Copies of an array that numbers in the text choose: they do not wait for each other, and have ports each."""

from __future__ import annotations

import pytest

from burstline_model.pipeline.local_ports import cycles_at_ports
from tests.assessing import assess

COUNTS = """
__kernel void count(__global const uchar4 *restrict in, __global uint *restrict out, int n)
{
    __local uint h[4][256];
    for (int i = 0; i < 256; i++) {
        h[0][i] = 0;
        h[1][i] = 0;
        h[2][i] = 0;
        h[3][i] = 0;
    }
    for (int i = 0; i < n; i++) {
        uchar4 d = in[i];
        h[0][d.x]++;
        h[1][d.y]++;
        h[2][d.z]++;
        h[3][d.w]++;
    }
    for (int i = 0; i < 256; i++)
        out[i] = h[0][i] + h[1][i] + h[2][i] + h[3][i];
}
"""

ONE_ROW = COUNTS.replace("h[1][d.", "h[0][d.").replace("h[2][d.", "h[0][d.").replace("h[3][d.", "h[0][d.")


@pytest.mark.parametrize(
    ("text", "interval", "ports"),
    [
        # A load and a store of one row: 2 cycles, whatever the other rows do.
        (COUNTS, 2, None),
        # One row for all: four updates in turn, and four stores at two ports.
        (ONE_ROW, 8, 2),
    ],
    ids=["rows", "one row"],
)
def test_rows_that_numbers_choose_do_not_meet(text: str, interval: int, ports: float | None) -> None:
    (kernel,) = assess(text, arguments={"n": 1 << 20}, device_family="Stratix 10").kernels
    loop = kernel.facts.loops[1]
    (found,) = (one for one in kernel.estimate.loops if one.loop == loop.id)
    assert found.ii == interval
    if ports is not None:
        assert cycles_at_ports(kernel.facts, {}, 2)[(loop.id,)] == ports
    elif text is COUNTS:
        assert (loop.id,) not in cycles_at_ports(kernel.facts, {}, 2)
