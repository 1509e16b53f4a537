"""What comes of executing an edit: equal, different, or not executed and why; what ends a run."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from burstline_model.record import fixed

Beyond = Literal[
    "argument", "channel", "deadlock", "divergence", "expression", "function", "inexact", "memory", "name", "no_kernel",
    "no_trial", "recursion", "size", "statement", "steps", "syntax", "time", "type",
]  # fmt: skip


PromiseKind = Literal["iterations_apart", "not_read_later", "not_stored_later", "halves_apart", "exact_terms"]
PROMISES = frozenset(get_args(PromiseKind))
MOST_NAMED = 40


@fixed
class Reason:
    """What keeps a kernel from being executed; `name` is what the text calls it, empty where nothing is to be named."""

    what: Beyond
    name: str = ""


@fixed
class Equal:
    """All buffers were left the same, byte for byte, at so many trials; others broke what is asserted.

    No trials: both texts have the same statements, so that a run of either is a run of the other. `shorter`: so it was
    with fewer turns of the loops, since those of the text take too long.
    """

    trials: int
    broken: int = 0
    shorter: bool = False


@fixed
class Different:
    """How the edited kernel differs: an element's value, what it sends, a buffer's end, that it waits or runs for ever.

    Or a race of work-items that the kernel before has not, at an element of a buffer or a byte of local memory, where
    `buffer` is empty. Or the assertion that all trials break, and where the first of them does.
    """

    how: Literal["value", "sent", "printed", "bounds", "deadlock", "endless", "race"] | PromiseKind
    buffer: str
    element: int
    lengths: tuple[int, ...]


@fixed
class NotExecuted:
    """Why nothing is known of an edit from executing it."""

    reason: Reason


Verdict: TypeAlias = Equal | Different | NotExecuted


class NotExecutableError(Exception):
    """The text, or a run of it, is beyond what is executed here."""

    def __init__(self, what: Beyond, name: str = "") -> None:
        super().__init__(f"{what}: {name}")
        # Names are the user's text, which people read in terminals.
        self.reason = Reason(what, "".join(c for c in name if c.isprintable())[:MOST_NAMED])


class OutOfBoundsError(Exception):
    """An access of `size` bytes at byte `offset` of a buffer that ends before it, or that begins behind it."""

    def __init__(self, buffer: str, offset: int, size: int) -> None:
        super().__init__(f"{buffer}[{offset}, {offset + size})")
        self.buffer, self.offset, self.size = buffer, offset, size
