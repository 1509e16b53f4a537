"""What LLVM's facts do to the units at the places of vendor reports: by our reading alone, and with LLVM's over it.

    python -m bench.llvm.units --truth DIR --mirror DIR [--refit] [--markdown docs/llvm.md]

Places and rules are those of ``python -m bench.scoreboard --only units``: each repository is judged by the rules that
would be in force without it, with `--refit` by such thresholds of coalescing and unrolling as well (ten times as long).
Styles are left aside: a place is right where the report lists as many units, each as wide. The reports of
`bench/scoreboard/blind.json` that rules rest on since are a second set.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.llvm.report import share
from bench.marked import MarkedPart
from bench.quiet import without_log
from bench.scoreboard.places import Key, Place, Units
from bench.scoreboard.reports import Reader, Report, reading_folder, reports
from bench.scoreboard.rounds import used_reports
from bench.scoreboard.thresholds import Fit, fits, judge_held_out
from bench.scoreboard.units import TRUTH, rules_without

from burstline_server.analysis.reuse import KernelList
from burstline_server.llvm.added_facts import overlaid
from burstline_server.llvm.provider import Llvm
from burstline_server.source.source import Source

PART = MarkedPart("python -m bench.llvm.units")
Widths = Counter[int | None]


@dataclass(frozen=True)
class Both:
    """One place: as reported, by our reading alone, with LLVM's facts over it, and LLVM's requests (None: unread)."""

    repository: str
    reported: Widths
    ours: Place
    over: Place
    theirs: Widths | None

    @property
    def right(self) -> bool:
        """Whether our reading alone has the number and the widths."""
        return widths(self.ours.inferred) == self.reported

    @property
    def right_over(self) -> bool:
        """The same with LLVM's facts."""
        return widths(self.over.inferred) == self.reported


def widths(units: Units) -> Widths:
    """Units by width alone."""
    found = Widths()
    for (_, width), count in units.items():
        found[width] += count
    return found


@dataclass
class Measured:
    """The places of some reports, and how much LLVM adds to the facts of their kernels."""

    places: list[Both]
    facts: Counter[str]


def measured(read: Sequence[Report], fitted: Sequence[Fit], alone: Reader, over: Reader) -> Measured:
    """Both readings of the reports' texts, each repository by what would be in force without it."""
    ours = judge_held_out(read, alone, rules_without, fitted).places
    with_llvm = {_mark(one): one for one in judge_held_out(read, over, rules_without, fitted).places}
    requests = {id(one): _requests(one, over) for one in read}
    found = []
    for one in ours:
        other = with_llvm.get(_mark(one), one)
        found.append(
            Both(one.report.repository, widths(one.reported), one, other, requests[id(one.report)].get(one.key))
        )
    kernels = {id(k): k for r in read for text in r.texts or () for k in over.kernels(text)}
    facts = Counter[str]()
    for kernel in kernels.values():
        facts["kernels"] += 1
        facts["read by LLVM"] += bool(kernel.facts.others)
        facts["steps"] += sum(1 for a in kernel.facts.accesses if a.steps_by)
        facts["accesses"] += sum(1 for a in kernel.facts.accesses if a.space == "global")
        facts["trips"] += sum(1 for one in kernel.facts.loops if one.trip_by)
        facts["loops"] += len(kernel.facts.loops)
    return Measured(found, facts)


def _mark(place: Place) -> object:
    return place.report.build, place.key, str(sorted(place.reported.items(), key=str))


def _requests(report: Report, over: Reader) -> dict[Key, Widths]:
    """LLVM's requests at the places of a report's kernels."""
    found: dict[Key, Widths] = {}
    for kernel in (k for text in report.texts or () for k in over.kernels(text)):
        for other in kernel.facts.others:
            file, line = next((kernel.places[a] for a in other.accesses if a in kernel.places), ("", 0))
            op = kernel.facts.accesses[other.accesses[0]].op
            at = found.setdefault((file, kernel.facts.name, line, op), Widths())
            at.update(dict(other.requests))
    return found


def page(sets: Sequence[tuple[str, Measured]]) -> str:
    """All of it, as Markdown."""
    lines: list[str] = []
    for name, one in sets:
        lines += [f"### {name}", "", *_repositories(one.places), "", *_added(one.facts), ""]
    every = [p for _, one in sets for p in one.places]
    lines += ["### Where both readings agree", "", *_agreement([(n, m.places) for n, m in sets], every), ""]
    lines += ["### Confidence", "", *_confidence([(n, m.places) for n, m in sets]), ""]
    return "\n".join([*lines, "### What is not taken from LLVM", "", *_refused([(n, m.places) for n, m in sets])])


