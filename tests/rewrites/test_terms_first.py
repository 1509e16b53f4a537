"""An iteration's terms put together first: where, where not, that results stay, and what is asserted for reals."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import Fix, fixes_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

HEAD = """__kernel void k(__global const {real} *restrict x, __global const int *restrict w,
                __global {real} *restrict y, int n)
{{
    {type} s = {first};
    for (int i = 0; i < n; i++) {{
        {body}
    }}
    y[0] = s;
}}
"""


def kernel(body: str, type_: str = "float", first: str = "0", real: str = "") -> str:
    """A kernel with a variable that its loop carries."""
    real = real or ("int" if type_ not in {"float", "double"} else type_)
    return HEAD.format(body=body, type=type_, first=first, real=real)


FORMS = {
    "tree": ("s = s + x[i] + x[i + 1] + x[i + 2] + x[i + 3];", "s = s + ((x[i] + x[i + 1]) + (x[i + 2] + x[i + 3]));"),
    "taken away": ("s = s - x[i] - w[i] + x[i + 1];", "s = s - ((x[i] + (float)w[i]) - x[i + 1]);"),
    "in the middle": ("s = x[i] + s - x[i + 1];", "s = s + (x[i] - x[i + 1]);"),
    "a sum as a term": ("s = ((x[i] + w[i]) + (s)) + 2 * x[i + 1];", "s = s + ((x[i] + w[i]) + (2 * x[i + 1]));"),
    "statements": (
        "s += x[i]; const int j = i + 1; s -= w[j]; s = s + x[j] + 1;",
        "const float s_term1 = x[i]; const int j = i + 1; const float s_term2 = (float)w[j]; "
        "s += (s_term1 - s_term2) + (x[j] + (float)1);",
    ),
    "first taken away": (
        "s -= x[i]; s -= x[i + 1];", "const float s_term1 = x[i]; s -= s_term1 + x[i + 1];",
    ),
    "under one condition": (
        "if (w[i] > 2) { s += x[i]; s += x[i + 1]; }",
        "if (w[i] > 2) { const float s_term1 = x[i]; s += s_term1 + x[i + 1]; }",
    ),
    "under conditions": (
        "if (w[i] > 2)\n            s += x[i];\n        else s -= 1;\n        s += w[i];",
        "float s_own = -0.0f;\n        if (w[i] > 2)\n            s_own += x[i];\n        else s_own -= 1;\n"
        "        s_own += w[i];\n        s += s_own;",
    ),
    "unrolled": (
        "#pragma unroll\n        for (int k = 0; k < 8; k++)\n            s += x[i + k];",
        "float s_own = -0.0f;\n        #pragma unroll\n        for (int k = 0; k < 8; k++)\n"
        "            s_own += x[i + k];\n        s += s_own;",
    ),
    "read elsewhere": (
        "s = s + x[i] + x[i + 1]; y[i + 1] = s;", "s = s + (x[i] + x[i + 1]); y[i + 1] = s;",
    ),
    "comments and macros": (
        "s += SQUARE(x[i]); s += /* next */ x[i + 1];",
        "float s_own = -0.0f;\n        s_own += SQUARE(x[i]); s_own += /* next */ x[i + 1];\n        s += s_own;",
    ),
}  # fmt: skip
PRODUCTS = {
    "product": ("float", "s = s * x[i] * w[i];", "s = s * (x[i] * (float)w[i]);"),
    "double": ("double", "s *= x[i]; s *= w[i];", "const double s_term1 = x[i]; s *= s_term1 * (double)w[i];"),
    "whole": ("int", "s = s * w[i] * (w[i + 1] | 1);", "s = s * (w[i] * (w[i + 1] | 1));"),
    "longer": ("long", "s = s * w[i] * (uchar)x[i];", "s = s * ((long)w[i] * (long)((uchar)x[i]));"),
    "unsigned": (
        "uint", "s *= w[i]; s *= x[i] - 1;", "const uint s_term1 = (uint)w[i]; s *= s_term1 * (uint)(x[i] - 1);",
    ),
}  # fmt: skip
CHOICES = {
    "largest": ("float", "s = fmax(fmax(x[i], s), x[i + 1]);", "s = fmax(s, fmax(x[i], x[i + 1]));"),
    "smallest": (
        "float",
        "s = fmin(s, x[i]); s = fmin(x[i + 1], s);",
        "const float s_term1 = x[i]; s = fmin(s, fmin(s_term1, x[i + 1]));",
    ),
}
MACRO = "#define SQUARE(v) ((v) * (v))\n"
ALL = [
    *((kernel(before), kernel(after)) for before, after in FORMS.values()),
    *((kernel(before, type_, "1"), kernel(after, type_, "1")) for type_, before, after in PRODUCTS.values()),
    *((kernel(before, type_, "x[0]"), kernel(after, type_, "x[0]")) for type_, before, after in CHOICES.values()),
]
NAMES = [*FORMS, *PRODUCTS, *CHOICES]


def layers(board: str = "s10gx_ddr4_2666", **settings: object) -> list[Layer]:
    """Settings with a length."""
    return [Layer("file", {"arguments": {"n": 4096}, "board": board, "aoc_version": "19.4", **settings})]


@once
def assessed(text: str, board: str = "s10gx_ddr4_2666", **settings: object) -> Assessment:
    """A text with a length."""
    return Assessor().assess(MACRO + text, "k.cl", layers(board, **settings))


@once
def fixes(text: str, board: str = "s10gx_ddr4_2666", **settings: object) -> list[Fix]:
    """The edits of this kind that pay."""
    known, assessor = layers(board, **settings), Assessor()
    assessment = assessor.assess(MACRO + text, "k.cl", known)
    return fixes_of(assessor, assessment, known, chosen=lambda one: one.title.kind == "terms_first_of")


@once
def refusals(text: str) -> list[str]:
    """Why there are none."""
    return [obstacle_text(r.reason) for r in refusals_of(assessed(text)) if r.title.kind == "terms_first"]


def applied(text: str, offer: Offer) -> str:
    """The text with an edit made."""
    return offer.applied((MACRO + text).encode()).decode().removeprefix(MACRO)


@pytest.mark.parametrize(("text", "after"), ALL, ids=NAMES)
def test_one_operation_an_iteration_is_left(text: str, after: str) -> None:
    # Of the families, this one's comparisons take more than a cycle.
    board = "de5net" if "fm" in text else "s10gx_ddr4_2666"
    (fix,) = fixes(text, board)
    assert applied(text, fix.offer) == after
    assert isinstance(fix.execution, Equal)
    before, now = (assessed(one, board).kernels[0].estimate.loops[0].ii for one in (text, after))
    assert before is not None
    assert now is not None
    assert now < before
    assert fixes(after, board) == []
    exact = "fm" in text or "const int *restrict x" in text
    assert fix.offer.kind == ("proved" if exact else "assertion")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "after"), ALL, ids=NAMES)
def test_the_kernel_computes_the_same_where_sums_are_exact(text: str, after: str, newline: str) -> None:
    text = (MACRO + text).replace("\n", newline)
    real = np.float64 if "double" in text else np.float32 if "float *restrict x" in text else np.int32
    rng = np.random.default_rng(5)
    few = [1, 2, -1] if "*" in text.partition("for")[2] and real is not np.int32 else range(-9, 9)
    x, w = (rng.choice(few, 160) for _ in range(2))
    arrays = {"x": x.astype(real), "w": w.astype(np.int32), "y": np.zeros(160, real)}
    data = [Data(arrays, {"n": np.int32(n)}, (1,)) for n in (0, 1, 2, 13, 40)]
    board = "de5net" if "fm" in text else "s10gx_ddr4_2666"
    every = tried(text, data, ("proved", "assertion"), board=board, arguments={"n": 4096})
    found = [one for one in every if one.offer.title.kind == "terms_first_of"]
    assert [one.unequal for one in found] == [None]
    edited = found[0].offer.applied(text.encode()).decode()
    assert edited == (MACRO + after).replace("\n", newline)


def test_what_is_asserted_and_said() -> None:
    (fix,) = fixes(kernel("s += x[i]; s += x[i + 1];"))
    assert title_text(fix.offer.title) == (
        "Put the terms of s together first, and take them in by one operation "
        "(unsafe: you assert that the terms of s may be added in another order)"
    )
    assert isinstance(fix.execution, Equal)
    # Data with infinities break what is asserted.
    assert fix.execution.broken > 0


@pytest.mark.parametrize(("text", "after"), ALL, ids=NAMES)
def test_the_operations_stay_as_many_but_for_an_own_sums(text: str, after: str) -> None:
    before, now = (assessed(one).kernels[0].estimate.resources for one in (text, after))
    assert before is not None
    assert now is not None
    # Where the first update of two is under a condition, what is added to 0 takes no block.
    assert now.unit.dsps - before.unit.dsps in ({0, 1} if "s_own" in after else {0})
    assert now.unit.logic_alms - before.unit.logic_alms == pytest.approx(5 if "s_own" in after else 0, abs=20)


def test_several_variables_are_one_edit() -> None:
    text = kernel("s = s + x[i] + x[i + 1]; t += w[i]; t += x[i]; u *= x[i];").replace(
        "float s = 0;", "float s = 0, t = 0, u = 1;"
    )
    text = text.replace("y[0] = s;", "y[0] = s; y[1] = t; y[2] = u;")
    (fix,) = fixes(text, "de5net")
    after = applied(text, fix.offer)
    assert "s = s + (x[i] + x[i + 1]); const float t_term1 = (float)w[i]; t += t_term1 + x[i]; u *= x[i];" in after


def test_names_of_the_file_are_left_alone() -> None:
    text = kernel("s += x[i]; s += s_term1[i];").replace("*restrict w", "*restrict s_term1")
    (fix,) = fixes(text)
    assert "const float s_term1_ = x[i]; s += s_term1_ + (float)s_term1[i];" in applied(text, fix.offer)


@pytest.mark.parametrize("flag", ["-fp-relaxed", "-ffp-reassociate"])
def test_not_where_the_compiler_does_it(flag: str) -> None:
    assert fixes(ALL[0][0], aoc_flags=[flag]) == []
    refused = refusals_of(assessed(ALL[0][0], aoc_flags=[flag]))
    assert [one for one in refused if one.title.kind == "terms_first"] == []
    # Whole numbers are not what the option is about.
    whole = kernel(PRODUCTS["whole"][1], "int", "1")
    assert len(fixes(whole, aoc_flags=[flag])) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (kernel("s = s * 2 + x[i] + x[i + 1];"), "the loop does more with s"),
        (kernel("s = x[i] - s + x[i + 1];"), "the loop does more with s"),
        (kernel("s = s + x[i] + s * x[i + 1];"), "the loop does more with s"),
        (kernel("s = s + x[i]; y[i + 1] = s; s += x[i + 1];"), "the loop does more with s"),
        (kernel("s += x[i]; if (s > 9) s += x[i + 1]; s -= 1;"), "the loop does more with s"),
        (kernel("y[i + 1] = s = s + x[i] + x[i + 1];"), "the loop does more with s"),
        # What iterations wait for is a conversion then: no sum.
        (kernel("s = (int)(s + x[i]) + x[i + 1];"), ""),
        (kernel("s += x[i]; if (w[i] == 3) continue; s += x[i + 1];"), "goto"),
        (kernel("s += x[i]; if (i == 3 * n) break; s += x[i + 1];"), "goto"),
        (kernel("s = s + x[i] + x[w[i]++];").replace("const int", "int"), "side effect"),
        (kernel("s = s + x[i] /* and */ + x[i + 1];"), "a comment"),
        (kernel("s += x[i];\n#if STEPS > 1\n        s += x[i + 1];\n#endif").replace("__k", "#define STEPS 2\n__k"),
         "preprocessor conditions"),
        (kernel("s = s + SQUARE(x[i]) + x[i + 1];"), "a macro that is not a constant"),
        (kernel("ADD(s, x[i]) ADD(s, x[i + 1])").replace("__kernel", "#define ADD(a, b) a += b;\n__kernel"), "a macro"),
        (kernel("s = s + x[i] + 0.1 * w[i];"), "in another type"),
        (kernel("s += x[i]; s += (double)w[i];"), "in another type"),
        (kernel("s = s * x[i] * w[i];", "int", "1", "float"), ""),
        (kernel("s += x[i]; s += x[i + 1];").replace("float s", "volatile float s"), "not one plain number"),
        (kernel("s += x[i]; s += x[i + 1];").replace("s = 0;", "s = 0, *p = &s;"), ""),
        (
            kernel("if (w[i]) s += x[i]; s += x[i + 1];").replace("    for", "    ; for"),
            "no separate line",
        ),
    ],
)  # fmt: skip
def test_not_where_something_else_is_done_with_the_variable(text: str, why: str) -> None:
    assert fixes(text) == []
    assert not why or any(why in said for said in refusals(text)), refusals(text)


@pytest.mark.parametrize(
    "text",
    [
        kernel("s += x[i];"),
        kernel("s += x[i] + x[i + 1];"),
        kernel("s = s + w[i] + w[i + 1];", "int"),
        kernel("s = s + x[i] + x[i + 1];").replace("int i = 0; i < n; i++", "int i = get_global_id(0); i < n; i += 64"),
    ],
)
def test_not_where_an_iteration_waits_for_one_operation_at_most(text: str) -> None:
    assert fixes(text) == []
    assert refusals(text) == []
