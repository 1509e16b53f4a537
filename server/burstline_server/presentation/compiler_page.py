"""The compiler's rules as a page: every row of the tables that units are inferred by."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_model.compiler.lsu_rules.rule import FIRST, LAST, Row, Rule, Switch, Version
from burstline_model.compiler.lsu_rules.rulebook import EVERY_ROW
from burstline_model.compiler.lsu_rules.structure import STRUCTURE_RULES
from burstline_model.target import FAMILIES

COMPILER = "compiler"
"""The page's name, next to those of findings."""


def compiler_page() -> str:
    """The page in Markdown."""
    lines = [
        "# The compiler's rules",
        "",
        "What load/store units are inferred by: each row with its scope and its evidence. A unit's hover names the",
        "rows that decided. Kernels in the shapes that the reports teach are in `tests/compiler/shapes/`.",
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
    lines += ["", *_HELD_OUT]
    tables = (("Loads", EVERY_ROW.loads), ("Private caches", EVERY_ROW.caches), ("Stores", EVERY_ROW.stores),
              ("Write-acknowledge", EVERY_ROW.write_ack))  # fmt: skip
    for title, rules in tables:
        lines += ["", f"## {title}", "", "The first row in force that holds decides.", ""]
        lines += ["| rule | in force | families | compilers | read off | stated in | units won | units lost |"]
        lines += ["|---|---|---|---|---|---|---|---|", *map(_row, rules)]
    lines += [
        "",
        "## Merged, dropped, kept apart",
        "",
        "Rules that the code implements, each with a switch of its own.",
        "",
    ]
    lines += [
        "| rule | what it does | in force | families | compilers | read off | stated in | units won | units lost |"
    ]
    lines += ["|---|---|---|---|---|---|---|---|---|", *map(_switch, EVERY_ROW.switches)]
    return "\n".join(lines) + "\n"


_HELD_OUT = (
    "The tables below say of each row what it was read off, which document of the vendor states it, and how many units",
    "of which public repositories' reports it gets right (won) or wrong (lost): inference with the row against",
    "inference without it. A row is in force where a document states it, or where at least two independent",
    "repositories show it, and where it does not lose more than it wins. The others are off: with their one repository",
    "left out nobody would know them. Forks count as one repository.",
)


def _row(rule: Rule) -> str:
    return f"| {rule.name} | {_verdict(rule)} | {_evidence(rule)} |"


def _switch(one: Switch) -> str:
    return f"| {one.name} | {one.text} | {_verdict(one)} | {_evidence(one)} |"


def _evidence(row: Rule | Switch) -> str:
    won = ", ".join(f"{one.won} in {one.repository}" for one in row.evidence if one.won)
    lost = ", ".join(f"{one.lost} in {one.repository}" for one in row.evidence if one.lost)
    scope = f"{_families(row.families)} | {_versions(row.since, row.until)}"
    return f"{scope} | {row.source} | {row.document or '–'} | {won or '–'} | {lost or '–'}"


def _verdict(rule: Row) -> str:
    """Whether a row is in force, and where not, what leaving repositories out says of it."""
    if rule.enabled:
        return "yes"
    if rule.refuted:
        return "off: loses more than it wins"
    return "off: rests on one repository" if rule.repositories else "off: no report at hand shows it"


def _families(families: Iterable[str]) -> str:
    known = tuple(families)
    return "all" if known == FAMILIES else ", ".join(known)


def _versions(since: Version, until: Version) -> str:
    first = "" if since == FIRST else f"from {since[0]}.{since[1]}"
    last = "" if until == LAST else f"up to {until[0]}.x" if until[1] >= 9 else f"up to {until[0]}.{until[1]}"
    return " ".join(part for part in (first, last) if part) or "all"
