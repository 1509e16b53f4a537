"""The scoreboard: what a reader of the page, and a change that makes a figure worse, gets to see."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bench.scoreboard import floors, history, page, stated
from bench.scoreboard.figure import Area, Figure, Miss, Table, interval

ROOT = Path(__file__).parents[2]
STYLE = Figure(
    key="units.style", area="Units", what="style right", rows=200, ours=62.3, unit="%", better="higher",
    held_out="by repository", low=55.0, high=70.0, baseline=72.1, baseline_name="always Burst-coalesced",
    worst=(Miss("a/b k.cl:7", "cached", "plain", "the index | is data"),),
)  # fmt: skip
TIME = Figure(
    key="times.median", area="Times", what="factor", rows=44, ours=2.0, unit="x", better="lower", held_out="by suite"
)


def areas(*figures: Figure) -> list[Area]:
    return [Area("Everything", list(figures))]


def test_the_page_shows_each_figure_with_its_baseline_and_what_was_held_out() -> None:
    text = page.markdown([Area("Units", [STYLE], [Table("By family", ("family", "units"), (("Arria 10", "3"),))])])

    headline = next(line for line in text.splitlines() if "style right" in line)
    assert "**62.3 %** (55.0 to 70.0)" in headline
    assert "72.1 % always Burst-coalesced" in headline
    assert "by repository" in headline
    assert "| a/b k.cl:7 | cached | plain | the index \\| is data |" in text
    assert "| Arria 10 | 3 |" in text


def test_an_area_that_was_not_measured_says_what_it_needs() -> None:
    assert "Not measured: needs reports." in page.markdown([Area("Units", skipped="needs reports")])


@pytest.mark.parametrize(
    ("figure", "now", "fails"),
    [
        (STYLE, 61.5, False), (STYLE, 61.2, True), (STYLE, 90.0, False),
        (TIME, 2.09, False), (TIME, 2.2, True), (TIME, 1.1, False), (TIME, None, True),
    ],
)  # fmt: skip
def test_a_figure_may_not_fall_by_more_than_its_tolerance(
    tmp_path: Path, figure: Figure, now: float | None, fails: bool
) -> None:
    recorded = tmp_path / "floors.json"
    floors.record(areas(figure), "all", recorded)

    found = floors.failures(areas(replace(figure, ours=now)), "all", recorded)

    assert bool(found) == fails
    assert all(line.startswith(figure.key) for line in found)


def test_samples_have_floors_of_their_own_and_unmeasured_figures_keep_theirs(tmp_path: Path) -> None:
    recorded = tmp_path / "floors.json"
    floors.record(areas(STYLE), "all", recorded)
    floors.record(areas(TIME), "all", recorded)

    assert not floors.failures(areas(replace(STYLE, ours=10.0)), "quick", recorded)
    assert floors.failures(areas(replace(STYLE, ours=10.0)), "all", recorded)


def test_an_interval_covers_the_statistic_and_widens_with_few_groups() -> None:
    def share(rows: list[int]) -> float:
        return 100 * sum(rows) / len(rows)

    mixed = [[i % 2] * 5 for i in range(40)]
    low, high = interval(mixed, share)
    narrow = interval([[i % 2 for i in range(5)] for _ in range(40)], share)

    assert low < 50 < high
    assert high - low > narrow[1] - narrow[0]
    assert interval(mixed, share) == (low, high)


def test_a_newcomer_is_not_shown_reports_that_rules_rest_on_as_never_looked_at() -> None:
    fresh = replace(STYLE, area="Reports never looked at", what="of the newest round")
    used = replace(STYLE, area="Reports of round 1, used as evidence since", what="of an older round", ours=40.0)

    shown = page.short(page.document([Area("Reports never looked at", [fresh, used])]))

    assert "of the newest round" in shown
    assert "of an older round" not in shown


def test_the_readme_quotes_the_scoreboard() -> None:
    read = json.loads((ROOT / "docs" / "accuracy.json").read_text("utf-8"))

    assert page.short(read) in (ROOT / "README.md").read_text("utf-8")


def test_the_page_and_the_history_hold_the_same_figures() -> None:
    read = json.loads((ROOT / "docs" / "accuracy.json").read_text("utf-8"))
    written = (ROOT / "docs" / "accuracy.md").read_text("utf-8")
    last = {row["key"]: float(row["value"]) for row in history.rows(ROOT / "docs" / "accuracy_history.csv")}

    for figure in (Figure(**entry) for area in read["areas"] for entry in area["figures"]):
        assert page.value(figure) in written
        if figure.ours is not None:
            assert last[figure.key] == pytest.approx(figure.ours, rel=1e-3)


def test_the_history_keeps_a_line_for_each_figure_and_commit(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    history.append(path, areas(STYLE, TIME))
    history.append(path, areas(replace(STYLE, ours=63.0)))

    written = {row["key"]: float(row["value"]) for row in history.rows(path)}
    assert written == {"units.style": 63.0, "times.median": 2.0}


def test_errors_that_answers_state_are_written_by_the_run_that_measures_them(tmp_path: Path) -> None:
    path = tmp_path / "common.toml"
    path.write_text("[clock]\nrams = 1\n\n# why\n[errors]\nrams = 0.4\nregisters = 0.7\n", "utf-8")

    stated.state(areas(replace(STYLE, key="resources.rams", ours=31.27), TIME), path)

    assert path.read_text("utf-8") == "[clock]\nrams = 1\n\n# why\n[errors]\nrams = 0.313\nregisters = 0.7\n"
