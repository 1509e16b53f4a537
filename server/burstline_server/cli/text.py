"""The answer for a terminal: one table for each kernel."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from burstline_model.answer import UnitEstimate
from burstline_server.answers.cards import kernel_card, kernel_title
from burstline_server.answers.locate import place_of, written
from burstline_server.answers.story import story
from burstline_server.answers.units import faults_text, share_text, time_text, width_text
from burstline_server.assess import Assessment
from burstline_server.cli.terminal import one_line
from burstline_server.costing import KernelAssessment
from burstline_server.rules.finding import Finding

if TYPE_CHECKING:  # the rewrites are loaded where edits are asked for
    from burstline_server.rewrites.catalogue import Fix

_HEAD = ("line", "access", "op", "LSU", "width", "δ", "T_ideal", "T_ovh", "time", "share", "saturated")
_LEFT = {"access", "op", "LSU"}
_ADVICE = {
    "BL101": "make the offset a multiple of the request, or pad",
    "BL102": "store side by side what is read together",
    "BL103": "restrict, or one guarded store in place of two",
    "BL104": "sum up privately, then one atomic",
    "BL105": "one bank or pseudo-channel for each pointer, or fewer pointers",
    "BL106": "SIMD work-items, unrolling or a vector type",
    "BL107": "buffer_location for each pointer",
    "BL401": "restrict, a private carry, or a shift register over the distance",
    "BL402": "unroll the slowest block",
    "BL403": "launch more work-items, or a single work-item kernel",
    "BL404": "fewer barriers: one for each tile, or none within a SIMD group",
}


def text(
    found: list[tuple[Assessment, Collection[Finding]]], *, advise: bool = False, fixes: Sequence[Sequence[Fix]] = ()
) -> str:
    """All files, kernels and findings; `advise` adds the tuning story of each kernel, with the file's `fixes`."""
    paint = _Paint()
    parts: list[str] = []
    for number, (assessment, findings) in enumerate(found):
        parts.append(paint.bold(assessment.path) + paint.dim(f"  {assessment.board.title}") + "\n")
        if assessment.source.template:
            parts.append("  a template: not OpenCL until it is rendered\n")
        elif not assessment.kernels and not assessment.withheld:
            parts.append("  no kernel in this file\n")
        own = fixes[number] if number < len(fixes) else ()
        for kernel in assessment.kernels:
            parts.append("\n" + _kernel(assessment, kernel, paint))
            if advise:
                parts.append("    tuning story:\n")
                parts += [f"      {one_line(line)}\n" for line in story(assessment, kernel, own)]
        parts += [f"\n  {paint.bold(w.name)}: no figures, {faults_text(w)}\n" for w in assessment.withheld]
        if findings:
            parts.append("\n")
        for finding in findings:
            place = place_of(assessment.source, finding.span)
            code = paint.code(finding.code, finding.severity)
            parts.append(f"  {place.line + 1}:{place.column + 1}  {code}  {one_line(finding.message)}\n")
            if advise and finding.code in _ADVICE:
                parts.append(f"        try: {_ADVICE[finding.code]}\n")
        parts.append("\n")
    return "".join(parts)


def _kernel(assessment: Assessment, kernel: KernelAssessment, paint: _Paint) -> str:
    card = kernel_card(assessment, kernel)
    lines = [f"  {paint.bold(card.title)}: {kernel_title(kernel)}\n"]
    units = [u for u in kernel.estimate.units if u.lsu.space == "global"]
    rows = [_row(assessment, kernel, u) for u in units]
    if rows:
        lines += _table(rows, paint)
    else:
        lines.append("    no access to global memory\n")
    lines += [f"    {label.lower()}: {one_line(body)}\n" for label, body in card.paragraphs if label != "Estimate"]
    return "".join(lines)


def _row(assessment: Assessment, kernel: KernelAssessment, unit: UnitEstimate) -> list[str]:
    access = kernel.facts.accesses[unit.lsu.members[0]]
    place = place_of(assessment.source, access.span)
    where = f"{Path(place.file).name}:{place.line + 1}" if place.file else str(place.line + 1)
    text = written(assessment.source, access)
    merged = f" +{len(unit.lsu.members) - 1}" if len(unit.lsu.members) > 1 else ""
    count = f"{unit.lsu.count}× " if unit.lsu.count > 1 else ""
    per = "" if unit.time_s is not None else "/item" if unit.per == "work-item" else "/iter"

    def shown(whole: float | None, item: float | None) -> str:
        return time_text(whole) if whole is not None else f"{time_text(item)}{per}" if item is not None else "–"

    return [
        where, (text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…") + merged, access.op,
        f"{count}{unit.lsu.style}", width_text(unit.lsu.width_bits), unit.lsu.stride_text or "–",
        shown(unit.t_ideal_s, unit.t_ideal_item_s), shown(unit.t_ovh_s, unit.t_ovh_item_s),
        shown(unit.time_s, unit.time_item_s), share_text(unit.share) if unit.share is not None else "–",
        "–" if unit.saturated is None else "yes" if unit.saturated else "no",
    ]  # fmt: skip


_LONGEST = 32


def _table(rows: list[list[str]], paint: _Paint) -> list[str]:
    """A table; on a narrow terminal each row becomes two lines."""
    widths = [max(len(r[i]) for r in [list(_HEAD), *rows]) for i in range(len(_HEAD))]
    narrow = sum(widths) + 2 * len(widths) + 4 > paint.columns
    cut = _HEAD.index("width") if narrow else len(_HEAD)
    lines = []
    for number, row in enumerate([list(_HEAD), *rows]):
        cells = [c.ljust(w) if h in _LEFT else c.rjust(w) for c, w, h in zip(row, widths, _HEAD, strict=True)]
        first, second = "  ".join(cells[:cut]).rstrip(), "  ".join(cells[cut:]).rstrip()
        lines += [f"    {paint.dim(p) if number == 0 else p}\n" for p in (first, second) if p]
    return lines


class _Paint:
    """Colours where they are wanted: on a terminal, and not with NO_COLOR."""

    def __init__(self) -> None:
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.columns = shutil.get_terminal_size((200, 24)).columns if sys.stdout.isatty() else 200

    def _wrapped(self, code: str, body: str) -> str:
        return f"\x1b[{code}m{body}\x1b[0m" if self.on else body

    def bold(self, body: str) -> str:
        return self._wrapped("1", body)

    def dim(self, body: str) -> str:
        return self._wrapped("2", body)

    def code(self, body: str, severity: str) -> str:
        return self._wrapped({"error": "31", "warning": "33", "information": "36"}.get(severity, "2"), body)
