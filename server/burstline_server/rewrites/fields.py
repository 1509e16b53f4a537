"""An array of structures becomes an array for each field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from burstline_model.facts import Access, Argument
from burstline_server.analysis.types import named
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.parameters import moved_by_host, parameter_of
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import Written, every, free_name, kernel_body, node_at


class Fields(Rewrite):
    """A pointer to structures becomes a pointer to each field that the kernel uses: what is read lies side by side.

    Offered where the kernel uses the pointer as ``p[index].field`` only, with fields of scalar or vector types. Needs
    the host to keep each of these fields in a buffer of its own.
    """

    name = "fields"
    codes = ("BL102", "BL101", "BL105", "BL106")

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each pointer to structures."""
        facts, text = kernel.facts, assessment.source.original
        body = kernel_body(assessment.source, facts.name_span)
        for argument in facts.arguments if body is not None else ():
            accesses = [a for a in facts.accesses if a.pointer == argument.name]
            parameter = parameter_of(text, argument)
            uses = _uses(assessment, accesses, argument, body) if parameter is not None and body is not None else None
            if parameter is None or not uses:
                continue
            types = {use.field: use.access.type for use in uses}
            names = {field: free_name(text, f"{argument.name}_{field}") for field in types}
            ordered = [field for _, field in sorted({(_place(argument, u), u.field) for u in uses})]
            pointers = [parameter.written(types[field], names[field]) for field in ordered]
            edits = [TextEdit(parameter.start, parameter.end, f",{parameter.below(text)}".join(pointers))]
            for use in uses:
                edits += [
                    TextEdit(use.array.start, use.array.end, names[use.field]),
                    TextEdit(use.element_end, use.end, ""),
                ]
            yield Offer(
                title=f"Give each field of {argument.name} an array of its own (needs a host change: "
                f"{'a buffer' if len(ordered) == 1 else 'buffers'} of {', '.join(ordered)})",
                kind="host",
                kernel=facts.name,
                edits=tuple(edits),
                spans=(argument.span, *(a.span for a in accesses)),
                codes=Fields.codes,
                host=moved_by_host(f"{new}[i] = {argument.name}[i].{field};" for field, new in names.items()),
            )


@dataclass(frozen=True, slots=True)
class _Use:
    """``array[index].field``; `element_end` is where the field's dot stands."""

    access: Access
    array: Written
    field: str
    element_end: int
    end: int


def _uses(assessment: Assessment, accesses: list[Access], argument: Argument, body: Node) -> list[_Use] | None:
    """Every use of a pointer; None when one of them is not of a field."""
    found: dict[int, _Use] = {}
    for access in accesses:
        whole = node_at(assessment.source, access.span)
        element, field = (whole.child(n) if whole is not None else None for n in ("argument", "field"))
        array = element.child("argument") if element is not None else None
        if whole is None or element is None or field is None or array is None or access.call_chain:
            return None
        if element.node.type != "subscript_expression" or array.text != argument.name or named(access.type) is None:
            return None
        found[access.span.start] = _Use(access, array, field.text, element.end, whole.end)
    used = sum(1 for n in every(body) if n.type == "identifier" and n.text == argument.name.encode())
    return list(found.values()) if found and used == len(found) else None


def _place(argument: Argument, use: _Use) -> int:
    """Where a field lies in its structure, as far as the index tells."""
    offset = use.access.offset
    return offset.offset % max(argument.element_bytes, 1) if offset is not None else 0
