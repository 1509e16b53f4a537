"""How much work one typed character is, counted instead of timed: ``python -m bench.instructions`` prints the table.

*Bytecodes* are what Python executes, counted by its own tracing: the same on every machine with this version of Python,
but blind to what C does. *Instructions* are the processor's, C included, counted by callgrind where valgrind is
installed; they depend on how Python was built. Neither holds what comes before (starting, a file's first reading, the
first edits) or garbage collection, which strikes when it likes.

`--record` writes the counts to `bench/instructions.json`. `--check` fails where a count is more than 10 % above the
recorded one; what was counted with another Python is not compared, and said to be so.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from bench.generated import file_of
from bench.servers.keystrokes import edits, made
from bench.times import table

from burstline_server.assessment.assessor import Assessor
from burstline_server.diagnostics.catalogue import findings_of

SIZES = (1_000, 10_000)
WARM, EDITS = 3, 8
MORE = 1.10
"""How far a count may lie above the recorded one."""
RECORDED = Path(__file__).with_suffix(".json")
_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)
_MODULE = "bench.instructions"


def typing(lines: int) -> Callable[[], None]:
    """A file of so many lines, read, with some edits made; what is returned makes the edits that count."""
    text, assessor, texts = file_of(lines), Assessor(), []
    for edit in islice(edits(text, "kernel"), WARM + EDITS):
        text = made(text, edit)
        texts.append(text)

    def answer(some: list[str]) -> None:
        for one in some:
            findings_of(assessor.assess(one, "typed.cl", []))

    answer(texts[:WARM])
    gc.collect()
    gc.disable()
    return lambda: answer(texts[WARM:])


def bytecodes(lines: int) -> int:
    """What Python executes for one edit."""
    counted = 0

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal counted
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted += event == "opcode"
        return count

    work = typing(lines)
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(None)
        gc.enable()
    return counted // EDITS


def instructions(lines: int) -> int | None:
    """What the processor executes for one edit; None where valgrind is not installed."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counted"
        counting = [valgrind, "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        child = [sys.executable, "-m", _MODULE, "--counted", str(lines)]
        subprocess.run([*counting, *child], check=True, capture_output=True)
        found = _TOTAL.search(out.read_text("utf-8"))
    return int(found[1]) // EDITS if found else None


def be_counted(lines: int) -> None:
    """Under callgrind: have it count nothing but the edits."""
    switch = [shutil.which("callgrind_control") or "callgrind_control", str(os.getpid()), "-i"]
    work = typing(lines)
    subprocess.run([*switch, "on"], check=True, capture_output=True)
    work()
    subprocess.run([*switch, "off"], check=True, capture_output=True)


def python() -> dict[str, str]:
    """What the counts depend on: bytecodes on the language's version, instructions on the build."""
    return {"bytecodes": ".".join(platform.python_version_tuple()[:2]), "instructions": sys.version}


def more_than(recorded: dict[str, Any], counts: dict[str, dict[str, int]]) -> bool:
    """Say of each count how it compares with the recorded one; whether any is too high."""
    worse = False
    for what, by_lines in counts.items():
        if what not in recorded or recorded["python"][what] != python()[what]:
            print(f"{what}: not recorded, or with another Python; not compared")
            continue
        for lines, count in by_lines.items():
            share = count / recorded[what][lines]
            worse |= share > MORE
            print(f"{what} of an edit at {lines} lines: {share:.3f} of the recorded count")
    return worse


def main() -> int:
    """Count; print, record or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytecodes", action="store_true", help="leave callgrind, which takes minutes, out")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--counted", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"  # the order of sets, and with it the counts, is the same each time
        return subprocess.run([sys.executable, "-m", _MODULE, *sys.argv[1:]], check=False).returncode
    if arguments.counted:
        be_counted(arguments.counted)
        return 0
    counts = {"bytecodes": {str(lines): bytecodes(lines) for lines in SIZES}}
    if not arguments.bytecodes:
        counted = {str(lines): instructions(lines) for lines in SIZES}
        counts["instructions"] = {lines: count for lines, count in counted.items() if count is not None}
    rows = [[what, *(f"{n:,}" for n in by_lines.values())] for what, by_lines in counts.items() if by_lines]
    print(table(["an edit", *(f"{lines} lines" for lines in SIZES)], rows))
    if arguments.record:
        RECORDED.write_text(json.dumps({"python": python(), **counts}, indent=1) + "\n", "utf-8")
    return int(arguments.check and more_than(json.loads(RECORDED.read_text("utf-8")), counts))


if __name__ == "__main__":
    sys.exit(main())
