"""Arrays that are used side by side become one array of structures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import groupby

from burstline_model.facts import Access, Argument, KernelFacts, Span
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide, Moved
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.pointer_parameters import Parameter, moved_by_host, parameter_of
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    line_end,
)
from burstline_server.rewrites.small_tables import places_of
from burstline_server.rewrites.syntax import SourceNode, above_function, free_name, kernel_body
from burstline_server.source.source import Source


class SoaToAos(Rewrite):
    """Pointers that are always used at the same index become one pointer to structures: one request for all of them.

    Offered for pointers with the same qualifiers that the kernel only loads, or only stores, as ``p[index]`` at equal
    indexes. Needs the host to lay the arrays out element by element in one buffer.
    """

    name = "SoA to AoS"
    codes = ("BL105", "BL106", "BL102", "BL101")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each group of such pointers."""
        facts, text = kernel.facts, assessment.source.original
        body = kernel_body(assessment.source, facts.name_span)
        groups: dict[object, list[_Member]] = {}
        for argument in facts.arguments if body is not None else ():
            accesses = [a for a in facts.accesses if a.pointer == argument.name]
            parameter = parameter_of(text, argument)
            if parameter is None or body is None or not accesses or named(accesses[0].type) is None:
                continue
            key = _key(argument, accesses)
            places = places_of(assessment, accesses, argument.name, body)
            if key is not None and places is not None:
                groups.setdefault((key, parameter.before, parameter.after), []).append((argument, parameter, places))
        for members in groups.values():
            names = [argument.name for argument, _, _ in members]
            if len(members) > 1:
                spans = (*(a.span for a, _, _ in members), *(a.span for a in facts.accesses if a.pointer in names))
                yield Candidate(
                    Title("soa_to_aos", (tuple(names),)),
                    spans,
                    partial(_offer, assessment, kernel, members, spans),
                )


_Member = tuple[Argument, Parameter, tuple[SourceNode, ...]]


def _offer(assessment: Assessment, kernel: KernelAssessment, members: list[_Member], spans: tuple[Span, ...]) -> Offer:
    text, names = assessment.source.original, [argument.name for argument, _, _ in members]
    require_exact(assessment.source, kernel.facts, (a for a in kernel.facts.accesses if a.pointer in names))
    return Offer(
        title=Title("soa_to_aos_host", (tuple(names),)),
        kind="host",
        kernel=kernel.facts.name,
        edits=_edits(assessment.source, kernel.facts, members),
        spans=spans,
        codes=SoaToAos.codes,
        host=_host(kernel.facts, names, free_name(text, "records")),
        subjects=tuple(names),
        host_side=HostSide(moved=tuple(Moved(name, free_name(text, "records"), to_field=name) for name in names)),
    )


def _host(facts: KernelFacts, names: list[str], records: str) -> str:
    """What the host moves: all elements there, as the kernel may leave some of them as they were."""
    stored = any(a.op == "store" for a in facts.accesses if a.pointer in names)
    return moved_by_host(
        facts.name,
        [records if a.name == names[0] else a.name for a in facts.arguments if a.name not in names[1:]],
        [f"{records}[i].{name} = {name}[i];" for name in names],
        [f"{name}[i] = {records}[i].{name};" for name in names] if stored else [],
    )


def _key(argument: Argument, accesses: list[Access]) -> object:
    """What must be equal of pointers in one structure: how and where they are used, in elements; None if not known."""
    size = argument.element_bytes
    where = set()
    for access in accesses:
        plain = access.element_bytes == size and access.op != "atomic" and not access.call_chain
        if access.offset is None or not plain or any(c % size for _, c in access.offset.terms):
            return None
        index = tuple((m, c // size) for m, c in access.offset.terms)
        where.add((access.op, index, access.loops, tuple(g.text for g in access.guards)))
    return frozenset(where) if len({op for op, *_ in where}) == 1 else None


def _edits(source: Source, facts: KernelFacts, members: list[_Member]) -> tuple[TextEdit, ...]:
    text = source.original
    record, records = free_name(text, "record"), free_name(text, "records")
    first = members[0][1]
    arguments = list(facts.arguments)
    edits = [
        _declared(source, facts, members, record),
        TextEdit(first.start, first.end, first.written(record, records)),
    ]
    for argument, parameter, _ in members[1:]:
        before = arguments[arguments.index(argument) - 1].span
        between = text[before.end : parameter.start]
        if before.file is not None or re.fullmatch(rb"\s*,\s*", between) is None:
            raise NotOfferedError("comment_between")
        edits.append(TextEdit(before.end, parameter.end, ""))
    for argument, _, places in members:
        for place in places:
            array = place.child("argument")
            if array is not None:
                edits.append(TextEdit(array.start, array.end, records))
                edits.append(TextEdit(place.end, place.end, f".{argument.name}"))
    return tuple(edits)


def _declared(source: Source, facts: KernelFacts, members: list[_Member], record: str) -> TextEdit:
    """The structure, above the kernel with its attributes; larger members first, so that no gaps are between them."""
    end = line_end(source.original)
    ordered = sorted(members, key=lambda m: -m[0].element_bytes)
    lines = ["typedef struct {"]
    for type_, same in groupby(ordered, key=lambda m: m[1].type):
        lines.append(f"    {type_} {', '.join(argument.name for argument, _, _ in same)};")
    lines += [f"}} {record};", ""]
    at = above_function(source, facts.name_span)
    return TextEdit(at, at, "".join(f"{line}{end}" for line in lines))
