"""Units of whole kernels, from compiled kernels of 14.1 to 16.0, whose views name no lines and no caches.

An entry of `blind.json` with `texts` names for each compiled kernel the text next to it; null is for the texts that
it embeds (some of 15.1 do), and `options` has the macros that another file of the repository gives them. Loads and
stores of a kernel are one place each, and what is cached counts as what it is without: a unit is right here more easily
than by line. A path that ends in .v is that of the Verilog that the compiler made of the text (of the version `aoc`),
which does say what is cached.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.scoreboard import binaries, generated_verilog
from bench.scoreboard.places import STYLES, Inference, Place, Units
from bench.scoreboard.reports import Reader, Report, Text, embedded, settings_of, with_headers
from bench.scoreboard.repositories import git_show, report_of

from burstline_model.compiler.lsu_rules.rulebook import RULEBOOK, Rulebook

_CACHED = " cached"
VERILOG = ".v"


def places(
    entries: Iterable[Mapping[str, Any]], mirror: Path, reader: Reader, rulebook: Rulebook = RULEBOOK
) -> Iterator[Place]:
    """The loads and the stores of each kernel; a binary that lies in several folders counts once."""
    seen: set[bytes] = set()
    for entry in entries:
        for path, source in zip(entry["reports"], entry["texts"], strict=True):
            binary = git_show(mirror, entry["repo"], f"{entry['commit']}:{path}")
            if binary and binary not in seen:
                seen.add(binary)
                yield from _places(entry, path, source, binary, mirror, reader, rulebook)


def _places(
    entry: Mapping[str, Any],
    path: str,
    source: str | None,
    binary: bytes,
    mirror: Path,
    reader: Reader,
    rulebook: Rulebook,
) -> Iterator[Place]:
    if path.endswith(VERILOG):
        version, kernels = str(entry["aoc"]), generated_verilog.units_in(binary.decode("utf-8", "replace"))
    else:
        version, kernels = binaries.units_in(binary)
    if source is None:
        files = embedded(report_of(binary).decode("utf-8", "replace"))
    else:
        content = git_show(mirror, entry["repo"], f"{entry['commit']}:{source}")
        files = {Path(source).name: content.decode("utf-8", "replace")}
    roots = [name for name in files if name.endswith(".cl")]
    row = {
        "repo": entry["repo"], "commit": entry["commit"], "report": path, "family": entry["family"], "aoc": version,
        "report_blob": hashlib.sha256(binary).hexdigest(), "file": roots[0], "options": entry.get("options", ()),
    }  # fmt: skip
    texts = tuple(Text(root, with_headers(mirror, row, root, files), settings_of(row), ()) for root in roots)
    report = Report((row,), texts)
    inferred: defaultdict[tuple[str, str], Counter[tuple[str, int | None, str]]] = defaultdict(Counter)
    for kernel in (kernel for text in texts for kernel in reader.kernels(text)):
        for lsu in Inference().of(kernel, rulebook):
            if lsu.space != "local" and lsu.style in STYLES and lsu.members[0] in kernel.places:
                style = lsu.style if path.endswith(VERILOG) else lsu.style.replace(_CACHED, "")
                inferred[kernel.facts.name, lsu.op][style, lsu.width_bits, lsu.confidence] += lsu.count
    for name, units in kernels.items():
        for op in ("load", "store"):
            reported: Units = Counter()
            for (kind, style, width), count in units.items():
                if kind == op and style in STYLES:
                    reported[style, width] += count
            ours: Units = Counter()
            for (style, width_bits, _), count in inferred[name, op].items():
                ours[style, width_bits] += count
            if reported or ours:
                yield Place(report, (row["file"], name, 0, op), reported, ours, inferred[name, op])
