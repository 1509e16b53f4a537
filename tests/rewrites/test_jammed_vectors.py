"""Iterations together that share vectors which ``vloadN`` loads: the text, and that it computes the same."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of, refusals_of
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, tried

ROWS = """float both(float4 v) { return v.x + v.y + v.z + v.w; }
__kernel void rows(const int m, const int n, const int p, __global const float *restrict a,
                   __global const float *restrict b, __global float *restrict c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < p / 4; k++) {
                float4 x = vload4(j * (p / 4) + k, b);
                sum += both(x * vload4(i * (p / 4) + k, a));
            }
            c[i * n + j] = sum;
        }
}
"""
OF_HALF = ROWS.replace("vload4(", "vload_half16(").replace("float4", "float16").replace("p / 4", "p / 16")
OF_HALF = OF_HALF.replace("v.x + v.y + v.z + v.w", "v.s0 - v.s5 + v.sa + v.sf").replace("const float *", "const half *")
HALF = f"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{OF_HALF}"
OWN_POINTER = ROWS.replace("float4 x =", "__global const float *rows = a;\n                float4 x =").replace(
    "k, a)", "k, rows)"
)
SETTINGS = {"arguments": {"m": 1024, "n": 1024, "p": 1024}}


def jammed(text: str) -> str:
    """A text after iterations of a loop were put together."""
    assessor, layers = Assessor(), [Layer("option", SETTINGS)]
    assessment = assessor.assess(text, "k.cl", layers)
    fix, *_ = fixes_of(assessor, assessment, layers, chosen=lambda one: one.title.kind == "unroll_and_jam")
    assert isinstance(fix.execution, Equal)
    assert fix.speedup is not None
    assert fix.speedup > 1.2
    return fix.offer.applied(text.encode()).decode()


@pytest.mark.parametrize("text", [ROWS, HALF], ids=["float", "half"])
def test_a_vector_that_all_iterations_load_is_loaded_once(text: str) -> None:
    after = jammed(text)
    (line,) = [line.strip() for line in after.splitlines() if "_shared =" in line]
    loaded = "float16 b_shared = vload_half16(j * (p / 16) + k, b);"
    assert line == f"const {loaded if text is HALF else 'float4 b_shared = vload4(j * (p / 4) + k, b);'}"
    assert " x = b_shared;" in after
    assert after.count("vload") == text.count("vload")


def test_a_qualifier_stays_with_its_declaration() -> None:
    lines = [line.strip() for line in jammed(OWN_POINTER).splitlines()]
    assert "__global const float *rows = a;" in lines


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("float4 x = vload4(j * (p / 4) + k, b);", "float4 x = vload4(j * (p / 4) + k, b + 4);"),
        ("float4 x = vload4(", "float4 x = p < 8 ? (float4)(1) : vload4("),
    ],
    ids=["moved pointer", "condition"],
)
def test_what_is_no_plain_vector_is_not_shared(before: str, now: str) -> None:
    text = ROWS.replace(before, now)
    assessment = Assessor().assess(text, "k.cl", [Layer("option", SETTINGS)])
    reasons = [obstacle_text(one.reason) for one in refusals_of(assessment) if one.title.kind == "unroll_and_jam"]
    assert reasons == ["no load that all iterations of i share is one by itself, made without a condition"]


@pytest.mark.parametrize("text", [ROWS, HALF], ids=["float", "half"])
def test_it_computes_the_same_on_a_real_runtime(text: str) -> None:
    np = pytest.importorskip("numpy")
    kind = np.float16 if text is HALF else np.float32
    rng = np.random.default_rng(5)
    arrays = {name: rng.normal(size=64 * 24).astype(kind) for name in "ab"}
    arrays["c"] = np.zeros(64 * 24, np.float32)
    sizes = [(0, 3, 8), (1, 1, 4), (5, 24, 24), (16, 7, 32), (24, 35, 16), (5, 48, 16), (3, 5, 0)]
    data = [Data(arrays, {"m": np.int32(m), "n": np.int32(n), "p": np.int32(p)}, group=(1,)) for m, n, p in sizes]
    found = [one for one in tried(text, data, **SETTINGS) if one.offer.title.kind == "unroll_and_jam"]
    assert {(one.unequal, one.why) for one in found} == {(None, "")}
