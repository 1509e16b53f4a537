"""What is given for a line holds for that line after an edit as well, wherever it is then."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.rewrites.line_settings import following
from burstline_server.rewrites.rewrite import TextEdit

WALK = """__attribute__((max_global_work_dim(0)))
__kernel void walk(__global const int *restrict start, __global const float *restrict a,
                   __global float *x, __global float *y, __global float *out, int rows)
{
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int k = start[r]; k < start[r + 1]; k++)
            s += a[k];
        out[r] = s;
    }
    x[0] = 1.0f;
    y[0] = 2.0f;
}
"""
GIVEN = {"arguments": {"rows": 65536}, "trips": {7: 64}, "assumed_trips": 4}


def test_edits_are_priced_with_the_trips_that_are_given_for_a_line() -> None:
    assessor, layers = Assessor(), [Layer("option", GIVEN)]
    done = assessor.assess(WALK, "walk.cl", layers)
    (kernel,) = done.kernels
    before = kernel.estimate.time_s
    assert before is not None
    fixes = fixes_of(assessor, done, layers, every=True)
    at_line = {fix.offer.title.kind: fix for fix in fixes if fix.gain is not None and fix.gain.per == "launch"}
    assert at_line
    for fix in at_line.values():
        assert fix.gain is not None
        assert fix.gain.before_s == pytest.approx(before)
        # Two stores of one word each are no part of the time, which 64 trips of 65 536 rows set.
        if fix.offer.title.kind in {"soa_to_aos_host", "split_two_queues"}:
            assert fix.gain.after_s > before / 4


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (TextEdit(0, 0, "// one\n// two\n"), {"9": 64}),
        (TextEdit(WALK.index("    x[0]"), len(WALK), "}\n"), {"7": 64}),
        (TextEdit(WALK.index("{\n"), WALK.index("{\n"), "\n"), {"8": 64}),
        (TextEdit(WALK.index("        float s"), len(WALK), WALK[WALK.index("        float s") :]), {"7": 64}),
    ],
)  # fmt: skip
def test_a_line_is_followed_through_an_edit(edit: TextEdit, line: dict[str, int]) -> None:
    (layer,) = following([Layer("option", {"trips": {"7": 64}, "assumed_trips": 4})], WALK.encode(), [edit])
    assert {str(k): v for k, v in layer.keys["trips"].items()} == line
    assert layer.keys["assumed_trips"] == 4


def test_nothing_is_assumed_for_a_line_that_is_gone() -> None:
    gone = TextEdit(WALK.index("        for (int k"), WALK.index("        out"), "        s = a[r];\n")
    (layer,) = following([Layer("option", {"trips": {"7": 64}, "assumed_trips": 4})], WALK.encode(), [gone])
    assert layer.keys == {"trips": {}}


def test_a_kernel_s_own_trips_are_followed_too() -> None:
    above = TextEdit(0, 0, "\r\n")
    layers = [Layer("file", {"kernels": {"walk": {"trips": {7: 64}}}})]
    (layer,) = following(layers, WALK.encode(), [above])
    assert layer.keys == {"kernels": {"walk": {"trips": {8: 64}}}}
