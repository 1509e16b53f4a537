"""How often inference names the units that the vendor's compiler built.

    python bench/accuracy.py --truth lsu_train.jsonl --mirror DIR [--scored FILE] [--markdown docs/accuracy.md]

`--truth` lists reports by repository, commit and path (one JSON object a line: ``repo``, ``commit``, ``report``,
``options``); `--mirror` holds git directories as ``OWNER+NAME/repo``. Each report is read with this project's own
importer and held against what is inferred from the text it embeds. A place that was compiled several times alike
counts once. With `--markdown`, the part of the page between the two markers is written anew; `--scored` is a text to
quote there (the output of an independent scorer).

Held out: for each repository in turn, rows of the rule tables that no *other* repository needs (leaving one out
costs the others no unit) and that no vendor document speaks of are dropped, and the repository is judged by the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonpath
from pathlib import Path

from marked import MarkedPart

from burstline_model.compiler.rules.rule import Rule
from burstline_model.compiler.rules.rulebook import RULEBOOK, Rulebook
from burstline_model.vendor_report.read import UnreadableReportError, read_report
from burstline_model.vendor_report.records import SourceText, VendorReport
from burstline_server.crosscheck import PlaceCheck, ReadText, check_text, texts_of

MEASURED = MarkedPart("python bench/accuracy.py")
NONE = "no unit"


@dataclass(frozen=True)
class Case:
    """One text of one report."""

    repository: str
    family: str
    report: VendorReport
    text: ReadText
    key: str


def git_show(mirror: Path, repository: str, what: str) -> bytes:
    """A file's content at a commit."""
    return _git(mirror, repository, "show", what)


def git_files(mirror: Path, repository: str, commit: str) -> list[str]:
    """The paths of a commit's files."""
    return _git(mirror, repository, "ls-tree", "-r", "--name-only", commit).decode("utf-8", "replace").splitlines()


def _git(mirror: Path, repository: str, *asked: str) -> bytes:
    base = mirror / repository.replace("/", "+") / "repo"
    base = base / ".git" if (base / ".git").is_dir() else base
    command = [shutil.which("git") or "git", "--git-dir", str(base), *asked]
    return subprocess.run(command, capture_output=True, check=False).stdout


def with_headers(report: VendorReport, mirror: Path, repository: str, commit: str, path: str) -> VendorReport:
    """The report with the headers that its texts lack and that the repository holds: of each, the one nearest to it."""
    lacking = {name.replace("\\", "/").rpartition("/")[2] for text in texts_of(report) for name in text.missing}
    files = git_files(mirror, repository, commit) if lacking else []
    found = []
    for name in sorted(lacking):
        places = [file for file in files if file.rpartition("/")[2] == name]
        nearest = max(places, key=lambda file: (len(commonpath([file, path])), -len(file)), default=None)
        if nearest is not None:
            text = git_show(mirror, repository, f"{commit}:{nearest}").decode("utf-8", "replace")
            found.append(SourceText(name=name, text=text))
    return report.model_copy(update={"sources": (*report.sources, *found)}) if found else report


def cases(truth: Path, mirror: Path, *, headers: bool = False) -> tuple[list[Case], int]:
    """Every text of every listed report, and how many listed units are not in the report they are listed for.

    With `headers`, texts are read with those that the repository holds at the same commit.
    """
    found: list[Case] = []
    strangers = 0
    by_report: dict[tuple[str, str, str], list[dict[str, object]]] = defaultdict(list)
    for line in truth.read_text("utf-8").splitlines():
        row = json.loads(line)
        by_report[row["repo"], row["commit"], row["report"]].append(row)
    with tempfile.TemporaryDirectory() as folder:
        for (repository, commit, path), rows in by_report.items():
            place = Path(folder) / "report_data.js"
            place.write_bytes(git_show(mirror, repository, f"{commit}:{path}"))
            try:
                report = read_report(place)
            except UnreadableReportError:
                continue
            told = Counter[tuple[object, ...]]()
            for u in report.units:
                told[u.kernel, u.file, u.line, u.op, u.style, u.width_bits] += u.count
            for row in rows:
                for p in row["places"]:  # type: ignore[attr-defined]
                    key = (p["kernel"], row["file"], p["line"], p["op"], p["style"], p["width_bits"])
                    strangers += max(0, p["count"] - told[key])
            family = report.family or str(rows[0].get("family") or "not told")
            version = report.aoc_version or str(rows[0].get("aoc") or "") or None
            report = report.model_copy(update={"family": family, "aoc_version": version})
            if headers:
                report = with_headers(report, mirror, repository, commit, path)
            for text in texts_of(report):
                body = (report.source(text.file) or "") + family + str(report.options)
                found.append(Case(repository, family, report, text, hashlib.sha256(body.encode()).hexdigest()))
    return found, strangers


