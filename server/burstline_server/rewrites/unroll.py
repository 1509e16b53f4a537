"""Unroll a loop as far as that fills requests or shortens the kernel's slowest loop."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from burstline_model.estimate.after_change import MOST_COPIES
from burstline_model.estimate.changes import MoreCopies, Widen
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.observations import NARROW
from burstline_model.facts import Access, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.loop_copies import constant_trips, effective_unroll, fully_unrolled, has_barrier
from burstline_model.parallelism.triangles import triangles_of
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.pragma_line import asks_otherwise, pragma_before, pragma_line
from burstline_server.rewrites.reasons import Obstacle, Title, TitleKind
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import head_at

MAX_FACTOR = 64
MIN_FACTOR = 2
_ASKED = ("unroll", "nounroll")
"""Pragmas that say how many copies; a macro there is for builds to choose."""


class Unroll(Rewrite):
    """``#pragma unroll N`` with the smallest N whose request is a whole memory word, or with the N of the advice.

    Offered for two loops. The first is the innermost loop of a single work-item kernel around a unit that asks for
    too few bytes a cycle. The second is the loop that holds up a kernel of either kind, by as many copies as the
    advice names; all its iterations where these are a constant no larger than that. In an NDRange kernel work-items
    take turns in a loop, so a sum in it only becomes a longer pipeline. Where iterations of a single work-item hand a
    value on, it is offered only where the estimate, with the longer chain in it, still advises the copies. Loops that
    take as long at the same time get their pragmas in one edit, and so do loops of few iterations in each other, even
    where the counter of one gives the length of the next (a triangle); that of a helper function counts for all its
    calls. A pragma that asks for fewer copies than are advised, for none (``#pragma unroll 1``), or for all where no
    constant bounds the loop, is written anew.

    Refused for a loop that an attribute or a macro says to unroll, with a channel or a barrier, with an inner loop that
    stays a loop, in a helper function that other kernels call, and in a single work-item kernel for one that may end
    early. No result changes.
    """

    name = "unroll"
    codes = ("BL106", "BL402")
    moves_nothing = True

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop around a narrow unit, and for each that copies are advised of."""
        facts, advised = kernel.facts, _advised(kernel)
        advised_together = _advised_together(kernel)
        for together in advised_together:
            yield Candidate(
                _title_together(kernel, together),
                tuple(dict.fromkeys(facts.loops[i].span for i in together)),
                partial(_offer_together, assessment, kernel, together),
            )
        for nest in (one for one in triangles_of(facts) if one not in advised_together):
            yield Candidate(
                Title("unroll_nest", (len(nest),)),
                tuple(dict.fromkeys(facts.loops[i].span for i in nest)),
                partial(_offer_together, assessment, kernel, nest),
            )
        narrow = narrow_accesses(assessment, kernel) if facts.model == "single_work_item" else {}
        for number in dict.fromkeys((*narrow, *advised)):
            loop, accesses = facts.loops[number], narrow.get(number, [])
            if loop.unroll is None or number in advised:
                yield Candidate(
                    Title("unroll", (loop.variable,)),
                    (loop.span, *(a.span for a, _ in accesses)),
                    partial(_offer, assessment, kernel, loop, accesses, advised.get(number, 1)),
                )


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, accesses: list[tuple[Access, int]], advised: int
) -> Offer:
    copied = advised >= MIN_FACTOR
    why = _why_no_pragma(assessment, kernel, loop) if copied else why_not_widened(kernel, loop)
    if why:
        raise NotOfferedError(why)
    trips = constant_trips(loop)
    factor = advised if copied else max((_dividing(loop, min(f, MAX_FACTOR)) for _, f in accesses), default=1)
    if factor < MIN_FACTOR:
        raise NotOfferedError("no_divisor", trips or 0)
    whole, edit = _is_whole(kernel, loop, factor), _pragma(assessment, kernel, loop, factor)
    kind: TitleKind = "unroll_whole" if whole else "unroll_by"
    asked = " ".join(assessment.source.original[edit.start : edit.end].decode("utf-8", "replace").split())
    if asked:
        kind = "unroll_whole_instead" if whole else "unroll_by_instead"
    return Offer(
        title=Title(kind, (loop.variable, min(factor, trips or factor), *([asked] if asked else []))),
        kind="proved",
        kernel=kernel.facts.name,
        edits=(edit,),
        spans=(loop.span, *(a.span for a, _ in accesses)),
        codes=Unroll.codes,
    )


