"""A language-server client that only measures: messages over a process's pipes, each stamped when it has arrived."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

Message = dict[str, Any]
PATIENCE_S = 600.0
_BUSY_CLOCK = 2
"""What makes a process's number the number of its clock, as `clock_getcpuclockid` of the C library does."""
_KIB = re.compile(r"^(VmRSS|VmHWM):\s+(\d+) kB", re.MULTILINE)


class SilentServerError(Exception):
    """The server has ended, or did not answer in time."""


class Client:
    """One server process and the messages that it has sent."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.started_s = time.perf_counter()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder)
        self._arrived: queue.Queue[tuple[float, Message | None]] = queue.Queue()
        self._answers: dict[int, tuple[float, Message]] = {}
        self._requests = 0
        self.findings: dict[str, tuple[float, int | None, list[Message]]] = {}
        """Of each document: when diagnostics were last sent, for which version if said, and what they were."""
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, stream: IO[bytes]) -> None:
        while line := stream.readline():
            length = 0
            while line not in {b"\r\n", b""}:
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                line = stream.readline()
            body = stream.read(length)
            self._arrived.put((time.perf_counter(), json.loads(body) if body else {}))
        self._arrived.put((time.perf_counter(), None))

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = cast("IO[bytes]", self._process.stdin)
        try:
            stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            stream.flush()
        except BrokenPipeError:
            raise SilentServerError(f"the server has ended ({self._process.poll()})") from None

    def notify(self, method: str, **params: object) -> None:
        """Send a notification."""
        self._send({"method": method, **({"params": params} if params else {})})

    def ask(self, method: str, **params: object) -> int:
        """Send a request; its number waits for the answer."""
        self._requests += 1
        self._send({"id": self._requests, "method": method, **({"params": params} if params else {})})
        return self._requests

    def answer(self, request: int) -> tuple[float, Any]:
        """When the answer to a request arrived, and its result; an error of the server is raised."""
        self.wait(lambda: request in self._answers)
        at_s, message = self._answers.pop(request)
        if "error" in message:
            raise SilentServerError(f"the server answered with an error: {message['error'].get('message')}")
        return at_s, message.get("result")

    def wait(self, until: Callable[[], bool]) -> None:
        """Take messages until something holds."""
        end_s = time.perf_counter() + PATIENCE_S
        while not until():
            try:
                at_s, message = self._arrived.get(timeout=max(0.0, end_s - time.perf_counter()))
            except queue.Empty:
                raise SilentServerError(f"no answer in {PATIENCE_S:.0f} s") from None
            if message is None:
                raise SilentServerError(f"the server has ended ({self._process.poll()})")
            self._take(at_s, message)

    def _take(self, at_s: float, message: Message) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if message.get("id", method) is None:
            raise SilentServerError(f"the server understood nothing: {message.get('error')}")
        if method is None:
            self._answers[message["id"]] = (at_s, message)
        elif "id" in message:
            asked = params["items"] if method == "workspace/configuration" else None
            self._send({"id": message["id"], "result": [None] * len(asked) if asked is not None else None})
        elif method == "textDocument/publishDiagnostics":
            self.findings[params["uri"]] = (at_s, params.get("version"), params["diagnostics"])

    def _processes(self) -> Iterator[int]:
        """The process and those it started; Linux only, as what follows."""
        found = [self._process.pid]
        for pid in found:
            yield pid
            found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split())

    @property
    def memory_mb(self) -> tuple[float, float]:
        """Resident memory now, and at its peak."""
        kib = Counter[str]()
        for pid in self._processes():
            status = Path(f"/proc/{pid}/status").read_text("utf-8")
            kib.update({name: int(size) for name, size in _KIB.findall(status)})
        return kib["VmRSS"] / 1024, kib["VmHWM"] / 1024

    @property
    def busy_s(self) -> float:
        """How long its threads have been on a processor."""
        return sum(time.clock_gettime(~pid << 3 | _BUSY_CLOCK) for pid in self._processes())

    def stop(self) -> None:
        """Have the server end, by force where it does not."""
        try:
            self.answer(self.ask("shutdown"))
            self.notify("exit")
            self._process.wait(10)
        except (SilentServerError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
