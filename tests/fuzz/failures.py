"""What counts as a failure besides an exception: a logged traceback, and an answer that takes too long."""

from __future__ import annotations

import logging
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BOUND_S = 5.0
"""Most seconds of one core's time for an input of up to `MAX_BYTES`."""
MAX_BYTES = 4096
_WORK = 150_000
_WORK_S = 0.16
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


def _slowness() -> float:
    """How many times slower this machine is now, at least 1: others that share it slow its memory down."""
    taken_s = []
    for _ in range(3):
        started = time.process_time()
        _work()
        taken_s.append(time.process_time() - started)
    return max(*taken_s, _WORK_S) / _WORK_S


def _work() -> int:
    kept = {number: (str(number), [number], {number: number}) for number in range(_WORK)}
    return sum(len(listed) for _, listed, _ in kept.values())


@contextmanager
def failing(bound_s: float = BOUND_S) -> Iterator[None]:
    """Turn what goes wrong inside into a `Failure`: exceptions, errors that are only logged, more time than allowed."""
    listener, root = _Listener(), logging.getLogger()
    root.addHandler(listener)
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, 4 * bound_s)
    started = time.process_time()
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
    spent = time.process_time() - started
    if spent > bound_s and spent > (allowed := bound_s * _slowness()):
        raise Failure("slow", f"{spent:.1f} s, {allowed:.1f} s are allowed")


def _late(_signal: int, _frame: FrameType | None) -> None:
    raise _Late


def _where(error: BaseException) -> str:
    """The kind of an error and the last places of the project on its way."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "burstline" in f.filename]
    places = [f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in frames[-2:]]
    return f"{type(error).__name__} at {' '.join(places)}".strip()
