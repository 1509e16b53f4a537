"""What the reader of a kernel's figures has to know, by kind."""

from __future__ import annotations

from typing import Literal

from burstline_model.devices.resource_use import Resource
from burstline_model.record import small


@small
class TooLarge:
    """The kernel takes this share of a resource, which is more than there is; `surely` in spite of the error.

    The share is of what the board's own logic leaves free. `arrays` fill the RAM blocks, and take `arrays_share`.
    """

    resource: Resource
    share: float
    surely: bool
    arrays: tuple[str, ...] = ()
    arrays_share: float = 0.0


@small
class RunsTogether:
    """Channels join the kernel with others; all take this long, set by one of them, or (None) by the memory."""

    others: tuple[str, ...]
    time_s: float
    set_by: str | None


@small
class StartsBehind:
    """The kernel waits at a channel, before all that it does, for the end of these."""

    others: tuple[str, ...]


@small
class WithoutOthers:
    """Channels join the kernel with these, which have no figures: how long it waits for them is not known."""

    others: tuple[str, ...]


@small
class WaitsForAnswer:
    """What is sent on a channel is made of the answer to what was sent before, which others give on another one."""

    others: tuple[str, ...]
    sent: str
    answer: str


@small
class TakeTurns:
    """Requests for these pointers count as apart: work-items in other iterations of a loop come between neighbours.

    Together they would fetch a `times`th.
    """

    pointers: tuple[str, ...]
    times: float


@small
class Unplaced:
    """Pointers without a channel, on a memory of separate ones: all of them are counted in channel 0."""

    pointers: tuple[str, ...]
    memory: str


@small
class Fed:
    """That a loop which channels keep going runs as often as another kernel sends to it, or takes from it."""

    kernel: str
    channel: str
    rounds: int


@small
class Decided:
    """That a condition which data decide holds so many times, as a kernel at the other end of a channel says."""

    kernel: str
    channel: str
    condition: str
    times: int


@small
class Starves:
    """The kernel takes more items from a channel than another one sends at most, each launched once."""

    channel: str
    takes: int
    kernel: str
    sends: int


@small
class SharedEnd:
    """Kernels that work at the same end of a channel, which the compiler refuses; `op` is what they do there."""

    channel: str
    op: str
    kernels: tuple[str, ...]


@small
class OfAnotherBoard:
    """A pointer whose ``buffer_location`` names no memory of the board."""

    pointer: str
    location: str


@small
class NoAtomics:
    """An atomic on a pointer, on a memory that has none."""

    pointer: str
    memory: str


@small
class DataDecide:
    """Conditions that data decide, counted as if they always held.

    Of the `halved`, either arm counts as half; the `cases` of a switch count alike. What comes `once` leaves a loop.
    `handed_on` are conditions on what one iteration hands to the next, whose course is not known.
    """

    conditions: tuple[str, ...]
    halved: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    handed_on: tuple[str, ...] = ()


@small
class ArgumentsChosen:
    """Arguments that choose between parts of the kernel and that nobody gives, at the values that take longest."""

    values: tuple[tuple[str, int], ...]


@small
class StepsNotGiven:
    """Arguments that neighbours lie apart by and that nobody gives, counted as far; `time_s` if they are 1."""

    arguments: tuple[str, ...]
    time_s: float


@small
class UsualGroups:
    """Nobody gives the size of work-groups: conditions on a place in them are counted in groups of so many."""

    items: tuple[int, ...]


@small
class BeyondConstantCache:
    """More of __constant arguments is read than their cache holds, most of it of this one; `others`: how many more."""

    pointer: str
    bytes: float
    others: int = 0


@small
class EndedByData:
    """Data end a loop (its variable, empty where it has none).

    Counted is the most that a row of a buffer holds, or (`row_of` is empty) that earlier loops can have counted to.
    """

    loop: str
    trips: int
    row_of: str


@small
class UnseenCompiler:
    """No report of a compiler as new as the one in use was seen; rules are those of the newest that was."""

    newest: tuple[int, int]
    used: tuple[int, int]


@small
class FewBanksAtATime:
    """Requests for a pointer lie so many bytes apart: they meet in `at_once` of its `banks` until they move on."""

    pointer: str
    step_bytes: float
    banks: int
    at_once: int


Remark = (
    Literal["hidden_by_launch", "printf_stalls"] | TooLarge | RunsTogether | StartsBehind | Unplaced | OfAnotherBoard
    | NoAtomics | DataDecide | UsualGroups | TakeTurns | BeyondConstantCache | EndedByData | UnseenCompiler
    | FewBanksAtATime | Fed | Decided | Starves | ArgumentsChosen | WaitsForAnswer | WithoutOthers | StepsNotGiven
    | SharedEnd
)  # fmt: skip
"""`hidden_by_launch`: the launch takes over 100 times as long as the kernel. `printf_stalls`: the kernel waits
for the host whenever the buffer of printf is full (64 kB, Programming Guide, appendix on printf)."""
