"""Where LLVM leaves as many accesses as are read here, and where not: a difference is said, and nothing switched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from burstline_model.compiler.infer import served_accesses
from burstline_model.facts import Access, KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.record import fixed
from burstline_model.target import Target
from burstline_server.llvm.llvm_text import user_line
from burstline_server.llvm.optimised_facts import LlvmKernel
from burstline_server.source.source import Source

Place = tuple[str | None, int, str, str]
"""The file (None: the user's own), the line counted from 1, the operation and the pointer."""


@fixed
class Agreement:
    """A kernel's places with global accesses, and those of them where the numbers differ: (place, here, in LLVM)."""

    kernel: str
    places: int
    differences: tuple[tuple[Place, int, int], ...]


def agreement(
    facts: KernelFacts, units: Sequence[Lsu], target: Target, theirs: LlvmKernel, source: Source
) -> Agreement:
    """How far two readings of a kernel agree on the accesses of each line.

    Where LLVM keeps accesses that the vendor's compiler lets others serve, that is no difference. LLVM's accesses that
    were made of several lines, or of several buffers, count for no line.
    """
    served = served_accesses(facts, target)
    own = Counter(_place(a, source) for a in accesses_left(facts, units, served))
    others = Counter[Place]()
    moved = Counter[tuple[str, str]]()
    for access in theirs.accesses:
        if access.place >= 0 and access.pointer:
            others[*user_line(source, access.place), access.op, access.pointer] += 1
        else:
            moved[access.op, access.pointer] += 1
    kept = {_place(facts.accesses[n], source) for n in served}
    differences = []
    for place in sorted({*own, *others}, key=str):
        here, there = own[place], others[place]
        missing = here - there
        if missing > 0 and (found := min(missing, moved[place[2:]] + moved[place[2], ""])):
            moved[place[2:]] -= found
            there += found
        if here != there and not (here < there and place in kept):
            differences.append((place, here, there))
    return Agreement(facts.name, len({*own, *others}), tuple(differences))


def accesses_left(facts: KernelFacts, units: Sequence[Lsu], served: Collection[int]) -> list[Access]:
    """The loads and stores of global memory that ask it, those of equal addresses in one unit once."""
    found: list[Access] = []
    for unit in units:
        groups: dict[object, Access] = {}
        for member in unit.members if unit.space == "global" else ():
            access = facts.accesses[member]
            if member in served or access.hint == "printf" or access.op == "atomic" or _is_copied(facts, access):
                continue
            key = (access.offset, access.loops, access.element_bytes) if access.offset is not None else member
            groups.setdefault(key, access)
        found += groups.values()
    return found


def _is_copied(facts: KernelFacts, access: Access) -> bool:
    return any(facts.loops[i].kind == "copy" for i in access.loops)


def _place(access: Access, source: Source) -> Place:
    span = access.assigned_at or access.expanded_at or access.span
    return span.file, source.lines_of(span.file).line_of(span.start) + 1, access.op, access.pointer
