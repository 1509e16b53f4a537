"""What users have been notified of: an empty file for each cause, in a folder that every server shares."""

from __future__ import annotations

import traceback
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from platformdirs import user_state_path

MOST = 1000
"""How many causes are kept; the oldest are forgotten first."""


class Notified:
    """Remembers causes for ever; only as long as it lives where nothing can be written."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_state_path("burstline", appauthor=False) / "notifications"
        self._unkept: set[Path] = set()

    def first(self, cause: str) -> bool:
        """Whether nobody was notified of a cause yet; of several servers that ask at once, one is the first."""
        mark = self._folder / sha256(cause.encode("utf-8", "replace")).hexdigest()[:32]
        if mark in self._unkept:
            return False
        try:
            with suppress(FileExistsError):  # no folder: the mark cannot be made either
                self._folder.mkdir(parents=True, exist_ok=True)
            mark.touch(exist_ok=False)
            self._forget(keep=MOST)
        except FileExistsError:
            return False
        except OSError:
            self._unkept.add(mark)
        return True

    def forget(self) -> int:
        """Forget every cause, so that each is shown once more; returns how many there were. Raises `OSError`."""
        return self._forget(keep=0)

    def _forget(self, keep: int) -> int:
        marks = list(self._folder.iterdir()) if self._folder.is_dir() else []
        extra = len(marks) - keep
        if extra <= 0:
            return 0
        for mark in sorted(marks, key=_written)[:extra]:
            mark.unlink(missing_ok=True)
        return extra


def cause_of(error: BaseException) -> str:
    """The same for equal failures of the program: their kind and where they arose, not the values of the moment."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} {Path(frame.filename).name}:{frame.lineno}"


def _written(mark: Path) -> int:
    try:
        return mark.stat().st_mtime_ns
    except OSError:  # another server has just forgotten it
        return 0
