"""What all work-items of a group have in common, and integers of the analysis written in C."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from burstline_model.facts import Guard, KernelFacts, Loop
from burstline_model.polynomial import Polynomial

_SHARED = {"argument", "global_size", "local_size", "num_groups", "group_id", "global_offset"}
_CALLS = {
    "global_id": "get_global_id", "global_size": "get_global_size", "local_size": "get_local_size",
    "num_groups": "get_num_groups", "group_id": "get_group_id", "global_offset": "get_global_offset",
}  # fmt: skip
MAX_DEPTH = 12
"""Deepest nesting of computed values that is looked through."""


def is_shared(facts: KernelFacts, value: Polynomial, loops: Collection[int], depth: int = 0) -> bool:
    """Whether a value is the same for all work-items of a group, in the same iterations of `loops`."""
    return depth < MAX_DEPTH and all(_is_shared(facts, name, loops, depth) for name in value.symbols)


def _is_shared(facts: KernelFacts, name: str, loops: Collection[int], depth: int) -> bool:
    symbol = facts.symbols.get(name)
    if symbol is None:
        return False
    if symbol.kind == "loop":
        return symbol.loop in loops
    if symbol.kind != "opaque":
        return symbol.kind in _SHARED
    if depth >= MAX_DEPTH or not (symbol.operands or symbol.depends_on):
        return False
    return all(_is_shared(facts, one, loops, depth + 1) for one in symbol.depends_on if one != name) and all(
        is_shared(facts, one, loops, depth + 1) for one in symbol.operands
    )


def runs_together(facts: KernelFacts, loop: Loop) -> bool:
    """Whether all work-items of a group that reach a loop run it, and those around it, equally often."""
    around = (*facts.loops_around(loop.id), loop.id)
    return all(
        (one := facts.loops[i]).trip is not None
        and not one.early_exit
        and one.kind != "copy"
        and is_shared(facts, one.trip, around)
        for i in around
    )


def holds_together(facts: KernelFacts, guard: Guard, loops: Collection[int]) -> bool:
    """Whether a condition holds for all work-items of a group or for none."""
    if guard.loaded or not (guard.condition is not None or guard.depends_on):
        return False
    decided = guard.condition is None or is_shared(facts, guard.condition, loops)
    return decided and all(_is_shared(facts, name, loops, 0) for name in guard.depends_on)


def factors(monomial: tuple[str, ...], facts: KernelFacts, names: Mapping[str, str]) -> list[str] | None:
    """The symbols of a monomial as they are written in C; None where one is not an argument, an id or a size."""
    found = []
    for name in monomial:
        symbol = facts.symbols.get(name)
        if name in names:
            found.append(names[name])
        elif symbol is not None and symbol.kind == "argument":
            found.append(name)
        elif symbol is not None and symbol.kind in _CALLS:
            found.append(f"{_CALLS[symbol.kind]}({symbol.dimension})")
        else:
            return None
    return found


def in_c(facts: KernelFacts, value: Polynomial, names: Mapping[str, str] | None = None) -> str | None:
    """A value as a sum of products, each computed from the left; `names` are what to write for some symbols.

    None where a symbol is neither an argument, an id nor a size.
    """
    text = ""
    for monomial, coefficient in sorted(value.terms, key=lambda term: (not term[0], len(term[0]), term[0])):
        parts = factors(monomial, facts, names or {})
        if parts is None:
            return None
        if abs(coefficient) != 1 or not parts:
            parts = [*parts, str(abs(coefficient))]
        product = " * ".join(parts)
        sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
        text += sign + product
    return text or "0"


def written_names(value: Polynomial, facts: KernelFacts) -> set[str]:
    """The variables that a value names when it is written in C."""
    symbols = (facts.symbols.get(name) for name in value.symbols)
    return {s.name.partition(".")[0] for s in symbols if s is not None and s.kind == "argument"}
