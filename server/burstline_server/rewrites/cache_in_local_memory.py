"""Keep a table that is read again and again on the chip."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from tree_sitter import Node

from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.exact_places import require_exact
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.small_tables import Table, tables
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, alone, free_name, loop_at
from burstline_server.source.source import Source

MIN_GROUP = 2
"""Least work-items that share a copy."""


class CacheInLocalMemory(Rewrite):
    """A copy on the chip of a small table, loaded once, in place of loads from memory again and again.

    A single work-item kernel gets a private array. In an NDRange kernel with ``reqd_work_group_size``, the work-items
    of a group fill a local array at the kernel's start, with a barrier that all of them reach; what each reads around
    its own place becomes a tile with its halo. Offered where elements are read several times, nothing stores to the
    buffer, the kernel uses it in no other way, and every index is bounded by constants, up to 16 kB in all. No result
    changes where the last element is certainly read; elsewhere (an index that comes from memory, a condition) the user
    asserts that the buffer has that many.
    """

    name = "cache in local memory"
    codes = ("BL102", "BL105", "BL106", "BL101")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each table."""
        for table in tables(assessment, kernel):
            yield Candidate(
                Title("cache_on_chip", (table.argument.name,)),
                (table.argument.span, *(a.span for a in table.accesses)),
                partial(_offer, assessment, kernel, table),
            )


def _offer(assessment: Assessment, kernel: KernelAssessment, table: Table) -> Offer:
    facts, name = kernel.facts, table.argument.name
    if facts.model == "autorun":
        raise NotOfferedError("autorun")
    require_exact(assessment.source, facts, table.accesses)
    single = facts.model == "single_work_item"
    edits = (_single if single else _group)(assessment, table, kernel)
    asserts = () if table.certain else (_length(table, kernel),)
    return Offer(
        title=Title("cache_in_private_memory" if single else "cache_in_local_memory", (name, table.kilobits), asserts),
        kind="proved" if table.certain else "assertion",
        kernel=facts.name,
        edits=edits,
        spans=(table.argument.span, *(a.span for a in table.accesses)),
        codes=CacheInLocalMemory.codes,
        host_side=None if table.certain else HostSide(holds=_held(asserts)),
    )


def _held(asserts: Iterable[Assertion]) -> tuple[tuple[str, int, bool], ...]:
    """How many elements each buffer has by what is asserted, and whether for each work-item more."""
    found = []
    for one in asserts:
        name, *count = one.names
        found.append((str(name), int(str(count[0])) if count else 0, one.kind != "holds"))
    return tuple(found)


def _length(table: Table, kernel: KernelAssessment) -> Assertion:
    """How many elements the copy reads from the buffer, in all work-groups."""
    name = table.argument.name
    if not table.tile:
        return Assertion("holds", (name, table.length))
    more = table.first + table.length - (kernel.facts.work_group_size or (0,))[0]
    return Assertion("holds_more", (name, more)) if more > 0 else Assertion("holds_one_each", (name,))


def _single(assessment: Assessment, table: Table, kernel: KernelAssessment) -> tuple[TextEdit, ...]:
    """The edits for one work-item: a private array, filled before the first statement that reads the table."""
    text, source = assessment.source.original, assessment.source
    first = _statement(source, table, min(table.places, key=lambda p: p.start))
    place = in_front_of(text, first) if first is not None else None
    if first is None or place is None:
        raise NotOfferedError("no_line_before_use")
    line, indent = above_pragmas(source, place[0]), place[1]
    condition = ""
    if table.certain and table.loop is not None:
        loop = kernel.facts.loops[table.loop]
        head = loop_at(source, loop.span)
        if head is None or (head.start != first and not (loop.trip and loop.trip.constant)):
            raise NotOfferedError("not_first_reader")
        if loop.trip is None or not loop.trip.constant:
            count = counts_up(Effects(source), head)
            condition = count.runs(count.value)
    end = line_end(text)
    copy, k = free_name(text, f"{table.argument.name}_copy"), free_name(text, "k")
    lines = [f"{table.type} {copy}[{table.length}];"]
    lines += [f"if ({condition})"] if condition else []
    step = "    " if condition else ""
    lines += [f"{step}for (int {k} = 0; {k} < {table.length}; {k}++)"]
    lines += [f"{step}    {copy}[{k}] = {table.argument.name}[{k}];"]
    inserted = "".join(f"{indent}{one}{end}" for one in lines)
    return (TextEdit(line, line, inserted), *_renamed(table, copy, ""))


def _group(assessment: Assessment, table: Table, kernel: KernelAssessment) -> tuple[TextEdit, ...]:
    """The edits for a work-group of one dimension: a local array, filled at the kernel's start."""
    text, group = assessment.source.original, kernel.facts.work_group_size
    first = next((c for c in table.body.named_children if c.type != "comment"), None)
    start = _start(assessment.source, first) if first is not None else None
    place = in_front_of(text, start) if start is not None else None
    if group is None or group[1:] != (1, 1) or group[0] < MIN_GROUP:
        raise NotOfferedError("no_fixed_group")
    if place is None:
        raise NotOfferedError("no_line_at_start")
    if table.first < 0 and not table.starts:
        raise NotOfferedError("negative_index")
    line, indent = above_pragmas(assessment.source, place[0]), place[1]
    end = line_end(text)
    name = table.argument.name
    copy, k = free_name(text, f"{name}_copy"), free_name(text, "k")
    lines, base = [f"__local {table.type} {copy}[{table.length}];"], ""
    if table.length > group[0]:
        head, at = f"for (int {k} = get_local_id(0); {k} < {table.length}; {k} += {group[0]})", k
    else:
        head, at = f"if (get_local_id(0) < {table.length})", "get_local_id(0)"
    source = at
    if table.tile:
        base = free_name(text, f"{name}_first")
        shift = f" {'-' if table.first < 0 else '+'} {abs(table.first)}" if table.first else ""
        lines.append(f"const int {base} = get_global_id(0) - get_local_id(0){shift};")
        source = f"{base} + {at}"
    lines += [head, f"    {copy}[{at}] = {name}[{source}];", "barrier(CLK_LOCAL_MEM_FENCE);"]
    inserted = "".join(f"{indent}{one}{end}" for one in lines)
    return (TextEdit(line, line, inserted), *_renamed(table, copy, base))


def _renamed(table: Table, copy: str, base: str) -> list[TextEdit]:
    """Every place of the table as one of the copy, whose first element is `base`."""
    edits = []
    for place in table.places:
        array, index = place.child("argument"), place.child("index")
        if array is None or index is None:
            continue
        edits.append(TextEdit(array.start, array.end, copy))
        if base:
            plain = re.fullmatch(r"[\w\s+*]+", index.text) is not None
            edits.append(TextEdit(index.start, index.end, f"{index.text if plain else alone(index.text)} - {base}"))
    return edits


def _statement(source: Source, table: Table, place: SourceNode) -> int | None:
    """Where the statement of the kernel's own body begins that a place is in."""
    node = place.node
    while node.parent is not None and node.parent.start_byte != table.body.start_byte:
        node = node.parent
    inside = node.parent is not None and node.parent.type == "compound_statement"
    return _start(source, node) if inside else None


def _start(source: Source, node: Node) -> int | None:
    """Where the user wrote the first byte of a node; None for one that a macro or an include begins."""
    origin = source.origin(node.start_byte, node.start_byte + 1)
    return origin.start if origin.macro is None and origin.file is None else None
