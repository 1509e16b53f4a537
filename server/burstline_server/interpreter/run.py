"""Runs compiled kernels: work-items in groups, barriers, channels between kernels that run at the same time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

from burstline_model.record import fixed
from burstline_server.interpreter.function import Function
from burstline_server.interpreter.memory import Block
from burstline_server.interpreter.verdicts import NotExecutableError

CHUNK = 2000
"""Turns of loops between two looks at the clock."""
MOST_ITEMS = 4096
MOST_CHANNELS = 1024
MOST_SENT = 1 << 16
WAITING = -1
"""What a work-item yields while a channel keeps it; at a barrier it yields the barrier's number."""
LOCAL = "local"
"""The name of blocks in local memory."""
Waits = Generator[int, None, Any]


class Channel:
    """A queue with a bound. What goes through any channel of a run is counted: while that grows, nothing is stuck.

    A channel that no kernel of the run writes is fed by `source`; one that none reads (`drained`) takes everything.
    """

    __slots__ = ("drained", "fed", "most", "source", "turns", "values")

    def __init__(self, turns: Turns, ends: Ends) -> None:
        self.turns = turns
        self.drained = not ends.readers
        self.source = ends.value if not ends.writers else None
        self.most = MOST_SENT if self.drained else max(ends.depth, 1)
        self.values: deque[Any] = deque()
        self.fed = 0

    def feed(self) -> None:
        """Put a made-up value where nobody else does."""
        if self.source is not None and not self.values:
            self.fed += 1
            self.values.append(self.source(self.fed))

    def read(self) -> Waits:
        """The next value, once there is one."""
        self.feed()
        while not self.values:
            yield WAITING
        self.turns.moves += 1
        return self.values.popleft()

    def write(self, value: Any) -> Waits:
        """Send a value, once there is room."""
        while len(self.values) >= self.most:
            yield WAITING
        self.turns.moves += 1
        self.values.append(value)

    def read_now(self, otherwise: Any) -> Waits:
        """The next value and 1, or another one and 0; then the others have their turn."""
        yield WAITING
        self.feed()
        if not self.values:
            return otherwise, 0
        self.turns.moves += 1
        return self.values.popleft(), 1

    def write_now(self, value: Any) -> Waits:
        """Send a value if there is room: 1, else 0."""
        yield WAITING
        if len(self.values) >= self.most:
            return 0
        self.turns.moves += 1
        self.values.append(value)
        return 1


@dataclass
class Ends:
    """What is known of a channel: its capacity, who uses it in the compiled functions, what a made-up value is."""

    depth: int
    value: Callable[[int], Any]
    readers: int = 0
    writers: int = 0


class Turns:
    """How much longer a run may go on, and its channels. `ends` is what is known of each from the text, by name."""

    def __init__(self) -> None:
        self.left, self.chunks, self.moves, self._begun = CHUNK, 0, 0, 0
        self.until_s = 0.0
        self._printed: list[str] = []
        self.ends: dict[str, tuple[int, Ends]] = {}
        self._names: list[str] = []
        self._channels: dict[tuple[str, tuple[int, ...]], Channel] = {}

    def start(self, turns: int, until_s: float) -> None:
        """Begin a run of so many turns, up to a processor time of this thread."""
        self.left, self.chunks, self.moves, self.until_s = CHUNK, turns // CHUNK, 0, until_s
        self._channels = {}
        self._printed = []
        self._begun = self.chunks

    @property
    def taken(self) -> int:
        """The turns that a run has taken, in whole chunks."""
        return CHUNK * (self._begun - self.chunks)

    def spend(self) -> None:
        """Begin another chunk; raises `NotExecutableError` where there is none left."""
        self.left, self.chunks = CHUNK, self.chunks - 1
        if self.chunks < 0:
            raise NotExecutableError("steps")
        if time.thread_time() > self.until_s:
            raise NotExecutableError("time")

    def print(self, values: tuple[Any, ...]) -> int:
        """Keep what is printed; returns that it was."""
        if len(self._printed) >= MOST_SENT:
            raise NotExecutableError("memory")
        self._printed.append(repr(values))
        return 0

    def printed(self) -> list[str]:
        """What was printed, in no order: work-items print in any."""
        return sorted(self._printed)

    def declare(self, name: str, ends: Ends) -> None:
        """Make a channel known, and give it a number."""
        if name not in self.ends:
            self.ends[name] = len(self._names), ends
            self._names.append(name)

    def sent(self) -> dict[tuple[str, tuple[int, ...]], list[str]]:
        """What went into the channels that no kernel of the run reads, as text: any two that are no numbers agree."""
        return {key: [repr(v) for v in one.values] for key, one in self._channels.items() if one.drained}

    def channel(self, number: int, index: tuple[int, ...]) -> Channel:
        """A channel of this run, by its number."""
        name = self._names[number]
        key = name, index
        if key not in self._channels:
            if len(self._channels) >= MOST_CHANNELS:
                raise NotExecutableError("channel", name)
            self._channels[key] = Channel(self, self.ends[name][1])
        return self._channels[key]


