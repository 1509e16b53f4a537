"""What the iterations of a loop wait for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import assert_never

from burstline_model.body_operations import StepCount
from burstline_model.pipeline.waits import (
    AskedInterval,
    Carried,
    CarriedThroughLoop,
    ChannelInTurn,
    EndsByLoad,
    InnerTripsVary,
    ReportedWait,
    ThroughMemory,
    Wait,
)

SLOWEST_ANSWER = "for the memory's slowest answer"
"""Why a loop is scheduled for more cycles than its iterations take: a dependence goes through the memory."""


def wait_text(wait: Wait) -> str:
    """What an iteration waits for, in a sentence."""
    match wait:
        case "not_pipelined":
            return "#pragma disable_loop_pipelining"
        case "one_at_a_time":
            return "#pragma max_concurrency 1"
        case "loops_inside":
            return "there is a loop in it, and the compiler is older than 16.1"
        case AskedInterval():
            return f"#pragma ii {wait.ii}"
        case Carried():
            return f"{' and '.join(wait.names)} carried to the next iteration through {_listed(wait.steps)}"
        case CarriedThroughLoop():
            names = " and ".join(wait.names)
            return f"{names} carried to the next iteration through the loop over {wait.loop or '?'}"
        case InnerTripsVary():
            inner = f"the loop over {wait.loop}" if wait.loop else "a loop in it"
            return f"{inner} has a different trip count in each iteration"
        case ThroughMemory():
            reach = "reaches" if wait.proven else "may alias"
            return f"store to {wait.pointer} {reach} a later load of {wait.place}"
        case ChannelInTurn():
            return f"{wait.times} {wait.op}s of {wait.channel} in each iteration, one after the other"
        case EndsByLoad():
            first = f"{wait.times} loads, one after the other, the last of them " if wait.times > 1 else ""
            return f"whether there is a next iteration follows from {first}{wait.place}"
        case ReportedWait():
            return wait.text
        case _:
            assert_never(wait)


def _listed(steps: Iterable[StepCount]) -> str:
    """The operations of a chain, each kind once, whichever loops it is in."""
    times = Counter[str]()
    for step in steps:
        if not step.operation.endswith((" select", " fused mul")):
            times[step.operation] += step.count
    return ", ".join(f"{n} {kind}s" if n > 1 else kind for kind, n in times.items()) or "a copy"
