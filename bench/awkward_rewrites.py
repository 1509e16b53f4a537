"""Awkward kernels from seeds: every offered edit is made, run on a real runtime and compared bit for bit.

    python -m bench.awkward_rewrites --seeds 1000 [--from 0] [--interpreted]
    python -m bench.awkward_rewrites --proved 20000 --host 5000 --minutes 60 --counts FILE --markdown docs/awkward.md

Seeds are tried until there are that many of them, or that many edits of either kind were compared. Runs with one
`--counts` add up: each goes on behind the seeds of the one before. Edits are executed
by the interpreter as well, and the two verdicts compared; `--interpreted` does that alone.

Edits that PoCL finds unequal are run again by Oclgrind, where it is installed. Those that are equal there are named
apart in the page, with what the interpreter finds of them, and count neither as equal nor as unequal.

A process tries many kernels, which it builds as one program: one that reads outside a buffer ends it, and is looked for
by halves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.second_runtime import environment, is_there

ROOT = Path(__file__).parents[1]
PER_PROCESS = 32
EQUAL, ON_POCL = "equal", "unequal on PoCL alone"
TIMEOUT_S = 900
STEPS = 3
"""Proved edits made one after the other, each on what those before it left."""
UNLIMITED = 1 << 40


@dataclass
class Counts:
    """What came of the edits: how many were made and equal, by kind; which were not; the kernels that crashed."""

    runs: int = 0
    seeds: int = 0
    last: int = 0
    """The seed behind those that were tried."""
    minutes: float = 0.0
    applied: int = 0
    later: int = 0
    """Those of them that were made of what other edits had left."""
    launches: int = 0
    by_safety: Counter[str] = field(default_factory=Counter)
    """Edits whose results were compared, by what they rest on."""
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    not_run: int = 0
    """Edits that none of the launches suits."""
    unequal: list[str] = field(default_factory=list)
    crashed: list[int] = field(default_factory=list)
    executed: Counter[str] = field(default_factory=Counter)
    """What the interpreter found of those that it executes."""
    disagreeing: list[str] = field(default_factory=list)
    on_pocl: list[str] = field(default_factory=list)
    """Edits that are unequal on PoCL alone: on Oclgrind they are equal."""

    def add(self, seeds: Sequence[int], lines: Iterable[str] | None) -> None:
        """Add what a process printed for seeds: a JSON record for each edit; None: it crashed on the only one."""
        self.seeds += len(seeds)
        self.last = max(self.last, *(seed + 1 for seed in seeds))
        if lines is None:
            self.crashed += seeds
            return
        for line in lines:
            one = json.loads(line)
            self.applied += 1
            apart = bool(one["why"]) and one.get("second") == EQUAL and one["executed"] != "different"
            came = ON_POCL if apart else "unequal" if one["why"] else EQUAL if one["launches"] else "not run"
            self.by_kind.setdefault(f"{one['kind']}: {one['edit']}", Counter())[came] += 1
            if apart:
                said = f"the interpreter: {one['executed'] or 'not asked'}"
                self.on_pocl.append(f"seed {one['seed']}: {one['title']}: {one['why']} ({said})")
                continue
            self.by_safety[one["kind"]] += came != "not run"
            self.not_run += came == "not run"
            self.launches += one["launches"]
            self.later += one["step"] > 0
            if one["executed"]:
                self.executed[one["executed"]] += 1
                # What the runtime did not launch says nothing of what the interpreter finds.
                judged = one["launches"] > 0 and not one["executed"].startswith("not")
                if judged and (one["executed"] == "different") != bool(one["why"]):
                    self.disagreeing.append(f"seed {one['seed']}: {one['title']}: interpreter: {one['executed']}")
            if one["why"]:
                self.unequal.append(f"seed {one['seed']}: {one['title']}: {one['why']}")


def _known(path: Path | None) -> Counts:
    """The counts of earlier runs."""
    if path is None or not path.exists():
        return Counts()
    found = Counts(**json.loads(path.read_text("utf-8")))
    found.by_safety, found.executed = Counter(found.by_safety), Counter(found.executed)
    found.by_kind = {kind: Counter(came) for kind, came in found.by_kind.items()}
    return found


def counted(seeds: Iterable[int], more: Sequence[str] = ()) -> Counts:
    """Every edit of the kernels of these seeds, which are few: the runtime keeps what it builds for the next time."""
    counts, all_seeds = Counts(), list(seeds)
    for at in range(0, len(all_seeds), PER_PROCESS):
        for some, lines in _halved(all_seeds[at : at + PER_PROCESS], more, keep=True):
            counts.add(some, with_second(lines))
    return counts


def with_second(lines: list[str] | None) -> list[str] | None:
    """What a process printed, with what a second runtime finds of the edits that are unequal, where it is there."""
    records = [json.loads(line) for line in lines or ()]
    seeds = {one["seed"] for one in records if one["why"]}
    if not seeds or not is_there():
        return lines
    command = [sys.executable, "-m", "bench.awkward_rewrites", "--only", ",".join(map(str, sorted(seeds)))]
    with environment() as there:
        try:
            run = subprocess.run(
                command, cwd=ROOT, env=there, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return lines
    found = {_edit_of(one): one for one in map(json.loads, run.stdout.splitlines())} if run.returncode == 0 else {}
    for one in records:
        other = found.get(_edit_of(one))
        if other is not None and other["launches"] >= one["launches"]:
            one["second"] = other["why"] or EQUAL
    return [json.dumps(one) for one in records]


def _edit_of(record: dict[str, Any]) -> tuple[int, int, str]:
    """Which edit a record is of."""
    return record["seed"], record["step"], record["title"]


def _halved(
    seeds: list[int], more: Sequence[str], *, keep: bool = False
) -> Iterator[tuple[list[int], list[str] | None]]:  # fmt: skip
    """What a process prints for these seeds; where it crashes, for either half of them; None for one alone."""
    command = [sys.executable, "-m", "bench.awkward_rewrites", "--only", ",".join(map(str, seeds)), *more]
    # In long runs a text is built once: the runtime's store of what it has built would only grow.
    environment = {**os.environ, "POCL_KERNEL_CACHE": str(int(keep))}
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        lines = run.stdout.splitlines() if run.returncode == 0 else None
    except subprocess.TimeoutExpired:
        lines = None
    if lines is not None or len(seeds) == 1:
        yield seeds, lines
        return
    middle = len(seeds) // 2
    yield from _halved(seeds[:middle], more, keep=keep)
    yield from _halved(seeds[middle:], more, keep=keep)


@dataclass(frozen=True)
class _Made:
    """An edit of a text, and the text after it; `step` counts the edits before it."""

    before: str
    offer: Any
    after: str
    step: int


def _made(text: str) -> Iterator[_Made]:
    """Every edit of a text, and of what the first proved edits, one after the other, leave of it."""
    from tests.rewrites.equality import offered  # noqa: PLC0415

    seen, chained = {text}, set[str]()
    for step in range(STEPS + 1):
        found = [_Made(text, o, o.applied(text.encode()).decode(), step) for o in offered(text, arguments={"n": 4000})]
        yield from found
        further = (o for o in found if o.offer.kind == "proved" and o.after not in seen and o.offer.id not in chained)
        chosen = next(further, None)
        if chosen is None:
            return
        text = chosen.after
        seen.add(text)
        chained.add(chosen.offer.id)


def _here(seeds: Iterable[int], *, interpreted: bool) -> None:
    """Try the kernels of these seeds in this process."""
    from tests.rewrites.awkward import awkward  # noqa: PLC0415
    from tests.rewrites.equality import Tried, build_together, held_against, ran  # noqa: PLC0415

    from burstline_server.words.edits import title_text  # noqa: PLC0415

    kernels = {seed: awkward(seed) for seed in seeds}
    edits = {seed: found for seed, one in kernels.items() if (found := list(_made(one.text)))}
    if not interpreted:
        build_together(
            text for seed, found in edits.items() for text in (kernels[seed].text, *(m.after for m in found))
        )
    for seed, found in edits.items():
        kernel = kernels[seed]
        expected = [] if interpreted else [ran(kernel.text, one) for one in kernel.data]
        for made in found:
            offer = made.offer
            one = Tried(offer, None) if interpreted else held_against(offer, made.after, kernel.data, expected)
            record = {
                "seed": seed, "kind": offer.kind, "title": title_text(offer.title), "step": made.step,
                "edit": offer.title.kind.replace("_", " "), "launches": one.launches,
                "why": one.why if one.unequal is not None else "",
                "executed": _executed(made) if offer.is_executed else "",
            }  # fmt: skip
            sys.stdout.write(json.dumps(record) + "\n")


def _executed(made: _Made) -> str:
    """What the interpreter finds of an edit."""
    from burstline_server.interpreter.verdicts import Equal, NotExecuted  # noqa: PLC0415
    from burstline_server.rewrites.executed import execution  # noqa: PLC0415
    from burstline_server.source.read import read_source  # noqa: PLC0415

    found = execution(read_source(made.before, "k.cl"), read_source(made.after, "k.cl"), made.offer)
    if isinstance(found, NotExecuted):
        return f"not executed: {found.reason.what} {found.reason.name}".rstrip()
    if isinstance(found, Equal):
        return "equal" if found.trials else "not executed: no statement changes"
    return "different"


def main() -> int:
    """Print the counts; exit status 1 where an edit changed what is computed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, help="kernels to try; 200 where no number of edits is given")
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--proved", type=int, default=0, help="proved edits to compare at least")
    parser.add_argument("--host", type=int, default=0, help="edits with a change of the host to compare at least")
    parser.add_argument("--minutes", type=float, default=UNLIMITED, help="after which no further kernels are begun")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time")
    parser.add_argument("--only", help="seeds to try in this process, separated by commas")
    parser.add_argument("--interpreted", action="store_true", help="in the interpreter alone")
    parser.add_argument("--counts", type=Path, metavar="FILE", help="counts of earlier runs, which this one adds to")
    parser.add_argument("--markdown", type=Path, help="a page for the counts")
    arguments = parser.parse_args()
    if arguments.only:
        _here((int(seed) for seed in arguments.only.split(",")), interpreted=arguments.interpreted)
        return 0
    begun_s, counts = time.monotonic(), _known(arguments.counts)
    _until_enough(counts, arguments, begun_s)
    counts.runs += 1
    counts.minutes += (time.monotonic() - begun_s) / 60
    if arguments.counts:
        arguments.counts.write_text(json.dumps(vars(counts)), "utf-8")
    sys.stdout.write(_text(counts, arguments))
    if arguments.markdown:
        arguments.markdown.write_text(_page(counts, arguments), "utf-8")
    return 1 if counts.unequal or counts.crashed or counts.disagreeing else 0


