"""Whether every surface says the same of a kernel: ``python -m bench.surfaces FOLDER…`` prints what contradicts.

Each kernel is looked at twice: as it is opened, and with the sizes given that are assumed then. What the line over the
kernel says is compared with its hover, hints, findings, the command line, the JSON and the page; shares are added up
and findings counted. The exit status is 1 where anything contradicts, or more is found than is read.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.folders import chosen, found_by, parser_for
from bench.marked import MarkedPart

from burstline_model.estimate.changes import MoreCopies, Widen
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.text import text
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.diagnostics.finding import Finding
from burstline_server.diagnostics.reasons import HoldsUp, Pays
from burstline_server.presentation.card_text import plain
from burstline_server.presentation.cards import access_card, kernel_card
from burstline_server.presentation.hints import Hint, line_hints
from burstline_server.presentation.report import KernelReport
from burstline_server.presentation.report_build import file_report
from burstline_server.presentation.view_build import file_view
from burstline_server.presentation.view_document import KernelView
from burstline_server.quantities import share_text, time_text
from burstline_server.rewrites.rewrite import edited
from burstline_server.rewrites.sizes_comment import sizes_comment
from burstline_server.source.locate import place_of
from burstline_server.words.findings import message_text
from burstline_server.words.verdict import headline, lever_lines

PART = MarkedPart("python -m bench.surfaces")
MEDIAN, MOST = 3, 8
"""Findings of a kernel that are read: of half of them, and of nineteen in twenty."""
ROUNDED = 1.005
"""What adds up to a whole may round to more."""
_GAIN = re.compile(r"\(kernel (?:≈\? )?([^→()]+?) → ([^→()]+?)(?: at worst)?\)")


@dataclass(frozen=True)
class Checked:
    """What was found of one kernel: its findings, the largest of what its shares add up to, what contradicts."""

    kernel: str
    findings: int
    shares: float
    wrong: tuple[str, ...]


def contradictions(done: Assessment, sized: bool = False) -> list[Checked]:
    """What surfaces say of each kernel of a file that others do not."""
    findings = findings_of(done)
    report, view = file_report(done, findings), file_view(done, findings)
    printed = text([(done, findings)])
    found = []
    for kernel, one, shown in zip(done.kernels, report.kernels, view.kernels, strict=True):
        own = [f for f in findings if f.span.file is None and _within(f, kernel)]
        hints = line_hints(done, [kernel])
        wrong = [*_first_line(done, kernel, one, shown, printed), *_lines(done, kernel, shown, hints)]
        wrong += [*_gains(kernel, own), *_factors(kernel, own), *_ranges(kernel)]
        estimate = (kernel.at_assumed or kernel).estimate
        shares = max(sum(h.share or 0.0 for h in hints), sum(u.share or 0.0 for u in estimate.units))
        name = f"{Path(done.path).name} {one.name}{' (sized)' if sized else ''}"
        found.append(Checked(name, len(own), shares, tuple(f"{name}: {w}" for w in wrong)))
    return found


def _within(finding: Finding, kernel: KernelAssessment) -> bool:
    span = kernel.facts.span
    return span.file is None and span.start <= finding.span.start < span.end


def _first_line(
    done: Assessment, kernel: KernelAssessment, report: KernelReport, view: KernelView, printed: str
) -> Iterator[str]:
    """The line over the kernel against its hover, the command line, the JSON and the page."""
    line, hover = headline(done, kernel), plain(kernel_card(done, kernel))
    said = report.first_line
    if line not in printed:
        yield f"the command line does not print {line!r}"
    if (view.time, view.limit, view.lever) != (said.time, said.limit, said.lever):
        yield f"the page says {view.time!r} {view.limit!r} {view.lever!r}, the JSON {said}"
    yield from (
        f"{part!r} is not in the line {line!r}" for part in (said.time, said.limit, said.lever) if part not in line
    )
    yield from (f"the hover lacks {part!r}" for part in (said.time, said.limit) if part not in hover)
    time_ms = report.time_ms
    if time_ms is None and report.at_assumed_sizes is not None:
        time_ms = report.at_assumed_sizes.time_ms
    if time_ms is not None and "at most" in line:
        time_ms = max(time_ms, report.time_high_ms or 0.0)  # an upper bound is that of the slowest clock
    if report.time_ms is not None and "at least" in line:
        time_ms = min(report.time_ms, report.time_low_ms or report.time_ms)
    if time_ms is not None and time_text(time_ms / 1e3) not in line:
        yield f"the JSON has {time_text(time_ms / 1e3)}, the line {line!r}"
    after = said.lever.rpartition("→ ")[2].removeprefix("≈? ") if "→" in said.lever else ""
    first = next(iter(lever_lines(kernel, 1)), "")
    if after and not first.endswith(after):
        yield f"the line promises {after}, the advice {first!r}"


def _lines(done: Assessment, kernel: KernelAssessment, view: KernelView, hints: Sequence[Hint]) -> Iterator[str]:
    """The hints at the ends of lines against the cards of what they are about, and the rows of the page."""
    shown = kernel.at_assumed or kernel
    if not shown.estimate.time_s:
        return
    lines = done.source.lines
    terms = Counter[int]()
    for term in shown.estimate.terms:
        if term.unit is not None:
            terms[_line(done, shown, shown.estimate.units[term.unit].lsu.members[0])] += 1
        elif term.loop is not None:
            terms[place_of(done.source, shown.facts.loops[term.loop].span).line] += 1
    rows = Counter[int]()
    for row in view.rows:
        if row.place is not None and row.place.path is None:
            rows[row.place.line - 1] += 1
    for hint in hints:
        line = lines.line_of(hint.offset)
        there = [a for a in kernel.facts.accesses if a.span.file is None and a.span.start == hint.about]
        access = max(there, key=kernel.share_of, default=None)
        if access is None or hint.of_loop or terms[line] != 1:
            continue
        card = plain(access_card(done, kernel, access)).partition("\n")[0]
        if " + " not in card and hint.text not in card:
            yield f"line {line + 1}: the hint says {hint.text!r}, the card {card!r}"
        if not rows[line]:
            yield f"line {line + 1}: the hint says {hint.text!r}, the page has no row there"


def _line(done: Assessment, kernel: KernelAssessment, access: int) -> int:
    return place_of(done.source, kernel.facts.accesses[access].span).line


def _gains(kernel: KernelAssessment, findings: Sequence[Finding]) -> Iterator[str]:
    """What findings promise against the kernel's time and the advice about it."""
    estimate = (kernel.at_assumed or kernel).estimate
    promised = {time_text(lever.after_s) for lever in estimate.levers if lever.after_s is not None}
    for finding in findings:
        found = _GAIN.search(message_text(finding))
        if found is None:
            continue
        now = time_text(estimate.time_s) if estimate.time_s is not None else ""
        if found[1] != now:
            yield f"{finding.code} begins at {found[1]}, the kernel takes {now or 'no known time'}"
        if found[2] not in promised:
            yield f"{finding.code} ends at {found[2]}, the advice at {', '.join(sorted(promised)) or 'nothing'}"


