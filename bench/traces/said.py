"""What the model says of each global access of a kernel: executions, bytes and steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod

from burstline_model.compiler.forward import served_by_others
from burstline_model.compiler.lsu_rules.rulebook import RULEBOOK
from burstline_model.compiler.rule_names import CHOSEN_STORE
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.lsu import Lsu
from burstline_model.parallelism.extent import Extent
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.target import Target
from burstline_model.walk.walk import Walk, Walks
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.source.source import Source


@dataclass(frozen=True)
class Said:
    """One access that is built. `executions` are those of the launch, None where not known.

    `data`: what memory holds decides how often it runs; then `executions` is a guess. `kind` and `step_bytes` are those
    of the address from one execution to the next, without copies of loops and of work-items.
    """

    line: int
    file: str | None
    op: str
    pointer: str
    element_bytes: int
    executions: float | None
    data: bool
    kind: str
    step_bytes: float
    range: bool = False
    """Whether a range is said: conditions are not counted."""
    placed_by_data: bool = False
    """Whether what memory holds decides where it lies."""
    exchanged: bool = False
    """Whether its pointer is one that iterations of a loop hand on to another one."""


def said_of(kernel: KernelAssessment, source: Source, target: Target) -> list[Said]:
    """The accesses of global memory that units are built for, those of equal addresses once."""
    facts = kernel.facts
    extent = Extent(facts, kernel.launch, effective_unroll(facts))
    walks = Walks(extent, kernel.board.memory.word_bytes)
    rolled = Walks(Extent(facts.model_copy(update={"simd": 1}), kernel.launch, {}), kernel.board.memory.word_bytes)
    served = served_by_others(facts, chosen=CHOSEN_STORE in RULEBOOK.switched_on(target))
    return [
        _one(facts, (walks, rolled), extent, unit, members, source)
        for unit in kernel.lsus
        if unit.space == "global"
        for members in _alike(facts, unit, served)
    ]


def _alike(facts: KernelFacts, unit: Lsu, served: Collection[int]) -> list[tuple[int, ...]]:
    """The members of a unit that ask the memory, those of equal addresses in the same loops together."""
    groups: dict[object, list[int]] = {}
    for member in unit.members:
        access = facts.accesses[member]
        if member in served:
            continue
        key = (access.offset, access.loops, access.element_bytes) if access.offset is not None else member
        groups.setdefault(key, []).append(member)
    return [tuple(g) for g in groups.values()]


def _one(
    facts: KernelFacts, walks: tuple[Walks, Walks], extent: Extent, unit: Lsu, members: Sequence[int], source: Source
) -> Said:  # fmt: skip
    access = facts.accesses[members[0]]
    alone = replace(unit, members=tuple(members), useful_bytes=access.element_bytes, count=1)
    walk, one_by_one = (w.of(alone) for w in walks)
    file, line = _place(access, source)
    return Said(
        line, file, access.op, access.pointer, access.element_bytes, _executions(facts, extent, access, walk),
        _by_data(facts, access, walk), one_by_one.kind, one_by_one.step_bytes,
        walk.low_bytes != walk.high_bytes,
        access.offset is not None and _holds_data(facts, access.offset.symbols),
        access.offset is not None and _is_exchanged(facts, access.offset.symbols),
    )  # fmt: skip


def _is_exchanged(facts: KernelFacts, symbols: Collection[str]) -> bool:
    """Whether a pointer is among the symbols of an address, which iterations of a loop change."""
    pointers = {a.name for a in facts.arguments if a.is_pointer}
    return any(s.partition("#")[0] in pointers and facts.symbols[s].kind == "carried" for s in symbols)


def _executions(facts: KernelFacts, extent: Extent, access: Access, walk: Walk) -> float | None:
    if walk.requests is None:
        return None
    copies = prod(float(extent.copies.get(i, 1)) for i in access.loops)
    return walk.requests * copies * (facts.simd if facts.model == "ndrange" else 1)


def _by_data(facts: KernelFacts, access: Access, walk: Walk) -> bool:
    """Whether what memory holds decides how often an access runs."""
    # What iterations hand on is no data: integers that the launch gives may decide all of it.
    read = {g.text for a in facts.accesses for g in a.guards if g.loaded or g.condition is None}
    if walk.data in read or any(g.loaded for g in access.guards):
        return True
    loops = [facts.loops[i] for i in access.loops]
    return any(one.early_exit or any(g.loaded for g in one.guards) or _counted_by_data(facts, one) for one in loops)


def _counted_by_data(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a loop runs as often as memory says; where nothing counts it, what its condition names decides."""
    if loop.trip is not None:
        return _holds_data(facts, loop.trip.symbols)
    if loop.trip_why is None or loop.trip_why.kind == "read_from_memory":
        return loop.trip_why is not None
    words = {word for name in loop.trip_why.names for word in re.findall(r"[A-Za-z_]\w*", name)}
    return _holds_data(facts, {s for s in facts.symbols if s.partition("#")[0] in words})


def _holds_data(facts: KernelFacts, symbols: Collection[str]) -> bool:
    """Whether a symbol follows from what global or local memory holds."""
    local = {a.pointer for a in facts.accesses if a.space == "local"}
    every = {*symbols, *(behind for s in symbols if s in facts.symbols for behind in facts.symbols[s].depends_on)}
    every |= {o for s in every if s in facts.symbols for n in facts.symbols[s].operands for o in n.symbols}
    return any(
        facts.symbols[s].kind == "loaded" or re.split(r"[\[#]", s.lstrip("*"))[0] in local
        for s in every
        if s in facts.symbols
    )


def _place(access: Access, source: Source) -> tuple[str | None, int]:
    span = access.reported_at or access.span
    return span.file, source.lines_of(span.file).line_of(span.start) + 1