def _offer_together(assessment: Assessment, kernel: KernelAssessment, copies: Mapping[int, int]) -> Offer:
    """One edit for several loops; those of one text have one number of copies."""
    loops = {kernel.facts.loops[i].span: kernel.facts.loops[i] for i in copies}
    for i in copies:
        if why := _why_no_pragma(assessment, kernel, kernel.facts.loops[i], whole=copies):
            raise NotOfferedError(why)
    nest = _is_nest(kernel, copies)

    asked = [loop for loop in loops.values() if not (nest and loop.unroll == 0)]  # whole already

    return Offer(
        title=_title_together(kernel, copies),
        kind="proved",
        kernel=kernel.facts.name,
        edits=tuple(_pragma(assessment, kernel, loop, copies[loop.id], nest=nest) for loop in asked),
        spans=tuple(loops),
        codes=Unroll.codes,
    )


def _title_together(kernel: KernelAssessment, copies: Mapping[int, int]) -> Title:
    number = len({kernel.facts.loops[i].span for i in copies})
    if _is_nest(kernel, copies):
        return Title("unroll_nest", (number,))
    return Title("unroll_together", (number, _range(copies.values())))


def _is_nest(kernel: KernelAssessment, copies: Mapping[int, int]) -> bool:
    """Whether loops are in each other; then each is unrolled whole."""
    return any(around in copies for i in copies for around in kernel.facts.loops_around(i))


def _range(numbers: Iterable[int]) -> str:
    """Numbers from the least to the most."""
    least, *_, most = (*sorted(numbers),) * 2
    return f"{most}" if least == most else f"{least} to {most}"


def _is_whole(kernel: KernelAssessment, loop: Loop, factor: int) -> bool:
    """Whether so many copies leave no iterations over, in any call of the function that a loop is in."""
    trips = [constant_trips(one) for one in kernel.facts.loops if one.span == loop.span]
    return all(one is not None and factor >= one for one in trips)


def _pragma(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, factor: int, *, nest: bool = False
) -> TextEdit:
    """The pragma in front of a loop, in place of what it has already; in a `nest` all copies of it."""
    head = head_at(assessment.source, loop.span)
    if head is None:
        raise NotOfferedError("macro_in_head")
    if asks_otherwise(assessment.source, head):
        raise NotOfferedError("pragma_says")
    by = "" if nest or _is_whole(kernel, loop, factor) else f" {factor}"
    if loop.unroll is None:
        return pragma_line(assessment.source, loop.span, f"#pragma unroll{by}")
    asked = pragma_before(assessment.source, head, _ASKED)
    if asked is None:
        raise NotOfferedError("pragma_says")
    return TextEdit(*asked, f"#pragma unroll{by}")


def _why_no_pragma(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, whole: Collection[int] = ()
) -> Obstacle | None:
    """Why a pragma at a loop makes no copies, or makes those of another kernel as well; None where it is this one's.

    The loops `whole` get one as well, with all their iterations if they are in it.
    """
    facts = kernel.facts
    why = why_not_copied(kernel, loop, whole, again=True)
    if why is None or why.kind != "in_helper":
        return why
    effects = Effects(assessment.source)
    at = assessment.source.offset_of(loop.span.start)
    around = {n for n, node in effects.defined.items() if at is not None and node.start_byte <= at < node.end_byte}
    # Whatever else reaches the function, a kernel that is not understood among them, may be another kernel's.
    others = {*effects.defined, *(k.facts.name for k in assessment.kernels)} - {*effects.reached(facts.name)}
    if not around or any(around & {*effects.reached(name)} for name in others):
        return why
    return why_not_copied(kernel, loop, whole, helper=True, again=True)


def _advised(kernel: KernelAssessment) -> dict[int, int]:
    """How many copies the estimate advises of loops, with the time that is left; none that need partial results."""
    found: dict[int, int] = {}
    now = effective_unroll(kernel.facts)
    for lever in _costed(kernel).levers:
        several = isinstance(lever.change, MoreCopies) and lever.change.loops > 1
        if (
            isinstance(lever.change, MoreCopies)
            and not several
            and lever.loop is not None
            and lever.after_s is not None
        ):
            found[lever.loop] = max(found.get(lever.loop, 1), lever.copies * now[lever.loop])
    for unit in kernel.estimate.units:
        loops = kernel.facts.accesses[unit.lsu.members[0]].loops
        for one in unit.observations:
            by = one.change.by if one.number == NARROW and isinstance(one.change, Widen) else None
            if isinstance(by, MoreCopies) and not by.partial and loops:
                found[loops[-1]] = max(found.get(loops[-1], 1), by.copies * now[loops[-1]])
    return found


def _advised_together(kernel: KernelAssessment) -> list[dict[int, int]]:
    """Loops that pay together alone, with the copies that the estimate advises of each."""
    now = effective_unroll(kernel.facts)
    return [
        {i: n * now[i] for i, n in ((lever.loop, lever.copies), *lever.others)}
        for lever in _costed(kernel).levers
        if isinstance(lever.change, MoreCopies) and lever.change.loops > 1 and lever.loop is not None
    ]


