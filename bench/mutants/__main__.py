"""How many small changes to the model do the tests notice: ``python -m bench.mutants``.

    python -m bench.mutants [--number N] [--seed N] [--areas AREA …] [--only TEXT] [--jobs N] [--markdown FILE]

Each mutant changes one figure, term or condition of the model in a copy of it; the tests that guard its area run
against the copy until one fails. A mutant that no test notices survives. ``explained.toml`` says of those that may
why: what they change is nothing that a user could see.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.marked import MarkedPart
from bench.mutants.generate import AREAS, MODEL, Mutant, sample
from tqdm import tqdm

ROOT = MODEL.parents[1]
FIRST = ("tests/model", "tests/compiler", "tests/pipeline", "tests/resources", "tests/test_verdict.py")
THEN = ("tests/test_examples.py", "tests/explore", "tests/rules", "tests/cli", "tests/test_variants.py")
"""Tests that guard the model, the fast ones first."""
LONGEST_S = 600
EXPLAINED = Path(__file__).with_name("explained.toml")
MEASURED = MarkedPart("python -m bench.mutants")


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: `killed_by` is the first test that fails, None where none does."""

    mutant: Mutant
    killed_by: str | None


def verdict(mutant: Mutant) -> Verdict:
    """Run the tests against a copy of the model with the change in it."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "burstline_model"
        shutil.copytree(MODEL, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.path).write_text(mutant.text(), "utf-8")
        for tests in (FIRST, THEN):
            failed = _first_failure([t for t in tests if (ROOT / t).exists()], Path(name))
            if failed is not None:
                return Verdict(mutant, failed)
    return Verdict(mutant, None)


def _first_failure(tests: Sequence[str], model: Path) -> str | None:
    paths = os.pathsep.join(str(path) for path in (model, ROOT / "server", ROOT))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "it never ends"
    if done.returncode == 0:
        return None
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].partition(" - ")[0].partition(" ")[2] if failed else "it does not start"


def explained() -> dict[str, str]:
    """Why some mutants may survive, by their names."""
    read = tomllib.loads(EXPLAINED.read_text("utf-8")) if EXPLAINED.exists() else {}
    return {str(name): str(why) for name, why in read.items()}


def page(verdicts: Sequence[Verdict]) -> str:
    """The table of areas, and each survivor with the reason."""
    reasons = explained()
    lines = ["| area | mutants | killed |", "|---|---:|---:|"]
    made = Counter(v.mutant.area for v in verdicts)
    killed = Counter(v.mutant.area for v in verdicts if v.killed_by)
    lines += [f"| {area} | {made[area]} | {killed[area]} |" for area in AREAS if made[area]]
    lines.append(f"| all | {made.total()} | {killed.total()} ({killed.total() / made.total():.1%}) |")
    survivors = [v.mutant for v in verdicts if not v.killed_by]
    if survivors:
        lines += ["", "| survivor | why |", "|---|---|"]
        lines += [f"| `{m.name.replace('|', ' or ')}` | {reasons.get(m.name, 'no test yet')} |" for m in survivors]
    return "\n".join(lines)


def main() -> int:
    """Run the mutants, print the table, and fail below the share asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=120, metavar="N", help="how many mutants (120)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which choice of them (1)")
    parser.add_argument(
        "--areas", nargs="+", choices=AREAS, default=tuple(AREAS), metavar="AREA", help=", ".join(AREAS)
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose name holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at a time")
    parser.add_argument("--least", type=float, default=0.0, metavar="PERCENT", help="fail where fewer are killed")
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    asked = parser.parse_args()
    mutants = [m for m in sample(asked.number, asked.seed, asked.areas) if asked.only in m.name]
    if not mutants:
        print("no mutant has such a name", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(asked.jobs) as pool:
        verdicts = list(tqdm(pool.map(verdict, mutants), total=len(mutants), disable=None, unit="mutant"))
    for one in verdicts:
        print(f"{'killed  ' if one.killed_by else 'SURVIVES'} {one.mutant.name}  [{one.killed_by or ''}]")
    text = page(verdicts)
    print(f"\n{text}")
    if asked.markdown:
        MEASURED.write(asked.markdown, text)
    share = 100 * sum(v.killed_by is not None for v in verdicts) / len(verdicts)
    return 1 if share < asked.least else 0


if __name__ == "__main__":
    sys.exit(main())
