"""All rewrites, and the fixes that they lead to: an offer with what it gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from burstline_model.boards.board import Board
from burstline_model.devices.resource_use import Resource
from burstline_model.estimate.levers import UNITS_COST
from burstline_model.estimate.remarks import launch_s
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Different, Equal, Verdict
from burstline_server.rewrites.aos_to_soa import AosToSoa
from burstline_server.rewrites.assumed_launch import as_given, assumed_again, is_same, loops_over
from burstline_server.rewrites.banks import Banks
from burstline_server.rewrites.bins_in_turn import BinsInTurn
from burstline_server.rewrites.cache_in_local_memory import CacheInLocalMemory
from burstline_server.rewrites.channels import Channels
from burstline_server.rewrites.compute_units import ComputeUnits
from burstline_server.rewrites.constant import Constant
from burstline_server.rewrites.exchange_ids import ExchangeIds
from burstline_server.rewrites.executed import execution
from burstline_server.rewrites.fixed_arguments import FixedArguments
from burstline_server.rewrites.forward_through_register import ForwardThroughRegister
from burstline_server.rewrites.fuse_loops import FuseLoops
from burstline_server.rewrites.gains import extra_use, gain_in_an_iteration, gain_of, shares_of
from burstline_server.rewrites.group_size import GroupSize
from burstline_server.rewrites.interchange import Interchange
from burstline_server.rewrites.ivdep import Ivdep
from burstline_server.rewrites.keep_in_variable import KeepInVariable
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.line_settings import following
from burstline_server.rewrites.load_before import LoadBefore
from burstline_server.rewrites.local_histogram import LocalHistogram
from burstline_server.rewrites.no_dispatch import NoDispatch
from burstline_server.rewrites.pad import Pad
from burstline_server.rewrites.partial_sums import PartialSums
from burstline_server.rewrites.pragma_ii import PragmaIi
from burstline_server.rewrites.pricing_budget import Budget
from burstline_server.rewrites.private_atomic import PrivateAtomic
from burstline_server.rewrites.private_block import PrivateBlock
from burstline_server.rewrites.private_histogram import PrivateHistogram
from burstline_server.rewrites.reasons import Gain
from burstline_server.rewrites.restrict import Restrict
from burstline_server.rewrites.rewrite import WORTH_OFFERING, Kind, Offer, Refusal, Rewrite, TextEdit
from burstline_server.rewrites.rows.register_window import RegisterWindow
from burstline_server.rewrites.rows.row_buffers import RowBuffers
from burstline_server.rewrites.shift_register import ShiftRegister
from burstline_server.rewrites.shorter_loops import is_same_edit, is_too_long, with_shorter_loops
from burstline_server.rewrites.simd import Simd
from burstline_server.rewrites.single_store import SingleStore
from burstline_server.rewrites.single_work_item import SingleWorkItem
from burstline_server.rewrites.sliding_window import SlidingWindow
from burstline_server.rewrites.soa_to_aos import SoaToAos
from burstline_server.rewrites.split.split import Split
from burstline_server.rewrites.sum_strips import SumStrips
from burstline_server.rewrites.terms_first import TermsFirst
from burstline_server.rewrites.through_pointers import offers_through, refusals_through
from burstline_server.rewrites.tiles.halo_tiles import HaloTiles
from burstline_server.rewrites.tiles.row_tiles import RowTiles
from burstline_server.rewrites.tiles.transpose_tile import TransposeTile
from burstline_server.rewrites.uncached import Uncached
from burstline_server.rewrites.unconditional import Unconditional
from burstline_server.rewrites.unroll import Unroll
from burstline_server.rewrites.unroll_and_jam import UnrollAndJam
from burstline_server.rewrites.vector_items import VectorItems
from burstline_server.rewrites.vectorise import Vectorise
from burstline_server.rewrites.vendor_names import VendorNames
from burstline_server.source.source import Source

REWRITES: tuple[Rewrite, ...] = (
    Unroll(), Vectorise(), VectorItems(), Simd(), ComputeUnits(), Channels(), Banks(), KeepInVariable(), LoadBefore(),
    PrivateHistogram(), BinsInTurn(),
    LocalHistogram(), ForwardThroughRegister(), ShiftRegister(), TermsFirst(), PartialSums(),
    SumStrips(), PragmaIi(),
    SlidingWindow(), RegisterWindow(), RowBuffers(), Pad(), AosToSoa(), SoaToAos(), PrivateAtomic(), SingleStore(),
    Unconditional(),
    CacheInLocalMemory(), PrivateBlock(), RowTiles(), TransposeTile(), HaloTiles(),
    Constant(), Uncached(), Restrict(), Ivdep(), Split(),
    SingleWorkItem(), UnrollAndJam(), Interchange(), FuseLoops(), ExchangeIds(), GroupSize(), NoDispatch(),
    VendorNames(), FixedArguments(),
)  # fmt: skip


@fixed
class Fix:
    """An edit with its gain: None where that is not known, or the edit is not made for time's sake.

    `shares` is what the kernels take together after it of what the board leaves free, where that is known.
    `execution` is what comes of executing it; None where it changes attributes or qualifiers alone.
    """

    offer: Offer
    gain: Gain | None
    shares: Mapping[Resource, float] = field(default_factory=dict)
    execution: Verdict | None = None

    @property
    def speedup(self) -> float | None:
        """How many times faster the kernel is after it."""
        return self.gain.speedup if self.gain is not None else None


def offers_of(assessment: Assessment, name: str | None = None) -> list[Offer]:
    """Every edit that is possible in a file, or for one kernel of it.

    Where several have one title, their lines distinguish them.
    """
    assessment = assessment.alone
    kernels = () if assessment.source.template else _by_itself(assessment)
    asked = (kernel for kernel in kernels if name in {None, kernel.facts.name})
    offers = [offer for kernel in asked for offer in offers_through(REWRITES, assessment, kernel)]
    often = Counter(offer.title for offer in offers)
    return [_with_line(assessment, offer) if often[offer.title] > 1 else offer for offer in offers]


def _by_itself(assessment: Assessment) -> list[KernelAssessment]:
    """The kernels that no other one calls: an edit, and what it asks of the launch, would hold for the caller too."""
    text, kernels = assessment.source.text, assessment.kernels
    named = [k for k in kernels if text.count(k.facts.name.encode()) > 1]
    if not named or len(kernels) < 2:
        return list(kernels)
    effects = Effects(assessment.source)
    bodies = {k.facts.name: [effects.defined.get(one) for one in effects.reached(k.facts.name)] for k in kernels}
    called = {
        name
        for kernel, reached in bodies.items()
        for body in reached
        if body is not None
        for _, name in effects.calls(body)
        if name != kernel  # a variable may have a kernel's name
    }
    return [k for k in kernels if k.facts.name not in called]


def _with_line(assessment: Assessment, offer: Offer) -> Offer:
    line = assessment.source.lines.line_of(min(edit.start for edit in offer.edits)) + 1
    return replace(offer, title=replace(offer.title, line=line))


def refusals_of(assessment: Assessment) -> Iterator[Refusal]:
    """Every edit that suggests itself and cannot be made."""
    for kernel in assessment.kernels:
        yield from refusals_through(REWRITES, assessment, kernel)


def tried_of(assessment: Assessment) -> Iterator[Offer]:
    """Every edit that is possible, vectors of every width among them, each once."""
    kernels = () if assessment.source.template else _by_itself(assessment)
    narrower = (
        one for kernel in kernels for most in (8, 4, 2) for one in Vectorise().of_width(assessment, kernel, most)
    )
    seen = set[str]()
    for offer in (*offers_of(assessment), *narrower):
        if offer.id not in seen:
            seen.add(offer.id)
            yield offer


def priced(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer, *, every: bool = False
) -> Fix | None:
    """The offer with its gain, by assessing the edited text; None when it does not read clean, or (not `every`) pay.

    None as well for an edit that changes what the kernel computes when it is executed.
    """
    fix = tried(assessor, assessment, layers, offer, every=every)
    return None if fix is None or isinstance(fix.execution, Different) else fix


def tried(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer, *, every: bool = False
) -> Fix | None:
    """The same, with what comes of executing it, whatever that is."""
    assessment = assessment.alone
    after = _edited(assessor, assessment, layers, offer)
    before = _at_fixed(assessor, assessment, layers, offer)

    def assumed(kernel: KernelAssessment, guess: KernelAssessment) -> Iterator[_Sized]:
        again = assumed_again(assessment, guess, offer)
        own = [one.at_assumed or one for one in _kernels(assessment, offer.joined)]
        yield guess, own, _edited(assessor, assessment, [*layers, again], offer)
        given = as_given(kernel, guess, offer) if before is assessment else None
        if given is not None:
            known = [*layers, given]
            sized = assessor.tried(before.source.original, before, known, _own_names(offer))
            same = _kernel(sized, offer.kernel)
            if same is not None and is_same(same, guess):
                yield same, _kernels(sized, offer.joined), _edited(assessor, assessment, known, offer)

    fix = _gained(before, after, offer, assumed, every=every)
    if fix is not None and not every and _owes_to_clock(before, after, fix):
        # Two builds differ in their clocks by chance, too.
        same = Layer("option", {"f_max_mhz": _clock_hz(before, (offer.kernel,)) / 1e6})
        layers = [*layers, same]
        fix = (
            fix if _gained(before, _edited(assessor, assessment, layers, offer), offer, assumed, every=False) else None
        )
    if fix is not None and offer.kind == "assertion" and len(offer.replaced_by) > 1 and not offer.joined:
        fix = _next_to_restrict(assessor, before, after, layers, fix, assumed)
    if fix is None:
        return None
    found = execution(assessment.source, after.source, offer)
    return replace(fix, execution=_at_any_length(assessor, assessment, layers, offer, found))


def _at_any_length(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer, found: Verdict | None
) -> Verdict | None:
    """What is `found` of an edit; where the kernel takes too long as it is, with shorter loops."""
    kernel = _kernel(assessment, offer.kernel) if is_too_long(found) else None
    every = [one.facts for one in _kernels(assessment, _own_names(offer))]
    text = with_shorter_loops(assessment.source, *every) if kernel is not None else None
    if kernel is None or text is None:
        return found
    before = assessor.tried(text, assessment, layers, _own_names(offer))
    shortened = _kernel(before, offer.kernel)
    if shortened is None:
        return found
    # What pays is asked of the loops as they are, what is legal of the shorter ones.
    advised = replace(shortened, cost=replace(shortened.cost, made=kernel.estimate))
    of_it, original = before.with_kernels((advised,)), assessment.source.original
    others = offers_through(REWRITES, of_it, advised)
    same = next((other for other in others if is_same_edit(offer, original, other, text)), None)
    if same is None:
        return found
    after = assessor.tried(same.applied(text), assessment, layers, same.replaced_by or (offer.kernel,))
    shown = execution(before.source, after.source, same)
    if isinstance(shown, Equal):
        return replace(shown, shorter=True)
    return shown if isinstance(shown, Different) else found


def _next_to_restrict(
    assessor: Assessor,
    before: Assessment,
    after: Assessment,
    layers: Sequence[Layer],
    fix: Fix,
    assumed: _AtAssumed,
) -> Fix:
    """A split that rests on an assertion, with what the kernel gains that says by `restrict` what is apart.

    The kernel as it is may take as little as that one: a compiler that finds buffers apart by itself builds the same.
    """
    kernel = _kernel(before, fix.offer.kernel)
    bare = next(iter(Restrict().offers(before, kernel)), None) if kernel is not None else None
    if bare is None or fix.gain is None or fix.gain.before_range_s is None:
        return fix
    said = _gained(_edited(assessor, before, layers, bare), after, fix.offer, assumed, every=True)
    own = fix.gain.before_range_s
    if said is None or said.gain is None or (other := said.gain.before_range_s) is None:
        return fix
    alone = said.gain.speedup < WORTH_OFFERING
    return replace(fix, gain=replace(fix.gain, before_range_s=(min(own[0], other[0]), own[1]), restrict_as_much=alone))


def _owes_to_clock(before: Assessment, after: Assessment, fix: Fix) -> bool:
    """Whether a gain may come of the clock alone that is estimated for the edited text."""
    names = fix.offer.replaced_by or (fix.offer.kernel,)
    faster = _clock_hz(after, names) / _clock_hz(before, (fix.offer.kernel,))
    return fix.speedup is not None and faster > 1 and fix.speedup < fix.offer.worth * faster


def _clock_hz(assessment: Assessment, names: Sequence[str]) -> float:
    return max(kernel.estimate.f_max_hz for kernel in _kernels(assessment, names))


def _at_fixed(assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer) -> Assessment:
    """The file as it is, at the values of arguments that an edit fixes."""
    given = dict(offer.host_side.given) if offer.host_side is not None else {}
    kernel = _kernel(assessment, offer.kernel)
    if kernel is None or all(kernel.launch.arguments.get(name) == value for name, value in given.items()):
        return assessment
    known = [*layers, Layer("option", {"arguments": given})]
    return assessor.tried(assessment.source.original, assessment, known, (offer.kernel,))


def executed(assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer) -> Verdict | None:
    """What comes of executing an edit; None for one that changes attributes or qualifiers alone."""
    if not offer.is_executed:
        return None
    found = execution(assessment.source, _edited(assessor, assessment, layers, offer).source, offer)
    return _at_any_length(assessor, assessment, layers, offer, found)


def _edited(assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], offer: Offer) -> Assessment:
    """The file with an edit made."""
    edited = offer.applied(assessment.source.original)
    keys = {"arguments": dict(offer.arguments), "kernels": {offer.kernel: dict(offer.launch)} if offer.launch else {}}
    given = {key: value for key, value in keys.items() if value}
    moved = following(layers, assessment.source.original, offer.edits)
    known = [*moved, Layer("option", given)] if given else moved
    names = offer.replaced_by or (offer.kernel,)
    return assessor.tried(edited, assessment, known, names)


def _gained(
    assessment: Assessment,
    after: Assessment,
    offer: Offer,
    assumed: _AtAssumed,
    *,
    every: bool,
) -> Fix | None:
    """The edit with its gain; `assumed` assesses it with the sizes that are assumed of the kernel as it is."""
    names = offer.replaced_by or (offer.kernel,)
    clean = _has_error(assessment.source, offer.edits, made=False) or not _has_error(
        after.source, offer.edits, made=True
    )
    before_kernel = _kernel(assessment, offer.kernel)
    after_kernels = _kernels(after, names)
    if not clean or before_kernel is None or len(after_kernels) < len(names):
        return None
    if not offer.codes:
        return Fix(offer, None)
    board, own = assessment.board, _kernels(assessment, offer.joined)
    gain = _in_launches(gain_of(before_kernel, after_kernels, board, own), before_kernel, board, offer)
    guess = before_kernel.at_assumed
    for then, joined, sized in assumed(before_kernel, guess) if gain is None and guess is not None else ():
        if gain is None and (then is not guess or _has_same_loops(before_kernel, _kernels(sized, names), offer)):
            gain = _in_launches(gain_of(then, _kernels(sized, names), board, joined), then, board, offer)
            gain = replace(gain, assumed=True) if gain is not None else None
    gain = gain if gain is not None else gain_in_an_iteration(before_kernel, after_kernels)
    if gain is None:
        return Fix(offer, None) if every else None
    shares = shares_of(after_kernels)
    more, fits = extra_use(shares_of(_kernels(assessment, _own_names(offer))), shares)
    pays = gain.speedup >= offer.worth and fits and not before_kernel.estimate.hidden
    return Fix(offer, replace(gain, more=more), shares) if every or pays else None


_Sized: TypeAlias = tuple[KernelAssessment, Sequence[KernelAssessment], Assessment]
_AtAssumed: TypeAlias = Callable[[KernelAssessment, KernelAssessment], Iterator[_Sized]]
"""A kernel as it is, and at assumed sizes → both texts at these: assumed again, then as if they were given.

