"""The accesses of a kernel in program order, buffer by buffer: what lies before, between and behind is looked up."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import gcd

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.alias import exclusive, may_alias, never_overlap, same_place

Form = tuple[object, ...]
"""What two addresses have in common that lie a number of bytes apart: the loops around them, and all that moves."""
MOST_ALIKE = 256
"""Most accesses of one form that are looked at for one that waits for a store."""


class Order:
    """The accesses of a kernel in program order, for questions about those that may reach one's buffer."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._buffers: dict[_Kind, _Buffer] = {}
        self._reached: dict[_Kind, list[_Buffer]] = {}
        for access in facts.accesses:
            self._buffers.setdefault(_kind(access), _Buffer()).take(access)

    def may_change(self, load: Access) -> bool:
        """Whether any store of the kernel may touch what is loaded."""
        return any(buffer.changing for buffer in self._reach(load))

    def stored_before(self, load: Access, loops: Iterable[int]) -> bool:
        """Whether a store may change what `load` reads before it reads: an earlier one, or one of a loop in common."""
        around = set(loops)
        return any(
            not around.isdisjoint(buffer.changed_in) or buffer.changes_before(load) for buffer in self._reach(load)
        )

    def changed_between(self, first: Access, last: Access) -> bool:
        """Whether a store between the two may touch what the last one reads."""
        return any(_between(buffer.changing, first, last) for buffer in self._reach(last))

    def value_changed(self, first: Access, last: Access) -> bool:
        """Whether a store between the two, or in a loop of the last one's own, may touch the very bytes it reads."""
        own = set(last.loops) - set(first.loops)
        return any(buffer.overwrites(first, last, own) for buffer in self._reach(last))

    def clobbered(self, first: Access, last: Access) -> bool:
        """Whether the bytes that `last` reads may have changed since `first`, other than by stores to that very place.

        What stores to that very place write is known: it is forwarded through registers.
        """
        own = set(last.loops) - set(first.loops)
        return any(buffer.clobbers(first, last, own) for buffer in self._reach(last))

    def read_between(self, first: Access, last: Access) -> bool:
        """Whether a load between the two may read the buffer that the last one writes."""
        return any(_between(buffer.reading, first, last) for buffer in self._reach(last))

    def reads_of(self, stores: Sequence[Access], last: Access) -> bool:
        """Whether a load behind the last of some stores, and before a further one, may read what they write."""
        return any(buffer.reads_of(stores, last) for buffer in self._reach(last))

    def crossed(self, access: Access) -> frozenset[int]:
        """The loops around an access in which another pointer's accesses may touch what it does.

        A load is not moved over such a store, and a store over neither, from one copy of the loop to the next. Within
        one pointer's buffer addresses decide, and what an ``ivdep`` pragma denies does not count.
        """
        found: set[int] = set()
        for buffer in self._reach(access):
            other = buffer.accesses[0].pointer
            if other != access.pointer:
                touched = buffer.changed_in if access.op == "load" else buffer.changed_in | buffer.read_in
                found.update(i for i in access.loops if i in touched and not self._denied(i, access.pointer, other))
        return frozenset(found)

    def _denied(self, loop: int, *pointers: str) -> bool:
        names = self._facts.loops[loop].ivdep
        return names is not None and (not names or not {*names}.isdisjoint(pointers))

    def first_dependent(
        self, store: Access, around: int | None, meets: Callable[[Access], bool], may_follow: Callable[[Access], bool],
        *, moving: bool,
    ) -> Access | None:  # fmt: skip
        """The first access that may touch, later or in a later iteration, what a store wrote.

        `around` is the outermost loop that it stays in, `meets` says of accesses of the store's own form; all others
        meet it. `may_follow` says which later ones count. `moving`: a later iteration may reach what is apart now.
        """
        found = (
            one
            for buffer in self._reach(store)
            for one in buffer.candidates(store, around, meets, may_follow, moving=moving)
        )
        return min(found, key=lambda a: a.id, default=None)

    def _reach(self, access: Access) -> list[_Buffer]:
        key = _kind(access)
        if key not in self._reached:
            near = (b for b in self._buffers.values() if may_alias(self._facts, access, b.accesses[0]))
            self._reached[key] = list(near)
        return self._reached[key]


_Kind = tuple[str, str, str]


def _kind(access: Access) -> _Kind:
    """What decides which other accesses may reach the same place."""
    return access.pointer, access.space, access.type


def _between(ids: Sequence[int], first: Access, last: Access) -> bool:
    return bisect_right(ids, first.id) < bisect_left(ids, last.id)


