"""The answer for a terminal: one table for each kernel."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.levers import CLOSE, reach
from burstline_model.uncounted import counts_nothing
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.proposed_sizes import proposed_banks, proposed_sizes
from burstline_server.cli.terminal import one_line
from burstline_server.diagnostics.finding import Finding
from burstline_server.faults.fault import faults_text
from burstline_server.host.host_files import HOSTS, Hosts
from burstline_server.presentation.cards import inputs_of, kernel_card
from burstline_server.presentation.dialect import why_no_kernel, written_for
from burstline_server.presentation.units_by_place import units_by_place
from burstline_server.quantities import ASSUMED, bytes_text, cost_text, share_text, time_text, width_text
from burstline_server.source.locate import place_of, written
from burstline_server.words.boards import board_text
from burstline_server.words.commands import SHARED_INPUTS, no_figures_text, offered_text
from burstline_server.words.edits import edit_in_headline, fix_title, launched_text
from burstline_server.words.findings import message_text
from burstline_server.words.fitting import surely_too_large
from burstline_server.words.kernel_times import overlap_text, waits_for_unknown
from burstline_server.words.kernels import NO_ACCESS, no_kernel_text, written_text
from burstline_server.words.units import row_time_text, stride_text
from burstline_server.words.verdict import (
    LONGEST,
    UNSEEN,
    headline,
    lever_lines,
    limit_line,
    other_terms,
    own_share,
    row_share_text,
    visible_share_text,
)

if TYPE_CHECKING:  # the rewrites are loaded where edits are asked for
    from burstline_server.rewrites.catalogue import Fix

_USUAL = ("line", "access", "op", "LSU", "width", "moves", "time", "share")
_ALL = ("line", "access", "op", "LSU", "width", "δ", "moves", "T_ideal", "T_ovh", "time", "share", "saturated")
COLUMNS = {"usual": _USUAL, "all": _ALL}
"""The columns of a kernel's table by the name that ``--columns`` takes."""
_LEFT = {"access", "op", "LSU"}
FOLDED = 0.02
"""Rows below this share of the kernel's time are counted together."""
MOST_ROWS = 16
"""Rows of a table at most: the largest, and what the others are together."""
LEAST_ROWS = 8
"""Rows of a long table at least, however small each is."""
MOST_LEVERS = 3


def text(
    found: list[tuple[Assessment, Collection[Finding]]], *, advise: bool = False, columns: str = "usual",
    fixes: Sequence[Sequence[Fix]] = (),
) -> str:  # fmt: skip
    """All files, kernels and findings; `advise` adds all that can be done for each kernel, with the `fixes`."""
    paint, hosts = _Paint(), HOSTS
    parts: list[str] = []
    for number, (assessment, findings) in enumerate(found):
        parts.append(paint.bold(assessment.path) + paint.dim(f"  {_board(assessment)}") + "\n")
        if assessment.source.template or not (assessment.kernels or assessment.withheld):
            parts.append(f"  {no_kernel_text(why_no_kernel(assessment))}\n")
        elif besides := written_for(assessment):
            parts.append(f"  {one_line(written_text(*besides))}\n")
        own = fixes[number] if number < len(fixes) else ()
        shared = _shared_inputs(assessment)
        for kernel in assessment.kernels:
            best = _best_edit(kernel, own)
            parts.append("\n" + _kernel(hosts, assessment, kernel, paint, COLUMNS[columns], shared, best))
            parts += [f"    {one_line(line)}\n" for line in _to_do(kernel, own, advise=advise)]
        parts += [f"\n  {SHARED_INPUTS}: {one_line(' · '.join(shared))}\n"] if shared else []
        parts += [f"\n  {paint.bold(w.name)}: {no_figures_text(faults_text(w))}\n" for w in assessment.withheld]
        if findings:
            parts.append("\n")
        for finding, places in _once(findings):
            place = place_of(assessment.source, finding.span)
            code = paint.code(finding.code, finding.severity)
            more = f" (and {places - 1} more)" if places > 1 else ""
            parts.append(f"  {place.line + 1}:{place.column + 1}  {code}  {one_line(message_text(finding))}{more}\n")
        parts.append("\n")
    return "".join(parts)


def _once(findings: Collection[Finding]) -> list[tuple[Finding, int]]:
    """Findings with the number of places of each: an undeclared name is one fault, however often used."""
    said: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        said.setdefault(message_text(finding) if finding.code == "BL002" else number, []).append(finding)
    return [(alike[0], len(alike)) for alike in said.values()]


def _board(assessment: Assessment) -> str:
    why = f" ({board_text(assessment.board_why)})" if assessment.board_why is not None else ""
    return f"{assessment.board.title}{why}"