Of the text before, the kernel, and those that are joined to it.
"""


def _own_names(offer: Offer) -> tuple[str, ...]:
    """The kernels before an edit."""
    return offer.joined or (offer.kernel,)


def _has_same_loops(before: KernelAssessment, after: Sequence[KernelAssessment], offer: Offer) -> bool:
    """Whether each loop is still there: where there are other loops than before, the same counts are other work."""
    loops = len(before.facts.loops) + len(loops_over(offer)) - (offer.launched_for is not None)
    made = [len(kernel.facts.loops) for kernel in after]
    # Each of several kernels may do without some of the loops.
    return max(made, default=0) == loops and (len(made) > 1 or made == [loops])


def _in_launches(gain: Gain | None, before: KernelAssessment, board: Board, offer: Offer) -> Gain | None:
    """A gain where the host launches for each iteration of a loop, with what launches take; None where not known."""
    if gain is None or gain.per != "launch" or offer.launched_for is None:
        return gain
    trip = next((one.trip for one in before.estimate.loops if one.loop == offer.launched_for), None)
    if trip is None:
        return None
    more = launch_s(before.facts, board, before.launch)
    times = gain.after_range_s
    return replace(
        gain,
        after_s=trip * (gain.after_s + more),
        same_data=None,
        after_range_s=(trip * times[0], trip * (times[1] + more)) if times is not None else None,
    )


def _kernels(assessment: Assessment, names: Sequence[str]) -> list[KernelAssessment]:
    return [kernel for name in names if (kernel := _kernel(assessment, name)) is not None]


def _has_error(source: Source, edits: Sequence[TextEdit], *, made: bool) -> bool:
    """Whether the sections that edits touch, before or after they are `made`, do not read clean."""
    by = 0
    sections: set[tuple[int, int]] = set()
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        length = len(edit.text.encode()) if made else edit.end - edit.start
        first, last = (source.offset_of(edit.start + by + at) for at in (0, max(0, length - 1)))
        if first is None or last is None:
            return source.tree.root_node.has_error  # in a directive, a macro's use, or at the end
        while first <= last:
            section = source.section_at(first)
            sections.add(section)
            first = max(section[1], first + 1)
        by += length - (edit.end - edit.start)
    return any(source.syntax(section).has_error for section in sections)


def reach_of(offer: Offer) -> Kind:
    """How far an edit reaches: the text alone, a promise about it, or the host program as well."""
    return "host" if offer.host or (offer.replaced_by and not offer.joined) else offer.kind


def most_useful_first(fixes: Iterable[Fix]) -> list[Fix]:
    """Fixes by how far they reach, those that need the text alone first, then by their gain, as in the advice.

    Those that may make the kernel slower come last.
    """
    return sorted(fixes, key=lambda fix: (REACHES.index(reach_of(fix.offer)), _may_lose(fix), -_worth(fix)))


def _may_lose(fix: Fix) -> bool:
    return fix.gain is not None and fix.gain.may_lose


def _worth(fix: Fix) -> float:
    gain = fix.speedup or 0.0
    return gain / UNITS_COST if fix.offer.title.kind == "compute_units" else gain


REACHES: tuple[Kind, ...] = ("proved", "assertion", "host")
"""How far an edit reaches, the least first."""


def _kernel(assessment: Assessment, name: str) -> KernelAssessment | None:
    return next((k for k in assessment.kernels if k.placed.snapshot.facts.name == name), None)


def fixes_of(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], *,
    every: bool = False, chosen: Callable[[Offer], bool] = lambda _: True, budget: Budget | None = None,
) -> list[Fix]:  # fmt: skip
    """Every fix that is `chosen` and pays, as far as the budget goes; with `every` those that do not pay as well."""
    offers = (budget or Budget()).taken(assessment, list(filter(chosen, offers_of(assessment))))
    found = (priced(assessor, assessment, layers, offer, every=every) for offer in offers)
    return [fix for fix in found if fix is not None]


def contradicted(
    assessor: Assessor, assessment: Assessment, layers: Sequence[Layer], chosen: Callable[[Offer], bool]
) -> Iterator[Refusal]:
    """The edits among those `chosen` that change what a kernel computes when they are executed."""
    for offer in Budget().taken(assessment, list(filter(chosen, offers_of(assessment)))):
        found = executed(assessor, assessment, layers, offer)
        if isinstance(found, Different):
            yield Refusal(offer.title, found, offer.spans, offer.kernel, offer.codes)
