"""What an estimate rests on: each input with its value, and where the value comes from."""

from __future__ import annotations

from burstline_model.launch import Mode, Provenance
from burstline_model.record import small


@small
class WorkItems:
    """All work-items of a launch, and how many there are in each dimension."""

    items: int
    shape: tuple[int, ...]


@small
class Argument:
    """The value of a scalar argument."""

    name: str
    value: int


@small
class AssumedTrips:
    """Iterations that are assumed of each loop whose trips are not known."""

    trips: int


@small
class KernelClock:
    """The kernel's clock, and where eight of ten builds lie, in Hz."""

    hz: float
    low_hz: float
    high_hz: float


@small
class MemoryType:
    """The board's memory technology."""

    type: str


@small
class SimdLanes:
    """Work-items side by side."""

    lanes: int


@small
class ModelMode:
    """Which equations hold."""

    mode: Mode


@small
class LaunchTime:
    """What a host's timer adds to the kernel's own time, in seconds."""

    time_s: float


Input = WorkItems | Argument | AssumedTrips | KernelClock | MemoryType | SimdLanes | ModelMode | LaunchTime


@small
class Assumption:
    """One input of the estimate, and where its value comes from."""

    of: Input
    provenance: Provenance
