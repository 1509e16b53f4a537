"""A kernel whose macros are replaced by their text, so that every byte of it is written out."""

from __future__ import annotations

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.rewrites.rewrite import TextEdit, edited
from burstline_server.rewrites.syntax import kernel_body
from burstline_server.source.source import Source

MOST_USES = 500
"""Most uses of macros that are replaced."""


def spelled_out(assessment: Assessment, kernel: KernelAssessment) -> tuple[Assessment, KernelAssessment] | None:
    """The file with a kernel's macros replaced, and the kernel in it; None where that cannot be written."""
    source = assessment.source
    body = kernel_body(source, kernel.facts.name_span)
    function = body.parent if body is not None else None
    if function is None:
        return None
    edits = _edits(source, function.start_byte, function.end_byte)
    if not edits:
        return None
    return again(assessment, kernel, edited(source.original, edits))


def again(assessment: Assessment, kernel: KernelAssessment, text: bytes) -> tuple[Assessment, KernelAssessment] | None:
    """Another text of the file with the same settings, and the kernel in it; of others, no costs are worked out."""
    settings, name = Layer("file", assessment.settings.model_dump(exclude_defaults=True)), kernel.facts.name
    now = Assessor(workspace=assessment.workspace).assess(text, assessment.path, [settings], names=(name,))
    found = next((k for k in now.kernels if k.facts.name == name), None)
    return (now, found) if found is not None else None


def _edits(source: Source, start: int, end: int) -> list[TextEdit]:
    """One edit for each macro's use in a range of the parsed text; none where one of them is not the user's text."""
    ranges: dict[tuple[int, int], tuple[int, int]] = {}
    for first, last, piece in source.pieces(start, end):
        if piece.file is not None:
            return []
        use = piece.use or (None if piece.verbatim else (piece.start, piece.end))
        if use is not None:
            begin, stop = ranges.get(use, (first, last))
            ranges[use] = min(begin, first), max(stop, last)
    if len(ranges) > MOST_USES:
        return []
    return [TextEdit(*use, _unmasked(source, *made)) for use, made in ranges.items()]


def _unmasked(source: Source, start: int, end: int) -> str:
    """A range of the parsed text with the qualifiers and attributes in it."""
    text = source.text[start:end]
    for note in source.notes_in(start, end):
        text = text[: note.start - start] + note.text.encode() + text[note.end - start :]
    return text.decode("utf-8", "replace")
