"""What attributes of an array's declaration fix of the memory that it is built as."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.declared_ports import DeclaredPorts
from burstline_server.analysis.nodes import previous_end
from burstline_server.analysis.pragmas import attributes, integer
from burstline_server.source.source import Source

_NUMBERS = {
    "numbanks": "banks",
    "bankwidth": "bank_bytes",
    "numreadports": "reads",
    "numwriteports": "writes",
    "max_replicates": "replicates",
}
_PUMPS = {"singlepump": 1, "doublepump": 2}
_OF_DECLARATIONS = frozenset({"declaration", "field_declaration"})


def declared_ports(source: Source, declarator: Node) -> DeclaredPorts | None:
    """The banks and ports that a declaration gives its array; None where it gives none."""
    node = declarator
    while node.type not in _OF_DECLARATIONS and node.parent is not None:
        node = node.parent
    notes = source.notes_in(previous_end(node), node.end_byte)
    found = attributes(" ".join(n.text for n in notes if n.kind == "attribute"))
    given = {field: integer(source, found[name]) for name, field in _NUMBERS.items() if name in found}
    numbers = {field: number for field, number in given.items() if number is not None and number > 0}
    pumps = next((number for name, number in _PUMPS.items() if name in found), None)
    return DeclaredPorts(**numbers, pumps=pumps) if numbers or pumps is not None else None
