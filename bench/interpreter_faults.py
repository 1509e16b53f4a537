"""What the interpreter does and refuses of public kernels, next to Oclgrind on the same data.

    python -m bench.interpreter_faults FOLDER… [--most 200] [--minutes 10] [--markdown docs/interpreter_faults.md]

Oclgrind (Debian's package of that name) interprets a kernel's LLVM code, and reports accesses outside buffers, reads of
what nothing was stored to, and data races; a plugin counts loads and stores (`bench/traces/plugin.cpp`, which needs
``g++ llvm-14-dev liboclgrind-dev``). Kernels are launched as in `bench.interpreter`. Nothing of a folder is kept.
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
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.second_runtime import DRIVER
from bench.traces.oracle import build_plugin

from bench import accesses, interpreter, unordered

ROOT = Path(__file__).parents[1]
PER_PROCESS = 4
TIMEOUT_S = 120
WATCHED_S = 30.0
"""Processor time for a kernel whose accesses are watched."""
REPORTS = {
    "bounds": ("Invalid read", "Invalid write"),
    "race": ("Read-write data race", "Write-write data race"),
    "open": ("Uninitialized value", "Uninitialized address"),
}
"""How Oclgrind's messages of each class begin."""
ENDED = "OCLGRIND FATAL ERROR"
"""How the message begins after which it runs no more of a kernel: arithmetic in half precision, for one."""
CLASSES = {
    "bounds": "leaves its buffers",
    "race": "two work-items access a place, one of them stores, and nothing orders them",
    "open": "reads what nothing was stored to (interpreter: results depend on what is there)",
}


def _here(path: Path, trace: Path) -> None:
    """Try the kernels of a file in this process; prints what it is about to do, and what came of it."""
    from tests.rewrites.equality import assessed  # noqa: PLC0415

    text = path.read_text("utf-8", "replace")
    assessment = assessed(text, path=str(path), arguments={})
    for kernel in assessment.kernels:
        about = {"file": str(path), "kernel": kernel.facts.name}
        _say(**about)
        _say(**about, **_both(path, text, assessment.source, kernel.facts, trace))


def _both(path: Path, text: str, source: Any, facts: Any, trace: Path) -> dict[str, Any]:
    """The faults that either finds, and how their accesses differ; of a kernel that only one can run, why."""
    from burstline_server.interpreter.program import Program  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import NotExecutableError, OutOfBoundsError  # noqa: PLC0415

    if facts.channels:
        return {"skipped": "it uses channels"}
    ours: list[str] = []
    order = ""
    try:
        program = Program(source)
        data, group = interpreter.made_up(facts, interpreter.LENGTHS)
        try:
            found = interpreter.interpreted(program, facts, data, group)
            depends = interpreter.open_in(program, facts, data, group, found)
            races, order = _races(source, facts, data, group, depends == interpreter.RACE)
            ours = [*(["race"] if races else []), *(["open"] if "before anything" in depends else [])]
        except OutOfBoundsError:
            ours = ["bounds"]
        else:
            counter = accesses.Counter(data.arrays)
            interpreter.interpreted(Program(source, counter), facts, data, group, seconds=WATCHED_S)
    except NotExecutableError as error:
        return {"skipped": f"not interpreted: {error.reason.what}"}
    trace.unlink(missing_ok=True)
    try:
        _simulated(path, text, facts, data, group)
    except Exception as error:  # noqa: BLE001 -- whatever a runtime says of a text, it is left out
        return {"skipped": f"Oclgrind refuses it ({type(error).__name__})"}
    seen = accesses.simulated(trace, {name: values.nbytes for name, values in data.arrays.items()})
    if any(one.startswith(ENDED) for one in seen.said):
        return {"skipped": "Oclgrind does not run it to its end"}
    theirs = [name for name, starts in REPORTS.items() if any(one.startswith(starts) for one in seen.said)]
    if "bounds" in (*ours, *theirs):
        return {"ours": ours, "theirs": theirs}
    place, why = accesses.difference(facts, counter.counts, seen.counts, {*ours, *theirs})
    loads, stores = (sum(getattr(one, name) for one in seen.counts.values()) for name in ("loads", "stores"))
    return {
        "ours": ours, "theirs": theirs, "order": order, "place": place, "why": why, "loads": loads, "stores": stores,
    }  # fmt: skip


