"""The compiler's rules as a page: every row of the tables that units are inferred by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from burstline_model.compiler.lsu_rules.rule import FIRST, LAST, Row, Rule, Switch, Version
from burstline_model.compiler.lsu_rules.rulebook import EVERY_ROW
from burstline_model.compiler.lsu_rules.structure import STRUCTURE_RULES
from burstline_model.target import FAMILIES
from burstline_server.words import compiler_rules as words

COMPILER = "compiler"
"""The page's name, next to those of findings."""


def compiler_page() -> str:
    """The page in Markdown."""
    lines = [f"# {words.TITLE}", "", words.ABOUT, "", f"## {words.STRUCTURE_TITLE}", ""]
    lines += _head(words.STRUCTURE_COLUMNS)
    lines += [
        f"| {r.name} | {r.text} | {_families(r.families)} | {_versions(r.since, r.until)} | {r.source} |"
        for r in STRUCTURE_RULES
    ]
    lines += ["", words.EVIDENCE]
    tables = (("Loads", EVERY_ROW.loads), ("Private caches", EVERY_ROW.caches), ("Stores", EVERY_ROW.stores),
              ("Write-acknowledge", EVERY_ROW.write_ack))  # fmt: skip
    for title, rules in tables:
        lines += ["", f"## {title}", "", words.ORDER, "", *_head((words.RULE, *words.COLUMNS)), *map(_row, rules)]
    lines += ["", f"## {words.SWITCHES_TITLE}", "", words.SWITCHES, ""]
    lines += [*_head((words.RULE, words.DOES, *words.COLUMNS)), *map(_switch, EVERY_ROW.switches)]
    return "\n".join(lines) + "\n"


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


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
        return words.force_text("on")
    if rule.refuted:
        return words.force_text("refuted")
    return words.force_text("one_repository" if rule.repositories else "no_report")


def _families(families: Iterable[str]) -> str:
    known = tuple(families)
    return "all" if known == FAMILIES else ", ".join(known)


def _versions(since: Version, until: Version) -> str:
    first = "" if since == FIRST else f"from {since[0]}.{since[1]}"
    last = "" if until == LAST else f"up to {until[0]}.x" if until[1] >= 9 else f"up to {until[0]}.{until[1]}"
    return " ".join(part for part in (first, last) if part) or "all"
