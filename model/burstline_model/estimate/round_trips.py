"""Kernels that wait for each other's answers: what one sends is made of what came back for the iteration before.

Then no iteration starts before the last one's item has gone round through the channels. Their guides give no figure for
the way through a channel, and so the time of such kernels is a least one.
"""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.remark_kinds import WaitsForAnswer
from burstline_model.facts import KernelFacts


def answered(kernels: Sequence[KernelFacts]) -> dict[int, WaitsForAnswer]:
    """The kernels, by their places, around which an item has to go before the next one is sent."""
    ways: dict[str, set[tuple[str, int]]] = {}
    back: set[tuple[str, str, int]] = set()
    for place, facts in enumerate(kernels):
        for one in facts.channels:
            for name, later in one.made_of:
                ways.setdefault(name, set()).add((one.name, place))
                if later:
                    back.add((name, one.name, place))
    found: dict[int, WaitsForAnswer] = {}
    for answer, sent, place in sorted(back):
        others = _way(ways, sent, answer, place)
        if others:
            for own in (place, *others):
                names = tuple(kernels[n].name for n in dict.fromkeys((place, *others)) if n != own)
                found.setdefault(own, WaitsForAnswer(others=names, sent=sent, answer=answer))
    return found


def _way(ways: dict[str, set[tuple[str, int]]], sent: str, answer: str, place: int) -> tuple[int, ...]:
    """The other kernels through which what is sent comes back as an answer; empty where it does not."""
    reached: dict[str, tuple[int, ...]] = {sent: ()}
    waiting = [sent]
    while waiting:
        name = waiting.pop(0)
        for following, through in sorted(ways.get(name, ())):
            if through != place and following not in reached:
                reached[following] = (*reached[name], through)
                waiting.append(following)
    return reached.get(answer, ())
