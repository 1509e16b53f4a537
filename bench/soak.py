"""An hour of typing, replayed faster: ``python bench/soak.py --markdown docs/soak.md`` (three minutes).

One writer works on twenty files as people do: bursts of keys with pauses, deletions, undoing, pasting, going to another
file, saving. The client asks what an editor asks (hints of the lines in view, tokens, lenses, findings, hovers,
completions, actions) and cancels what the next key makes useless. Pauses are divided by the speed, the server's work is
not. The exit status is 1 when a request was answered never or twice, a traceback was logged, or memory keeps growing:
its median over the last quarter is more than a twentieth above that over the third. All files are read before the
clock starts, since what is known of an open file is kept.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import cpu_count, getloadavg, sysconf
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

from bench.edits import file_of  # noqa: E402 - the repository is no package
from tests.faults.raw import Raw  # noqa: E402

GROWTH = 1.05
CANCELLED = -32800
IN_VIEW_LINES = 60
LINES = (30, 60, 100, 100, 150, 200, 200, 300, 300, 400, 400, 500, 600, 800, 1_000, 1_000, 1_500, 2_000, 3_000, 5_000)
SNIPPETS = (
    "    float extra = x[i] * 2.0f;\n",
    "    for (int j = 0; j < 16; j++)\n        sum += x[j];\n",
    "__kernel void pasted(__global float *restrict p)\n{\n    p[get_global_id(0)] = 0.0f;\n}\n",
)
TYPED = ("\n    y[i] = x[i + 3];", " // todo", "\n    float v = x[2 * i];", "\n{ x[", "\n")
QUARTERS = 4
PATIENCE_S = 120


@dataclass
class Tab:
    """An open file, as its editor has it."""

    path: Path
    text: str
    version: int = 1
    at: int = 0
    undo: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def document(self) -> dict[str, str]:
        """What names it."""
        return {"uri": self.path.as_uri()}


@dataclass
class Client:
    """The editor: what it has asked, when, and how long the answers took."""

    raw: Raw
    started: float = field(default_factory=time.monotonic)
    asked: dict[int, tuple[str, float]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    latencies: list[tuple[float, str, float]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    worked: list[tuple[float, float]] = field(default_factory=list)
    """The server's processor time, by when it was looked at."""

    def ask(self, method: str, params: dict[str, Any]) -> None:
        """Ask; what was asked of the same kind before and not answered yet is cancelled."""
        self.cancel(method)
        number = self.raw.request(method, params)
        self.asked[number] = (method, time.monotonic())
        self.waiting[method] = number

    def cancel(self, *methods: str) -> None:
        """Cancel what has become useless; all kinds where none is named."""
        for method in methods or tuple(self.waiting):
            number = self.waiting.pop(method, None)
            if number is not None and number not in self.raw.counts:
                self.raw.notify("$/cancelRequest", {"id": number})

    def pause(self, seconds: float) -> None:
        """Take what comes for a while."""
        end = time.monotonic() + seconds
        while self.raw.take(max(0.0, end - time.monotonic())):
            self.note()

    def settle(self) -> None:
        """Wait for all that was asked."""
        end = time.monotonic() + PATIENCE_S
        while self.asked and time.monotonic() < end:
            self.pause(0.05)

    def note(self) -> None:
        """Count the answers that have come."""
        for number in [n for n in self.raw.answers if n in self.asked]:
            method, at = self.asked.pop(number)
            error = self.raw.answers.pop(number).get("error")
            kind = "answered" if error is None else "cancelled" if error["code"] == CANCELLED else "error"
            self.outcomes[kind] += 1
            if error is None:
                self.latencies.append((at - self.started, method, 1e3 * (time.monotonic() - at)))
            elif kind == "error":
                print(f"{method}: {error['message']}", file=sys.stderr)

    def weigh(self) -> None:
        """Note how much memory the server holds, and how long it has worked."""
        now, process = time.monotonic() - self.started, Path(f"/proc/{self.raw.process.pid}")
        times = (process / "stat").read_text("utf-8").rpartition(")")[2].split()
        self.worked.append((now, (int(times[11]) + int(times[12])) / sysconf("SC_CLK_TCK")))
        status = (process / "status").read_text("utf-8")
        resident = re.search(r"VmRSS:\s+(\d+)", status)
        if resident is not None:
            self.memory.append((now, int(resident[1]) / 1e3))


