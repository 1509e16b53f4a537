"""Every rule, and running them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from weakref import WeakKeyDictionary

from burstline_model.facts import Span
from burstline_server.analysis.reuse import Range, moved
from burstline_server.assess import Assessment
from burstline_server.costing import Costed, KernelAssessment
from burstline_server.rules.bl101_non_aligned import NonAligned
from burstline_server.rules.bl102_strided import Strided
from burstline_server.rules.bl103_write_ack import WriteAck
from burstline_server.rules.bl104_atomic import Atomic
from burstline_server.rules.bl105_shared_bank import SharedBank
from burstline_server.rules.bl106_narrow import Narrow
from burstline_server.rules.bl107_unplaced import Unplaced
from burstline_server.rules.bl108_no_atomics import NoAtomics
from burstline_server.rules.bl201_unknown_index import UnknownIndex
from burstline_server.rules.bl202_unknown_trips import UnknownTrips
from burstline_server.rules.bl302_source import SourceNotRead
from burstline_server.rules.bl303_report_differs import ReportDiffers
from burstline_server.rules.bl304_stale_report import StaleReport
from burstline_server.rules.bl401_serialised_loop import SerialisedLoop
from burstline_server.rules.bl402_imbalance import Imbalance
from burstline_server.rules.bl403_few_work_items import FewWorkItems
from burstline_server.rules.bl404_barrier import BarrierFlush
from burstline_server.rules.finding import Finding, Rule

_log = logging.getLogger(__name__)

RULES: tuple[Rule, ...] = (
    NonAligned(), Strided(), WriteAck(), Atomic(), SharedBank(), Narrow(), Unplaced(), NoAtomics(), UnknownIndex(),
    UnknownTrips(), SourceNotRead(), ReportDiffers(), StaleReport(), SerialisedLoop(), Imbalance(),
    FewWorkItems(), BarrierFlush(),
)  # fmt: skip
CONFIGURATION = "BL301"


def findings_of(assessment: Assessment) -> tuple[Finding, ...]:
    """All findings of a file, in order of place; those in included files and doubles left out."""
    found: dict[tuple[str, int, int, str], Finding] = {}
    for finding in chain(
        _problems(assessment), _of_file(assessment), *(_of_kernel(k, assessment.path) for k in assessment.kernels)
    ):
        span = finding.span
        if span.file is None:
            key = (finding.code, -1, -1) if finding.code in _ONCE else (finding.code, span.start, span.end)
            found.setdefault((*key, finding.message), finding)
    ignored = _ignored(assessment)
    kept = [f for f in found.values() if not ignored or f.code not in ignored.get(_line(assessment, f), ())]
    return tuple(sorted(kept, key=lambda f: (f.span.start, f.code)))


_ONCE = {rule.code for rule in RULES if rule.once}


def _problems(assessment: Assessment) -> Iterator[Finding]:
    for problem in assessment.problems:
        where = f" ({problem.path}:{problem.line})" if problem.path and problem.line else ""
        span = Span(start=0, end=0)
        yield Finding(CONFIGURATION, "configuration", "warning", span, f"{problem.message}{where}")


def _of_file(assessment: Assessment) -> Iterator[Finding]:
    for rule in RULES:
        yield from _safely(rule, assessment.path, rule.of_file(assessment))


def _of_kernel(kernel: KernelAssessment, path: str) -> Iterable[Finding]:
    """What the rules find in a kernel: found once for its text and cost, and told where the text stands now."""
    now = kernel.reading.pieces
    if not now:
        return _found(kernel, path)
    home, found = _KNOWN.get(kernel.costed) or _KNOWN.setdefault(kernel.costed, (now, _found(kernel, path)))
    return found if home == now else (f.placed(lambda span: moved(span, home, now)) for f in found)


_KNOWN: WeakKeyDictionary[Costed, tuple[tuple[Range, ...], tuple[Finding, ...]]] = WeakKeyDictionary()


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
