"""Shift registers for stencils whose border is clamped: each access is one of two neighbours."""

from __future__ import annotations

import pytest

from burstline_model.estimate.changes import SlidingWindow, WindowAndCopies
from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

HEAT = """
__attribute__((max_global_work_dim(0)))
__kernel void heat(__global %s float *restrict in, __global float *restrict out, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int c = y * w + x;
            out[c] = in[%s] + in[%s] + in[%s] + in[%s] - 4 * in[c];
            %s
        }
}
"""
PLAIN = "c - 1", "c + 1", "c - w", "c + w"
CHOSEN = "x == 0 ? c : c - 1", "x == w - 1 ? c : c + 1", "y == 0 ? c : c - w", "y == h - 1 ? c : c + w"
BOUNDED = "y * w + max(x - 1, 0)", "y * w + min(x + 1, w - 1)", "max(y - 1, 0) * w + x", "min(y + 1, h - 1) * w + x"


def estimate(places: tuple[str, ...], last: str = "") -> KernelEstimate:
    text = HEAT % ("const" if not last else "", *places, last)
    return assess(text, arguments={"w": 1024, "h": 1024}).kernels[0].estimate


@pytest.mark.parametrize("places", [CHOSEN, BOUNDED], ids=["chosen", "bounded"])
def test_a_clamped_border_leaves_the_window(places: tuple[str, ...]) -> None:
    plain, clamped = estimate(PLAIN), estimate(places)
    first = clamped.levers[0]
    assert isinstance(first.change, WindowAndCopies)
    assert first.change == plain.levers[0].change
    # The border's units are spared as well: what is left is one load of each element, and the store.
    assert first.after_s == pytest.approx(plain.levers[0].after_s, rel=0.05)


@pytest.mark.parametrize(
    ("places", "last"),
    [
        (CHOSEN, "in[c + 4 * w] = 0;"),
        (("y == 0 ? c : x * w + y", *CHOSEN[1:]), ""),
        (("y == 0 ? 2 * c : 2 * c - 1", *CHOSEN[1:]), ""),
    ],
    ids=["stored there", "a column", "two steps"],
)
def test_other_places_are_no_window(places: tuple[str, ...], last: str) -> None:
    levers = estimate(places, last).levers
    assert not any(isinstance(one.change, WindowAndCopies | SlidingWindow) for one in levers)
