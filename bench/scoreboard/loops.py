"""How often the initiation interval (II) of a loop is the vendor's, with every repository held out.

    python -m bench.scoreboard --only loops --truth DIR --mirror DIR

A loop is right where one of ours that begins on its line has its II; ``~n`` and ``>=n`` count as n. Loops that are
compiled several times alike count once. An II that we do not say counts as wrong. Left out: rows of lines that hold no
loop, and IIs of 10 000 and more, which some compilers print for loops of work-items. Held out: a repository whose
reports alone say how long operations take on its family and compiler is judged with the latencies of the nearest one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path

from bench.scoreboard.figure import Area, Figure, Miss, Sources, Table, interval
from bench.scoreboard.reports import Reader, ReadKernel, Report, Row, Text, reading_folder, reports

from burstline_model.estimate.kernel_estimate import LoopEstimate
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.pipeline.interval import intervals
from burstline_model.pipeline.latencies import operation_table
from burstline_server.words.waits import wait_text

NAME = "Initiation intervals"
TRUTH = "loops_train.jsonl"
HELD_OUT = "latencies that follow from the judged repository and its forks alone"
MOST_II = 10_000
NEAR = 0.25
WORST = 5
_COPY = re.compile(r"(_\d+)+$")


@dataclass(frozen=True)
class OurLoop:
    """A loop of ours with its II, and the one it has when the report's repository is left out."""

    estimate: LoopEstimate
    held_out: int | None


@dataclass(frozen=True)
class Loop:
    """A reported loop and ours on its line. `ii` is None for one that is not pipelined or unrolled."""

    report: Report
    row: Row
    ii: int | None
    ours: tuple[OurLoop, ...]

    def values(self, *, held: bool) -> list[int]:
        """Our IIs on its line."""
        found = ((one.held_out if held else one.estimate.ii) for one in self.ours)
        return [round(ii) for ii in found if ii is not None]

    def counted(self, *, held: bool) -> Counter[str]:
        """What the loop adds to the counts of its group."""
        ours, reported = [one.estimate for one in self.ours], str(self.row["pipelined"])
        if self.ii is None:
            if reported == "No":
                right = bool(ours) and not any(one.pipelined for one in ours)
                return Counter(serial=1, serial_right=int(right))
            if any("loop_coalesce" in text for text in self.row["text"]):
                merged = any(one.ii is None and one.unroll == 1 for one in ours)
                return Counter(merged=1, merged_right=int(merged))
            unrolled = any(one.unroll and one.trip and one.unroll >= one.trip for one in ours)
            return Counter(unrolled=1, unrolled_right=int(unrolled)) if reported == "n/a" else Counter()
        values = self.values(held=held)
        right, above = self.ii in values, self.ii > 1
        near = any(abs(value - self.ii) <= NEAR * self.ii for value in values)
        return Counter(
            loops=1, said=int(bool(values)), right=int(right), one=int(not above), above=int(above),
            above_right=int(above and right), above_near=int(above and near),
            alarms=int(not above and bool(values) and not right),
        )  # fmt: skip


@dataclass
class Judged:
    """The distinct loops of some reports, and what could not be judged."""

    loops: list[Loop] = field(default_factory=list)
    without_text: int = 0
    unjudged: int = 0


def measure(sources: Sources) -> Area:
    """The loops of every report whose repository is at hand."""
    if sources.truth is None or sources.mirror is None:
        return Area(NAME, skipped="needs rows of vendor reports (--truth) and the repositories they name (--mirror)")
    read = reports(sources.truth / TRUTH, sources.mirror, quick=sources.quick)
    with reading_folder() as folder:
        judged = judge(read, Reader(Path(folder)))
    if not any(loop.ii for loop in judged.loops):
        return Area(NAME, skipped="none of the repositories that the rows name are at hand (--mirror)")
    return Area(NAME, figures(judged.loops), _tables(judged))


def judge(read: Iterable[Report], reader: Reader) -> Judged:
    """Every distinct loop of the reports."""
    found, seen = Judged(), set()
    for report in read:
        if report.texts is None:
            found.without_text += len(report.rows)
            continue
        ours, names = _ours(report.repository, report.texts, reader)
        for row in report.rows:
            if row.get("not_judged"):
                found.unjudged += 1
                continue
            copied = _COPY.sub("", row["kernel"] or "")
            kernel = copied if row["kernel"] not in names and copied in names else row["kernel"]
            mark = (report.build, row["file"], kernel, row["line"], str(row["pipelined"]), str(row["ii"]))
            if mark not in seen:
                seen.add(mark)
                found.loops.append(Loop(report, row, _ii(row), tuple(ours.get((row["file"], kernel, row["line"]), ()))))
    return found


