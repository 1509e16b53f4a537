"""The page about the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.papers.items import VERDICTS, Item, Paper
from bench.papers.stages import stages_table

HEAD = """# The five papers, item by item

Made by `python -m bench.papers --write docs/papers.md` from the tables in `bench/papers/`.

Each row is an equation, table, figure or claim, where a user meets it, our figure next to the printed one, the test
that holds it, and the verdict:

- **as printed**: the printed rule or number comes out, from kernel text or from the printed parameters.
- **one reading**: the print contradicts itself or leaves something open. The row says which reading is used.
- **differs**: it is computed, but another figure comes out. The row says why, or which page has the error.
- **missing**: not done.

Where the paper prints numbers, the verdict is computed: `ours · printed`, to the last printed digit or within the
tolerance that is shown; one number that does not come out makes the item `differs`. "faithful" are figures of
`--mode faithful`, all others those of the default mode, which adds what measurements show
([validation.md](validation.md), [accuracy.md](accuracy.md)). Tests are named from `tests/`; `bench/test_papers.py`
compares every number of this page.
"""

STAGES_HEAD = """\
The four stories, stage by stage. "First to do" is the first line of `check --advise` for the version on the paper's
board, in the default mode and at our own clock, with its time before and after. "The paper's step" is the time of the
next version, from the text of its kernel. Section 5 of the paper names what answers each potential: coalescing,
unrolling and local memory B_mem; unrolling B_balance; compute units, unrolling and SIMD B_comp. A loop that asks the
memory for a request in each cycle has one limit, whether requests or iterations are named."""
"""What the table of stages is."""


def page(papers: Sequence[Paper]) -> str:
    """The whole page."""
    return "\n".join([HEAD, _summary(papers), *(_section(paper) for paper in papers)])


def _summary(papers: Sequence[Paper]) -> str:
    lines = [f"| paper | {' | '.join(VERDICTS)} | items |", f"| --- |{' --- |' * (len(VERDICTS) + 1)}"]
    every = [(paper.title.split(":")[0], paper.items) for paper in papers]
    every.append(("all", tuple(item for _, items in every for item in items)))
    for name, items in every:
        counts = Counter(item.final for item in items)
        lines.append(f"| {name} | {' | '.join(str(counts[v]) for v in VERDICTS)} | {len(items)} |")
    return "\n".join(lines) + "\n"


def _section(paper: Paper) -> str:
    lines = [
        f"## {paper.title}", "", paper.source, "",
        "| item | where a user sees it | ours · printed | verdict | test |", "| --- | --- | --- | --- | --- |",
        *(_row(item) for item in paper.items),
    ]  # fmt: skip
    if paper.stages:
        lines += ["", STAGES_HEAD, "", *stages_table()]
    if paper.shown:
        lines += ["", "Not in the table, since there is nothing that a model could compute:", ""]
        lines += [f"- {name}: {what}." for name, what in paper.shown.items()]
    return "\n".join(lines) + "\n"


def _row(item: Item) -> str:
    numbers = "; ".join(n.text for n in item.numbers) or "–"
    verdict = f"{item.final}: {item.note}" if item.note else item.final
    test = f"`{item.test}`" if item.test else "–"
    return f"| {item.what} | {item.seen} | {numbers} | {verdict} | {test} |"
