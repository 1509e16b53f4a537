"""What is priced where one run cannot price all edits of a file: work is counted, not timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.rewrites import catalogue, pricing_budget
from burstline_server.rewrites.catalogue import fixes_of, offers_of
from burstline_server.rewrites.pricing_budget import MOST_WORK, Budget, at_stake, work_of
from burstline_server.rewrites.rewrite import Offer

KERNELS = 40
FILE = "".join(
    f"__kernel void k{number}(__global const float *x, __global float *restrict y, int n)\n{{\n"
    "    for (int i = 0; i < n; i++)\n        y[i] = 3.0f * x[2 * i];\n"
    "    float s = 0.0f;\n    for (int i = 0; i < 1000; i++)\n        s += x[i];\n    y[0] = s;\n}\n"
    for number in range(KERNELS)
)
LAYERS = [Layer("file", {"arguments": {"n": 1 << 24}, "global_size": 1})]


@pytest.fixture(scope="module")
def assessment() -> Assessment:
    return Assessor().assess(FILE, "k.cl", LAYERS)


def _offers(assessment: Assessment) -> list[Offer]:
    return [one for one in offers_of(assessment) if one.kind == "proved"]


def test_no_more_edits_are_priced_than_the_work_allows(assessment: Assessment, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    first = catalogue.tried

    def tried(*arguments: object, **options: object) -> object:
        offer = arguments[3]
        assert isinstance(offer, Offer)
        counted.append(offer.id)
        return first(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(catalogue, "tried", tried)
    each = work_of(assessment.kernels[0])
    fixes = fixes_of(
        Assessor(), assessment, LAYERS, chosen=lambda one: one.kind == "proved", budget=Budget(5 * each + each // 2)
    )
    assert len(counted) == 5
    assert len(_offers(assessment)) >= KERNELS
    assert {fix.offer.id for fix in fixes} <= set(counted)


def test_edits_at_what_limits_a_kernel_come_first(assessment: Assessment) -> None:
    offers, kernels = offers_of(assessment), {one.facts.name: one for one in assessment.kernels}
    taken = Budget(2 * KERNELS * work_of(assessment.kernels[0])).taken(assessment, offers)
    left = [one for one in offers if one not in taken]
    assert taken
    assert left
    least = min(at_stake(kernels[one.kernel], one) for one in taken)
    assert least >= max(at_stake(kernels[one.kernel], one) for one in left)
    assert least > 0.9  # the long loop of each kernel: what does not change it is left
    assert {one.title.kind for one in left} == {"restrict"}
    assert taken == [one for one in offers if one in taken]


def test_all_are_priced_where_the_work_is_enough(assessment: Assessment) -> None:
    budget, offers = Budget(), _offers(assessment)[:10]
    assert budget.taken(assessment, offers) == offers
    assert budget.left == MOST_WORK - sum(work_of(assessment.kernels[0]) for _ in offers)


def test_several_runs_share_what_is_left(assessment: Assessment) -> None:
    each, offers = work_of(assessment.kernels[0]), _offers(assessment)
    budget = Budget(3 * each)
    assert [len(budget.taken(assessment, offers[:2])) for _ in range(3)] == [2, 1, 0]


def test_one_edit_of_any_kernel_is_within_the_work() -> None:
    lines = "".join(f"    y[{i}] = x[{3 * i}] + x[{5 * i}];\n" for i in range(600))
    text = f"__kernel void k(__global const int *x, __global int *y)\n{{\n{lines}}}\n"
    (kernel,) = Assessor().assess(text, "k.cl", []).kernels
    assert work_of(kernel) == MOST_WORK


def test_the_command_line_says_which_edits_are_not_priced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(FILE, "utf-8")
    monkeypatch.setattr(pricing_budget, "MOST_WORK", 100)
    assert main(["fix", "--arg", "n=16777216", str(path)]) == 0
    said = capsys.readouterr().out
    assert "one run prices no more edits: --kernel NAME prices those of one kernel" in said
    assert main(["fix", "--arg", "n=16777216", "--kernel", "k3", str(path)]) == 0
    assert "one run prices no more edits" not in capsys.readouterr().out
