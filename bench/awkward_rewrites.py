"""Awkward kernels from seeds: every offered edit is made, run on a real runtime and compared bit for bit.

    python -m bench.awkward_rewrites --seeds 1000 [--from 0] [--write FOLDER] [--interpreted]

Edits are executed by the interpreter as well, and the two verdicts compared; `--interpreted` does that alone.

Each kernel runs in its own process: one that reads outside a buffer ends it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PER_PROCESS = 64
"""Kernels that one process tries; a crash is looked for among them one by one."""
TIMEOUT_S = 600
STEPS = 3
"""Proved edits made one after the other, each on what those before it left."""


@dataclass
class Counts:
    """What came of the edits: how many were made and equal, by kind; which were not; the kernels that crashed."""

    applied: int = 0
    later: int = 0
    """Those of them that were made of what other edits had left."""
    by_safety: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    unequal: list[str] = field(default_factory=list)
    crashed: list[int] = field(default_factory=list)
    executed: Counter[str] = field(default_factory=Counter)
    """What the interpreter found of those that it executes."""
    disagreeing: list[str] = field(default_factory=list)

    def add(self, lines: Iterable[str]) -> None:
        """Add what a process printed: a JSON record for each edit."""
        for line in lines:
            one = json.loads(line)
            self.applied += 1
            self.by_kind[f"{one['kind']} {one['title'].split(' ')[0]}"] += 1
            self.by_safety[one["kind"]] += 1
            self.later += one["step"] > 0
            if one["executed"]:
                self.executed[one["executed"]] += 1
                if (one["executed"] == "different") != bool(one["why"]) and not one["executed"].startswith("not"):
                    self.disagreeing.append(f"seed {one['seed']}: {one['title']}: interpreter: {one['executed']}")
            if one["why"]:
                self.unequal.append(f"seed {one['seed']}: {one['title']}: {one['why']}")


def counted(seeds: Iterable[int], more: Sequence[str] = ()) -> Counts:
    """Every edit of the kernels of these seeds."""
    counts, all_seeds = Counts(), list(seeds)
    for at in range(0, len(all_seeds), PER_PROCESS):
        some = all_seeds[at : at + PER_PROCESS]
        lines = _tried(some, more)
        if lines is not None:
            counts.add(lines)
            continue
        for seed in some:
            lines = _tried([seed], more)
            if lines is None:
                counts.crashed.append(seed)
            else:
                counts.add(lines)
    return counts


def _tried(seeds: list[int], more: Sequence[str]) -> list[str] | None:
    """What a process prints for these seeds; None where it crashed."""
    command = [sys.executable, "-m", "bench.awkward_rewrites", "--only", ",".join(map(str, seeds)), *more]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else None


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
    return "equal" if isinstance(found, Equal) else "different"


def main() -> int:
    """Print the counts; exit status 1 where an edit changed what is computed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--only", help="seeds to try in this process, separated by commas")
    parser.add_argument("--interpreted", action="store_true", help="in the interpreter alone")
    parser.add_argument("--write", type=Path, help="a folder for the kernels of failing seeds")
    arguments = parser.parse_args()
    if arguments.only:
        _here((int(seed) for seed in arguments.only.split(",")), interpreted=arguments.interpreted)
        return 0
    more = ["--interpreted"] if arguments.interpreted else []
    counts = counted(range(arguments.first, arguments.first + arguments.seeds), more)
    sys.stdout.write(f"{arguments.seeds} kernels, {counts.applied} edits ({counts.by_safety['proved']} proved, ")
    sys.stdout.write(f"{counts.by_safety['host']} with a change of the host; {counts.later} on what others left)")
    if not arguments.interpreted:
        sys.stdout.write(f", {counts.applied - len(counts.unequal)} equal, {len(counts.unequal)} unequal")
    sys.stdout.write(f", {len(counts.crashed)} kernels crashed\n")
    sys.stdout.writelines(f"  {kind}: {n}\n" for kind, n in counts.by_kind.most_common())
    sys.stdout.writelines(f"  interpreted: {found}: {n}\n" for found, n in counts.executed.most_common())
    sys.stdout.writelines(f"{one}\n" for one in counts.disagreeing)
    sys.stdout.writelines(f"{one}\n" for one in counts.unequal)
    sys.stdout.writelines(f"seed {seed}: crashed\n" for seed in counts.crashed)
    return 1 if counts.unequal or counts.crashed or counts.disagreeing else 0


if __name__ == "__main__":
    raise SystemExit(main())
