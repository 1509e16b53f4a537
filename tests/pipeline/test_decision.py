"""One decision per kernel: rows, shares, limit and range agree with the time, whatever the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").rglob("*.cl"))
SIZES: dict[str, Any] = {"global_size": [1 << 16], "assumed_trips": 100}


def holds_together(estimate: KernelEstimate) -> None:
    """What a reader of a kernel's table adds up in the head."""
    total = estimate.time_s
    if total is None:
        assert (estimate.limit, estimate.terms) == ("unknown", ())
        return
    rows = [u.time_s or 0.0 for u in estimate.units]
    assert all(row <= total * (1 + 1e-6) for row in rows)
    assert sum(u.share or 0.0 for u in estimate.units) <= 1 + 1e-6
    assert (estimate.time_low_s or 0.0) <= total * (1 + 1e-9) <= (estimate.time_high_s or 0.0) * (1 + 2e-9)
    if not estimate.terms:
        assert total == pytest.approx(0)
        return
    assert sum(t.time_s for t in estimate.terms) == pytest.approx(total)
    by_limit: dict[str, float] = {}
    for term in estimate.terms:
        by_limit[term.limit] = by_limit.get(term.limit, 0.0) + term.time_s
    assert by_limit[estimate.limit] == pytest.approx(max(by_limit.values()))
    if estimate.bound == "memory":
        assert any(u.lsu.space == "global" for u in estimate.units)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
@pytest.mark.parametrize("more", [{}, SIZES, {**SIZES, "memory_part": "wang"}], ids=["as given", "sized", "framework"])
def test_rows_shares_and_limit_agree_with_the_time(path: Path, more: dict[str, Any]) -> None:
    done = assess(path.read_text("utf-8"), str(path), **more)
    for kernel in done.kernels:
        holds_together(kernel.estimate)
    for finding in findings_of(done):
        assert finding.share is None or 0 <= finding.share <= 1


BODIES = (
    "y[i] = x[i];", "y[i] += x[{step} * i];", "s += x[i + j];", "t[i & 63] = s; s += t[j & 63];",
    "y[idx[i]] = s;", "s = s * 0.5f + (float)j;", "if (i & 1) y[i] = x[j];",
)  # fmt: skip


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """Two loops, one in the other, with a few statements in each."""
    inner, outer = (
        " ".join(draw(st.lists(st.sampled_from(BODIES), min_size=1, max_size=2))).replace(
            "{step}", str(draw(st.sampled_from([1, 2, 16])))
        )
        for _ in range(2)
    )
    return (
        "__kernel void k(__global const float *restrict x, __global float *restrict y,\n"
        "    __global const int *restrict idx, int n, int m)\n{\n"
        "    float s = 0.0f;\n    float t[64];\n    int j = 0;\n"
        f"    for (int i = 0; i < n; i++) {{\n        {outer.replace('s +=', 's =')}\n"
        f"        for (j = 0; j < m; j++) {{\n            {inner}\n        }}\n    }}\n    y[0] = s;\n}}\n"
    )


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=kernels(), n=st.integers(1, 5000), m=st.integers(1, 300))
def test_generated_kernels_hold_together_and_grow_with_their_trips(text: str, n: int, m: int) -> None:
    def time(**arguments: int) -> float | None:
        (kernel,) = assess(text, arguments=arguments).kernels
        holds_together(kernel.estimate)
        return kernel.estimate.time_s

    now = time(n=n, m=m)
    assert now is not None
    # Each loop has a share of the memory's whole time. Where the longest unit hides behind a dependence, the shares of
    # the others shrink with it: 0.2 % of half a microsecond. They should not.
    assert (time(n=2 * n, m=m) or 0.0) >= now - 2e-9
    assert time(n=n) is None


def test_twice_the_trips_of_a_few_are_no_faster() -> None:
    """The same share of the memory's time, found among generated kernels."""
    text = """__kernel void k(__global const float *restrict x, __global float *restrict y, int n, int m)
    {
        float s = 0.0f;
        int j = 0;
        for (int i = 0; i < n; i++) {
            s = x[i + j];
            for (j = 0; j < m; j++)
                s += x[i + j];
        }
        y[0] = s;
    }"""
    two, four = (assess(text, arguments={"n": n, "m": 71}).kernels[0].estimate.time_s or 0.0 for n in (2, 4))
    assert 0.0 < two <= four


LOCAL = """__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void smooth(__global const float *restrict x, __global float *restrict y, int rounds)
{
    __local float t[64];
    const int l = get_local_id(0), g = get_global_id(0);
    t[l] = x[g];
    for (int k = 0; k < rounds; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = 0.5f * (t[l] + t[63 - l]);
    }
    y[g] = t[l];
}
"""


def test_a_loop_over_local_memory_that_nobody_counts_leaves_no_total() -> None:
    done = assess(LOCAL, global_size=[1 << 20])
    (kernel,) = done.kernels
    assert (kernel.estimate.time_s, kernel.estimate.time_item_s) == (None, None)
    (finding,) = [f for f in findings_of(done) if f.code == "BL202"]
    assert "give rounds=…" in message_text(finding)
    few, many = (assess(LOCAL, global_size=[1 << 20], arguments={"rounds": n}).kernels[0].estimate for n in (16, 64))
    assert (many.time_s or 0.0) > 3 * (few.time_s or 0.0) > 0


def test_the_clock_is_estimated_unless_it_is_given() -> None:
    text = "__kernel void k(__global int *restrict x, int n)\n{ for (int i = 0; i < n; i++) x[i] = i; }"
    (own,) = assess(text, arguments={"n": 1 << 20}).kernels
    (given,) = assess(text, arguments={"n": 1 << 20}, f_max_mhz=200).kernels
    assert (own.estimate.f_max_from, given.estimate.f_max_from) == ("estimate", "burstline.toml")
    assert given.estimate.time_low_s == given.estimate.time_s == given.estimate.time_high_s
    assert (own.estimate.time_low_s or 0.0) < (own.estimate.time_s or 0.0) < (own.estimate.time_high_s or 0.0)
