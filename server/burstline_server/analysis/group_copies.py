"""Copies between global and local memory that all items of a work-group make together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tree_sitter import Node

from burstline_model.facts import Loop, Unknown
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.nodes import one_line
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.types import UNKNOWN
from burstline_server.analysis.values import Value, moved

GROUP_COPY = re.compile(r"async_work_group(_strided)?_copy")


def copied_by_group(reader: Reader, node: Node, name: str, values: list[Value], nodes: list[Node]) -> Value:
    """A copy by the whole work-group: its items move neighbouring elements, trip after trip."""
    if len(values) < 3 or values[0].pointer is None or values[1].pointer is None:
        return Value()
    element = values[0].type.element or values[1].type.element or UNKNOWN
    gap = values[3].number if "strided" in name and len(values) > 3 else Polynomial.number(1)
    with _shared_by_group(reader, node, values[2].number) as item:
        moved_by = item.scaled(element.size) if element.size else None
        apart = moved_by * gap if moved_by is not None and gap is not None else None
        target, origin = values[0].pointer, values[1].pointer
        steps = (apart if p.space in {"global", "constant"} else moved_by for p in (target, origin))
        to, from_ = (
            moved(p, step, Unknown(kind="no_distance")) for p, step in zip((target, origin), steps, strict=True)
        )
        # Reports name the line of the operand that lies in global memory.
        loaded = reader.load(nodes[1], from_, element, index=one_line(nodes[1]))
        reader.store(nodes[0], to, element, loaded, index=one_line(nodes[0]))
    return Value()


@contextmanager
def _shared_by_group(reader: Reader, node: Node, count: Polynomial | None) -> Iterator[Polynomial]:
    """`count` steps shared among the work-group's items: a loop, and the number of an item's step in it."""
    number = len(reader.loops)
    counter = reader.symbols.fresh(f"copy{number}", "loop", loop=number)
    size, place, trip = Polynomial.number(1), Polynomial(), count
    if reader.uses_ids:
        size = Polynomial.symbol(reader.symbols.once(("local_size", 0), "lsize0", "local_size"))
        place = Polynomial.symbol(reader.symbols.once(("local_id", 0), "lid0", "local_id"))
        trip = None if count is None else reader.symbols.operation("quotient", (count, size))
    parent, span = reader.open_loops[-1] if reader.open_loops else None, reader.span(node)
    reader.loops.append(
        Loop(id=number, parent=parent, kind="copy", span=span, body=span, variable="", counter=counter, trip=trip)
    )
    reader.open_loops.append(number)
    try:
        yield Polynomial.symbol(counter) * size + place
    finally:
        reader.open_loops.pop()
