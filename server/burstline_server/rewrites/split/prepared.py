"""A kernel as it can be split: its macros replaced, and its work-items in a loop of one."""

from __future__ import annotations

from burstline_model.facts import KernelFacts
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import Each
from burstline_server.rewrites.rewrite import NotOfferedError, Offer
from burstline_server.rewrites.single_work_item import SingleWorkItem
from burstline_server.rewrites.spelled_out import again, spelled_out
from burstline_server.rewrites.split.kernel_statements import CannotSplitError, KernelText
from burstline_server.rewrites.split.launched_each import without_loop
from burstline_server.rewrites.syntax import function_at


@fixed
class Prepared:
    """A file and a kernel of it; `items` are the loops over what were work-items, `single` the edit that made them.

    `each` is the argument that takes the place of the counter of the outermost loop, which was that number.
    `kept`: values that later iterations read are in variables.
    """

    assessment: Assessment
    kernel: KernelAssessment
    items: frozenset[int] = frozenset()
    single: Offer | None = None
    each: tuple[Each, int] | None = None
    kept: bool = False


def is_irregular(facts: KernelFacts) -> bool:
    """Whether data decide how often loops run, or what work-items do: they wait for memory one after the other."""
    loaded = {name for name, symbol in facts.symbols.items() if symbol.kind in {"loaded", "opaque", "carried"}}
    loops = any(loop.trip is None or not loaded.isdisjoint(loop.trip.symbols) for loop in facts.loops)
    return loops or any(guard.loaded for access in facts.accesses for guard in access.guards)


def prepared(assessment: Assessment, kernel: KernelAssessment) -> Prepared:
    """The kernel as it is split; raises `CannotSplitError` where it cannot be."""
    if kernel.facts.model == "ndrange" and not is_irregular(kernel.facts):
        raise CannotSplitError("over_work_items")
    now = assessment, kernel
    if function_at(assessment.source, kernel.facts.name_span) is None:
        found = spelled_out(assessment, kernel)
        if found is None:
            raise CannotSplitError("macro_in_text")
        now = found
    if kernel.facts.model != "ndrange":
        return Prepared(*now)
    try:
        single = next(iter(SingleWorkItem().candidates(*now))).make()
    except NotOfferedError as error:
        raise CannotSplitError(error.reason) from error
    found = again(*now, single.applied(now[0].source.original))
    sizes = single.host_side.sizes if single.host_side is not None else ()
    if found is None or len(found[1].facts.loops) < len(sizes) or found[1].facts.model != "single_work_item":
        raise CannotSplitError("over_work_items")
    loops = found[1].facts.loops[: len(sizes)]
    if any(loop.parent != (at - 1 if at else None) for at, loop in enumerate(loops)):
        raise CannotSplitError("over_work_items")
    return Prepared(*found, frozenset(loop.id for loop in loops), single)


def launched_each(ready: Prepared) -> Prepared | None:
    """The kernel for one iteration of its outermost loop; None where the host cannot launch it so."""
    if ready.items:
        return None
    try:
        one = without_loop(KernelText(ready.assessment, ready.kernel))
    except CannotSplitError:
        return None
    found = again(ready.assessment, ready.kernel, one.text)
    if found is None or found[1].facts.model != "single_work_item":
        return None
    return Prepared(*found, each=(one.each, one.loop))


def extent_before(assessment: Assessment, text: KernelText) -> tuple[int, int]:
    """Where the file has what became a kernel's text."""
    before, after = assessment.source.original, text.text
    start, end = text.start, len(before) - (len(after) - text.end)
    if before[:start] != after[:start] or before[end:] != after[text.end :] or start > end:
        raise CannotSplitError("macro_in_text")
    return start, end
