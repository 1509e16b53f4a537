"""Servers side by side: the same file open at each of them, the same edits to each in turn, in one run."""

from __future__ import annotations

import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.servers.editor import Editor, Server
from bench.servers.keystrokes import Edit, Where, edits
from bench.servers.known import write_bytecode
from bench.times import Times

PAUSE_S = 0.03
"""Between an answer and the next edit: what a server does after answering is not charged to the next."""
BURST = 20
HOVERS = 60


@dataclass
class Measured:
    """What one server did with one file."""

    server: str
    file: str
    lines: int
    where: Where
    times: dict[str, Times] = field(default_factory=dict)
    """*open*, *hover*; after an edit, *diagnostics* alone, or *hints* and *both* where both are asked for; *burst*; and
    *processor*, how long the server's threads were on one for an edit, whoever else the machine works for."""
    memory_mb: dict[str, float] = field(default_factory=dict)
    diagnostics: int = 0
    errors: tuple[str, ...] = ()
    """What the server takes for errors of the file."""


def compared(
    servers: Sequence[Server], name: str, text: str, rounds: int, where: Where = "kernel", includes: Path | None = None
) -> list[Measured]:
    """Each server on a file; `includes` is a folder that its includes are found in."""
    with ExitStack() as stack:
        folder = includes or Path(stack.enter_context(TemporaryDirectory()))
        path = folder / name
        if not path.is_file():
            path.write_text(text, "utf-8")
        found = [Measured(s.name, name, text.count("\n"), where) for s in servers]
        durations: list[dict[str, list[float]]] = [defaultdict(list) for _ in servers]
        editors = []
        for server, measured, times in zip(servers, found, durations, strict=True):
            editor = Editor(server, folder)
            stack.callback(editor.close)
            editors.append(editor)
            times["open"].append(editor.open(path, text))
            measured.diagnostics = len(editor.diagnostics)
            measured.errors = tuple(d["message"] for d in editor.diagnostics if d.get("severity") == 1)
            measured.memory_mb["after open"] = editor.memory_mb[0]
        typed = [edits(text, where) for _ in servers]
        turns = list(zip(editors, typed, durations, strict=True))
        for number in range(rounds):
            for editor, edit, times in turns if number % 2 else reversed(turns):
                _round(editor, edit, times, hints_first=number % 4 > 1)
        for editor, edit, times in turns:
            times["burst"].append(editor.type_and_ask(*islice(edit, BURST))[1])
            times["hover"] += editor.hover(HOVERS)
        for editor, measured, times in zip(editors, found, durations, strict=True):
            measured.memory_mb["end"], measured.memory_mb["peak"] = editor.memory_mb
            measured.times = {what: Times(tuple(all_s)) for what, all_s in times.items() if all_s}
    return found


def _round(editor: Editor, edit: Iterator[Edit], times: dict[str, list[float]], *, hints_first: bool) -> None:
    busy_s = editor.busy_s
    for hints in (hints_first, not hints_first):
        if hints:
            hints_s, both_s = editor.type_and_ask(next(edit))
            times["hints"].append(hints_s)
            times["both"].append(both_s)
        else:
            times["diagnostics"].append(editor.type(next(edit)))
        time.sleep(PAUSE_S)
    times["processor"].append((editor.busy_s - busy_s) / 2)


def starts(
    servers: Sequence[Server], rounds: int, others: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Times]:
    """From a server's spawning to its answer to initialize, and how long `others`, commands by name, run, each in turn.

    The first round only warms up.
    """
    write_bytecode()
    durations: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        for _ in range(rounds + 1):
            for server in servers:
                editor = Editor(server, Path(folder))
                durations[server.name].append(editor.start_s)
                editor.close()
            for name, command in (others or {}).items():
                started_s = time.perf_counter()
                subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                durations[name].append(time.perf_counter() - started_s)
    return {name: Times(tuple(all_s[1:])) for name, all_s in durations.items()}