def _races(source: Any, facts: Any, data: Any, group: tuple[int, ...], depends: bool) -> tuple[bool, str]:
    """Whether work-items race, and what that and the order of work-items have to do with the results."""
    from burstline_server.interpreter.races import FinerError  # noqa: PLC0415

    for unit in (unordered.WORD, 1):
        recorder = unordered.AllRaces(data.arrays, unit)
        with suppress(FinerError):
            unordered.watched(source, recorder, facts, data, group, seconds=WATCHED_S)
            break
    races = recorder.races()
    if depends:
        return races, "shown" if races else "atomics" if recorder.atomics else "unexplained"
    return races, "" if not races else "hidden" if recorder.hidden() else "alike"


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
    # What kernels print goes the same way.
    sys.stdout.write("\n" + json.dumps(record) + "\n")
    sys.stdout.flush()


def outcomes(paths: Sequence[Path], folder: Path) -> Iterator[dict[str, Any]]:
    """What came of each kernel of some files; the files behind one that ends the process go into another."""
    command = [sys.executable, "-m", "bench.interpreter_faults", "--only", *map(str, paths)]
    # The plugin sees every message, also those that are not written any more.
    environment = {
        **os.environ, "OCL_ICD_VENDORS": str(folder), "OCLGRIND_LOG": str(folder / "log.txt"),
        "OCLGRIND_UNINITIALIZED": "1", "OCLGRIND_DATA_RACES": "1", "OCLGRIND_MAX_ERRORS": "1",
        "OCLGRIND_NUM_THREADS": "1", "OCLGRIND_PLUGINS": str(folder / "traces.so"),
        "BURSTLINE_TRACE": str(folder / "trace.json"),
    }  # fmt: skip
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        out = run.stdout
        if run.returncode == 1:  # what ends a process otherwise is a kernel's fault
            raise RuntimeError(run.stderr[-2000:])
    except subprocess.TimeoutExpired as error:
        out = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    yield from (one for one in records if "ours" in one or "skipped" in one)
    if not records or "end" in records[-1]:
        return
    if "kernel" in records[-1]:
        yield {**records[-1], "skipped": "the process ended, or did not end"}
    yield from outcomes(paths[[str(path) for path in paths].index(records[-1]["file"]) + 1 :], folder)


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=200, help="files to try at most")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no further files are begun")
    parser.add_argument("--markdown", type=Path, help="a page for the counts")
    parser.add_argument("--json", type=Path, help="a file for what came of each kernel")
    parser.add_argument("--only", type=Path, nargs="+", metavar="FILE", help="some files, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        for path in arguments.only:
            _say(file=str(path))
            _here(path, Path(os.environ["BURSTLINE_TRACE"]))
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
        build_plugin(folder)
        for at in range(0, len(files), PER_PROCESS):
            if time.monotonic() > until_s:
                break
            every += outcomes(files[at : at + PER_PROCESS], folder)
    text = _page(every, arguments)
    sys.stdout.write(text)
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(one) + "\n" for one in every), "utf-8")
    for one in every:
        if "ours" in one and (set(one["ours"]) != set(one["theirs"]) or one.get("place")):
            sys.stdout.write(f"{one['file']}: {one['kernel']}: {one['ours']} against {one['theirs']}")
            sys.stdout.write(f"; {one['place']} ({one['why']})\n" if one.get("place") else "\n")
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
    return _TEXT.format(
        most=arguments.most, minutes=arguments.minutes, both=len(both), inside=len(inside),
        loads=sum(one["loads"] for one in inside), stores=sum(one["stores"] for one in inside),
        accesses=_table({"the same": 0, **Counter(one["why"] or "the same" for one in inside)}),
        faults="\n".join(rows),
        orders="\n".join(_order(name, what, inside, arguments.folders) for name, what in ORDERS.items()),
        skipped=_table(dict(skipped.most_common())),
    )  # fmt: skip


