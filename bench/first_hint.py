"""From a server's start to the first hint, part by part: ``python -m bench.first_hint [FILE]`` prints a table.

The first row is the first start ever: Python has compiled nothing of the server yet. `BUNDLE`, in place of this
checkout, is a folder that holds the server as the editor extension brings it along (``vscode-client/bundled``).
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.servers.client import Client

ROOT = Path(__file__).resolve().parents[1]
TOUR = ROOT / "examples" / "tour.cl"
GOAL_S = 3.0
"""What a person waits for without wondering, on a quiet machine."""
Part = tuple[float, float]
"""Seconds on the clock, and on processors."""


def parts_of(command: Sequence[str], file: Path) -> list[Part]:
    """How long a server takes from its start to its greeting, from there to the first hint, and for a second file's."""
    client = Client(command, file.parent)
    marks = [(client.started_s, 0.0)]

    def mark(at_s: float) -> None:
        marks.append((at_s, client.busy_s))

    try:
        hinting = {"textDocument": {"inlayHint": {}, "hover": {"contentFormat": ["markdown"]}}}
        greeting = {"processId": None, "rootUri": file.parent.as_uri(), "capabilities": hinting}
        mark(client.answer(client.ask("initialize", **greeting))[0])
        client.notify("initialized", _=0)
        text = file.read_text("utf-8")
        for number in (1, 2):
            uri = f"{file.as_uri()}{'' if number == 1 else '.second.cl'}"
            changed = text if number == 1 else f"{text}\n"
            item = {"uri": uri, "languageId": "opencl", "version": 1, "text": changed}
            client.notify("textDocument/didOpen", textDocument=item)
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 2, "character": 0}}
            at_s, hints = client.answer(client.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=whole))
            if not hints:
                raise SystemExit(f"no hint in {file}")
            mark(at_s)
    finally:
        client.stop()
    return [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(marks)]


def command_for(bundle: Path | None) -> list[str]:
    """The command that starts the server."""
    if bundle is not None:
        return [sys.executable, "-I", str(bundle), "serve"]
    return [sys.executable, "-m", "burstline_server.cli.main", "serve"]


def row(name: str, parts: Sequence[Part]) -> str:
    """A line of the table."""
    greeted, hinted, second = parts
    whole = greeted[0] + hinted[0]
    cells = [f"{wall:.2f} s ({busy:.2f} s)" for wall, busy in (greeted, hinted, second)]
    return f"| {name} | {' | '.join(cells[:2])} | {whole:.2f} s | {cells[2]} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; exit status 1 where the first hint takes longer than it may."""
    parser = argparse.ArgumentParser(description="From a server's start to the first hint.")
    parser.add_argument("file", nargs="?", type=Path, default=TOUR, metavar="FILE")
    parser.add_argument("--bundle", type=Path, help="the server as the editor extension brings it along")
    parser.add_argument("--times", type=int, default=3, help="how often it is started after the first time")
    arguments = parser.parse_args(argv)
    lines = [
        f"{arguments.file.name}, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} cores; on the clock, in brackets on processors.\n",
        "| start | to the greeting | from there to the first hint | first hint after | a second file |",
        "|---|---|---|---|---|",
    ]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an editor does not set it
    with tempfile.TemporaryDirectory() as folder:
        bundle = arguments.bundle
        if bundle is not None:
            # What Python compiles is kept next to each module: a copy is as fresh as it was installed.
            bundle = Path(folder) / "bundled"
            shutil.copytree(arguments.bundle, bundle)
        else:
            os.environ["PYTHONPYCACHEPREFIX"] = folder
        first = parts_of(command_for(bundle), arguments.file.resolve())
        lines.append(row("the first ever", first))
        later = [parts_of(command_for(bundle), arguments.file.resolve()) for _ in range(arguments.times)]
    best = min(later, key=lambda parts: sum(wall for wall, _ in parts[:2]))
    lines.append(row(f"the best of {arguments.times} after it", best))
    print("\n".join(lines))
    return 0 if first[0][0] + first[1][0] <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
