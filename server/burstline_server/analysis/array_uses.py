"""Where private arrays that memory blocks hold are read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tree_sitter import Node

from burstline_model.facts import Access, LocalArray
from burstline_server.analysis import source_spans
from burstline_server.analysis.carried import in_registers
from burstline_server.analysis.types import CType
from burstline_server.analysis.values import Pointer
from burstline_server.source.source import Source

MOST_USES = 500
"""Most uses of private arrays of one kernel that are compared."""


def note_use(
    uses: list[Access],
    arrays: Mapping[str, LocalArray],
    op: Literal["load", "store", "atomic"],
    pointer: Pointer,
    type_: CType,
    place: tuple[Source, Node, str],
    loops: list[int],
) -> None:
    """Write down a load from a private array, or a store to it; those in registers leave none.

    `place`: the text that it is in, its syntax, and its index as it is written.
    """
    array = arrays.get(pointer.root)
    if array is None or in_registers(pointer, array) or len(uses) >= MOST_USES:
        return
    source, node, index = place
    use = Access(
        id=len(uses), span=source_spans.node_span(source, node), op=op, space="private", pointer=pointer.root,
        type=type_.name, element_bytes=type_.size, scalar_bytes=type_.scalar_bytes, index=index,
        offset=pointer.offset, offset_why=pointer.why, loops=tuple(loops),
    )  # fmt: skip
    uses.append(use)
