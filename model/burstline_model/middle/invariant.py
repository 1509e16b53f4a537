"""Loads that a loop does not change are made once, before it: they lose the loop.

A load moves where its address is the same in every iteration, nothing in the loop may store to it, and every iteration
makes it (a conditional load may not be safe to make, nor one in a loop that may not be entered). Vendor reports: a
bound ``p[i + 1]`` of a loop shares a unit with ``p[i]`` in front of it (20.4, three kernels); reports list invariant
loads outside their loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.parallelism.alias import may_alias


def hoisted(facts: KernelFacts) -> KernelFacts:
    """The facts with invariant loads in front of the loops that do not change them."""
    if not facts.loops or not any(_may_move(a) for a in facts.accesses):
        return facts
    built = _Built(facts)
    return facts if not built.moved else facts.model_copy(update={"accesses": tuple(built.accesses)})


def _may_move(access: Access) -> bool:
    known = access.offset is not None and not access.volatile and access.hint is None
    return access.op == "load" and bool(access.loops) and access.space in {"global", "constant"} and known


class _Built:
    """The accesses in program order, so that what an address is made of has moved before it."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._stores: dict[int, list[Access]] = {}
        for access in facts.accesses:
            if access.op != "load":
                for loop in access.loops:
                    self._stores.setdefault(loop, []).append(access)
        self.accesses = list(facts.accesses)
        self.moved = False
        for number, access in enumerate(facts.accesses):
            if not _may_move(access):
                continue
            loops = access.loops
            while loops and self._invariant(access, facts.loops[loops[-1]]):
                left = facts.loops[loops[-1]]
                loops = loops[:-1]
                if not (_is_entered(left) or _is_in_head(access, left)):
                    break  # the next loop makes it where this one is entered
            if loops != access.loops:
                self.accesses[number], self.moved = replace(access, loops=loops), True

    def _invariant(self, load: Access, loop: Loop) -> bool:
        """Whether a loop makes a load in every iteration, each time of the same value."""
        if loop.kind == "copy" or loop.early_exit or any(_inside(g.span.start, g.span.file, loop) for g in load.guards):
            return False
        if load.call_chain and load.guards:
            return False  # conditions of a helper are elsewhere in the text
        if self._varies(load.offset.symbols if load.offset is not None else (), loop):
            return False
        argument = self._facts.argument(load.pointer)
        if not (argument is not None and argument.restrict) and any(loop.id in b.loops for b in self._facts.barriers):
            return False  # other work-items may store between its iterations
        return not any(may_alias(self._facts, load, store) for store in self._stores.get(loop.id, ()))

    def _varies(self, names: Iterable[str], loop: Loop) -> bool:
        """Whether any of these symbols may differ between two iterations of a loop."""
        symbols = [s for name in names if (s := self._facts.symbols.get(name)) is not None]
        every = [s for one in symbols for n in one.depends_on if (s := self._facts.symbols.get(n)) is not None]
        for symbol in (*symbols, *every):
            if symbol.loop == loop.id:
                return True
            if symbol.kind in {"loaded", "opaque"} and symbol.operation is None and self._is_made_in(symbol, loop):
                return True
        return False

    def _is_made_in(self, symbol: Symbol, loop: Loop) -> bool:
        """Whether each iteration of a loop may make a value anew, where it depends on nothing that says so."""
        if symbol.kind == "opaque" and symbol.depends_on:
            return False
        loops = symbol.made_in
        if symbol.kind == "loaded" and symbol.loaded_from is not None:
            loops = self.accesses[symbol.loaded_from].loops
        return loops is None or loop.id in loops


def _is_entered(loop: Loop) -> bool:
    """Whether a loop surely runs once at least."""
    trips = loop.trip.constant if loop.trip is not None else None
    return loop.kind == "do" or (trips is not None and trips > 0)


def _is_in_head(load: Access, loop: Loop) -> bool:
    """Whether a load is in a loop's head, which is asked once at least."""
    return load.span.file == loop.span.file and loop.span.start <= load.span.start < loop.span.end


def _inside(start: int, file: str | None, loop: Loop) -> bool:
    return file == loop.span.file and loop.span.start <= start < max(loop.body.end, loop.span.end)
