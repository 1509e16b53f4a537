"""Why a kernel was not executed, and what ends a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from burstline_server.interpreter.memory import Block

Obstacle = Literal[
    "argument", "channel", "deadlock", "divergence", "expression", "function", "memory", "name", "no_kernel",
    "no_trial", "recursion", "size", "statement", "steps", "syntax", "time", "type",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """What keeps a kernel from being executed; `name` is what the text calls it, empty where nothing is to be named."""

    what: Obstacle
    name: str = ""


class NotExecutableError(Exception):
    """The text, or a run of it, is beyond what is executed here."""

    def __init__(self, what: Obstacle, name: str = "") -> None:
        super().__init__(f"{what}: {name}")
        self.reason = Reason(what, name)


class OutOfBoundsError(Exception):
    """An access of `size` bytes at byte `offset` of a buffer that ends before it, or that begins behind it."""

    def __init__(self, block: Block, offset: int, size: int) -> None:
        super().__init__(f"{block.name}[{offset}, {offset + size})")
        self.block, self.offset, self.size = block, offset, size
