"""An array of structures becomes an array for each field."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from tree_sitter import Node

from burstline_model.facts import Access, Argument
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide, Moved
from burstline_server.rewrites.pointer_parameters import moved_by_host, parameter_of
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import SourceNode, every, free_name, kernel_body, node_at, plain_type


class AosToSoa(Rewrite):
    """A pointer to structures becomes a pointer to each field that the kernel uses: what is read lies side by side.

    Offered where the kernel uses the pointer as ``p[index].field`` only, with fields of scalar or vector types, or
    single elements of a vector. Needs the host to keep each of these fields in its own buffer.
    """

    name = "AoS to SoA"
    codes = ("BL102", "BL101", "BL105", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each pointer to structures or vectors of which fields are used."""
        facts = kernel.facts
        body = kernel_body(assessment.source, facts.name_span)
        for argument in facts.arguments if body is not None else ():
            accesses = [a for a in facts.accesses if a.pointer == argument.name]
            plain = not argument.is_pointer or _is_scalar(_pointee(argument))
            if body is not None and not plain and any(_of_field(assessment, a) for a in accesses):
                yield Candidate(
                    Title("aos_to_soa", (argument.name,)),
                    (argument.span, *(a.span for a in accesses)),
                    partial(_offer, assessment, kernel, argument, body),
                )


def _of_field(assessment: Assessment, access: Access) -> bool:
    """Whether an access is of a part of an element: elements that are used as a whole lie together as they are."""
    whole = node_at(assessment.source, access.span)
    return whole is not None and (access.call_chain != () or whole.node.type == "field_expression")


def _offer(assessment: Assessment, kernel: KernelAssessment, argument: Argument, body: Node) -> Offer:
    facts, text = kernel.facts, assessment.source.original
    accesses = [a for a in facts.accesses if a.pointer == argument.name]
    uses = _uses(assessment, accesses, argument, body)
    parameter = parameter_of(text, argument)
    if parameter is None:
        raise NotOfferedError("macro_in_declaration")
    types = {use.field: _type(argument, use) for use in uses}
    names = {field: free_name(text, f"{argument.name}_{field}") for field in types}
    ordered = [field for _, field in sorted({(_place(argument, u), u.field) for u in uses})]
    pointers = [parameter.written(types[field], names[field]) for field in ordered]
    edits = [TextEdit(parameter.start, parameter.end, f",{parameter.below(text)}".join(pointers))]
    for use in uses:
        edits += [TextEdit(use.array.start, use.array.end, names[use.field]), TextEdit(use.element_end, use.end, "")]
    stored = {use.field for use in uses if use.access.op != "load"}
    # A place may be loaded and stored: a use keeps one of the accesses there.
    stored |= {u.field for u in uses for a in accesses if a.span == u.access.span and a.op != "load"}
    of_host = {field: _host_field(argument, field) for field in types}
    return Offer(
        title=Title("aos_to_soa_one" if len(ordered) == 1 else "aos_to_soa_several", (argument.name, tuple(ordered))),
        kind="host",
        kernel=facts.name,
        edits=tuple(edits),
        spans=(argument.span, *(a.span for a in accesses)),
        codes=AosToSoa.codes,
        host=moved_by_host(
            facts.name,
            [n for a in facts.arguments for n in ([names[f] for f in ordered] if a is argument else [a.name])],
            [f"{names[f]}[i] = {argument.name}[i].{of_host[f]};" for f in ordered],
            [f"{argument.name}[i].{of_host[f]} = {names[f]}[i];" for f in ordered if f in stored],
        ),
        subjects=(argument.name,),
        host_side=HostSide(moved=tuple(Moved(argument.name, names[f], f) for f in ordered)),
    )


_VECTOR = re.compile(r"(?P<scalar>u?(?:char|short|int|long)|float|double|half)(?P<lanes>2|3|4|8|16)?")
_LANES = "xyzw"


def _pointee(argument: Argument) -> str:
    return argument.type.removesuffix("*").strip()


def _is_scalar(type_: str) -> bool:
    match = _VECTOR.fullmatch(plain_type(type_))
    return match is not None and match["lanes"] is None


def _lane(field: str) -> int | None:
    """Which element of a vector a field is; None for several of them."""
    if len(field) == 1 and field in _LANES:
        return _LANES.index(field)
    match = re.fullmatch(r"[sS]([0-9a-fA-F])", field)
    return int(match[1], 16) if match is not None else None


def _type(argument: Argument, use: _Use) -> str:
    """The type of a field's own array: that of an element where the field is one of a vector."""
    vector = _VECTOR.fullmatch(_pointee(argument))
    if vector is None:
        return use.access.type
    if _lane(use.field) is None:
        raise NotOfferedError("several_elements", use.field)
    return vector["scalar"]


def _host_field(argument: Argument, field: str) -> str:
    """How the host's C names a field: elements of its vectors are numbered."""
    return f"s[{_lane(field)}]" if _VECTOR.fullmatch(_pointee(argument)) else field


@fixed
class _Use:
    """``array[index].field``; `element_end` is where the field's dot is."""

    access: Access
    array: SourceNode
    field: str
    element_end: int
    end: int


def _uses(assessment: Assessment, accesses: list[Access], argument: Argument, body: Node) -> list[_Use]:
    """Every use of a pointer, each of one field."""
    found: dict[int, _Use] = {}
    for access in accesses:
        whole = node_at(assessment.source, access.span)
        element, field = (whole.child(n) if whole is not None else None for n in ("argument", "field"))
        array = element.child("argument") if element is not None else None
        if whole is None or element is None or field is None or array is None or access.call_chain:
            raise NotOfferedError("not_one_field")
        if element.node.type != "subscript_expression" or array.text != argument.name or named(access.type) is None:
            raise NotOfferedError("not_one_field")
        found[access.span.start] = _Use(access, array, field.text, element.end, whole.end)
    used = sum(1 for n in every(body) if n.type == "identifier" and n.text == argument.name.encode())
    if used != len(found):
        raise NotOfferedError("not_one_field")
    return list(found.values())


def _place(argument: Argument, use: _Use) -> int:
    """Where a field lies in its structure, as far as the index shows."""
    offset = use.access.offset
    return offset.offset % max(argument.element_bytes, 1) if offset is not None else 0
