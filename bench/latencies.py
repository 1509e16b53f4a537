"""How far the latencies that follow from a kernel's units are from those that vendor reports list for them.

    python -m bench.latencies --truth DIR --mirror DIR

Units are those of the report, so that nothing but `global_latency` is judged; it knows one kernel, while a few cycles
come from the units of the others. Left out: units that nothing waits for (2 cycles and less, prefetching, streams, and
the 512, 256 and 64 of Stratix 10 in loops without a dependence), compilers up to 16.x, and Intel's PAC D5005.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.scoreboard.reports import settings_of
from bench.scoreboard.repositories import git_blob, git_show, report_of
from bench.scoreboard.rounds import at_hand

from burstline_model.lsu import Lsu
from burstline_model.pipeline.global_latency import global_latency
from burstline_model.pipeline.latencies import operation_table
from burstline_model.target import FAMILIES, Family, Target
from burstline_model.vendor_report.javascript import variables

STYLES = {"Burst-non-aligned": "Burst-coalesced non-aligned"}
NOT_WAITED_FOR = ("Prefetching", "Streaming", "Semi-streaming")
FLAT = {512, 256, 64}
"""Latencies of Stratix 10 where no dependence goes through memory."""


def main() -> None:
    """Print how many latencies are met, by family and kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("truth", "mirror"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    repositories: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    seen: set[str] = set()
    for repository, path, content in _reports(given.truth, given.mirror):
        views = variables(content)
        target, mark = _target(views, path), json.dumps(views.get("mavJSON"), sort_keys=True)
        if target is None or target.aoc_version < (17, 0, 0) or mark in seen:
            continue
        seen.add(mark)
        for units in _kernels(views.get("mavJSON")):
            found = global_latency([u for u, _ in units], target, operation_table(target.family, target.aoc_version))
            for unit, listed in units:
                if (
                    listed <= 2
                    or unit.style in NOT_WAITED_FOR
                    or (target.family[-2:] == "10" and _flat(target, listed))
                ):
                    continue
                said = found.stores[unit.members[0]] if unit.op == "store" else found.loads[unit.members[0]]
                key = (target.family, unit.op)
                counts[key].update(all=1, cycle=abs(said - listed) <= 1, near=abs(said - listed) <= 0.1 * listed)
                repositories[key].add(repository.rpartition("/")[2])
    for (family, op), own in sorted(counts.items()):
        print(f"{family}, {op}s: {own['cycle']} of {own['all']} within a cycle, {own['near']} within 10 %, "
              f"{len(repositories[family, op])} repositories")  # fmt: skip


def _flat(target: Target, cycles: int) -> bool:
    return target.family == "Stratix 10" and cycles in FLAT


def _reports(truth: Path, mirror: Path) -> Iterator[tuple[str, str, str]]:
    """Repository, path and text of each report that rules rest on."""
    rows = [json.loads(line) for name in ("loops", "lsu") for line in (truth / f"{name}_train.jsonl").open()]
    for repository, blob, path in sorted({(r["repo"], r["report_blob"], r["report"]) for r in rows}):
        yield repository, path, report_of(git_blob(mirror, repository, blob)).decode("utf-8", "replace")
    for entry in at_hand(mirror):
        for path in entry["reports"] if "texts" not in entry else ():
            content = git_show(mirror, entry["repo"], f"{entry['commit']}:{path}")
            yield entry["repo"], path, report_of(content).decode("utf-8", "replace")


def _target(views: dict[str, Any], path: str) -> Target | None:
    info = json.dumps(views.get("infoJSON") or "")
    version = re.search(r"(\d\d)\.(\d)\.(\d)", info)
    family: Family | None = next((f for f in FAMILIES if f in info or f.replace(" ", "") in info), None)
    if version is None or family is None or "D5005" in path:
        return None
    word = 32 if family == "Cyclone V" or settings_of({"target": info}).get("board") else 64
    major, minor, patch = (int(part) for part in version.groups())
    return Target(family=family, aoc_version=(major, minor, patch), word_bytes=word)


def _kernels(view: object) -> Iterator[list[tuple[Lsu, int]]]:
    """The units of each kernel of a view, with the latency that is listed."""
    found: dict[str, list[tuple[Lsu, int]]] = {}

    def look(node: object, kernel: str) -> None:
        if isinstance(node, list):
            for one in node:
                look(one, kernel)
        elif isinstance(node, dict):
            kernel = str(node.get("name")) if node.get("type") == "kernel" else kernel
            details = node.get("details")
            details = details[0] if isinstance(details, list) and details else details
            own = details if isinstance(details, dict) else {}
            style = str(own.get("LSU Style") or own.get("LSU type") or own.get("Type") or "")
            if {"Latency", "Width"} <= set(own) and style.startswith(("Burst", "Prefetch", "Stream", "Semi")):
                units = found.setdefault(kernel, [])
                units.append((_unit(len(units), str(node["name"]), style, str(own["Width"])), int(own["Latency"])))
            for key, one in node.items():
                if key != "details":
                    look(one, kernel)

    look(view, "")
    yield from found.values()


def _unit(number: int, name: str, style: str, width: str) -> Lsu:
    bits = int(width.split(maxsplit=1)[0])
    return Lsu(
        members=(number,), op="load" if name.lower().startswith(("lo", "ld")) else "store", space="global",
        style=STYLES.get(style, style), width_bits=bits, count=1, lanes=1,  # type: ignore[arg-type]
        useful_bytes=bits // 8, stride=1, unfixed=None, confidence="high", reasons=(),
    )  # fmt: skip


if __name__ == "__main__":
    main()
