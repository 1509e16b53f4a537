"""How often the initiation interval of a loop is the vendor's.

    python bench/loops.py --truth loops_train.jsonl --mirror DIR [--markdown docs/loops.md]

`--truth` lists reports by repository, commit and path, one JSON object a line (``repo``, ``commit``, ``report``,
``family``, ``aoc``); `--mirror` holds git directories as ``OWNER+NAME/repo``. Loops and texts are those of the reports.
``~n`` and ``>=n`` count as n. Equal loops of equal texts count once. The score is the mean over repositories of the
share that is right. Held out: a repository whose reports alone tell how long operations take on their family and
compiler generation is judged with the latencies of the nearest one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from marked import MarkedPart

from burstline_model.compiler.target import Family, Target
from burstline_model.compiler.unroll import effective_unroll
from burstline_model.pipeline.interval import intervals
from burstline_model.vendor_report.read import UnreadableReportError, read_report
from burstline_model.vendor_report.records import VendorReport
from burstline_server.assess import Assessor
from burstline_server.builds import is_copy_of, loops_meant
from burstline_server.config.layers import Layer
from burstline_server.crosscheck import settings_of

KINDS = ("right", "held", "one", "found")
MEASURED = MarkedPart("python bench/loops.py")


def git_show(mirror: Path, repository: str, what: str) -> bytes:
    """A file's content at a commit."""
    base = mirror / repository.replace("/", "+") / "repo"
    base = base / ".git" if (base / ".git").is_dir() else base
    command = [shutil.which("git") or "git", "--git-dir", str(base), "show", what]
    return subprocess.run(command, capture_output=True, check=False).stdout


_OTHER: dict[Family, Family] = {"Cyclone V": "Stratix V", "Stratix 10": "Arria 10", "Agilex": "Arria 10"}


def elsewhere(target: Target) -> Target:
    """A target whose latencies come from other reports: another family, or Arria 10 on either side of 17.0."""
    if target.family in _OTHER:
        return target.model_copy(update={"family": _OTHER[target.family]})
    return target.model_copy(update={"aoc_version": (16, 1, 0) if target.aoc_version >= (17, 0, 0) else (17, 1, 0)})


def generation(report: VendorReport) -> tuple[str | None, bool]:
    """The latencies that a report speaks of: the family's, up to 16.x or later."""
    return report.family, (report.aoc_version or "17") < "17"


def inferred(report: VendorReport, *, alone: bool) -> dict[int, list[tuple[int | None, int | None]]]:
    """The intervals inferred for a report's loops, by their places in it, and those held out.

    `alone`: no other repository's reports tell the latencies.
    """
    found: dict[int, list[tuple[int | None, int | None]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in report.sources:
            if source.name:
                (folder / source.name).write_text(source.text, "utf-8")
        for source in report.sources:
            path = folder / source.name
            if path.suffix not in {".cl", ".ocl"}:
                continue
            done = Assessor([folder]).assess(source.text, str(path), [Layer("option", settings_of(report))])
            for kernel in done.kernels:
                own = {i: one for i, one in enumerate(report.loops) if speaks_of(one.kernel, kernel.facts.name)}
                meant = loops_meant(list(own.values()), kernel.facts, done.source, str(path))
                targets = (done.target, elsewhere(done.target) if alone else done.target)
                copies = effective_unroll(kernel.facts)
                ours, held = ([one.ii for one in intervals(kernel.facts, t, copies)] for t in targets)
                for place, (_, loops) in zip(own, meant, strict=True):
                    found[place] += [(ours[loop], held[loop]) for loop in loops]
    return found


def speaks_of(reported: str, kernel: str) -> bool:
    """Whether a reported loop belongs to a kernel (16.x names none)."""
    return not reported or is_copy_of(reported, kernel)


@dataclass
class Tally:
    """Loops by repository and family: how many, and how many right, II 1, and found in the text."""

    groups: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    misses: list[str] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)

    def add(self, repository: str, report: VendorReport, *, alone: bool) -> None:
        """Count the loops of a report."""
        guess = inferred(report, alone=alone)
        for place, loop in enumerate(report.loops):
            if loop.ii is None:
                continue
            text = hashlib.sha256((report.source(loop.file) or "").encode()).hexdigest()
            key = (text, report.family, re.sub(r"(_\d+){3}$", "", loop.kernel), loop.line, loop.ii, loop.depth)
            if key in self.seen:
                continue
            self.seen.add(key)
            values, held = ([v[i] for v in guess[place]] for i in (0, 1))
            right = loop.ii in values
            group = self.groups[repository, report.family or "not told"]
            group.update({"loops": 1, "right": int(right), "held": int(loop.ii in held)})
            group.update({"one": int(loop.ii == 1), "found": int(bool(values))})
            if not right:
                where = f"{repository} {report.aoc_version} {loop.file}:{loop.line} {loop.kernel}"
                self.misses.append(f"{where}: report {loop.ii} ({loop.exactness}), ours {values}; {loop.details[:1]}")

    def table(self) -> str:
        """Markdown."""
        lines = [
            "| repository | device family | loops | II right | held out | answering 1 | found in the text |",
            "|---|---|---:|---:|---:|---:|---:|",
        ]
        shares: dict[str, Counter[str]] = defaultdict(Counter)
        for (repository, family), group in sorted(self.groups.items()):
            shares[repository].update(group)
            cells = " | ".join(f"{group[k] / group['loops']:.1%}" for k in KINDS)
            lines.append(f"| {repository} | {family} | {group['loops']} | {cells} |")
        means = {k: sum(g[k] / g["loops"] for g in shares.values()) / len(shares) for k in KINDS}
        total = sum(g["loops"] for g in self.groups.values())
        cells = f"**{means['right']:.1%}** | " + " | ".join(f"{means[k]:.1%}" for k in KINDS[1:])
        lines.append(f"| mean over {len(shares)} repositories | | {total} | {cells} |")
        return "\n".join(lines)


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    parser.add_argument("--misses", action="store_true", help="list every loop that is wrong")
    arguments = parser.parse_args()
    reports: dict[tuple[str, str, str], dict[str, str]] = {}
    for line in arguments.truth.read_text("utf-8").splitlines():
        row = json.loads(line)
        known = reports.setdefault((row["repo"], row["commit"], row["report"]), {})
        known.update({k: row[k] for k in ("family", "aoc") if row.get(k)})
    read: list[tuple[str, VendorReport]] = []
    with tempfile.TemporaryDirectory() as folder:
        for (repository, commit, path), told in reports.items():
            place = Path(folder) / "report_data.js"
            place.write_bytes(git_show(arguments.mirror, repository, f"{commit}:{path}"))
            try:
                report = read_report(place)
            except UnreadableReportError:
                continue
            own = {"family": report.family or told.get("family"), "aoc_version": report.aoc_version or told.get("aoc")}
            read.append((repository, report.model_copy(update=own)))
    telling: dict[tuple[str | None, bool], set[str]] = defaultdict(set)
    for repository, report in read:
        if any((loop.ii or 1) > 1 for loop in report.loops):
            telling[generation(report)].add(repository)
    tally = Tally()
    for repository, report in read:
        tally.add(repository, report, alone=not telling[generation(report)] - {repository})
    if arguments.misses:
        print("\n".join(tally.misses))
    elif arguments.markdown is None:
        print(tally.table())
    else:
        MEASURED.write(arguments.markdown, tally.table())


if __name__ == "__main__":
    main()
