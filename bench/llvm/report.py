"""The figures of a comparison, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.llvm.compare import Verdict

MEANS = {
    "on another line": "the kernel has as many of the pointer, on other lines: accesses merged or moved",
    "as many bytes in other pieces": "a structure or vector that one side takes apart",
    "gone in LLVM": "dead, or one with an access on another line",
    "gone in ours": "the same the other way round",
    "served in ours": "another access serves it in the vendor's reports (arms of a condition, values kept on the way)",
    "fewer in LLVM": "some of the line are one, or dead",
    "fewer in ours": "the same the other way round; also accesses that LLVM doubles",
    "neither knows": "no number on either side",
    "no number in ours": "LLVM knows one",
    "no number in LLVM": "we know one, LLVM does not",
    "differs": "two numbers, or two formulas with other values",
    "no loop in LLVM": "it runs once, or does nothing that is left",
    "no loop in ours": "LLVM split a loop or made one",
    "no trips in ours": "LLVM has a number or formula",
    "no trips in LLVM": "we have a number or formula, LLVM has none",
    "cannot be evaluated": "both have a formula; one has values in it that cannot be compared",
    "ends early": "a break or return may end it; both count something else",
}
NAMES = {"accesses": "Accesses by line", "steps": "Constant steps", "trips": "Trip counts"}
UNJUDGED = {
    "accesses": (),
    "steps": ("neither knows", "no number in LLVM"),
    "trips": ("neither knows", "no trips in LLVM", "no loop in LLVM", "no loop in ours", "cannot be evaluated"),
}
"""Classes that say nothing for or against ours."""


@dataclass
class Read:
    """One kernel: why it was not compared, or the verdicts."""

    file: str
    kernel: str
    why: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    unrolled: bool = True


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def report(found: Sequence[Read]) -> str:
    """What was compared, the shares in agreement, and each class of the rest."""
    done = [one for one in found if not one.why]
    repositories = {one.file.partition("/")[0] for one in done}
    lines = [f"{len(done)} kernels of {len(repositories)} repositories were compared.", ""]
    whys = Counter(one.why for one in found if one.why)
    lines += ["Not compared: " + ", ".join(f"{why} {n}" for why, n in whys.most_common(8)) + ".", ""]
    verdicts = [v for one in done for v in one.verdicts]
    lines += ["| what | in agreement | of | |", "|---|---:|---:|---|"]
    for what, name in NAMES.items():
        kinds = Counter(v.kind for v in verdicts if v.what == what)
        judged = sum(n for kind, n in kinds.items() if kind not in UNJUDGED[what])
        lines.append(f"| **{name}** | {kinds['equal']} | {judged} | **{share(kinds['equal'], judged)}** |")
    for what, name in NAMES.items():
        kinds = Counter(v.kind for v in verdicts if v.what == what)
        lines += ["", f"## {name}: the rest by class", "", "| class | number | |", "|---|---:|---|"]
        lines += [
            f"| {kind} | {n} | {MEANS[kind]}{' (not judged)' if kind in UNJUDGED[what] else ''} |"
            for kind, n in kinds.most_common() if kind != "equal"
        ]  # fmt: skip
    return "\n".join(lines)


def differences(one: Read) -> Iterator[str]:
    """Each disagreement of a kernel with its place, a line each; one that was not compared with the reason."""
    if one.why:
        yield f"not compared: {one.why}: {one.file} {one.kernel}"
    for v in one.verdicts:
        if v.kind not in ("equal", "neither knows"):
            sides = f"ours {v.ours or 'nothing'} | LLVM {v.theirs or 'nothing'}"
            yield f"{v.what}: {v.kind}: {one.file} {one.kernel} {v.place}: {sides}"
