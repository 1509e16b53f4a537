"""What a first reading of public kernels costs, next to an older state of the program in the same run.

    python -m bench.cold FOLDER… --before DIR [--files 240] [--passes 3] [--markdown docs/performance.md]

Of the files below the folders, each text once, those that define kernels, evenly spaced. A process of each state reads
them one after the other, each as a file that nothing is known of: from its text to the list of findings, as
`burstline check` does it without its start. The states take turns at each file; another process begins each pass, and
the least time of a file's passes counts, on a processor. `--before` is a folder with another state of the program
(``git archive COMMIT | tar -x -C DIR``). Files that either cannot read are left out.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.marked import MarkedPart
from bench.quiet import without_log
from bench.real_edits import RARELY, ROOT, answered, asked, files_in, options, program
from bench.times import ms, table

PART = MarkedPart("python -m bench.cold")
WARM = "__kernel void warm(__global float *a, int n) { for (int i = 0; i < n; i++) a[i] += 1.0f; }\n"
"""Read once before anything is measured: what is imported, or read from tables, at first use is no text's cost."""


def read(path: Path) -> float:
    """The processor's time for one file, in seconds."""
    assessor, findings_of = program()
    content = path.read_bytes()
    gc.collect()
    started_s = time.process_time()
    findings_of(assessor([path.parent]).assess(content, str(path), []))
    return time.process_time() - started_s


@without_log()
def answer_for_ever() -> None:
    """The time of each file that is named on standard input, a line each; null where it cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        warm = Path(folder) / "warm.cl"
        warm.write_text(WARM, "utf-8")
        read(warm)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)  # as the program does
    for line in sys.stdin:
        try:
            found: float | None = read(Path(line.rstrip("\n")))
        except Exception:  # noqa: BLE001 - a failure is a result here
            found = None
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def measured(files: Sequence[Path], before: Path, passes: int) -> list[tuple[Path, float, float]]:
    """The least time of each file before and now, in seconds."""
    every: list[list[tuple[float, float]]] = [[] for _ in files]
    for number in range(passes):
        old, new = (asked(folder.resolve(), "bench.cold") for folder in (before, ROOT))
        for place, path in enumerate(files):
            one = {}
            for process in (old, new) if (place + number) % 2 else (new, old):
                one[process] = answered(process, path.resolve())
            if one[old] is not None and one[new] is not None:
                every[place].append((one[old], one[new]))
        for process in (old, new):
            process.communicate()
    least = zip(files, every, strict=True)
    return [(path, min(o for o, _ in times), min(n for _, n in times)) for path, times in least if times]


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
    parser = options(__doc__, PART, 240, "how many files are read")
    parser.add_argument("--passes", type=int, default=3, help="how often each is read")
    parser.add_argument("--each", type=Path, metavar="FILE", help="write the times of each file, tab-separated")
    arguments = parser.parse_args(argv)
    if arguments.answer:
        answer_for_ever()
        return 0
    if arguments.before is None:
        parser.error("--before is needed")
    found = measured(files_in(arguments.folders, arguments.files, 1), arguments.before, arguments.passes)
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
