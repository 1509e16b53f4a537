"""The tree-sitter queries of the ``queries`` folder, found in a wheel and in a checkout alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import tree_sitter
import tree_sitter_c

from burstline_model.facts import Span
from burstline_model.record import fixed
from burstline_server.source.origins import Origins
from burstline_server.source.sections import parsed_section
from burstline_server.source.source import Source

Range = tuple[int, int]
Found = TypeVar("Found")


@fixed
class FunctionPlace:
    """A function definition: its name, the whole of it, and the name's own place."""

    name: str
    span: Span
    name_span: Span


def folder() -> Path:
    """Where the queries are: next to the package in a wheel, at the top of a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "queries"
    return inside if inside.is_dir() else package.parents[1] / "queries"


@cache
def query(name: str) -> tree_sitter.Query:
    """The query in ``NAME.scm``."""
    text = (folder() / f"{name}.scm").read_text("utf-8")
    return tree_sitter.Query(tree_sitter.Language(tree_sitter_c.language()), text)


def declaring(root: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """The scopes of a tree, and what declares names."""
    return _captured(query("declared"), root, "scope", "declared")


def writing(root: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    """Every place of a tree that writes a name, and those that call one."""
    return _captured(query("written"), root, "written", "called")


def pointers(root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The pointers that declarations and casts of a tree write."""
    return tree_sitter.QueryCursor(query("pointers")).captures(root).get("pointer", [])


def odd(root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What the grammar takes and C does not."""
    return tree_sitter.QueryCursor(query("odd")).captures(root).get("odd", [])


def foldable(source: Source) -> tuple[list[Range], list[Range]]:
    """The blocks and the comments of a file, in the text that is parsed."""
    blocks, comments = list[Range](), list[Range]()
    for start, found in _of_sections(source, _folds_in):
        blocks += [(start + first, start + last) for first, last in found[0]]
        comments += [(start + first, start + last) for first, last in found[1]]
    return blocks, comments


def functions(source: Source) -> list[FunctionPlace]:
    """The functions a file defines, in order."""
    found, origins = [], Origins(source, 0, len(source.text))
    for start, section in _of_sections(source, _functions_in):
        for name, *ranges in section:
            places = (origins.of(start + first, start + last) for first, last in ranges)
            whole, own = (Span(start=o.start, end=o.end, file=o.file) for o in places)
            found.append(FunctionPlace(name, whole, own))
    return sorted(found, key=lambda f: f.span.start)


def _captured(
    query: tree_sitter.Query, root: tree_sitter.Node, first: str, second: str
) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    found = tree_sitter.QueryCursor(query).captures(root)
    return found.get(first, []), found.get(second, [])


def _of_sections(source: Source, read: Callable[[bytes], Found]) -> Iterator[tuple[int, Found]]:
    """What is read from each section's text, with its start; what the reading before an edit had is taken over."""
    before: dict[bytes, Found] = source.kept.get(read, {})
    now, start = dict[bytes, Found](), 0
    for stop in source.sections:
        section = source.text[start:stop]
        if section not in now:
            now[section] = before[section] if section in before else read(section)
        yield start, now[section]
        start = stop
    source.kept[read] = now


def _folds_in(section: bytes) -> tuple[list[Range], list[Range]]:
    nodes = _captured(query("folds"), parsed_section(section, 0, len(section)), "block", "comment")
    blocks, comments = ([(n.start_byte, n.end_byte) for n in kind] for kind in nodes)
    return blocks, comments


def _functions_in(section: bytes) -> list[tuple[str, Range, Range]]:
    found = []
    for _, captures in tree_sitter.QueryCursor(query("functions")).matches(parsed_section(section, 0, len(section))):
        whole, name = captures["function.definition"][0], captures["function.name"][0]
        text = (name.text or b"").decode("utf-8", "replace")
        found.append((text, (whole.start_byte, whole.end_byte), (name.start_byte, name.end_byte)))
    return found
