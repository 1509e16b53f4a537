"""Partial results in a shift register: where, where not, that results stay, and what is asserted for reals."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal, NotExecuted
from burstline_server.rewrites.catalogue import Fix, fixes_of, refusals_of
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import fix_title, title_text
from burstline_server.words.obstacles import obstacle_text
from tests.assessing import once
from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

SUM = """__kernel void total(__global const float *restrict x, __global float *restrict y, int n)
{
    float sum = y[0];
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}
"""
AFTER = """__kernel void total(__global const float *restrict x, __global float *restrict y, int n)
{
    float sum = y[0];
    float sum_parts[8];
    #pragma unroll
    for (int part = 0; part < 8; part++)
        sum_parts[part] = -0.0f;
    for (int i = 0; i < n; i++) {
        float sum_next = sum_parts[0];
        #pragma unroll
        for (int part = 0; part < 7; part++)
            sum_parts[part] = sum_parts[part + 1];
        sum_parts[7] = sum_next;
        sum_parts[7] += x[i];
    }
    #pragma unroll
    for (int part = 0; part < 8; part++)
        sum += sum_parts[part];
    y[0] = sum;
}
"""
BOTH = """#define SQUARE(v) ((v) * (v))
__kernel void both(__global const double *restrict x, __global double *restrict y, int n)
{
    double sum = 1, product = 2;
    for (int i = 0; i < n; i++) { // all of x
        if (x[i] < 0)
            continue;
        sum = SQUARE(x[i]) + sum;
        product *= x[i];
    }
    y[0] = sum;
    y[1] = product;
}
"""
NEST = """__kernel void nest(__global const float *restrict x, __global float *restrict y, int n)
{
	float sum = y[1];
	int i = 0;
	while (i < n) {
		#pragma unroll
		for (int j = 0; j < 4; j++)
			sum -= x[i * 4 + j];
		sum += 2; i++; }
	y[0] = sum;
}
"""
CHOSEN = """__kernel void chosen(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int k = 0; k < 3; k++) {
        float sum = k;
        for (int i = 0; i < n; i++) { if (x[i] > k) sum = sum + x[i] * 2; if (i > 5000) break; }
        y[k] = sum;
    }
}
"""
FIRST = SUM.replace("float sum = y[0];", "float sum; int i;").replace("int i = 0;", "i = 0, sum = y[0];")
WHOLE = """__kernel void whole(__global const int *restrict x, __global int *restrict y, int n)
{
    uint product = 3;
    for (int i = 0; i < n; i++) {
        product = (product * (x[i] + 1));
    }
    y[0] = product;
}
"""
ALL = (SUM, BOTH, NEST, CHOSEN, FIRST, WHOLE)
NAMES = ("sum", "both", "nest", "chosen", "first", "whole")
LAYERS = [
    Layer("file", {"arguments": {"n": 4096, "sum_parts": 4096}, "board": "s10gx_ddr4_2666", "aoc_version": "19.4"})
]


@once
def assessed(text: str) -> Assessment:
    """A text with a length."""
    return Assessor().assess(text, "k.cl", LAYERS)


@once
def fixes(text: str) -> list[Fix]:
    """The partial results of a text that pay."""
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", LAYERS)
    return fixes_of(assessor, assessment, LAYERS, chosen=lambda one: one.title.kind == "partial_sums_of")


@once
def refusals(text: str) -> list[str]:
    """Why there are none."""
    return [obstacle_text(r.reason) for r in refusals_of(assessed(text)) if r.title.kind == "partial_sums"]


def applied(text: str, offer: Offer) -> str:
    """The text with an edit made."""
    return offer.applied(text.encode()).decode()


def test_the_register_and_what_is_asserted() -> None:
    (fix,) = fixes(SUM)
    assert applied(SUM, fix.offer) == AFTER
    assert fix.offer.kind == "assertion"
    assert title_text(fix.offer.title) == (
        "Keep 8 partial results of sum in a shift register "
        "(unsafe: you assert that the terms of sum may be added in another order)"
    )
    assert isinstance(fix.execution, Equal)
    # Data with infinities break what is asserted.
    assert fix.execution.trials > 8
    assert fix.execution.broken > 0


@pytest.mark.parametrize("text", ALL, ids=NAMES)
def test_an_iteration_starts_every_cycle_after_it(text: str) -> None:
    (fix,) = fixes(text)
    before, after = assessed(text).kernels[0].estimate, assessed(applied(text, fix.offer)).kernels[0].estimate
    assert max(one.ii or 1 for one in before.loops) > 1
    assert max(one.ii or 1 for one in after.loops) == 1
    assert before.resources is not None
    assert after.resources is not None
    assert after.resources.unit.registers > before.resources.unit.registers
    assert fixes(applied(text, fix.offer)) == []


def test_whole_numbers_need_no_assertion() -> None:
    (fix,) = fixes(WHOLE)
    assert fix.offer.kind == "proved"
    assert isinstance(fix.execution, Equal)
    assert fix.execution.broken == 0


def test_an_iteration_that_adds_several_times_adds_them_up_first() -> None:
    (fix,) = fixes(NEST)
    after = applied(NEST, fix.offer)
    assert "\twhile (i < n) {\n\t\tfloat sum_own = -0.0f;\n" in after
    assert (
        "\t\t\tsum_own -= x[i * 4 + j];\n\t\tsum_own += 2; i++; \n\t\tfloat sum_next = sum_parts[0] + sum_own;" in after
    )
    assert "\t\tsum_parts[7] = sum_next;\n\t}\n\t#pragma unroll\n" in after


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", ALL, ids=NAMES)
def test_the_kernel_computes_the_same_where_sums_are_exact(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    rng = np.random.default_rng(11)
    real = np.int32 if "uint" in text else np.float64 if "double" in text else np.float32
    few = rng.choice([0.5, 1, 2, -1], 512) if "product" in text and real is not np.int32 else rng.integers(-64, 64, 512)
    y = np.array([3, -2, 7, 1], real)
    data = [Data({"x": few.astype(real), "y": y}, {"n": np.int32(n)}, (1,)) for n in (0, 1, 7, 8, 9, 100)]
    kinds = ("proved", "assertion")
    every = tried(text, data, kinds, board="s10gx_ddr4_2666", arguments={"n": 4096})
    found = [one for one in every if one.offer.title.kind == "partial_sums_of"]
    assert len(found) == 1
    assert [one.why for one in found if one.unequal is not None] == []
    after = found[0].offer.applied(text.encode()).decode()
    assert after.count("\n") == after.count(newline)


ROUNDED = SUM.replace("x[i]", "x[i] / 3.0f")


@pytest.mark.parametrize("kind", ["partial_sums_of", "sum_strips_of", "terms_first_of"])
def test_a_sum_of_negative_zeros_stays_one(kind: str) -> None:
    """In every order: what partial sums start at must not show, as -0 + 0 is 0."""
    text = SUM.replace("sum += x[i];", "{ if (x[i] < 1) sum += x[i]; sum += -0.0f; }")
    arrays = {"x": np.full(4096, -0.0, np.float32), "y": np.full(64, -0.0, np.float32)}
    data = [Data(arrays, {"n": np.int32(n)}) for n in (0, 1, 7, 8, 37)]
    every = tried(text, data, ("assertion",), board="s10gx_ddr4_2666", arguments={"n": 4096})
    found = [one for one in every if one.offer.title.kind == kind]
    assert [(one.unequal, one.launches) for one in found] == [(None, 5)]


def test_sums_that_are_always_rounded_are_not_compared() -> None:
    (fix,) = fixes(ROUNDED.replace("y[0];", "y[0] + 0.1f;"))
    assert isinstance(fix.execution, NotExecuted)
    assert fix_title(fix).endswith("(not executed: no made-up data keep its sums exact)")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SUM.replace("sum += x[i];", "sum += x[i] * sum;"), ""),
        (SUM.replace("sum += x[i];", "{ sum += x[i]; if (sum > 9) break; }"), ""),
        (SUM.replace("sum += x[i];", "{ sum += x[i]; y[i] = sum; }"), ""),
        (SUM.replace("sum += x[i];", "sum = x[i] - sum;"), "the loop does more with sum"),
        (SUM.replace("sum += x[i];", "sum += x[i], sum += 1;"), "the loop does more with sum"),
        (SUM.replace("sum += x[i];", "y[1] = sum += x[i];"), ""),
        (SUM.replace("sum += x[i];", "{ sum += x[i]; sum *= 2; }"), ""),
        (SUM.replace("n; i++", "n && sum < 5; i++"), ""),
        (SUM.replace("float sum = y[0];", "float sum = y[0]; float *p = &sum;"), ""),
        (SUM.replace("float sum", "volatile float sum"), "sum is not one plain number"),
        (
            SUM.replace("sum += x[i];", "ADD(sum, x[i]);").replace("__kernel", "#define ADD(a, b) a += b\n__kernel"),
            "a macro that is not a constant",
        ),
        (
            SUM.replace("sum += x[i];", "{ sum += x[i]; if (x[i] > 5) goto out; }").replace("y[0] =", "out: y[0] ="),
            "",  # its iterations wait for what ends it
        ),
        (NEST.replace("i++; }", "i++; if (x[i] == 3) continue; }"), "goto"),
        (SUM.replace("    for", "    if (n > 3)\n    for"), "no separate line"),
        (SUM.replace("    for", "    ; for"), "no separate line"),
    ],
)  # fmt: skip
def test_not_where_something_else_sees_the_variable(text: str, why: str) -> None:
    assert fixes(text) == []
    assert not why or any(why in said for said in refusals(text)), refusals(text)


def test_names_of_the_file_are_left_alone() -> None:
    text = SUM.replace("__kernel", "#define part 3\n#define sum_next 4\n__kernel")
    text = text.replace("int n)", "int sum_parts)").replace("< n", "< sum_parts")
    (fix,) = fixes(text)
    after = applied(text, fix.offer)
    assert "float sum_parts_[8];" in after
    assert "int part_ = 0" in after
    assert "float sum_next_ = sum_parts_[0];" in after
