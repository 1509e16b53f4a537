"""A server's process, and an editor's end of the protocol: every answer is accounted for."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tests.fuzz.failures import BOUND_S, Failure

ANSWER_S = 60.0
"""Longest time from a request to its answer, on a machine that others use too."""
_TICKS = os.sysconf("SC_CLK_TCK")
ALLOWED = {-32800, -32602, -32803}
"""Errors that are answers: cancelled, parameters of no use, refused."""
Params = dict[str, Any]


class Server:
    """A process that serves: one editor on its standard input and output, or any number of them on a port."""

    def __init__(self, root: Path, port: int | None = None) -> None:
        command = [sys.executable, "-m", "burstline_server.cli.main", "serve"]
        command += ["--tcp", str(port)] if port is not None else []
        # libclang answers a while later: two servers would be compared at different times.
        alone = {**os.environ, "LIBCLANG_PATH": os.devnull}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, env=alone
        )
        self._said: list[str] = []
        self._worked_s = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stderr or ():
            self._said.append(line.decode("utf-8", "replace"))

    @property
    def streams(self) -> tuple[IO[bytes], IO[bytes]]:
        """What it says, and what it is sent."""
        reading, writing = self._process.stdout, self._process.stdin
        if reading is None or writing is None:
            raise ValueError("a process without pipes")
        return reading, writing

    def check(self) -> None:
        """Raise `Failure` if it has ended, or logged an exception."""
        if self._process.poll() is not None:
            raise Failure("the server has ended", self.said)
        if any("Traceback" in line for line in self._said):
            time.sleep(0.2)
            raise Failure(f"logged: {self._said[-1].strip()[:80]}", self.said)

    def wait(self) -> None:
        """Wait for its end; raises `Failure` when it does not come."""
        try:
            self._process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            raise Failure("hang: exit") from None

    def kill(self) -> None:
        """End it, as an editor that crashes does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    @property
    def said(self) -> str:
        """What it has logged."""
        return "".join(self._said)

    @property
    def worked_s(self) -> float:
        """Its processor time."""
        with contextlib.suppress(OSError):
            shown = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            self._worked_s = (int(shown[11]) + int(shown[12])) / _TICKS
        return self._worked_s

    @property
    def memory_mb(self) -> float:
        """What it holds in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text("utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Client:
    """An editor's end of one session. Messages are sent at once; a separate thread takes the answers."""

    def __init__(
        self,
        server: Server,
        streams: tuple[IO[bytes], IO[bytes]],
        capabilities: Params,
        folders: list[Params],
        settings: Params,
    ) -> None:
        self.server = server
        self.settings = settings
        self.published: dict[str, Any] = {}
        self.holding = False
        """Whether the server's questions for settings are left open for now."""
        self.held: list[Params] = []
        """Answers to those."""
        self.slowest_s = 0.0
        """The longest that the server worked between a request and its answer, with all that was asked before it."""
        self._answers: dict[int, Any] = {}
        self._asked: dict[int, tuple[str, float, float]] = {}
        self._wrong: list[str] = []
        self._next = 1
        self._changed = threading.Condition()
        self._reading, self._writing = streams
        threading.Thread(target=self._read, daemon=True).start()
        params = {"processId": None, "rootUri": folders[0]["uri"], "workspaceFolders": folders}
        answer = self.wait(self.ask("initialize", {**params, "capabilities": capabilities}))
        self.encoding: str = answer["capabilities"].get("positionEncoding", "utf-16")
        self.notify("initialized", {})
        if not capabilities["workspace"].get("configuration"):
            self.notify("workspace/didChangeConfiguration", {"settings": {"burstline": settings}})

    # -- sending -----------------------------------------------------------------------------------------

    def notify(self, method: str, params: Params) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Params) -> int:
        """Send a request; returns its number."""
        number, self._next = self._next, self._next + 1
        with self._changed:
            self._asked[number] = (method, time.monotonic(), self.server.worked_s)
        self._send({"id": number, "method": method, "params": params})
        return number

    def cancel(self, number: int) -> None:
        """Take a request back; it is still answered."""
        self.notify("$/cancelRequest", {"id": number})

    def release(self, chance: random.Random) -> None:
        """Answer the questions for settings that were left open, in any order."""
        with self._changed:
            self.holding, held, self.held = False, self.held, []
        chance.shuffle(held)
        for answer in held:
            self._send(answer)

    def _send(self, message: Params) -> None:
        self.send_body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_body(self, body: bytes) -> None:
        """Send what may be no message."""
        try:
            self._writing.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._writing.flush()
        except (OSError, ValueError):
            self.server.check()
            raise Failure("the server does not listen") from None

    # -- receiving ---------------------------------------------------------------------------------------

    def wait(self, number: int) -> Any:
        """The answer to a request."""
        self.settle(number)
        return self._answers.pop(number)

    def settle(self, number: int | None = None) -> None:
        """Wait until one request, or every one, is answered; raises `Failure` for what must not happen."""
        with self._changed:
            while self._asked if number is None else number in self._asked:
                self.check()
                self._changed.wait(0.1)
        self.check()

    def check(self) -> None:
        """Raise `Failure` if anything has gone wrong."""
        self.server.check()
        if self._wrong:
            raise Failure(self._wrong[0], self.server.said)
        now, worked_s = time.monotonic(), self.server.worked_s
        for method, since, at in list(self._asked.values()):
            if now - since > ANSWER_S or worked_s - at > BOUND_S:
                raise Failure(f"hang: {method}", f"after {now - since:.0f} s, {worked_s - at:.1f} s of work")

    @property
    def open_requests(self) -> int:
        """Requests that are not answered yet."""
        return len(self._asked)

    def _read(self) -> None:
        while header := self._reading.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = self._reading.readline()
            body = self._reading.read(length)
            if len(body) < length:
                return
            with self._changed:
                self._take(json.loads(body))
                self._changed.notify_all()

    def _take(self, message: Params) -> None:
        if "method" not in message:
            self._take_answer(message)
        elif "id" in message:
            answer = {"id": message["id"], "result": self._result(message)}
            if self.holding and message["method"] == "workspace/configuration":
                self.held.append(answer)
            else:
                with contextlib.suppress(Failure):
                    self._send(answer)
        elif message["method"] == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif message["method"] == "window/showMessage" and "could not" in message["params"]["message"]:
            self._wrong.append(message["params"]["message"])

    def _take_answer(self, message: Params) -> None:
        if message["id"] is None or isinstance(message["id"], str):  # the answer to what was no good request
            return
        asked = self._asked.pop(message["id"], None)
        if asked is None:
            self._wrong.append(f"a second answer, or one to nothing: {message}")
            return
        method, _, at = asked
        self.slowest_s = max(self.slowest_s, self.server.worked_s - at)
        error = message.get("error")
        if error is not None and error["code"] not in ALLOWED:
            self._wrong.append(f"{method}: {error['code']} {error['message']}")
        self._answers[message["id"]] = message.get("result")
        while len(self._answers) > 4096:
            self._answers.pop(next(iter(self._answers)))

    def _result(self, request: Params) -> Any:
        match request["method"]:
            case "workspace/configuration":
                return [self.settings for _ in request["params"]["items"]]
            case "client/registerCapability":
                return None
            case "workspace/applyEdit":
                return {"applied": False}
            case "window/showDocument":
                return {"success": True}
            case _:
                return None

    # -- ending ------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Say goodbye as editors do."""
        self.wait(self.ask("shutdown", {}))
        self.notify("exit", {})


class Sessions:
    """A server that gives every client that comes a new session: fresh ones cost no process each."""

    def __init__(self, root: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        self.server = Server(root, self._port)

    @contextlib.contextmanager
    def session(self, capabilities: Params, folders: list[Params], settings: Params) -> Iterator[Client]:
        """A session with nothing open."""
        until = time.monotonic() + ANSWER_S
        while True:
            self.server.check()
            try:
                connection = socket.create_connection(("127.0.0.1", self._port))
                break
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise Failure("hang: listening") from None
                time.sleep(0.1)
        with connection, connection.makefile("rb") as reading, connection.makefile("wb") as writing:
            client = Client(self.server, (reading, writing), capabilities, folders, settings)
            yield client
            client.leave()
