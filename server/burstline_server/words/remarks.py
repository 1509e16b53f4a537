"""What the reader of a kernel's figures has to know."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import assert_never

from burstline_model.devices.resource_use import WORDS
from burstline_model.estimate.remark_kinds import (
    ArgumentsChosen,
    BeyondConstantCache,
    DataDecide,
    Decided,
    EndedByData,
    Fed,
    FewBanksAtATime,
    NoAtomics,
    OfAnotherBoard,
    Remark,
    RunsTogether,
    SharedEnd,
    StartsBehind,
    Starves,
    StepsNotGiven,
    TakeTurns,
    TooLarge,
    Unplaced,
    UnseenCompiler,
    UsualGroups,
    WaitsForAnswer,
    WithoutOthers,
)
from burstline_model.parallelism.usual_groups import DEFAULT_GROUP
from burstline_server.quantities import bytes_text, count_text, factor_text, in_words, share_text, time_text


def remark_text(remark: Remark) -> str:
    """A remark on a kernel's figures in a sentence."""
    match remark:
        case "hidden_by_launch":
            return "its launch takes over 100 times its own time: a host's timer cannot show a change of the kernel"
        case "printf_stalls":
            full = "when it is full the kernel stalls until the host reads it, which is not counted"
            return f"printf fills a buffer of 64 kB: {full}"
        case TooLarge():
            may = "does not fit" if remark.surely else "may not fit"
            share = f"{share_text(remark.share)} of the {WORDS[remark.resource]}"
            said = f"it {may} this device: {share} that the board leaves free, by the estimate of its resources"
            return f"{said}; {in_words(remark.arrays)} {share_text(remark.arrays_share)}" if remark.arrays else said
        case RunsTogether():
            by = remark.set_by if remark.set_by is not None else "the memory that they share"
            others, time = ", ".join(remark.others), time_text(remark.time_s)
            return f"runs at the same time as {others}, joined by channels: {time}, set by {by}"
        case Fed() | Decided() | Starves() | SharedEnd():
            return _other_end(remark)
        case StartsBehind():
            return f"starts when {in_words(remark.others)} has ended (it waits for that at a channel): the times add up"
        case WaitsForAnswer():
            goes = f"each item on {remark.sent} waits for the one before to come back through {remark.answer}"
            unknown = "how long that takes is not known, which makes the time a lower bound"
            return f"{goes} (with {in_words(remark.others)}): {unknown}"
        case WithoutOthers():
            return f"channels join it with {in_words(remark.others)}, without figures: the time is a lower bound"
        case TakeTurns():
            names, times = in_words(remark.pointers), factor_text(remark.times)
            how = f"work-items in other iterations are taken to come between neighbours in {names}"
            return f"{how}: if they do not, {times} fewer bytes are moved"
        case UnseenCompiler():
            newest, used = (".".join(map(str, version)) for version in (remark.newest, remark.used))
            return f"rules are known up to aoc {newest}: units are those that {newest} builds, not seen for {used}"
        case Unplaced():
            names = ", ".join(remark.pointers)
            return f"{names}: no channel of {remark.memory} is named, so all are counted in channel 0"
        case OfAnotherBoard():
            return f"{remark.pointer}: this board has no memory {remark.location}, another one is counted: give --board"
        case NoAtomics():
            return f"{remark.pointer}: {no_atomics_text(remark.memory)}"
        case FewBanksAtATime():
            apart, few = bytes_text(remark.step_bytes), f"{remark.at_once} of {remark.banks} banks"
            return f"{remark.pointer}: requests {apart} apart meet in {few} at a time; rows 64 B longer go round all"
        case _:
            return _counted(remark)


