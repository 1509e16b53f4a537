"""The functions of a file, looked up in its outline as kernels call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from tree_sitter import Node

from burstline_server.analysis.frames import Function
from burstline_server.analysis.outline import Item, Outline
from burstline_server.analysis.parameters import signature
from burstline_server.analysis.types import TypeTable
from burstline_server.source.source import Source


class Functions(Mapping[str, Function]):
    """The functions of a file by name; their syntax is looked up when one is asked for."""

    def __init__(self, source: Source, types: TypeTable, outline: Outline) -> None:
        self._source, self._types, self._outline = source, types, outline
        self._known: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._known:
            node = node_of(self._source, self._outline.function(name))
            declarator = node.child_by_field_name("declarator") or node
            self._known[name] = Function(name, node, partial(signature, self._types, node, declarator))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outline.functions)

    def __len__(self) -> int:
        return len(self._outline.functions)


def node_of(source: Source, item: Item) -> Node:
    """The syntax of an item."""
    root = source.syntax(source.section_at(item.start))
    node = root.descendant_for_byte_range(item.start, item.stop)
    while node is not None and node.type != item.kind and node.parent is not None:
        node = node.parent
    return node or root
