"""Every rule, and running them."""

from __future__ import annotations

import logging
import re

from burstline_model.facts import Span
from burstline_server.assess import Assessment
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
    found: dict[tuple[str, Span, str], Finding] = {}
    for problem in assessment.problems:
        where = f" ({problem.path}:{problem.line})" if problem.path and problem.line else ""
        message = f"{problem.message}{where}"
        span = Span(start=0, end=0)
        found[CONFIGURATION, span, message] = Finding(CONFIGURATION, "configuration", "warning", span, message)
    for rule in RULES:
        try:
            for finding in rule.check(assessment):
                if finding.span.file is None:
                    found.setdefault((finding.code, finding.span, finding.message), finding)
        except Exception:  # noqa: BLE001 - one rule must not cost the others
            _log.exception("rule %s failed on %s", rule.code, assessment.path)
    ignored = _ignored(assessment)
    kept = [f for f in found.values() if f.code not in ignored.get(_line(assessment, f), ())]
    return tuple(sorted(kept, key=lambda f: (f.span.start, f.code)))


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
