"""Which banks of the memory a pointer's data lies in."""

from __future__ import annotations

import re

from burstline_model.boards.board import Memory
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.record import Record

_TRAILING = re.compile(r"(?<!\d)(\d+)$")


class Placement(Record):
    """The banks of each pointer, and the pointers nobody placed on a memory of separate channels."""

    banks: dict[str, tuple[int, ...]]
    unplaced: tuple[str, ...]


def place(facts: KernelFacts, memory: Memory, launch: Launch) -> Placement:
    """Banks by the launch, else by the ``buffer_location`` label, else by the board's default.

    Separate channels put what nobody placed in channel 0; interleaved banks share it out evenly.
    """
    labels = [a.buffer_location for a in facts.arguments if a.buffer_location]
    order = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    interleaved = not memory.separate_channels and launch.interleaving is not False
    spread = tuple(range(memory.banks)) if interleaved else (0,)
    banks: dict[str, tuple[int, ...]] = {}
    unplaced: list[str] = []
    for pointer in dict.fromkeys(a.pointer for a in facts.accesses if a.space == "global"):
        argument = facts.argument(pointer)
        label = argument.buffer_location if argument is not None else None
        if pointer in launch.banks:
            banks[pointer] = (launch.banks[pointer] % memory.banks,)
        elif label is not None and memory.separate_channels:
            number = _TRAILING.search(label)
            banks[pointer] = ((int(number[1]) if number else order[label]) % memory.banks,)
        else:
            banks[pointer] = spread
            if memory.separate_channels:
                unplaced.append(pointer)
    return Placement(banks=banks, unplaced=tuple(unplaced) if len(banks) > 1 else ())
