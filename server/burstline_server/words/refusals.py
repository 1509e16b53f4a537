"""Why a knob's value cannot be built or launched."""

from __future__ import annotations

from typing import assert_never

from burstline_model.devices.resource_use import WORDS
from burstline_model.explore.refusals import (
    FewTrips,
    NoAtomics,
    NoBank,
    NoRoom,
    NotSimd,
    OddLanes,
    OtherMemory,
    Refusal,
    RequiredGroup,
    RolledLoop,
    TooManyCopies,
    UnevenGroups,
    UnevenLanes,
)
from burstline_server.words.lanes import apart_text, loop_text
from burstline_server.words.remarks import no_atomics_text

_PLAIN = {
    "one_unit": "compute units share out work-groups: a kernel of one work-item runs in one",
    "async_copy": "an asynchronous copy is no loop of the source",
    "no_groups": "a kernel of one work-item has no work-groups",
}


def refusal_text(refusal: Refusal) -> str:
    """Why a value of a knob is refused, in a sentence."""
    match refusal:
        case str():
            return _PLAIN[refusal]
        case NoAtomics():
            return no_atomics_text(refusal.memory)
        case NoBank():
            return f"{refusal.pointer} in bank {refusal.bank}: the memory has {refusal.banks}"
        case OtherMemory():
            memory = refusal.memory or "another memory"
            return f"{refusal.pointer} lies in {memory}: variants are compared in the board's default memory alone"
        case NoRoom():
            return f"it takes more {WORDS[refusal.resource]} than the board leaves free"
        case RolledLoop():
            name = loop_text(refusal.loop)
            if refusal.why == "channel":
                return f"a channel has one place that uses it: the loop over {name} stays rolled"
            return f"the trips of the loop over {name} are not a constant: it cannot be unrolled fully"
        case FewTrips():
            return f"the loop over {loop_text(refusal.loop)} has only {refusal.trips} trips"
        case TooManyCopies():
            return f"more than {refusal.most} copies of the loop over {loop_text(refusal.loop)}"
        case _:
            return _uneven(refusal)


def _uneven(refusal: NotSimd | OddLanes | UnevenLanes | RequiredGroup | UnevenGroups) -> str:
    """Why lanes or work-groups do not go together with the launch."""
    match refusal:
        case NotSimd():
            return apart_text(refusal.why)
        case OddLanes():
            return f"SIMD {refusal.lanes}: the compiler takes powers of two up to {refusal.most}"
        case UnevenLanes():
            size = _times(refusal.size)
            group = f"any work-group of {size} work-items" if refusal.any_group else f"a work-group of {size}"
            return f"SIMD {refusal.lanes} does not divide {group}"
        case RequiredGroup():
            return f"the kernel requires work-groups of {_times(refusal.size)}"
        case UnevenGroups():
            return f"work-groups of {_times(refusal.size)} do not divide {_times(refusal.whole)} work-items"
        case _:
            assert_never(refusal)


def _times(size: tuple[int, ...]) -> str:
    return "×".join(str(n) for n in size)
