"""Kernels whose text shows that they touch no memory but their own registers: they need no reading to know that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from burstline_server.analysis.file_functions import node_of
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.nodes import text_of
from burstline_server.analysis.outline import Item
from burstline_server.analysis.parameters import parameters_of
from burstline_server.analysis.types import TypeTable
from burstline_server.source.queries import pointers
from burstline_server.source.source import Source

_PRINTS = "printf"
"""What writes to a buffer that no text names."""
_WORD = re.compile(rb"\w+")


def makes_no_access(source: Source, types: TypeTable, names: Mapping[str, Variable], reached: Sequence[Item]) -> bool:
    """Whether neither a kernel nor what it may call (`reached`, the kernel first) leads to memory off its registers.

    None of them writes a pointer (but to a variable of its own, whose bits it takes), an address space or the name of
    an array of the file (`names`), and no type of the file is made of pointers: no access has anywhere to begin.
    """
    if types.leads_away or any(_PRINTS in one.called for one in reached):
        return False
    notes = (note for one in reached for note in source.notes_in(one.begin, one.stop) if note.kind == "qualifier")
    if any(note.text.strip("_") != "kernel" for note in notes):
        return False
    nodes = [node_of(source, one) for one in reached]
    if any(parameter.argument.is_pointer for parameter in parameters_of(source, types, nodes[0])):
        return False
    if not all(_of_a_variable(pointer) for node in nodes for pointer in pointers(node)):
        return False
    arrays = {name.encode() for name, variable in names.items() if variable.array is not None}
    return all(arrays.isdisjoint(_WORD.findall(source.text[one.start : one.stop])) for one in reached if arrays)


def _of_a_variable(pointer: Node) -> bool:
    """Whether a pointer is the type of a cast of a variable's address: ``*(int *)&x``."""
    cast = pointer.parent.parent if pointer.parent is not None else None
    value = cast.child_by_field_name("value") if cast is not None and cast.type == "cast_expression" else None
    return value is not None and value.type == "pointer_expression" and text_of(value).startswith("&")