def checks_of(cases: Iterable[Case], rulebook: Rulebook) -> list[tuple[Case, PlaceCheck]]:
    """The distinct places of all cases under a rule book."""
    seen: set[tuple[object, ...]] = set()
    found: list[tuple[Case, PlaceCheck]] = []
    for case in cases:
        for check in check_text(case.report, case.text, rulebook):
            key = (case.key, check.kernel, check.line, check.op, str(sorted(check.reported.items(), key=str)))
            if key not in seen:
                seen.add(key)
                found.append((case, check))
    return found


def styles(units: Counter[tuple[str, int | None]]) -> Counter[str]:
    """Units by style alone."""
    counted: Counter[str] = Counter()
    for (style, _), n in units.items():
        counted[style] += n
    return counted


@dataclass
class Score:
    """Hits over places: style, style and width, and by reported style."""

    units: int = 0
    style: int = 0
    both: int = 0

    def add(self, check: PlaceCheck) -> None:
        """Count a place."""
        reported, inferred = styles(check.reported), styles(check.inferred)
        self.units += max(reported.total(), inferred.total())
        self.style += (reported & inferred).total()
        self.both += (check.reported & check.inferred).total()

    @property
    def row(self) -> str:
        """Cells of a table."""
        return f"{self.units} | {share(self.style, self.units)} | {share(self.both, self.units)}"


def share(part: int, whole: int) -> str:
    """Percent."""
    return f"{part / whole:.1%}" if whole else "–"


def score(checks: Iterable[tuple[Case, PlaceCheck]]) -> Score:
    """The score of some places."""
    total = Score()
    for _, check in checks:
        total.add(check)
    return total


def confusion(checks: Iterable[tuple[Case, PlaceCheck]]) -> Counter[tuple[str, str]]:
    """(reported, inferred) styles of units, paired at their places; what one side lacks is paired with none."""
    found: Counter[tuple[str, str]] = Counter()
    for _, check in checks:
        reported, inferred = styles(check.reported), styles(check.inferred)
        both = reported & inferred
        for style, n in both.items():
            found[style, style] += n
        left, other = sorted((reported - both).elements()), sorted((inferred - both).elements())
        for i in range(max(len(left), len(other))):
            found[left[i] if i < len(left) else NONE, other[i] if i < len(other) else NONE] += 1
    return found


def macro_recall(matrix: Counter[tuple[str, str]]) -> float:
    """The mean over reported styles of how many of a style's units are inferred as such."""
    reported = {style for style, _ in matrix if style != NONE}
    return sum(matrix[s, s] / sum(n for (r, _), n in matrix.items() if r == s) for s in reported) / len(reported)


def held_out(cases: Sequence[Case]) -> dict[str, tuple[Score, list[str]]]:
    """Each repository judged by rules that other repositories or a vendor document speak for."""
    found: dict[str, tuple[Score, list[str]]] = {}
    by_repository: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_repository[case.repository].append(case)
    hits: dict[tuple[str, Rule | None], int] = {}
    for repository, own in by_repository.items():
        hits[repository, None] = score(checks_of(own, RULEBOOK)).style
        for rule in RULEBOOK:
            hits[repository, rule] = score(checks_of(own, RULEBOOK.without([rule]))).style
    for repository, own in by_repository.items():
        others = [r for r in by_repository if r != repository]
        dropped = [
            rule
            for rule in RULEBOOK
            if "uide" not in rule.source and all(hits[o, rule] >= hits[o, None] for o in others)
        ]
        names = Counter(rule.name for rule in dropped)
        shown = [name if n == 1 else f"{name} ({n} rows)" for name, n in names.items()]
        found[repository] = (score(checks_of(own, RULEBOOK.without(dropped))), shown)
    return found


