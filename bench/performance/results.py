"""Everything that the page shows, measured in one run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.edits import Edited, edited
from bench.generated import EXAMPLES, file_of, file_of_kernels, file_with_headers
from bench.performance.profile import Profile, profile
from bench.servers.compare import Measured, compared, starts
from bench.servers.editor import Server
from bench.servers.keystrokes import Where
from bench.servers.known import OURS, OURS_PUSHED, clangd
from bench.times import Times

SIZES = {100: 40, 1_000: 40, 10_000: 20}
"""Lines of a file, and how often something is typed in it at each server."""
HELD = (5_000, 50_000)
"""Lines of the files that memory is looked at with."""
KERNELS = (1, 4, 16, 64)
DEPTHS = (0, 4, 16, 31)
CURVE_LINES = 1_000
CURVE_ROUNDS, CURVE_EDITS = 4, 10
PROTOCOL, CHECK = "the protocol library alone", "burstline check"
COMMANDS = {
    PROTOCOL: (sys.executable, "-c", "import pygls.lsp.server"),
    CHECK: (sys.executable, "-m", "burstline_server.cli.main", "check", str(EXAMPLES / "tour.cl")),
}
STARTS = 7


@dataclass(frozen=True)
class Point:
    """One file of a curve: by our own clock, and at the servers."""

    at: int
    own: Edited
    measured: list[Measured]


@dataclass
class Results:
    """One run."""

    files: list[Measured] = field(default_factory=list)
    pushed: list[Measured] = field(default_factory=list)
    """Ours, at an editor that asks for diagnostics and at one that does not."""
    held: list[Measured] = field(default_factory=list)
    starts: dict[str, Times] = field(default_factory=dict)
    own: dict[int, Edited] = field(default_factory=dict)
    kernels: list[Point] = field(default_factory=list)
    headers: list[Point] = field(default_factory=list)
    profiles: dict[int, Profile] = field(default_factory=dict)

    def at(self, server: str, lines: int, where: Where = "kernel") -> Measured | None:
        """What a server did with the file of this size, None where it was not measured."""
        own = (m for m in [*self.files, *self.held] if m.server == server and m.file == file_name(lines))
        return next((m for m in own if m.where == where), None)


def file_name(lines: int) -> str:
    """What a generated file of this size is called."""
    return f"lines_{lines}.cl"


def measure(say: Callable[[str], None], others: Sequence[Server] = ()) -> Results:
    """Measure everything, saying what comes next; other servers take part where files of each size are compared."""
    found, servers = Results(), [OURS, *filter(None, [clangd()])]
    say("starts")
    found.starts = starts(servers, STARTS, COMMANDS)
    for lines, rounds in SIZES.items():
        say(f"{lines} lines")
        text = file_of(lines)
        found.own[lines] = edited(text, number=rounds)
        found.files += compared([*servers, *others], file_name(lines), text, rounds)
    for where in ("between", "comment"):
        say(f"edits: {where}")
        found.files += compared(servers, file_name(1_000), file_of(1_000), 10, where)
    found.pushed = compared([OURS, OURS_PUSHED], file_name(1_000), file_of(1_000), 10)
    for lines in HELD:
        say(f"memory at {lines} lines")
        found.held += compared(servers, file_name(lines), file_of(lines), 2)
    say("curves")
    for kernels in KERNELS:
        text = file_of_kernels(CURVE_LINES, kernels)
        found.kernels.append(
            Point(kernels, edited(text, number=CURVE_EDITS), compared(servers, "kernels.cl", text, CURVE_ROUNDS))
        )
    for depth in DEPTHS:
        with TemporaryDirectory() as folder:
            below, text = Path(folder), file_with_headers(CURVE_LINES, depth, Path(folder))
            own = edited(text, str(below / "headers.cl"), [below], CURVE_EDITS)
            found.headers.append(Point(depth, own, compared(servers, "headers.cl", text, CURVE_ROUNDS, includes=below)))
    say("profile")
    found.profiles = {lines: profile(file_of(lines)) for lines in (1_000, 10_000)}
    return found
