"""Pragmas of loops that the compiler does not know, or that no loop follows: they have no effect, which is said."""

from __future__ import annotations

import pytest

from burstline_server.source.locate import place_of
from burstline_server.words.unread import unread_text
from tests.assessing import assess

KERNEL = """
#define COPIES 4
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{{
    #pragma {pragma}
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2.0f;
}}
"""


def said(pragma: str) -> tuple[int | None, list[str]]:
    (kernel,) = assess(KERNEL.format(pragma=pragma)).kernels
    remarks = [unread_text(r.kind, r.names) for r in kernel.facts.remarks if r.kind == "misspelt_pragma"]
    return kernel.facts.loops[0].unroll, remarks


@pytest.mark.parametrize("pragma", ["unrolll COPIES", "unrolll 4", "unrol", "Unroll(4)"])
def test_a_misspelt_pragma_has_no_effect_and_is_named(pragma: str) -> None:
    unroll, remarks = said(pragma)
    assert unroll is None
    word = pragma.split(maxsplit=1)[0].partition("(")[0]
    assert remarks == [f"the compiler knows no #pragma {word}, which has no effect: unroll is nearest to it"]


def test_a_word_too_many_leaves_a_pragma_unknown() -> None:
    assert said("loop unroll 8") == (
        None, ["the compiler knows no #pragma loop unroll, which has no effect: unroll is nearest to it"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pragma", "unroll"),
    [("unroll COPIES", 4), ("unroll(2)", 2), ("nounroll", 1), ("unroll_and_jam 4", None), ("omp simd", None)],
)
def test_known_ones_and_those_of_other_compilers_are_not_named(pragma: str, unroll: int | None) -> None:
    assert said(pragma) == (unroll, [])


MISPLACED = """
__kernel void k(__global const float *restrict x, __global float *restrict y, int n)
{
BODY
}
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    #pragma unroll 4\n    int last = n - 1;\n    for (int i = 0; i < last; i++) y[i] = x[i];", 4),
        ("    for (int i = 0; i < n; i++) {\n        y[i] = x[i];\n        #pragma unroll 4\n    }", 6),
        ("    for (int i = 0; i < n; i++)\n        y[i] = x[i];\n    #pragma unroll\n", 6),
        ("    if (n > 4) {\n        #pragma unroll\n        y[0] = x[0];\n    }", 5),
    ],
)
def test_a_pragma_that_no_loop_follows_has_no_effect_and_is_named(body: str, line: int) -> None:
    done = assess(MISPLACED.replace("BODY", body))
    (kernel,) = done.kernels
    assert [loop.unroll for loop in kernel.facts.loops if loop.unroll is not None] == []
    (remark,) = kernel.facts.remarks
    assert unread_text(remark.kind, remark.names) == (
        "no loop follows #pragma unroll, which has no effect here: put it on the line before its loop"
    )
    assert place_of(done.source, remark.span).line + 1 == line


@pytest.mark.parametrize(
    "body",
    [
        "    #pragma unroll 4 // copies\n    /* of */ for (int i = 0; i < 8; i++) y[i] = x[i];",
        "    #pragma ivdep\n    #pragma unroll 4\n    for (int i = 0; i < 8; i++) y[i] = x[i];",
        "    if (n)\n        #pragma unroll 4\n        for (int i = 0; i < 8; i++) y[i] = x[i];",
        "    int i = 0;\n    #pragma unroll 4\n    do { y[i] = x[i]; } while (++i < 8);",
        "#define EACH for (int i = 0; i < 8; i++)\n    #pragma unroll 4\n    EACH y[i] = x[i];",
        "    #pragma unroll 4\n    __attribute__((xcl_pipeline_loop)) for (int i = 0; i < 8; i++) y[i] = x[i];",
    ],
)
def test_a_pragma_before_a_loop_is_not_named(body: str) -> None:
    (kernel,) = assess(MISPLACED.replace("BODY", body)).kernels
    assert kernel.facts.remarks == ()
    assert [loop.unroll for loop in kernel.facts.loops] == [4]


LABELLED = MISPLACED.replace("BODY", "    HEAD for (int i = 0; i < 8; i++) y[i] = x[i];")


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ("__attribute__((opencl_unroll_hint)) copy:", "opencl_unroll_hint"),
        ("\n    #pragma unroll 4\n    copy:", "unroll"),
    ],
)
def test_what_is_asked_of_a_loop_in_front_of_its_label_has_no_effect(head: str, word: str) -> None:
    (kernel,) = assess(LABELLED.replace("HEAD", head)).kernels
    (remark,) = kernel.facts.remarks
    assert unread_text(remark.kind, remark.names) == (
        f"{word} before a label is not for its loop, and has no effect: put it behind the label"
    )
    assert [loop.unroll for loop in kernel.facts.loops] == [None]


def test_what_is_asked_behind_the_label_is_for_the_loop() -> None:
    (kernel,) = assess(LABELLED.replace("HEAD", "copy: __attribute__((opencl_unroll_hint))")).kernels
    assert kernel.facts.remarks == ()
    assert [loop.unroll for loop in kernel.facts.loops] == [0]
