"""Which repositories' reports each row of the compiler's rules wins and loses units in: what its `evidence` records.

    python -m bench.scoreboard.evidence --truth DIR --mirror DIR [--write]

Every repository is judged with and without the row, all other rows in force, those that are off by default among them.
The reports are those of the truth and those of earlier rounds of `blind.json`; of units by kernel, those that generated
Verilog names, with its caches. To be run again when a rule, or what units are inferred from, has changed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.scoreboard import by_kernel
from bench.scoreboard.places import Inference, Place, judge
from bench.scoreboard.reports import Reader, Report, reading_folder, reports
from bench.scoreboard.rounds import USED, at_hand, used_reports

from burstline_model.compiler.lsu_rules.evidence import Evidence
from burstline_model.compiler.lsu_rules.rule import Row
from burstline_model.compiler.lsu_rules.rulebook import EVERY_ROW, Rulebook

LSU_ROWS = "lsu_train.jsonl"
RECORD = Path("model/burstline_model/compiler/lsu_rules/recorded.py")


def wrong_units(places: Sequence[Place]) -> dict[tuple[str, object], tuple[str, int]]:
    """The repository and the units of another style or width than reported, missing ones and those nobody built."""
    found = {}
    for place in places:
        key = (place.report.build, (place.key, str(sorted(place.reported.items(), key=str))))
        found[key] = (place.report.repository, place.units - (place.reported & place.inferred).total())
    return found


def evidence_of(
    rule: Row, judged: Sequence[Report], reader: Reader, inference: Inference, mirror: Path | None = None
) -> tuple[Evidence, ...]:
    """The units that a row wins and loses, by repository; repositories where it changes nothing are left out.

    All rows are in force but those that are refuted already. With `mirror`, units in generated Verilog count as well.
    """
    refuted = [row for row in EVERY_ROW if row.refuted]
    book = EVERY_ROW.without([row for row in refuted if row != rule])

    def wrong(rules: Rulebook) -> dict[tuple[str, object], tuple[str, int]]:
        named = by_kernel.places(_with_verilog(mirror), mirror, reader, rules) if mirror is not None else ()
        return wrong_units([*judge(judged, reader, inference, lambda _: rules).places, *named])

    with_row, without = wrong(book), wrong(book.without([rule]))
    won: defaultdict[str, int] = defaultdict(int)
    lost: defaultdict[str, int] = defaultdict(int)
    for key in {*with_row, *without}:
        repository = (with_row.get(key) or without[key])[0]
        own, other = (some[key][1] if key in some else 0 for some in (with_row, without))
        won[repository] += max(0, other - own)
        lost[repository] += max(0, own - other)
    names = [name for name in dict.fromkeys([*won, *lost]) if won[name] or lost[name]]
    return tuple(Evidence(name, won[name], lost[name]) for name in sorted(names, key=str.lower))


def _with_verilog(mirror: Path) -> list[dict[str, Any]]:
    """The entries of earlier rounds that name generated Verilog."""
    return [
        entry for entry in at_hand(mirror)
        if entry["round"] <= USED and all(path.endswith(by_kernel.VERILOG) for path in entry["reports"])
    ]  # fmt: skip


def module(recorded: Mapping[str, Sequence[Evidence]]) -> str:
    """The record as the module that the rules are loaded with."""
    lines = [
        '"""Units that each rule wins and loses in public vendor reports: ``python -m bench.scoreboard.evidence``."""',
        "",
        "from burstline_model.compiler.lsu_rules.evidence import Evidence",
        "",
        "RECORDED: dict[str, tuple[Evidence, ...]] = {",
    ]
    for key, evidence in recorded.items():
        rows = [f'Evidence("{one.repository}", won={one.won}, lost={one.lost}),' for one in evidence]
        if len(rows) == 1:
            lines.append(f'    "{key}": ({rows[0]}),')
        elif rows:
            lines += [f'    "{key}": (', *(f"        {row}" for row in rows), "    ),"]
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Print or write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help=f"write it into {RECORD}")
    arguments = parser.parse_args()
    inference = Inference()
    with tempfile.TemporaryDirectory() as rows, reading_folder() as folder:
        judged = reports(arguments.truth / LSU_ROWS, arguments.mirror)
        judged += used_reports(arguments.mirror, Path(rows))
        reader = Reader(Path(folder))
        text = module({rule.key: evidence_of(rule, judged, reader, inference, arguments.mirror) for rule in EVERY_ROW})
    if arguments.write:
        RECORD.write_text(text, "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