def tables(cases: Sequence[Case], with_headers: Sequence[Case], strangers: int, scored: str) -> str:
    """The measured part of the page: of the texts that reports embed, and at its top of these with their headers."""
    checks = checks_of(cases, RULEBOOK)
    whole = score(checks)
    matrix = confusion(checks)
    names = [s for s, _ in Counter({r: n for (r, _), n in _sums(matrix).items()}).most_common() if s != NONE]
    at_hand = checks_of(with_headers, RULEBOOK)
    helped = score(at_hand)
    plain = sum(n for (r, _), n in matrix.items() if r == "Burst-coalesced")
    reported = sum(n for (r, _), n in matrix.items() if r != NONE)
    lines = [
        f"{len({id(c.report) for c in cases})} reports, {len(checks)} distinct places, {whole.units} units: "
        f"**style right {share(whole.style, whole.units)}, style and width right {share(whole.both, whole.units)}, "
        f"macro average of recall {macro_recall(matrix):.1%}**. Always answering Burst-coalesced: "
        f"{share(plain, reported)}.",
        "",
        f"With the headers that the repositories hold at the same commits, as their users have them: style right "
        f"{share(helped.style, helped.units)}, style and width right {share(helped.both, helped.units)}, macro average "
        f"of recall {macro_recall(confusion(at_hand)):.1%} ({helped.units} units).",
        "",
        f"Of the units that the truth file lists, {strangers} are not in the report that it names for them (other "
        "builds of the repository went into the same row); nobody can infer those from the text at hand, and they are "
        "in the scorer's figures below, not in these.",
        "",
        "| reported ↓ inferred → | " + " | ".join([*names, NONE]) + " | recall |",
        "|---|" + "---:|" * (len(names) + 2),
    ]
    for name in [*names, NONE]:
        row = [str(matrix[name, other] or "") for other in [*names, NONE]]
        total = sum(n for (r, _), n in matrix.items() if r == name)
        lines.append(f"| {name} | {' | '.join(row)} | {share(matrix[name, name], total) if name != NONE else ''} |")
    for title, key in (("device family", "family"), ("repository", "repository")):
        lines += ["", f"| {title} | units | style | style and width |", "|---|---:|---:|---:|"]
        for value in sorted({getattr(c, key) for c, _ in checks}):
            part = score((c, p) for c, p in checks if getattr(c, key) == value)
            lines.append(f"| {value} | {part.row} |")
    lines += [
        "", "Held out by repository:", "",
        "| repository | units | style | style and width | rows nobody else speaks for |", "|---|---:|---:|---:|---|",
    ]  # fmt: skip
    total = Score()
    for repository, (part, dropped) in sorted(held_out(cases).items()):
        total.units, total.style, total.both = (
            total.units + part.units,
            total.style + part.style,
            total.both + part.both,
        )
        lines.append(f"| {repository} | {part.row} | {', '.join(dropped) or '–'} |")
    lines.append(f"| all | {total.row} | |")
    if scored:
        quoted = [line for line in scored.splitlines() if line and not line.startswith("wrong:")]
        lines += ["", "An independent scorer over the same truth file prints:", "", "```text", *quoted, "```"]
    return "\n".join(lines)


def _sums(matrix: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for (reported, _), n in matrix.items():
        sums[reported, ""] += n
    return sums


def main() -> None:
    """Print or write the measured part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--scored", type=Path)
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="write the page's measured part")
    parser.add_argument("--misses", action="store_true", help="list every place that is wrong")
    arguments = parser.parse_args()
    read, strangers = cases(arguments.truth, arguments.mirror)
    if arguments.misses:
        for case, check in checks_of(read, RULEBOOK):
            if not check.agrees:
                print(
                    case.repository,
                    check.file,
                    check.kernel,
                    check.line,
                    check.op,
                    dict(check.reported),
                    dict(check.inferred),
                )
        return
    helped, _ = cases(arguments.truth, arguments.mirror, headers=True)
    text = tables(read, helped, strangers, arguments.scored.read_text("utf-8") if arguments.scored else "")
    if arguments.markdown is None:
        print(text)
        return
    MEASURED.write(arguments.markdown, text)


if __name__ == "__main__":
    main()
