"""What the editor draws in the text: what a line takes of its kernel, at its end; or behind each access its unit."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.estimate.after_change import WORTH_REPORTING
from burstline_model.estimate.kernel_estimate import Term, UnitEstimate
from burstline_model.facts import Span
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.presentation.report_build import UnitIndex
from burstline_server.quantities import ASSUMED, abbreviation, cost_text, share_text, time_text, width_text


@fixed
class Hint:
    """A few words at a byte offset of the file; `about` is the offset of the access or loop that they are about.

    `share` is what the line takes of its kernel's time, 0 to 1; None where the words are about one unit.
    `of_loop`: they are about a loop, though an access may be written at the same place, by a macro.
    """

    offset: int
    text: str
    about: int
    share: float | None = None
    of_loop: bool = False


def line_hints(assessment: Assessment, kernels: Iterable[KernelAssessment], *, first_only: bool = False) -> list[Hint]:
    """One hint a line, at its end: what the line takes of its kernel's time, where that is worth a look.

    Kernels that share a line, by a function that both call, show the one that spends more there. `first_only`: of each
    kernel the line that takes the most.
    """
    lines: dict[int, tuple[float, Hint]] = {}
    for kernel in kernels:
        found = sorted(_lines(assessment, kernel), key=lambda one: -one[0])
        for weight, line, hint in found[:1] if first_only else found:
            if line not in lines or lines[line][0] < weight:
                lines[line] = weight, hint
    return [hint for _, (_, hint) in sorted(lines.items())]


def _lines(assessment: Assessment, kernel: KernelAssessment) -> Iterable[tuple[float, int, Hint]]:
    """The lines of a kernel that take time, each with its weight and hint; its units where no time is known."""
    shown = kernel.at_assumed or kernel
    total = shown.estimate.time_s
    table = assessment.source.lines
    if not total:
        yield from _units(assessment, kernel)
        return
    by_line: dict[int, list[tuple[float, int, bool]]] = {}
    for term in shown.estimate.terms:
        span = _span(shown, term)
        if span is not None and span.file is None:
            by_line.setdefault(table.line_of(span.start), []).append((term.time_s, span.start, term.unit is None))
    mark = f"{ASSUMED} " if shown is not kernel else ""
    for line, parts in by_line.items():
        seconds = sum(time for time, _, _ in parts)
        if seconds >= WORTH_REPORTING * total:
            text = f"{mark}{time_text(seconds)} · {share_text(seconds / total)}"
            _, about, of_loop = max(parts)
            yield seconds, line, Hint(table.end_of(line), text, about, seconds / total, of_loop)


def _span(kernel: KernelAssessment, term: Term) -> Span | None:
    """Where a term of a kernel's time is written; None for what belongs to the whole kernel."""
    if term.unit is not None:
        return kernel.facts.accesses[kernel.estimate.units[term.unit].lsu.members[0]].span
    return kernel.facts.loops[term.loop].span if term.loop is not None else None


def _units(assessment: Assessment, kernel: KernelAssessment) -> Iterable[tuple[float, int, Hint]]:
    table = assessment.source.lines
    found: dict[int, list[Hint]] = {}
    for unit, span in _written_units(kernel, everything=False):
        found.setdefault(table.line_of(span.start), []).append(Hint(span.end, _unit(unit), span.start))
    for line, hints in found.items():
        more = f" + {len(hints) - 1}" if len(hints) > 1 else ""
        yield 0.0, line, Hint(table.end_of(line), hints[0].text + more, hints[0].about)


def unit_hints(kernels: Iterable[KernelAssessment]) -> list[Hint]:
    """Behind each access of any memory its units, each text once: number, style, width and time."""
    found: dict[int, tuple[int, list[str]]] = {}
    for kernel in kernels:
        for unit, span in _written_units(kernel, everything=True):
            texts = found.setdefault(span.end, (span.start, []))[1]
            texts += [text for text in [unit_text(unit)] if text not in texts]
    return [Hint(end, " + ".join(texts), start) for end, (start, texts) in sorted(found.items())]


def _written_units(kernel: KernelAssessment, *, everything: bool) -> Iterable[tuple[UnitEstimate, Span]]:
    """The units of accesses that are written in the file itself, in its order."""
    index = UnitIndex(kernel.estimate)
    for access in sorted(kernel.facts.accesses, key=lambda one: one.span.start):
        span = access.span
        if span.file is None and span.start < span.end and (everything or access.space == "global"):
            yield from ((unit, span) for unit in index.on(access))


def unit_text(unit: UnitEstimate) -> str:
    """A unit in short: number, style, width, and its time as far as that is known."""
    return f"{_unit(unit)}{_time(unit)}"


def _unit(unit: UnitEstimate) -> str:
    count = f"{unit.lsu.count}× " if unit.lsu.count > 1 else ""
    return f"{count}{abbreviation(unit.lsu.style)} {width_text(unit.lsu.width_bits)}"


def _time(unit: UnitEstimate) -> str:
    cost = cost_text(unit.time_s, unit.time_item_s, unit.per)
    return f" · {cost}" if cost is not None else ""
