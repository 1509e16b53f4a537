"""Elements that a loop reads and writes in place: a register holds them, and the memory sees them outside of it.

In ``for (j = 0; j < n; j++) y[i] += …`` the element of `y` is the same in every iteration. Where nothing else in the
loop can reach it, LLVM loads it before the loop and stores it behind (promotion of memory to registers, loop-invariant
code motion). Builds of two authors on Cyclone V with 15.1 and 19.1 have the store behind the loop (Kur1su0/ece327,
pahanmendis/AP116-The_Green_Machine-InnovateFPGA), and a report of a third, 20.4, lists the load in front of it
(mkarpenkospb/clBool). `burstline_model.pipeline.kept_in_registers` says of which of them no iteration waits for the
memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.parallelism.extent import Extent


def outside_loops(extent: Extent) -> Extent:
    """The same launch, with the accesses to such elements outside the loops that keep them."""
    facts = extent.facts
    if not any(a.op == "store" and a.loops and a.space == "global" for a in facts.accesses):
        return extent
    known: dict[str, KernelFacts] = facts.kept.setdefault(outside_loops, {})
    if "moved" not in known:
        known["moved"] = _moved(facts)
    moved = known["moved"]
    return extent if moved is facts else extent.with_copies(moved, extent.copies)


def _moved(facts: KernelFacts) -> KernelFacts:
    accesses = list(facts.accesses)
    for loop in sorted(facts.loops, key=lambda one: -len(facts.loops_around(one.id))):
        if (
            loop.kind == "copy"
            or loop.early_exit
            or loop.trip is None
            or any(loop.id in b.loops for b in facts.barriers)
        ):
            continue
        inside = [a for a in accesses if loop.id in a.loops]
        for group in _groups(facts, loop, inside):
            for a in group:
                accesses[a.id] = replace(a, loops=a.loops[:-1])
    if all(a is b for a, b in zip(accesses, facts.accesses, strict=True)):
        return facts
    return facts.model_copy(update={"accesses": tuple(accesses)})


def _groups(facts: KernelFacts, loop: Loop, inside: Sequence[Access]) -> Iterator[Sequence[Access]]:
    """The accesses of each element that a loop keeps."""
    for name in dict.fromkeys(a.pointer for a in inside if a.op == "store" and a.space == "global"):
        group = [a for a in inside if a.pointer == name]
        first = group[0]
        alike = all(_is_alike(a, first) for a in group) and {a.op for a in group} == {"load", "store"}
        others = [a for a in inside if a.pointer != name]
        if alike and _stays(facts, first, loop) and not any(may_alias(facts, first, a) for a in others):
            yield group


def _is_alike(one: Access, other: Access) -> bool:
    plain = one.op in {"load", "store"} and not one.volatile and one.hint is None and not one.lanes
    same = (one.offset, one.element_bytes, one.loops) == (other.offset, other.element_bytes, other.loops)
    return plain and same and one.guards == other.guards


def _stays(facts: KernelFacts, access: Access, loop: Loop) -> bool:
    """Whether a loop makes an access in each iteration, directly in its body, to one place."""
    if access.offset is None or access.loops[-1] != loop.id or access.call_chain:
        return False
    if any(_is_inside(guard.span.start, guard.span.file, loop) for guard in access.guards):
        return False
    own = [s for name in access.offset.symbols if (s := facts.symbols.get(name)) is not None]
    behind = [s for one in own for name in one.depends_on if (s := facts.symbols.get(name)) is not None]
    return not any(s.loop == loop.id or s.kind in {"loaded", "opaque", "carried"} for s in (*own, *behind))


def _is_inside(start: int, file: str | None, loop: Loop) -> bool:
    return file == loop.span.file and loop.span.start <= start < max(loop.body.end, loop.span.end)
