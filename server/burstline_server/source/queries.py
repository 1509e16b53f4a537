"""The tree-sitter queries of the ``queries`` folder, found in a wheel and in a checkout alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter
import tree_sitter_c

from burstline_model.facts import Span
from burstline_server.source.source import Source


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """A function definition: its name, the whole of it, and the name's own place."""

    name: str
    span: Span
    name_span: Span


def folder() -> Path:
    """Where the queries are: beside the package in a wheel, at the top of a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "queries"
    return inside if inside.is_dir() else package.parents[1] / "queries"


@cache
def query(name: str) -> tree_sitter.Query:
    """The query in ``NAME.scm``."""
    text = (folder() / f"{name}.scm").read_text("utf-8")
    return tree_sitter.Query(tree_sitter.Language(tree_sitter_c.language()), text)


def captured(name: str, node: tree_sitter.Node, *captures: str) -> list[list[tree_sitter.Node]]:
    """What a query captures below a node, a list for each of some captures."""
    found = tree_sitter.QueryCursor(query(name)).captures(node)
    return [found.get(capture, []) for capture in captures]


def foldable(source: Source) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """The blocks and the comments of a file."""
    blocks, comments = captured("folds", source.tree.root_node, "block", "comment")
    return blocks, comments


def functions(source: Source) -> list[FunctionPlace]:
    """The functions a file defines, in order."""
    cursor = tree_sitter.QueryCursor(query("functions"))
    found = []
    for _, captures in cursor.matches(source.tree.root_node):
        whole, name = captures["function.definition"][0], captures["function.name"][0]
        spans = []
        for node in (whole, name):
            origin = source.origin(node.start_byte, node.end_byte)
            spans.append(Span(start=origin.start, end=origin.end, file=origin.file))
        text = (name.text or b"").decode("utf-8", "replace")
        found.append(FunctionPlace(text, spans[0], spans[1]))
    return sorted(found, key=lambda f: f.span.start)
