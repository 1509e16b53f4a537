"""The last figures of a kernel while its text is being edited and does not compile: moved along with the text."""

from __future__ import annotations

from dataclasses import replace

from burstline_model.facts import Span
from burstline_server.analysis.relocated import relocated
from burstline_server.analysis.reuse import KernelSnapshot, PlacedKernel
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.source.edit import Edit, difference


def keeping(before: Assessment | None, now: Assessment) -> Assessment:
    """An assessment with the kernels that faults have taken away since the one before, under the same settings."""
    lost = {w.name for w in now.withheld}
    if before is None or not lost or (before.settings, before.board) != (now.settings, now.board):
        return now
    edit = difference(before.source.original, now.source.original)
    kept = [_moved(k, edit) for k in before.kernels if k.facts.name in lost]
    if not kept:
        return now
    kernels = sorted((*now.kernels, *kept), key=lambda k: k.facts.span.start)
    return now.with_kernels(tuple(kernels))


def _moved(kernel: KernelAssessment, edit: Edit) -> KernelAssessment:
    """A kernel with every place moved to the text after an edit; what the edit replaced is empty."""

    def at(span: Span) -> Span:
        if span.file is not None or span.end <= edit.start:
            return span
        if span.start >= edit.old_end:
            return Span(start=span.start + edit.by, end=span.end + edit.by)
        start = span.start if span.start <= edit.start else edit.new_end
        return Span(start=start, end=max(start, span.end + edit.by if span.end >= edit.old_end else edit.start))

    facts = relocated(kernel.facts, at)
    return replace(kernel, placed=PlacedKernel(KernelSnapshot(kernel.placed.key, facts)))
