"""Vectors in place of the items that channels carry: a loop asks each channel once a cycle, whatever it brings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import prod

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf
from burstline_model.estimate.changes import WiderItems
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.estimate.observations import of_lanes
from burstline_model.facts import ChannelOperation
from burstline_model.parallelism.loop_copies import asked_channels


def as_long_as_data_come(what_if: WhatIf, loop: int) -> bool:
    """Whether nothing counts a loop around this one that works on channels: whether it is the slowest is not known."""
    facts, extent = what_if.assembly.facts, what_if.assembly.extent
    asking = {i for one in facts.channels for i in one.loops}
    around = (loop, *facts.loops_around(loop))
    return any(i in asking and facts.loops[i].trip is None and i in extent.assumed for i in around)


def wider_items(what_if: WhatIf, asked: Sequence[ChannelOperation]) -> list[Lever]:
    """Vectors in place of the items that are asked of channels in each cycle, where these fill no word together.

    How wide a channel of the board is, the board says. A kernel that reads what it wrote itself keeps values there from
    one iteration to a later one: these are no stream.
    Where data decide each time whether there is an item, the loop asks its channels seldom, and more in one is no help.
    """
    ends = {op: {c.channel for c in what_if.assembly.facts.channels if c.op == op} for op in ("read", "write")}
    if any(c.from_board or c.channel in ends["read"] & ends["write"] for c in asked):
        return []
    if all(any(g.loaded for g in c.guards) for c in asked):
        return []
    carried: dict[str, int] = {"read": 0, "write": 0}
    for one in {(c.op, c.channel): c for c in asked}.values():
        copies = prod(what_if.copies.get(loop, 1) for loop in one.loops) if "[" in one.channel else 1
        carried[one.op] += one.width_bits * copies
    names = tuple(dict.fromkeys(c.name for c in asked))
    narrow = max(carried.values()) < what_if.assembly.board.memory.word_bytes * 8
    return [Lever(change=WiderItems(channels=names, item_bits=_filled(asked)))] if narrow else []


def _filled(asked: Sequence[ChannelOperation]) -> int:
    """What an item of the widest channel moves, in bits; 0 where that is a scalar."""
    widest = max((one.width_bits for one in asked), default=0)
    return widest if widest > WIDEST_SCALAR else 0


WIDEST_SCALAR = 64
"""Bits of the widest scalar of the language."""


def wider_streams(what_if: WhatIf) -> list[Lever]:
    """Vectors through the channels of a loop whose requests are narrow: copies of its body would wait at its channels.

    The time is that with requests so many times as wide, in a loop that runs so many times less often.
    """
    facts, word = what_if.assembly.facts, what_if.assembly.board.memory.word_bytes
    together: dict[int, list[int]] = defaultdict(list)
    for place, unit in enumerate(what_if.units):
        in_order = what_if.lsu(place).stride == 1 and unit.kind not in {"write_ack", "atomic"}
        if facts.model != "ndrange" and what_if.loops(place) and in_order and unit.width_bytes < word:
            together[what_if.loops(place)[-1]].append(place)
    found = list[Lever]()
    for loop, places in together.items():
        asked = asked_channels(facts, facts.loops[loop])
        lanes = min(int(word / max(what_if.units[p].width_bytes for p in places)), MOST_ELEMENTS)
        if not asked or lanes < 2 or as_long_as_data_come(what_if, loop) or not wider_items(what_if, asked):
            continue
        wide = {place: of_lanes(what_if, place, lanes) for place in places}
        after = what_if.after_s(wide, {**what_if.copies, loop: what_if.copies.get(loop, 1) * lanes})
        if after <= what_if.total_s * (1 - WORTH_REPORTING):
            names = tuple(dict.fromkeys(c.name for c in asked))
            found.append(Lever(change=WiderItems(channels=names, item_bits=_filled(asked)), after_s=after))
    return sorted(found, key=lambda one: one.after_s or 0.0)[:1]


MOST_ELEMENTS = 16
"""Elements of the longest vector of the language."""
