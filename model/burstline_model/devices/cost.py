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
        return Cost(
            self.aluts + other.aluts, self.registers + other.registers, self.rams + other.rams, self.dsps + other.dsps
        )

    def times(self, factor: float) -> Cost:
        """`factor` of it."""
        return Cost(self.aluts * factor, self.registers * factor, self.rams * factor, self.dsps * factor)