def _costed(kernel: KernelAssessment) -> KernelEstimate:
    """The estimate that has figures: at likely sizes where nobody gives them, or of one iteration."""
    return kernel.with_figures.estimate


def narrow_accesses(assessment: Assessment, kernel: KernelAssessment) -> dict[int, list[tuple[Access, int]]]:
    """Accesses whose units ask for too few bytes a cycle, by innermost loop, with the factor to a whole word."""
    found: dict[int, list[tuple[Access, int]]] = {}
    for unit in kernel.estimate.units:
        if any(o.number == NARROW for o in unit.observations):
            access = kernel.facts.accesses[unit.lsu.members[0]]
            factor = assessment.board.memory.word_bytes * 8 // max(unit.lsu.width_bits, 8)
            if access.loops:
                found.setdefault(access.loops[-1], []).append((access, factor))
    return found


def why_not_copied(
    kernel: KernelAssessment, loop: Loop, whole: Collection[int] = (), *, helper: bool = False, again: bool = False
) -> Obstacle | None:
    """Why the compiler would not take, or not follow, a pragma that asks for copies of a loop; None: it does.

    The loops `whole` will be unrolled whole; with `helper` the loop may be in a function that the kernel calls; with
    `again` the pragma takes the place of one that asks for copies already.
    """
    facts = kernel.facts
    if (loop.unroll is not None and not again) or loop.coalesce is not None:
        return Obstacle("pragma_says")
    if any(0 < apart < MOST_COPIES for _, apart in loop.safelen):
        return Obstacle("pragma_says")
    if loop.kind == "copy" or loop.span.file is not None:
        return Obstacle("not_a_for_loop")
    if not helper and not facts.span.start <= loop.span.start < facts.span.end:
        return Obstacle("in_helper")
    copies = effective_unroll(facts)
    if any(o.parent == loop.id and not (o.id in whole or fully_unrolled(o, copies)) for o in facts.loops):
        return Obstacle("holds_loop")
    if any(loop.id in c.loops for c in facts.channels):
        return Obstacle("has_channel")
    if has_barrier(facts, loop.id):
        return Obstacle("has_barrier")
    if loop.early_exit and facts.model != "ndrange":
        return Obstacle("early_exit")
    return None


def why_not_widened(
    kernel: KernelAssessment, loop: Loop, *, items: bool = False, shared: bool = False
) -> Obstacle | None:
    """Why copies of a loop's body cannot run side by side as they are; None when they can.

    `items`: what goes through its channels becomes wider with it. `shared`: so may variables, but no arrays,
    that no iteration takes from another one.
    """
    facts = kernel.facts
    if loop.unroll is not None or loop.coalesce is not None:
        return Obstacle("pragma_says")
    if loop.kind != "for" or loop.span.file is not None:
        return Obstacle("not_a_for_loop")
    if any(o.parent == loop.id for o in facts.loops):
        return Obstacle("holds_loop")
    if not items and any(loop.id in c.loops for c in facts.channels):
        return Obstacle("has_channel")
    if loop.early_exit:
        return Obstacle("early_exit")
    if any(loop.id in a.loops and a.call_chain for a in facts.accesses):
        return Obstacle("in_helper")
    if loop.carries:
        chained = {name for one in loop.recurrences for name in one.names}
        arrays = {one.name for one in facts.arrays}.intersection(loop.carries)
        if chained & {*loop.carries} or arrays or not shared:
            return Obstacle("carries" if chained & {*loop.carries} else "iterations_share", (loop.carries,))
    if _depends(kernel, loop):
        return Obstacle("iterations_meet")
    return None


def _depends(kernel: KernelAssessment, loop: Loop) -> bool:
    """Whether a load of the loop may read what another iteration stores."""
    facts = kernel.facts
    inside = [a for a in facts.accesses_in(loop) if a.space != "constant"]
    return any(
        may_alias(facts, store, other) and not _same_place(store, other, loop)
        for store in inside
        if store.op != "load"
        for other in inside
        if other.id != store.id
    )


def _same_place(a: Access, b: Access, loop: Loop) -> bool:
    """Whether two accesses meet in each iteration, and in no other."""
    known = a.offset is not None and loop.counter in a.offset.symbols
    return known and (a.pointer, a.offset) == (b.pointer, b.offset)


def _dividing(loop: Loop, most: int) -> int:
    """The largest power of two up to `most` that divides the trip count, as far as that is a number."""
    trip = loop.trip.constant if loop.trip is not None else None
    factor = 1
    while factor * 2 <= most and (trip is None or trip % (factor * 2) == 0):
        factor *= 2
    return factor
