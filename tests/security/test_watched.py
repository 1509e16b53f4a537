"""With a hostile repository, no command runs, asks or opens anything that is not its own or the workspace's."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.security.workspace import UNSHOWN, Hostile, made

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in folders (POSIX)")
WATCHED = Path(__file__).with_name("watched.py")
PATIENCE_S = 60
POSITIONAL = (
    "hover", "definition", "completion", "signatureHelp", "prepareRename", "prepareCallHierarchy",
)  # fmt: skip
WHOLE = ("codeLens", "documentLink", "documentSymbol", "foldingRange", "semanticTokens/full")


@dataclass(frozen=True)
class Watched:
    """What a process printed, and the deeds that were noted."""

    status: int
    printed: str
    deeds: list[str]


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return made(tmp_path)


def start(hostile: Hostile, words: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start the program in the workspace, with a separate folder for temporary files."""
    scratch = hostile.root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    folders = os.pathsep.join(map(str, (hostile.root, scratch)))
    command = [sys.executable, "-I", str(WATCHED), str(notes_of(hostile)), folders, *words]
    printed = (hostile.root.parent / "stderr").open("wb")
    environment = {**os.environ, "TMPDIR": str(scratch)}
    return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=printed, cwd=hostile.root, env=environment)


def notes_of(hostile: Hostile) -> Path:
    """Where forbidden deeds are noted."""
    return hostile.root.parent / "notes"


def run(hostile: Hostile, words: Sequence[str]) -> Watched:
    """Run the program to its end."""
    process = start(hostile, words)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    shown = (hostile.root.parent / "stderr").read_bytes()
    deeds = notes_of(hostile).read_text("utf-8").splitlines()
    return Watched(process.returncode, (printed + shown).decode("utf-8", "replace"), deeds)


def test_whatever_is_forbidden_would_be_noted(hostile: Hostile) -> None:
    noted = {deed.partition(" ")[0] for deed in run(hostile, ["control"]).deeds}
    assert noted >= {"subprocess.Popen", "socket.connect", "open", "os.listdir", "compile"}


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["check", ".", "--advise"], 1),
        (["check", ".", "--format", "json"], 1),
        (["check", ".", "--format", "sarif"], 1),
        (["check", "kernels/hostile.cl", "--config", "kernels/burstline.toml"], 1),
        (["view", ".", "-o", "page.html"], 0),
        (["view", "."], 2),
        (["explore", "kernels/hostile.cl", "--simd", "1,2", "--arg", "n=64"], 2),
        (["fix", ".", "--apply", "--all", "--unsafe", "--host"], 0),
        (["import-report", "kernels/hostile"], 0),
        (["boards", "check", "kernels/burstline.toml"], 2),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else str(value),
)
def test_commands_stay_in_the_workspace(hostile: Hostile, words: list[str], status: int) -> None:
    done = run(hostile, words)
    assert done.deeds == []
    assert done.status == status, done.printed
    page = hostile.root / "page.html"
    assert UNSHOWN not in done.printed + (page.read_text("utf-8") if page.is_file() else "")
    assert hostile.untouched


def test_the_language_server_stays_in_the_workspace(hostile: Hostile) -> None:
    uri = hostile.kernel.as_uri()
    lines = hostile.kernel.read_text().splitlines()
    here = {"textDocument": {"uri": uri}}
    with Session(start(hostile, ["serve"])) as session:
        session.ask("initialize", {"processId": None, "rootUri": hostile.root.as_uri(), "capabilities": {}})
        session.notify("initialized", {})
        for path in (hostile.kernel, hostile.kernel.with_name("template.cl"), hostile.root / "part.cl"):
            document = {"uri": path.as_uri(), "languageId": "opencl", "version": 1, "text": path.read_text()}
            session.notify("textDocument/didOpen", {"textDocument": document})
        for line, text in enumerate(lines):
            for column in range(0, len(text), 12):
                place = {**here, "position": {"line": line, "character": column}}
                session.ask("textDocument/references", {**place, "context": {"includeDeclaration": True}})
                for method in POSITIONAL:
                    session.ask(f"textDocument/{method}", place)
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
        session.ask("textDocument/inlayHint", {**here, "range": everything})
        session.ask("textDocument/codeAction", {**here, "range": everything, "context": {"diagnostics": []}})
        for method in WHOLE:
            session.ask(f"textDocument/{method}", here)
        session.ask("workspace/symbol", {"query": ""})
        session.ask("burstline/view", {"uri": uri})
        session.ask("burstline/viewDocument", {"uri": uri})
        answers = session.answers()
    assert notes_of(hostile).read_text("utf-8") == ""
    assert [method for method, answer in answers.items() if "error" in answer] == []
    shown = json.dumps(list(answers.values()))
    assert "HOSTILE" in shown
    assert UNSHOWN not in shown + (hostile.root.parent / "stderr").read_text("utf-8")
    assert hostile.untouched


class Session:
    """An editor that asks everything first, and then reads the answers."""

    def __init__(self, server: "subprocess.Popen[bytes]") -> None:
        self.server = server
        self.asked: list[str] = []
        self.unsent = b""

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.kill()
        self.server.communicate(timeout=PATIENCE_S)

    def ask(self, method: str, params: object) -> None:
        """Ask for something."""
        self.asked.append(method)
        self._send({"id": len(self.asked), "method": method, "params": params})

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.unsent += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def answers(self) -> dict[str, dict[str, object]]:
        """Every answer there is to come, by what was asked."""
        sink, stream = self.server.stdin, self.server.stdout
        assert sink is not None
        assert stream is not None
        # While it is read, as neither end of a pipe takes all there is.
        threading.Thread(target=lambda: (sink.write(self.unsent), sink.flush()), daemon=True).start()
        threading.Timer(PATIENCE_S, self.server.kill).start()
        found: dict[str, dict[str, object]] = {}
        while len(found) < len(self.asked):
            length = 0
            while line := stream.readline().strip():
                length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
            assert length, f"not answered: {sorted(set(self.asked) - {name.split()[0] for name in found})}"
            message = json.loads(stream.read(length))
            if "method" not in message:
                number = int(message["id"])
                found[f"{self.asked[number - 1]} {number}"] = message
        return found
