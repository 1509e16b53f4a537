"""The range of a gain is what a reader gets who divides the times next to it, on every surface."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.config.layers import Layer
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.report_build import file_report
from burstline_server.presentation.view_edits import edit_views
from burstline_server.rewrites.catalogue import Fix, fixes_of
from burstline_server.words.edits import fix_title
from tests.assessing import once

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {name: (EXAMPLES / "feedforward" / f"{name}.cl").read_text("utf-8") for name in ("bp", "fw", "mis", "nn")}
"""Of bp and mis, the time as they are is a range as well: by `restrict`, or data."""
UNITS_S = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
_TIME = r"(?P<{0}>[\d.]+)(?: (?P<{0}_unit>\w+))?(?:–(?P<{0}_high>[\d.]+))? (?P<{0}_last>m?µ?n?s)"
_SAID = re.compile(
    rf": kernel (?:≈\? )?(?:at most )?{_TIME.format('before')} → (?:≈\? )?{_TIME.format('after')}(?: at worst)?, "
    r"(?:up to )?(?P<low>[\d.]+)(?:–(?P<high>[\d.]+))?×"
)
ROUNDED = 0.06
"""What two times and a factor of two digits each are rounded by together."""


@once
def fixes(text: str, **settings: Any) -> list[Fix]:
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
        far = [before[0] / after[1], before[1] / after[0]]
        # Data that leave out a loop do so before and after.
        alike = [before[0] / after[0], before[1] / after[1]]
        least, most = sorted(alike if "on the same data" in title else far)
        assert least == pytest.approx(low, rel=ROUNDED), title
        assert most == pytest.approx(high, rel=ROUNDED), title
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


GATHER = """__kernel
void gather(__global const int *restrict index, __global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[index[i]] * 2.0f;
}
"""


@pytest.mark.parametrize("settings", [{"f_max_mhz": 300}, {}], ids=["one clock", "any clock"])
def test_data_that_decide_both_times_are_the_same_before_and_after(settings: dict[str, float]) -> None:
    """How far apart the gathered elements lie is one unknown: the best case before is no worst case after."""
    assessor, layers = Assessor(), [Layer("file", {"aoc_version": "19.4", "arguments": {"n": 1_000_000}, **settings})]
    found = fixes_of(assessor, assessor.assess(GATHER, "k.cl", layers), layers, every=True)
    fix = next(one for one in found if one.offer.title.kind == "unroll_by")
    edited = fix.offer.applied(GATHER.encode()).decode()
    before, after = (assessor.assess(one, "k.cl", layers).kernels[0].estimate for one in (GATHER, edited))
    assert before.by_data_of == after.by_data_of == ("x",)
    assert fix.gain is not None
    assert before.time_by_data_s is not None
    assert after.time_by_data_s is not None
    least, most = fix.gain.speedup_range or (0.0, 0.0)
    (near, far), (near_after, far_after) = before.time_by_data_s, after.time_by_data_s
    assert far > 2 * near
    equal = sorted((near / near_after, far / far_after))
    if settings:
        assert (least, most) == pytest.approx(equal)
    assert least <= equal[0] <= equal[1] <= most
    # Neither end pairs data of one kind with data of the other.
    assert near / far_after < 0.5 < least
    assert most < 0.6 * far / near_after
    assert f"{least:.1f}–{most:.1f}× on the same data".replace(".0", "") in fix_title(fix)


def test_a_gain_that_data_do_not_decide_is_that_of_the_ends() -> None:
    plain = fixes(GATHER.replace("x[index[i]]", "x[i]"), arguments={"n": 1_000_000})
    assert plain
    for gain in (fix.gain for fix in plain if fix.gain is not None):
        assert gain.same_data is None
        if gain.before_range_s is not None and gain.after_range_s is not None:
            ends = gain.before_range_s[0] / gain.after_range_s[1], gain.before_range_s[1] / gain.after_range_s[0]
            assert gain.speedup_range == ends
    assert not [title for title in map(fix_title, plain) if "on the same data" in title]


def test_a_given_clock_leaves_one_value() -> None:
    (first, *_) = (fix_title(fix) for fix in fixes(TEXTS["nn"], f_max_mhz=240))
    said = _SAID.search(first)
    assert said is not None
    assert said["high"] is None
    assert ends(said, "after")[0] == ends(said, "after")[1]
