"""Accesses that never reach memory: values forwarded from a store just before, stores overwritten just after."""

from __future__ import annotations

from burstline_model.compiler.alias import may_alias
from burstline_model.facts import Access, KernelFacts


def served_by_others(facts: KernelFacts) -> dict[int, int]:
    """For each global access without a unit of its own, the access whose unit serves it.

    A load of what the same iteration has just stored takes the stored value; a store that the same iteration
    overwrites before anyone reads it is never made. Writing a vector component by component is the usual case.
    """
    served: dict[int, int] = {}
    pending: dict[tuple[object, ...], Access] = {}
    for access in facts.accesses:
        if access.space != "global" or access.offset is None or access.volatile or access.hint:
            if access.op != "load":
                pending = {k: s for k, s in pending.items() if not may_alias(facts, s, access)}
            continue
        key = (access.pointer, access.offset, access.element_bytes, access.loops, access.call_chain[:1])
        known = pending.get(key)
        same = known is not None and [g.text for g in known.guards] == [g.text for g in access.guards]
        if access.op == "load":
            if known is not None and same:
                served[access.id] = known.id
            else:
                pending = {k: s for k, s in pending.items() if not may_alias(facts, s, access)}
        elif access.op == "store":
            if known is not None and same:
                served = {a: access.id if by == known.id else by for a, by in served.items()}
                served[known.id] = access.id
            pending = {k: s for k, s in pending.items() if not may_alias(facts, s, access)}
            pending[key] = access
        else:
            pending = {k: s for k, s in pending.items() if not may_alias(facts, s, access)}
    return served
