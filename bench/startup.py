"""What starting costs, and what the server keeps: ``python bench/startup.py`` prints both tables.

*Library* is importing pygls and lsprotocol as they are; *served* from the server's start until ``initialize`` is
answered, announced as VS Code does; *check* the command on one file. Runs alternate and figures are medians; *CPU* is
user and system time of the whole process, which a shared machine lengthens less. Memory is the server's resident set
with one document open, assessed, and assessed again after each of some edits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from edits import TOUR, file_of

RUNS = 9
LINES = (5_000, 50_000)
EDITS = 5
EDITOR = Path(__file__).parents[1] / "tests" / "server" / "capabilities" / "vscode_1_139.json"
BURSTLINE = (sys.executable, "-m", "burstline_server.cli.main")
ASKING = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
# Python may keep its byte code, as it does where the package is installed.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


class Server:
    """A server, and as much of a client as measuring takes."""

    def __init__(self, capabilities: dict[str, Any]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*BURSTLINE, "serve"], stdin=pipe, stdout=pipe, env=ENVIRONMENT)
        self.input, self.output = self.process.stdin, self.process.stdout
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})

    def tell(self, method: str, params: object, **more: object) -> None:
        """Send a notification, or with an `id` a request."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.input.flush()

    def ask(self, method: str, params: object) -> object:
        """The answer to a request; what else the server says meanwhile is passed over."""
        self.tell(method, params, id=1)
        while (message := self._read()).get("id") != 1 or "method" in message:
            pass
        return message["result"]

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self.output.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.output.read(length))
        return message

    def resident_mb(self) -> float:
        """The memory it has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def stop(self) -> float:
        """End it; the CPU time in seconds that it took."""
        self.process.kill()
        return cpu_s(self.process)


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process to end; its CPU time in seconds."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def ran(*command: str) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    cpu = cpu_s(process)
    return time.perf_counter() - started, cpu


def answered() -> tuple[float, float]:
    """Wall seconds until a fresh server has answered `initialize`, and its CPU seconds."""
    capabilities = json.loads(EDITOR.read_text("utf-8"))["capabilities"]
    started = time.perf_counter()
    server = Server(capabilities)
    wall = time.perf_counter() - started
    return wall, server.stop()


def memory(lines: int) -> tuple[float, float]:
    """The resident megabytes with a file of so many lines assessed, and after edits."""
    server, text, uri = Server(ASKING), file_of(lines), "file:///bench.cl"
    document: dict[str, object] = {"uri": uri}
    server.tell("initialized", {})
    opened = {**document, "languageId": "opencl", "version": 0, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": opened})
    server.ask("textDocument/diagnostic", {"textDocument": document})
    first = server.resident_mb()
    rows = [row for row, line in enumerate(text.split("\n")) if line.endswith("];")][::41]
    for version, row in enumerate(rows[:EDITS], 1):
        place = {"line": row, "character": len(text.split("\n")[row]) - 1}
        change = {"range": {"start": place, "end": place}, "text": " + 1"}
        server.tell(
            "textDocument/didChange", {"textDocument": {**document, "version": version}, "contentChanges": [change]}
        )
        server.ask("textDocument/diagnostic", {"textDocument": document})
    last = server.resident_mb()
    server.stop()
    return first, last


def main() -> None:
    """Print the tables."""
    kinds = {
        "library": lambda: ran(sys.executable, "-c", "import lsprotocol.types, pygls.lsp.server"),
        "served": answered,
        "check": lambda: ran(*BURSTLINE, "check", str(TOUR)),
    }
    for run in kinds.values():
        run()
    runs = [{name: run() for name, run in kinds.items()} for _ in range(RUNS)]
    print("| | wall | CPU |\n|---|---|---|")
    for name in kinds:
        wall, cpu = (median(run[name][i] for run in runs) for i in (0, 1))
        print(f"| {name} | {1e3 * wall:.0f} ms | {1e3 * cpu:.0f} ms |")
    wall, cpu = (median(run["served"][i] - run["library"][i] for run in runs) for i in (0, 1))
    print(f"| served − library | {1e3 * wall:+.0f} ms | {1e3 * cpu:+.0f} ms |")
    print(f"\n| lines | assessed | after {EDITS} edits |\n|---|---|---|")
    for lines in LINES:
        first, last = memory(lines)
        print(f"| {lines} | {first:.0f} MB | {last:.0f} MB |")


if __name__ == "__main__":
    main()