def _factors(kernel: KernelAssessment, findings: Sequence[Finding]) -> Iterator[str]:
    """Unroll factors that differ for one loop."""
    factors: dict[int, set[int]] = {}
    for finding in findings:
        change = finding.reason.change if isinstance(finding.reason, HoldsUp | Pays) else None
        by = change.by if isinstance(change, Widen) else change
        if isinstance(by, MoreCopies) and (loop := _loop_of(kernel, finding)) is not None:
            factors.setdefault(loop, set()).add(by.copies)
    for loop, found in factors.items():
        if len(found) > 1:
            yield f"loop {loop} is to be unrolled by {' and by '.join(map(str, sorted(found)))}"


def _ranges(kernel: KernelAssessment) -> Iterator[str]:
    """Rows whose range leaves out their own time, or goes beyond that of their kernel's time."""
    estimate = (kernel.at_assumed or kernel).estimate
    least_s, most_s = estimate.time_low_s, estimate.time_high_s
    for unit in estimate.units if least_s is not None and most_s is not None else ():
        pointer = kernel.facts.accesses[unit.lsu.members[0]].pointer
        low_s, time_s, high_s = unit.time_low_s, unit.time_s, unit.time_high_s
        if time_s is None or low_s is None or high_s is None:
            continue
        if not low_s <= time_s <= high_s:
            yield f"{pointer} takes {time_text(time_s)}, which is not from {time_text(low_s)} to {time_text(high_s)}"
        if low_s > least_s * ROUNDED or high_s > most_s * ROUNDED:
            yield f"{pointer}: {time_text(low_s)} to {time_text(high_s)}, beyond its kernel's range"


