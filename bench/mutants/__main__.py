"""How many small changes to the model do the tests notice: ``python -m bench.mutants``.

    python -m bench.mutants [--number N] [--seed N] [--areas AREA …] [--only TEXT] [--jobs N] [--own] [--known FILE]
        [--markdown FILE]

Each mutant changes one figure, term or condition of the model in a copy of it; the tests that guard its area run
against the copy until one fails. A mutant that no test notices survives. ``explained.toml`` says of those that may
why: what they change is nothing that a user could see. Those of ``named.toml`` always run, then those drawn.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.marked import MarkedPart
from bench.mutants.generate import AREAS, named, sample
from bench.mutants.run import Verdict, verdicts

EXPLAINED = Path(__file__).with_name("explained.toml")
MEASURED = MarkedPart("python -m bench.mutants")


def explained() -> dict[str, str]:
    """Why some mutants may survive, by their names."""
    read = tomllib.loads(EXPLAINED.read_text("utf-8")) if EXPLAINED.exists() else {}
    return {str(name): str(why) for name, why in read.items()}


def read_known(path: Path) -> dict[str, str]:
    """What killed mutants earlier, by their names: more tests kill no fewer."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return dict(json.loads(line) for line in lines)


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
    parser.add_argument("--own", action="store_true", help="the tests of a mutant's area alone: what they miss")
    parser.add_argument("--known", type=Path, metavar="FILE", help="take killed mutants from FILE; add verdicts to it")
    parser.add_argument("--least", type=float, default=0.0, metavar="PERCENT", help="fail where fewer are killed")
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    asked = parser.parse_args()
    mutants = [m for m in (*named(asked.areas), *sample(asked.number, asked.seed, asked.areas)) if asked.only in m.name]
    if not mutants:
        print("no mutant has such a name", file=sys.stderr)
        return 2
    known = read_known(asked.known) if asked.known else {}
    found = [Verdict(m, known[m.name]) for m in mutants if m.name in known]
    for one in verdicts([m for m in mutants if m.name not in known], asked.jobs, own=asked.own):
        found.append(one)
        print(f"{'killed  ' if one.killed_by else 'SURVIVES'} {one.mutant.name}  [{one.killed_by or ''}]", flush=True)
        if asked.known and one.killed_by:
            with asked.known.open("a", encoding="utf-8") as file:
                file.write(json.dumps([one.mutant.name, one.killed_by]) + "\n")
    text = page(found)
    print(f"\n{text}")
    if asked.markdown:
        MEASURED.write(asked.markdown, text)
    share = 100 * sum(v.killed_by is not None for v in found) / len(found)
    return 1 if share < asked.least else 0


if __name__ == "__main__":
    sys.exit(main())
