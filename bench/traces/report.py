"""The figures of a run, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.traces.compare import Verdict

MEANS = {
    "equal": "bytes are equal",
    "line": "bytes of the pointer are equal, by other lines (merged or moved accesses)",
    "exchanged": "bytes of the line are equal, of several buffers whose pointers a loop exchanges",
    "differs": "bytes differ",
    "not seen": "said, but not seen: the oracle's compiler left it out, or it never ran",
    "not said": "seen, but not said",
    "not known": "nothing is said, though nothing in memory decides",
    "range": "a range is said, since a condition is not counted, and it holds what is seen",
    "data": "what memory holds decides; buffers hold zeros, so bytes cannot be compared",
}
EXACT = ("equal", "line", "exchanged")
UNDECIDED = ("data",)
MOST_REASONS = 8


@dataclass
class Ran:
    """One kernel: why it was not run, or the verdicts."""

    file: str
    kernel: str
    why: str = ""
    launch: dict[str, object] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def repository(self) -> str:
        """The repository's name: the first folder, with a plus in place of the slash."""
        return self.file.partition("/")[0].replace("+", "/")


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def report(found: Sequence[Ran]) -> str:
    """What was run, how bytes and walks compare, and each place that is not equal."""
    ran = [one for one in found if not one.why and one.verdicts]
    verdicts = [v for one in ran for v in one.verdicts]
    counts = Counter(v.result for v in verdicts)
    decided = len(verdicts) - sum(counts[r] for r in UNDECIDED)
    exact = sum(counts[r] for r in EXACT)
    walks = Counter(v.walk for v in verdicts)
    judged = walks["equal"] + walks["differs"]
    whole = sum(all(v.result in (*EXACT, *UNDECIDED) for v in one.verdicts) for one in ran)
    lines = [
        f"{len(ran)} kernels of {len({one.repository for one in ran})} repositories ran; "
        f"{len(verdicts)} accesses, {decided} of them not decided by data.",
        "",
        f"Executions and bytes are exact for **{share(exact, decided)}** of accesses ({exact} of {decided}) and for "
        f"every access of {share(whole, len(ran))} of kernels. The step from one execution to the next is right for "
        f"**{share(walks['equal'], judged)}** ({walks['equal']} of {judged} that could be judged).",
        "",
        "| result | accesses | |",
        "|---|---:|---|",
        *(f"| {result} | {counts[result]} | {means} |" for result, means in MEANS.items()),
        "",
        f"Not run: {_reasons(one.why for one in found if one.why)}.",
        "",
        "Where they are not equal:",
        "",
        *_differences(ran),
    ]
    return "\n".join(lines)


def _reasons(whys: Iterable[str]) -> str:
    counted = Counter(why.split(":")[0].split(" of type")[0].partition(" argument ")[0] for why in whys)
    return ", ".join(f"{why} {number}" for why, number in counted.most_common(MOST_REASONS))


def _differences(ran: Sequence[Ran]) -> list[str]:
    rows = ["| kernel | line | access | bytes seen | bytes said | |", "|---|---:|---|---:|---:|---|"]
    for one in ran:
        for v in one.verdicts:
            name = f"{one.file.replace('+', '/', 1)}: `{one.kernel}`"
            if v.result not in (*EXACT, *UNDECIDED):
                rows.append(
                    f"| {name} | {v.line} | {v.op} {v.pointer} | {_bytes(v.seen)} | {_bytes(v.said)} | {v.result} |"
                )
            if v.walk == "differs":
                rows.append(f"| {name} | {v.line} | {v.op} {v.pointer} | | | step: {v.moved} |")
    return rows


def _bytes(value: float | None) -> str:
    return f"{value:.0f}" if value is not None else "–"
