"""Loops whose iterations ask one channel several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from burstline_model.facts import ChannelOperation, KernelFacts, Loop
from burstline_model.parallelism.alias import exclusive
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.pipeline.waits import ChannelInTurn


def channels_in_turn(facts: KernelFacts, loop: Loop, copies: Mapping[int, int]) -> Iterator[ChannelInTurn]:
    """What an iteration of an innermost loop has to do at one channel: in order, and before the next one does.

    Reports: four writes have II 5 (Connie120/spMV, 19.4), two reads 4 (fingersnail/fccm-ttm-experiments-vlab,
    17.1). The vendor's guide warns of them (Programming Guide 22.4, 5.4.4).
    """
    in_turn: dict[tuple[str, Literal["read", "write"]], list[ChannelOperation]] = {}
    for one in facts.channels:
        left = [i for i in one.loops if not fully_unrolled(facts.loops[i], copies)]
        before = in_turn.setdefault((one.channel, one.op), [])
        if left[-1:] == [loop.id] and not any(exclusive(one, other) for other in before):
            before.append(one)
    for (channel, op), every in in_turn.items():
        if len(every) > 1:
            yield ChannelInTurn(channel=channel, op=op, times=len(every))
