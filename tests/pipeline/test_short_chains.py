"""Loops of few iterations that hand on a value which no partial results take the place of."""

from __future__ import annotations

from burstline_model.estimate.changes import MoreCopies
from burstline_model.estimate.kernel_estimate import KernelEstimate
from tests.assessing import assess

SMOOTH = """
__constant float taps[3][3] = {{0.1f, 0.2f, 0.1f}, {0.2f, 0.3f, 0.2f}, {0.1f, 0.2f, 0.1f}};
__attribute__((max_global_work_dim(0)))
__kernel void smooth(__global const uchar *in, __global uchar *out, int w, int h)
{
    uchar image[512 * 512];
    int sum = 0;
    for (int i = 0; i < w * h; i++)
        image[i] = in[i];
    for (int r = 1; r < h - 1; r++) {
        uchar row[512];
        for (int c = 1; c < w - 1; c++) {
            %s
            %s
            for (int i = 0; i < 3; i++)
                %s
                for (int j = 0; j < 3; j++)
                    sum += taps[i][j] * image[(r + i - 1) * w + c + j - 1];
            row[c] = min(255, sum);
        }
        for (int c = 1; c < w - 1; c++)
            out[r * w + c] = row[c];
    }
}
"""


def estimate(anew: str = "sum = 0;", unroll: str = "") -> KernelEstimate:
    """The estimate of an image of 512 x 512: each pixel's sum is rounded after each tap."""
    return assess(SMOOTH % (anew, unroll, unroll), arguments={"w": 512, "h": 512}, f_max_mhz=300).kernels[0].estimate


def test_a_short_chain_is_advised_to_be_one_pipeline() -> None:
    found = estimate()
    assert found.limit == "dependence"
    first = found.levers[0]
    assert isinstance(first.change, MoreCopies)
    assert (first.change.loops, first.copies, first.others) == (2, 1, ((3, 3),))
    # 9 taps in each cycle: the time is that of the text with the pragmas.
    assert first.after_s is not None
    assert first.after_s == estimate(unroll="#pragma unroll").time_s
    assert found.time_s is not None
    assert first.after_s < found.time_s / 20


def test_a_chain_through_all_pixels_is_as_long_in_one_pipeline() -> None:
    assert not any(isinstance(one.change, MoreCopies) for one in estimate("").levers)
