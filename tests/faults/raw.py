"""A client that may send anything, and that sees everything it is answered."""

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

PATIENCE_S = 60
COMMAND = [sys.executable, "-m", "burstline_server.cli.main", "serve"]
PULLS = {
    "textDocument": {"diagnostic": {}, "hover": {"contentFormat": ["markdown"]}},
    "workspace": {"configuration": True, "diagnostics": {"refreshSupport": True}},
}
"""An editor that asks for findings, and gives settings."""
LATER = object()
"""An answer that is still to come."""


def framed(body: bytes | str) -> bytes:
    """A body with its header."""
    body = body.encode() if isinstance(body, str) else body
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Raw:
    """A server process and its only client."""

    def __init__(self, log: Path, *arguments: str, reading: bool = True) -> None:
        self.settings: object = [{}]
        self.answers: dict[object, dict[str, Any]] = {}
        self.counts: Counter[object] = Counter()
        self.calls: list[dict[str, Any]] = []
        self.asked: Callable[[dict[str, Any]], object] = self.settle
        """What is answered to a request of the server, or LATER."""
        self._arrived: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        self._log = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
            )
        if reading:
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # what was never read
                stream.close()

    @property
    def log(self) -> str:
        """What the server has logged."""
        return self._log.read_text("utf-8", "replace")

    def write(self, data: bytes) -> None:
        """Send bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message: object) -> None:
        """Send a message."""
        self.write(framed(json.dumps({"jsonrpc": "2.0"} | message)))

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(method=method, params=params)

    def request(self, method: str, params: object = None) -> int:
        """Send a request; returns its number."""
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        return self._number

    def ask(self, method: str, params: object = None) -> Any:
        """Send a request and return its result."""
        answer = self.answer(self.request(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def refused(self, method: str, params: object = None) -> int:
        """Send a request that is answered with an error; returns its code."""
        return int(self.answer(self.request(method, params))["error"]["code"])

    def greet(self, capabilities: object = PULLS, folder: Path | None = None) -> None:
        """Start a session."""
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder is not None else None
        self.ask("initialize", {"processId": None, "capabilities": capabilities, "workspaceFolders": folders})
        self.notify("initialized", {})

    def open(self, uri: str, text: str, version: int = 1) -> dict[str, str]:
        """Open a document; returns what names it."""
        item = {"uri": uri, "languageId": "opencl", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return {"uri": uri}

    def kernels(self, document: dict[str, str]) -> list[str]:
        """The kernels of a document, as its lenses show."""
        lenses = self.ask("textDocument/codeLens", {"textDocument": document})
        return [lens["command"]["arguments"][1] for lens in lenses]

    def findings(self, document: dict[str, str]) -> list[str]:
        """The codes and messages found in a document."""
        report = self.ask("textDocument/diagnostic", {"textDocument": document})
        return [f"{d['code']} {d['message']}" for d in report["items"]]

    def answer(self, number: object, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The answer to a request; fails when none comes."""
        self.until(lambda: number in self.answers, patience_s)
        return self.answers.pop(number)

    def until(self, happened: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        """Take messages until something has happened."""
        while not happened():
            assert self.take(patience_s), f"nothing came; the log says {self.log[-2000:]!r}"

    def take(self, patience_s: float) -> bool:
        """Take one message; whether there was one in this time."""
        try:
            message = self._arrived.get(timeout=patience_s)
        except queue.Empty:
            return False
        assert message is not None, f"the server has closed its output; the log says {self.log[-2000:]!r}"
        self._take(message)
        return True

    def leave(self) -> int:
        """Go as the protocol wants it; returns the exit status."""
        self.ask("shutdown")
        self.notify("exit")
        return self.process.wait(PATIENCE_S)

    def settle(self, request: dict[str, Any]) -> object:
        """The settings, for a request that asks for them."""
        return self.settings if request["method"] == "workspace/configuration" else None

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self.answers[message["id"]] = message
            self.counts[message["id"]] += 1
            return
        self.calls.append(message)
        if "id" in message and (result := self.asked(message)) is not LATER:
            self.send(id=message["id"], result=result)

    def _read(self, stream: BinaryIO) -> None:
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.partition(b":")[2])
                while stream.readline().strip():
                    pass
                self._arrived.put(json.loads(stream.read(length)))
        self._arrived.put(None)
