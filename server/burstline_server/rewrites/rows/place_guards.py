"""Conditions on loads that ask for the loads' places alone."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.facts import Access, Guard, KernelFacts, Loop
from burstline_model.polynomial import Polynomial
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, node_at
from burstline_server.source.source import Source

MAX_DEPTH = 8
"""Deepest nesting of a condition that is looked through."""


def guard_nodes(
    source: Source, facts: KernelFacts, loop: Loop, loads: Sequence[Access]
) -> list[tuple[SourceNode, bool]]:
    """The conditions in a loop under which it makes loads of one row, each with whether it must not hold.

    Each holds for a place or it does not, whichever iterations of the loop and of those in it reach that place. Raises
    `NotOfferedError` for others, and where they are not those of all the loads.
    """
    own = [[guard for guard in load.guards if _is_inside(guard, loop)] for load in loads]
    if not any(own):
        return []
    if len(loads) > 1:
        raise NotOfferedError("conditional_load", loads[0].place)
    found = []
    for guard in own[0]:
        node = node_at(source, guard.span)
        negated = node is not None and guard.text == f"!({node.text.strip('()')})"
        if node is None or guard.loaded or guard.calls or not (negated or guard.text == node.text.strip("()")):
            raise NotOfferedError("conditional_load", loads[0].place)
        if guard.condition is None or not _asks_for_place(facts, loop, loads[0], guard.condition, 0):
            raise NotOfferedError("conditional_load", loads[0].place)
        found.append((node, negated))
    return found


def _is_inside(guard: Guard, loop: Loop) -> bool:
    return guard.span.file != loop.span.file or guard.span.start >= loop.span.start


def _asks_for_place(facts: KernelFacts, loop: Loop, load: Access, condition: Polynomial, depth: int) -> bool:
    """Whether a condition has one value for each place, for all iterations of a loop and of those in it."""
    counters = [facts.loops[i].counter for i in load.loops[load.loops.index(loop.id) :]]
    for name in condition.symbols:
        symbol = facts.symbols.get(name)
        if symbol is None or name in counters:
            return False
        if symbol.kind == "argument" or (symbol.kind == "loop" and symbol.loop in load.loops):
            continue
        if symbol.operation is None or depth > MAX_DEPTH:
            return False
        if symbol.operation in {"less", "equal"}:
            left, right = symbol.operands
            if not _moves_alike(facts, load, left - right, counters):
                return False
        elif not all(_asks_for_place(facts, loop, load, one, depth + 1) for one in symbol.operands):
            return False
    return True


def _moves_alike(facts: KernelFacts, load: Access, difference: Polynomial, counters: Sequence[str]) -> bool:
    """Whether a difference moves with loops as a load does: so many times its elements, for each of the loops."""
    fixed = [facts.symbols.get(name) for name in difference.symbols]
    if load.offset is None or any(s is None or s.kind not in {"loop", "argument"} for s in fixed):
        return False
    steps = [(load.offset.coefficient(name), difference.coefficient(name)) for name in counters]
    if any(own is None or other is None or other.constant is None for own, other in steps):
        return False
    pairs = [(own.constant, other.constant) for own, other in steps if own is not None and other is not None]
    if any(own is None or other is None for own, other in pairs):
        return False
    first = pairs[0]
    return all((own or 0) * (first[1] or 0) == (other or 0) * (first[0] or 0) for own, other in pairs)
