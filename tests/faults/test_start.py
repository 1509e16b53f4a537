"""Files come and go while the server starts and the editor is slow to give its settings: what is shown has findings."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.faults.raw import LATER, PULLS, Raw

SHOWN = """__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < 4096; i++)
        y[i] = x[i];
}
"""
SLOW = "".join(SHOWN.replace("copy", f"copy_{i}") for i in range(40))
CANCELLED = -32800
STEPS = 40


@dataclass
class Puller:
    """The part of an editor that asks for findings: one question a file at a time, asked anew when the server wants."""

    raw: Raw
    asked: dict[str, int] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    shown: dict[str, list[str]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    held: list[dict[str, Any]] = field(default_factory=list)
    all: list[int] = field(default_factory=list)

    def call(self, request: dict[str, Any]) -> object:
        """Answer the server: settings only later, a wish to be asked again at once."""
        if request["method"] == "workspace/configuration":
            self.held.append(request)
            return LATER
        if request["method"] == "workspace/diagnostic/refresh":
            for uri in set(self.shown):
                self.pull(uri)
        return None

    def pull(self, uri: str) -> None:
        """Ask for a file's findings; an earlier question is cancelled, and asked anew when its answer is there."""
        self.shown.setdefault(uri, [])
        if uri in self.asked:
            self.raw.notify("$/cancelRequest", {"id": self.asked[uri]})
            self.again.add(uri)
            return
        params = {"textDocument": {"uri": uri}, "previousResultId": self.results.get(uri)}
        self.asked[uri] = self.raw.request("textDocument/diagnostic", params)
        self.all.append(self.asked[uri])

    def close(self, uri: str) -> None:
        """A file is closed: its findings go."""
        if uri in self.asked:
            self.raw.notify("$/cancelRequest", {"id": self.asked[uri]})
        self.again.discard(uri)
        self.shown.pop(uri, None)
        self.results.pop(uri, None)

    def take(self, patience_s: float) -> None:
        """Take a message, and what it answers."""
        self.raw.take(patience_s)
        for uri, number in list(self.asked.items()):
            if number not in self.raw.answers:
                continue
            answer = self.raw.answers.pop(number)
            del self.asked[uri]
            if "error" in answer:
                # Any other error would keep the editor from asking ever again.
                assert answer["error"]["code"] == CANCELLED
                self.again.add(uri)
            elif uri in self.shown and uri not in self.again:
                if answer["result"]["kind"] == "full":
                    self.shown[uri] = [item["code"] for item in answer["result"]["items"]]
                self.results[uri] = answer["result"].get("resultId")
            if uri in self.shown and uri in self.again:
                self.again.discard(uri)
                self.pull(uri)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_file_shown_keeps_its_findings(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    settings = chance.choice([{}, {"board": "de5net"}, {"f_max_mhz": 250}])
    with Raw(tmp_path / "log") as raw:
        puller = Puller(raw)
        raw.asked = puller.call
        raw.greet(PULLS, tmp_path)
        shown = (tmp_path / "shown.cl").as_uri()
        behind: list[Path] = []
        opened = chance.randrange(STEPS // 2)
        for step in range(STEPS):
            if step == opened:
                raw.open(shown, SHOWN)
                puller.pull(shown)
            doing = chance.choice(["open", "open", "close", "settings", "change", "pull", "wait", "reopen"])
            if doing == "open" and len(behind) < 8:
                path = tmp_path / f"behind{step}.cl"
                path.write_text(SLOW)
                raw.open(path.as_uri(), SLOW)
                behind.append(path)
                if chance.random() < 0.5:
                    puller.pull(path.as_uri())
            elif doing == "close" and behind:
                path = behind.pop(chance.randrange(len(behind)))
                path.unlink()
                puller.close(path.as_uri())
                raw.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
                raw.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 3}]})
            elif doing == "settings" and puller.held:
                raw.send(id=puller.held.pop()["id"], result=[settings])
            elif doing == "change":
                raw.notify("workspace/didChangeConfiguration", {"settings": None})
            elif doing == "pull" and step > opened:
                puller.pull(shown)
            elif doing == "reopen" and step > opened:
                raw.notify("textDocument/didClose", {"textDocument": {"uri": shown}})
                raw.open(shown, SHOWN)
                puller.pull(shown)
            elif doing == "wait":
                puller.take(chance.choice([0.0, 0.01, 0.2]))
        for held in puller.held:
            raw.send(id=held["id"], result=[settings])
        raw.asked = lambda r: [settings] if r["method"] == "workspace/configuration" else puller.call(r)
        raw.kernels({"uri": shown})
        puller.take(0)
        while puller.asked:
            puller.take(1)
        assert "BL106" in puller.shown[shown], json.dumps(puller.shown)
        assert {raw.counts[number] for number in puller.all} == {1}
        assert raw.leave() == 0
        assert "Traceback" not in raw.log


def test_findings_asked_for_before_the_file_is_opened_are_asked_for_again(tmp_path: Path) -> None:
    with Raw(tmp_path / "log") as raw:
        raw.greet(PULLS, tmp_path)
        document = {"uri": (tmp_path / "shown.cl").as_uri()}
        assert raw.findings(document) == []
        raw.open(document["uri"], SHOWN)
        raw.until(lambda: any(call["method"] == "workspace/diagnostic/refresh" for call in raw.calls))
        assert any(finding.startswith("BL106") for finding in raw.findings(document))
        assert raw.leave() == 0
