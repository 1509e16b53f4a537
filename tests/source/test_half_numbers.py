"""Numbers of half precision, ``1.0h`` (cl_khr_fp16), which the grammar of C does not know."""

from __future__ import annotations

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.source.mask import mask
from tests.assessing import assess

KERNEL = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define BIAS 2.0H
__kernel void k(__global half *restrict x, __global float4 *restrict y)
{{
    int g = get_global_id(0);
    if (y[g].w > 0.25h)
        x[g] = x[g] * {number} + BIAS;
}}
"""


@pytest.mark.parametrize("number", ["3.0h", "3.0H", ".5h", "3.h", "1e3h", "1.5e-3h"])
def test_a_number_of_half_precision_is_one(number: str) -> None:
    done = assess(KERNEL.format(number=number))
    (kernel,) = done.kernels
    assert not [f for f in findings_of(done) if f.code.startswith("BL0")]
    assert {one.operation for one in kernel.facts.operations} >= {"half add", "half mul"}
    assert [g.text for g in kernel.facts.accesses[-1].guards] == ["y[g].w > 0.25h"]


@pytest.mark.parametrize("number", ["5h", "1.0hx", "0x1h"])
def test_others_are_none(number: str) -> None:
    done = assess(KERNEL.format(number=number))
    assert [f for f in findings_of(done) if f.code.startswith("BL0")]


@pytest.mark.parametrize("text", [b"a.h", b"v.x3h + h", b"// 1.0h", b'"1.0h"', b"0x1.8p0f", b"a1.5f"])
def test_nothing_else_is_masked(text: bytes) -> None:
    assert mask(text).text == text
