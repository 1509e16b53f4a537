"""How far what Burstline says is from what was measured: ``make accuracy``.

    python -m bench.scoreboard [--truth DIR] [--mirror DIR] [--quick] [--only AREA …]
                               [--json FILE] [--markdown docs/accuracy.md] [--readme README.md] [--history FILE]
                               [--check] [--record]

Every figure is made from kernel text, in the default mode, by the line that an editor runs. `--truth` holds published
measurements and the rows of vendor reports, `--mirror` git directories of the public repositories that these name, as
``OWNER+NAME/repo``; areas that need what is not given are left out and say so. `--quick` takes a fixed sample of the
rows; `--check` fails where a figure is worse than ``floors.json`` allows, `--record` keeps today's figures there.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.marked import MarkedPart
from bench.scoreboard import floors, history, page, stated
from bench.scoreboard.figure import Area, Sources

AREAS = ("memory", "times", "rankings", "papers", "units", "loops", "blind", "blind_times", "resources")
MEASURED = MarkedPart("make accuracy")


def measured(sources: Sources, names: Sequence[str]) -> list[Area]:
    """The areas, one after the other; each is a module of this folder with a function ``measure``."""
    found = []
    for name in names:
        began = time.monotonic()
        area: Area = importlib.import_module(f"bench.scoreboard.{name}").measure(sources)
        print(f"{name}: {time.monotonic() - began:.0f} s{', ' + area.skipped if area.skipped else ''}", file=sys.stderr)
        found.append(area)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, metavar="DIR", help="published measurements and rows of vendor reports")
    parser.add_argument("--mirror", type=Path, metavar="DIR", help="git directories of public repositories")
    parser.add_argument("--quick", action="store_true", help="a fixed sample of the rows")
    parser.add_argument("--only", nargs="+", choices=AREAS, default=AREAS, metavar="AREA", help=", ".join(AREAS))
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write all of it as JSON, and the errors that answers state"
    )
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    parser.add_argument("--readme", type=MEASURED.page, metavar="FILE", help="write the headline figures alone")
    parser.add_argument("--history", type=Path, metavar="FILE", help="add the figures to the history, and draw it")
    parser.add_argument("--check", action="store_true", help="fail where a figure is worse than recorded")
    parser.add_argument("--record", action="store_true", help="keep the figures as what later runs are held to")
    return parser.parse_args()


def main() -> int:
    """Measure, print the headline figures, write and check what was asked for."""
    asked = _arguments()
    for folder in (asked.truth, asked.mirror):
        if folder is not None and not folder.is_dir():
            print(f"{folder}: no such folder", file=sys.stderr)
            return 2
    areas = measured(Sources(asked.truth, asked.mirror, asked.quick), asked.only)
    sample = "quick" if asked.quick else "all"
    for figure in (f for area in areas for f in area.figures):
        print(f"{figure.key}: {page.number(figure.ours, figure)} of {figure.rows} rows; "
              f"baseline {page.number(figure.baseline, figure)} {figure.baseline_name}")  # fmt: skip
    if asked.json:
        asked.json.write_text(json.dumps(page.document(areas), indent=1, ensure_ascii=False) + "\n", "utf-8")
        stated.state(areas)
    if asked.markdown:
        MEASURED.write(asked.markdown, page.markdown(areas))
    if asked.readme:
        MEASURED.write(asked.readme, page.short(page.document(areas)))
    if asked.history:
        history.append(asked.history, areas)
        history.plot(asked.history, asked.history.parent / "pictures" / "accuracy_history.svg")
    if asked.record:
        floors.record(areas, sample)
    failed = floors.failures(areas, sample) if asked.check else []
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
