"""Promise the compiler that pointers never overlap."""

from collections.abc import Iterable

from burstline_model.facts import Argument, Span
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit


class Restrict(Rewrite):
    """``restrict`` on every global pointer of a kernel that lacks it; on a single one where that pays (a cache).

    An assertion: the compiler may then reorder and cache accesses. Results change if two of the buffers overlap, which
    only the host program knows.
    """

    name = "restrict"
    codes = ("BL103", "BL101", "BL106")
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernel."""
        facts = kernel.facts
        bare = [a for a in facts.arguments if a.is_pointer and a.space == "global" and not a.restrict]
        pays = any(lever.change == "restrict" for lever in kernel.with_figures.estimate.levers)
        if bare and (pays or len(bare) >= 2 - any(a.restrict for a in facts.arguments)):
            names = {a.name for a in bare}
            spans = (
                facts.name_span,
                *(a.span for a in bare),
                *(a.span for a in facts.accesses if a.pointer in names and a.span.file is None),
            )
            title = Title("restrict", (tuple(a.name for a in bare),))
            yield Candidate(title, spans, lambda: _offer(assessment, kernel, title, bare, spans))


def _offer(
    assessment: Assessment, kernel: KernelAssessment, title: Title, bare: list[Argument], spans: tuple[Span, ...]
) -> Offer:
    edits = [e for a in bare if (e := _edit(assessment.source.original, a)) is not None]
    if len(edits) < len(bare):
        raise NotOfferedError("no_plain_name")
    return Offer(
        title=title, kind="assertion", kernel=kernel.facts.name, edits=tuple(edits), spans=spans, codes=Restrict.codes
    )


def _edit(text: bytes, argument: Argument) -> TextEdit | None:
    """Put the word before the argument's name; None where the name does not end a plain ``type *name``."""
    span, name = argument.span, argument.name.encode()
    written = text[span.start : span.end]
    if span.file is not None or not written.endswith(name) or b"*" not in written:
        return None
    at = span.end - len(name)
    if text[at - 1 : at] not in {b"*", b" ", b"\t", b"\n"}:
        return None
    return TextEdit(at, at, "restrict ")
