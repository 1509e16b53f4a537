"""Kernels of a work-item for each vertex of a graph, as they are published: a loop over vertices, then the split."""

from __future__ import annotations

import re

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Equal
from burstline_server.rewrites.catalogue import offers_of, refusals_of, tried
from burstline_server.rewrites.rewrite import Offer
from burstline_server.words.edits import title_text
from burstline_server.words.obstacles import obstacle_text
from tests.rewrites.equality import Data, assessed, held_against, ran

np = pytest.importorskip("numpy")

VERTICES, EDGES = 40, 160
RANK = """#define NONE 0.0f
__kernel void rank(const int vertices, __global const int *first, __global const int *next,
                   __global const float *weight, __global const float *old, __global float *now)
{
    int v = get_global_id(0);
    if (v < vertices) {
        float sum = NONE;
        for (int e = first[v]; e < first[v + 1]; e++)
            sum += weight[e] * old[next[e]];
        now[v] = 0.15f + 0.85f * sum;
    }
}
"""
COLOUR = """#define FREE (-1)
__kernel void colour(__global int *restrict first, __global int *restrict next, __global float *restrict value,
                     __global int *restrict colours, __global float *restrict largest, const int colour,
                     const int vertices)
{
    int v = get_global_id(0);
    if (v >= vertices)
        return;
    if (colours[v] == FREE) {
        int start = first[v], end = first[v + 1];
        float most = FREE;
        for (int e = start; e < end; e++) {
            if (colours[next[e]] == FREE && value[next[e]] > most)
                most = value[next[e]];
        }
        largest[v] = most + colour;
    }
}
"""
LEVEL = """__kernel void level(__global const int *restrict first, __global const int *restrict next,
                    __global char *restrict front, __global char *restrict coming, __global char *restrict seen,
                    __global int *restrict cost, const int vertices)
{
    int v = get_global_id(0);
    if (v < vertices && front[v]) {
        front[v] = 0;
        for (int e = first[v]; e < first[v + 1]; e++) {
            int to = next[e];
            if (!seen[to]) {
                cost[to] = cost[v] + 1;
                coming[to] = 1;
            }
        }
    }
}
"""
CHOSEN = """__kernel void chosen(__global const int *restrict first, __global const int *restrict next,
                     __global const float *restrict value, __global const float *restrict least,
                     __global int *restrict state, __global int *restrict change, int vertices)
{
    int v = get_global_id(0);
    if (v < vertices) {
        if (value[v] < least[v] && state[v] == -1) {
            int start = first[v], end = first[v + 1];
            for (int e = start; e < end; e++)
                change[next[e]] = -2;
        }
    }
}
"""
RESTRICTED = re.sub(r" \*(\w)", r" *restrict \1", RANK)
PUBLIC = {"rank": RANK, "colour": COLOUR, "level": LEVEL, "chosen": CHOSEN}
PAIRS = ("split_two_queues", "split_four_queues", "split_eight_queues")


def _splits(text: str) -> list[Offer]:
    return [o for o in offers_of(assessed(text)) if o.title.kind in PAIRS]


