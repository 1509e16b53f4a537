"""What an edit gains is the same whether only its kernels are read again or the whole text."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from burstline_model.facts import Span
from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.lsp import pricing
from burstline_server.lsp.documents import Document
from burstline_server.lsp.pricing import fixes_at
from burstline_server.lsp.session import Session
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.gains import gain_of
from burstline_server.words.edits import fix_title

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {
    "apart": "// burstline: n=1000\n\n"
    "float first(__global const float *p, int i) { return p[3 * i]; }\n"
    + "".join(
        f"// burstline: global_size={4096 * number}\n"
        f"__kernel void k{number}(__global const float *x, __global const float *y, __global float *z, int n)\n"
        "{\n    int i = get_global_id(0);\n    float s = first(y, i);\n"
        "    for (int j = 0; j < n; j++)\n        s += x[i * n + j];\n    z[i] = s;\n}\n"
        for number in (1, 2, 3)
    ),
    "one name, and an error between": "__kernel void k(__global float *x) { x[3 * get_global_id(0)] = 1; }\n"
    "int broken = (;\n__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }\n",
    **{name: (EXAMPLES / name).read_text("utf-8") for name in ("tour.cl", "feedforward/bfs.cl")},
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_edits_are_worth_what_a_fresh_reading_says(text: str) -> None:
    assessor = Assessor()
    before = assessor.assess(text, "kernel.cl", [])
    shown = [fix_title(fix) for fix in fixes_of(assessor, before, [], every=True)]
    fresh = [fix_title(fix) for fix in fixes_of(Assessor(), before, [], every=True)]
    assert shown == fresh != []
    typed = text.replace("get_global_id(0)", "get_global_id(0) + 4", 1)
    after, anew = assessor.assess(typed, "kernel.cl", []), Assessor().assess(typed, "kernel.cl", [])
    assert [k.facts for k in after.kernels] == [k.facts for k in anew.kernels]
    assert list(findings_of(after)) == list(findings_of(anew))


class Desk:
    """What pricing asks of a session."""

    def __init__(self, assessor: Assessor) -> None:
        self.assessor = assessor

    @asynccontextmanager
    async def trying_edits(self, _document: Document) -> AsyncIterator[tuple[Assessor, list[Layer]]]:
        yield self.assessor, []

    async def in_turn(self, work: Callable[[], object]) -> object:
        return work()


async def test_a_question_is_answered_by_what_is_priced_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assessor, path = Assessor(), EXAMPLES / "tour.cl"
    text = path.read_bytes()
    document = Document(path.as_uri(), path, text, 1)
    document.assessment = assessor.assess(text, str(path), [])
    everywhere = Span(start=0, end=len(text))
    session = cast("Session", Desk(assessor))
    fixes = await fixes_at(session, document, everywhere)
    assert len(fixes) > 1
    ids = [offer.id for offer in offers_of(document.assessment)]
    first = min(ids.index(fix.offer.id) for fix in fixes)
    spent = iter([0.0, *[pricing.PRICING_S / 2] * (first + 1), *[pricing.PRICING_S + 1] * 99])
    monkeypatch.setattr(pricing.time, "thread_time", lambda: next(spent))
    in_time = await fixes_at(session, document, everywhere)
    assert [fix_title(fix) for fix in in_time] == [fix_title(fix) for fix in fixes][: len(in_time)]
    assert 0 < len(in_time) < len(fixes)


ROWS = """__kernel void rows(__global const int *start, __global const int *column, __global const float *x,
                   __global float *y, __global float *z)
{
    int row = get_global_id(0);
    for (int k = start[row]; k < start[row + 1]; k++) {
        y[column[k]] = x[column[k]];
        z[row] = x[row];
    }
}
"""


def test_edits_of_kernels_whose_time_rests_on_assumed_sizes_are_priced_at_these() -> None:
    assessor = Assessor()
    assessment = assessor.assess(ROWS, "k.cl", [Layer("option", {"aoc_version": "18.1"})])
    (kernel,) = assessment.kernels
    assert kernel.estimate.time_s is None
    guess = kernel.at_assumed
    assert guess is not None
    fix = next(f for f in fixes_of(assessor, assessment, [], every=True) if "restrict" in fix_title(f))
    assert fix.gain is not None
    assert fix.gain.before_s == guess.estimate.time_s
    assert re.search(r"kernel ≈\? \S+ \w+ → ≈\? \S+ \w+, ", fix_title(fix))


DOTS = """__kernel void dots(__global const float *restrict x, __global const int *restrict n,
                   __global float *restrict y)
{
    for (int i = 0; i < n[0]; i++) {
        float s = 0.0f;
        for (int j = 0; j < 64; j++)
            s += x[i * 64 + j] * x[j];
        y[i] = s;
    }
}
"""


def test_no_gain_is_stated_where_an_edit_makes_other_loops_at_assumed_sizes() -> None:
    assessor = Assessor()
    assessment = assessor.assess(DOTS, "k.cl", [])
    fix = next(f for f in fixes_of(assessor, assessment, [], every=True) if "from strips" in fix_title(f))
    assert "gain not known" in fix_title(fix)


BINS = """__kernel void count(__global const uchar *restrict keys, __global uint *restrict bins, int n)
{
    for (int i = 0; i < n; i++)
        bins[keys[i]]++;
}
"""
TWICE = """__kernel void twice(__global const int *restrict x, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2;
    for (int k = 0; k < n; k++)
        y[k] += 3;
}
"""


@pytest.mark.parametrize(
    ("text", "what"), [(BINS, "Gather what the loop does to bins"), (TWICE, "Fuse the loops over")]
)
def test_an_edit_that_makes_other_loops_is_priced_at_arguments_that_all_trips_follow_from(text: str, what: str) -> None:
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", [])
    fix = next(f for f in fixes_of(assessor, assessment, []) if fix_title(f).startswith(what))
    assert fix.gain is not None
    assert fix.gain.assumed
    guess = assessment.kernels[0].at_assumed
    assert guess is not None
    assert fix.gain.before_s == pytest.approx(guess.estimate.time_s, rel=0.02)
    given = [Layer("option", {"arguments": {"n": 1024}})]
    same = next(
        f for f in fixes_of(assessor, assessor.assess(text, "k.cl", given), given) if f.offer.id == fix.offer.id
    )
    assert same.gain == replace(fix.gain, assumed=False)


@pytest.mark.parametrize("what", ["Make it one work-item", "Loop over work-items, then split into a memory"])
def test_loops_over_work_items_run_as_often_as_there_are_assumed_to_be(what: str) -> None:
    assessor = Assessor()
    assessment = assessor.assess(ROWS, "k.cl", [])
    guess = assessment.kernels[0].at_assumed
    assert guess is not None
    fix = next(f for f in fixes_of(assessor, assessment, [], every=True) if what in fix_title(f))
    assert fix.gain is not None
    assert fix.gain.assumed
    assert fix.gain.before_s == guess.estimate.time_s


ITEM = """__kernel void k(__global const float *restrict x, __global float *restrict y)
{{
    int i = get_global_id(0);
    float s = 0;
    {0}
        s += x[i * 64 + j];
    y[i] = s;
}}
"""
LOOP = """__kernel void k(__global const float *restrict x, __global float *restrict y, int items)
{{
    for (int i = 0; i < items; i++) {{
        {0}
            y[i * 64 + j] = x[i * 64 + j];
    }}
}}
"""


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        ("for (int j = 0; j < 64; j++)", "for (int j = 0; j < 64; j++)", False),
        ("int j = 0;", "int j = 0;", True),
    ],
)
def test_an_iteration_of_an_inner_loop_is_not_compared_with_a_work_item(
    before: str, after: str, *, known: bool
) -> None:
    """Where nobody counts the loop over what were work-items, an iteration is one of the innermost loop."""
    assessor = Assessor()
    texts = ITEM.format(before), LOOP.format(after)
    then, now = (assessor.assess(text, "k.cl", []) for text in texts)
    (own,), (other,) = then.kernels, now.kernels
    assert own.estimate.time_item_s is not None
    assert other.estimate.time_item_s is not None
    assert other.estimate.time_s is None
    assert (gain_of(own, [other], then.board) is not None) == known


SUM_OF_ALL = """__attribute__((task)) __attribute__((num_compute_units({units})))
__kernel void total(__global const int *restrict x, __global int *restrict r, int n)
{{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    r[0] = sum;
}}
"""


@pytest.mark.parametrize("units", [1, 16])
def test_an_edit_that_only_has_another_clock_estimated_is_not_offered(units: int) -> None:
    """The split loop still adds one element a cycle; sixteen units are estimated at a lower clock than one split up."""
    layers = [Layer("option", {"board": "s10gx_ddr4_1866", "arguments": {"n": 1 << 24}})]
    assessor = Assessor()
    assessment = assessor.assess(SUM_OF_ALL.format(units=units), "k.cl", layers)
    offered = {fix.offer.title.kind for fix in fixes_of(assessor, assessment, layers)}
    assert "unroll_by" in offered
    assert not [kind for kind in offered if kind.startswith("split")]
