"""Windows of neighbouring work-items that overlap and begin more than an element apart: a group loads them once."""

import pytest

from burstline_model.estimate.changes import LocalTile
from burstline_model.estimate.kernel_estimate import KernelEstimate, Lever
from tests.assessing import assess

DECIMATES = """
__kernel void fir(__global const float *restrict x, __global const float16 *restrict taps,
                  __global float *restrict y, int n, int d)
{
    int i = get_global_id(0);
    __global const float16 *in = (__global const float16 *)(x + i * d);
    float16 s = 0.0f;
    for (int k = 0; k < n; k++) {
        s += *in * taps[k];
        in++;
    }
    y[i] = s.s0 + s.s5;
}
"""


def tiles(d: int, local: int) -> tuple[KernelEstimate, list[Lever]]:
    arguments = {"n": 8, "d": d}
    estimate = assess(DECIMATES, global_size=1 << 20, local_size=local, arguments=arguments).kernels[0].estimate
    return estimate, [one for one in estimate.levers if isinstance(one.change, LocalTile)]


def test_a_tile_spares_what_windows_share() -> None:
    estimate, (lever,) = tiles(16, 256)
    assert lever.change == LocalTile(pointer="x")
    assert lever.after_s is not None
    # Each window is 512 B, the next one begins 64 B on: a group moves 17 kB in place of 131 kB. What is left is an
    # iteration a cycle, 8 of them for each of 1 M items.
    assert lever.after_s == pytest.approx(8 * (1 << 20) / (estimate.f_max_hz or 1.0), rel=0.02)
    assert (estimate.time_s or 0.0) > 2 * lever.after_s


@pytest.mark.parametrize(
    ("d", "local"),
    [(128, 256), (4096, 256), (16, 1)],
    ids=["one after the other", "far apart", "nobody to share with"],
)
def test_windows_that_share_nothing_need_no_tile(d: int, local: int) -> None:
    assert not tiles(d, local)[1]


def test_work_items_in_other_rows_of_a_group_share_no_window() -> None:
    """A tile of 2 neighbours moves more than half of what they do alone: 576 B in place of 1024."""
    text = DECIMATES.replace("int i = get_global_id(0);", "int i = get_global_id(1) * 4096 + get_global_id(0);")
    sizes = {"global_size": [1024, 1024], "arguments": {"n": 8, "d": 16}}
    flat, rows = (assess(text, local_size=[*local], **sizes).kernels[0].estimate for local in ((256, 1), (2, 128)))
    after = [one.after_s or 0.0 for e in (flat, rows) for one in e.levers if isinstance(one.change, LocalTile)]
    assert len(after) == 2
    assert after[0] < after[1]
    spared_s = (1 - 576 / 1024) * max(unit.time_s or 0.0 for unit in rows.units)
    assert after[1] == pytest.approx((rows.time_s or 0.0) - spared_s, rel=0.02)
