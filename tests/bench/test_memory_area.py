"""The scoreboard's memory times: what counts, and what a refit leaves out."""

import pytest
from bench.scoreboard import memory
from bench.scoreboard.figure import Sources
from bench.scoreboard.memory_refit import lanes_of, left_out

from burstline_server.assessment.assessor import Assessor
from burstline_server.validation.errors import estimate_run
from burstline_server.validation.suites import published_runs


def test_headlines_hold_no_row_that_a_board_was_fitted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [r for r in published_runs() if r.is_stream][::25]
    micro = [r for r in published_runs() if not r.is_stream and r.board == "s10mx_hbm2"]
    monkeypatch.setattr(memory, "published_runs", lambda: [*runs, *micro])
    area = memory.measure(Sources())
    by_key = {figure.key: figure for figure in area.figures}
    kept = [r for r in runs if not r.fitted]
    assert by_key["memory.interleaved"].rows == sum(r.banks == "interleaved" for r in kept)
    assert sum(by_key[f"memory.banked.{k}"].rows for k in ("aligned", "off_alignment")) == sum(
        r.banks == "banked" for r in kept
    )
    assert by_key["memory.micro"].rows == len(micro)
    assert all(figure.ours is not None and figure.held_out for figure in area.figures)


def test_a_refit_does_not_know_the_rows_that_it_is_judged_by() -> None:
    """With times of one lane width made four times as long, the others' figures stay, and that width is off by four."""
    micro = [r for r in published_runs() if r.board == "s10mx_hbm2" and r.kind == "aligned"]
    slow = [r.model_copy(update={"measured_s": 4 * r.measured_s}) if lanes_of(r) == 16 else r for r in micro]
    assessor = Assessor()
    errors = [estimate_run(r, assessor) for r in slow]
    for one in left_out(slow, errors, assessor):
        if lanes_of(one.run) == 16:
            assert one.calibrated == pytest.approx(-0.75, abs=0.02)
