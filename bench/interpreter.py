"""The interpreter next to a real runtime on kernels of other people: the same data in, the same bytes out.

    python -m bench.interpreter FOLDER [FOLDER…] [--most 200] [--jobs 2] [--minutes 10] [--markdown docs/interpreter.md]

A folder is searched for `.cl` files; of more than `--most`, some are drawn. Each kernel is launched with sizes that are
made from its signature, interpreted first and, where it stays in its buffers, run on a real runtime. Kernels whose last
digits a device chooses (`sin`, `native_…`) may differ in these. Nothing of a folder is kept.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from burstline_model.facts import KernelFacts

ROOT = Path(__file__).parents[1]
TIMEOUT_S = 240
PER_PROCESS = 8
"""Files that one process tries; after a crash, another one goes on with the next."""
TURNS = 300_000
SECONDS = 5.0
LENGTHS = (16, 12, 20, 8, 24)
SHORT = (4, 3, 2, 4, 3)
"""Whole-number arguments for kernels that leave their buffers with the first ones."""
PADDING = 3
DIGITS = 1e-4
"""How far results may be apart, relative to the largest, where a device chooses the last digits."""


def _here(path: Path) -> None:
    """Try the kernels of a file in this process; prints what it is about to do, and what came of it."""
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    text = path.read_text("utf-8", "replace")
    assessment = assessed(text, path=str(path), arguments={})
    # Products and sums are rounded one by one in both.
    plain = "#pragma clang fp contract(off)\n" + text
    for kernel in assessment.kernels:
        about = {"file": str(path), "kernel": kernel.facts.name}
        _say(**about)
        _say(**about, came=_outcome(path, plain, assessment.source, kernel.facts))


def _outcome(path: Path, text: str, source: Any, facts: KernelFacts) -> str:
    from burstline_server.interpreter.program import Program  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

    if facts.channels:
        return "not run: it uses channels, which PoCL has not"
    try:
        program = Program(source)
        found = None
        for scalars in (LENGTHS, SHORT):
            data, group = made_up(facts, scalars)
            try:
                found = interpreted(program, facts, data, group)
                break
            except OutOfBoundsError:
                continue
    except NotExecutableError as error:
        return f"not run: {error.reason.what} {error.reason.name}".rstrip()
    if found is None:
        return "not run: leaves its buffers"
    try:
        expected = really(path, text, facts, data, group)
    except Exception as error:  # noqa: BLE001 -- whatever a runtime says of a text, it is left out
        return f"not run: the runtime refuses it ({type(error).__name__})"
    came = _compared(data, found, expected, _padded(facts), inexact=program.inexact)
    open_ = open_in(program, facts, data, group, found) if came.startswith("different") else ""
    return f"not compared: {open_}" if open_ else came


RACE = "its work-items race"
OPEN = (
    "reads variables before anything is stored to them",
    "reads arrays of its own before anything is stored to them",
    "converts numbers to an integer type that does not hold them, or divides by zero",
)
"""What C leaves open, in the order of `Program.fill`."""


def open_in(program: Any, facts: KernelFacts, data: Any, group: tuple[int, ...], found: dict[str, bytes]) -> str:
    """What it is, of all that C leaves open, that a kernel's results depend on; empty where there is nothing."""
    from burstline_server.interpreter.program import ALL_OPEN, NOTHING_OPEN  # noqa: PLC0415

    if found != interpreted(program, facts, data, group, reverse=True):
        return RACE
    for at, what in enumerate(OPEN):
        program.fill[:] = [*NOTHING_OPEN[:at], ALL_OPEN[at], *NOTHING_OPEN[at + 1 :]]
        if found != interpreted(program, facts, data, group):
            return what
    return ""


