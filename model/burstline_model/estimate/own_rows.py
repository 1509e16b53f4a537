"""Buffers in which a work-item stores first, and alone loads what it stored: rows that private arrays can be."""

from __future__ import annotations

from burstline_model.facts import Access, KernelFacts

MOST_BYTES = 256
"""The longest row that is advised to be private: each work-item in flight has its own."""
_OF_ITEMS = frozenset({"global_id", "local_id", "group_id"})


def own_row(facts: KernelFacts, pointer: str) -> int | None:
    """The bytes of the row of a buffer that each work-item keeps to itself: it stores there first and loads last.

    None where rows are not known to be apart, where work-items may meet, or where the last access is no load: what
    is stored last is a result.
    """
    if facts.model != "ndrange" or facts.linear_ids:
        return None
    known: dict[str, int | None] = facts.kept.setdefault(own_row, {})
    if pointer not in known:
        known[pointer] = _own_row(facts, pointer)
    return known[pointer]


def _own_row(facts: KernelFacts, pointer: str) -> int | None:
    own = sorted((a for a in facts.accesses if a.pointer == pointer), key=lambda a: a.id)
    plain = all(a.op in {"load", "store"} and a.space == "global" and not a.volatile and not a.hint for a in own)
    if len(own) < 2 or not plain:
        return None
    first, last = own[0], own[-1]
    if first.op != "store" or last.op != "load" or first.loops == last.loops:
        return None
    shared = [loop for loop in first.loops if all(loop in a.loops for a in own)]
    counters = {facts.loops[loop].counter for loop in shared}
    rows = {_row(facts, a, counters) for a in own}
    row = rows.pop() if len(rows) == 1 else None
    if row is None or not max(a.element_bytes for a in own) < row[0] <= MOST_BYTES:
        return None
    return row[0] if all(_within(facts, a, counters, row[0]) for a in own) else None


def _row(facts: KernelFacts, access: Access, counters: set[str]) -> tuple[int, frozenset[object]] | None:
    """By how much an access moves with dimension 0 of the work-items, and with ids and the loops around all accesses.

    None where that is no constant.
    """
    if access.offset is None:
        return None
    outer = {n for n in access.offset.symbols if n in counters or _kind(facts, n) in _OF_ITEMS}
    asked = {n for n, s in facts.symbols.items() if s.kind == "global_id"}
    first = next((n for n in asked if facts.symbols[n].dimension == 0), None)
    step = access.offset.coefficient(first) if first is not None else None
    # Work-items of a dimension that the address does not know share a row.
    if step is None or step.constant is None or not asked <= outer or any(n not in asked | counters for n in outer):
        return None
    return abs(step.constant), frozenset((name, access.offset.coefficient(name)) for name in outer)


def _within(facts: KernelFacts, access: Access, counters: set[str], row: int) -> bool:
    """Whether what else an address is made of moves by less than a row at a time."""
    if access.offset is None:
        return False
    inner = {
        n for n in access.offset.symbols if n not in counters and _kind(facts, n) not in {*_OF_ITEMS, "global_size"}
    }
    if abs(dict(access.offset.terms).get((), 0)) >= row:
        return False
    steps = [access.offset.coefficient(n) for n in inner]
    return all(step is not None and step.constant is not None and abs(step.constant) < row for step in steps)


def _kind(facts: KernelFacts, name: str) -> str:
    return facts.symbols[name].kind if name in facts.symbols else ""
