"""Variants of a kernel as text: the edits that make a chosen SIMD, number of compute units, unrolling or macro."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from burstline_model.facts import KernelFacts
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.pragma_line import pragma_line
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, in_front_of, line_end
from burstline_server.source.source import Source
from burstline_server.words.exploring import NotMade, not_made_text

_KERNEL = re.compile(rb"\b(?:__kernel|kernel)\b")
_ATTRIBUTE = rb"__attribute__?(?:__)?\s*\(\(\s*%s\s*\([^)]*\)\s*\)\)"
_UNROLL = re.compile(rb"#[ \t]*pragma[ \t]+unroll\b[^\r\n]*")


class NoSuchEditError(Exception):
    """A variant cannot be made by editing this text; the message says why."""

    def __init__(self, why: NotMade, *names: object) -> None:
        super().__init__(not_made_text(why, *names))


@dataclass(frozen=True)
class Choice:
    """One variant: what differs from the source. Loops are named by their ids; 0 unrolls fully, 1 does not unroll."""

    simd: int | None = None
    compute_units: int | None = None
    unroll: Mapping[int, int] = field(default_factory=dict)
    local_size: Sequence[int] | None = None
    defines: Mapping[str, str] = field(default_factory=dict)


def edits_for(assessment: Assessment, kernel: KernelAssessment, choice: Choice) -> tuple[TextEdit, ...]:
    """The edits of the file that make a choice; raises `NoSuchEditError`."""
    text, facts = assessment.source.original, kernel.facts
    if facts.span.file is not None:
        raise NoSuchEditError("elsewhere", facts.name, facts.span.file)
    found = [*_attributes(text, facts, choice), *_pragmas(assessment.source, facts, choice.unroll)]
    found += [edit for name, value in choice.defines.items() for edit in _define(text, name, value)]
    return tuple(found)


def _attributes(text: bytes, facts: KernelFacts, choice: Choice) -> Iterator[TextEdit]:
    attributes: dict[str, str] = {}
    if choice.simd is not None and choice.simd != facts.simd:
        attributes["num_simd_work_items"] = str(choice.simd)
    if choice.compute_units is not None and choice.compute_units != facts.compute_units:
        attributes["num_compute_units"] = str(choice.compute_units)
    needs_size = (choice.simd or 1) > 1 and facts.work_group_size is None
    if choice.local_size is not None or needs_size:
        if choice.local_size is None:
            raise NoSuchEditError("no_fixed_group")
        sizes = (*choice.local_size, 1, 1)[:3]
        if sizes != facts.work_group_size:
            attributes["reqd_work_group_size"] = ", ".join(str(n) for n in sizes)
    if not attributes:
        return
    words = list(_KERNEL.finditer(text, 0, facts.name_span.start))
    start = words[-1].start() if words else facts.span.start
    head_start = max(text.rfind(b";", 0, start), text.rfind(b"}", 0, start)) + 1
    place = in_front_of(text, start)
    for name, value in sorted(attributes.items()):
        written = re.compile(_ATTRIBUTE % name.encode()).search(text, head_start, facts.name_span.start)
        attribute = f"__attribute__(({name}({value})))"
        if written is not None:
            yield TextEdit(written.start(), written.end(), attribute)
        elif place is None:
            raise NoSuchEditError("no_line", facts.name)
        else:
            at, indent = place
            yield TextEdit(at, at, f"{indent}{attribute}{line_end(text)}")


def _pragmas(source: Source, facts: KernelFacts, unroll: Mapping[int, int]) -> Iterator[TextEdit]:
    text = source.original
    for number, factor in unroll.items():
        loop = facts.loops[number]
        if (loop.unroll or 1) == factor and (loop.unroll is not None or factor == 1):
            continue
        pragma = "#pragma unroll" if factor == 0 else f"#pragma unroll {factor}"
        place = in_front_of(text, loop.span.start)
        at = place[0] if place is not None else 0
        written = _UNROLL.search(text, text.rfind(b"\n", 0, max(at - 1, 0)) + 1, at)
        if loop.span.file is not None or (place is None and loop.unroll is not None):
            raise NoSuchEditError("no_line_of_loop", loop.variable or "?")
        if written is not None:
            yield TextEdit(written.start(), written.end(), pragma)
            continue
        try:
            yield pragma_line(source, loop.span, pragma)
        except NotOfferedError as error:
            raise NoSuchEditError("no_line_of_loop", loop.variable or "?") from error


def define_edits(text: bytes, name: str, value: str) -> tuple[TextEdit, ...]:
    """The edits that give a macro its value wherever the file defines it; its comments stay."""
    line = rb"^([ \t]*#[ \t]*define[ \t]+%s)\b(?!\()[ \t]*[^\r\n]*?(?=[ \t]*(?://|/\*|\r?$))"
    written = re.finditer(line % re.escape(name).encode(), text, re.MULTILINE)
    return tuple(TextEdit(one.start(), one.end(), f"{one[1].decode()} {value}") for one in written)


def _define(text: bytes, name: str, value: str) -> tuple[TextEdit, ...]:
    edits = define_edits(text, name, value)
    if not edits:
        raise NoSuchEditError("defined_outside", name, value)
    return edits
