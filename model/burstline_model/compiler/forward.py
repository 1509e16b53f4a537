"""Accesses without a unit of their own: forwarded from a store, overwritten, or stores in both arms of an if."""

from __future__ import annotations

from burstline_model.compiler.alias import exclusive, may_alias
from burstline_model.facts import Access, KernelFacts


def served_by_others(facts: KernelFacts) -> dict[int, int]:
    """For each global access without a unit of its own, the access whose unit serves it.

    A load of what the same iteration has just stored takes the stored value; a store that the same iteration
    overwrites before anyone reads it is never made. Writing a vector component by component is the usual case.
    """
    served: dict[int, int] = {}
    pending: dict[str, dict[tuple[object, ...], Access]] = {}
    needed: set[int] = set()
    """Stores that a later load may have read from memory."""
    aliases: dict[str, tuple[str, ...]] = {}
    one_of = {a.pointer: a for a in facts.accesses if a.space == "global"}

    def reached(access: Access) -> tuple[str, ...]:
        """The pointers that may reach what `access` does."""
        if access.pointer not in aliases:
            aliases[access.pointer] = tuple(p for p, other in one_of.items() if may_alias(facts, access, other))
        return aliases[access.pointer]

    def forget(access: Access) -> None:
        """Whatever may lie where `access` reaches is no longer known."""
        for pointer in reached(access):
            pending.pop(pointer, None)

    for access in facts.accesses:
        if access.space != "global":
            continue
        opaque = access.offset is None or access.volatile or access.hint or access.op == "atomic"
        key = (access.offset, access.element_bytes, access.loops, access.call_chain[:1])
        known = pending.get(access.pointer, {}).get(key) if not opaque else None
        if known is not None and [g.text for g in known.guards] != [g.text for g in access.guards]:
            known = None
        if access.op == "load":
            if known is not None:
                served[access.id] = known.id
            else:
                needed.update(store.id for p in reached(access) for store in pending.get(p, {}).values())
            continue
        if known is not None and known.id not in needed:
            for earlier, by in served.items():
                if by == known.id:
                    served[earlier] = access.id
            served[known.id] = access.id
        forget(access)
        if not opaque:
            pending.setdefault(access.pointer, {})[key] = access
    return served


def joined_arms(facts: KernelFacts) -> dict[int, int]:
    """For each store that ends an arm of an if whose other arm stores to the same place, the first arm's store.

    The two become one store behind the arms. Vendor reports: 3 of 3 such places, one with three arms, are one unit on
    the first arm's line; M21's padding has such arms, and two units with its load.
    """
    joined: dict[int, int] = {}
    waiting: dict[str, list[Access]] = {}
    for access in facts.accesses:
        if access.space != "global":
            continue
        for pointer, stores in waiting.items():
            if stores and may_alias(facts, access, stores[0]):
                waiting[pointer] = [s for s in stores if exclusive(s, access)]
        if access.op != "store" or access.offset is None or access.volatile or access.hint:
            continue
        store = access
        while store.guards:
            near = waiting.setdefault(store.pointer, [])
            other = next((s for s in near if _ends_other_arm(s, store)), None)
            if other is None:
                waiting[store.pointer] = [*near[-MOST_WAITING:], store]
                break
            near.remove(other)
            joined[store.id] = other.id
            # Two arms that are one store are themselves an arm of the if around them.
            store = other.model_copy(update={"guards": other.guards[:-1]})
    return joined


MOST_WAITING = 32
"""Most stores to one buffer that wait for their other arm."""


def _ends_other_arm(one: Access, other: Access) -> bool:
    same = (one.offset, one.element_bytes, one.loops) == (other.offset, other.element_bytes, other.loops)
    return same and one.guards[:-1] == other.guards[:-1] and exclusive(one, other)
