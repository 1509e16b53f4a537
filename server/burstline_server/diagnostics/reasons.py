"""What the rules find, by kind: names and figures, of which `words` makes the messages."""

from __future__ import annotations

from typing import Literal

from burstline_model.estimate.assumption import WorkItems
from burstline_model.estimate.changes import Change, Observed
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.facts import RemarkKind, Unknown
from burstline_model.lsu import ReportedKind
from burstline_model.pipeline.waits import Wait
from burstline_model.record import fixed
from burstline_server.assessment.reports import Stale
from burstline_server.config.layers import Problem
from burstline_server.source.preprocessed import Skipped


@fixed
class Gain:
    """A kernel's time as it is and after a change, in seconds; None where that is not known.

    `at_worst`: the most that data, or the order of work-items, make of them.
    """

    now_s: float | None
    after_s: float | None
    at_worst: bool = False


def gain_of(estimate: KernelEstimate, after_s: float | None) -> Gain:
    """What a change makes of a kernel's time."""
    return Gain(estimate.time_s, after_s, at_worst=estimate.at_worst is not None)


@fixed
class Pays:
    """A change at the units of a pointer pays."""

    pointer: str
    change: Observed
    gain: Gain


@fixed
class NoChannel:
    """A pointer names no channel of a memory of separate ones."""

    pointer: str
    memory: str


@fixed
class AtomicRefused:
    """An atomic operation on a memory that has none."""

    operation: str
    memory: str


@fixed
class AtomicWidth:
    """An atomic operation on so many bits, of which the platform has none."""

    operation: str
    bits: int


@fixed
class UnknownAddress:
    """An address that cannot be analysed; `why` is None where nothing more is known."""

    pointer: str
    why: Unknown | None


@fixed
class Uncounted:
    """Loops that wait for the same arguments, or whose condition counts nothing; what is assumed, where something is.

    `why` is what the reader of the text says of the first, if anything; `counts`: a counter runs to a bound, which is
    what is not known. `undefined`: those of the arguments that nothing defines.
    """

    why: Unknown | None
    arguments: tuple[str, ...]
    assumed: int | None
    counts: bool = False
    undefined: tuple[str, ...] = ()


@fixed
class OtherUnits:
    """A report lists other units at a place than were inferred; `line` and `file` where no access is found there."""

    op: str
    reported: tuple[ReportedKind, ...]
    inferred: tuple[ReportedKind, ...]
    line: int | None
    file: str


@fixed
class ReportNotUsed:
    """A report that is not used, and why."""

    path: str
    why: Stale


@fixed
class WaitingLoop:
    """A loop whose iterations wait: its initiation interval (None: it is serialised) as scheduled and at run time."""

    ii: float | None
    ii_at_run: float | None
    wait: Wait
    gain: Gain


@fixed
class HoldsUp:
    """A loop that holds up its kernel, with so many `others` that take as long.

    `asks`: it is the memory that takes the time, which iterations ask for parts of words.
    """

    change: Change
    gain: Gain
    others: int = 0
    asks: bool = False


@fixed
class EmptyPipeline:
    """Work-items that do not fill a pipeline: the share of the time that is waiting.

    `in_loop`: those that run one loop, which most leave out.
    """

    work_items: WorkItems | None
    waiting: float
    in_loop: bool = False


@fixed
class Flushed:
    """A barrier that empties the pipeline after each pass of a group: cycles in all, as a share of the kernel's."""

    stages: float
    group: int
    cycles: float
    share: float


@fixed
class Unread:
    """What the reader of a kernel could not analyse, wherever in the file that is."""

    kind: RemarkKind
    names: tuple[str, ...]


@fixed
class Misconfigured:
    """A setting that could not be used."""

    problem: Problem


@fixed
class NotRead:
    """What of a file the preprocessor did not read as it is written."""

    kind: Skipped
    names: tuple[str, ...]


@fixed
class CompilerMessage:
    """Why the compiler refuses the program, as it prints that."""

    text: str


Reason = (
    Pays | NoChannel | AtomicRefused | AtomicWidth | UnknownAddress | Uncounted | Unread | OtherUnits | ReportNotUsed
    | WaitingLoop | HoldsUp | EmptyPipeline | Flushed | NotRead | Misconfigured | CompilerMessage
)  # fmt: skip


@fixed
class SameAt:
    """The same holds for an access, as it is written."""

    place: str


Part = Literal["same_wait", "stored", "loaded"] | SameAt
"""The part that another place takes in a finding: a loop that waits for the same, a store, or a load."""
