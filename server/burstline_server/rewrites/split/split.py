"""When a kernel is split, and into which kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice, product

from burstline_model.facts import Access, KernelFacts, Span
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import Between, HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.interpreter.verdicts import PromiseKind
from burstline_server.rewrites.index_bounds import places_chosen
from burstline_server.rewrites.legality.exact_places import inexact_of
from burstline_server.rewrites.legality.order import MAX_PAIRS, Meeting, meetings
from burstline_server.rewrites.reasons import Assertion, Title, TitleKind
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Refusal, Rewrite, TextEdit, line_end
from burstline_server.rewrites.split.halves import blocks_of, never_meet
from burstline_server.rewrites.split.host_code import host_text, sizes_text
from burstline_server.rewrites.split.joints import Channels, Joining, Pipes
from burstline_server.rewrites.split.kernel_pair import LateError, Part, Writer
from burstline_server.rewrites.split.kernel_statements import CannotSplitError, KernelText, moved_loads
from burstline_server.rewrites.split.prepared import Prepared, extent_before, is_irregular, launched_each, prepared
from burstline_server.rewrites.split.resolved import resolved

PAIRS: dict[int, TitleKind] = {1: "split_two", 2: "split_four", 4: "split_eight"}
"""How many pairs of a memory and a compute kernel are offered (FFD: M1C1, M2C2, M4C4), and what that is called."""
WITH_QUEUES: dict[int, TitleKind] = {1: "split_two_queues", 2: "split_four_queues", 4: "split_eight_queues"}
"""The same once it is known how they are launched."""

WORTH = 1.2
"""Least speed-up: the clocks of two builds differ by as much, and the host gets another kernel and a queue for it."""


class UnsafeError(CannotSplitError):
    """A load is proved to read what an earlier iteration stored."""


class Split(Rewrite):
    """A kernel whose loops wait for global memory becomes two: one loads and sends, one receives, computes and stores.

    Loads no longer wait for stores, so the loops start an iteration every cycle. Every loaded value that the
    computation needs goes through a channel of its type, or a pipe with the setting `pipes`; values that are loaded
    again share it; what only leads to other loads stays in the memory kernel; what a kernel does not need is left
    out of it. In an NDRange kernel whose loops or conditions wait for data (a work-item for each vertex of a
    graph), work-items become a loop first, and what one of them stored needs no order with what another one reads.
    Macros are replaced by their text. Further offers give each half, or quarter, of the outermost loop its own pair
    of kernels, in consecutive blocks; they are refused where an iteration of that loop takes something from the one
    before. The host must launch all of them, each on its own queue; the edit shows how. A value that is read again
    at a fixed distance of iterations is kept in a variable first. What is stored outside innermost loops and needs
    nothing loaded (``x[0] = 1;`` in front of a loop) is stored by the kernel that loads it. Where an iteration of the
    outermost loop loads what an earlier one stored (rows that wait for the row above, steps in time), the host launches
    both kernels for each of its iterations, one after the other: the counter becomes an argument, and the gain is that
    after as many launches, the host's time for them included. Any other load of what was stored before, by an earlier
    iteration, loop or statement, forbids the split; where that cannot be excluded, the user asserts that it does not
    happen, unless data choose among fewer places than iterations (a histogram). Where a kernel with ``restrict`` on
    its buffers is as fast, the title says so: then the gain is not owed to the split, and is none where the compiler
    sees by itself that buffers are apart. Atomics, and helper functions that store, stay with the computation, with
    what these load. Not offered where less than a fifth is gained.
    """

    name = "split"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for two kernels; one each for four and eight where a loop waits for memory."""
        yield from islice(self.all_candidates(assessment, kernel), None if _waits(kernel) else 1)

    @staticmethod
    def all_candidates(assessment: Assessment, kernel: KernelAssessment) -> Iterator[Candidate]:
        """One edit for each number of pairs in `PAIRS`, whether a loop waits or not."""
        spans, ready = _spans(kernel.facts), cache(partial(prepared, assessment, kernel))
        for pairs, kind in PAIRS.items():
            title = Title(kind, (_joints(assessment),))
            yield Candidate(title, spans, partial(_offer, assessment, kernel, pairs, ready))

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for two kernels, one for four, one for eight; none where there is none for fewer."""
        for candidate in self.candidates(assessment, kernel):
            try:
                yield self.made(candidate, kernel.facts, assessment)
            except NotOfferedError:
                return

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """Kernels that wait for memory and stay in one piece, or in two."""
        yield from islice(super().refusals(assessment, kernel) if _waits(kernel) else (), 1)


def _waits(kernel: KernelAssessment) -> bool:
    """Whether a loop waits for a dependence through global memory, or work-items for what data decide."""
    facts = kernel.facts
    if facts.model == "ndrange":
        return is_irregular(facts)
    waits = (o for o in kernel.estimate.loops if o.store is not None and ((o.ii or 1) > 1 or o.serial))
    return facts.model == "single_work_item" and any(
        facts.accesses[o.store].space == "global" for o in waits if o.store is not None
    )


def _joints(assessment: Assessment) -> str:
    return "pipes" if assessment.settings.pipes else "channels"


def _offer(assessment: Assessment, kernel: KernelAssessment, pairs: int, ready: Callable[[], Prepared]) -> Offer:
    """The edit, after others that are in its way: macros replaced, work-items in a loop, values kept in variables.

    Raises `CannotSplitError` with the reason why not.
    """
    first = ready()
    try:
        offer, last = _after_variables(first, pairs)
    except UnsafeError as error:
        one = launched_each(first)
        if one is None:
            raise
        try:
            offer, last = _after_variables(one, pairs)
        except CannotSplitError as other:
            raise (other if pairs > 1 and not isinstance(other, UnsafeError) else error) from other
    if last.assessment is assessment:
        return offer
    (edit,) = offer.edits
    # What is asserted holds for the kernel after the first edits.
    side = offer.host_side
    if side is not None and side.promises:
        side = replace(side, between=Between(last.assessment.source, last.kernel.facts.name))
    if side is not None and last.single is not None and last.single.host_side is not None:
        side = replace(side, sizes=last.single.host_side.sizes)
        offer = replace(offer, host=sizes_text(side.sizes) + offer.host)
    start, end = extent_before(assessment, KernelText(last.assessment, last.kernel))
    return replace(
        offer,
        host_side=side,
        title=replace(
            offer.title,
            kept_first=last.kept,
            over_items=last.single is not None,
            each=last.each[0].name if last.each is not None else "",
        ),
        edits=(TextEdit(start, end, edit.text),),
        spans=_spans(kernel.facts),
        arguments=_given(last, kernel),
        launched_for=last.each[1] if last.each is not None else None,
    )


def _given(last: Prepared, kernel: KernelAssessment) -> dict[str, int]:
    """The values of new arguments, for pricing: of a counter, the one in the middle."""
    if last.single is not None:
        return dict(last.single.arguments)
    values = last.each[0].values(kernel.launch.arguments) if last.each is not None else range(0)
    return {last.each[0].name: values[len(values) // 2]} if last.each is not None and len(values) else {}


def _after_variables(ready: Prepared, pairs: int) -> tuple[Offer, Prepared]:
    """The edit, where need be after values that later iterations read are kept in variables."""
    try:
        return _as_it_is(ready, pairs), ready
    except UnsafeError:
        after = resolved(ready.assessment, ready.kernel)
        if after is None:
            raise
        last = replace(ready, assessment=after[0], kernel=after[1], kept=True)
        return _as_it_is(last, pairs), last


def _spans(facts: KernelFacts) -> tuple[Span, ...]:
    return facts.name_span, *(loop.span for loop in facts.loops)


def _as_it_is(ready: Prepared, pairs: int) -> Offer:
    assessment, kernel, items = ready.assessment, ready.kernel, ready.items
    each = ready.each[0] if ready.each is not None else None
    facts = kernel.facts
    if facts.model != "single_work_item":
        raise CannotSplitError("over_work_items")
    inexact = inexact_of(assessment.source, facts, (a for a in facts.accesses if a.space == "global"))
    if inexact is not None:
        raise CannotSplitError("index_comes_round", inexact.place)
    _refuse_unsplit(facts)
    pipes = assessment.settings.pipes
    joining = Pipes() if pipes else Channels()
    writer, text, early = _written(ready, joining, _early(facts, items))
    if pairs == 1:
        parts: tuple[Part, ...] = writer.pair()
    else:
        names = ("low", "high") if pairs == len(("low", "high")) else tuple(map(str, range(pairs)))
        named = zip(names, blocks_of(text, pairs, items), strict=True)
        parts = tuple(part for name, bounds in named for part in writer.pair(f"_{name}", bounds))
    end = line_end(text.text)
    joints = tuple(dict.fromkeys(joint for part in parts for joint in part.joints))
    written = joining.declared(joints, text.text, end) + f"{end}{end}".join(part.text for part in parts)
    asserted = list(_asserted(facts, items, early, writer.overtaken))
    if pairs > 1 and not (items or never_meet(facts)):
        asserted.append(Assertion("halves_apart"))
    promises = _promises(assessment, facts, items, asserted, pairs)
    return Offer(
        title=Title(WITH_QUEUES[pairs], (_joints(assessment),), tuple(asserted)),
        kind="assertion" if asserted else "host",
        kernel=facts.name,
        edits=(TextEdit(text.start, text.end, written),),
        spans=_spans(facts),
        codes=Split.codes,
        replaced_by=tuple(part.name for part in parts),
        host=host_text(facts.name, parts, facts.arguments, each, pipes=pipes),
        worth=WORTH,
        host_side=HostSide(
            apart=bool(asserted),
            by_data=promises is None and _by_data(facts, items, early, writer.overtaken, asserted),
            promises=promises or (),
            each=each,
        ),
    )


def _promises(
    assessment: Assessment, facts: KernelFacts, items: frozenset[int], asserted: Iterable[Assertion], pairs: int
) -> tuple[Promise, ...] | None:
    """What is asserted, as a run of the kernel is watched for it; None where a macro writes the outermost loop."""
    found = []
    stores = [a for a in facts.accesses if a.space == "global" and a.op != "load"]
    stored = frozenset(a.pointer for a in stores)
    over = frozenset(_loop_at(assessment, facts.loops[item].span) for item in items)
    if -1 in over:
        return None
    for one in asserted:
        if one.kind == "apart":
            continue  # of buffers, which no data change
        if one.kind in {"not_read_later", "not_stored_later"}:
            kind: PromiseKind = "not_read_later" if one.kind == "not_read_later" else "not_stored_later"
            buffers = frozenset(chain.from_iterable(n for n in one.names if isinstance(n, tuple)))
            # The loop that loads what was stored has to turn; where nothing certainly does, one that stores.
            again = (o for s, o, _ in read_later(facts, items) if s.pointer == o.pointer and s.pointer in buffers)
            places = chain(again, (a for a in stores if a.pointer in buffers))
            within = next((a.loops[-1] for a in places if a.loops), None)
            span = facts.loops[within].span if within is not None else None
        else:
            kind, buffers = "halves_apart", stored
            span = next(loop.span for loop in facts.loops if loop.parent is None)
        loop = _loop_at(assessment, span)
        if loop < 0:
            return None
        found.append(Promise(kind, buffers, loop, items=over, parts=pairs if kind == "halves_apart" else 2))
    return tuple(found)


def _loop_at(assessment: Assessment, span: Span | None) -> int:
    """Where a loop begins in the text that is parsed; -1 where nobody wrote it so."""
    place = assessment.source.offset_of(span.start) if span is not None and span.file is None else None
    return -1 if place is None else place


def _by_data(
    facts: KernelFacts, items: frozenset[int], early: frozenset[str], overtaken: set[str], asserted: Iterable[Assertion]
) -> bool:
    """Whether data decide that what is asserted holds, and not only whether buffers overlap."""
    halves = any(one.kind == "halves_apart" for one in asserted)
    later = (s.pointer == load.pointer for s, load, _ in read_later(facts, items) if s.pointer not in early)
    return halves or bool(overtaken) or any(later)


def _asserted(
    facts: KernelFacts, items: frozenset[int], early: frozenset[str], overtaken: set[str]
) -> Iterator[Assertion]:  # fmt: skip
    """What must not happen for the split to compute the same."""
    read = {store.pointer for store, _, _ in read_later(facts, items)} - early
    if read:
        yield Assertion("not_read_later", (tuple(sorted(read)),))
    if overtaken:
        yield Assertion("not_stored_later", (tuple(sorted(overtaken)),))
    stores = [a for a in facts.accesses if a.space == "global" and a.op != "load"]
    for one in sorted(early):
        mine = [a for a in stores if a.pointer == one]
        near = {o.pointer for o in stores if o.pointer not in early for a in mine if may_alias(facts, a, o)}
        if near:
            yield Assertion("apart", (one, tuple(sorted(near))))


def _refuse_unsplit(facts: KernelFacts) -> None:
    """Raises `CannotSplitError` for kernels that wait for others."""
    if facts.channels or facts.barriers:
        raise CannotSplitError("has_channels")


def _early(facts: KernelFacts, items: frozenset[int]) -> frozenset[str]:
    """The buffers that the memory kernel may store to itself, as it loads from them: ``x[0] = 1;`` before a loop.

    A loop that does nothing but wait for such stores would wait in the memory kernel.
    """
    around = {loop.parent for loop in facts.loops}
    read = {store.pointer for store, load, _ in read_later(facts, items) if store.pointer == load.pointer}
    inner = {a.pointer for a in facts.accesses if a.op != "load" and a.loops and a.loops[-1] not in around}
    if len(moved_loads(facts)) < sum(a.op == "load" and a.space == "global" for a in facts.accesses):
        return frozenset()  # the computation may load them as well
    return frozenset(read - inner - {a.pointer for a in facts.accesses if a.op == "atomic"})


def _refuse_dependences(facts: KernelFacts, items: frozenset[int], early: frozenset[str]) -> None:
    """Raises `CannotSplitError` where a load reads what was stored before it, in this loop or in another one.

    An `UnsafeError` where that may be kept in a variable. Stores to `early` buffers stay with the loads.
    """
    later = [one for one in read_later(facts, items) if one[0].pointer not in early]
    certain = [one for one in later if one[2].certain]
    for store, load, met in sorted(certain, key=lambda one: one[2].loop is None):
        places = f"{load.pointer}[{load.index}]", f"{store.pointer}[{store.index}]"
        if met.loop is not None:
            raise UnsafeError("unsafe_dependence", met.loop.variable or "a loop", places[0], places[1])
        if store.offset == load.offset:
            raise CannotSplitError("read_again", places[0])
        raise CannotSplitError("reads_stored", places[0], places[1])
    for store, load, met in later:
        few = places_chosen(facts, met.loop, store, load) if met.loop is not None else None
        if few is not None:
            raise CannotSplitError("few_bins", store.pointer, few)


def _written(
    ready: Prepared, joining: Joining, early: frozenset[str]
) -> tuple[Writer, KernelText, frozenset[str]]:  # fmt: skip
    """What writes the kernels, and the buffers that the memory kernel stores to."""
    facts = ready.kernel.facts
    _refuse_dependences(facts, ready.items, early)
    text = KernelText(ready.assessment, ready.kernel)
    try:
        return Writer(text, joining, early), text, early
    except LateError as error:
        return _written(ready, joining, early - {error.pointer})


def read_later(facts: KernelFacts, items: frozenset[int]) -> Iterator[tuple[Access, Access, Meeting]]:
    """The stores that a load may read later, with how they meet.

    What was stored by another work-item does not count: `items` are the loops over them, and none waits for another.
    """
    stores = [a for a in facts.accesses if a.space == "global" and a.op != "load"]
    loads = moved_loads(facts)
    if len(stores) * len(loads) > MAX_PAIRS:
        raise CannotSplitError("too_many_accesses")
    for store, load in product(stores, loads):
        found = [m for m in meetings(facts, store, load) if m.loop is None or m.loop.id not in items]
        met = next((m for m in found if m.certain), found[0] if found else None)
        if met is not None:
            yield store, load, met
