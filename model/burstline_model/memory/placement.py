"""Which banks of the memory a pointer's data lies in."""

from __future__ import annotations

import re

from burstline_model.boards.board import Board, Memory
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.record import Record

_TRAILING = re.compile(r"(?<!\d)(\d+)$")


class Placement(Record):
    """The banks of each pointer, and the pointers nobody placed on a memory of separate channels.

    `elsewhere` are pointers with a ``buffer_location`` that names no memory of the board, with that name.
    """

    banks: dict[str, tuple[int, ...]]
    unplaced: tuple[str, ...]
    elsewhere: tuple[tuple[str, str], ...] = ()


def place(facts: KernelFacts, board: Board, launch: Launch) -> Placement:
    """Banks by the launch, else by the ``buffer_location`` label, else by the board's default.

    A name of the board's memories places a pointer in the banks of that one, numbered on from the default memory's.
    Separate channels put what nobody placed in channel 0; interleaved banks share it out evenly.
    """
    memory = board.memory
    labels = [a.buffer_location for a in facts.arguments if a.buffer_location]
    order = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    spread = _used(memory, tuple(range(memory.banks)), launch)
    banks: dict[str, tuple[int, ...]] = {}
    unplaced: list[str] = []
    elsewhere: list[tuple[str, str]] = []
    for pointer in dict.fromkeys(a.pointer for a in facts.accesses if a.space == "global"):
        argument = facts.argument(pointer)
        label = argument.buffer_location if argument is not None else None
        if label is not None and _is_of_another_board(label, board):
            elsewhere.append((pointer, label))
        if pointer in launch.banks:
            banks[pointer] = (launch.banks[pointer] % memory.banks,)
        elif (named := board.banks_named(launch.memories.get(pointer) or label or "")) is not None:
            banks[pointer] = _used(board.memory_of(named[0]), named, launch)
        elif label is not None and memory.separate_channels:
            number = _TRAILING.search(label)
            banks[pointer] = ((int(number[1]) if number else order[label]) % memory.banks,)
        else:
            banks[pointer] = spread
            if memory.separate_channels:
                unplaced.append(pointer)
    return Placement(banks=banks, unplaced=tuple(unplaced) if len(banks) > 1 else (), elsewhere=tuple(elsewhere))


def _is_of_another_board(label: str, board: Board) -> bool:
    """Whether a memory's name is not one of a board's: unknown to it, of another kind, or beyond its banks."""
    if board.banks_named(label) is not None:
        return False
    number = _TRAILING.search(label)
    beyond = board.memory.separate_channels and number is not None and int(number[1]) >= board.memory.banks
    types = [m.type.upper() for m in (board.memory, *board.others)]
    # Shared virtual memory of the host is called so on each board that has it.
    other_kind = any(kind in label.upper() and not any(kind in one for one in types) for kind in ("HBM", "HOST"))
    return beyond or other_kind or bool(board.memory_names)


def _used(memory: Memory, banks: tuple[int, ...], launch: Launch) -> tuple[int, ...]:
    """Those of a memory's banks that a buffer is spread over."""
    interleaved = not memory.separate_channels and launch.interleaving is not False
    return banks if interleaved else banks[:1]
