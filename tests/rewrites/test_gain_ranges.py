"""The range of a gain is what a reader gets who divides the times next to it, on every surface."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report_build import file_report
from burstline_server.presentation.view_edits import edit_views
from burstline_server.rewrites.catalogue import Fix, fixes_of
from burstline_server.words.edits import fix_title

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {name: (EXAMPLES / "feedforward" / f"{name}.cl").read_text("utf-8") for name in ("bp", "fw", "mis", "nn")}
"""Of bp and mis, the time as they are is a range as well: by `restrict`, or data."""
UNITS_S = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
_TIME = r"(?P<{0}>[\d.]+)(?: (?P<{0}_unit>\w+))?(?:–(?P<{0}_high>[\d.]+))? (?P<{0}_last>m?µ?n?s)"
_SAID = re.compile(
    rf": kernel (?:≈\? )?{_TIME.format('before')} → (?:≈\? )?{_TIME.format('after')}, "
    r"(?:up to )?(?P<low>[\d.]+)(?:–(?P<high>[\d.]+))?×"
)
ROUNDED = 0.06
"""What two times and a factor of two digits each are rounded by together."""


def fixes(text: str, **settings: float) -> list[Fix]:
    assessor = Assessor()
    layers = [Layer("file", {"aoc_version": "19.4", **settings})]
    return [one for one in fixes_of(assessor, assessor.assess(text, "k.cl", layers), layers) if one.gain is not None]


def ends(said: re.Match[str], name: str) -> tuple[float, float]:
    """The least and the most of a time in a title, in seconds."""
    last = UNITS_S[said[f"{name}_last"]]
    low = float(said[name]) * UNITS_S.get(said[f"{name}_unit"], last)
    return low, float(said[f"{name}_high"]) * last if said[f"{name}_high"] else low


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_times_of_a_title_give_the_factors_next_to_them(text: str) -> None:
    titles = [title for fix in fixes(text) if not re.search("item|iteration", title := fix_title(fix))]
    found = [(title, _SAID.search(title)) for title in titles]
    assert found
    assert [title for title, said in found if said is None] == []
    for title, said in found:
        assert said is not None
        before, after = ends(said, "before"), ends(said, "after")
        low = float(said["low"])
        high = float(said["high"] or said["low"])
        assert before[0] / after[1] == pytest.approx(low, rel=ROUNDED), title
        assert before[1] / after[0] == pytest.approx(high, rel=ROUNDED), title
    assert any(said is not None and said["high"] for _, said in found)


@pytest.mark.parametrize("name", ["bp", "fw", "nn"])
def test_the_report_and_the_page_say_the_same(name: str) -> None:
    assessor = Assessor()
    assessment = assessor.assess(TEXTS[name], "k.cl", [])
    every = fixes_of(assessor, assessment, [])
    report = file_report(assessment, list(findings_of(assessment)), every)
    listed = {fix.title: fix for finding in report.diagnostics for fix in finding.fixes}
    ranges = 0
    for fix in every:
        title = fix_title(fix)
        said = _SAID.search(title)
        for one in (listed[title],) if title in listed else ():
            assert (one.predicted_speedup_low is not None) == (said is not None and said["high"] is not None), title
            if one.predicted_speedup_low is not None and one.predicted_speedup_high is not None and said is not None:
                ranges += 1
                assert one.predicted_speedup is not None
                assert one.predicted_speedup_low <= one.predicted_speedup <= one.predicted_speedup_high
                assert one.predicted_speedup_low == pytest.approx(float(said["low"]), rel=ROUNDED)
                assert one.predicted_speedup_high == pytest.approx(float(said["high"]), rel=ROUNDED)
        for view in edit_views(assessment, [fix], fix.offer.kernel):
            assert not view.before or f"kernel {view.before} → {view.after}, " in title
    assert ranges


@pytest.mark.parametrize(("name", "title"), [("nn", "Unroll"), ("hs", "Unroll"), ("fw", "Add #pragma ivdep")])
def test_a_range_is_as_wide_as_one_clock_is_uncertain(name: str, title: str) -> None:
    """Two builds of one kernel differ about as much as one of them may be off, not by both ends at once.

    nn waits for memory after the edit, so that the clock before it is what is uncertain.
    """
    text = (EXAMPLES / "feedforward" / f"{name}.cl").read_text("utf-8")
    assessor = Assessor()
    fix = next(fix for fix in fixes(text) if fix_title(fix).startswith(title))
    edited = fix.offer.applied(text.encode()).decode()
    before, after = (assessor.assess(one, "k.cl", []).kernels[0].estimate for one in (text, edited))
    assert fix.gain is not None
    assert fix.gain.speedup_range is not None
    least, most = fix.gain.speedup_range
    assert least <= fix.speedup <= most
    wide = [(one.time_high_s or 0.0) / (one.time_low_s or 1.0) for one in (before, after)]
    assert most / least == pytest.approx(max(wide), rel=0.02)
    assert min(wide) > 1.0 or name == "nn"


def test_a_given_clock_leaves_one_value() -> None:
    (first, *_) = (fix_title(fix) for fix in fixes(TEXTS["nn"], f_max_mhz=240))
    said = _SAID.search(first)
    assert said is not None
    assert said["high"] is None
    assert ends(said, "after")[0] == ends(said, "after")[1]