def made_up(facts: KernelFacts, lengths: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """Made-up arrays and numbers, and the size of groups."""
    from bench.launched import scalar_of, values_of  # noqa: PLC0415
    from bench.traces.launches import NoLaunchError, launch_for  # noqa: PLC0415
    from tests.rewrites.equality import Data  # noqa: PLC0415

    from burstline_server.interpreter.verdicts import NotExecutableError  # noqa: PLC0415

    try:
        launch = launch_for(facts, lengths)
    except NoLaunchError as error:
        raise NotExecutableError("argument", str(error)) from None
    arrays = {
        a.name: values_of(a, i)
        for i, a in enumerate(facts.arguments)
        if a.is_pointer and a.space != "local"
    }  # fmt: skip
    scalars: dict[str, Any] = {}
    for one in facts.arguments:
        if not one.is_pointer:
            scalars[one.name] = scalar_of(one.type, launch.integers.get(one.name, 1.5))
            if scalars[one.name] is None:
                raise NotExecutableError("argument", one.type)
    return Data(arrays, scalars, launch.global_size), launch.local_size


def interpreted(
    program: Any, facts: KernelFacts, data: Any, group: tuple[int, ...], *, reverse: bool = False,
    seconds: float = SECONDS,
) -> dict[str, bytes]:  # fmt: skip
    """What the interpreter leaves in the arrays, in no more than so much processor time."""
    from bench.launched import interpreted_number  # noqa: PLC0415

    from burstline_server.interpreter.memory import Block  # noqa: PLC0415
    from burstline_server.interpreter.run import Launched, LocalBytes, Sizes, run  # noqa: PLC0415

    function = program.function(facts.name)
    blocks = {}
    for name, values in data.arrays.items():
        blocks[name] = Block(values.nbytes, name)
        blocks[name].data[:] = values.tobytes()
    local = LocalBytes(_local_bytes())
    given: dict[str, Any] = {name: (block, 0) for name, block in blocks.items()}
    for one in function.parameters:
        if one.name in data.scalars:
            given[one.name] = interpreted_number(one.kind, data.scalars[one.name])
    program.turns.start(TURNS, time.thread_time() + seconds)
    arguments = [given.get(p.name, local) for p in function.parameters]
    run(program, [Launched(function, arguments, Sizes(data.items, group), reverse)])
    return {name: bytes(block.data) for name, block in blocks.items()}


def _local_bytes() -> int:
    from bench.traces.launches import LOCAL_BYTES  # noqa: PLC0415

    return LOCAL_BYTES // 4


def really(path: Path, text: str, facts: KernelFacts, data: Any, group: tuple[int, ...]) -> dict[str, bytes]:
    """What a real runtime leaves in them."""
    from bench.launched import options_of  # noqa: PLC0415
    from tests.rewrites.equality import Data, Kernel, ran  # noqa: PLC0415
    from tests.rewrites.runtime import runtime  # noqa: PLC0415

    cl = runtime()[0]
    local = {a.name: cl.LocalMemory(_local_bytes()) for a in facts.arguments if a.is_pointer and a.space == "local"}
    names = tuple(a.name for a in facts.arguments)
    given = Data(data.arrays, {**data.scalars, **local}, data.items)
    return ran(text, given, {facts.name: Kernel(names, group)}, options_of(path, text))


def _padded(facts: KernelFacts) -> set[str]:
    """The pointers to vectors of three lanes: a store may leave or change the fourth place."""
    return {a.name for a in facts.arguments if a.is_pointer and re.search(r"[a-z]3\s*\*?$", a.type)}


def _compared(
    data: Any, found: dict[str, bytes], expected: dict[str, bytes], padded: Collection[str], *, inexact: bool
) -> str:
    import numpy as np  # noqa: PLC0415

    near = padding = False
    for name, values in data.arrays.items():
        one, two = (np.frombuffer(b, values.dtype) for b in (found[name], expected[name]))
        if one.tobytes() == two.tobytes():
            continue
        if name in padded:
            padding, held = True, np.arange(len(one)) % 4 != PADDING
            one, two = one[held], two[held]
        if one.tobytes() == two.tobytes():
            continue
        if values.dtype.kind == "f" and np.array_equal(one, two, equal_nan=True):
            continue
        if inexact and values.dtype.kind == "f" and np.allclose(one, two, DIGITS, DIGITS, equal_nan=True):
            near = True
            continue
        same = (one == two) | ((one != one) & (two != two))  # noqa: PLR0124 -- no number is the same as no number
        at = int(np.flatnonzero(~same)[0])
        return f"different: {name}[{at}] is {one[at]}, not {two[at]}"
    if near:
        return "agrees but for last digits"
    return "agrees but for the place behind vectors of three lanes" if padding else "agrees"


def _say(**record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _outcomes(paths: Sequence[Path]) -> Iterator[dict[str, str]]:
    """What came of each kernel of some files; the files behind one that ends the process go into another."""
    command = [sys.executable, "-m", "bench.interpreter", "--only", *map(str, paths)]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        out = run.stdout
    except subprocess.TimeoutExpired as error:
        out = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    yield from (one for one in records if "came" in one)
    if not records or "end" in records[-1]:
        return
    if "kernel" in records[-1]:
        yield {**records[-1], "came": "not run: the process ended, or did not end"}
    yield from _outcomes(paths[[str(path) for path in paths].index(records[-1]["file"]) + 1 :])


def main() -> int:
    """Print the counts; exit status 1 where results differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=200, help="files to try at most")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no further files are begun")
    parser.add_argument("--jobs", type=int, default=2, help="files at the same time")
    parser.add_argument("--markdown", type=Path, help="a page for the counts")
    parser.add_argument("--only", type=Path, nargs="+", metavar="FILE", help="some files, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        for path in arguments.only:
            _say(file=str(path))
            _here(path)
        _say(end=True)
        return 0
    folders: list[Path] = arguments.folders
    files = sorted({path for one in folders for path in (one.rglob("*.cl") if one.is_dir() else [one])})
    if len(files) > arguments.most:
        files = random.Random(0).sample(files, arguments.most)  # noqa: S311 -- a choice of files
    some = [files[at : at + PER_PROCESS] for at in range(0, len(files), PER_PROCESS)]
    counts, wrong, tried = Counter[str](), list[str](), set[str]()
    until_s = time.monotonic() + 60 * arguments.minutes
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for outcomes in pool.map(lambda paths: list(_outcomes(paths)) if time.monotonic() < until_s else [], some):
            for one in outcomes:
                tried.add(one["file"])
                different = one["came"].startswith("different")
                counts["different" if different else one["came"]] += 1
                wrong += [f"{one['file']}: {one['kernel']}: {one['came']}"] if different else []
    sys.stdout.write(f"{len(tried)} files with kernels, {counts.total()} kernels\n")
    sys.stdout.writelines(f"  {came}: {n}\n" for came, n in counts.most_common())
    sys.stdout.writelines(f"{one}\n" for one in wrong)
    if arguments.markdown:
        arguments.markdown.write_text(_page(counts, len(tried), arguments), "utf-8")
    return 1 if wrong else 0


def _page(counts: Counter[str], files: int, arguments: argparse.Namespace) -> str:
    """The counts as a page."""
    rows = [f"| {came} | {n} |" for came, n in counts.most_common() if not came.startswith("not run")]
    left_out = [
        f"| {came.partition(': ')[2]} | {n} |" for came, n in counts.most_common() if came.startswith("not run")
    ]
    lines = [
        "# The interpreter on public kernels",
        "",
        f"Written by `python -m bench.interpreter FOLDER --most {arguments.most} --minutes {arguments.minutes:g} "
        "--markdown docs/interpreter.md`.",
        "",
        "Edits are executed by an interpreter before they are offered. Here it runs public kernels next to PoCL: the",
        "same made-up data in, and all buffers compared byte for byte. Where they differ, the kernel is interpreted",
        "again with its work-items the other way round, and with other values for what C leaves open: what changes",
        "its results then is named, and nothing is compared. Devices choose the last digits of functions such as",
        "`sin`.",
        "",
        f"{files} files, {counts.total()} kernels; {counts.total() - _count(counts, 'not run')} were run in both.",
        "",
        "| run in both | kernels |",
        "|---|---:|",
        *rows,
        f"| **differ, and nothing explains it** | {counts['different']} |",
        "",
        "| not run | kernels |",
        "|---|---:|",
        *left_out,
    ]
    return "\n".join(line for line in lines if not line.startswith("| different |")) + "\n"


def _count(counts: Counter[str], start: str) -> int:
    """How many kernels came out in a way that begins so."""
    return sum(n for came, n in counts.items() if came.startswith(start))


if __name__ == "__main__":
    raise SystemExit(main())
