"""Channels whose one end is under a condition that data decide, and whose other end is certain.

What is sent through a channel is taken out once. So the certain end says how often the condition holds. An end that
takes more than the other one sends at most waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from burstline_model.estimate.fed import OTHER_END, Counts, Kernels, end_of, items_moved, items_of
from burstline_model.estimate.remark_kinds import Decided, SharedEnd, Starves
from burstline_model.facts import ChannelOperation, Guard, KernelFacts
from burstline_model.walk.guards import opposite_of


def decided(kernels: Kernels) -> dict[int, tuple[dict[str, float], Decided]]:
    """The share of times that conditions of kernels hold, by their text, as other kernels say; by the kernel's place.

    Of a kernel with one such condition, around one operation on the channel.
    """
    sure = [items_moved(facts, launch) for facts, launch in kernels]
    found = {}
    for place, (facts, launch) in enumerate(kernels):
        said = set[tuple[Guard, float, Decided]]()
        for one in facts.channels:
            guard = _by_data(facts, one)
            every = items_of(facts, launch, one.model_copy(update={"guards": _without(one, guard)})) if guard else None
            if guard is None or guard.text in launch.taken or not every:
                continue
            for other, items in _at_the_other_end(sure, place, one):
                if 0 < items < every:
                    by = Decided(
                        kernel=kernels[other][0].name, channel=one.name, condition=guard.text, times=int(items)
                    )
                    said.add((guard, float(items / every), by))
        if len(said) == 1:
            ((guard, share, by),) = said
            found[place] = {guard.text: share, opposite_of(guard.text): 1 - share}, by
    return found


def starving(kernels: Kernels) -> dict[int, Starves]:
    """The kernels that take more from a channel than is sent through it at most, by their places."""
    sure = [items_moved(facts, launch) for facts, launch in kernels]
    most = [items_moved(facts, launch, most=True) for facts, launch in kernels]
    found = {}
    for place, own in enumerate(sure):
        for (channel, op), items in own.items():
            senders = [n for n, one in enumerate(most) if n != place and (channel, "write") in one]
            sent = most[senders[0]][channel, "write"] if len(senders) == 1 else None
            if op == "read" and items is not None and sent is not None and items > sent:
                sender = kernels[senders[0]][0].name
                found[place] = Starves(channel=channel, takes=int(items), kernel=sender, sends=int(sent))
                break
    return found


def shared_ends(kernels: Kernels) -> dict[int, SharedEnd]:
    """The kernels that work at an end of a channel at which another one works, by their places.

    Several kernels can neither read nor write one channel (Programming Guide 22.4, 5.4.4). An element that is chosen
    while a kernel runs may be another one than that of the other kernel, and which pipes kernels are given is the
    host's matter.
    """
    found: dict[int, SharedEnd] = {}
    declared = [[c for c in one.channels if None not in c.index and one.argument(c.name) is None] for one, _ in kernels]
    for place, own in enumerate(declared):
        for one in own:
            at_it = [any(c.op == one.op and c.meets(one) for c in other) for other in declared]
            names = tuple(facts.name for (facts, _), same in zip(kernels, at_it, strict=True) if same)
            if len(names) > 1:
                found.setdefault(place, SharedEnd(channel=one.channel, op=one.op, kernels=names))
    return found


def _by_data(facts: KernelFacts, one: ChannelOperation) -> Guard | None:
    """The one condition around the only operation of its kernel at that end of a channel, where data decide it."""
    alike = [c for c in facts.channels if c.op == one.op and c.meets(one)]
    conditions = [g for g in one.guards if g.loaded]
    plain = len(alike) == len(conditions) == 1 and not conditions[0].leaves and conditions[0].cases is None
    return conditions[0] if plain and not conditions[0].early_return else None


def _without(one: ChannelOperation, guard: Guard | None) -> tuple[Guard, ...]:
    return tuple(g for g in one.guards if g != guard)


def _at_the_other_end(counts: list[Counts], place: int, one: ChannelOperation) -> Iterator[tuple[int, Fraction]]:
    """The other kernels that work at the other end of a channel, with the items that they move, where it is known."""
    channel, op = end_of(one)
    for other, own in enumerate(counts):
        items = own.get((channel, OTHER_END[op]))
        if other != place and items is not None:
            yield other, items