def _loop_of(kernel: KernelAssessment, finding: Finding) -> int | None:
    """The loop that a finding is about: the one that is written there, or the innermost around an access."""
    for loop in kernel.facts.loops:
        if loop.span == finding.span:
            return loop.id
    access = next((a for a in kernel.facts.accesses if a.span == finding.span), None)
    return access.loops[-1] if access is not None and access.loops else None


def with_sizes(assessor: Assessor, done: Assessment) -> str | None:
    """The text with the comments that give each kernel the sizes assumed for it; None where none are."""
    text, sized = done.source.original, done
    for name in [kernel.facts.name for kernel in done.kernels if kernel.estimate.at_assumed is not None]:
        kernel = next((one for one in sized.kernels if one.facts.name == name), None)
        comment = sizes_comment(sized, kernel) if kernel is not None else None
        text = edited(text, comment.edits) if comment is not None else text
        if text != sized.source.original:
            sized = assessor.assess(text.decode(), done.path, [])
    return text.decode() if sized is not done else None


def _time_again(kernel: KernelEstimate, name: str, again: Assessment) -> Iterator[str]:
    """The time with the assumed sizes given against the one at assumed sizes."""
    guess = kernel.at_assumed
    other = next((k for k in again.kernels if k.facts.name == name), None)
    if guess is None or guess.estimate.time_s is None or other is None or other.estimate.time_s is None:
        return
    before, after = time_text(guess.estimate.time_s), time_text(other.estimate.time_s)
    if before != after:
        yield f"{name}: ≈? {before} at assumed sizes, ≈ {after} with these sizes given"


def checked(job: tuple[Path, Path]) -> list[Checked]:
    """What is found of the kernels of one file, as it is opened and with its sizes."""
    folder, path = job
    source = path.read_bytes().decode("utf-8-sig", "replace")
    assessor = Assessor(workspace=[folder])
    done = assessor.assess(source, str(path), [])
    found = contradictions(done)
    sized = with_sizes(assessor, done)
    if sized is not None:
        again = assessor.assess(sized, str(path), [])
        found += contradictions(again, sized=True)
        names = Counter(kernel.facts.name for kernel in done.kernels)
        for kernel in done.kernels:
            if names[kernel.facts.name] > 1:
                continue  # settings name kernels: sizes of one are those of the other
            wrong = tuple(_time_again(kernel.estimate, kernel.facts.name, again))
            found += [Checked(kernel.facts.name, 0, 0.0, tuple(f"{path.name} {w}" for w in wrong))] if wrong else []
    return found


def summary(found: Sequence[Checked]) -> tuple[str, bool]:
    """The table, and whether all of it is as it should be."""
    opened = sorted(one.findings for one in found if not one.kernel.endswith("(sized)"))
    kernels = [one for one in found if one.shares or one.findings or one.kernel]
    median, most = opened[len(opened) // 2], opened[min(len(opened) - 1, len(opened) * 95 // 100)]
    over = sum(one.shares > ROUNDED for one in found)
    wrong = sum(len(one.wrong) for one in found)
    lines = [
        "| | found | at most |",
        "|---|---|---|",
        f"| kernels, each as it is opened; and with sizes | {len(opened)}; {len(kernels) - len(opened)} | |",
        f"| contradictions between surfaces | {wrong} | 0 |",
        f"| kernels whose shares exceed {share_text(1.0)} | {over} | 0 |",
        f"| findings of a kernel, median | {median} | {MEDIAN} |",
        f"| findings of a kernel, 95th percentile | {most} | {MOST} |",
    ]
    return "\n".join(lines), not wrong and not over and median <= MEDIAN and most <= MOST


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table and what contradicts; exit status 1 where something does."""
    arguments = parser_for(__doc__ or "", PART).parse_args(argv)
    jobs = chosen(arguments)
    if not jobs:
        sys.stderr.write("no .cl or .ocl file in these folders\n")
        return 2
    found = [one for one in found_by(checked, jobs, arguments.workers, 4) if arguments.only in one.kernel]
    if not found:
        sys.stderr.write("no kernel in these files\n")
        return 2
    table, fine = summary(found)
    print(table)
    for one in found:
        print(*(f"contradiction: {w}" for w in one.wrong), sep="\n", end="\n" if one.wrong else "")
    if arguments.markdown:
        PART.write(arguments.markdown, table)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
