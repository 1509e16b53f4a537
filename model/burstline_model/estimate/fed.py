"""Loops that nobody counts and that work on channels: how often they run, by what other kernels send or take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from burstline_model.estimate.remark_kinds import Fed
from burstline_model.facts import COMPUTE_ID, ChannelOperation, KernelFacts, Loop
from burstline_model.launch import Launch
from burstline_model.parallelism.extent import Extent
from burstline_model.walk.guards import share_of
from burstline_model.walk.issue_order import dimensions_of
from burstline_model.walk.sampler import Sampler

Kernels = Sequence[tuple[KernelFacts, Launch]]


def fed(kernels: Kernels) -> dict[int, tuple[dict[int, int], Fed]]:
    """The loops that nobody counts of kernels, with how often they run in all, by the kernel's place.

    Each item that is sent through a channel is taken out once: a loop around operations goes round until they have
    moved as many as the other end. Of such loops in each other the innermost is counted; those around it run once, as
    far as is known. Nothing where channels disagree.
    """
    loops = {place: own for place, one in enumerate(kernels) if (own := _uncounted(*one))}
    if not loops:
        return {}
    found: dict[int, set[Fed]] = {}
    for _ in range(len(kernels)):  # what one kernel sends may only be known a pass later
        known = _counted(loops, found)
        moved = [_moved(facts, launch, known.get(place, {})) for place, (facts, launch) in enumerate(kernels)]
        # What one end says is kept for where another, that is known later, says something else.
        every = {place: found.get(place, set()) | _said(kernels, place, own, moved) for place, own in loops.items()}
        if every == found:
            break
        found = every
    return {place: (rounds, _first(found[place])) for place, rounds in _counted(loops, found).items()}


def _counted(loops: Mapping[int, Sequence[Loop]], found: Mapping[int, set[Fed]]) -> dict[int, dict[int, int]]:
    """How often loops run of which all channels say the same."""
    agreed = {place: _first(said).rounds for place, said in found.items() if len({one.rounds for one in said}) == 1}
    return {place: _rounds(loops[place], rounds) for place, rounds in agreed.items()}


def _rounds(loops: Sequence[Loop], innermost: int) -> dict[int, int]:
    return {**{one.id: 1 for one in loops}, loops[-1].id: innermost}


def _first(said: set[Fed]) -> Fed:
    return min(said, key=lambda one: (one.channel, one.kernel))


def _said(kernels: Kernels, place: int, loops: Sequence[Loop], moved: Sequence[_Moved]) -> set[Fed]:
    """What each channel of a kernel says of how often its loop runs."""
    facts, launch = kernels[place]
    own = _moved(facts, launch, _rounds(loops, 1), loops[-1])
    found = {
        Fed(kernel=kernels[other][0].name, channel=name, rounds=int(items // each))
        for (name, op), each in own.apart.items()
        if each
        for other in range(len(kernels))
        if other != place and (items := moved[other].apart.get((name, OTHER_END[op]))) and items >= each
    }
    return found | set(_said_of_arrays(kernels, place, own, moved))


def _said_of_arrays(kernels: Kernels, place: int, own: _Moved, moved: Sequence[_Moved]) -> Iterator[Fed]:
    """The same of arrays of channels, whose elements compute units share out or the copies of a loop's body.

    Units that hand items on to their neighbours take from the array what they sent there: what is left came from
    others.
    """
    for (name, op), taken in own.of_arrays.items():
        others = [n for n, one in enumerate(moved) if n != place and (name, OTHER_END[op]) in one.of_arrays]
        shared = [n for n, one in enumerate(moved) if n != place and (name, op) in one.of_arrays]
        ends = [kernels[n][0] for n in (place, *others)]
        several = any(one.compute_units > 1 or _chooses(one, name) for one in ends)
        if not several or len(others) != 1 or shared or taken is None:
            continue
        sent = own.of_arrays.get((name, OTHER_END[op]), Fraction(0))
        items = moved[others[0]].of_arrays[name, OTHER_END[op]]
        net = taken - sent if sent is not None else Fraction(0)
        if items and net > 0 and items >= net:
            yield Fed(kernel=kernels[others[0]][0].name, channel=name, rounds=int(items // net))


def _chooses(facts: KernelFacts, array: str) -> bool:
    """Whether a kernel works on an element of an array of channels that is not one number."""
    return any(one.name == array and None in one.index for one in facts.channels)


def moved_at_both_ends(kernels: Kernels) -> dict[int, Fraction]:
    """How many times as much the single work-items at the other ends of a kernel's channels move, by its place.

    Of kernels of work-items alone, all whose channels say the same.
    """
    moved = [_moved(facts, launch, {}) for facts, launch in kernels]
    counts: list[Counts] = [{**one.of_arrays, **{end: n for end, n in one.apart.items() if n}} for one in moved]
    found = {}
    for place, (facts, _) in enumerate(kernels):
        if facts.model != "ndrange":
            continue
        others = [n for n, (other, _) in enumerate(kernels) if other.model != "ndrange"]
        said = {
            items / own
            for (name, op), own in counts[place].items()
            if own
            for other in others
            if (items := counts[other].get((name, OTHER_END[op])))
        }
        if len(said) == 1:
            found[place] = said.pop()
    return found


OTHER_END: Mapping[str, str] = {"read": "write", "write": "read"}


def _uncounted(facts: KernelFacts, launch: Launch) -> list[Loop]:
    """The loops whose trips are not known, each in the one before; none where one is not, or may end early."""
    if not facts.channels:
        return []
    known: list[tuple[Launch, Extent]] = facts.kept.setdefault(_uncounted, [])
    extent = next((one for given, one in known if given is launch or given == launch), None)
    if extent is None:
        extent = Extent(facts, launch.model_copy(update={"assumed_trips": None}), {})
        known[:] = [*known[1 - MAX_KNOWN :], (launch, extent)]
    trips = extent.trips
    unknown = [loop for loop in facts.loops if trips[loop.id] is None]
    nested = all(one.id in facts.loops_around(inner.id) for one, inner in pairwise(unknown))
    if not nested or any(loop.early_exit for loop in unknown):
        return []
    # A kernel that starts again as soon as it ends counts its loop anew each time.
    return [] if facts.model == "autorun" and unknown and unknown[0].trip is not None else unknown


def _all_inside(facts: KernelFacts, loop: Loop) -> Iterator[ChannelOperation]:
    """The operations on channels that a kernel works on in a loop alone."""
    outside = {end_of(one) for one in facts.channels if loop.id not in one.loops}
    return (one for one in facts.channels if end_of(one) not in outside)


def end_of(one: ChannelOperation) -> tuple[str, str]:
    """The channel, that of an array by its number, and which end of it an operation is at."""
    return one.name + "".join(f"[{index}]" for index in one.index), one.op


Counts = dict[tuple[str, str], Fraction | None]
"""Items by the channel, or the array of channels, and the end of it that a kernel is at; None: not known."""


class _Moved:
    """The items that a kernel sends through channels, or takes, all its compute units together."""

    def __init__(self, facts: KernelFacts, launch: Launch, rounds: Mapping[int, int]) -> None:
        given = launch.model_copy(update={"trips": {**launch.trips, **rounds}, "assumed_trips": None})
        alone = facts.compute_units == 1
        anywhere = {(one.name, one.op) for one in facts.channels if None in one.index}
        self.apart: Counts = {}
        """By channel; what is chosen as it runs may be any channel of an array."""
        self.of_arrays: Counts = {}
        """By array."""
        for unit in _units(facts):
            sampler = Sampler(Extent(facts, given.model_copy(update={"arguments": {**unit, **given.arguments}}), {}))
            for one in facts.channels:
                items = _items(sampler, one)
                _add(self.apart, end_of(one), items if alone and (one.name, one.op) not in anywhere else None)
                if one.index:
                    _add(self.of_arrays, (one.name, one.op), items)


def items_moved(facts: KernelFacts, launch: Launch, *, most: bool = False) -> Counts:
    """What a kernel moves by channel and end of it; `most`: at most, as if conditions always held."""
    return _moved(_unguarded(facts) if most else facts, launch, {}).apart


def _unguarded(facts: KernelFacts) -> KernelFacts:
    """The kernel without the conditions around its operations on channels; the same one each time."""
    if not any(one.guards for one in facts.channels):
        return facts
    if _unguarded not in facts.kept:
        channels = tuple(one.model_copy(update={"guards": ()}) for one in facts.channels)
        facts.kept[_unguarded] = facts.model_copy(update={"channels": channels})
    found: KernelFacts = facts.kept[_unguarded]
    return found


def items_of(facts: KernelFacts, launch: Launch, one: ChannelOperation) -> Fraction | None:
    """The items that one operation of a kernel of one compute unit moves; None where that is not known."""
    if facts.compute_units > 1 or None in one.index:
        return None
    alone = facts.model_copy(update={"channels": (one,)})
    return _Moved(alone, launch, {}).apart.get(end_of(one))


def _moved(facts: KernelFacts, launch: Launch, rounds: Mapping[int, int], loop: Loop | None = None) -> _Moved:
    """The same, of the channels that it works on in a `loop` alone; what was counted last of a kernel is known."""
    key = (_Moved, loop.id if loop is not None else None)
    known: list[tuple[Launch, Mapping[int, int], _Moved]] = facts.kept.setdefault(key, [])
    for given, of, one in known:
        if of == rounds and (given is launch or given == launch):
            return one
    channels = facts.channels if loop is None else tuple(_all_inside(facts, loop))
    made = _Moved(facts.model_copy(update={"channels": channels}), launch, rounds)
    known[:] = [*known[1 - MAX_KNOWN :], (launch, rounds, made)]
    return made


MAX_KNOWN = 4
"""Launches of which it is remembered what a kernel moves."""


def _units(facts: KernelFacts) -> list[dict[str, int]]:
    """The place of each compute unit, as arguments; one in all where nobody asks for it, or they are too many."""
    if facts.compute_units > MOST_UNITS:
        return [{}]
    places = product(*(range(n) for n in facts.unit_shape or (1,)))
    return [{f"{COMPUTE_ID}{d})": n for d, n in enumerate(place)} for place in places]


MOST_UNITS = 256
"""The items of more compute units are not counted."""


def _add(counts: Counts, key: tuple[str, str], items: Fraction | None) -> None:
    before = counts.get(key, Fraction(0))
    counts[key] = None if items is None or before is None else before + items


def _items(sampler: Sampler, one: ChannelOperation) -> Fraction | None:
    """The items that one operation moves in one compute unit; None where that is not known, or data decide."""
    extent, facts = sampler.extent, sampler.facts
    trips = [extent.trips[i] for i in one.loops]
    ends = any(facts.loops[i].early_exit for i in one.loops)
    shared = (
        facts.simd > 1 or (facts.compute_units > 1 and facts.model == "ndrange") or facts.compute_units > MOST_UNITS
    )
    if ends or shared or extent.work_items is None or None in trips:
        return None
    items = prod(trip for trip in trips if trip is not None) * Fraction(extent.work_items)
    if one.guards:
        share = share_of(sampler, one.guards, dimensions_of(extent, one.loops))
        if share.data or share.low < share.point or share.given < 1:
            return None
        items = Fraction(round(items * Fraction(share.point)))
    return items if items.denominator == 1 else None