def _table(rows: dict[str, int]) -> str:
    """Rows of a table."""
    return "\n".join(f"| {what} | {n} |" for what, n in rows.items())


def _order(name: str, what: str, inside: Sequence[dict[str, Any]], folders: Sequence[Path]) -> str:
    """A row of what the order of work-items does, with the kernels that it names."""
    some = [one for one in inside if one["order"] == name]
    named: dict[str, set[str]] = {}
    for one in some:
        folder = next((f.name for f in folders if f in Path(one["file"]).parents), Path(one["file"]).name)
        named.setdefault(folder.replace("+", "/", 1), set()).add(f"`{one['kernel']}`")
    kernels = "; ".join(f"{folder}: {', '.join(sorted(names))}" for folder, names in sorted(named.items()))
    return f"| {what} | {len(some)} | {kernels} |"


ORDERS = {
    "shown": "a race; another order of work-items gives other results",
    "alike": "a race; both orders give the same results with these data",
    "hidden": "a race; each work-item loads what it has stored itself, as long as no other one comes between",
    "atomics": "no race; results depend on which atomic comes first",
    "unexplained": "no race, no atomics, and other results in another order: nothing explains it",
}
"""What the order of work-items does to results."""
_TEXT = """# The interpreter next to Oclgrind

Written by `python -m bench.interpreter_faults FOLDER --most {most} --minutes {minutes:g} \
--markdown docs/interpreter_faults.md`.

Edits are executed by an interpreter before they are offered. Here it runs public kernels next to Oclgrind, which
interprets the LLVM code that clang makes of them without optimising it, with the same made-up data. {both} kernels were
run in both, {inside} of which stay in their buffers: only these are compared for more than that.

## Executed loads and stores

All loads and stores of each buffer that is an argument, and their bytes, are counted in both: {loads} loads and
{stores} stores by Oclgrind's count. An atomic is a load and a store; a comparison that fails stores nothing. A
structure that is copied is one load and one store of its size. A vector is one access; a component that is read is a
load of its whole vector, a component that is written is a store of that alone. A copy between memories is made once
for each group, an element at a time.

| loads, stores and bytes of each buffer | kernels |
|---|---:|
{accesses}

Two forms differ by their nature. For vectors of three lanes, clang loads the fourth lane as well (16 B for 12 B of
`float3`), and Oclgrind stores each lane for itself. In a chain of assignments of structures (`a[i] = b[i] = s`), clang
loads `b[i]` again.

## Faults

| fault | both | neither | interpreter alone | Oclgrind alone |
|---|---:|---:|---:|---:|
{faults}

The interpreter runs work-items one after the other, each up to the next barrier. All its accesses are compared with
each other: this is the row of races. Two stores of the same value are no race in either. Before an edit is offered,
the same is asked of it in the longest of the launches in which it is executed: one with a race, in global or in local
memory, is refused where the kernel has none in that launch. Where results differ, it is asked as well whether the
kernel's own results depend on the order of work-items, by running them in the opposite one.

That other question has other answers. Kernels race whose results do not show it in either order: the second and third
row below, which Oclgrind reports rightly. Kernels have other results in another order where no access races: the fourth
row, where `atomic_add` hands out places and both are right.

| order of work-items | kernels | which |
|---|---:|---|
{orders}

## Not compared

| why | kernels |
|---|---:|
{skipped}
"""


if __name__ == "__main__":
    raise SystemExit(main())
