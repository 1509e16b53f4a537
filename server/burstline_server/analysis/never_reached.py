"""What a body holds under conditions that constants decide: the compiler drops an arm that is never taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from burstline_server.analysis.frames import Variable
from burstline_server.analysis.hidden_names import declared_in
from burstline_server.analysis.liveness import only_computes
from burstline_server.analysis.nodes import identifiers, text_of
from burstline_server.analysis.reader import Reader

_CONSTANTS = re.compile(r"\bconst\b[^;{}]*")
_GIVEN = re.compile(r"(\w+)\s*=(?!=)")
_FIRST = re.compile(r"\bif\s*\([\s(!~+-]*(\w+)")
_HOLDING = {
    "compound_statement", "for_statement", "while_statement", "do_statement", "if_statement", "else_clause",
    "switch_statement", "case_statement",
}  # fmt: skip


def reached_text(reader: Reader, body: Node) -> tuple[str, frozenset[str]]:
    """The text of a body without what is never reached in it, and the names that conditions there decide so by."""
    text = text_of(body)
    first = set(_FIRST.findall(text))
    named = {name for one in _CONSTANTS.findall(text) for name in _GIVEN.findall(one)} if first else set[str]()
    if "goto" in text or not any(one[0].isdigit() or one in named or _is_constant(reader, one) for one in first):
        return text, frozenset()
    statements = [*_statements(body)]
    with reader.quietly(), reader.scope():
        known = _declare_constants(reader, [s for s in statements if s.type == "declaration"])
        left, names = _arms_left(reader, [s for s in statements if s.type == "if_statement"], known)
    raw, end = body.text or b"", len(body.text or b"")
    for arm in sorted(left, key=lambda one: -one.start_byte):
        start, stop = arm.start_byte - body.start_byte, arm.end_byte - body.start_byte
        if stop <= end:  # not within an arm that is left as a whole
            raw, end = raw[:start] + (b"else ;" if arm.type == "else_clause" else b";") + raw[stop:], start
    return raw.decode("utf-8", "replace"), names


def _statements(body: Node) -> Iterator[Node]:
    """The declarations and conditions of a body, in order."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in {"declaration", "if_statement"}:
            yield node
        if node.type in _HOLDING:
            waiting += reversed(node.named_children)


def _is_constant(reader: Reader, name: str) -> bool:
    found = reader.find(name)
    number = found.value.number if found is not None and found.value is not None else None
    return number is not None and number.constant is not None


def _declare_constants(reader: Reader, declarations: list[Node]) -> set[str]:
    """Bring in what the body declares once, as a constant whose value is known; their names."""
    every = [name for one in declarations for name in declared_in(one)]
    known: set[str] = set()
    for node in declarations:
        if not any(c.type == "type_qualifier" and text_of(c) == "const" for c in node.children):
            continue
        base = reader.types.base(node)
        for one in node.children_by_field_name("declarator"):
            name, type_ = reader.types.declared(one, base)
            initial = one.child_by_field_name("value") if one.type == "init_declarator" else None
            if initial is None or not type_.is_integer or every.count(name) > 1 or reader.find(name) is not None:
                continue
            if not identifiers(initial) - known:
                value = reader.evaluate(initial)
                if value.number is not None and value.number.constant is not None:
                    reader.declare(name, Variable(type_, value))
                    known.add(name)
    return known


def _arms_left(reader: Reader, conditions: list[Node], known: set[str]) -> tuple[list[Node], frozenset[str]]:
    """The arms that are never taken, and the names in the conditions that say so."""
    left, names = list[Node](), set[str]()
    for node in conditions:
        condition = node.child_by_field_name("condition")
        used = identifiers(condition) if condition is not None else frozenset[str]()
        if condition is None or not all(one in known or _is_constant(reader, one) for one in used):
            continue
        value = reader.constant(condition) if only_computes(text_of(condition)) else None
        arm = node.child_by_field_name("alternative" if value else "consequence")
        if value is not None:
            names |= used
            left += [arm] if arm is not None else []
    return left, frozenset(names)
