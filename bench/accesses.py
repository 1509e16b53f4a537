"""Loads and stores that a launch makes of each buffer: counted while it is interpreted, and by Oclgrind's plugin."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from burstline_model.facts import KernelFacts
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.promises import Watch

LOADS, STORES = "lac", "sbd"
"""The plugin's letters: by loads and stores, by atomics, by copies that a work-group makes together."""
THREE_LANES = "vectors of three lanes: clang loads the fourth with them, Oclgrind stores them one by one"
_THREE = re.compile(r"[a-z]3\s*\*?$")


@dataclass(frozen=True)
class Count:
    """Executed loads and stores of a buffer, and the bytes that they move."""

    loads: int = 0
    stores: int = 0
    loaded: int = 0
    stored: int = 0

    def more(self, *, loads: int = 0, stores: int = 0, loaded: int = 0, stored: int = 0) -> Count:
        """The count with some more."""
        return Count(self.loads + loads, self.stores + stores, self.loaded + loaded, self.stored + stored)


class Counter(Watch):
    """Counts the loads and stores of buffers while a kernel is interpreted."""

    def __init__(self, buffers: Collection[str]) -> None:
        super().__init__(())
        self._counted = {name: [0, 0, 0, 0] for name in buffers}

    @property
    def counts(self) -> dict[str, Count]:
        """What was counted so far."""
        return {name: Count(*numbers) for name, numbers in self._counted.items()}

    def load(self, block: Block, offset: int, size: int) -> None:  # noqa: ARG002 -- where does not matter
        """A load."""
        self._add(block.name, 0, size)

    def store(self, block: Block, offset: int, size: int) -> None:  # noqa: ARG002
        """A store."""
        self._add(block.name, 1, size)

    def _add(self, name: str, which: int, size: int) -> None:
        if name in self._counted:
            self._counted[name][which] += 1
            self._counted[name][which + 2] += size


@dataclass(frozen=True)
class Simulated:
    """What the plugin saw of a launch: counts by buffer, and how the simulator's messages begin."""

    counts: Mapping[str, Count]
    said: Sequence[str]


def simulated(trace: Path, sizes: Mapping[str, int]) -> Simulated:
    """What the plugin saw of the kernel that ran last. `sizes` are the buffers with their bytes, as they were made."""
    found = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    made = [(one["buffer"], one["bytes"]) for one in found if one["op"] == "buffer"]
    sought = [*sizes.values()]
    # The simulator makes buffers of its own before and after them.
    starts = [i for i in range(len(made)) if [size for _, size in made[i : i + len(sought)]] == sought]
    numbers = [number for number, _ in made[starts[-1] : starts[-1] + len(sought)]] if sought else []
    counts = {number: Count() for number in numbers}
    for one in found:
        number = one.get("buffer")
        if number in counts and one["op"] in LOADS:
            counts[number] = counts[number].more(loads=one["executions"], loaded=one["bytes"])
        elif number in counts and one["op"] in STORES:
            counts[number] = counts[number].more(stores=one["executions"], stored=one["bytes"])
    said = [one["begins"] for one in found if one["op"] == "said"]
    return Simulated(dict(zip(sizes, counts.values(), strict=True)), said)


def difference(
    facts: KernelFacts, ours: Mapping[str, Count], theirs: Mapping[str, Count], faults: Collection[str]
) -> tuple[str, str]:
    """The first buffer whose counts differ, with both, and what explains it; empty where there is none.

    `faults` are those that either found of the kernel: what it does may depend on them.
    """
    names = [name for name, one in ours.items() if one != theirs[name]]
    if not names:
        return "", ""
    types = {a.name: a.type for a in facts.arguments}
    why = "nothing explains it"
    if all(_THREE.search(types[name]) for name in names):
        why = THREE_LANES
    elif faults:
        why = "it has a fault of those below, and what it does depends on that"
    name = names[0]
    return f"{name}: {_said(ours[name])}, not {_said(theirs[name])}", why


def _said(one: Count) -> str:
    return f"{one.loads} loads of {one.loaded} B and {one.stores} stores of {one.stored} B"
