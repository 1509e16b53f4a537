"""Runs a kernel and its edited text on the same trials: equal, different, or not executed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from burstline_model.record import fixed
from burstline_server.interpreter.function import Function
from burstline_server.interpreter.host_side import NOTHING, HostSide, Layout
from burstline_server.interpreter.kinds import Kind, Pointer, scalars_of
from burstline_server.interpreter.memory import Block, struct_of
from burstline_server.interpreter.program import ALL_OPEN, NOTHING_OPEN, Program
from burstline_server.interpreter.promises import Watch
from burstline_server.interpreter.races import race_in
from burstline_server.interpreter.run import LOCAL, Launched, Sizes, run
from burstline_server.interpreter.trials import (
    Trial,
    arguments_of,
    begun_later,
    buffers_of,
    further_trials,
    larger,
    numbers_of,
    trials_of,
)
from burstline_server.interpreter.verdicts import (
    PROMISES,
    Different,
    Equal,
    NotExecutableError,
    NotExecuted,
    OutOfBoundsError,
    Reason,
    Verdict,
)
from burstline_server.source.source import Source

TURNS = 100_000
"""Turns of loops and of work-items that a run may take."""
BUDGET_S = 1.0
"""Processor time for all trials of an edit."""
ATTEMPTS = 8
"""Most sizes of buffers in a further trial."""
ENOUGH = 3
"""Further trials that touch something, after which there are no more."""
ENDLESS = 40
"""How many times as long as the kernel before an edited one runs that does not end."""
FEW_ITEMS = 16
"""Most work-items in a launch that shows it: what each of many does first may take longer than all the rest."""
RACES_S = 0.2
"""Processor time for both kernels' races in a trial, beyond that of the trials."""
Buffers = Mapping[str, Block]
TASK = Sizes((1,), (1,))


@fixed
class Edited:
    """The text after an edit: the kernels that replace the one before, and the values of arguments that it adds.

    `host` is what the host program does otherwise, or the user asserts, for them to compute the same. `joined` are
    the kernels that run at the same time before the edit, where it changes several: an argument is then known by its
    kernel's name and its own, with a point between.
    """

    source: Source
    kernels: tuple[str, ...]
    arguments: Mapping[str, int]
    host: HostSide = NOTHING
    joined: tuple[str, ...] = ()


def equal(before: Source, kernel: str, edited: Edited, budget_s: float = BUDGET_S) -> Verdict:
    """Whether a kernel and what replaces it leave the same in all buffers, as far as trials show."""
    try:
        return _Comparison(before, kernel, edited, budget_s).verdict()
    except NotExecutableError as error:
        return NotExecuted(error.reason)