@fixed
class Sizes:
    """How many work-items run, in groups of which size."""

    items: tuple[int, ...]
    group: tuple[int, ...]

    @property
    def padded(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Both in three dimensions."""
        items, group = ((*s, 1, 1)[:3] for s in (self.items, self.group))
        return (items[0], items[1], items[2]), (group[0], group[1], group[2])

    @property
    def exchanged(self) -> Sizes:
        """Both with their first two dimensions in each other's place."""
        items, group = self.padded
        rank = max(len(self.items), 2)
        return Sizes((items[1], items[0], items[2])[:rank], (group[1], group[0], group[2])[:rank])


class Group:
    """What the work-items of a group share; `fill` is what is in each byte that nothing was stored to.

    `copies` is how many copies between memories the group has made.
    """

    __slots__ = ("copies", "fill", "variables")

    def __init__(self, fill: int) -> None:
        self.fill, self.copies = fill, 0
        self.variables: dict[int, Block] = {}


class Item:
    """A work-item: its ids, the sizes of the launch, its group, and how many of the group's copies it has reached."""

    __slots__ = ("copies", "dimensions", "g", "group", "gs", "l", "ls", "n", "p", "zero")

    def __init__(self, sizes: Sizes, group: Group, p: tuple[int, ...], local: tuple[int, ...]) -> None:
        self.gs, self.ls = sizes.padded
        self.dimensions, self.zero, self.group = len(sizes.items), (0, 0, 0), group
        self.p, self.l, self.copies = p, local, 0
        self.n = tuple([a // b for a, b in zip(self.gs, self.ls, strict=True)])
        self.g = tuple([a * b + c for a, b, c in zip(p, self.ls, local, strict=True)])

    def shared(self, number: int, size: int) -> Block:
        """A variable of the group."""
        found = self.group.variables
        if number not in found:
            found[number] = Block(size, LOCAL, self.group.fill)
        return found[number]


@dataclass
class Launched:
    """A kernel with what it is called with; a `Local` among the arguments is memory of that size for each group."""

    function: Function
    arguments: Sequence[Any]
    sizes: Sizes
    reverse: bool = False
    """Whether groups, and the work-items of each, take turns from the last one on."""


@fixed
class LocalBytes:
    """An argument in local memory."""

    size: int


class Runnable(Protocol):
    """A compiled program, as a run needs it."""

    turns: Turns
    fill: list[int]

    def called(self, name: str, /) -> Callable[..., Any]:
        """The Python function of a compiled one."""


def run(program: Runnable, kernels: Sequence[Launched]) -> None:
    """Run kernels at the same time; raises what ends a run."""
    try:
        waiting: deque[Iterator[int]] = deque(_groups(program, one) for one in kernels)
        stuck, moves = 0, program.turns.moves
        while waiting:
            one = waiting.popleft()
            if next(one, None) is not None:
                waiting.append(one)
            else:
                stuck = 0
            if program.turns.moves != moves:
                stuck, moves = 0, program.turns.moves
            else:
                stuck += 1
            _turn(program)
            if stuck > 2 * len(waiting) + 2:
                raise NotExecutableError("deadlock")
    except RecursionError:
        raise NotExecutableError("recursion") from None
    except (UnboundLocalError, NameError):
        raise NotExecutableError("statement", "switch") from None


def _turn(program: Runnable) -> None:
    program.turns.left -= 1
    if program.turns.left < 0:
        program.turns.spend()


def _groups(program: Runnable, one: Launched) -> Iterator[int]:
    """The groups of a launch, one after the other; yields where channels keep all that is left of one."""
    items, group = one.sizes.padded
    called = program.called(one.function.name)
    if items[0] * items[1] * items[2] > MOST_ITEMS:
        raise NotExecutableError("size")
    counts = [range(a // b) for a, b in zip(items, group, strict=True)]
    locals_ = [range(n) for n in group]
    places = list(product(counts[2], counts[1], counts[0]))
    for z, y, x in reversed(places) if one.reverse else places:
        shared = Group(program.fill[1])
        arguments = [
            (Block(a.size, LOCAL, program.fill[1]), 0) if isinstance(a, LocalBytes) else a for a in one.arguments
        ]
        members = [Item(one.sizes, shared, (x, y, z), (c, b, a)) for a, b, c in product(*reversed(locals_))]
        if one.reverse:
            members.reverse()
        if not one.function.suspends:
            for member in members:
                _turn(program)
                called(member, *arguments)
            continue
        yield from _together(program, [called(member, *arguments) for member in members])


def _together(program: Runnable, members: Sequence[Iterator[int]]) -> Iterator[int]:
    """The work-items of a group, each up to the next barrier; yields while a channel keeps one."""
    left = list(members)
    while left:
        places = set[int | None]()
        for member in left:
            _turn(program)
            place = next(member, None)
            while place == WAITING:
                yield WAITING
                place = next(member, None)
            places.add(place)
        if len(places) > 1:
            raise NotExecutableError("divergence")
        if None in places:
            return
