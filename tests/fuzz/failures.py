"""What counts as a failure besides an exception: a logged traceback, and an answer that takes too long."""

from __future__ import annotations

import gc
import logging
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BOUND_S = 5.0
"""Most seconds for an input of up to `MAX_BYTES`, of a core of the machine that `_WORK_S` was measured on."""
MAX_BYTES = 4096
_STEP_S = 1.0
"""How often is measured how slow the machine is."""
_WORK = 150_000
_WORK_S = 0.0375
"""What `_work` takes on the machine that the bound was set on, when nothing else runs there."""


class Failure(AssertionError):  # noqa: N818 - it is what a check found
    """Something that must not happen. `place` distinguishes causes."""

    def __init__(self, place: str, story: str = "") -> None:
        super().__init__(f"{place}\n{story}".strip())
        self.place = place


class _Late(BaseException):
    """The bound is over; no handler for exceptions may take it."""


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


class _Clock:
    """The processor time since it was made, as it would be on a machine where nothing else runs.

    Others that share the machine slow its memory down: how much is measured again and again, in between.
    """

    def __init__(self, bound_s: float) -> None:
        self._bound_s, self._undisturbed_s = bound_s, 0.0
        self._until = time.process_time()
        self._spent_s = 0.0

    def tick(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Count the time since the last tick; raises what no handler takes when it is far too long."""
        passed = time.process_time() - self._until
        self._spent_s += passed
        if self._spent_s > 4 * self._bound_s:
            raise _Late
        self._undisturbed_s += passed / max(_work() / _WORK_S, 1.0)
        self._until = time.process_time()

    def late_s(self) -> float | None:
        """The undisturbed time if it is over the bound."""
        if self._spent_s + time.process_time() - self._until <= self._bound_s:
            return None
        self.tick()
        return self._undisturbed_s if self._undisturbed_s > self._bound_s else None


def _work() -> float:
    """Seconds of work on objects; what else is in memory is not looked through meanwhile."""
    collects = gc.isenabled()
    gc.disable()
    started = time.process_time()
    kept = {number: (str(number), [number], {number: number}) for number in range(_WORK)}
    sum(len(listed) for _, listed, _ in kept.values())
    taken = time.process_time() - started
    if collects:
        gc.enable()
    return taken


@contextmanager
def failing(bound_s: float = BOUND_S) -> Iterator[None]:
    """Turn what goes wrong inside into a `Failure`: exceptions, errors that are only logged, more time than allowed."""
    listener, root = _Listener(), logging.getLogger()
    root.addHandler(listener)
    clock = _Clock(bound_s)
    before = signal.signal(signal.SIGPROF, clock.tick)
    signal.setitimer(signal.ITIMER_PROF, _STEP_S, _STEP_S)
    try:
        yield
    except Failure:
        raise
    except _Late as late:
        raise Failure(f"hang: {_where(late)}", "".join(traceback.format_exception(late)[-6:])) from None
    except Exception as error:
        raise Failure(_where(error), "".join(traceback.format_exception(error))) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        root.removeHandler(listener)
    for record in listener.records:
        error = record.exc_info[1] if record.exc_info else None
        place = _where(error) if error is not None else record.getMessage()[:60]
        raise Failure(f"logged: {place}", logging.Formatter().format(record))
    if (late_s := clock.late_s()) is not None:
        raise Failure("slow", f"{late_s:.1f} s, {bound_s:.1f} s are allowed")


def _where(error: BaseException) -> str:
    """The kind of an error and the last places of the project on its way."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "burstline" in f.filename]
    places = [f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in frames[-2:]]
    return f"{type(error).__name__} at {' '.join(places)}".strip()
