"""The messages of findings."""

from __future__ import annotations

from typing import assert_never

from burstline_model.estimate.changes import NoGather
from burstline_server.config.layers import Problem
from burstline_server.diagnostics.finding import Finding
from burstline_server.diagnostics.reasons import (
    AtomicRefused,
    AtomicWidth,
    CompilerMessage,
    EmptyPipeline,
    Flushed,
    Gain,
    HoldsUp,
    Misconfigured,
    NoChannel,
    NotRead,
    OtherUnits,
    Part,
    Pays,
    ReportNotUsed,
    Uncounted,
    UnknownAddress,
    Unread,
    WaitingLoop,
)
from burstline_server.quantities import count_text, gain_text, share_text, whole_text
from burstline_server.words.assumptions import work_items_text
from burstline_server.words.changes import change_text
from burstline_server.words.remarks import no_atomics_text
from burstline_server.words.settings import problem_text
from burstline_server.words.units import kinds_text
from burstline_server.words.unread import not_analysable_text, skipped_text, unknown_text, unread_text
from burstline_server.words.waits import SLOWEST_ANSWER, wait_text

LONGEST_REASON = 36
"""Most characters of why a loop is not counted, in a message."""
_STALE = {"other_text": "it was compiled from another text of this file", "older": "it is older than this file"}
_PARTS = {"same_wait": "this loop needs the same value", "stored": "stored here", "loaded": "loaded here"}


def message_text(finding: Finding) -> str:
    """What a finding says, in a sentence."""
    name, reason = finding.name, finding.reason
    match reason:
        case CompilerMessage():
            return reason.text
        case Misconfigured():
            return _misconfigured(reason.problem)
        case Unread():
            return unread_text(reason.kind, reason.names)
        case NotRead():
            return skipped_text(reason.kind, reason.names)
        case Pays():
            many = len(reason.change.pointers) if isinstance(reason.change, NoGather) else 1
            where = reason.pointer if many == 1 else f"{many} buffers"
            return f"{name}, {where}: {change_text(reason.change)}{_gain(reason.gain)}"
        case HoldsUp():
            change = change_text(reason.change)
            slow = "this loop and others as slow" if reason.others else "this loop"
            if reason.asks:
                return f"neighbouring iterations ask for parts of one word: {change}{_gain(reason.gain)}"
            return f"{name}: the rest of the kernel waits for {slow}: {change}{_gain(reason.gain)}"
        case WaitingLoop():
            interval, scheduled = _interval(reason)
            return f"{interval}: {wait_text(reason.wait)}{scheduled}{_gain(reason.gain)}"
        case EmptyPipeline():
            items = work_items_text(reason.work_items) if reason.work_items is not None else "?"
            waiting = share_text(reason.waiting)
            if reason.in_loop:
                return f"{name} in this loop: those that run it wait for each iteration ({waiting} of the time)"
            return f"{name}: pipeline latency is not hidden ({items} work-items; {waiting} of the time is waiting)"
        case Flushed():
            return (
                f"{name} after each pass of a group ({reason.stages:.0f} stages, {reason.group} work-items: "
                f"{count_text(reason.cycles)} cycles in all, {share_text(reason.share)} of the kernel's)"
            )
        case Uncounted():
            return f"{name} {_unknown_trips(reason)}"
        case _:
            return _of_places(reason)


def _misconfigured(problem: Problem) -> str:
    """What is wrong with a setting, and the file and line that it is in, where that is not this one."""
    where = f" ({problem.path}:{problem.line})" if problem.path and problem.line and not problem.place else ""
    return f"{problem_text(problem)}{where}"


def _of_places(reason: NoChannel | AtomicRefused | AtomicWidth | UnknownAddress | OtherUnits | ReportNotUsed) -> str:
    """What is not as it should be of a pointer, an access or a report."""
    match reason:
        case NoChannel():
            return f"{reason.pointer} names no channel of {reason.memory}: counted in channel 0 with all others"
        case AtomicRefused():
            return f"{reason.operation}: {no_atomics_text(reason.memory)}"
        case AtomicWidth():
            return f"{reason.operation} on {reason.bits} bits: atomics on global memory are built for int alone"
        case UnknownAddress():
            return f"address in {reason.pointer} {not_analysable_text(reason.why)}"
        case OtherUnits():
            where = f" on line {reason.line} of {reason.file}" if reason.line is not None else ""
            listed = f"the report lists {kinds_text(reason.reported)} for the {reason.op}{where}"
            return f"{listed}, inferred was {kinds_text(reason.inferred)}: the report is used"
        case ReportNotUsed():
            return f"the report {reason.path} is not used: {_STALE[reason.why]}"
        case _:
            assert_never(reason)


def _gain(gain: Gain) -> str:
    return gain_text(gain.now_s, gain.after_s, at_worst=gain.at_worst)


def _interval(reason: WaitingLoop) -> tuple[str, str]:
    """A loop by the interval that it runs at, and in brackets the one it is scheduled for where that is another."""
    if reason.ii is None:
        return "serialised loop", ""
    if reason.ii_at_run is None or reason.ii_at_run >= reason.ii:
        return f"loop with II {reason.ii:g}", ""
    return f"loop with II {reason.ii_at_run:.0f} at run time", f" (scheduled: II {reason.ii:g}, {SLOWEST_ANSWER})"


def _unknown_trips(reason: Uncounted) -> str:
    """Why loops are not counted, what is assumed, and what to give."""
    given = reason.arguments
    give = (
        ", ".join(f"{'-D ' if n in reason.undefined else ''}{n}=…" for n in given) if given else "// burstline: trip=…"
    )
    uncounted = "its bound is not known" if reason.counts else "its condition has no counter"
    why = "it depends on " + ", ".join(given) if given else uncounted
    why = unknown_text(reason.why) if reason.why is not None else why
    why = why if len(why) <= LONGEST_REASON else f"{why[: LONGEST_REASON - 1]}…"
    many = "iteration" if reason.assumed == 1 else "iterations"
    guessed = f"{whole_text(reason.assumed)} {many} assumed" if reason.assumed is not None else "no time without it"
    return f"({why}): {guessed}; give {give}"


def part_text(part: Part) -> str:
    """The part that another place takes in a finding."""
    return _PARTS[part] if isinstance(part, str) else f"the same holds for {part.place}"
