"""What a piece of hardware takes of a device, as the vendor's reports count it."""

from __future__ import annotations

from typing import NamedTuple


class Cost(NamedTuple):
    """Look-up tables, registers, RAM blocks (of the family's own size) and DSP blocks."""

    aluts: float = 0.0
    registers: float = 0.0
    rams: float = 0.0
    dsps: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))

    def times(self, factor: float) -> Cost:
        """`factor` of it."""
        return Cost(*(a * factor for a in self))
