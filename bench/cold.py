"""What a first reading of public kernels costs, next to an older state of the program in the same run.

    python -m bench.cold FOLDER… --before DIR [--files 240] [--times 3] [--markdown docs/performance.md]

Of the files below the folders, each text once, those that define kernels, evenly spaced. Each is read by a process of its
own, which knows the program but no text: from the text to the list of findings, as `burstline check` does it without its
start. Both states take turns, the one that begins changes with the file; counted is the processor's time of that process,
the least of several. `--before` is a folder with another state of the program
(``git archive COMMIT | tar -x -C DIR``). Files that either cannot read are left out.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.marked import MarkedPart
from bench.real_edits import ROOT, asked, files_in, program
from bench.times import ms, table

PART = MarkedPart("python -m bench.cold")
WARM = "__kernel void warm(__global float *a, int n) { for (int i = 0; i < n; i++) a[i] += 1.0f; }\n"
"""Read once before anything is measured: what is imported, or read from tables, at first use is no text's cost."""
MOST_S = 20.0
Figure = float | None


def spent_s(path: Path) -> float:
    """The processor's time for one file, in a process that has read no other."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = path.read_text("utf-8")
            started_s = time.process_time()
            _read(text, path)
            os.write(writing, f"{time.process_time() - started_s}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return float(answer)


def _read(text: str, path: Path) -> None:
    assessor, findings_of = program()
    findings_of(assessor([path.parent]).assess(text.encode(), str(path), []))


def answer_for_ever() -> None:
    """The time of each file that is named on standard input, a line each; null where it cannot be read."""
    logging.disable(logging.CRITICAL)
    _read(WARM, Path("warm.cl"))
    gc.collect()
    gc.freeze()  # as the program does
    for line in sys.stdin:
        try:
            found: Figure = spent_s(Path(line.rstrip("\n")))
        except ValueError:
            found = None
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def measured(files: Sequence[Path], before: Path, times: int) -> list[tuple[Path, float, float]]:
    """The least time of each file before and now, in seconds."""
    processes = [asked(folder.resolve(), "bench.cold") for folder in (before, ROOT)]
    found = []
    for number, path in enumerate(files):
        least = [_least(processes[side], path.resolve(), times) for side in ((0, 1) if number % 2 else (1, 0))]
        old, new = least if number % 2 else reversed(least)
        if old is not None and new is not None:
            found.append((path, old, new))
    for process in processes:
        process.communicate()
    return found


def _least(process: subprocess.Popen[str], path: Path, times: int) -> Figure:
    if process.stdin is None or process.stdout is None:
        raise ValueError("it was started without pipes")
    least: Figure = None
    for _ in range(times):
        process.stdin.write(f"{path}\n")
        process.stdin.flush()
        one: Figure = json.loads(process.stdout.readline())
        if one is None:
            return None
        least = one if least is None else min(least, one)
        if one > MOST_S:
            break
    return least


def report(found: Sequence[tuple[Path, float, float]]) -> str:
    """The sums, and how many times the time before each file takes."""
    lines = sum(path.read_bytes().count(b"\n") for path, _, _ in found)
    ratios = sorted(new / old for _, old, new in found)
    rows = []
    for side, place in (("before", 1), ("now", 2)):
        seconds = [one[place] for one in found]
        rows.append((side, f"{1e6 * sum(seconds) / lines:.0f}", ms(median(seconds)), ms(max(seconds))))
    tenth = len(ratios) // 10
    said = (
        f"{len(found)} files, {lines} lines: {sum(n for *_, n in found) / sum(o for _, o, _ in found):.2f} × "
        f"the time before in the sum, {median(ratios):.2f} × in the median file, "
        f"{ratios[tenth]:.2f} to {ratios[-1 - tenth]:.2f} × in eight of ten."
    )
    return f"{said}\n\n{table(('program', 'ms per 1000 lines', 'a file, p50, ms', 'max, ms'), rows)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--before", type=Path, metavar="DIR", help="another state of the program to measure as well")
    parser.add_argument("--files", type=int, default=240, help="how many files are read")
    parser.add_argument("--times", type=int, default=3, help="how often each is read")
    parser.add_argument("--each", type=Path, metavar="FILE", help="write the times of each file, tab-separated")
    parser.add_argument("--markdown", type=PART.page, metavar="FILE", help="write the table into a page as well")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.answer:
        answer_for_ever()
        return 0
    if arguments.before is None:
        parser.error("--before is needed")
    found = measured(files_in(arguments.folders, arguments.files, 1), arguments.before, arguments.times)
    text = report(found)
    print(text)
    if arguments.each:
        rows = "".join(f"{new / old:.3f}\t{1e3 * old:.2f}\t{1e3 * new:.2f}\t{path}\n" for path, old, new in found)
        arguments.each.write_text(rows, "utf-8")
    if arguments.markdown:
        PART.write(arguments.markdown, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
