"""The process that runs libclang: started when it is first asked, ended when an answer takes too long."""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING

from burstline_server.clang.library import library

if TYPE_CHECKING:
    import subprocess

_log = logging.getLogger(__name__)
PATIENCE_S = 3.0
"""How long an answer may take, the start of the process included."""
MOST_FAILURES = 3
"""After this many questions without an answer no more are asked."""
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error that clang reports: its byte in the text (-1: outside it), clang's category and its message."""

    place: int
    category: str
    message: str


class Clang:
    """Asks libclang about texts, one at a time, from any thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = Lock()
        self._failures = 0
        self._closed = False

    @property
    def present(self) -> bool:
        """Whether there is a libclang, and it has answered lately."""
        return not self._closed and self._failures < MOST_FAILURES and library() is not None

    def errors(self, text: bytes) -> list[Diagnostic] | None:
        """What clang finds wrong with a text; None where it gives no answer."""
        with self._turn:
            if not self.present:
                return None
            try:
                answer = self._answer(self._running(), text)
            except (OSError, ValueError) as error:
                self._failures += 1
                _log.warning("libclang gave no answer: %s", error or type(error).__name__)
                self._end()
                return None
            self._failures = 0
            return [Diagnostic(*one) for one in answer] if answer is not None else None

    def close(self) -> None:
        """End the process; whoever waits for an answer gets none."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            words = [sys.executable, "-I", "-S", str(_HERE / "worker.py"), str(library()), str(_HERE / "opencl_c.h")]
            import subprocess  # noqa: PLC0415 - where there is no libclang, nothing of this is loaded

            self._process = subprocess.Popen(  # noqa: S603 - this Python and a file of this package
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=_HERE,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            if self._closed:
                self._process.kill()
        return self._process

    @staticmethod
    def _answer(process: subprocess.Popen[bytes], text: bytes) -> list[tuple[int, str, str]] | None:
        """Raises ValueError and OSError where the process ends, or is ended for taking too long."""
        limit = Timer(PATIENCE_S, process.kill)
        limit.daemon = True
        limit.start()
        line = b""
        try:
            process.stdin.write(len(text).to_bytes(4, "little") + text)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            line = process.stdout.readline()  # type: ignore[union-attr]
        except BrokenPipeError:  # what was ended for taking too long is named so
            if limit.is_alive():
                raise
        finally:
            in_time = limit.is_alive()
            limit.cancel()
        if not line:
            raise ValueError("its process ended" if in_time else f"it took longer than {PATIENCE_S:g} s")
        found: list[tuple[int, str, str]] | None = json.loads(line)
        return found

    def _end(self) -> None:
        """Take leave of a process that has ended, or is ended now."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