def _to_do(kernel: KernelAssessment, fixes: Sequence[Fix], *, advise: bool) -> list[str]:
    """What would make the kernel faster; with `advise` all of it, and the edits that do it."""
    lines = [f"do: {line}" for line in lever_lines(kernel, MOST_LEVERS if advise else 1)]
    if not fixes:
        return lines
    from burstline_server.rewrites.catalogue import most_useful_first  # noqa: PLC0415 - loaded where edits are asked for

    alike: dict[object, list[Fix]] = {}
    for fix in most_useful_first(f for f in fixes if f.offer.kernel == kernel.facts.name):
        alike.setdefault((fix.offer.title.kind, fix.offer.kind), []).append(fix)
    return lines + [offered_text(fix_title(first), len(others), first.offer.kind) for first, *others in alike.values()]


def _best_edit(kernel: KernelAssessment, fixes: Sequence[Fix]) -> str:
    """The edit that leaves less of a kernel's time than the change that is advised first; empty where none does.

    One that asks for more than that change has to leave less by a part of the kernel's time that is worth saving.
    """
    if not fixes:
        return ""
    from burstline_server.rewrites.catalogue import REACHES, reach_of  # noqa: PLC0415 - loaded where edits are asked for

    estimate = (kernel.at_assumed or kernel).estimate
    if estimate.time_s is None or surely_too_large(estimate):
        return ""
    advised = [one.after_s for one in estimate.levers if one.after_s is not None]
    if estimate.levers and (first := estimate.levers[0].after_s) is not None:
        advised = [first]
    now_s, asked = min(advised, default=estimate.time_s), reach(estimate.levers[0].change) if estimate.levers else 0
    better = []
    for fix in fixes:
        gain = fix.gain if fix.offer.kernel == kernel.facts.name else None
        if gain is None or gain.may_lose or gain.per != "launch" or gain.after_s * CLOSE >= now_s:
            continue
        own = REACHES.index(reach_of(fix.offer))
        if own <= asked or now_s - gain.after_s >= WORTH_REPORTING * estimate.time_s:
            better.append((own, gain.after_s, fix.offer.title))
    least_s = min((after_s for _, after_s, _ in better), default=0.0)
    close = [one for one in better if one[1] <= least_s * CLOSE]
    if not close:
        return ""
    _, after_s, title = min(close, key=lambda one: one[:2])
    return edit_in_headline(title, after_s, assumed=kernel.at_assumed is not None)


def _shared_inputs(assessment: Assessment) -> list[str]:
    """What the figures of all kernels of a file follow from, where there are several."""
    first, *others = [inputs_of(assessment, kernel) for kernel in assessment.kernels] or [[]]
    return [one for one in first if all(one in other for other in others)] if others else []


def _kernel(
    hosts: Hosts,
    assessment: Assessment,
    kernel: KernelAssessment,
    paint: _Paint,
    columns: tuple[str, ...],
    shared: Collection[str],
    edit: str,
) -> str:
    card = kernel_card(assessment, kernel)
    lines = [
        f"  {paint.bold(card.title)}: {headline(assessment, kernel, edit)}\n",
        f"    {one_line(limit_line(assessment, kernel))}\n",
    ]
    guess = kernel.at_assumed
    empty = counts_nothing(kernel.facts) or waits_for_unknown(kernel)
    rows, last = (
        ([], "")
        if empty
        else _rows(assessment, kernel.with_figures, once=guess is None and kernel.in_an_iteration is not None)
    )
    if rows:
        lines += _table(rows, last, paint, columns, ASSUMED if guess is not None else "")
    elif not empty:
        lines.append(f"    {NO_ACCESS}\n")
    proposed = (*proposed_sizes(hosts, assessment, kernel), *proposed_banks(hosts, assessment, kernel))
    launched = launched_text(proposed)
    lines += [f"    host: {launched}\n"] if launched else []
    shown = {"note", "doubt", "build", "resources"}
    lines += [
        f"    {one.topic}: {one_line(one.text)}\n" for one in (*card.paragraphs, *card.details) if one.topic in shown
    ]
    inputs = [one for one in inputs_of(assessment, kernel) if one not in shared]
    lines += [f"    inputs: {one_line(' · '.join(inputs))}\n"] if inputs else []
    return "".join(lines)


def _rows(assessment: Assessment, kernel: KernelAssessment, *, once: bool = False) -> tuple[list[dict[str, str]], str]:
    """The rows by time and their sum; small ones are folded into one, accesses only where the table gets too long.

    `once`: figures are of one iteration of a loop, in which what is outside of it has no part.
    """
    estimate = kernel.estimate
    every = [
        (
            u.time_s if u.time_s is not None else u.time_item_s or 0.0,
            _row(assessment, kernel, u),
            own_share(estimate, u),
        )
        for u in units_by_place(kernel)
    ]
    for line, what, time in other_terms(assessment, kernel):
        share = time / estimate.time_s if estimate.time_s else 0.0
        text_ = share_text(share) if estimate.time_s else "–"
        every.append((time, {"line": line, "access": what, "time": time_text(time), "share": text_}, share))
    every.sort(key=lambda row: -row[0])
    if estimate.time_s is None:
        return [row for _, row, _ in every], ""
    every = [row for row in every if not once or row[0] >= UNSEEN * estimate.time_s]
    least_s = FOLDED * estimate.time_s
    kept = [one for one in every if one[0] >= least_s or "LSU" in one[1]]
    if len(kept) >= MOST_ROWS:
        most = max(sum(time >= least_s for time, _, _ in every), LEAST_ROWS)
        kept = every[: min(most, MOST_ROWS - 1)]
    large = [row for _, row, _ in kept]
    small = [(time, share) for time, row, share in every if not any(row is one for one in large)]
    if len(small) == 1:
        large = [row for _, row, _ in every]
    elif small:
        together = sum(time for time, _ in small)
        counted = visible_share_text(sum(share for _, share in small), together, estimate.time_s)
        large.append({"access": f"{len(small)} more", "time": time_text(together), "share": counted})
    return large, overlap_text([time for time, _, _ in every], kernel)


