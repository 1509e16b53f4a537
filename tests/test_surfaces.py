"""Lens, hover, command line, JSON and page say the same of a kernel."""

import re
from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.text import FOLDED, text
from burstline_server.config.layers import find_file, read_file
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.build import file_report
from burstline_server.presentation.cards import kernel_card, plain, unit_row
from burstline_server.presentation.hints import unit_text
from burstline_server.presentation.view_build import file_view
from burstline_server.presentation.view_document import KernelView
from burstline_server.presentation.words.verdict import headline
from burstline_server.quantities import time_text

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
    assert own == {"quantities.py", "presentation/words/boards.py", "presentation/validation_page.py"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.cl")), ids=lambda p: p.stem)
@pytest.mark.parametrize("sized", [True, False])
def test_every_surface_has_the_same_first_line_and_time(path: Path, *, sized: bool) -> None:
    found = find_file(path.parent)
    layers = [read_file(found)[0]] if sized and found is not None else []
    assessor = Assessor([path.parent])
    done = assessor.assess(path.read_text("utf-8"), str(path), layers)
    printed = text([(done, ())])
    report, view = file_report(done, ()), file_view(done, findings_of(done))
    for kernel, one, shown in zip(done.kernels, report.kernels, view.kernels, strict=True):
        line = headline(done, kernel)
        assert line in printed
        assert line in plain(kernel_card(done, kernel))
        time_ms = one.time_ms
        if time_ms is None and one.at_assumed_sizes is not None:
            time_ms = one.at_assumed_sizes.time_ms
        if time_ms is not None:
            assert time_text(time_ms / 1e3) in line
            assert time_text(time_ms / 1e3) in shown.time
        units_agree(done, kernel, printed, shown)
        estimate = (kernel.at_assumed or kernel).estimate
        assert sum(unit.share or 0.0 for unit in estimate.units) <= 1.0001
