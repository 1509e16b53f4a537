"""What limits public kernels, and for how many of them an edit is offered that pays.

    python -m bench.edits_for_bottlenecks FOLDER [FOLDER…] [--kernels 300] [--markdown docs/bottlenecks.md]

Folders are searched for `.cl` files, their repositories in turn, each text once. A bottleneck is what limits a kernel
with the change that would save most of its time. Sizes that nobody gives are set to one value. Nothing of a folder is
kept.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.rewrites_on_corpus import files_of

LENGTH = 1024
"""Every whole-number argument and dimension of a launch."""
MOST_ROWS = 30
KINDS = ("proved", "host", "assertion")


def _kernels(path: Path) -> Iterator[tuple[str, set[str]]]:
    """The bottleneck of each kernel of a file, with the kinds of the edits that pay."""
    from burstline_model.estimate.changes import FasterStage  # noqa: PLC0415
    from burstline_server.assessment.assessor import Assessor  # noqa: PLC0415
    from burstline_server.config.layers import Layer  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import Equal  # noqa: PLC0415
    from burstline_server.rewrites.catalogue import fixes_of  # noqa: PLC0415

    assessor = Assessor()
    text = path.read_text("utf-8", "replace")
    first = assessor.assess(text, str(path), [Layer("file", {"aoc_version": "19.4"})])
    names = {a.name for k in first.kernels for a in k.facts.arguments if not a.is_pointer}
    sizes: dict[str, Any] = {"arguments": dict.fromkeys(sorted(names), LENGTH), "global_size": [LENGTH * LENGTH]}
    layers = [Layer("file", {"aoc_version": "19.4", **sizes})]
    done = assessor.assess(text, str(path), layers)
    pays = defaultdict[str, set[str]](set)
    for fix in fixes_of(assessor, done, layers):
        # What could not be executed counts as host's or the user's affair alone.
        if fix.gain is not None and (fix.offer.kind != "proved" or isinstance(fix.execution, Equal)):
            pays[fix.offer.kernel].add(fix.offer.kind)
    for kernel in done.kernels:
        estimate = kernel.estimate.at_assumed.estimate if kernel.estimate.at_assumed else kernel.estimate
        if estimate.time_s is not None:
            change = estimate.levers[0].change if estimate.levers else "nothing"
            # What a kernel waits for is made faster where that is.
            stage = change.kernel if isinstance(change, FasterStage) else None
            name = change if isinstance(change, str) else type(change).__name__
            helps = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower().replace("_", " ")
            yield f"{estimate.limit} | {helps}", pays[stage or kernel.facts.name]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--kernels", type=int, default=300, help="kernels after which to stop")
    parser.add_argument("--minutes", type=float, default=30.0, help="after which no further files are begun")
    parser.add_argument("--markdown", type=Path, help="a page for the table")
    arguments = parser.parse_args()
    counts, paying = Counter[str](), defaultdict[str, Counter[str]](Counter)
    until_s = time.monotonic() + 60 * arguments.minutes
    for path in files_of(arguments.folders):
        if counts.total() >= arguments.kernels or time.monotonic() > until_s:
            break
        for bottleneck, kinds in _kernels(path):
            counts[bottleneck] += 1
            paying[bottleneck].update(kinds)
            paying[bottleneck]["any"] += bool(kinds)
    text = _page(counts, paying, arguments.kernels, arguments.minutes)
    sys.stdout.write(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, "utf-8")
    return 0


def _page(counts: Counter[str], paying: dict[str, Counter[str]], most: int, minutes: float) -> str:
    rows = counts.most_common(MOST_ROWS)
    lines = [
        "# Edits for what limits public kernels",
        "",
        f"Written by `python -m bench.edits_for_bottlenecks FOLDER --kernels {most} --minutes {minutes:g} "
        "--markdown docs/bottlenecks.md`.",
        "",
        "A bottleneck is what limits a kernel, with the change that would save most of its time. *Proved* is the share",
        "of its kernels with an edit that pays, needs the text alone, and left the same results when it was executed;",
        "*host* and *assertion* that with one which needs more. Of a kernel that waits for another one, by channels,",
        "they are the edits of that one. Sizes that nobody gives are set to one value.",
        "",
        f"{counts.total()} kernels; these {len(rows)} bottlenecks are those of {sum(n for _, n in rows)} of them.",
        "",
        "| limit | what would help | kernels | proved | host | assertion | any |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for bottleneck, n in [*rows, ("all | ", sum(n for _, n in rows))]:
        found = paying[bottleneck] if n and bottleneck in paying else sum((paying[b] for b, _ in rows), Counter())
        shares = " | ".join(f"{found[kind] / max(n, 1):.0%}".replace("%", " %") for kind in (*KINDS, "any"))
        lines.append(f"| {bottleneck} | {n} | {shares} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
