"""What the interpreter refuses of public kernels, next to what Oclgrind reports of them on the same data.

    python -m bench.interpreter_faults FOLDER… [--most 200] [--minutes 10] [--markdown docs/interpreter_faults.md]

Oclgrind (Debian's package of that name) interprets a kernel's LLVM code, and reports accesses outside buffers, reads of
what nothing was stored to, and data races. Kernels are launched as in `bench.interpreter`. Nothing of a folder is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import interpreter

DRIVER = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
ROOT = Path(__file__).parents[1]
PER_PROCESS = 4
TIMEOUT_S = 180
REPORTS = {
    "bounds": ("Invalid read", "Invalid write"),
    "race": ("data race",),
    "open": ("Uninitialized value", "Uninitialized address"),
}
"""How the log begins a fault of each class."""
CLASSES = {
    "bounds": "leaves its buffers",
    "race": "work-items race (interpreter: results depend on their order)",
    "open": "reads what nothing was stored to (interpreter: results depend on what is there)",
}


def _here(path: Path, log: Path) -> None:
    """Try the kernels of a file in this process; prints what it is about to do, and what came of it."""
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    text = path.read_text("utf-8", "replace")
    assessment = assessed(text, path=str(path), arguments={})
    for kernel in assessment.kernels:
        about = {"file": str(path), "kernel": kernel.facts.name}
        _say(**about)
        _say(**about, **_both(path, text, assessment.source, kernel.facts, log))


def _both(path: Path, text: str, source: Any, facts: Any, log: Path) -> dict[str, Any]:
    """The faults that either finds; of a kernel that only one can run, why the other cannot."""
    from burstline_server.interpreter.program import Program  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

    if facts.channels:
        return {"skipped": "it uses channels"}
    ours: list[str] = []
    try:
        program = Program(source)
        data, group = interpreter.made_up(facts, interpreter.LENGTHS)
        try:
            found = interpreter.interpreted(program, facts, data, group)
            depends = interpreter.open_in(program, facts, data, group, found)
            ours = ["race"] if depends == interpreter.RACE else ["open"] if "before anything" in depends else []
        except OutOfBoundsError:
            ours = ["bounds"]
    except NotExecutableError as error:
        return {"skipped": f"not interpreted: {error.reason.what}"}
    log.write_text("", "utf-8")
    try:
        _simulated(path, text, facts, data, group)
    except Exception as error:  # noqa: BLE001 -- whatever a runtime says of a text, it is left out
        return {"skipped": f"Oclgrind refuses it ({type(error).__name__})"}
    said = log.read_text("utf-8", "replace")
    theirs = [name for name, starts in REPORTS.items() if any(start in said for start in starts)]
    return {"ours": ours, "theirs": theirs}


def _simulated(path: Path, text: str, facts: Any, data: Any, group: tuple[int, ...]) -> None:
    """Run a kernel in Oclgrind. It takes the contents of a buffer for stored only where they are copied into it."""
    from bench.launched import options_of  # noqa: PLC0415
    from bench.traces.launches import LOCAL_BYTES  # noqa: PLC0415
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    cl, context, queue = runtime()
    program = cl.Program(context, text).build(options=[*options_of(path, text), "-cl-opt-disable", "-w"])
    copied = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    given = {name: cl.Buffer(context, copied, hostbuf=values) for name, values in data.arrays.items()}
    given |= data.scalars
    local = {a.name: cl.LocalMemory(LOCAL_BYTES // 4) for a in facts.arguments if a.is_pointer and a.space == "local"}
    arguments = [{**given, **local}[a.name] for a in facts.arguments]
    cl.Kernel(program, facts.name)(queue, data.items, group, *arguments)
    queue.finish()


def _say(**record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _outcomes(paths: Sequence[Path], folder: Path) -> Iterator[dict[str, Any]]:
    """What came of each kernel of some files; the files behind one that ends the process go into another."""
    command = [sys.executable, "-m", "bench.interpreter_faults", "--only", *map(str, paths)]
    log = folder / "log.txt"
    environment = {
        **os.environ, "OCL_ICD_VENDORS": str(folder), "OCLGRIND_LOG": str(log), "OCLGRIND_UNINITIALIZED": "1",
        "OCLGRIND_DATA_RACES": "1", "OCLGRIND_MAX_ERRORS": "200000", "BURSTLINE_LOG": str(log),
    }  # fmt: skip
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        out = run.stdout
    except subprocess.TimeoutExpired as error:
        out = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    yield from (one for one in records if "ours" in one or "skipped" in one)
    if not records or "end" in records[-1]:
        return
    if "kernel" in records[-1]:
        yield {**records[-1], "skipped": "the process ended, or did not end"}
    yield from _outcomes(paths[[str(path) for path in paths].index(records[-1]["file"]) + 1 :], folder)


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=200, help="files to try at most")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no further files are begun")
    parser.add_argument("--markdown", type=Path, help="a page for the counts")
    parser.add_argument("--only", type=Path, nargs="+", metavar="FILE", help="some files, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        for path in arguments.only:
            _say(file=str(path))
            _here(path, Path(os.environ["BURSTLINE_LOG"]))
        _say(end=True)
        return 0
    if not DRIVER.is_file():
        sys.stderr.write(f"{DRIVER} is not there: apt-get install oclgrind\n")
        return 2
    files = sorted({p for one in arguments.folders for p in (one.rglob("*.cl") if one.is_dir() else [one])})
    if len(files) > arguments.most:
        files = random.Random(0).sample(files, arguments.most)  # noqa: S311 -- a choice of files
    until_s = time.monotonic() + 60 * arguments.minutes
    every: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "oclgrind.icd").write_text(f"{DRIVER}\n", "utf-8")
        for at in range(0, len(files), PER_PROCESS):
            if time.monotonic() > until_s:
                break
            every += _outcomes(files[at : at + PER_PROCESS], folder)
    text = _page(every, arguments)
    sys.stdout.write(text)
    for one in every:
        if "ours" in one and one["ours"] and not set(one["ours"]) <= set(one["theirs"]):
            sys.stdout.write(f"{one['file']}: {one['kernel']}: {one['ours']} against {one['theirs']}\n")
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8")
    return 0


def _page(every: Sequence[dict[str, Any]], arguments: argparse.Namespace) -> str:
    """The counts as a page."""
    both = [one for one in every if "ours" in one]
    # What lies behind a buffer is anything: what a kernel does with it is not compared.
    inside = [one for one in both if "bounds" not in one["ours"] and "bounds" not in one["theirs"]]
    rows = []
    for name, what in CLASSES.items():
        some = both if name == "bounds" else inside
        counts = Counter((name in one["ours"], name in one["theirs"]) for one in some)
        rows.append(
            f"| {what} | {counts[True, True]} | {counts[False, False]} | {counts[True, False]} "
            f"| {counts[False, True]} |"
        )
    skipped = Counter(one["skipped"] for one in every if "skipped" in one)
    lines = [
        "# The interpreter next to Oclgrind",
        "",
        f"Written by `python -m bench.interpreter_faults FOLDER --most {arguments.most} "
        f"--minutes {arguments.minutes:g} --markdown docs/interpreter_faults.md`.",
        "",
        "Edits are executed by an interpreter before they are offered. Here it runs public kernels next to Oclgrind,",
        "which interprets their LLVM code, with the same made-up data. Oclgrind reports each race and each use of a",
        "value that was never stored; the interpreter looks whether results depend on them, by another order of",
        "work-items and by other values. So it finds fewer. What it alone finds, the order of atomics among it, is not",
        "explained one by one. Kernels that leave their buffers are compared for that alone.",
        "",
        f"{len(both)} kernels were run in both.",
        "",
        "| fault | both | neither | interpreter alone | Oclgrind alone |",
        "|---|---:|---:|---:|---:|",
        *rows,
        "",
        "| not compared | kernels |",
        "|---|---:|",
        *(f"| {why} | {n} |" for why, n in skipped.most_common()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
