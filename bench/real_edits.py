"""What a typed character costs in real kernels, next to an older state of the program in the same run.

    python -m bench.real_edits FOLDER… [--before DIR] [--files 40] [--loops 20] [--markdown docs/performance.md]

Of the files below the folders, each text once, those of 200 lines and more that define kernels, evenly spaced: in each,
a statement and a comment are typed in the middle, letter by letter. In files with a loop of 200 lines and more in a
kernel, expressions in the longest one are changed as well, one after the other: what no other kernel knows, and
compiles. Times are those of a processor from the edit to
the findings. `--before` is a folder with another state of the program (``git archive COMMIT | tar -x -C DIR``); both
are asked about one file after the other. Files that either cannot read in 20 s are left out.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from bench.long_loops import LEAST_LINES as LEAST_IN_LOOP
from bench.long_loops import in_loop, longest_loop
from bench.marked import MarkedPart
from bench.quiet import without_log
from bench.servers.keystrokes import Edit, edits, made
from bench.times import Times, ms, table

PART = MarkedPart("python -m bench.real_edits")
ROOT = Path(__file__).resolve().parents[1]
LEAST_LINES = 200
LONG_LINES = 700
LETTERS = 24
MOST_FIRST_S = 20.0
RARELY = (50_000, 10, 10)
"""When the program looks for garbage, by its `cli/main.py`."""
_KERNEL = re.compile(r"\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*void\b", re.DOTALL)
_IN_BODY = re.compile(r";[ \t]*\n")
MODULES = (
    ("burstline_server.assessment.assessor", "burstline_server.diagnostics.catalogue"),
    ("burstline_server.assess", "burstline_server.rules.catalogue"),
)
"""Where states of the program have their assessor and findings, the present one first."""
REMARK = "\n    // what is typed here changes no kernel"


def files_in(
    folders: Sequence[Path], most: int, least: int = LEAST_LINES, having: Callable[[str], object] | None = None
) -> list[Path]:
    """Kernel files of at least so many lines, each text once, evenly spaced; `having`: those that have something."""
    found: dict[bytes, Path] = {}
    for path in sorted(p for folder in folders for p in folder.rglob("*.cl") if p.is_file() and not p.is_symlink()):
        content = path.read_bytes()
        if content.count(b"\n") >= least and content.isascii() and b"\r" not in content:
            found.setdefault(hashlib.sha256(content).digest(), path)
    usable = [p for p in found.values() if _KERNEL.search(text := p.read_text("utf-8")) and _IN_BODY.search(text)]
    usable = [p for p in usable if having is None or having(p.read_text("utf-8"))]
    step = max(1, len(usable) // most)
    return usable[::step][:most]


def remark(text: str) -> Iterator[Edit]:
    """A comment typed behind a statement of a kernel, letter by letter."""
    kernel = _KERNEL.search(text, len(text) // 2) or _KERNEL.search(text)
    behind = _IN_BODY.search(text, kernel.end() if kernel else 0) or _IN_BODY.search(text)
    place = (behind.start() if behind else 0) + 1
    yield Edit(place, place, REMARK[:10])
    for count, letter in enumerate(REMARK[10:] * LETTERS):
        yield Edit(place + 10 + count, place + 10 + count, letter)


def program() -> tuple[Any, Any]:
    """What assesses and what lists findings, in the state of the program that is asked."""
    for assessor, catalogue in MODULES:
        try:
            return import_module(assessor).Assessor, import_module(catalogue).findings_of
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(MODULES[0][0])


def typed(path: Path) -> dict[str, Any]:
    """The times of one file: its first reading, and each letter of a statement and of a comment."""
    assessor_class, findings_of = program()
    assessor, text = assessor_class([path.parent]), path.read_text("utf-8")

    def seconds(written: str) -> tuple[float, set[str]]:
        content = written.encode()
        started_s = time.process_time()
        findings_of(assessment := assessor.assess(content, str(path), []))
        return time.process_time() - started_s, {kernel.facts.name for kernel in assessment.kernels}

    first_s, names = seconds(text)
    found: dict[str, Any] = {"first": first_s, "statement": [], "comment": [], "loop": []}
    if first_s > MOST_FIRST_S:
        return found
    gc.collect()
    gc.freeze()  # as the server does
    for what, typing in (("comment", remark(text)), ("statement", edits(text, "kernel"))):
        now = text
        for number, edit in enumerate(islice(typing, LETTERS + 1)):
            now = made(now, edit)
            spent_s, _ = seconds(now)
            if number:  # the first one also finds its place
                found[what].append(spent_s)
    now = text
    seconds(now)
    for edit in in_loop(text):
        spent_s, known = seconds(made(now, edit))
        if known == names:
            now = made(now, edit)
            found["loop"].append(spent_s)
        else:  # it does not compile
            seconds(now)
    gc.unfreeze()
    return found


@without_log()
def answer_for_ever() -> None:
    """The times of each file that is named on standard input, a line of JSON each."""
    gc.set_threshold(*RARELY)  # as the server does
    for line in sys.stdin:
        try:
            found = typed(Path(line.rstrip("\n")))
        except Exception as error:  # noqa: BLE001 - a failure is a result here
            found = {"failed": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def asked(program: Path, bench: str = "bench.real_edits") -> subprocess.Popen[str]:
    """A process of a bench that answers with the program in a folder."""
    places = [str(program / "server"), str(program / "model"), str(ROOT)]
    return subprocess.Popen(
        [sys.executable, "-m", bench, "--answer"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
    )  # fmt: skip


def answered(process: subprocess.Popen[str], path: Path) -> Any:
    """What it says of a file."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("it was started without pipes")
    process.stdin.write(f"{path}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def report(files: Sequence[Path], sides: dict[str, list[dict[str, Any]]]) -> str:
    """The times of all files as a table."""
    good = [n for n in range(len(files)) if all(one[n].get("statement") for one in sides.values())]
    looped = [n for n in good if all(one[n]["loop"] for one in sides.values())]
    lines = [files[n].read_bytes().count(b"\n") for n in good]
    long = [n for n, count in zip(good, lines, strict=True) if count >= LONG_LINES]
    rows = []
    chosen = [("a statement", "statement", good), ("a comment", "comment", good),
              (f"a comment, files of {LONG_LINES} lines and more", "comment", long),
              (f"an expression in a loop of {LEAST_IN_LOOP} lines and more", "loop", looped)]  # fmt: skip
    for what, key, numbers in chosen:
        now = {}
        for side, found in sides.items():
            every = [s for n in numbers for s in found[n][key]]
            if every:
                times = now[side] = Times(tuple(every))
                row = (what, side, str(len(numbers)), ms(times.p50_s), ms(times.p95_s), ms(times.max_s))
                ratio = ("", "")
                if "before" in now and side == "now":
                    ratio = tuple(f"{a / b:.1f} ×" for a, b in (
                        (now["before"].p50_s, times.p50_s), (now["before"].p95_s, times.p95_s)))  # fmt: skip
                rows.append((*row, *ratio))
    header = ("typed", "program", "files", "p50, ms", "p95, ms", "max, ms", "faster, p50", "faster, p95")
    left = len(files) - len(good)
    middle = sorted(lines)[len(lines) // 2] if lines else 0
    said = f"{len(good)} files, {sum(lines)} lines, {middle} in the median, {LETTERS} letters of each; {left} left out."
    return f"{said}\n\n{table(header, rows)}"


def options(text: str | None, part: MarkedPart, files: int, what: str) -> argparse.ArgumentParser:
    """The options of a command that asks two states of the program about the same files, and writes part of a page."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--before", type=Path, metavar="DIR", help="another state of the program to measure as well")
    parser.add_argument("--files", type=int, default=files, help=what)
    parser.add_argument("--markdown", type=part.page, metavar="FILE", help="write the table into a page as well")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = options(__doc__, PART, 40, "how many files are typed in")
    parser.add_argument("--loops", type=int, default=20, help="how many of those with a long loop")
    arguments = parser.parse_args(argv)
    if arguments.answer:
        answer_for_ever()
        return 0
    files = files_in(arguments.folders, arguments.files) if arguments.files else []
    looped = files_in(arguments.folders, arguments.loops, having=longest_loop) if arguments.loops else []
    files += [path for path in looped if path not in files]
    programs = {"before": arguments.before} if arguments.before else {}
    processes = {name: asked(folder.resolve()) for name, folder in {**programs, "now": ROOT}.items()}
    sides: dict[str, list[dict[str, Any]]] = {name: [] for name in processes}
    for path in files:
        for name, process in processes.items():
            sides[name].append(answered(process, path.resolve()))
    for process in processes.values():
        process.communicate()
    text = report(files, sides)
    print(text)
    if arguments.markdown:
        PART.write(arguments.markdown, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
