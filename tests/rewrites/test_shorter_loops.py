"""Kernels that run too long for the execution of edits: the same edit is executed with shorter loops, and says so."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted
from burstline_server.rewrites import catalogue
from burstline_server.rewrites.catalogue import Fix, contradicted, fixes_of
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, Offer, Rewrite, TextEdit
from burstline_server.rewrites.shorter_loops import with_shorter_loops
from burstline_server.words.edits import fix_title, shown_text

LAYERS = [Layer("file", {"aoc_version": "19.4"})]
SUMS = """#define COLUMNS 4096
__kernel void sums(__global const float *restrict m, __global float *restrict out) {
    for (int c = 0; c < COLUMNS; ++c) {
        float sum = 0.0f;
        for (int r = 0; r < 128 * 32; r++)
            sum += m[r * COLUMNS + c];
        out[c] = sum;
    }
}
"""
SCALE = """__kernel void scale(__global const int *restrict x, __global int *restrict y) {
    for (int i = 0; i < 50000000; i++)
        y[i] = 3 * x[i];
}
"""


def _fixes(text: str) -> dict[str, Fix]:
    assessor = Assessor()
    return {f.offer.title.kind: f for f in fixes_of(assessor, assessor.assess(text, "k.cl", LAYERS), LAYERS)}


def test_an_edit_of_long_loops_is_executed_with_shorter_ones_and_says_so() -> None:
    fix = _fixes(SUMS)["unroll_and_jam"]
    assert isinstance(fix.execution, Equal)
    assert fix.execution.shorter
    assert fix.execution.trials > 0
    assert fix_title(fix).endswith(" (executed with shorter loops)")
    assert shown_text("proved", fix.execution) == "a proof (executed with shorter loops)"


def test_an_edit_of_short_loops_is_executed_as_it_is() -> None:
    fix = _fixes(SUMS.replace("4096\n", "32\n").replace("128 * 32", "64"))["unroll_and_jam"]
    assert isinstance(fix.execution, Equal)
    assert not fix.execution.shorter
    assert "shorter" not in fix_title(fix)


def test_bounds_in_heads_become_smaller_and_nothing_else() -> None:
    kernel = Assessor().assess(SUMS, "k.cl", LAYERS).kernels[0]
    source = Assessor().assess(SUMS, "k.cl", LAYERS).source
    first = (with_shorter_loops(source, kernel.facts) or b"").decode()
    assert "c < 16; ++c" in first
    assert "r < 16; r++" in first
    assert first.replace("c < 16", "c < COLUMNS").replace("r < 16", "r < 128 * 32") == SUMS


@pytest.mark.parametrize(
    "text",
    [
        SCALE.replace("int i = 0", "int i = 7"),  # where it ends is not how often it runs
        SCALE.replace("i < 50000000; i++", "i < 50000000; i += 2"),
        SCALE.replace("i < 50000000; i++", "i != 50000000; i++"),
        SCALE.replace("i < 50000000", "i < x[0]"),
        "#define EACH for (int i = 0; i < 50000000; i++)\n"
        + SCALE.replace("for (int i = 0; i < 50000000; i++)", "EACH"),
    ],
)
def test_other_heads_are_left_as_they_are(text: str) -> None:
    assessment = Assessor().assess(text, "k.cl", LAYERS)
    assert with_shorter_loops(assessment.source, assessment.kernels[0].facts) is None


def test_a_loop_of_a_function_that_is_called_twice_is_made_shorter_once() -> None:
    text = """void fill(__global int *y, int by) { for (int i = 0; i < 50000000; i++) y[i] = by; }
__kernel void k(__global int *y, __global int *z) { fill(y, 1); fill(z, 2); }
"""
    assessment = Assessor().assess(text, "k.cl", LAYERS)
    made = with_shorter_loops(assessment.source, assessment.kernels[0].facts) or b""
    assert made.decode() == text.replace("50000000", "16")


class _FirstTwice(Rewrite):
    """Makes each iteration store to the first place, and says that this is proved."""

    name = "the first place every time"

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """The store."""
        at = assessment.source.original.find(b"y[i] =")
        if at < 0:
            return
        title, spans = Title("unroll", ("i",)), (kernel.facts.span,)
        edits = (TextEdit(at, at + 6, "y[i / 2] ="),)
        yield Candidate(title, spans, lambda: Offer(title, "proved", kernel.facts.name, edits, spans))


def test_a_wrong_edit_of_long_loops_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "REWRITES", (_FirstTwice(),))
    assessor = Assessor()
    assessment = assessor.assess(SCALE, "k.cl", LAYERS)
    assert fixes_of(assessor, assessment, LAYERS, every=True) == []
    (refusal,) = contradicted(assessor, assessment, LAYERS, lambda _: True)
    assert isinstance(refusal.reason, Different)


def test_what_cannot_be_made_shorter_is_not_executed() -> None:
    fix = _fixes(SUMS.replace("r = 0; r < 128 * 32", "r = 1; r < 128 * 3200"))["unroll_and_jam"]
    assert isinstance(fix.execution, NotExecuted)
    assert "not executed" in fix_title(fix)
