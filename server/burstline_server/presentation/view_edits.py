"""Edits as the page shows them: the time before and after each, and the lines that it changes, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from burstline_server.assessment.assessor import Assessment
from burstline_server.presentation.view_document import EditView, HunkView
from burstline_server.rewrites.catalogue import Fix, most_useful_first, reach_of
from burstline_server.words.edit_reasons import reason_text
from burstline_server.words.edits import gain_times, not_executed_note, title_text

MOST_EDITS = 12
CONTEXT = 2
"""Lines around a change."""


def edit_views(assessment: Assessment, fixes: Sequence[Fix], kernel: str) -> list[EditView]:
    """The edits of one kernel, the most useful first."""
    own = most_useful_first(fix for fix in fixes if fix.offer.kernel == kernel)
    return [_view(assessment, fix) for fix in own[:MOST_EDITS]]


def _view(assessment: Assessment, fix: Fix) -> EditView:
    gain = fix.gain
    before = after = ""
    if gain is not None:
        before, after = gain_times(gain)
    text = assessment.source.original
    return EditView(
        id=fix.offer.id,
        title=title_text(fix.offer.title) + not_executed_note(fix.execution),
        reason=reason_text(assessment, fix),
        needs=reach_of(fix.offer),
        before=before,
        after=after,
        gain=fix.speedup,
        hunks=_hunks(_lines(text), _lines(fix.offer.applied(text))),
        host=fix.offer.host,
    )


def _lines(text: bytes) -> list[str]:
    return text.decode("utf-8", "replace").splitlines()


def _hunks(before: Sequence[str], after: Sequence[str]) -> list[HunkView]:
    """What differs between two texts, line by line."""
    found = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT):
        pairs: list[tuple[str | None, str | None]] = []
        for _, first, last, from_, to in group:
            for at in range(max(last - first, to - from_)):
                old = before[first + at] if first + at < last else None
                pairs.append((old, after[from_ + at] if from_ + at < to else None))
        found.append(HunkView(line=group[0][1] + 1, pairs=pairs))
    return found
