"""The whole-kernel areas of the scoreboard: what is missing is said, and the statistics are what they are called."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from bench.scoreboard import papers, rankings, times
from bench.scoreboard.apart import CONSTANTS, Constant, without
from bench.scoreboard.figure import Sources
from bench.scoreboard.papers import Compared
from bench.scoreboard.rankings import Ranked, kendall_tau_b, quality, regret, sample
from bench.scoreboard.spaces import Variant, parallelism
from bench.scoreboard.times import Timed, spread, suite_of

from burstline_model.pipeline.latencies import operation_table


@pytest.mark.parametrize("area", [times, rankings])
def test_an_area_without_its_evidence_says_what_is_missing(area: object, tmp_path: Path) -> None:
    (tmp_path / "spector").mkdir()
    for name in ("opencl4all_train.jsonl", "boyi_train.jsonl"):
        (tmp_path / name).write_text('{"repo": "a/b", "kernel_file": "k.cl", "function": "k"}\n', "utf-8")
    for sources, missing in ((Sources(), "no measured"), (Sources(truth=tmp_path), "git director")):
        found = area.measure(sources)  # type: ignore[attr-defined]
        assert missing in found.skipped
        assert (found.figures, found.tables) == ([], [])


def timed(suite: str, measured: float, predicted: float | None) -> Timed:
    return Timed(f"{suite}1", suite, "board", "kind", measured, predicted)


def test_too_fast_and_too_slow_are_equally_far_off() -> None:
    found = spread([timed("a", 1, 4), timed("b", 4, 1), timed("b", 1, 1), timed("c", 1, None)])
    assert found is not None
    assert (found.rows, found.no_time) == (4, 1)
    assert found.median == 4
    assert found.geomean == pytest.approx(16 ** (1 / 3))
    assert found.signed == pytest.approx(1)
    assert (found.close, found.near, found.far) == pytest.approx((100 / 3, 100 / 3, 200 / 3))
    assert spread([timed("a", 1, None)]) is None


def test_figures_of_few_rows_have_their_interval_and_their_worst_row() -> None:
    rows = [timed("a", 1, 1.1), timed("b", 1, 1.3), timed("c", 1, 9), timed("d", 1, None)]
    by_key = {figure.key: figure for figure in times.figures(rows)}
    middle = by_key["times.median"]
    assert middle.ours == pytest.approx(1.3)
    assert middle.low is not None
    assert middle.high is not None
    assert middle.low <= 1.3 <= middle.high
    assert middle.worst[0].row.startswith("c1")
    assert by_key["times.no_time"].ours == 25
    assert by_key["times.worse_than_3x"].ours == pytest.approx(100 / 3)


def test_kernels_of_one_application_are_one_suite() -> None:
    assert suite_of("A/Unop_sv/lud3/src/kern.cl") == "lud"
    assert suite_of("C/Opts_sv/3_FullTask/hotspot3D/src/kern.cl") == "hotspot3D"


def test_tau_counts_pairs_and_ties() -> None:
    assert kendall_tau_b([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert kendall_tau_b([3, 2, 1], [10, 20, 30]) == pytest.approx(-1)
    assert kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    assert math.isnan(kendall_tau_b([1, 1], [1, 2]))


def test_regret_is_of_the_first_choices_and_of_chance_among_ties() -> None:
    assert regret([1, 2, 3], [5, 4, 2], 1) == pytest.approx(2.5)
    assert regret([1, 2, 3], [5, 4, 2], 2) == pytest.approx(2)
    assert regret([1, 2, 3], [5, 4, 2], 9) == pytest.approx(1)
    assert regret([1, 1, 1], [2, 4, 6], 1) == pytest.approx(2)
    assert regret([1, 1, 1], [2, 4, 6], 2) == pytest.approx((2 + 2 + 4) / 3 / 2)
    assert regret([1, 2, 2], [4, 2, 6], 2) == pytest.approx((2 + 4) / 2 / 2)
    assert regret([1, 2, 2], [4, 2, 6], 1) == pytest.approx(2)


def variant(name: str, measured: float) -> Variant:
    return Variant("space", name, {}, {}, measured)


def test_variants_without_a_time_are_left_out_of_the_order() -> None:
    rows = [Ranked(variant("a", 1), 1.0), Ranked(variant("b", 2), 2.0), Ranked(variant("c", 3), None)]
    found = quality(rows, rankings.ours)
    assert found is not None
    assert (found.tau, found.top1) == pytest.approx((1, 1))
    assert quality(rows[2:], rankings.ours) is None


def test_a_sample_holds_both_ends_and_is_the_same_every_time() -> None:
    every = [variant(str(i), i) for i in range(1, 101)]
    some = sample(every, 5)
    assert [v.measured_ms for v in some] == [v.measured_ms for v in sample(every[::-1], 5)]
    assert (len(some), some[0].measured_ms, some[-1].measured_ms) == (5, 1, 100)
    assert len(sample(every[:3], 5)) == 3


@pytest.mark.parametrize(
    ("name", "times_over"),
    [("baseline", 1), ("ul64_simd8_cu2", 1024), ("simd4-1-1_cu8-1-1", 32), ("1-16_depth16_1", 16), ("t1-1_ul8", 8)],
)
def test_names_of_variants_say_what_is_done_at_once(name: str, times_over: int) -> None:
    assert parallelism(name) == times_over


@pytest.mark.parametrize(
    ("printed", "ours", "right"), [(None, 1.5, True), (None, 1.0, False), (0.7, 1.3, False), (0.7, 0.9, True)]
)
def test_a_step_is_on_the_right_side_of_no_gain(printed: float | None, ours: float, *, right: bool) -> None:
    assert Compared("MM", "step", printed, ours).right_side is right


def test_every_version_of_the_papers_stories_is_there_and_has_a_time() -> None:
    names = {name for step in papers.STEPS for name in (step.before, step.after)} | set(sum(papers.CHAINS.values(), ()))
    assert all(papers.seconds(name) > 0 for name in sorted(names))
    assert all((papers.EXAMPLES / "feedforward" / f"{row.kernel}.cl").is_file() for row in papers.SPLITS)


@pytest.mark.parametrize("constant", CONSTANTS)
def test_what_a_design_space_gave_is_taken_back_and_given_again(constant: Constant) -> None:
    before = constant.holder()[constant.name]
    with without(constant) as taken_back:
        assert taken_back
        assert constant.holder()[constant.name] != before
    assert constant.holder()[constant.name] == before


@pytest.mark.parametrize("version", [(14, 1, 0), (18, 1, 0)])
def test_what_was_taken_back_is_in_no_table_that_was_made_before(version: tuple[int, int, int]) -> None:
    (constant,) = (one for one in CONSTANTS if one.space == "hist")
    before = operation_table("Stratix V", version).array_update
    with without(constant):
        assert operation_table("Stratix V", version).array_update != before
    assert operation_table("Stratix V", version).array_update == before
