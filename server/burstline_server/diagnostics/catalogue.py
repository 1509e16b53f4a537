"""Every rule, and running them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from weakref import WeakKeyDictionary

from burstline_model.facts import Span
from burstline_server.analysis.reuse import Layout, Range, moved
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment, KernelCost
from burstline_server.config.settings import Level
from burstline_server.diagnostics.bl001_syntax import Syntax
from burstline_server.diagnostics.bl002_undeclared import Undeclared
from burstline_server.diagnostics.bl003_refused import Refused
from burstline_server.diagnostics.bl101_non_aligned import NonAligned
from burstline_server.diagnostics.bl102_strided import Strided
from burstline_server.diagnostics.bl103_write_ack import WriteAck
from burstline_server.diagnostics.bl104_atomic import Atomic
from burstline_server.diagnostics.bl105_shared_bank import SharedBank
from burstline_server.diagnostics.bl106_narrow import Narrow
from burstline_server.diagnostics.bl107_unplaced import Unplaced
from burstline_server.diagnostics.bl108_no_atomics import NoAtomics
from burstline_server.diagnostics.bl201_unknown_index import UnknownIndex
from burstline_server.diagnostics.bl202_unknown_trips import UnknownTrips
from burstline_server.diagnostics.bl301_configuration import Configuration
from burstline_server.diagnostics.bl302_source import SourceNotRead
from burstline_server.diagnostics.bl303_report_differs import ReportDiffers
from burstline_server.diagnostics.bl304_stale_report import StaleReport
from burstline_server.diagnostics.bl401_initiation_interval import InitiationInterval
from burstline_server.diagnostics.bl402_imbalance import Imbalance
from burstline_server.diagnostics.bl403_few_work_items import FewWorkItems
from burstline_server.diagnostics.bl404_barrier import BarrierFlush
from burstline_server.diagnostics.finding import Finding, Findings, Group, Rule
from burstline_server.diagnostics.reasons import Reason

_log = logging.getLogger(__name__)

RULES: tuple[Rule, ...] = (
    Syntax(), Undeclared(), Refused(), NonAligned(), Strided(),
    WriteAck(), Atomic(), SharedBank(), Narrow(), Unplaced(), NoAtomics(), UnknownIndex(),
    UnknownTrips(), Configuration(), SourceNotRead(), ReportDiffers(), StaleReport(), InitiationInterval(), Imbalance(),
    FewWorkItems(), BarrierFlush(),
)  # fmt: skip
CONFIGURATION = Configuration.code
FAULTS = (Syntax.code, Undeclared.code, Refused.code)
"""The codes of what the compiler refuses, those of syntax first."""


def findings_of(assessment: Assessment) -> Findings:
    """All findings of a file, as the settings rate them; those in included files and doubles left out."""
    of_file = _of_file(assessment)
    kernels, ignored = assessment.kernels, _ignored(assessment)
    severities = assessment.settings.severities
    if ignored or severities or not _are_disjoint(kernels):
        everything = chain(of_file, *(_placed(k, assessment.path) for k in kernels))
        kept = [f for f in _single(everything) if f.code not in ignored.get(_line(assessment, f), ())]
        return Findings((), list(_rated(kept, severities)))
    known = [(k, *_known(k, assessment.path)) for k in kernels]
    groups = [Group(k.cost, home, k.placed.layout, own) for k, home, own, _ in known if own]
    others = [f.placed(_mover(home, k)) for k, home, _, others in known for f in others]
    return Findings(groups, _single(chain(of_file, others)))


def _rated(findings: Iterable[Finding], severities: Mapping[str, Level]) -> Iterator[Finding]:
    """The findings as the settings rate their codes, the longest beginning first; a wrong setting is always shown."""
    for finding in findings:
        keys = [key for key in severities if finding.code.startswith(key)]
        level = severities[max(keys, key=len)] if keys and finding.code != CONFIGURATION else finding.severity
        if level != "off":
            yield finding if level == finding.severity else replace(finding, severity=level)


def _are_disjoint(kernels: Sequence[KernelAssessment]) -> bool:
    """Whether no two kernels of a file share text, by calling one another or by coming out of one macro."""
    places = [k.placed.pieces[0] if k.placed.pieces else (-1, -1) for k in kernels]
    called = {name for k in kernels for name in k.placed.snapshot.reached}
    return (
        all(start >= 0 for start, _ in places)
        and all(a[1] <= b[0] for a, b in pairwise(places))
        and called.isdisjoint(k.placed.snapshot.facts.name for k in kernels)
    )


def _single(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in the user's file, each once."""
    found: dict[tuple[str, int, int, Reason], Finding] = {}
    for finding in findings:
        span = finding.span
        if span.file is None:
            key = (finding.code, -1, -1) if finding.code in _ONCE else (finding.code, span.start, span.end)
            found.setdefault((*key, finding.reason), finding)
    return list(found.values())


