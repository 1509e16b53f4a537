"""The compiler's rules as a page: every row of the tables that units are inferred by."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.compiler.rules.rule import FIRST, LAST, Version
from burstline_model.compiler.rules.rulebook import RULEBOOK
from burstline_model.compiler.rules.structure import STRUCTURE_RULES
from burstline_model.compiler.target import FAMILIES

COMPILER = "compiler"
"""The page's name, beside those of findings."""


def compiler_page() -> str:
    """The page in Markdown."""
    lines = [
        "# The compiler's rules",
        "",
        "What load/store units are inferred by: each row with its scope and its evidence. A unit's hover names the",
        "rows that decided. Kernels in the shapes that the reports teach stand in `tests/compiler/shapes/`.",
        "",
        "## How many, how wide, how aligned",
        "",
        "| rule | what it does | families | compilers | evidence |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.name} | {r.text} | {_families(r.families)} | {_versions(r.since, r.until)} | {r.source} |"
        for r in STRUCTURE_RULES
    ]
    tables = (("Loads", RULEBOOK.loads), ("Private caches", RULEBOOK.caches), ("Stores", RULEBOOK.stores),
              ("Write-acknowledge", RULEBOOK.write_ack))  # fmt: skip
    for title, rules in tables:
        lines += ["", f"## {title}", "", "The first row that holds decides.", ""]
        lines += ["| rule | families | compilers | evidence |", "|---|---|---|---|"]
        lines += [f"| {r.name} | {_families(r.families)} | {_versions(r.since, r.until)} | {r.source} |" for r in rules]
    return "\n".join(lines) + "\n"


def _families(families: Iterable[str]) -> str:
    known = tuple(families)
    return "all" if known == FAMILIES else ", ".join(known)


def _versions(since: Version, until: Version) -> str:
    first = "" if since == FIRST else f"from {since[0]}.{since[1]}"
    last = "" if until == LAST else f"up to {until[0]}.x" if until[1] >= 9 else f"up to {until[0]}.{until[1]}"
    return " ".join(part for part in (first, last) if part) or "all"
