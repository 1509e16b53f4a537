"""A basic block of a kernel, and the parts that a kernel's cycles are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from burstline_model.record import fixed


@dataclass
class Block:
    """A basic block: `cycle` is #Cycle, the critical path; `mem_insts`, `mem_bytes` and `mem_burst` are Eqs. 1 to 5.

    `memory_cycles` is what its accesses take per work-item and iteration by the memory model (None: WANG's own).
    """

    loops: tuple[int, ...]
    line_loop: int | None
    cycle: float = 1.0
    stores: float = 1.0
    """Cycles in which what one iteration stores on the chip comes through the ports there."""
    mem_insts: float = 0.0
    mem_bytes: float = 0.0
    mem_burst: float = 1.0
    loads: int = 0
    """Global loads on the longest chain in which each waits for the one before: for its address, or at a fence."""
    memory_cycles: float | None = None
    trips: float = 1.0
    """Iterations of the loops around, per work-item, those that conditions keep from them counted in."""
    entered: float = 1.0
    """The share of work-items and outer iterations that reach its loops."""
    in_turn: float = 1.0
    """Copies of it that run one after the other: those of an unrolled loop whose iterations do not overlap."""
    unrolled: bool = False
    """A loop was in it that unrolling has dissolved."""
    comp_min: float = 0.0
    comp: float = 0.0
    mem_min: float = 0.0
    mem: float = 0.0

    def copy(self) -> Block:
        """The same block, to be filled with the figures of another launch."""
        other = object.__new__(Block)
        other.__dict__.update(self.__dict__)
        return other

    @property
    def trips_alone(self) -> float:
        """Iterations of a work-item that reaches its loops."""
        return self.trips / self.entered if self.entered else 0.0

    @property
    def cycles(self) -> float:
        """C_k (Eq. 10), for all iterations."""
        return max(self.comp, self.mem)


@fixed
class Part:
    """Cycles that a kernel's time is made of: those of the block in `loops`, spent on `kind`.

    "compute" is one iteration or work-item after the other, "few_items" what too few of them add, "fill" the way
    through an inner pipeline, "wait" what iterations wait for the end of the one before.
    """

    loops: tuple[int, ...]
    kind: Literal["compute", "memory", "few_items", "fill", "wait"]
    cycles: float
