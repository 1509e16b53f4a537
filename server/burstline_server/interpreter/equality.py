"""Runs a kernel and its edited text on the same trials: equal, different, or not executed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from burstline_server.interpreter.kinds import Kind, Pointer, scalars_of
from burstline_server.interpreter.memory import Block, struct_of
from burstline_server.interpreter.program import Function, Program
from burstline_server.interpreter.reasons import (
    Different,
    Equal,
    NotExecutableError,
    NotExecuted,
    OutOfBoundsError,
    Reason,
    Verdict,
)
from burstline_server.interpreter.run import Launched, run
from burstline_server.interpreter.trials import Trial, arguments_of, buffers_of, larger, trials_of
from burstline_server.source.source import Source

TURNS = 100_000
"""Turns of loops and of work-items that a run may take."""
BUDGET_S = 1.0
"""Processor time for all trials of an edit."""
Buffers = Mapping[str, Block]


@dataclass(frozen=True)
class Edited:
    """The text after an edit: the kernels that replace the one before, and the values of arguments that it adds."""

    source: Source
    kernels: tuple[str, ...]
    arguments: Mapping[str, int]


def equal(before: Source, kernel: str, edited: Edited, budget_s: float = BUDGET_S) -> Verdict:
    """Whether a kernel and what replaces it leave the same in all buffers, as far as trials show."""
    try:
        return _Comparison(before, kernel, edited, budget_s).verdict()
    except NotExecutableError as error:
        return NotExecuted(error.reason)


class _Comparison:
    def __init__(self, before: Source, kernel: str, edited: Edited, budget_s: float) -> None:
        self.until_s = time.thread_time() + budget_s
        self.before, self.after = Program(before), Program(edited.source)
        self.one = self.before.function(kernel)
        self.others = [self.after.function(name) for name in edited.kernels]
        self.added = edited.arguments
        pointers = {p.name: p.kind.to for p in self.one.parameters if isinstance(p.kind, Pointer)}
        self._kinds: dict[str, Kind] = pointers
        self._least: dict[str, int] = {}
        self._sizes = {name: max(kind.size, 1) for name, kind in pointers.items()}

    def verdict(self) -> Verdict:
        """What all trials show."""
        groups = {f.group for f in (self.one, *self.others)} - {None}
        group = groups.pop() if groups else None
        executed, moved, left = 0, False, Reason("no_trial")
        for trial in trials_of(self.one, max(self.before.dimensions, self.after.dimensions), group):
            if time.thread_time() > self.until_s:
                break
            found = self._tried(trial, grow=not executed)
            if isinstance(found, Different):
                return found
            if isinstance(found, Reason):
                left = found
            else:
                executed, moved = executed + 1, moved or found
        # Trials in which the kernel touches nothing show nothing.
        return Equal(executed) if moved else NotExecuted(left)

    def _tried(self, trial: Trial, *, grow: bool) -> Different | Reason | bool:
        """A trial's difference; why it says nothing; or whether the kernel touched any buffer.

        Where `grow`, larger buffers are tried for a kernel that reaches behind them.
        """
        try:
            expected = self._ran(self.before, [self.one], trial)
        except OutOfBoundsError as error:
            more = larger(trial) if grow and error.offset >= 0 and error.block.name in self._sizes else None
            return self._tried(more, grow=False) if more is not None else Reason("no_trial")
        except NotExecutableError as error:
            if error.reason.what in {"steps", "time", "memory"}:
                return error.reason
            raise
        limits = {name: self._limit(name, block.reach) for name, block in expected.items()}
        try:
            found = self._ran(self.after, self.others, trial, limits)
        except OutOfBoundsError as error:
            size = self._sizes.get(error.block.name, 1)
            found_at = Different("bounds", error.block.name, error.offset // size, trial.lengths)
        except NotExecutableError as error:
            if error.reason.what != "deadlock":
                return error.reason
            found_at = Different("deadlock", "", 0, trial.lengths)
        else:
            place = self._difference(expected, found)
            sent = self.after.turns.sent()
            if place is not None:
                found_at = Different("value", *place, trial.lengths)
            elif self.before.turns.sent() != sent:
                found_at = Different("sent", "", 0, trial.lengths)
            else:
                return any(block.reach for block in expected.values()) or bool(sent)
        return Reason("no_trial") if self._is_open(trial, expected) else found_at

    def _ran(
        self, program: Program, functions: Sequence[Function], trial: Trial, limits: Mapping[str, int] | None = None,
        *, reverse: bool = False,
    ) -> Buffers:  # fmt: skip
        buffers = buffers_of(self.one, trial)
        for name, limit in (limits or {}).items():
            buffers[name].limit = limit
        calls = [Launched(f, arguments_of(f, trial, buffers, self.added), trial.sizes, reverse) for f in functions]
        program.turns.start(TURNS * (1 + (limits is not None)), max(self.until_s, time.thread_time() + 0.1))
        run(program, calls)
        return buffers

    def _limit(self, name: str, reach: int) -> int:
        """How far the edited kernel may reach: as far as the kernel before, in a buffer that holds an element at least.

        A buffer that this run does not touch is as large as in the least run that touches it.
        """
        if reach:
            self._least[name] = min(reach, self._least.get(name, reach))
        return max(reach or self._least.get(name, 0), self._sizes[name])

    def _is_open(self, trial: Trial, expected: Buffers) -> bool:
        """Whether the kernel's own results depend on what C leaves open: fresh variables, the order of work-items."""
        self.before.fill[:] = [3, 0x41]
        try:
            other = self._ran(self.before, [self.one], trial)
            self.before.fill[:] = [0, 0]
            turned = self._ran(self.before, [self.one], trial, reverse=True)
        except (OutOfBoundsError, NotExecutableError):
            return True
        finally:
            self.before.fill[:] = [0, 0]
        return any(self._difference(expected, one) is not None for one in (other, turned))

    def _difference(self, expected: Buffers, found: Buffers) -> tuple[str, int] | None:
        """The first element that differs; any two that are no numbers are the same."""
        for name, block in expected.items():
            one, two = bytes(block.data), bytes(found[name].data)
            if one == two:
                continue
            scalar = scalars_of(self._kinds[name])
            size = scalar.size if scalar is not None else 1
            for at in range(0, len(one), size):
                if one[at : at + size] != two[at : at + size]:
                    if scalar is not None and scalar.real:
                        pair = (struct_of(scalar).unpack_from(data, at)[0] for data in (one, two))
                        if all(map(math.isnan, pair)):
                            continue
                    return name, at // self._sizes[name]
        return None
