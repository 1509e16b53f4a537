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
    pending: dict[str, dict[tuple[object, ...], Access]] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    one_of = {a.pointer: a for a in facts.accesses if a.space == "global"}

    def forget(access: Access) -> None:
        """Whatever may lie where `access` reaches is no longer known."""
        if access.pointer not in aliases:
            aliases[access.pointer] = tuple(p for p, other in one_of.items() if may_alias(facts, access, other))
        for pointer in aliases[access.pointer]:
            pending.pop(pointer, None)

    for access in facts.accesses:
        if access.space != "global":
            continue
        if access.offset is None or access.volatile or access.hint or access.op == "atomic":
            forget(access)
            continue
        key = (access.offset, access.element_bytes, access.loops, access.call_chain[:1])
        known = pending.get(access.pointer, {}).get(key)
        if known is not None and [g.text for g in known.guards] != [g.text for g in access.guards]:
            known = None
        if access.op == "load" and known is not None:
            served[access.id] = known.id
            continue
        if access.op == "store" and known is not None:
            for earlier, by in served.items():
                if by == known.id:
                    served[earlier] = access.id
            served[known.id] = access.id
        forget(access)
        if access.op == "store":
            pending.setdefault(access.pointer, {})[key] = access
    return served
