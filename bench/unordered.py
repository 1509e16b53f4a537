"""All data races of a launch, and what they have to do with results, seen while it is interpreted.

`burstline_server.interpreter.races` ends at the first race of a launch; here all accesses are counted to the end.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from bench import interpreter
from burstline_model.facts import KernelFacts
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.races import WORD, Access, Place, Recorded, Recorder
from burstline_server.interpreter.run import Item
from burstline_server.source.source import Source


class AllRaces(Recorder):
    """Sees all races; `atomics`: whether there was an atomic."""

    def __init__(self, buffers: Collection[str], unit: int = WORD) -> None:
        super().__init__(buffers, unit)
        self.atomics = False
        self._now: tuple[Item, int] | None = None
        self._raced: set[tuple[Block, int]] = set()
        self._bare: set[tuple[Block, int]] = set()
        """Where any work-item loads without having stored there since the last barrier."""
        self._own: set[tuple[Block, int, Item, int]] = set()

    def races(self) -> bool:
        """Whether any two accesses race."""
        return bool(self._raced)

    def hidden(self) -> bool:
        """Whether each load that races follows a store by its own work-item, which another order of them leaves so."""
        return not self._raced & self._bare

    def turn(self, item: Item, part: int) -> None:
        """A work-item goes on, behind so many barriers."""
        super().turn(item, part)
        self._now = item, part

    def seen(self, block: Block, at: int, place: Place, access: Access) -> None:
        """An access of a place."""
        super().seen(block, at, place, access)
        self.atomics |= self.atomic
        if self._now is not None:
            own = (block, at, *self._now)
            if access[0]:
                self._own.add(own)
            elif own not in self._own:
                self._bare.add((block, at))

    def raced(self, block: Block, at: int) -> None:
        """Two accesses race: the launch goes on."""
        self._raced.add((block, at))


def watched(
    source: Source, recorder: AllRaces, facts: KernelFacts, data: Any, group: tuple[int, ...], seconds: float = 20.0
) -> AllRaces:
    """Interpret a kernel while its accesses are recorded, in no more than so much processor time."""
    program = Program(source)
    program.function(facts.name)
    with program.replaced(recorder.functions()):
        interpreter.interpreted(Recorded(program, recorder), facts, data, group, seconds=seconds)
    return recorder
