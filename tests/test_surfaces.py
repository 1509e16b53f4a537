"""Lens, hover, command line, JSON and page say the same of a kernel."""

import re
from pathlib import Path

import pytest
from bench.surfaces import MOST, ROUNDED, contradictions

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.text import FOLDED, text
from burstline_server.config.layers import find_file, read_file
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.card_text import markdown, plain
from burstline_server.presentation.cards import Card, Paragraph, access_card, kernel_card, unit_row
from burstline_server.presentation.hints import unit_text
from burstline_server.presentation.view_build import file_view
from burstline_server.presentation.view_document import KernelView
from burstline_server.quantities import time_text
from burstline_server.words.changes import action_text
from burstline_server.words.findings import message_text
from tests.assessing import assess

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


SERVER = Path(__file__).resolve().parents[1] / "server" / "burstline_server"
WITH_UNIT = re.compile(r":[.,]?\d?[fg%]\}?\s?(?:%|×|ms|µs|ns|kB|MB|GB|[kMG]?Hz)|:\.\d%\}")
"""A figure that gets its digits and its unit where it is used."""


def units_agree(done: Assessment, kernel: KernelAssessment, printed: str, shown: KernelView) -> None:
    """The time, share and width of each unit are the same in its card, in the table and on the page."""
    on_page = {(unit.style, unit.time, unit.share_text) for access in shown.accesses for unit in access.units}
    for unit in kernel.estimate.units:
        row = unit_row(unit, done, kernel)
        assert (row.style, row.time, row.share) in on_page
        if kernel.at_assumed is None and unit.lsu.space == "global" and (unit.share or 0.0) > FOLDED:
            lines = [line for line in printed.splitlines() if row.style in line and row.time in line]
            assert any(row.share in line for line in lines), row
        if unit.time_s is not None:
            assert time_text(unit.time_s) in unit_text(unit)


def test_figures_get_their_units_in_one_place() -> None:
    own = {
        path.relative_to(SERVER).as_posix()
        for path in SERVER.rglob("*.py")
        if WITH_UNIT.search(path.read_text("utf-8"))
    }
    # What a board's file says is repeated as it is there; the validation page has the digits of printed tables.
    assert own == {"quantities.py", "words/boards.py", "presentation/validation_page.py"}


def assessed(path: Path, *, sized: bool) -> Assessment:
    """An example, with or without the sizes of its folder."""
    found = find_file(path.parent)
    layers = [read_file(found)[0]] if sized and found is not None else []
    return Assessor([path.parent]).assess(path.read_text("utf-8"), str(path), layers)


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.cl")), ids=lambda p: p.stem)
@pytest.mark.parametrize("sized", [True, False])
def test_every_surface_says_the_same(path: Path, *, sized: bool) -> None:
    done = assessed(path, sized=sized)
    found = contradictions(done)
    assert [wrong for one in found for wrong in one.wrong] == []
    assert all(one.shares <= ROUNDED and one.findings <= MOST for one in found)
    printed, view = text([(done, ())]), file_view(done, findings_of(done))
    for kernel, shown in zip(done.kernels, view.kernels, strict=True):
        units_agree(done, kernel, printed, shown)


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.cl")), ids=lambda p: p.stem)
@pytest.mark.parametrize("sized", [True, False])
def test_the_card_of_an_access_has_no_sentence_of_a_finding(path: Path, *, sized: bool) -> None:
    done = assessed(path, sized=sized)
    for finding in findings_of(done):
        sentence = re.sub(r" \((?:kernel|give) .*", "", message_text(finding)).rpartition(": ")[2]
        for kernel in done.kernels:
            for access in kernel.facts.accesses:
                inside = access.span.start <= finding.span.start < access.span.end and access.span.file is None
                if inside and sentence not in {action_text(lever.change) for lever in kernel.estimate.levers}:
                    assert sentence not in plain(access_card(done, kernel, access))


def test_a_card_begins_with_what_is_taken_why_and_what_to_do() -> None:
    done = assessed(EXAMPLES / "tour.cl", sized=True)
    kernel = next(k for k in done.kernels if k.facts.name == "closing")
    first, why, do, rule = markdown(access_card(done, kernel, kernel.facts.accesses[0])).split("\n\n")[:4]
    assert re.fullmatch(r"\*\*[\d.]+ ms · \d+ % of the kernel\*\*", first)
    assert why.startswith("**Why:** the kernel is limited here, by the memory; Burst-coalesced non-aligned (")
    assert re.fullmatch(
        r"\*\*Do:\*\* give each field of quotes its own array \(AoS to SoA\) \(kernel .* ms → .* ms\)", do
    )
    assert rule == "---"


def test_terms_of_a_card_lead_to_the_glossary() -> None:
    done = assessed(EXAMPLES / "tour.cl", sized=True)
    kernel = done.kernels[0]
    shown = markdown(kernel_card(done, kernel)) + markdown(access_card(done, kernel, kernel.facts.accesses[0]))
    rows = (EXAMPLES.parent / "docs" / "glossary.md").read_text("utf-8").splitlines()
    for term in ("T_ideal", "T_ovh", "f_min", "B_mem", "δ", "Confidence"):
        found = re.search(rf"\[{re.escape(term)}\]\(file://[^)]*glossary\.md#L(\d+)\)", shown)
        assert found is not None, term
        assert term.lower() in rows[int(found[1]) - 1].split("|")[1].lower()


BROKEN = """
__kernel void broken(__global float *x) { for (int i = 0; i < 1024; i++) x[i] = 1.0f; }
"""


def test_a_surface_that_says_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    done = assess(BROKEN)
    assert [wrong for one in contradictions(done) for wrong in one.wrong] == []
    monkeypatch.setattr("bench.surfaces.kernel_card", lambda *_: Card("broken", (), (Paragraph("takes", "1 s"),)))
    assert any("the hover lacks" in wrong for one in contradictions(done) for wrong in one.wrong)
