"""What a kernel gains that could do more in each cycle is priced, and the edit that does it is at hand."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.words.edits import fix_title
from burstline_server.words.verdict import lever_lines
from tests.assessing import assess

FIELD = """typedef struct { float x, y, z, w; } P;
__kernel void field(__global const P *restrict in, __global float *restrict out)
{
    int i = get_global_id(0);
    out[i] = in[i].x;
}
"""
PAIRS = """__kernel void pairs(__global int *a, int half, int step)
{
    int t = get_global_id(0), i = t / half * 2 * half + t % half;
    int x = a[i], y = a[i + half];
    if ((x > y) == ((i & step) == 0)) { a[i] = y; a[i + half] = x; }
}
"""
ROWS = """__kernel void rows(__global const float *restrict a, __global float *restrict b, int n, int m)
{
    for (int i = 0; i < n; i++) {
        float s = 0.0f;
        for (int j = 0; j < m; j++)
            s += a[i * m + j];
        for (int j = 0; j < m; j++)
            b[i * m + j] = a[i * m + j] / s;
    }
}
"""


@pytest.mark.parametrize(
    ("text", "settings", "change"),
    [
        (FIELD, {"global_size": [1 << 20]}, "num_simd_work_items"),
        (PAIRS, {"global_size": [1 << 19], "arguments": {"half": 1024, "step": 4096}}, "num_compute_units"),
        (ROWS, {"arguments": {"n": 1024, "m": 1024}}, "unroll the 2 slowest loops"),
    ],
)
def test_the_first_advice_has_its_time_and_its_edit(text: str, settings: dict, change: str) -> None:
    given = {"board": "a10_ref", "f_max_mhz": 240, **settings}
    (kernel,) = assess(text, **given).kernels
    first, now = kernel.estimate.levers[0], kernel.estimate.time_s
    assert lever_lines(kernel, 1)[0].startswith(change)
    assert now is not None
    assert first.after_s is not None
    assert first.after_s < 0.7 * now
    assessor, layers = Assessor(), [Layer("file", given)]
    fixes = fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers)
    gains = {fix_title(fix).lower(): fix.gain.after_s for fix in fixes if fix.gain is not None}
    own = [after_s for title, after_s in gains.items() if change.lower() in title]
    assert min(own) == pytest.approx(first.after_s, rel=0.05)


ROWS_OF_MATRIX = """#define N 1024
__kernel void product(__global int a[N][N], __global int b[N][N], __global int c[N][N])
{
    int i = get_global_id(0), j = get_global_id(1), s = 0;
    for (int k = 0; k < N; k++)
        s += a[i][k] * b[k][j];
    c[i][j] = s;
}
"""


def test_a_row_of_a_matrix_is_no_structure() -> None:
    (kernel,) = assess(ROWS_OF_MATRIX, board="a10_ref", global_size=[1024, 1024]).kernels
    changes = [o.change for u in kernel.estimate.units for o in u.observations]
    assert changes
    assert not any(getattr(change, "fields", False) for change in changes)


CLOSEST = """__kernel void closest(__global const float *x, __global const float *targets, __global int *best)
{
    int g = get_global_id(0), found = 0;
    float least = MAXFLOAT;
    for (int t = 0; t < 10; t++) {
        float sum = 0.0f;
        for (int j = 0; j < 784; j++) {
            float d = x[784 * g + j] - targets[784 * t + j];
            sum += d * d;
        }
        if (sum < least) { least = sum; found = t; }
    }
    best[g] = found;
}
"""


def test_what_surely_saves_most_of_it_goes_before_a_tile_that_may_save_all() -> None:
    (kernel,) = assess(CLOSEST, board="a10_ref", f_max_mhz=240, global_size=[10_000]).kernels
    first, second = lever_lines(kernel, 2)
    assert first.startswith("unroll the loop by 16")
    assert second.startswith("fill a tile in local memory")
