"""Data races of a launch: accesses of one place by two work-items that nothing orders, seen while it is interpreted.

A barrier orders the work-items of its group; nothing orders those of two groups. Two atomics do not race. Two stores of
the same value are left out, as Oclgrind leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from burstline_server.interpreter.code import RUNTIME
from burstline_server.interpreter.memory import FUNCTIONS, Block
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.promises import Watch
from burstline_server.interpreter.run import WAITING, Item
from burstline_server.source.source import Source

LOCAL = "local"
"""The name of blocks in local memory."""
WORD = 4
"""Bytes that are watched as one, where a kernel's accesses allow."""
Who: TypeAlias = "tuple[int, ...]"
MANY: Who = (-1,)


@dataclass(frozen=True)
class Access:
    """What was done to a place; `value` is what was stored."""

    stores: bool
    value: bytes
    atomic: bool

    def races(self, other: Access) -> bool:
        """Whether this and another work-item's access race where nothing orders them."""
        if not (self.stores or other.stores) or (self.atomic and other.atomic):
            return False
        return not (self == other and not self.atomic)


@dataclass
class _Place:
    """Who did what: in each part of a group's run between two barriers, and in each group."""

    block: Block
    parts: dict[tuple[Who, int], dict[Access, Who]] = field(default_factory=dict)
    groups: dict[Who, set[Access]] = field(default_factory=dict)
    stored: set[tuple[Who, int]] = field(default_factory=set)
    races: bool = False
    bare: bool = False
    """Whether any work-item loads here without having stored here since the last barrier."""


class FinerError(Exception):
    """An access of less than a word: places must be bytes."""


class Recorder(Watch):
    """Sees which work-item touches which place of `unit` bytes."""

    def __init__(self, buffers: Collection[str], unit: int = WORD) -> None:
        super().__init__(())
        self.buffers, self.unit = {*buffers, LOCAL}, unit
        self.group: Who = ()
        self.item: Who = ()
        self.part = 0
        self.atomics = False
        """Whether there was an atomic."""
        self._atomic = False
        self._places: dict[tuple[int, int], _Place] = {}

    def races(self) -> bool:
        """Whether any two accesses race."""
        return any(one.races for one in self._places.values())

    def hidden(self) -> bool:
        """Whether each load that races follows a store by its own work-item, which another order of them leaves so."""
        return not any(one.races and one.bare for one in self._places.values())

    def load(self, block: Block, offset: int, size: int) -> None:
        """A load."""
        if block.name in self.buffers:
            for at in self._units(offset, size):
                self._seen(block, at, Access(False, b"", self._atomic))

    def _stored(self, block: Block, offset: int, size: int) -> None:
        if block.name in self.buffers:
            for at in self._units(offset, size):
                self._seen(block, at, Access(True, bytes(block.data[at : at + self.unit]), self._atomic))

    def _units(self, offset: int, size: int) -> range:
        if offset % self.unit or size % self.unit:
            raise FinerError
        return range(offset, offset + size, self.unit)

    def _seen(self, block: Block, at: int, access: Access) -> None:
        # The block is held, so that no other one gets its number.
        place = self._places.get((id(block), at))
        if place is None:
            place = self._places[id(block), at] = _Place(block)
        here = self.group, self.part
        mine = place.parts.setdefault(here, {})
        who = (*self.item, self.part)
        place.races |= any(one.races(access) for one, by in mine.items() if by != self.item)
        # That several did the same is all that is kept of them.
        if mine.setdefault(access, self.item) != self.item:
            mine[access] = MANY
        if access not in place.groups.setdefault(self.group, set()):
            place.groups[self.group].add(access)
            others = (one for group, some in place.groups.items() if group != self.group for one in some)
            place.races |= any(one.races(access) for one in others)
        if access.stores:
            place.stored.add(who)
        elif who not in place.stored:
            place.bare = True

    def functions(self) -> Mapping[str, Any]:
        """Loads and stores by the names that generated code uses, watched."""
        return {**super().functions(), "swap": self._atomically("swap"), "compare": self._atomically("compare")}

    def _atomically(self, name: str) -> Callable[..., Any]:
        made: Callable[..., Any] = RUNTIME[name]  # type: ignore[assignment]

        def watched(*arguments: Any) -> Any:
            self._atomic = self.atomics = True
            try:
                return made(*arguments)
            finally:
                self._atomic = False

        return watched

    def _storer(self, store: Callable[[Block, int, Any], Any], size: int) -> Callable[[Block, int, Any], Any]:
        def watched(block: Block, offset: int, value: Any) -> Any:
            made = store(block, offset, value)
            self._stored(block, offset, size)
            return made

        return watched

    def _store_record(self, block: Block, offset: int, value: bytes) -> bytes:
        found: bytes = FUNCTIONS["store_record"](block, offset, value)
        self._stored(block, offset, len(value))
        return found


class Recorded(Program):
    """A program whose recorder knows at each turn which work-item's it is."""

    def __init__(self, source: Source, recorder: Recorder) -> None:
        super().__init__(source, recorder)
        self.recorder = recorder

    def called(self, name: str) -> Callable[..., Any]:
        """The Python function of a kernel."""
        inner, recorder = super().called(name), self.recorder

        def at(item: Item, part: int) -> None:
            recorder.group, recorder.item, recorder.part = item.p, item.g, part

        def at_once(item: Item, *arguments: Any) -> Any:
            at(item, 0)
            return inner(item, *arguments)

        def by_parts(item: Item, *arguments: Any) -> Iterator[int]:
            going, part = inner(item, *arguments), 0
            while True:
                at(item, part)
                place = next(going, None)
                if place is None:
                    return
                part += place != WAITING
                yield place

        return by_parts if self.function(name).suspends else at_once
