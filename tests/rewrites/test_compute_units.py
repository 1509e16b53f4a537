"""Several units of a kernel whose work-items cannot run side by side."""

from __future__ import annotations

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import fixes_of
from burstline_server.rewrites.chain import Chain
from burstline_server.rewrites.compute_units import ComputeUnits
from burstline_server.words.edits import fix_title
from tests.rewrites.equality import Data, tried

np = pytest.importorskip("numpy")

ROWS = """__kernel void rows(__global const int *restrict start, __global const float *restrict x,
                   __global float *restrict y)
{
    int i = get_global_id(0);
    float s = 0.0f;
    for (int j = start[i]; j < start[i + 1]; j++)
        s = s * x[i] + 0.5f;
    y[i] = s;
}
"""
LAYERS = [Layer("file", {"aoc_version": "19.4", "global_size": [65536], "assumed_trips": 50})]


def titles(text: str) -> list[str]:
    """The edits that pay, proved ones."""
    assessor = Assessor()
    fixes = fixes_of(assessor, assessor.assess(text, "k.cl", LAYERS), LAYERS, chosen=lambda o: o.kind == "proved")
    assert all(isinstance(fix.execution, Equal) for fix in fixes)
    return [fix_title(fix) for fix in fixes]


def test_units_are_offered_where_lanes_cannot_be() -> None:
    found = [title for title in titles(ROWS) if "num_compute_units" in title]
    assert len(found) == 3
    assert found[0].startswith("Set num_compute_units(16): kernel 6.67–10.1 ms")  # as many as are advised
    assert found[1].startswith("Set num_compute_units(4): kernel 6.67–10.1 ms")


KEPT = ROWS.replace("float s = 0.0f;", "float s = 0.0f, kept[LENGTH];").replace(
    "s = s * x[i] + 0.5f;", "{ kept[(j * 7) % LENGTH] = s; s = kept[(j * 5) % LENGTH] * x[i] + 0.5f; }"
)


@pytest.mark.parametrize("length", [2048, 2200, 2400, 2600, 2800, 4000])
def test_no_more_units_are_offered_than_are_said_to_fit(length: int) -> None:
    assessor = Assessor()
    done = assessor.assess(KEPT.replace("LENGTH", str(length)), "k.cl", [*LAYERS, Layer("file", {"board": "p520"})])
    use = done.kernels[0].estimate.resources
    assert use is not None
    assert 1 < use.copies_that_fit() < 6
    offered = [one.title.names[0] for one in ComputeUnits().candidates(done, done.kernels[0])]
    assert all(int(str(units)) <= use.copies_that_fit() for units in offered)


EVEN = ROWS.replace("start[i]; j < start[i + 1]", "0; j < 50")


@pytest.mark.parametrize(
    "text",
    [
        "__attribute__((reqd_work_group_size(64, 1, 1)))\n" + EVEN,
        "__attribute__((num_compute_units(2)))\n" + ROWS,
        ROWS.replace("int i = get_global_id(0);", "int i = 3;"),
    ],
    ids=["lanes are less hardware", "it has some", "one work-item"],
)
def test_not_where_something_else_is_due(text: str) -> None:
    assert not [title for title in titles(text) if "num_compute_units" in title]


def test_units_need_nothing_of_the_host_where_lanes_need_a_group() -> None:
    assessor = Assessor()
    fixes = fixes_of(assessor, assessor.assess(EVEN, "k.cl", LAYERS), LAYERS)
    assert {(f.offer.title.kind, f.offer.kind) for f in fixes} >= {("compute_units", "proved"), ("simd_groups", "host")}


ADDED = """__kernel void add(__global const float *restrict x, __global const float *restrict y,
                  __global float *restrict z)
{
    int i = get_global_id(0);
    z[i] = x[i] + y[i];
}
"""


def test_units_that_would_share_what_one_moves_are_not_offered() -> None:
    layers = [Layer("file", {"aoc_version": "19.4", "global_size": [1 << 20]})]
    assessor = Assessor()
    now = assessor.assess(ADDED, "k.cl", layers)
    every = [f for f in fixes_of(assessor, now, layers, every=True) if f.offer.title.kind == "compute_units"]
    assert len(every) == 2
    assert all(f.speedup is not None and 1.0 < f.speedup < 1.5 for f in every)
    paying = {f.offer.title.kind for f in fixes_of(assessor, now, layers)}
    assert "compute_units" not in paying
    assert "simd_groups" in paying


def test_edits_in_a_row_take_lanes_where_both_may_be_made() -> None:
    assessor = Assessor()
    now = assessor.assess(EVEN, "k.cl", LAYERS)
    for kinds, word in ((("proved",), "num_compute_units"), (("proved", "host"), "num_simd_work_items")):
        chain = Chain(EVEN, now, LAYERS)
        named = [f for f in fixes_of(assessor, now, LAYERS, chosen=lambda o, kinds=kinds: o.kind in kinds)
                 if f.offer.title.kind in {"compute_units", "simd_groups"}]  # fmt: skip
        assert chain.advance(named)
        assert word in chain.text


def test_the_kernel_computes_the_same() -> None:
    start = np.arange(65, dtype=np.int32) * 2
    values = np.arange(64, dtype=np.float32) / 64
    data = Data({"start": start, "x": values, "y": values * 0}, {}, (64,))
    found = [one for one in tried(ROWS, [data]) if one.offer.title.kind == "compute_units"]
    assert [one.why for one in found if one.unequal is not None] == []
