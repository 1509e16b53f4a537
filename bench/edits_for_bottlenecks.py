"""What limits public kernels, and for how many of them an edit is offered that pays.

    python -m bench.edits_for_bottlenecks FOLDER [FOLDER…] [--kernels 300] [--markdown docs/bottlenecks.md]

Folders are searched for `.cl` files, their repositories in turn, each text once. A bottleneck is what limits a kernel
with the change that would save most of its time. Sizes that nobody gives are set to one value, and work-items have as
many dimensions as a kernel asks for. Host programs next to the kernels are read for their launches, as an editor reads
them. Nothing of a folder is kept. `--why FILE` lists the kernels without a proved edit that pays, a JSON record each:
what each edit that suggests itself is refused for or would gain. Its reasons are counted at the end.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rewrites_on_corpus import files_of

LENGTH = 1024
"""Every whole-number argument."""
LAUNCHES = ([1 << 20], [1 << 10, 1 << 10], [1 << 7, 1 << 7, 1 << 6])
"""What kernels are launched with: as many dimensions as they ask for ids of, the same number of work-items."""
_OF_ITEMS = {"global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"}
MOST_ROWS = 30
NO_EDIT = {"less data", "nothing", "remove printf"}
"""What no edit brings about that leaves the same results: the memory gives all it can, or output would be missing."""
KINDS = ("proved", "host", "assertion")


@dataclass(frozen=True)
class _Kernel:
    """A kernel's bottleneck, the kinds of its edits that pay, and why the others are none."""

    name: str
    bottleneck: str
    pays: set[str]
    why: tuple[tuple[str, str], ...]
    """Each edit, with what is in its way."""


def _kernels(path: Path, workspace: Path, *, why: bool) -> Iterator[_Kernel]:
    """The kernels of a file of a repository."""
    from burstline_model.estimate.changes import FasterStage  # noqa: PLC0415
    from burstline_server.assessment.assessor import Assessor  # noqa: PLC0415
    from burstline_server.config.layers import Layer  # noqa: PLC0415
    from burstline_server.interpreter.verdicts import Equal  # noqa: PLC0415
    from burstline_server.rewrites.catalogue import fixes_of, offers_of, refusals_of  # noqa: PLC0415
    from burstline_server.rewrites.left_out import unpaid  # noqa: PLC0415
    from burstline_server.words.edits import title_text  # noqa: PLC0415
    from burstline_server.words.obstacles import obstacle_text  # noqa: PLC0415

    assessor = Assessor((workspace,))
    text = path.read_text("utf-8", "replace")
    first = assessor.assess(text, str(path), [Layer("file", {"aoc_version": "19.4"})])
    names = {a.name for k in first.kernels for a in k.facts.arguments if not a.is_pointer}
    asked = {
        k.facts.name: [s.dimension for s in k.facts.symbols.values() if s.kind in _OF_ITEMS] for k in first.kernels
    }
    launches = {name: {"global_size": LAUNCHES[min(max(of, default=0), 2)]} for name, of in asked.items()}
    sizes: dict[str, Any] = {"arguments": dict.fromkeys(sorted(names), LENGTH), "kernels": launches}
    layers = [Layer("file", {"aoc_version": "19.4", **sizes})]
    done = assessor.assess(text, str(path), layers)
    pays = defaultdict[str, set[str]](set)
    for fix in fixes_of(assessor, done, layers):
        # What could not be executed counts as host's or the user's affair alone.
        if fix.gain is not None and (fix.offer.kind != "proved" or isinstance(fix.execution, Equal)):
            pays[fix.offer.kernel].add(fix.offer.kind)
    left = defaultdict[str, list[tuple[str, str]]](list)
    if why:
        poor = [o for o in offers_of(done) if "proved" not in pays[o.kernel] and o.kind == "proved"]
        for one in (*refusals_of(done), *unpaid(assessor, done, layers, poor)):
            left[one.kernel].append((title_text(one.title), obstacle_text(one.reason)))
    for kernel in done.kernels:
        estimate = kernel.estimate.at_assumed.estimate if kernel.estimate.at_assumed else kernel.estimate
        if estimate.time_s is not None:
            change = estimate.levers[0].change if estimate.levers else "nothing"
            # What a kernel waits for is made faster where that is, or where the time of their memory goes.
            stages = ((change.kernel,) if change.kernel else change.moving) if isinstance(change, FasterStage) else ()
            name = change if isinstance(change, str) else type(change).__name__
            helps = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower().replace("_", " ")
            at = stages or (kernel.facts.name,)
            every = set[str]().union(*(pays[one] for one in at))
            yield _Kernel(
                kernel.facts.name, f"{estimate.limit} | {helps}", every, tuple(w for one in at for w in left[one])
            )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--kernels", type=int, default=300, help="kernels after which to stop")
    parser.add_argument("--minutes", type=float, default=30.0, help="after which no further files are begun")
    parser.add_argument("--markdown", type=Path, help="a page for the table")
    parser.add_argument("--why", type=Path, help="a list of the kernels without a proved edit that pays")
    arguments = parser.parse_args()
    listed, reasons = list[str](), Counter[str]()
    counts, paying = Counter[str](), defaultdict[str, Counter[str]](Counter)
    until_s = time.monotonic() + 60 * arguments.minutes
    for path in files_of(arguments.folders):
        if counts.total() >= arguments.kernels or time.monotonic() > until_s:
            break
        within = next(
            folder / path.relative_to(folder).parts[0] for folder in arguments.folders if folder in path.parents
        )
        for one in _kernels(path, within, why=arguments.why is not None):
            counts[one.bottleneck] += 1
            paying[one.bottleneck].update(one.pays)
            paying[one.bottleneck]["any"] += bool(one.pays)
            if "proved" not in one.pays:
                reasons.update({reason for _, reason in one.why})
                listed.append(json.dumps({"file": str(path), **vars(one), "pays": sorted(one.pays)}))
    if arguments.why:
        arguments.why.write_text("\n".join(listed) + "\n", "utf-8")
        sys.stderr.writelines(f"{n:5} {reason}\n" for reason, n in reasons.most_common(MOST_ROWS))
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
        "they are the edits of that one, or of those that take the time of their memory. Sizes that nobody gives are",
        "set to one value; all launches have as many work-items, in as many dimensions as a kernel asks for. Host",
        "programs in the folders are read as an editor reads them. *An edit can be* leaves out what is at its limit",
        "with all that it does (*less data*, *nothing*), and printf, whose output would be missing.",
        "",
        f"{counts.total()} kernels; these {len(rows)} bottlenecks are those of {sum(n for _, n in rows)} of them.",
        "",
        "| limit | what would help | kernels | proved | host | assertion | any |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    some = [row for row in rows if row[0].split(" | ")[1] not in NO_EDIT]
    for bottleneck, n, of in [
        *((b, n, [b]) for b, n in rows),
        ("all | ", sum(n for _, n in rows), [b for b, _ in rows]),
        ("all | an edit can be", sum(n for _, n in some), [b for b, _ in some]),
    ]:
        found = sum((paying[b] for b in of), Counter[str]())
        shares = " | ".join(f"{found[kind] / max(n, 1):.0%}".replace("%", " %") for kind in (*KINDS, "any"))
        lines.append(f"| {bottleneck} | {n} | {shares} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