class Writer:
    """Somebody who types."""

    def __init__(self, client: Client, tabs: Sequence[Tab], seed: int, speed: float) -> None:
        self.client, self.tabs, self.speed = client, tabs, speed
        self.chance = random.Random(seed)  # noqa: S311 - a replay must be repeatable
        self.tab = tabs[0]

    def work(self, seconds: float) -> None:
        """Work for so long."""
        end = time.monotonic() + seconds
        doings = (self.type, self.delete, self.undo, self.paste, self.switch, self.save, self.look, self.rest)
        weights = (40, 10, 6, 4, 8, 6, 20, 6)
        weighed = 0.0
        while time.monotonic() < end:
            self.chance.choices(doings, weights)[0]()
            if time.monotonic() - weighed > 1:
                self.client.weigh()
                weighed = time.monotonic()

    def think(self, seconds: float) -> None:
        """Pause, as long as people do divided by the speed."""
        self.client.pause(seconds * self.chance.uniform(0.5, 1.5) / self.speed)

    def type(self) -> None:
        """A burst of keys, one change each."""
        self.tab.at = self.chance.choice([m.end() for m in re.finditer(r";", self.tab.text)] or [0])
        for key in self.chance.choice(
            ("\n    y[i] = x[i + 3];", " // todo", "\n    float v = x[2 * i];", "\n{ x[", "\n")
        ):
            self.edit(self.tab.at, 0, key)
            self.follow()
            self.think(0.18)

    def delete(self) -> None:
        """Some characters, backwards."""
        for _ in range(self.chance.randint(1, 12)):
            if self.tab.at > 0:
                self.edit(self.tab.at - 1, 1, "")
                self.follow()
                self.think(0.1)

    def undo(self) -> None:
        """Take back the last edits."""
        for _ in range(min(len(self.tab.undo), self.chance.randint(1, 30))):
            at, removed, added = self.tab.undo.pop()
            self.edit(at, len(added), removed)
            self.tab.undo.pop()
            self.think(0.05)
        self.follow()

    def paste(self) -> None:
        """Several lines at once."""
        self.edit(self.tab.text.rfind("\n", 0, self.tab.at) + 1, 0, self.chance.choice(SNIPPETS))
        self.follow()

    def switch(self) -> None:
        """Go to another file; now and then one is closed and opened again."""
        self.client.cancel()
        if self.chance.random() < 0.1:
            self.client.raw.notify("textDocument/didClose", {"textDocument": self.tab.document})
            self.client.raw.open(self.tab.document["uri"], self.tab.text, self.tab.version)
        self.tab = self.chance.choice(self.tabs)
        self.follow()
        self.think(2)

    def save(self) -> None:
        """Write the file."""
        self.tab.path.write_text(self.tab.text, "utf-8")
        self.client.raw.notify("textDocument/didSave", {"textDocument": self.tab.document})
        self.think(1)

    def look(self) -> None:
        """Point at something, ask for actions there, or for completions."""
        at = self.chance.choice([m.end() for m in re.finditer(r"\w\[", self.tab.text)] or [0])
        here = {"textDocument": self.tab.document, "position": self.place(at)}
        self.client.ask("textDocument/hover", here)
        self.think(0.5)
        if self.chance.random() < 0.5:
            self.client.ask("textDocument/completion", here)
        else:
            where = {"start": here["position"], "end": here["position"]}
            request = {"textDocument": self.tab.document, "range": where, "context": {"diagnostics": []}}
            self.client.ask("textDocument/codeAction", request)
        if self.chance.random() < 0.5:
            self.client.settle()
        self.think(1.5)

    def rest(self) -> None:
        """Read what is shown, which takes long enough for it to be there."""
        self.client.settle()
        self.think(8)

    def edit(self, at: int, length: int, new: str) -> None:
        """Change the text, here and there; what was being shown for the text before is not waited for."""
        tab = self.tab
        self.client.cancel()
        tab.undo.append((at, tab.text[at : at + length], new))
        del tab.undo[:-500]
        where = {"start": self.place(at), "end": self.place(at + length)}
        tab.text = tab.text[:at] + new + tab.text[at + length :]
        tab.at = at + len(new)
        tab.version += 1
        self.client.edits.append(time.monotonic() - self.client.started)
        name = tab.document | {"version": tab.version}
        change = {"textDocument": name, "contentChanges": [{"range": where, "text": new}]}
        self.client.raw.notify("textDocument/didChange", change)

    def follow(self) -> None:
        """What an editor asks after each change: all that it shows."""
        line = self.place(self.tab.at)["line"]
        first = max(0, line - IN_VIEW_LINES // 2)
        view = {"start": {"line": first, "character": 0}, "end": {"line": first + IN_VIEW_LINES, "character": 0}}
        document = {"textDocument": self.tab.document}
        self.client.ask("textDocument/inlayHint", document | {"range": view})
        self.client.ask("textDocument/semanticTokens/range", document | {"range": view})
        self.client.ask("textDocument/codeLens", document)
        self.client.ask("textDocument/diagnostic", document)

    def place(self, at: int) -> dict[str, int]:
        """A place in the text as the protocol counts."""
        line = self.tab.text.count("\n", 0, at)
        return {"line": line, "character": at - self.tab.text.rfind("\n", 0, at) - 1}


def table(client: Client, seconds: float) -> list[str]:
    """Memory and latency over time."""
    lines = [
        "| quarter | memory | work an edit | answered | p50 | p95 | max |",
        "|---|---|---|---|---|---|---|",
    ]
    for quarter in range(QUARTERS):
        times = [ms for at, _, ms in client.latencies if quarter_of(at, seconds) == quarter]
        percents = quantiles(times, n=20, method="inclusive") if len(times) > 1 else [0.0] * 19
        lines.append(
            f"| {quarter + 1} | {resident(client, seconds, quarter):.0f} MB | {work(client, seconds, quarter):.0f} ms "
            f"| {len(times)} "
            f"| {median(times or [0.0]):.1f} ms | {percents[18]:.1f} ms | {max(times, default=0.0):.0f} ms |"
        )
    return lines


def by_method(client: Client) -> list[str]:
    """Latency by what was asked."""
    lines = ["| request | answered | p50 | p95 | max |", "|---|---|---|---|---|"]
    for method in sorted({m for _, m, _ in client.latencies}):
        times = [ms for _, m, ms in client.latencies if m == method]
        percents = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
        lines.append(
            f"| {method} | {len(times)} | {median(times):.1f} ms | {percents[18]:.1f} ms | {max(times):.0f} ms |"
        )
    return lines


def quarter_of(at: float, seconds: float) -> int:
    """The quarter of the run that a time lies in."""
    return min(QUARTERS - 1, int(QUARTERS * at / seconds))


def resident(client: Client, seconds: float, quarter: int) -> float:
    """The server's memory in a quarter, in megabytes."""
    return median([mb for at, mb in client.memory if quarter_of(at, seconds) == quarter] or [0.0])


def work(client: Client, seconds: float, quarter: int) -> float:
    """The processor time that the server took for an edit and all that was asked after it, in milliseconds."""
    times = [worked for at, worked in client.worked if quarter_of(at, seconds) == quarter] or [0.0]
    edits = sum(quarter_of(at, seconds) == quarter for at in client.edits)
    return 1e3 * (times[-1] - times[0]) / max(1, edits)


def slope(client: Client, seconds: float) -> float:
    """How memory grows over the second half, in megabytes an hour of typing at speed 1, by least squares."""
    late = [(at, mb) for at, mb in client.memory if at > seconds / 2]
    mid_at, mid_mb = (sum(column) / len(late) for column in zip(*late, strict=True))
    spread = sum((at - mid_at) ** 2 for at, _ in late)
    return sum((at - mid_at) * (mb - mid_mb) for at, mb in late) / spread if spread else 0.0


def main() -> int:
    """Replay, print what came of it."""
    parser = argparse.ArgumentParser(description="Replays an hour of typing against the language server.")
    parser.add_argument("--minutes", type=float, default=60, help="minutes of typing that are replayed")
    parser.add_argument("--speed", type=float, default=20, help="how many times faster")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", type=Path, help="write the page here")
    options = parser.parse_args()
    seconds = 60 * options.minutes / options.speed
    with TemporaryDirectory() as folder, Raw(Path(folder) / "log") as raw:
        tabs = [Tab(Path(folder) / f"file{n:02}.cl", file_of(lines)) for n, lines in enumerate(LINES)]
        raw.greet(folder=Path(folder))
        client = Client(raw)
        for tab in tabs:
            tab.path.write_text(tab.text, "utf-8")
            raw.findings(raw.open(tab.document["uri"], tab.text))
            raw.ask("textDocument/semanticTokens/full", {"textDocument": tab.document})
        client.started = time.monotonic()
        Writer(client, tabs, options.seed, options.speed).work(seconds)
        client.settle()
        status = raw.leave()
        lost, twice = len(client.asked), sum(count > 1 for count in raw.counts.values())
        tracebacks = re.findall(r"^Traceback.*?^\w.*?$", raw.log, re.MULTILINE | re.DOTALL)
    growth = resident(client, seconds, QUARTERS - 1) / resident(client, seconds, QUARTERS - 2)
    lines = [
        f"{len(tabs)} files of {min(LINES)} to {max(LINES)} lines; {options.minutes:g} minutes of typing, "
        f"{options.speed:g} times faster; seed {options.seed}. The machine: {cpu_count()} processors, "
        f"{getloadavg()[1]:.0f} programs at work.", "",
        *table(client, seconds), "", *by_method(client), "",
        f"- requests: {sum(client.outcomes.values()) + lost}, answered {client.outcomes['answered']}, cancelled "
        f"{client.outcomes['cancelled']}, refused with an error {client.outcomes['error']}",
        f"- lost: {lost}, answered twice: {twice}, tracebacks in the log: {len(tracebacks)}, exit status {status}",
        f"- memory in the last quarter: {growth:.2f} times that in the third (at most {GROWTH:g}); "
        f"{60 * slope(client, seconds):+.1f} MB a minute of the run over its second half",
    ]  # fmt: skip
    print("\n".join(lines))
    print("\n\n".join(sorted(set(tracebacks))), file=sys.stderr)
    if options.markdown is not None:
        command = f"python bench/soak.py --minutes {options.minutes:g} --speed {options.speed:g} --seed {options.seed}"
        head = ["# An hour of typing", "", f"Printed by `{command}`; `bench/soak.py` says what is replayed.", ""]
        options.markdown.write_text("\n".join([*head, *lines, ""]), "utf-8")
    return int(bool(lost or twice or tracebacks or status or client.outcomes["error"] or growth > GROWTH))


if __name__ == "__main__":
    sys.exit(main())
