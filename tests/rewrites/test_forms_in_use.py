"""Forms that public kernels have and edits went wrong on: each edit builds, and computes the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewrites.equality import Data, offered, tried

np = pytest.importorskip("numpy")

LANES = """// one sum per kernel
__kernel void lanes(__global const float4 *restrict w, __global const float *restrict x, __global float *restrict y,
                    int n)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i] * w[i].s0 + x[i + 1] * w[i].y;
}
"""
HINTED = """__kernel void hinted(__global const float *restrict w, __global float *restrict y)
{
    __attribute__((opencl_unroll_hint(4)))
    for (int i = 0; i < 8; i++) {
        y[0] += w[i] * 2.0f;
        y[1] += w[i + 4] * 3.0f;
    }
}
"""


def data_of(**scalars: Any) -> Data:
    """Buffers with other numbers in each element."""
    w = np.arange(64, dtype=np.float32)
    return Data({"w": w, "x": w + 0.5, "y": w * 3}, scalars)


@pytest.mark.parametrize(
    ("text", "title", "scalars"),
    [(LANES, "split_two_queues", {"n": np.int32(7)}), (HINTED, "cache_in_private_memory", {})],
)
def test_it_builds_and_computes_the_same(text: str, title: str, scalars: dict[str, Any]) -> None:
    kinds = ("proved", "host", "assertion")
    names = {"w", "y"} if "hinted" in text else {"w", "x", "y"}
    data = data_of(**scalars)
    data = Data({name: values for name, values in data.arrays.items() if name in names}, scalars)
    found = [one for one in tried(text, [data], kinds) if one.offer.title.kind == title]
    assert found
    assert [one.why for one in found if one.unequal is not None] == []


def test_a_comment_in_front_of_a_kernel_stays() -> None:
    (offer,) = [o for o in offered(LANES, ("host",)) if o.title.kind == "split_two_queues"]
    after = offer.applied(LANES.encode()).decode()
    assert after.startswith("// one sum per kernel\n#pragma OPENCL EXTENSION cl_intel_channels : enable\n")
    assert after.count("kernel\n") == 1


def test_attributes_of_arguments_are_no_matter_for_what_is_computed() -> None:
    text = """__kernel void k(__attribute__((buffer_location("DDR"))) __global const int *restrict a,
                __global __attribute__((buffer_location(("HBM0")), aligned(sizeof(int)))) int *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + a[i + 1];
}
"""
    arrays = {"a": np.arange(40, dtype=np.int32), "c": np.zeros(40, np.int32)}
    found = list(tried(text, [Data(arrays, {"n": np.int32(n)}, group=(1,)) for n in (0, 30)]))
    assert {"sliding_window", "split_two_queues"} <= {one.offer.title.kind for one in found}
    assert [one.why for one in found if one.unequal is not None] == []