class _Comparison:
    def __init__(self, before: Source, kernel: str, edited: Edited, budget_s: float) -> None:
        self.until_s = time.thread_time() + budget_s
        self.added, self.host = edited.arguments, edited.host
        self.watch = Watch(self.host.promises) if self.host.promises else None
        between = self.host.between
        self.before = Program(before, None if between else self.watch)
        self.after = Program(edited.source, before=self.before)
        self.between = Program(between.source, self.watch) if between is not None else None
        self.firsts = [self.before.function(name) for name in edited.joined or (kernel,)]
        self.others = [self.after.function(name) for name in edited.kernels]
        if edited.joined:
            self.firsts, self.others = ([named_apart(f) for f in some] for some in (self.firsts, self.others))
        self.one = replace(self.firsts[0], parameters=tuple(p for f in self.firsts for p in f.parameters))
        self._kinds = elements_of([self.one])
        self._least: dict[str, int] = {}
        self._equal: list[tuple[Trial, Mapping[str, int]]] = []
        """Trials of several work-items that were equal, and the bytes that the first kernel reached in them."""
        kept = elements_of(self.others)
        self._sizes = {name: max(kind.size, 1) for name, kind in {**kept, **self._kinds}.items()}
        self._layout = Layout(self.host.moved, self._kinds, kept)

    def verdict(self) -> Verdict:
        """What all trials show."""
        group = next((f.group for f in (*self.firsts, *self.others) if f.group is not None), None)
        executed, broken, moved, left = 0, 0, 0, Reason("no_trial")
        further = False
        first: Different | None = None
        dimensions = max(self.before.dimensions, self.after.dimensions)
        aliased = not (self.host.apart or self.host.moved)
        exact = self.watch is not None and bool(self.watch.terms)
        distinct = self.watch is not None and bool(self.watch.names)
        trials = trials_of(self.one, dimensions, group, aliased=aliased, distinct=distinct, exact=exact)
        while time.thread_time() <= self.until_s:
            trial = next(trials, None)
            if trial is None and not (further or moved or first):
                further, trials = True, further_trials(self.one, dimensions, group)
                continue
            if trial is None or (further and moved >= ENOUGH):
                break
            found = self._tried(trial, ATTEMPTS if further else int(not executed))
            if isinstance(found, Different):
                # Where data decide whether an assertion holds, one trial says nothing of the next.
                if not (self.host.by_data or found.how in PROMISES):
                    return found
                first, broken = first or found, broken + 1
            elif isinstance(found, Reason):
                left = found
            else:
                executed, moved = executed + 1, moved + found
        if first is not None and first.how == "exact_terms":
            # Rounded sums are as the user has them: they say nothing of the edit.
            first, left = None, Reason("inexact")
        # Trials in which the kernel touches nothing show nothing.
        return (self._added_race() or Equal(executed, broken)) if moved else first or NotExecuted(left)

    def _tried(self, trial: Trial, attempts: int) -> Different | Reason | bool:
        """A trial's difference; why it says nothing; or whether the kernel touched any buffer.

        So many `attempts` are made with other buffers for a kernel that leaves those of the trial.
        """
        try:
            expected = self._ran(self.before, self.firsts, trial)
        except OutOfBoundsError as error:
            more = self._roomier(trial, error) if attempts else None
            return self._tried(more, attempts - 1) if more is not None else Reason("no_trial")
        except NotExecutableError as error:
            # Kernels may wait for each other at some sizes alone: a bound ``n - 1`` without a sign has no end at 0.
            if error.reason.what in {"steps", "time", "memory", "deadlock"}:
                return error.reason
            raise
        if self.between is not None and not self._ran_between(trial):
            return Reason("no_trial")
        at = self.watch.broken() if self.watch is not None else None
        if at is not None:
            return Different(at.kind, at.buffer, at.offset // self._sizes.get(at.buffer, 1), trial.lengths)
        tested = self.watch is None or self.watch.is_tested()
        reached = {name: self._limit(name, block.reach, trial.ahead.get(name, 0)) for name, block in expected.items()}
        try:
            found = self._ran_edited(trial, reached)
        except OutOfBoundsError as error:
            size = self._sizes.get(error.buffer, 1)
            found_at = Different("bounds", error.buffer, error.offset // size, trial.lengths)
        except NotExecutableError as error:
            how = self._never_ends(error.reason, trial)
            if how is None:
                return error.reason
            found_at = Different(how, "", 0, trial.lengths)
        else:
            place = self._difference(expected, found)
            sent, printed = self.after.turns.sent(), self.after.turns.printed()
            if place is not None:
                found_at = Different("value", *place, trial.lengths)
            elif self.before.turns.sent() != sent:
                found_at = Different("sent", "", 0, trial.lengths)
            elif self.before.turns.printed() != printed:
                found_at = Different("printed", "", 0, trial.lengths)
            else:
                moved = any(block.reach for block in expected.values()) or bool(sent) or bool(printed)
                if moved and math.prod(self._launched(trial).items) > 1:
                    self._equal.append((trial, reached))
                return tested and moved
        return Reason("no_trial") if self._is_open(trial, expected) else found_at

    def _roomier(self, trial: Trial, error: OutOfBoundsError) -> Trial | None:
        """The trial with room where an access found none; None where there cannot be."""
        size = self._sizes.get(error.buffer)
        if size is None:
            return None
        if error.offset >= 0:
            return larger(trial)
        # Indexes from data are no less than 0 in what kernels are launched with.
        begins = not trial.is_further or self.host.moved or self.host.holds
        return begun_later(trial, error.buffer, -error.offset, size) if not begins else None

    def _never_ends(self, reason: Reason, trial: Trial) -> Literal["deadlock", "endless"] | None:
        """Why the edited kernel, which was ended, would not have ended by itself; None where it might have."""
        if reason.what == "deadlock":
            return "deadlock"
        few = math.prod(self._launched(trial).items) <= FEW_ITEMS
        taken = max(self.before.turns.taken, 1)
        endless = reason.what == "steps" and few and self.after.turns.taken > ENDLESS * taken
        return "endless" if endless else None

    def _ran(
        self, program: Program, functions: Sequence[Function], trial: Trial, *, reverse: bool = False
    ) -> Buffers:  # fmt: skip
        """What the first kernel leaves in its buffers."""
        buffers, calls = self._calls(functions, trial, reverse=reverse)
        program.turns.start(TURNS, max(self.until_s, time.thread_time() + 0.1))
        if program.watch is not None:
            program.watch.start()
        run(program, calls)
        return buffers

    def _ran_between(self, trial: Trial) -> bool:
        """Watch the kernel after the first of several edits; False where it cannot be run."""
        program, host, buffers = self.between, self.host.between, self._fresh(trial)
        if program is None or host is None or self.watch is None:
            return True
        try:
            function = program.function(host.kernel)
            for at, numbers in enumerate(self._launches(trial)):
                program.turns.start(TURNS, max(self.until_s, time.thread_time() + 0.1))
                self.watch.start(again=at > 0)
                run(
                    program,
                    [Launched(function, arguments_of(function, trial, buffers, numbers), self._launched(trial))],
                )
        except (OutOfBoundsError, NotExecutableError):
            return False
        return True

    def _ran_edited(self, trial: Trial, reached: Mapping[str, int]) -> Buffers:
        """What the edited kernels leave, where the first one keeps it; `reached` are the bytes that they may reach."""
        buffers = self._edited_buffers(trial, reached)
        self.after.turns.start(2 * TURNS, max(self.until_s, time.thread_time() + 0.1))
        for numbers in self._launches(trial):
            run(self.after, self._edited_calls(trial, buffers, numbers))
        return self._layout.laid_back(self._fresh(trial), buffers) if self.host.moved else buffers

    def _calls(
        self, functions: Sequence[Function], trial: Trial, *, reverse: bool = False
    ) -> tuple[Buffers, list[Launched]]:  # fmt: skip
        """The first kernel's buffers before a launch, and the launch."""
        buffers = self._fresh(trial)
        numbers = self._numbers(trial)
        return buffers, [Launched(f, arguments_of(f, trial, buffers, numbers), trial.sizes, reverse) for f in functions]

    def _edited_buffers(self, trial: Trial, reached: Mapping[str, int]) -> dict[str, Block]:
        """The edited kernels' buffers before a launch."""
        buffers = self._layout.laid_out(self._fresh(trial))
        for name, limit in self._layout.limits(reached).items():
            if name not in self.host.longer:
                buffers[name].limit = limit
        for name, elements, each in self.host.holds:
            count = elements + (math.prod(trial.sizes.items) if each else 0)
            inside, ahead = trial.shared.get(name, (name, 0))
            buffers[inside].limit = max(buffers[inside].limit, (ahead + count) * self._sizes[name])
        return buffers

    def _numbers(self, trial: Trial) -> dict[str, int]:
        """The scalar arguments that the host passes in a trial."""
        found = {**numbers_of(self.one, trial), **dict(self.host.given)}
        for first, *others in self.host.alike:
            found.update(dict.fromkeys(others, found[first]))
        return found

    def _launches(self, trial: Trial) -> Iterator[Mapping[str, int]]:
        """The scalar arguments of each launch of the edited kernels."""
        counts = dict(zip(self.host.sizes, trial.sizes.padded[0], strict=False))
        numbers = {**self._numbers(trial), **self.added, **counts}
        each = self.host.each
        if each is None:
            yield numbers
            return
        for value in each.values(numbers):
            yield {**numbers, each.name: value}

    def _edited_calls(
        self, trial: Trial, buffers: dict[str, Block], numbers: Mapping[str, int]
    ) -> list[Launched]:  # fmt: skip
        """A launch of the edited kernels."""
        sizes = self._launched(trial)
        return [Launched(f, arguments_of(f, trial, buffers, numbers), sizes) for f in self.others]

    def _launched(self, trial: Trial) -> Sizes:
        """How many work-items the host launches of the edited kernel."""
        launched = trial.sizes.exchanged if self.host.exchanged else trial.sizes
        return TASK if self.host.sizes else launched

    def _added_race(self) -> Different | None:
        """A race of the edited kernel in a launch in which the first one has none.

        Channels order work-items as well: kernels with them are left out. So are edits that lay data out anew, which
        move no access past another, and those for which data decide whether the assertion holds: a trial that is equal
        may break it.
        """
        if len(self.others) > 1 or self.after.turns.ends or self.host.moved or self.host.by_data:
            return None
        # The longest loops take most turns behind a barrier; groups that race are two at least.
        self._equal.sort(key=lambda one: (one[0].sizes.items != one[0].sizes.group, max(one[0].lengths)), reverse=True)
        until_s = time.thread_time() + RACES_S
        for trial, reached in self._equal[:2]:

            def edited(trial: Trial = trial, reached: Mapping[str, int] = reached) -> Launched:
                self.after.turns.start(2 * TURNS, until_s)
                return self._edited_calls(trial, self._edited_buffers(trial, reached), *self._launches(trial))[0]

            def first(trial: Trial = trial) -> Launched:
                self.before.turns.start(TURNS, until_s)
                return self._calls(self.firsts, trial)[1][0]

            try:
                race = race_in(self.after, edited, self._sizes)
                if race is None:
                    return None
                if race_in(self.before, first, self._sizes) is None:
                    size = self._sizes.get(race.buffer, 1)
                    return Different(
                        "race", race.buffer if race.buffer != LOCAL else "", race.offset // size, trial.lengths
                    )
            except (OutOfBoundsError, NotExecutableError):
                return None
        return None

    def _fresh(self, trial: Trial) -> dict[str, Block]:
        """The first kernel's buffers before a launch."""
        buffers = buffers_of(self.one, trial)
        for name in self.host.zeroed:
            buffers[name].data[:] = bytes(len(buffers[name].data))
        return buffers

    def _limit(self, name: str, reach: int, ahead: int) -> int:
        """How far the edited kernel may reach: as far as the kernel before, in a buffer that holds an element at least.

        A buffer that this run does not touch is as large as in the least run that touches it.
        """
        if reach:
            self._least[name] = min(reach, self._least.get(name, reach))
        return max(reach or self._least.get(name, 0), ahead + self._sizes[name])

    def _is_open(self, trial: Trial, expected: Buffers) -> bool:
        """Whether the kernel's own results depend on what C leaves open, the order of work-items among it."""
        self.before.fill[:] = ALL_OPEN
        try:
            other = self._ran(self.before, self.firsts, trial)
            self.before.fill[:] = NOTHING_OPEN
            turned = self._ran(self.before, self.firsts, trial, reverse=True)
        except (OutOfBoundsError, NotExecutableError):
            return True
        finally:
            self.before.fill[:] = NOTHING_OPEN
        return any(self._difference(expected, one) is not None for one in (other, turned))

    def _difference(self, expected: Buffers, found: Buffers) -> tuple[str, int] | None:
        """The first element that differs; any two that are no numbers are the same.

        So are zeros of either sign where sums may be added up in any order.
        """
        any_zero = self.watch is not None and bool(self.watch.terms)
        for name, block in expected.items():
            one, two = bytes(block.data), bytes(found[name].data)
            if one == two:
                continue
            scalar = scalars_of(self._kinds[name])
            size = scalar.size if scalar is not None else 1
            for at in range(0, len(one), size):
                if one[at : at + size] != two[at : at + size]:
                    if scalar is not None and scalar.real:
                        a, b = (struct_of(scalar).unpack_from(data, at)[0] for data in (one, two))
                        if (math.isnan(a) and math.isnan(b)) or (any_zero and a == b):
                            continue
                    return name, at // self._sizes[name]
        return None


def named_apart(function: Function) -> Function:
    """A kernel whose arguments have its name in front of theirs."""
    own = (replace(one, name=f"{function.name}.{one.name}") for one in function.parameters)
    return replace(function, parameters=tuple(own))


def elements_of(functions: Sequence[Function]) -> dict[str, Kind]:
    """The type of the elements of each buffer."""
    return {p.name: p.kind.to for f in functions for p in f.parameters if isinstance(p.kind, Pointer)}
