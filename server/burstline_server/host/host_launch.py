"""One launch of a kernel in a host program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """A kernel's launch in a host's text, as far as its numbers are written there.

    `line` counts from one; `arguments` are integers by position. What the host computes while it runs is left out.
    `fixed` are those that have one value in every run of that host, whatever is chosen when it is built or started:
    the value and the line that passes it. `count`: how many arguments are set, where that was read. `banks`: the bank,
    from zero, of the buffers that the host creates for an argument, by position.
    """

    kernel: str
    line: int
    global_size: tuple[int, ...] | None = None
    local_size: tuple[int, ...] | None = None
    arguments: Mapping[int, int] = field(default_factory=dict)
    fixed: Mapping[int, tuple[int, int]] = field(default_factory=dict, compare=False)
    count: int = field(default=0, compare=False)
    banks: Mapping[int, int] = field(default_factory=dict)

    @property
    def says(self) -> int:
        """How much of the launch is known."""
        return len(self.arguments) + len(self.banks) + (self.global_size is not None) + (self.local_size is not None)
