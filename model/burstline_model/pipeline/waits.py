"""What keeps an iteration of a loop from starting a clock cycle after the one before."""

from __future__ import annotations

from typing import Literal

from burstline_model.body_operations import StepCount
from burstline_model.record import small


@small
class AskedInterval:
    """A pragma asks for this initiation interval."""

    ii: int


@small
class Carried:
    """Values (variables, or a place in memory that is kept in a register) that go through operations."""

    names: tuple[str, ...]
    steps: tuple[StepCount, ...]


@small
class CarriedThroughLoop:
    """Values that an inner loop makes; `loop` is its variable, empty where it has none."""

    names: tuple[str, ...]
    loop: str


@small
class ThroughMemory:
    """A store to a pointer that a later load, at `place` in the text, reaches or, where not `proven`, may reach."""

    pointer: str
    place: str
    proven: bool


@small
class ChannelInTurn:
    """An iteration asks one channel so many times, and the next one only after the last of them."""

    channel: str
    op: Literal["read", "write"]
    times: int


@small
class EndsByLoad:
    """`times` loads, one after the other, decide whether there is a next iteration; `place` is the last of them."""

    place: str
    times: int


@small
class InnerTripsVary:
    """An inner loop that runs differently often in each iteration; `loop` is its variable, empty where it has none.

    What decides how often: outer counters (or nothing that is known), or `data`; these of `several` loops, or under
    conditions that data decide as well, as in an interpreter of instructions.
    """

    loop: str
    by: Literal["counters", "data", "several"] = "counters"


@small
class ReportedWait:
    """What a build's report names, in its words."""

    text: str


Wait = (
    Literal["not_pipelined", "one_at_a_time", "loops_inside"]
    | AskedInterval
    | Carried
    | CarriedThroughLoop
    | ChannelInTurn
    | EndsByLoad
    | InnerTripsVary
    | ThroughMemory
    | ReportedWait
)
"""`not_pipelined`: a pragma keeps the loop from being pipelined; `one_at_a_time`: one lets it have a single iteration
in flight; `loops_inside`: the compiler begins no iteration in the cycle after another, as there is a loop in it."""