class _Buffer:
    """The accesses of one buffer by one type."""

    def __init__(self) -> None:
        self.accesses: list[Access] = []
        self.changing: list[int] = []
        self.changed_in: set[int] = set()
        self.reading: list[int] = []
        self.read_in: set[int] = set()

    def take(self, access: Access) -> None:
        """Add the next access."""
        self.accesses.append(access)
        if access.op != "load":
            self.changing.append(access.id)
            self.changed_in.update(access.loops)
        if access.op != "store":
            self.reading.append(access.id)
            self.read_in.update(access.loops)

    def changes_before(self, load: Access) -> bool:
        """Whether an earlier store may run in the same round as a load."""
        before = self._stores[: bisect_left(self.changing, load.id)]
        return len(before) > MOST_ALIKE or any(not exclusive(a, load) for a in before)

    def overwrites(self, first: Access, last: Access, loops: Iterable[int]) -> bool:
        """Whether a store between two accesses, or in one of some loops, may touch what the last one reads."""
        between = self._stores[bisect_right(self.changing, first.id) : bisect_left(self.changing, last.id)]
        if between and exclusive(first, last):
            between = [a for a in between if not exclusive(first, a) and not exclusive(last, a)]
        near = [*between, *(a for loop in loops for a in self._stores_in.get(loop, ()))]
        return len(near) > MOST_ALIKE or any(not never_overlap(last, a) for a in near)

    def clobbers(self, first: Access, last: Access, loops: Iterable[int]) -> bool:
        """Whether a store between two accesses, or in one of some loops, may touch part of what the last one reads."""
        between = self._stores[bisect_right(self.changing, first.id) : bisect_left(self.changing, last.id)]
        near = [
            *(a for a in between if not exclusive(a, last)),
            *(a for loop in loops for a in self._stores_in.get(loop, ())),
        ]
        return len(near) > MOST_ALIKE or any(
            a.op != "store" or not (never_overlap(last, a) or same_place(last, a)) for a in near
        )

    def reads_of(self, stores: Sequence[Access], last: Access) -> bool:
        """Whether a load between the last of some stores and a further one may touch the bytes they write."""
        between = self._loads[bisect_right(self.reading, stores[-1].id) : bisect_left(self.reading, last.id)]
        if len(between) > MOST_ALIKE:
            return True
        return any(not (exclusive(s, a) or never_overlap(s, a)) for a in between for s in stores)

    @cached_property
    def _loads(self) -> list[Access]:
        return [a for a in self.accesses if a.op != "store"]

    @cached_property
    def _stores(self) -> list[Access]:
        return [a for a in self.accesses if a.op != "load"]

    @cached_property
    def _stores_in(self) -> dict[int, list[Access]]:
        found: dict[int, list[Access]] = {}
        for a in self._stores:
            for loop in a.loops:
                found.setdefault(loop, []).append(a)
        return found

    def candidates(
        self, store: Access, around: int | None, meets: Callable[[Access], bool], may_follow: Callable[[Access], bool],
        *, moving: bool,
    ) -> Iterator[Access]:  # fmt: skip
        """The accesses that may be the first dependent of a store, that one among them."""
        form = _form(store)
        if around is not None:
            yield from (a for a in self._reached_in.get(around, ()) if _form(a) != form)
        yield from islice(filter(may_follow, self._others_behind(store.id, form)), 1)
        for same in self._near(store, form, moving=moving):
            read = (a for a in same if a.op != "store") if around is not None else iter(())
            behind = filter(may_follow, same[bisect_right(same, store.id, key=_number) :])
            for some in (read, behind):
                yield from islice(filter(meets, islice(some, MOST_ALIKE)), 1)

    @cached_property
    def _forms(self) -> list[Form]:
        return [_form(a) for a in self.accesses]

    @cached_property
    def _next_other(self) -> list[int]:
        """For each access the place of the next one of another form."""
        found = [len(self.accesses)] * len(self.accesses)
        for at in range(len(self.accesses) - 2, -1, -1):
            found[at] = at + 1 if self._forms[at] != self._forms[at + 1] else found[at + 1]
        return found

    @cached_property
    def _reached_in(self) -> dict[int, list[Access]]:
        """For each loop the first access in it, and the first of another form."""
        found: dict[int, list[Access]] = {}
        for a, form in zip(self.accesses, self._forms, strict=True):
            for loop in a.loops:
                first = found.setdefault(loop, [])
                if not first or (len(first) == 1 and _form(first[0]) != form):
                    first.append(a)
        return found

    def _others_behind(self, number: int, form: Form) -> Iterator[Access]:
        """The accesses behind one that have another form."""
        at = bisect_right(self.accesses, number, key=_number)
        for _ in range(MOST_ALIKE):
            if at < len(self.accesses) and self._forms[at] == form:
                at = self._next_other[at]
            if at >= len(self.accesses):
                return
            yield self.accesses[at]
            at += 1

    def _near(self, store: Access, form: Form, *, moving: bool) -> Iterator[list[Access]]:
        """The accesses of a form, in parts, that may lie on a store's place, or with `moving` come to lie there."""
        parts, widest, step = self._by_place[moving].get(form, ({}, 0, 0))
        place = store.offset.offset if store.offset is not None else 0
        reach = max(store.element_bytes, widest)
        places = range(place - reach + 1, place + reach)
        yield from (parts[p] for p in {p % step if step else p for p in places} if p in parts)

    @cached_property
    def _by_place(self) -> tuple[dict[Form, Places], dict[Form, Places]]:
        """The accesses of each form by their places, and by what is left of these after whole steps."""
        forms: dict[Form, list[Access]] = {}
        for a, form in zip(self.accesses, self._forms, strict=True):
            forms.setdefault(form, []).append(a)
        fixed = {form: _placed(own, 0) for form, own in forms.items()}
        return fixed, {form: _placed(own, _step(own[0])) for form, own in forms.items()}


Places = tuple[dict[int, list[Access]], int, int]
"""Accesses by place, the bytes of the widest, and the step that places are distinguished within, or 0."""


def _placed(accesses: Sequence[Access], step: int) -> Places:
    parts: dict[int, list[Access]] = {}
    for a in accesses:
        place = a.offset.offset if a.offset is not None else 0
        parts.setdefault(place % step if step else place, []).append(a)
    return parts, max(1, *(a.element_bytes for a in accesses)), step


def _step(access: Access) -> int:
    """What divides every step that an address makes; 1 where it makes none, and all places are one."""
    return gcd(*(c for monomial, c in access.offset.terms if monomial)) or 1 if access.offset is not None else 1


def _form(access: Access) -> Form:
    if access.offset is None:
        return (access.id,)
    return (access.loops, *((m, c) for m, c in access.offset.terms if m))


def _number(access: Access) -> int:
    return access.id