_ONCE = {rule.code for rule in RULES if rule.once}


def _of_file(assessment: Assessment) -> Iterator[Finding]:
    for rule in RULES:
        yield from _safely(rule, assessment.path, rule.of_file(assessment))


def _placed(kernel: KernelAssessment, path: str) -> Iterator[Finding]:
    """What the rules find in a kernel, at the places where the text is now."""
    home, own, others = _known(kernel, path)
    return (f.placed(_mover(home, kernel)) for f in (*own, *others))


def _mover(home: Layout, kernel: KernelAssessment) -> Callable[[Span], Span]:
    now = kernel.placed.layout
    return lambda span: moved(span, home, now)


def _known(kernel: KernelAssessment, path: str) -> tuple[Layout, tuple[Finding, ...], tuple[Finding, ...]]:
    """What the rules find in a kernel, found once for its text and cost.

    That is where its text was then, what there is in its own text alone, and all else.
    """
    now = kernel.placed.layout
    if not now.pieces:
        return now, (), _found(kernel, path)
    known = _BY_COST.get(kernel.cost)
    if known is None:
        found = _single(_found(kernel, path))
        own = tuple(f for f in found if f.code not in _ONCE and _within(now.pieces[0], f))
        others = tuple(f for f in found if f not in own)
        known = _BY_COST[kernel.cost] = (now, own, others)
    return known


def _within(piece: Range, finding: Finding) -> bool:
    """Whether a finding is in a piece of the user's file and names no other file."""
    return piece[0] <= finding.span.start <= piece[1] and all(r.span.file is None for r in finding.related)


_BY_COST: WeakKeyDictionary[KernelCost, tuple[Layout, tuple[Finding, ...], tuple[Finding, ...]]] = WeakKeyDictionary()


def _found(kernel: KernelAssessment, path: str) -> tuple[Finding, ...]:
    return tuple(finding for rule in RULES for finding in _safely(rule, path, rule.of_kernel(kernel)))


def _safely(rule: Rule, path: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    try:
        return tuple(findings)
    except Exception:  # noqa: BLE001 - one rule must not cost the others
        _log.exception("rule %s failed on %s", rule.code, path)
        return ()


_IGNORE = re.compile(r"\s*ignore\s+((?:BL\d+[\s,]*)+)")


def _ignored(assessment: Assessment) -> dict[int, set[str]]:
    """The codes that comments switch off by line: ``// burstline: ignore BL106`` on the line or right above it."""
    lines: dict[int, set[str]] = {}
    source = assessment.source
    for comment in source.comments:
        match = _IGNORE.match(comment.text)
        if match:
            line = source.lines.line_of(comment.start)
            begins = not source.original[source.original.rfind(b"\n", 0, comment.start) + 1 : comment.start].strip()
            lines.setdefault(line + 1 if begins else line, set()).update(re.findall(r"BL\d+", match[1]))
    return lines


def _line(assessment: Assessment, finding: Finding) -> int:
    return assessment.source.lines.line_of(finding.span.start)
