"""Lens, hover, command line, JSON and page say the same of a kernel."""

from pathlib import Path

import pytest

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.text import text
from burstline_server.config.layers import find_file, read_file
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.build import file_report
from burstline_server.presentation.cards import kernel_card, plain
from burstline_server.presentation.verdict import headline
from burstline_server.presentation.view_build import file_view
from burstline_server.quantities import time_text

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


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
        estimate = (kernel.at_assumed or kernel).estimate
        assert sum(unit.share or 0.0 for unit in estimate.units) <= 1.0001