def _until_enough(counts: Counts, arguments: argparse.Namespace, begun_s: float) -> None:
    """Count the seeds asked for, or as many as there are edits asked for."""
    aimed = arguments.proved or arguments.host
    seeds = arguments.seeds or (UNLIMITED if aimed else 200)
    more = ["--interpreted"] if arguments.interpreted else []
    first = max(arguments.first, counts.last)
    last = first + seeds

    def part(first: int) -> list[tuple[list[int], list[str] | None]]:
        found = _halved(list(range(first, min(first + PER_PROCESS, last))), more)
        return [(some, with_second(lines)) for some, lines in found]

    with ThreadPoolExecutor(arguments.jobs) as pool:
        at = first
        while at < last and (time.monotonic() - begun_s) / 60 < arguments.minutes:
            if aimed and counts.by_safety["proved"] >= arguments.proved and counts.by_safety["host"] >= arguments.host:
                break
            firsts = range(at, min(at + arguments.jobs * PER_PROCESS, last), PER_PROCESS)
            for found in pool.map(part, firsts):
                for some, lines in found:
                    counts.add(some, lines)
            at += arguments.jobs * PER_PROCESS
            shown = [f"{counts.seeds} kernels", f"{dict(counts.by_safety)}", f"{len(counts.unequal)} unequal"]
            sys.stderr.write(", ".join([*shown, f"{len(counts.crashed)} crashed"]) + "\n")
            sys.stderr.writelines(f"  {one}\n" for one in counts.unequal[-3:])


