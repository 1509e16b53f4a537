"""Where a host program in C or C++ launches kernels: the calls, by their line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from burstline_server.host.c_host import as_c
from burstline_server.host.constants import descendants, parsed, text_of

Range = tuple[int, int]
"""First byte, and the one after the last."""
_C_INTERFACE = {"clEnqueueNDRangeKernel", "clEnqueueTask"}
_BINDINGS = {"enqueueNDRangeKernel", "enqueueTask"}


@dataclass(frozen=True, slots=True)
class LaunchCall:
    """A call that launches a kernel, in bytes of the host's text.

    `statement` is the statement around it that others can come before; `name` the function's. `arguments` are those of
    the C interface; none of another one.
    """

    statement: Range
    call: Range
    name: Range
    arguments: tuple[Range, ...]
    is_task: bool


def launch_calls(text: bytes, lines: frozenset[int]) -> Iterator[LaunchCall]:
    """The calls that begin in these lines (from 1), in order, whose statement is one of a block's."""
    calls = (n for n in descendants(parsed(as_c(text))) if n.type == "call_expression")
    for node in sorted(calls, key=lambda n: n.start_byte):
        function = node.child_by_field_name("function")
        if function is None or node.start_point[0] + 1 not in lines:
            continue
        member = function.child_by_field_name("field") if function.type == "field_expression" else None
        name = text_of(member) if member is not None else text_of(function)
        statement = _statement(node)
        if statement is None or name not in (_C_INTERFACE if member is None else _BINDINGS):
            continue
        given = node.child_by_field_name("arguments")
        arguments = [n for n in given.named_children if n.type != "comment"] if given is not None else []
        yield LaunchCall(
            _range(statement), _range(node), _range(function),
            tuple(_range(n) for n in arguments) if member is None else (), name.endswith("Task"),
        )  # fmt: skip


def _statement(node: Node) -> Node | None:
    at = node
    while at.parent is not None and not at.type.endswith("_statement") and at.type != "declaration":
        at = at.parent
    return at if at.parent is not None and at.parent.type == "compound_statement" else None


def _range(node: Node) -> Range:
    return node.start_byte, node.end_byte
