"""Rows of vendor reports in the form that the areas of units and loops read: reports that nobody has looked at yet.

    python -m bench.scoreboard.rows --mirror DIR --reports FILE --output DIR

`FILE` is a JSON list of ``{"repo": "OWNER/NAME", "commit": …, "reports": [paths], "family": …, "aoc": …}``. A path is
that of a report_data.js, of a .tar.gz that holds one or of a kernel that 16.1 compiled (.aoco, .aocx); family and
compiler version are for reports that name none.
What is written (``lsu_train.jsonl`` and ``loops_train.jsonl``) is given to the scoreboard as its ``--truth``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.scoreboard.places import STYLES
from bench.scoreboard.repositories import git_show, report_of

from burstline_model.vendor_report.records import VendorReport
from burstline_model.vendor_report.report_files import UnreadableReportError, read_report

Row = dict[str, Any]
_LOOP = re.compile(r"\b(?:for|while|do)\b")
_PRINTF = re.compile(r"\bprintf\s*\(")


def main() -> int:
    """Write the rows of the reports that are at hand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mirror", "reports", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    left_out, units, loops = write_rows(json.loads(given.reports.read_text("utf-8")), given.mirror, given.output)
    for name in left_out:
        print(f"left out: {name}", file=sys.stderr)
    print(f"{units} files with units, {loops} loops")
    return 0


def write_rows(entries: Iterable[Row], mirror: Path, output: Path) -> tuple[list[str], int, int]:
    """Write the rows of some repositories' reports; what was left out, and how many rows of units and of loops."""
    units: list[Row] = []
    loops: list[Row] = []
    left_out = []
    written: set[tuple[str, str]] = set()
    for entry in entries:
        for path in entry["reports"]:
            content = git_show(mirror, entry["repo"], f"{entry['commit']}:{path}")
            # One report may lie in several folders; its rows are named by its blob, and count once.
            if (mark := (entry["repo"], _blob(content))) in written:
                continue
            written.add(mark)
            report = _read(report_of(content))
            family = (report.family if report else None) or entry.get("family")
            if report is None or not report.complete or not report.sources or not family:
                left_out.append(f"{entry['repo']} {path}")
                continue
            common = {
                "repo": entry["repo"], "commit": entry["commit"], "report": path, "report_blob": _blob(content),
                "target": report.board, "family": family, "aoc": report.aoc_version or entry.get("aoc", "16.x"),
                "options": list(report.options),
            }  # fmt: skip
            units += unit_rows(report, common)
            loops += loop_rows(report, common)
    output.mkdir(parents=True, exist_ok=True)
    for name, rows in (("lsu_train.jsonl", units), ("loops_train.jsonl", loops)):
        (output / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return left_out, len(units), len(loops)


def _read(content: bytes) -> VendorReport | None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report_data.js"
        file.write_bytes(content)
        try:
            return read_report(file)
        except UnreadableReportError:
            return None


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def unit_rows(report: VendorReport, common: Row) -> Iterator[Row]:
    """A row for each kernel file. Lines that print are not judged; units of ``__constant`` arguments are among them."""
    files: dict[str, Counter[tuple[object, ...]]] = defaultdict(Counter)
    for source in report.sources:
        if source.name.endswith(".cl"):
            files[source.name] = Counter()
    for unit in report.units:
        if unit.op != "atomic" and unit.style in STYLES:
            files[unit.file][unit.kernel, unit.line, unit.op, unit.style, unit.width_bits] += unit.count
    for name, found in files.items():
        lines = (report.source(name) or "").splitlines()
        printing = {n for n, line in enumerate(lines, 1) if _PRINTF.search(line)}
        keys = ("kernel", "line", "op", "style", "width_bits")
        places = [{**dict(zip(keys, key, strict=True)), "count": count} for key, count in found.items()]
        skipped = [{"kernel": p["kernel"], "line": p["line"], "op": p["op"], "why": "printf"} for p in places]
        yield {
            **common, "file": name, "source": None, "source_match": "absent", "sha": "",
            "kernels": sorted({k.name for k in report.kernels}),
            "places": [p for p in places if p["line"] not in printing], "constants": True,
            "not_judged": [p for p in skipped if p["line"] in printing],
        }  # fmt: skip


def loop_rows(report: VendorReport, common: Row) -> Iterator[Row]:
    """A row for each loop. Endless loops are named by the last branch of their bodies: such lines are not judged."""
    for loop in report.loops:
        line = [*(report.source(loop.file) or "").splitlines(), ""][loop.line - 1 : loop.line]
        without = {} if not line or _LOOP.search(line[0]) else {"not_judged": "no loop on this line"}
        pipelined = "n/a" if loop.unrolled or loop.pipelined is None else "Yes" if loop.pipelined else "No"
        sign = {"about": "~", "at least": ">="}.get(loop.exactness, "")
        yield {
            **common, "file": loop.file, "source": None, "source_match": "absent", "sha": "",
            "kernel": loop.kernel or None, "loop": "", "line": loop.line, "depth": loop.depth, "pipelined": pipelined,
            "ii": f"{sign}{loop.ii}" if loop.ii is not None else "n/a", "bottleneck": loop.bottleneck,
            "text": list(loop.details), **without,
        }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