def _ii(row: Row) -> int | None:
    number = re.sub(r"[~>=<\s]", "", str(row["ii"]))
    pipelined = str(row["pipelined"]) == "Yes" and number.isdigit()
    return int(number) if pipelined and int(number) < MOST_II else None


def _ours(
    repository: str, texts: Sequence[Text], reader: Reader
) -> tuple[Mapping[tuple[str, str | None, int], list[OurLoop]], set[str]]:
    """Our loops by file, kernel and line, and the kernels' names; 16.x reports name no kernel."""
    found: defaultdict[tuple[str, str | None, int], list[OurLoop]] = defaultdict(list)
    names = set()
    for text in texts:
        for kernel in reader.kernels(text):
            names.add(kernel.facts.name)
            held = _held_out(kernel, repository)
            for line, estimate in kernel.loops:
                own = OurLoop(estimate, held[estimate.loop])
                for file in text.names:
                    found[file, kernel.facts.name, line].append(own)
                    found[file, None, line].append(own)
    return found, names


def _held_out(kernel: ReadKernel, repository: str) -> dict[int, int | None]:
    """The IIs of a kernel's loops without the latencies that rest on a repository."""
    target = kernel.target
    table = operation_table(target.family, target.aoc_version, without=repository)
    if table == operation_table(target.family, target.aoc_version):
        return {one.loop: one.ii for _, one in kernel.loops}
    found = intervals(kernel.facts, target, effective_unroll(kernel.facts), table=table)
    return {one.loop: one.ii for one in found}


def counts(loops: Iterable[Loop], *, held: bool) -> Counter[str]:
    """The counts of some loops together."""
    total: Counter[str] = Counter()
    for loop in loops:
        total.update(loop.counted(held=held))
    return total


def by_repository(loops: Iterable[Loop]) -> dict[str, list[Loop]]:
    """The loops of each repository, by name."""
    found: defaultdict[str, list[Loop]] = defaultdict(list)
    for loop in loops:
        found[loop.report.repository].append(loop)
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def mean_share(groups: Sequence[Counter[str]], part: str, whole: str = "loops") -> float:
    """The mean over groups of a share."""
    filled = [group for group in groups if group[whole]]
    return sum(group[part] / group[whole] for group in filled) / len(filled)


def total_share(groups: Sequence[Counter[str]], part: str, whole: str) -> float:
    """A share over all groups together."""
    total = sum((group[whole] for group in groups), 0)
    return sum(group[part] for group in groups) / total if total else float("nan")


def figures(loops: Sequence[Loop]) -> list[Figure]:
    """The headline figures of some loops."""
    groups = [counts(own, held=True) for own in by_repository(loops).values()]
    with_ii = [group for group in groups if group["loops"]]
    if not with_ii:
        return []
    above, ones = ([g for g in groups if g[what]] for what in ("above", "one"))
    rows = counts(loops, held=True)
    right = interval([[g] for g in with_ii], lambda g: mean_share(g, "right"))
    found = [Figure(
        "loops.ii", NAME, "loops with the right II, mean over repositories", rows["loops"],
        100 * mean_share(with_ii, "right"), "%", "higher", HELD_OUT, 100 * right[0], 100 * right[1],
        100 * mean_share(with_ii, "one"), "always 1", tuple(_misses(loops)),
    )]  # fmt: skip
    if above:
        near = interval([[g] for g in above], lambda g: total_share(g, "above_near", "above"))
        found.append(Figure(
            "loops.above_1", NAME, f"loops with II > 1 within {NEAR:.0%}", rows["above"],
            100 * total_share(above, "above_near", "above"), "%", "higher", HELD_OUT, 100 * near[0], 100 * near[1],
            0.0, "always 1",
        ))  # fmt: skip
    if ones:
        alarms = interval([[g] for g in ones], lambda g: total_share(g, "alarms", "one"))
        found.append(Figure(
            "loops.false_alarms", NAME, "loops with II 1 that get another", rows["one"],
            100 * total_share(ones, "alarms", "one"), "%", "lower", HELD_OUT, 100 * alarms[0], 100 * alarms[1],
            0.0, "always 1",
        ))  # fmt: skip
    return found