def _other_end(remark: Fed | Decided | Starves | SharedEnd) -> str:
    """What the other end of a channel says of a kernel."""
    match remark:
        case Fed():
            times = "1 iteration is" if remark.rounds == 1 else f"{count_text(remark.rounds)} iterations are"
            items = f"as many as {remark.kernel} moves items through {remark.channel}"
            return f"the trip count of the loop is not known: {times} counted, {items}"
        case Decided():
            times, name = count_text(remark.times), remark.kernel
            return f"{remark.condition} holds {times} times: {name} moves as many through {remark.channel}"
        case Starves():
            takes, sends = count_text(remark.takes), count_text(remark.sends)
            less = f"{remark.kernel} sends {sends} at most"
            return f"it waits for ever, if each kernel is launched once: it takes {takes} from {remark.channel}, {less}"
        case SharedEnd():
            works, done = ("read", "read") if remark.op == "read" else ("write", "written")
            names = in_words(remark.kernels)
            return f"{names} {works} {remark.channel}: the compiler refuses a channel {done} by several kernels"
        case _:
            assert_never(remark)


def no_atomics_text(memory: str) -> str:
    """That a memory has no atomics."""
    return f"{memory} boards have no atomics on global memory"


MOST_CONDITIONS = 4
"""So many conditions are written out."""


def _some(conditions: Sequence[str]) -> str:
    """Conditions, each on one line; of many the first ones, and how many more there are."""
    shown = conditions if len(conditions) <= MOST_CONDITIONS else conditions[: MOST_CONDITIONS - 1]
    more = len(conditions) - len(shown)
    return ", ".join(" ".join(one.split()) for one in shown) + (f" and {more} more" if more else "")


def _counted(
    remark: DataDecide | ArgumentsChosen | StepsNotGiven | UsualGroups | BeyondConstantCache | EndedByData,
) -> str:
    """How something is counted of which too little is known."""
    match remark:
        case DataDecide():
            parts = (
                (remark.conditions, "counted as always true, which is an upper bound"),
                (remark.halved, "each of its two branches is counted as half"),
                (remark.cases, "each case of the switch is counted equally often"),
                (remark.once, "it leaves the loop, and is counted as true once, in the last iteration"),
            )
            found = [f"data decide {_some(names)}: {how}" for names, how in parts if names]
            if remark.handed_on:
                left = _some(remark.handed_on)
                found.append(f"earlier iterations decide {left}: counted as always true, which is an upper bound")
            return "; ".join(found)
        case ArgumentsChosen():
            names, values = zip(*remark.values, strict=True)
            at, asked = in_words([str(one) for one in values]), " ".join(f"--arg {name}=…" for name in names)
            are = "is" if len(names) == 1 else "are"
            return f"{in_words(names)} {are} not given: counted at {at}, which takes longest: give {asked}"
        case StepsNotGiven():
            asked = " ".join(f"--arg {name}=…" for name in remark.arguments)
            least = f"with 1 the kernel takes {time_text(remark.time_s)}"
            unknown = in_words(remark.arguments)
            return f"{unknown} not given: neighbours are counted as far apart; {least}: give {asked}"
        case UsualGroups():
            sides = " × ".join(map(str, [n for n in remark.items if n > 1] or [1]))
            groups = f"work-groups of {sides} work-items are assumed: give --local-size, or reqd_work_group_size"
            many = prod(remark.items) > DEFAULT_GROUP
            return f"{groups}, without which a group has {DEFAULT_GROUP} at most" if many else groups
        case BeyondConstantCache():
            read = f"{remark.pointer} and {remark.others} more" if remark.others else remark.pointer
            of = "them" if remark.others else "it"
            return (
                f"{read}: {bytes_text(remark.bytes)} of {of} are read through the constant cache, which has "
                f"16 kB unless -const-cache-bytes gives more: the cost of misses is not counted"
            )
        case EndedByData():
            loop = remark.loop or "its counter"
            of_row = f"a row of {remark.row_of} holds"
            most = f"which is the most that {of_row if remark.row_of else 'conditions and loops before it leave'}"
            return f"data end the loop over {loop}: {remark.trips} iterations are counted, {most}"
        case _:
            assert_never(remark)
