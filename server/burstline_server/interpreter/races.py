"""Data races of a launch: accesses of one place by two work-items that nothing orders, seen while it is interpreted.

A barrier orders the work-items of its group; nothing orders those of two groups. Two atomics do not race. Two stores of
the same value are left out, as Oclgrind leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from burstline_server.interpreter.code import RUNTIME
from burstline_server.interpreter.function import Function
from burstline_server.interpreter.memory import FUNCTIONS, Block, size_of_code
from burstline_server.interpreter.program import Program
from burstline_server.interpreter.run import LOCAL, WAITING, Group, Item, Launched, run

WORD = 4
"""Bytes that are recorded as one, where a kernel's accesses allow."""
Access: TypeAlias = tuple[bool, bytes, bool]
"""What was done to a place: whether it was a store, the bytes that were stored, whether it was an atomic."""
_LOAD: Access = (False, b"", False)


class FinerError(Exception):
    """An access of less than a word: places must be bytes."""


class RaceError(Exception):
    """Two accesses race at byte `offset` of a buffer, or of local memory (`LOCAL`)."""

    def __init__(self, buffer: str, offset: int) -> None:
        super().__init__(f"{buffer}[{offset}]")
        self.buffer, self.offset = buffer, offset


class Place:
    """Who did what to a place between two barriers of a group, and which group did; None where several did."""

    __slots__ = ("by_group", "by_item", "group", "item", "part")

    def __init__(self) -> None:
        self.group: Group | None = None
        self.part = 0
        self.item: Item | None = None
        """The only work-item so far in this part; None where there are several."""
        self.by_item: dict[Access, Item | None] = {}
        self.by_group: dict[Access, Group | None] = {}

    def races(self, access: Access, item: Item, part: int, *, shared: bool) -> bool:
        """Count an access; whether it races with any before. `shared`: other groups reach the place as well."""
        group = item.group
        if self.part != part or self.group is not group:
            self.group, self.part, self.item, self.by_item = group, part, item, {access: item}
            found = False
        elif self.item is item:
            if access in self.by_item:
                return False
            self.by_item[access] = item
            found = False
        else:
            self.item = None
            found = any(by is not item and _race(access, one) for one, by in self.by_item.items())
            self.by_item[access] = item if self.by_item.get(access, item) is item else None
        if shared:
            by_group = self.by_group
            if by_group.get(access) is not group:
                found = found or any(by is not group and _race(access, one) for one, by in by_group.items())
                by_group[access] = group if by_group.get(access, group) is group else None
        return found


def _race(one: Access, other: Access) -> bool:
    return (one[0] or other[0]) and not (one[2] and other[2]) and one != other


