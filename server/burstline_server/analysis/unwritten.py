"""Arrays that nothing writes after their declaration: the compiler takes their elements for constants."""

from __future__ import annotations

import re

from tree_sitter import Node

from burstline_server.analysis.types import CType

MAX_USES = 200
"""Most uses that are looked at; an array that has more counts as written."""
_CHANGES = {"update_expression", "pointer_expression", "field_expression"}


def is_unwritten(declarator: Node, name: str, type_: CType) -> bool:
    """Whether all that is done with an array, in the block that declares it, is to read single elements."""
    declaration = declarator.parent
    block = declaration.parent if declaration is not None else None
    dimensions, element = 0, type_
    while element.kind == "array" and element.element is not None:
        dimensions, element = dimensions + 1, element.element
    if block is None or block.type != "compound_statement" or not dimensions or element.volatile:
        return False
    text, start = block.text or b"", block.start_byte
    for count, found in enumerate(re.finditer(rb"\b%s\b" % re.escape(name.encode()), text)):
        at = start + found.start()
        if declarator.start_byte <= at < declarator.end_byte:
            continue
        use = block.descendant_for_byte_range(at, at + len(name))
        if count > MAX_USES or use is None or (use.type == "identifier" and not _reads_element(use, dimensions)):
            return False
    return True


def _reads_element(use: Node, dimensions: int) -> bool:
    """Whether a use of an array reads one element of it."""
    at = use
    for _ in range(dimensions):
        outer = at.parent
        if outer is None or outer.type != "subscript_expression" or outer.child_by_field_name("argument") != at:
            return False
        at = outer
    outer = at.parent
    while outer is not None and outer.type == "parenthesized_expression":
        at, outer = outer, outer.parent
    if outer is None or outer.type in _CHANGES:
        return False
    return outer.type != "assignment_expression" or outer.child_by_field_name("left") != at