def _repositories(places: Sequence[Both]) -> list[str]:
    by: dict[str, list[Both]] = defaultdict(list)
    for one in places:
        by[one.repository].append(one)
    lines = [
        "| repository | places | number, ours | number and width, ours | with LLVM's facts | LLVM's requests alone |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    rows = [*sorted(by.items(), key=lambda item: item[0].lower()), ("**all**", list(places))]
    for name, own in rows:
        number = sum(p.reported.total() == p.ours.inferred.total() for p in own)
        asked = [p for p in own if p.theirs is not None]
        alone = share(sum(p.theirs == p.reported for p in asked), len(asked))
        ours, over = (share(sum(one), len(own)) for one in ((p.right for p in own), (p.right_over for p in own)))
        lines.append(f"| {name} | {len(own)} | {share(number, len(own))} | {ours} | {over} | {alone} |")
    worse = sorted(n for n, own in by.items() if sum(p.right_over for p in own) < sum(p.right for p in own))
    return [*lines, "", f"Repositories where LLVM's facts make it worse: {', '.join(worse) or 'none'}."]


def _added(facts: Counter[str]) -> list[str]:
    return [
        f"Of {facts['kernels']} kernels, {facts['read by LLVM']} have accesses of global memory and were read by LLVM. "
        f"It gave steps to {facts['steps']} of {facts['accesses']} accesses of global memory, and trip counts to "
        f"{facts['trips']} of {facts['loops']} loops."
    ]


def _agreement(sets: Sequence[tuple[str, Sequence[Both]]], every: Sequence[Both]) -> list[str]:
    lines = ["| reports | places where LLVM has as many requests, as wide | ours right | other places | ours right |"]
    lines.append("|---|---:|---:|---:|---:|")
    for name, places in [*sets, ("**all**", every)]:
        same = [p for p in places if p.theirs is not None and p.theirs == widths(p.ours.inferred)]
        other = [p for p in places if p.theirs is not None and p.theirs != widths(p.ours.inferred)]
        cells = [f"{len(one)} | {share(sum(p.right for p in one), len(one))}" for one in (same, other)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _confidence(sets: Sequence[tuple[str, Sequence[Both]]]) -> list[str]:
    lines = ["| reports | confidence | units, ours | style, width right | units, with LLVM | style, width right |"]
    lines.append("|---|---|---:|---:|---:|---:|")
    for name, places in sets:
        for grade in ("high", "medium", "low"):
            cells = [_graded(grade, [f(p) for p in places]) for f in (_ours, _over)]
            lines.append(f"| {name} | {grade} | {' | '.join(cells)} |")
        moved = _graded("high", [p.ours for p in places if _is_lowered(p)])
        lines.append(f"| {name} | high alone, medium with LLVM | {moved} | | |")
    return lines


def _ours(one: Both) -> Place:
    return one.ours


def _over(one: Both) -> Place:
    return one.over


def _is_lowered(one: Both) -> bool:
    high, now = (sum(n for (_, _, c), n in p.confidences.items() if c == "high") for p in (one.ours, one.over))
    return now < high


def _graded(grade: str, places: Iterable[Place]) -> str:
    units, right = 0, 0.0
    for place in places:
        for (style, width, confidence), count in place.confidences.items():
            if confidence == grade:
                units += count
                right += count * min(1.0, place.reported[style, width] / place.inferred[style, width])
    return f"{units} | {100 * right / units:.1f} %" if units else "0 | –"


def _refused(sets: Sequence[tuple[str, Sequence[Both]]]) -> list[str]:
    """What else LLVM could decide, each with the places that it would win and lose."""
    asks: list[tuple[str, Callable[[Both], Widths]]] = [
        ("number and width of requests, wherever it read the kernel", lambda p: p.theirs or Widths()),
        ("that nothing is left where we have units", lambda p: p.theirs or Widths() if not p.theirs else _own(p)),
        ("that fewer requests are left than units", _fewer),
    ]
    lines = ["| if LLVM decided | reports | places won | places lost | repositories below ours |"]
    lines.append("|---|---|---:|---:|---|")
    for what, decided in asks:
        for name, places in sets:
            asked = [(p, decided(p) == p.reported) for p in places if p.theirs is not None]
            won, lost = sum(r and not p.right for p, r in asked), sum(p.right and not r for p, r in asked)
            sums = Counter[str]()
            for p, r in asked:
                sums[p.repository] += int(r) - int(p.right)
            worse = sum(1 for n in sums.values() if n < 0)
            lines.append(f"| {what} | {name} | {won} | {lost} | {worse} of {len(sums)} |")
    return lines


def _own(one: Both) -> Widths:
    return widths(one.ours.inferred)


def _fewer(one: Both) -> Widths:
    own = _own(one)
    return one.theirs if one.theirs is not None and one.theirs.total() < own.total() else own


@without_log()
def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print, or write the page."""
    parser = argparse.ArgumentParser(description="Units at the places of reports, with and without LLVM's facts.")
    parser.add_argument("--truth", type=Path, required=True, metavar="DIR", help="rows of vendor reports")
    parser.add_argument("--mirror", type=Path, required=True, metavar="DIR", help="git directories of repositories")
    parser.add_argument("--quick", action="store_true", help="a fixed sample of the rows")
    parser.add_argument("--refit", action="store_true", help="thresholds as well are chosen without each repository")
    parser.add_argument("--markdown", type=PART.page, metavar="FILE", help="write the page's measured part as well")
    arguments = parser.parse_args(argv)
    llvm = Llvm()
    if not llvm.present:
        sys.stderr.write("there is no clang from version 14 on with its opt\n")
        return 2

    def other(source: Source, kernels: KernelList) -> KernelList:
        return overlaid(llvm.about(source), source, kernels)

    known = reports(arguments.truth / TRUTH, arguments.mirror, quick=arguments.quick)
    with tempfile.TemporaryDirectory() as rows, reading_folder() as folder:
        used = used_reports(arguments.mirror, Path(rows))
        alone, over = Reader(Path(folder) / "alone"), Reader(Path(folder) / "over", other)
        fitted = fits([*known, *used], alone, rules_without) if arguments.refit else ()
        sets = [("Training reports", known), ("Reports of earlier rounds", used)]
        text = page([(name, measured(read, fitted, alone, over)) for name, read in sets])
    print(text)
    if arguments.markdown:
        PART.write(arguments.markdown, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
