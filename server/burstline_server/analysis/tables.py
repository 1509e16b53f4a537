"""Constant tables of whole numbers: the indices, bounds and factors that are made of their elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from burstline_model.facts import Space
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.symbol_table import SymbolTable
from burstline_server.analysis.types import CType
from burstline_server.analysis.values import Pointer

MAX_TABLE = 1024
"""Most elements of a table that are remembered."""


class Table(NamedTuple):
    """The elements of an array that never changes, and the type of one."""

    element: CType
    elements: tuple[int, ...]


def elements_of(
    values: Node, type_: CType, space: Space, whole: Callable[[Node], int | None], *, unwritten: bool
) -> Table | None:
    """The elements that an initializer gives an array that never changes; None when they are not all whole numbers.

    `unwritten`: nothing writes to the array, so that it never changes even where its type does not say so.
    """
    element, length = type_, 1
    while element.kind == "array" and element.element is not None:
        length, element = length * (element.count or 0), element.element
    fixed = space == "constant" or element.const or unwritten
    if type_.kind != "array" or element.kind not in {"integer", "real"} or not fixed:
        return None
    elements: list[int] = []
    waiting = [values]
    while waiting:
        one = waiting.pop()
        if one.type == "initializer_list":
            waiting.extend(reversed([c for c in one.named_children if c.type != "comment"]))
            continue
        known = whole(one) if one.type != "initializer_pair" else None
        if known is None or len(elements) >= MAX_TABLE:
            return None
        elements.append(known)
    flat = type_.element is element
    if flat and len(elements) <= (length or len(elements)):
        return Table(element, (*elements, *[0] * (length - len(elements))))
    return Table(element, tuple(elements)) if len(elements) == length else None


def element_of(table: Table, pointer: Pointer, type_: CType, symbols: SymbolTable) -> Polynomial | None:
    """What is read from a table: a number, or the element that its index picks."""
    element, elements = table
    if not elements or pointer.offset is None or (type_.kind, type_.size) != (element.kind, element.size):
        return None
    if not type_.size or any(c % type_.size for _, c in pointer.offset.terms):
        return None
    index = Polynomial(tuple((m, c // type_.size) for m, c in pointer.offset.terms))
    if index.constant is not None:
        inside = 0 <= index.constant < len(elements)
        return Polynomial.number(elements[index.constant]) if inside else None
    numbers = tuple(Polynomial.number(e) for e in elements)
    return symbols.operation("element", (index, *numbers), f"{pointer.root}[{index}]")
