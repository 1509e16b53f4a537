"""Trees over a work-group in local memory, from round to round of which half as many work-items take part."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf
from burstline_model.estimate.changes import CombineFirst
from burstline_model.estimate.kernel_estimate import Lever, Term, UnitEstimate
from burstline_model.facts import Access, Guard, KernelFacts, Loop
from burstline_model.polynomial import Polynomial

ELEMENTS = 16
"""So many elements of each work-item are combined before the tree, as a rule."""


def combined_first(what_if: WhatIf, units: Sequence[UnitEstimate], cause: Term) -> list[Lever]:
    """Several elements a work-item before a tree that limits a kernel: as much less often do all of them go through it.

    All work-items go round in the loop, those without work too. `ELEMENTS` are combined in as many cycles as requests
    of whole memory words bring them; the memory moves what it moves now.
    """
    facts, place = what_if.assembly.facts, cause.loop
    tree = facts.loops[place] if place is not None else None
    trips = what_if.assembly.extent.trips[tree.id] if tree is not None else None
    if tree is None or trips is None or trips <= 1:
        return []
    source = _source(facts, tree)
    if source is None:
        return []
    word = what_if.assembly.board.memory.word_bytes
    rounds = float(trips)
    loads = ELEMENTS / max(1.0, min(ELEMENTS, word / max(source.element_bytes, 1)))
    memory_s = sum(unit.time_s or 0.0 for unit in units)
    left_s = cause.time_s * (loads + rounds) / (ELEMENTS * rounds)
    after_s = max(what_if.total_s - cause.time_s + left_s, memory_s)
    if after_s > (1 - WORTH_REPORTING) * what_if.total_s:
        return []
    return [Lever(change=CombineFirst(pointer=source.pointer, elements=ELEMENTS), after_s=after_s)]


def _source(facts: KernelFacts, tree: Loop) -> Access | None:
    """What is loaded for a tree, if a loop is one: work-items drop out of it, and all have filled its array before."""
    inside = facts.accesses_in(tree)
    stores = [a for a in inside if a.op == "store"]
    if not stores or any(a.space != "local" for a in inside):
        return None
    if not all(any(_drops_out(facts, tree, guard) for guard in a.guards) for a in stores):
        return None
    filled = {a.pointer for a in facts.accesses if a.op == "store" and a.space == "local" and not a.loops}
    loads = [a for a in facts.accesses if a.op == "load" and a.space == "global" and not a.loops]
    return loads[0] if loads and {a.pointer for a in stores} <= filled else None


def _drops_out(facts: KernelFacts, tree: Loop, guard: Guard) -> bool:
    """Whether ever fewer work-items of a group pass, where the loop moves i.

    ``lid < i``, ``2 * i * lid < size`` and ``lid % (2 * i) == 0`` are such conditions.
    """
    condition = guard.condition
    asked = facts.symbols.get(next(iter(condition.symbols), "")) if condition is not None else None
    if guard.loaded or asked is None or condition != Polynomial.symbol(asked.name):
        return False
    if asked.operation == "less":
        place, bound = asked.operands
        if _is_place(facts, place):
            return _moves(facts, tree, bound)
        return _is_place_times_step(facts, tree, place) and _is_same_for_all(facts, tree, bound)
    if asked.operation != "equal":
        return False
    left = facts.symbols.get(next(iter(asked.operands[0].symbols), ""))
    rest = left is not None and left.operation == "remainder" and asked.operands[0] == Polynomial.symbol(left.name)
    return left is not None and rest and _is_place(facts, left.operands[0]) and _moves(facts, tree, left.operands[1])


def _is_place(facts: KernelFacts, number: Polynomial) -> bool:
    """Whether a number is a work-item's place in its group."""
    names = list(number.symbols)
    return len(names) == 1 and names[0] in facts.symbols and facts.symbols[names[0]].kind == "local_id"


def _is_place_times_step(facts: KernelFacts, tree: Loop, number: Polynomial) -> bool:
    """Whether a number is a work-item's place in its group times what the loop moves."""
    ids = [name for name in number.symbols if name in facts.symbols and facts.symbols[name].kind == "local_id"]
    step = number.coefficient(ids[0]) if len(ids) == 1 else None
    return step is not None and number == step * Polynomial.symbol(ids[0]) and _moves(facts, tree, step)


def _moves(facts: KernelFacts, tree: Loop, number: Polynomial) -> bool:
    """Whether a loop moves a number, which is the same for all work-items of a group."""
    behind = _behind(facts, number)
    return tree.counter in behind and not _ids(facts, behind)


def _is_same_for_all(facts: KernelFacts, tree: Loop, number: Polynomial) -> bool:
    """Whether a number is the same for all work-items, and in all iterations of a loop."""
    behind = _behind(facts, number)
    return tree.counter not in behind and not _ids(facts, behind)


def _behind(facts: KernelFacts, number: Polynomial) -> set[str]:
    known = [facts.symbols[name] for name in number.symbols if name in facts.symbols]
    return {*number.symbols, *(on for symbol in known for on in symbol.depends_on)}


def _ids(facts: KernelFacts, names: set[str]) -> set[str]:
    return {name for name in names if name in facts.symbols and facts.symbols[name].kind in {"local_id", "global_id"}}
