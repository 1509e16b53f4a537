"""Accesses without a unit of their own: forwarded from a store, overwritten, or stores in both arms of an if."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from burstline_model.compiler.program_order import Order
from burstline_model.facts import Access, Guard, KernelFacts
from burstline_model.parallelism.alias import exclusive, may_share, never_overlap, same_place


def served_by_others(facts: KernelFacts, *, chosen: bool = False) -> dict[int, int]:
    """For each global access without a unit of its own, the access whose unit serves it.

    `chosen`: a store under a condition replaces one in front of it.
    """
    known = known_values(facts)
    return known | _overwritten(facts, known, chosen=chosen)


def known_values(facts: KernelFacts) -> dict[int, int]:
    """For each load of a place whose value is known already, the load or store that it is known from.

    An access to the same place comes before on every path, and all that may have changed the value since are stores to
    that very place, in arms and in loops too: each path holds the value in a register, and a choice joins them.
    """
    known: dict[int, int] = {}
    seen: dict[tuple[object, ...], list[Access]] = {}
    order = Order(facts)
    for access in facts.accesses:
        if access.space != "global" or access.op == "atomic" or access.offset is None or access.volatile or access.hint:
            continue
        same = seen.setdefault((access.pointer, access.offset, access.element_bytes), [])
        near = (one for one in reversed(same[-MOST_WAITING:]) if _comes_before(one, access))
        before = next(near, None) if access.op == "load" else None
        if before is not None and not (order.clobbered(before, access) or _others_come_between(facts, before, access)):
            known[access.id] = before.id
        same.append(access)
    return known


def _comes_before(first: Access, later: Access) -> bool:
    """Whether whoever makes the later access has made the first one."""
    loops, guards = len(first.loops), len(first.guards)
    return later.loops[:loops] == first.loops and later.guards[:guards] == first.guards


def _overwritten(facts: KernelFacts, known: Mapping[int, int], *, chosen: bool) -> dict[int, int]:
    """For each store that the same iteration overwrites before anyone reads it, the store that does so.

    Writing a vector component by component is the usual case; what the first component fetches of the rest is not
    needed once all are written.
    """
    served: dict[int, int] = {}
    parts: dict[int, tuple[int, frozenset[int]]] = {}
    """By store to a part of a vector: the load that fetched the rest, and the lanes written since."""
    pending: dict[str, dict[tuple[object, ...], Access]] = {}
    needed: set[int] = set()
    """Stores that a later load may read from memory."""
    deeper: dict[tuple[int, ...], int] = {}
    """The last access in a loop inside of these loops."""
    reached = _Aliases(facts)
    for access in facts.accesses:
        for depth in range(len(access.loops)):
            deeper[access.loops[:depth]] = access.id
        if access.space != "global" or access.id in known:
            continue
        if access.op != "store":
            stores = (s for p in reached.by(access) for s in pending.get(p, {}).values())
            needed.update(s.id for s in stores if not never_overlap(s, access))
            continue
        if access.offset is None or access.volatile or access.hint:
            continue
        same = pending.setdefault(access.pointer, {})
        before = same.get((access.offset, access.element_bytes))
        rest, written = access.id - 1, frozenset[int]()
        stays = before is None or before.id in needed or deeper.get(access.loops, -1) > before.id
        if before is not None and not stays and _replaces(facts, access, before, chosen=chosen):
            if access.guards != before.guards:
                served[access.id] = before.id  # one store of either value, which reports list on the first line
                continue
            served[before.id] = access.id
            rest, written = parts.get(before.id, (before.id, frozenset()))
        if access.lanes and facts.accesses[rest].op == "load" and facts.accesses[rest].lanes:
            parts[access.id] = rest, written.union(access.lanes)
            if len(parts[access.id][1]) == _lane_count(access):
                served[rest] = access.id
        same[access.offset, access.element_bytes] = access
    return served


def _replaces(facts: KernelFacts, later: Access, before: Access, *, chosen: bool) -> bool:
    """Whether a store to the place of an earlier one leaves nothing to that one to store."""
    if _others_come_between(facts, before, later):
        return False
    more = later.guards[len(before.guards) :]
    if later.loops != before.loops or later.guards[: len(before.guards)] != before.guards:
        return False
    return not more or (chosen and len(more) == 1 and not more[0].early_return)


@dataclass
class _Aliases:
    """The pointers that may reach what another one does."""

    facts: KernelFacts
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _one_of(self) -> dict[str, Access]:
        return {a.pointer: a for a in self.facts.accesses if a.space == "global"}

    def by(self, access: Access) -> tuple[str, ...]:
        """The pointers that may reach what `access` does."""
        if access.pointer not in self._known:
            every = self._one_of.items()
            self._known[access.pointer] = tuple(p for p, other in every if may_share(self.facts, access, other))
        return self._known[access.pointer]


def _lane_count(access: Access) -> int:
    return 3 if access.type.endswith("3") else access.element_bytes // max(access.scalar_bytes, 1)


def _others_come_between(facts: KernelFacts, first: Access, later: Access) -> bool:
    """Whether other work-items may meet the value at a barrier in between; that of what is restrict they may not."""
    argument = facts.argument(first.pointer)
    if argument is not None and argument.restrict:
        return False
    if first.call_chain != later.call_chain:
        return bool(facts.barriers)  # their order in the text says nothing
    start, end, inner = first.span.start, later.span.start, set(later.loops) - set(first.loops)
    return any(start < b.span.start < end or not inner.isdisjoint(b.loops) for b in facts.barriers)


def joined_arms(facts: KernelFacts, *, ends_only: bool, ifs_only: bool = False) -> dict[int, int]:
    """For each store to the place of an earlier one of which a round runs only one, that earlier store.

    The two become one store behind the arms. Vendor reports: 3 of 3 ifs with stores at their ends, one with three arms,
    are one unit on the first arm's line; M21's padding has such arms, and two units with its load. From 17.0 on this
    holds for all such stores (10 of 13, arms that return early among them); `ends_only`: for ends of arms alone.
    `ifs_only`: not for the cases of a switch, which reports of 15.0 and 16.1 list each with units of its own.
    """
    joined: dict[int, int] = {} if ends_only else _chosen_loads(facts)
    waiting: dict[str, list[_Waiting]] = {}
    for access in facts.accesses:
        if access.space != "global":
            continue
        for pointer, stores in waiting.items():
            if stores and may_share(facts, access, stores[0].store):
                waiting[pointer] = [s for s in stores if s.stays(access, ends_only=ends_only)]
        if access.op != "store" or access.offset is None or access.volatile or access.hint:
            continue
        store = access
        while store.guards:
            near = waiting.setdefault(store.pointer, [])
            other = next((s for s in near if s.meets(store, ends_only=ends_only, ifs_only=ifs_only)), None)
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


def last_stores(facts: KernelFacts, joined: Mapping[int, int]) -> dict[int, int]:
    """For each store at the end of an arm the one at the end of an earlier arm that it is one with.

    They are one store of either value at either address, behind the arms, if both are of one type. Not so where an arm
    writes neighbours as well, with which they would share a unit, or where the two are `joined` with others already.
    """
    taken = {*joined, *joined.values()}
    found: dict[int, int] = {}
    firsts: list[_LastStore] = []
    for access in facts.accesses:
        if access.space != "global" or access.op != "store" or not access.guards or access.id in taken:
            continue
        if access.volatile or access.hint:
            continue
        own = _LastStore(facts, access)
        first = next((one for one in reversed(firsts[-MOST_WAITING:]) if one.meets(own)), None)
        if first is None:
            firsts.append(own)
        else:
            found[access.id] = first.store.id
    return found


@dataclass(slots=True)
class _LastStore:
    """A store that may be what an arm does last."""

    facts: KernelFacts
    store: Access
    _known: dict[int, bool] = field(default_factory=dict)

    def meets(self, other: _LastStore) -> bool:
        """Whether the two are the last things that two arms do, and of one type."""
        one, two = self.store, other.store
        alike = (one.type, one.loops, one.call_chain) == (two.type, two.loops, two.call_chain)
        if not alike or same_place(one, two) or not exclusive(one, two):
            return False  # stores to one place are `joined_arms`
        depth = next(i for i, (g, h) in enumerate(zip(one.guards, two.guards, strict=False)) if g != h) + 1
        return self._ends(depth) and other._ends(depth)

    def _ends(self, depth: int) -> bool:
        if depth not in self._known:
            self._known[depth] = self._is_last(self.store.guards[:depth])
        return self._known[depth]

    def _is_last(self, arm: tuple[Guard, ...]) -> bool:
        """Whether an arm does nothing behind the store, and stores nothing else where that does."""
        store = self.store
        for access in self.facts.accesses:
            if access.id == store.id or access.guards[: len(arm)] != arm:
                continue
            if access.id > store.id or (access.op == "store" and access.pointer == store.pointer):
                return False
        behind = (o for o in self.facts.channels if o.guards[: len(arm)] == arm)
        return all(o.span.end <= store.span.start for o in behind)


def paired_loads(facts: KernelFacts, is_early: Callable[[Access], bool]) -> dict[int, int]:
    """For each load in one arm of a condition the load in the other arm that it is one with, in their order.

    The two arms may be those of two ifs that ask the same of the same values. `is_early`: whether a load is made before
    everything else, and so in no arm.
    """
    arms: dict[object, tuple[list[Access], list[Access]]] = {}
    known: dict[int, int] | None = None
    for access in facts.accesses:
        if access.space != "global" or access.op != "load" or not access.guards or access.volatile or access.hint:
            continue
        *around, own = access.guards
        negated = own.text.startswith("!(")
        asked = own.text[2:-1] if negated else own.text
        key = (*(g.text for g in around), asked, own.depends_on, access.loops, access.call_chain, access.type)
        known = known_values(facts) if known is None else known
        if access.id not in known and not is_early(access):
            arms.setdefault(key, ([], []))[negated].append(access)
    found: dict[int, int] = {}
    for held, not_held in arms.values():
        if held and not_held and not any(_has_loop(facts, arm[0]) for arm in (held, not_held)):
            for pair in zip(held, not_held, strict=False):
                first, later = sorted(pair, key=lambda a: a.id)
                if exclusive(first, later) or not _something_between(facts, first, later):
                    found[later.id] = first.id
    return found


def _has_loop(facts: KernelFacts, access: Access) -> bool:
    """Whether the arm that an access is in has a loop in it."""
    arm, depth = access.guards, len(access.loops)
    return any(len(o.loops) > depth and o.guards[: len(arm)] == arm for o in facts.accesses)


def _something_between(facts: KernelFacts, first: Access, later: Access) -> bool:
    """Whether a barrier, or a store that may reach the later place, keeps a load apart from an earlier one."""
    if _others_come_between(facts, first, later):
        return True
    stores = (a for a in facts.accesses[first.id : later.id] if a.op != "load" and a.space == later.space)
    return any(may_share(facts, store, later) for store in stores)


def _chosen_loads(facts: KernelFacts) -> dict[int, int]:
    """For each load in the second arm of ``c ? p[i] : p[j]`` the one in the first: one load, at a chosen address."""
    chosen: dict[int, int] = {}
    first: dict[object, Access] = {}
    for access in facts.accesses:
        if access.space != "global" or access.op != "load" or access.volatile or access.hint:
            continue
        if not access.guards or access.guards[-1].choice != "loads":
            continue
        arm, around = access.guards[-1], access.guards[:-1]
        key = (access.pointer, access.type, access.loops, access.call_chain, around, arm.span)
        other = first.setdefault(key, access)
        if other is not access and exclusive(other, access):
            chosen[access.id] = other.id
    return chosen


def _are_cases(one: Access, other: Access) -> bool:
    """Whether two of at least three cases of a switch keep two accesses apart."""
    apart = next((g for g, h in zip(one.guards, other.guards, strict=False) if g != h), None)
    return apart is not None and apart.cases is not None and apart.cases[1] > BOTH_ARMS


BOTH_ARMS = 2
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

    def meets(self, other: Access, *, ends_only: bool, ifs_only: bool) -> bool:
        """Whether the two are one store."""
        one = self.store
        same = (one.offset, one.element_bytes, one.loops) == (other.offset, other.element_bytes, other.loops)
        if not same or not exclusive(one, other) or (ifs_only and _are_cases(one, other)):
            return False
        return one.guards[:-1] == other.guards[:-1] if ends_only else all(exclusive(a, other) for a in self.behind)
