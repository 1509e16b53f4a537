"""Elements of memory that inner loops read and write again, kept in variables before another edit is made."""

from __future__ import annotations

from burstline_model.facts import KernelFacts, Loop
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.keep_in_variable import KeepInVariable
from burstline_server.rewrites.rewrite import Offer, TextEdit
from burstline_server.rewrites.spelled_out import again
from burstline_server.rewrites.syntax import SourceNode, loop_around
from burstline_server.source.edit import difference

MAX_ROUNDS = 4
"""Most elements kept one after the other."""


def kept_within(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop
) -> tuple[Assessment, KernelAssessment] | None:
    """The file and the kernel with every element in a variable that a loop within `loop` reads and writes again.

    None where there is none. No loop comes or goes, so that all keep their numbers.
    """
    now, one = assessment, kernel
    for _ in range(MAX_ROUNDS):
        offers = KeepInVariable().offers(now, one) if _reads_again(one.facts, one.facts.loops[loop.id]) else ()
        around = loop_around(now.source, one.facts.loops[loop.id].span)
        offer = next((o for o in offers if o.kind == "proved" and around is not None and _inside(o, around)), None)
        found = again(now, one, offer.applied(now.source.original)) if offer is not None else None
        if found is None or len(found[1].facts.loops) != len(kernel.facts.loops):
            break
        now, one = found
    return (now, one) if now is not assessment else None


def _reads_again(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a loop within one loads an element that it stores to."""
    inner = [a for a in facts.accesses_in(loop) if a.space == "global" and a.offset is not None]
    stores = {(a.pointer, a.offset, a.loops) for a in inner if a.op == "store" and a.loops[-1] != loop.id}
    return any(a.op == "load" and (a.pointer, a.offset, a.loops) in stores for a in inner)


def _inside(offer: Offer, loop: SourceNode) -> bool:
    # A loop without braces ends where the one in it does.
    return all(loop.start < edit.start and edit.end <= loop.end for edit in offer.edits)


def lines_changed(before: bytes, after: bytes) -> TextEdit:
    """One text as an edit of another one: from the first line that differs to the last."""
    changed = difference(before, after)
    start, end = before.rfind(b"\n", 0, changed.start) + 1, before.find(b"\n", changed.old_end)
    kept = len(before) - end if end >= 0 else 0
    return TextEdit(start, len(before) - kept, after[start : len(after) - kept].decode("utf-8", "replace"))