def _text(counts: Counts, arguments: argparse.Namespace) -> str:
    lines = [
        f"{counts.seeds} kernels, {counts.applied} edits ({counts.by_safety['proved']} proved, "
        f"{counts.by_safety['host']} with a change of the host; {counts.later} on what others left)"
    ]
    if not arguments.interpreted:
        equal = counts.applied - counts.not_run - len(counts.unequal) - len(counts.on_pocl)
        lines[0] += f", {equal} equal, {len(counts.unequal)} unequal, {counts.not_run} not run"
        lines[0] += f", {counts.launches} launches compared"
    lines[0] += f", {len(counts.crashed)} kernels crashed"
    lines += [f"  {kind}: {dict(came)}" for kind, came in sorted(counts.by_kind.items())]
    lines += [f"  interpreted: {found}: {n}" for found, n in counts.executed.most_common()]
    lines += [f"on PoCL alone: {one}" for one in counts.on_pocl]
    lines += [*counts.disagreeing, *counts.unequal, *(f"seed {seed}: crashed" for seed in counts.crashed)]
    return "\n".join(lines) + "\n"


def _page(counts: Counts, arguments: argparse.Namespace) -> str:
    """The counts as a page."""
    first = f" --from {arguments.first}" if arguments.first else ""
    equal = counts.applied - counts.not_run - len(counts.unequal) - len(counts.on_pocl)
    lines = [
        "# Edits on awkward kernels",
        "",
        f"Written by `python -m bench.awkward_rewrites{first} --proved {arguments.proved} --host {arguments.host} "
        f"--minutes {arguments.minutes:g} --counts FILE --markdown docs/awkward.md`; runs add up.",
        "",
        "Kernels that are legal and hard to rewrite are made from seeds: loops with odd heads, counters of every",
        "type, values set through addresses, chains of helpers, aliased buffers, sums by atomics; and, from a",
        "grammar, moving pointers, structures, unions, narrow types, swizzles, macros that are loops, jumps and",
        "returns in loops. Every edit that is offered as proved, or with a change of the host, is made, whether it",
        "pays or not; then those that are offered for what the first of them left, three edits deep. Each is built",
        "and run on PoCL next to the kernel before any edit, with several sizes (0 and 1 among them), and all",
        "buffers are compared byte for byte. Buffers lie between pages that nobody may touch.",
        "[edits.md](edits.md) does the same with public kernels.",
        "",
        "| | |",
        "|---|---:|",
        f"| kernels | {counts.seeds} |",
        f"| proved edits compared | {counts.by_safety['proved']} |",
        f"| edits with a change of the host compared | {counts.by_safety['host']} |",
        f"| of both, on what other edits left | {counts.later} |",
        f"| launches compared | {counts.launches} |",
        f"| **equal** | {equal} |",
        f"| **unequal** | {len(counts.unequal)} |",
        f"| unequal on PoCL alone, equal on Oclgrind | {len(counts.on_pocl)} |",
        f"| kernels that ended their process | {len(counts.crashed)} |",
        f"| no launch suits the edit | {counts.not_run} |",
        f"| edits on which the interpreter and PoCL disagree | {len(counts.disagreeing)} |",
        f"| minutes of {counts.runs} runs, one after the other | {counts.minutes:.0f} |",
        "",
        "| edit | equal | unequal | on PoCL alone | not run |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind, came in sorted(counts.by_kind.items()):
        lines.append(f"| {kind} | {came['equal']} | {came['unequal']} | {came[ON_POCL]} | {came['not run']} |")
    lines += ["", "What the interpreter finds of those that it executes before they are offered:", ""]
    lines += ["| executed | edits |", "|---|---:|"]
    lines += [f"| {found} | {n} |" for found, n in counts.executed.most_common()]
    if counts.on_pocl:
        lines += ["", "What PoCL alone finds unequal, and Oclgrind, on the same data, equal:", ""]
        lines += [f"- {one}" for one in counts.on_pocl]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