class Recorder:
    """Sees which work-item touches which place of `unit` bytes in `buffers` and local memory."""

    def __init__(self, buffers: Collection[str], unit: int = WORD) -> None:
        self.buffers, self.unit = frozenset((*buffers, LOCAL)), unit
        self.atomic = False
        """Whether an atomic is being executed."""
        self._item: Item | None = None
        self._part = 0
        # Blocks are held, so that no other one takes the place of one that is gone.
        self._places: dict[Block, dict[int, Place]] = {}

    def turn(self, item: Item, part: int) -> None:
        """A work-item goes on, behind so many barriers."""
        self._item, self._part = item, part

    def seen(self, block: Block, at: int, place: Place, access: Access) -> None:
        """An access of a place; raises `RaceError`."""
        item = self._item
        if item is not None and place.races(access, item, self._part, shared=block.name != LOCAL):
            self.raced(block, at)

    def raced(self, block: Block, at: int) -> None:
        """Two accesses race."""
        raise RaceError(block.name, at)

    def load(self, block: Block, offset: int, size: int) -> None:
        """A load."""
        if block.name in self.buffers:
            access = _LOAD if not self.atomic else (False, b"", True)
            for at, place in self._at(block, offset, size):
                self.seen(block, at, place, access)

    def stored(self, block: Block, offset: int, size: int) -> None:
        """A store, once it is made."""
        if block.name in self.buffers:
            for at, place in self._at(block, offset, size):
                self.seen(block, at, place, (True, bytes(block.data[at : at + self.unit]), self.atomic))

    def _at(self, block: Block, offset: int, size: int) -> Iterator[tuple[int, Place]]:
        unit = self.unit
        if offset % unit or size % unit:
            raise FinerError
        places = self._places.get(block)
        if places is None:
            places = self._places[block] = {}
        for at in range(offset, offset + size, unit):
            place = places.get(at)
            if place is None:
                place = places[at] = Place()
            yield at, place

    def functions(self) -> Mapping[str, Any]:
        """Loads and stores by the names that generated code uses, recorded; copies by a whole group are not."""
        found: dict[str, Any] = {
            "load_record": self._load_record, "store_record": self._store_record,
            "swap": self._atomically("swap"), "compare": self._atomically("compare"), "copied": RUNTIME["copied"],
        }  # fmt: skip
        for name, function in FUNCTIONS.items():
            if name[:2] in {"L_", "S_"}:
                found[name] = (self._loader if name[0] == "L" else self._storer)(function, size_of_code(name[2:]))
        return found

    def _loader(self, load: Callable[[Block, int], Any], size: int) -> Callable[[Block, int], Any]:
        def recorded(block: Block, offset: int) -> Any:
            found = load(block, offset)
            self.load(block, offset, size)
            return found

        return recorded

    def _storer(self, store: Callable[[Block, int, Any], Any], size: int) -> Callable[[Block, int, Any], Any]:
        def recorded(block: Block, offset: int, value: Any) -> Any:
            made = store(block, offset, value)
            self.stored(block, offset, size)
            return made

        return recorded

    def _load_record(self, block: Block, offset: int, size: int) -> bytes:
        found: bytes = FUNCTIONS["load_record"](block, offset, size)
        self.load(block, offset, size)
        return found

    def _store_record(self, block: Block, offset: int, value: bytes) -> bytes:
        found: bytes = FUNCTIONS["store_record"](block, offset, value)
        self.stored(block, offset, len(value))
        return found

    def _atomically(self, name: str) -> Callable[..., Any]:
        made: Callable[..., Any] = RUNTIME[name]  # type: ignore[assignment]

        def recorded(*arguments: Any) -> Any:
            self.atomic = True
            try:
                return made(*arguments)
            finally:
                self.atomic = False

        return recorded


class Recorded:
    """A program whose recorder knows at each turn which work-item's it is."""

    def __init__(self, program: Program, recorder: Recorder) -> None:
        self.program, self.recorder = program, recorder
        self.turns, self.fill = program.turns, program.fill

    def function(self, name: str) -> Function:
        """A function, compiled."""
        return self.program.function(name)

    def called(self, name: str) -> Callable[..., Any]:
        """The Python function of a kernel."""
        inner, recorder = self.program.called(name), self.recorder

        def at_once(item: Item, *arguments: Any) -> Any:
            recorder.turn(item, 0)
            return inner(item, *arguments)

        def by_parts(item: Item, *arguments: Any) -> Iterator[int]:
            going, part = inner(item, *arguments), 0
            while True:
                recorder.turn(item, part)
                place = next(going, None)
                if place is None:
                    return
                part += place != WAITING
                yield place

        return by_parts if self.program.function(name).suspends else at_once


def race_in(program: Program, launched: Callable[[], Launched], buffers: Collection[str]) -> RaceError | None:
    """The first race of a launch, which `launched` makes anew; raises what ends a run before its end."""
    for unit in (WORD, 1):
        with suppress(FinerError):
            recorder, one = Recorder(buffers, unit), launched()
            try:
                with program.replaced(recorder.functions()):
                    run(Recorded(program, recorder), [one])
            except RaceError as race:
                return race
            return None
    return None
