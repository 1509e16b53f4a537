"""What a kernel's time is made of, as the page draws it: accesses and loops, the largest first."""

from __future__ import annotations

from pathlib import Path

from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.presentation.units_by_place import units_by_place
from burstline_server.presentation.view_document import PlaceView, RowView
from burstline_server.quantities import ASSUMED, share_text, time_text
from burstline_server.source.locate import place_of, written
from burstline_server.words.kernel_times import overlap_text
from burstline_server.words.verdict import (
    OVERLAPS,
    other_terms,
    row_share_text,
    visible_share_text,
)

FOLDED = 0.02
"""Rows below this share of the kernel's time are counted together."""


@fixed
class TimeRows:
    """Rows, and their sum in words; none where no time is known."""

    rows: list[RowView]
    total: str


def time_rows(assessment: Assessment, kernel: KernelAssessment) -> TimeRows:
    """The rows of a kernel's time, marked where they rest on assumed sizes."""
    shown = kernel.at_assumed or kernel
    estimate, mark = shown.estimate, f"{ASSUMED} " if kernel.at_assumed is not None else ""
    whole = estimate.time_s
    if not whole:
        return TimeRows([], "")
    rows = [_of_unit(assessment, shown, unit, mark) for unit in units_by_place(shown) if unit.time_s is not None]
    included = any(loop.span.file is not None for loop in shown.facts.loops)
    for line, what, time_s in other_terms(assessment, shown):
        place = _line(int(line)) if line and not included else None
        share = share_text(time_s / whole)
        rows.append(_row(what, f"line {line}" if line else "", place, time_s, 0.0, mark, share))
    rows.sort(key=lambda row: -row.time_s)
    small = [row for row in rows if row.time_s < FOLDED * whole]
    if len(small) > 1:
        together = sum(row.time_s for row in small)
        rows = [row for row in rows if row.time_s >= FOLDED * whole]
        counted = sum(row.time_s for row in small if row.share_text != OVERLAPS)
        rows.append(
            _row(
                f"{len(small)} more",
                "",
                None,
                together,
                0.0,
                mark,
                visible_share_text(counted / whole, together, whole),
            )
        )
    return TimeRows(rows, mark + overlap_text([row.time_s for row in rows], shown))


def _of_unit(assessment: Assessment, kernel: KernelAssessment, unit: UnitEstimate, mark: str) -> RowView:
    access = kernel.facts.accesses[unit.lsu.members[0]]
    at = place_of(assessment.source, access.span)
    place = PlaceView(
        path=at.file, line=at.line + 1, column=at.column + 1, end_line=at.end_line + 1, end_column=at.end_column + 1
    )
    more = f" and {len(unit.lsu.members) - 1} more" if len(unit.lsu.members) > 1 else ""
    where = f"{Path(at.file).name}, line {place.line}" if at.file else f"line {place.line}"
    share = row_share_text(kernel.estimate, unit) if unit.share is not None else ""
    text = written(assessment.source, access) + more
    return _row(text, f"{access.op}, {where}", place, unit.time_s or 0.0, unit.t_ideal_s or 0.0, mark, share)


def _row(
    text: str, detail: str, place: PlaceView | None, time_s: float, ideal_s: float, mark: str, share: str
) -> RowView:  # fmt: skip
    return RowView(
        text=text, detail=detail, place=place, time_s=time_s, ideal_s=min(ideal_s, time_s),
        time=mark + time_text(time_s), share_text=share,
    )  # fmt: skip


def _line(line: int) -> PlaceView:
    """The beginning of a line of the kernel's own file."""
    return PlaceView(path=None, line=line, column=1, end_line=line, end_column=1)