def _misses(loops: Iterable[Loop]) -> Iterator[Miss]:
    """The loops whose II is furthest off, one of each kernel."""
    wrong = [loop for loop in loops if loop.ii is not None and loop.ii not in loop.values(held=True)]
    seen: set[tuple[str, str]] = set()
    for loop in sorted(wrong, key=_distance, reverse=True):
        row, report, values = loop.row, loop.report, loop.values(held=True)
        kernel = (report.repository, _COPY.sub("", str(row["kernel"])))
        if kernel in seen or len(seen) == WORST:
            continue
        seen.add(kernel)
        reasons = [wait_text(wait) for one in loop.ours if (wait := one.estimate.serialised_by) is not None]
        reported = str((row.get("text") or [""])[0]).strip()[:90]
        if not values:
            why = "no loop with an II is found on its line"
        elif reasons:
            why = f"we say: {reasons[0]}" + (f"; the report: {reported}" if reported else "")
        else:
            why = f"a dependence that we do not see; the report: {reported}" if reported else "nothing is said of it"
        yield Miss(
            f"{report.repository} ({report.family}, aoc {report.version}) {row['file']}:{row['line']} {row['kernel']}",
            str(row["ii"]), ", ".join(map(str, dict.fromkeys(values))) or "none", why,
        )  # fmt: skip


def _distance(loop: Loop) -> float:
    values = [value for value in loop.values(held=True) if value > 0]
    return min((abs(log(value / max(loop.ii or 1, 1))) for value in values), default=log(MOST_II))


def _tables(judged: Judged) -> list[Table]:
    header = ("loops", "II said", "II right, held out", "in-sample", "always 1", "II > 1 right",
              f"II > 1 within {NEAR:.0%}", "false alarms", "not pipelined, right", "unrolled, right",
              "merged by loop_coalesce, right")  # fmt: skip
    by_family: defaultdict[str, list[Loop]] = defaultdict(list)
    for loop in judged.loops:
        by_family[loop.report.family].append(loop)
    note = (
        f"Shares of loops, not means over repositories. {judged.without_text} loops without their text, "
        f"{judged.unjudged} on lines without a loop left out."
    )
    groups = by_repository(judged.loops)
    return [
        Table("By repository", ("repository", *header), tuple(_row(n, own) for n, own in groups.items()), note),
        Table("By device family", ("family", *header), tuple(_row(n, own) for n, own in sorted(by_family.items()))),
        _totals(judged.loops),
    ]


def _totals(loops: Sequence[Loop]) -> Table:
    rows = []
    for name, held in (("in-sample", False), ("held out by repository", True)):
        groups = [counts(own, held=held) for own in by_repository(loops).values()]
        total = counts(loops, held=held)
        rows.append((
            name, str(total["loops"]), f"{100 * mean_share(groups, 'right'):.1f} %",
            f"{100 * mean_share(groups, 'one'):.1f} %", f"{100 * total_share(groups, 'right', 'loops'):.1f} %",
            f"{100 * total_share(groups, 'one', 'loops'):.1f} %", _of(total, "above_right", "above"),
            _of(total, "above_near", "above"), _of(total, "alarms", "one"),
        ))  # fmt: skip
    header = ("latencies", "loops", "II right, mean over repositories", "always 1", "II right, all loops", "always 1",
              "II > 1 right", f"II > 1 within {NEAR:.0%}", "false alarms")  # fmt: skip
    return Table("In-sample and held out", header, tuple(rows))


def _row(name: str, loops: Sequence[Loop]) -> tuple[str, ...]:
    held, known = counts(loops, held=True), counts(loops, held=False)

    def share(own: Counter[str], part: str) -> str:
        return f"{100 * own[part] / own['loops']:.1f} %" if own["loops"] else "–"

    return (
        name, str(held["loops"]), share(held, "said"), share(held, "right"), share(known, "right"), share(held, "one"),
        _of(held, "above_right", "above"), _of(held, "above_near", "above"), _of(held, "alarms", "one"),
        _of(held, "serial_right", "serial"), _of(held, "unrolled_right", "unrolled"),
        _of(held, "merged_right", "merged"),
    )  # fmt: skip


def _of(own: Counter[str], part: str, whole: str) -> str:
    return f"{own[part]} of {own[whole]}" if own[whole] else "–"