def _graph(vertices: int, items: int) -> Data:
    draw = np.random.default_rng(vertices + 5)
    ends = np.sort(draw.integers(0, EDGES, VERTICES))
    front = (draw.integers(0, 3, VERTICES) == 0).astype(np.int8)
    arrays = {
        "first": np.concatenate([[0], ends, [EDGES]]).astype(np.int32),
        "next": draw.permutation(np.arange(EDGES) % VERTICES).astype(np.int32),
        "weight": (draw.integers(-8, 8, EDGES) / 4).astype(np.float32),
        "old": (draw.integers(-8, 8, VERTICES) / 4).astype(np.float32), "now": np.zeros(VERTICES, np.float32),
        "value": (draw.integers(0, 64, VERTICES) / 8).astype(np.float32), "largest": np.zeros(VERTICES, np.float32),
        "least": np.full(VERTICES, 4, np.float32), "colours": draw.integers(-1, 1, VERTICES).astype(np.int32),
        "front": front, "coming": np.zeros(VERTICES, np.int8), "seen": front | (draw.integers(0, 2, VERTICES) == 0),
        "cost": np.full(VERTICES, 3, np.int32), "state": draw.integers(-1, 1, VERTICES).astype(np.int32),
        "change": np.zeros(VERTICES, np.int32),
    }  # fmt: skip
    scalars = {"vertices": np.int32(vertices), "colour": np.int32(7)}
    return Data({k: v.astype(np.int8) if v.dtype == bool else v for k, v in arrays.items()}, scalars, (items,))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_forms_are_split_and_compute_the_same(name: str) -> None:
    text = PUBLIC[name]
    data = [_graph(vertices, items) for vertices, items in ((VERTICES, VERTICES), (0, 1), (1, 8), (13, VERTICES))]
    used = [Data({k: v for k, v in one.arrays.items() if f" *{k}" in text or f"restrict {k}" in text}, one.scalars,
                 one.items) for one in data]  # fmt: skip
    expected = [ran(text, one) for one in used]
    offers = _splits(text)
    assert [o.title.kind for o in offers] == list(PAIRS)
    for offer in offers:
        one = held_against(offer, offer.applied(text.encode()).decode(), used, expected)
        assert one.unequal is None, one.why
        assert one.launches == len(used)


@pytest.mark.parametrize("name", PUBLIC)
def test_they_are_executed_before_they_are_offered(name: str) -> None:
    assessment = assessed(PUBLIC[name])
    layers = [Layer("file", {"aoc_version": "19.4"})]
    for offer in _splits(PUBLIC[name]):
        fix = tried(Assessor(), assessment, layers, offer, every=True)
        assert fix is not None
        assert isinstance(fix.execution, Equal)
        assert fix.execution.trials


def test_what_the_host_has_to_know_is_said() -> None:
    offer = _splits(RANK)[0]
    assert title_text(offer.title).startswith("Loop over work-items, then split into a memory and a compute kernel")
    assert "items: the global size that the kernel was launched with" in offer.host
    assert "sizeof(cl_int), &items);" in offer.host


def test_only_what_a_work_item_reads_of_its_own_has_to_be_asserted() -> None:
    # Others may store to `old` and `now` meanwhile: nothing orders work-items.
    assert _splits(RESTRICTED)[0].kind == "host"
    own = RESTRICTED.replace("now[v] =", "now[next[0]] = 1.0f; now[v] = now[v + 1] +")
    assert [one.kind for one in _splits(own)[0].title.asserts] == ["not_read_later"]


def test_a_value_that_a_work_item_stored_itself_is_not_split() -> None:
    text = RANK.replace("now[v] = 0.15f + 0.85f * sum;", "now[v] = sum; now[v] = now[v] * 0.85f;")
    assert _splits(text) == []
    reasons = [obstacle_text(one.reason) for one in refusals_of(assessed(text)) if one.title.kind == "split_two"]
    assert reasons == ["now[v] is read again after it was stored: keep it in a variable first"]


def test_work_items_that_do_the_same_each_stay_work_items() -> None:
    text = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    for (int j = 0; j < 8; j++)
        y[i * 8 + j] = x[i * 8 + j] * 2.0f;
}
"""
    assert _splits(text) == []


def test_counts_given_for_a_loop_hold_for_its_loops_after_the_split() -> None:
    layers = [Layer("option", {"global_size": (1 << 20,), "arguments": {"vertices": 1 << 20}, "trips": {"8": 8}})]
    assessor = Assessor()
    assessment = assessor.assess(RANK, "k.cl", layers)
    offer = next(o for o in offers_of(assessment) if o.title.kind == "split_two_queues")
    fix = tried(assessor, assessment, layers, offer, every=True)
    assert fix is not None
    assert fix.gain is not None
    # A work-item each reads its neighbours apart from those of the next one; a loop reads them one after the other.
    assert 1.2 < fix.gain.speedup < 2.5