def _row(assessment: Assessment, kernel: KernelAssessment, unit: UnitEstimate) -> dict[str, str]:
    access = kernel.facts.accesses[unit.lsu.members[0]]
    place = place_of(assessment.source, access.span)
    where = f"{Path(place.file).name}:{place.line + 1}" if place.file else str(place.line + 1)
    text = written(assessment.source, access)
    merged = f" and {len(unit.lsu.members) - 1} more" if len(unit.lsu.members) > 1 else ""
    count = f"{unit.lsu.count}× " if unit.lsu.count > 1 else ""

    def shown(whole: float | None, item: float | None) -> str:
        return cost_text(whole, item, unit.per) or "?"

    return {
        "line": where, "access": (text if len(text) <= LONGEST else text[: LONGEST - 1] + "…") + merged,
        "op": access.op, "LSU": f"{count}{unit.lsu.style}", "width": width_text(unit.lsu.width_bits),
        "δ": stride_text(unit.lsu) or "–",
        "moves": _moved(unit),
        "T_ideal": shown(unit.t_ideal_s, unit.t_ideal_item_s), "T_ovh": shown(unit.t_ovh_s, unit.t_ovh_item_s),
        "time": row_time_text(unit),
        "share": row_share_text(kernel.estimate, unit) if unit.share is not None else "?",
        "saturated": "?" if unit.saturated is None else "yes" if unit.saturated else "no",
    }  # fmt: skip


WASTE = 1.25
"""What is fetched is shown from so many times what is used."""


def _moved(unit: UnitEstimate) -> str:
    """What a unit uses, and what the memory moves for it where that is more."""
    if unit.bytes is None:
        return "?"
    moved = (unit.bandwidth_bytes_s or 0.0) * (unit.time_s or 0.0)
    used = bytes_text(unit.bytes)
    return f"{bytes_text(moved)} for {used}" if moved >= WASTE * unit.bytes else used


_SIZED = {"moves", "T_ideal", "T_ovh", "time", "share"}
"""The columns that follow from sizes."""


def _table(
    rows: list[dict[str, str]], last: str, paint: _Paint, columns: tuple[str, ...], mark: str = ""
) -> list[str]:  # fmt: skip
    """A table and the line under it; on a narrow terminal each row becomes two lines.

    What follows from sizes carries a `mark` where they are assumed.
    """
    head = {name: f"{mark} {name}" if mark and name in _SIZED else name for name in columns}
    cells = [[row.get(name, "") for name in columns] for row in (head, *rows)]
    cut = len(columns)
    widths = _widths(cells, columns, cut)
    if sum(widths) + 2 * len(widths) + 4 > paint.columns:
        cut = columns.index("width")
        widths = _widths(cells, columns, cut)
    lines = []
    for number, row in enumerate(cells):
        parts = (_line(row, widths, columns, 0, cut), _line(row, widths, columns, cut, len(columns)))
        lines += [f"    {paint.dim(p) if number == 0 else p}\n" for p in parts if p]
    return [*lines, f"    total {mark} {last}\n" if mark else f"    total {last}\n"] if last else lines


def _widths(cells: list[list[str]], columns: tuple[str, ...], cut: int) -> list[int]:
    """The columns' widths; a loop, which has no unit, runs over the empty cells behind its name, up to a cut."""
    long = columns.index("access")
    widths = [max(len(row[i]) for row in cells if i != long or row[i + 1]) for i in range(len(columns))]
    for row in cells:
        end = _end(row, long, cut)
        room = sum(widths[long:end]) + 2 * (end - long - 1)
        widths[long] += max(len(row[long]) - room, 0)
    return widths


def _line(row: list[str], widths: list[int], columns: tuple[str, ...], start: int, stop: int) -> str:
    """The cells of some columns, each in its place."""
    parts, at, long = list[str](), start, columns.index("access")
    while at < stop:
        end = _end(row, at, stop) if at == long else at + 1
        room = sum(widths[at:end]) + 2 * (end - at - 1)
        parts.append(row[at].ljust(room) if columns[at] in _LEFT else row[at].rjust(room))
        at = end
    return "  ".join(parts).rstrip()


def _end(row: list[str], at: int, stop: int) -> int:
    """The first column behind one that is not empty."""
    return next((i for i in range(at + 1, stop) if row[i]), stop)


class _Paint:
    """Colours where they help: on a terminal, and not with NO_COLOR."""

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
