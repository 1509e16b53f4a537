"""Accesses without a unit of their own: forwarded from a store, overwritten, or stores in both arms of an if."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from burstline_model.compiler.alias import exclusive, may_alias
from burstline_model.compiler.order import Order
from burstline_model.facts import Access, KernelFacts


def served_by_others(facts: KernelFacts) -> dict[int, int]:
    """For each global access without a unit of its own, the access whose unit serves it.

    A load of what the same iteration has just stored takes the stored value; a store that the same iteration
    overwrites before anyone reads it is never made. Writing a vector component by component is the usual case; what the
    first component fetches of the rest is not needed once all are written.
    """
    served: dict[int, int] = {}
    parts: dict[int, tuple[int, frozenset[int]]] = {}
    """By store to a part of a vector: the load that fetched the rest, and the lanes written since."""
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
            rest, written = parts.get(known.id, (known.id, frozenset()))
        else:
            rest, written = access.id - 1, frozenset[int]()
        if access.lanes and facts.accesses[rest].op == "load" and facts.accesses[rest].lanes:
            parts[access.id] = rest, written.union(access.lanes)
            if len(parts[access.id][1]) == _lane_count(access):
                served[rest] = access.id
        forget(access)
        if not opaque:
            pending.setdefault(access.pointer, {})[key] = access
    return served


def _lane_count(access: Access) -> int:
    return 3 if access.type.endswith("3") else access.element_bytes // max(access.scalar_bytes, 1)


def loaded_before(facts: KernelFacts) -> dict[int, int]:
    """For each load in a loop of what was loaded outside of it before, the load that already has the value."""
    served: dict[int, int] = {}
    known: dict[tuple[object, ...], dict[tuple[object, ...], Access]] = {}
    order = Order(facts)
    for access in facts.accesses:
        if access.space != "global" or access.op != "load" or access.offset is None or access.volatile or access.hint:
            continue
        same = known.setdefault((access.pointer, access.offset, access.element_bytes), {})
        first = next((one for one in same.values() if _holds_in(one, access)), None)
        if first is None:
            same.setdefault((access.loops, access.guards, access.call_chain[:1]), access)
            continue
        if not order.value_changed(first, access) and not _others_come_between(facts, first, access):
            served[access.id] = first.id
    return served


def _others_come_between(facts: KernelFacts, first: Access, later: Access) -> bool:
    """Whether other work-items may have changed the value at a barrier in between; what is restrict they may not."""
    argument = facts.argument(first.pointer)
    if argument is not None and argument.restrict:
        return False
    if first.call_chain != later.call_chain:
        return bool(facts.barriers)  # their order in the text tells nothing
    start, end, inner = first.span.start, later.span.start, set(later.loops) - set(first.loops)
    return any(start < b.span.start < end or not inner.isdisjoint(b.loops) for b in facts.barriers)


def _holds_in(first: Access, later: Access) -> bool:
    """Whether whoever makes the later access, deeper in loops or in another call, has made the first one."""
    outer, guards = len(first.loops), len(first.guards)
    elsewhere = outer < len(later.loops) or first.call_chain[:1] != later.call_chain[:1]
    return elsewhere and later.loops[:outer] == first.loops and later.guards[:guards] == first.guards


def joined_arms(facts: KernelFacts, *, ends_only: bool) -> dict[int, int]:
    """For each store to the place of an earlier one of which a round runs only one, that earlier store.

    The two become one store behind the arms. Vendor reports: 3 of 3 ifs with stores at their ends, one with three arms,
    are one unit on the first arm's line; M21's padding has such arms, and two units with its load. From 17.0 on this
    holds for all such stores (10 of 13, arms that return early among them); `ends_only`: for ends of arms alone.
    """
    joined: dict[int, int] = {}
    waiting: dict[str, list[_Waiting]] = {}
    for access in facts.accesses:
        if access.space != "global":
            continue
        for pointer, stores in waiting.items():
            if stores and may_alias(facts, access, stores[0].store):
                waiting[pointer] = [s for s in stores if s.stays(access, ends_only=ends_only)]
        if access.op != "store" or access.offset is None or access.volatile or access.hint:
            continue
        store = access
        while store.guards:
            near = waiting.setdefault(store.pointer, [])
            other = next((s for s in near if s.meets(store, ends_only=ends_only)), None)
            if other is None:
                waiting[store.pointer] = [*near[-MOST_WAITING:], _Waiting(store)]
                break
            joined[store.id] = other.store.id
            if not ends_only:
                break
            near.remove(other)
            # Two arms that are one store are themselves an arm of the if around them.
            store = replace(other.store, guards=other.store.guards[:-1])
    return joined


MOST_WAITING = 32
"""Most stores to one buffer that wait for their other arm."""


@dataclass(slots=True)
class _Waiting:
    """A store that one in another arm may join, and the accesses behind it in its arm that may reach its address."""

    store: Access
    behind: list[Access] = field(default_factory=list)

    def stays(self, access: Access, *, ends_only: bool) -> bool:
        """Whether the store still waits when `access` may reach its buffer."""
        if exclusive(self.store, access):
            return True
        self.behind.append(access)
        return not ends_only and access.pointer != self.store.pointer and len(self.behind) <= MOST_WAITING

    def meets(self, other: Access, *, ends_only: bool) -> bool:
        """Whether the two are one store."""
        one = self.store
        same = (one.offset, one.element_bytes, one.loops) == (other.offset, other.element_bytes, other.loops)
        if not same or not exclusive(one, other):
            return False
        return one.guards[:-1] == other.guards[:-1] if ends_only else all(exclusive(a, other) for a in self.behind)
