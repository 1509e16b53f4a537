"""LLVM's facts laid over ours: steps and trip counts that we do not know, and what it leaves at each place.

What LLVM knows and we do not is taken; where both know, ours stays. How many accesses there are, how wide their units
and which conditions they are under is ours as well: docs/llvm.md has what vendor reports say of either.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from burstline_model.facts import Access, KernelFacts, Loop, Symbol, SymbolKind
from burstline_model.polynomial import Polynomial
from burstline_model.read_elsewhere import OtherReading
from burstline_server.analysis.reuse import KernelList, KernelSnapshot, PlacedKernel
from burstline_server.llvm.optimised_facts import LlvmAccess, LlvmKernel
from burstline_server.llvm.own_steps import own_step
from burstline_server.llvm.provider import LlvmFile
from burstline_server.llvm.requests import units_of
from burstline_server.source.source import Source

_IDS: Mapping[str, tuple[SymbolKind, str]] = {
    "get_global_id": ("global_id", "gid"), "get_local_id": ("local_id", "lid"), "get_group_id": ("group_id", "group"),
}  # fmt: skip
_SIZES: Mapping[str, SymbolKind] = {
    "get_global_size": "global_size", "get_local_size": "local_size", "get_num_groups": "num_groups",
}  # fmt: skip
_UNFOLLOWED: frozenset[SymbolKind] = frozenset({"opaque", "carried"})
Place = tuple[str | None, int]
"""A file (None: the user's own) and an offset in it."""
Line = tuple[str | None, int, str]
"""A file (None: the user's own), a line, and the operation there."""


def overlaid(answer: LlvmFile, source: Source, kernels: KernelList) -> KernelList:
    """The kernels of a file with what LLVM says of its text laid over their facts."""
    if not answer.rolled:
        return kernels
    names = Counter(one.facts.name for one in kernels.snapshots)
    found = []
    for number, snapshot in enumerate(kernels.snapshots):
        theirs = answer.rolled.get(snapshot.facts.name)
        if snapshot.unread or theirs is None or names[snapshot.facts.name] > 1:
            found.append(snapshot)
            continue
        built = (answer.built or {}).get(snapshot.facts.name, theirs)
        kernel = kernels[number]
        overlay = Overlay(f"LLVM {answer.version}", source, theirs, built, kernel.facts)
        found.append(_placed(kernel, overlay.over()))
    return kernels.with_snapshots(tuple(found))


def _placed(kernel: PlacedKernel, facts: KernelFacts) -> KernelSnapshot:
    """A kernel with other facts, whose costs are kept apart from those of ours alone."""
    if facts is kernel.facts:
        return kernel.snapshot
    added = [(a.id, a.offset) for a in facts.accesses if a.steps_by], [(o.id, o.trip) for o in facts.loops if o.trip_by]
    key = hashlib.sha256(kernel.key + repr((facts.others, added)).encode()).digest()
    return replace(kernel.snapshot, key=key, facts=facts, home=kernel.pieces, like=b"", gaps=())


@dataclass
class Overlay:
    """What another reading (`by`) says of one kernel, its loops as loops and with those unrolled that the text asks."""

    by: str
    source: Source
    rolled: LlvmKernel
    built: LlvmKernel
    _facts: KernelFacts

    def over(self) -> KernelFacts:
        """The facts with LLVM's where ours are missing, and with what it leaves at each place."""
        facts = self._facts
        self._symbols = dict(facts.symbols)
        loops = tuple(self._loop(one) for one in facts.loops)
        accesses = tuple(self._accesses())
        others = tuple(self._others())
        if not others and loops == facts.loops and accesses == facts.accesses:
            return facts
        return facts.model_copy(
            update={"loops": loops, "accesses": accesses, "others": others, "symbols": self._symbols}
        )

    @cached_property
    def _pairs(self) -> dict[int, int]:
        """LLVM's loops by ours: those that begin at one place, as many here as there."""
        here, there = defaultdict[Place, list[int]](list), defaultdict[Place, list[int]](list)
        for one in self._facts.loops:
            if one.kind != "copy":
                here[one.span.file, one.span.start].append(one.id)
        for other in self.rolled.loops:
            if (place := self._at(other.place)) is not None:
                there[place].append(other.id)
        return {
            mine: theirs
            for place, own in here.items() if len(own) == len(there[place])
            for mine, theirs in zip(own, sorted(there[place]), strict=True)
        }  # fmt: skip

    @cached_property
    def _counters(self) -> dict[str, Polynomial]:
        """Our counters by LLVM's."""
        return {
            f"loop:{self.rolled.loops[theirs].header}": Polynomial.symbol(self._facts.loops[mine].counter)
            for mine, theirs in self._pairs.items()
        }

    def _at(self, place: int) -> Place | None:
        """Where a place of the parsed text was written."""
        if place < 0:
            return None
        origin = self.source.origin(place, place + 1)
        return origin.file, origin.start

    def _loop(self, loop: Loop) -> Loop:
        """A loop whose trips we do not know, with LLVM's where these are made of what the host gives."""
        pair = self._pairs.get(loop.id)
        if (
            self._is_known(loop.trip)
            or loop.early_exit
            or pair is None
            or (trip := self.rolled.loops[pair].trip) is None
        ):
            return loop
        known = self._as_ours(trip)
        if known is None:
            return loop
        return loop.model_copy(update={"trip": known, "trip_why": None, "trip_by": self.by})

    def _is_known(self, number: Polynomial | None) -> bool:
        """Whether a formula of ours holds no value that is not followed."""
        symbols = self._facts.symbols
        return number is not None and not any(symbols[n].kind in _UNFOLLOWED for n in number.symbols if n in symbols)

    def _as_ours(self, number: Polynomial) -> Polynomial | None:
        """A formula of LLVM's over what the host gives, ids and counters, in our names; None where it has others."""
        values = {name: self._value(name) for name in number.symbols}
        if any(value is None for value in values.values()):
            return None
        return number.substitute({name: value for name, value in values.items() if value is not None})

    def _value(self, name: str) -> Polynomial | None:
        """What a symbol of LLVM's is called here."""
        if name in self._counters:
            return self._counters[name]
        argument = self._facts.argument(name)
        if argument is not None:
            plain = not argument.is_pointer and not argument.fields
            return Polynomial.symbol(name) if plain and self._named(name, "argument") else None
        function, _, dimension = name.partition(":")
        kind = _SIZES.get(function) or _IDS.get(function, (None,))[0]
        return self._of_kind(kind, int(dimension)) if kind is not None else None

    def _of_kind(self, kind: SymbolKind, dimension: int) -> Polynomial | None:
        of_kind = (s.name for s in self._facts.symbols.values() if s.kind == kind and s.dimension == dimension)
        name = next(of_kind, None)
        return Polynomial.symbol(name) if name is not None else None

    def _named(self, name: str, kind: SymbolKind, dimension: int = 0) -> bool:
        """Whether a name is of a symbol of this kind, which is made where there is none."""
        known = self._symbols.setdefault(name, Symbol(name=name, kind=kind, dimension=dimension))
        return (known.kind, known.dimension) == (kind, dimension)

    def _accesses(self) -> Iterator[Access]:
        theirs = defaultdict[tuple[Line, str], list[LlvmAccess]](list)
        for one in self.rolled.accesses:
            if one.pointer and (line := self._line(one.place, one.op)) is not None:
                theirs[line, one.pointer].append(one)
        ours = Counter((self._line_of(a), a.pointer) for a in self._facts.accesses)
        for access in self._facts.accesses:
            key = self._line_of(access), access.pointer
            if access.space != "global" or access.op == "atomic" or key not in theirs:
                yield access
            else:
                yield self._moved(access, theirs[key], alone=ours[key] == 1)

    def _moved(self, access: Access, there: Sequence[LlvmAccess], *, alone: bool) -> Access:
        """An access that moves in a way which LLVM alone knows: as its formula says, or by its numbers from any start.

        `alone`: there is no other access of the pointer on the line.
        """
        steps = {(one.loops, one.loop_steps, tuple(sorted(one.item_steps.items()))) for one in there}
        if len(steps) > 1 or not all(n in self._pairs for n in access.loops):
            return access
        first = there[0]
        by_loop = dict(zip(first.loops, first.loop_steps, strict=True))
        own: dict[str, int | None] = {}
        other: dict[str, int | None] = {}
        for number in access.loops:
            counter = self._facts.loops[number].counter
            own[counter] = self._own(access, lambda s, n=number: s.loop == n)  # type: ignore[misc]
            other[counter] = by_loop.get(self._pairs[number], own[counter])
        for symbol, function in self._ids().items():
            one = self._facts.symbols.get(symbol) or self._symbols[symbol]
            own[symbol] = self._own(access, lambda s, o=one: (s.kind, s.dimension) == (o.kind, o.dimension))  # type: ignore[misc]
            other[symbol] = first.item_steps.get(function, 0)
        missing = [name for name, step in own.items() if step is None]
        followed = self._is_known(access.offset)
        if (
            missing
            and not followed
            and alone
            and len(there) == 1
            and (offset := self._as_ours(first.offset)) is not None
        ):
            return replace(access, offset=offset, offset_why=None, steps_by=self.by)
        gained = [name for name in missing if other[name] is not None]
        differ = any(own[n] is not None and other[n] is not None and own[n] != other[n] for n in own)
        if not gained or differ:
            return access
        return self._with_steps(access, {n: own[n] if own[n] is not None else other[n] for n in own})

    def _own(self, access: Access, counts: Callable[[Symbol], bool]) -> int | None:
        return own_step(self._facts.symbols, access.offset, counts)

    def _ids(self) -> dict[str, str]:
        """Our symbols of the ids that LLVM names, each with LLVM's name."""
        if self._facts.model != "ndrange":
            return {}
        found = {}
        for name in sorted({n for one in self.rolled.accesses for n in one.item_steps}):
            function, _, dimension = name.partition(":")
            kind, stem = _IDS[function]
            known = self._of_kind(kind, int(dimension))
            symbol = next(iter(known.symbols)) if known is not None else f"{stem}{dimension}"
            if self._named(symbol, kind, int(dimension)):
                found[symbol] = name
        return found

    def _with_steps(self, access: Access, steps: Mapping[str, int | None]) -> Access:
        name = f"start#{access.id}"
        unknown = tuple(n for n, step in steps.items() if step is None)
        aligned = 1 if access.packed else max(access.scalar_bytes, 1)
        self._symbols[name] = Symbol(name=name, kind="opaque", depends_on=unknown, multiple_of=aligned)
        offset = Polynomial.symbol(name)
        for counter, step in steps.items():
            offset = offset + Polynomial.symbol(counter).scaled(step or 0)
        return replace(access, offset=offset, offset_why=None, steps_by=self.by)

    def _others(self) -> Iterator[OtherReading]:
        """What LLVM leaves at each line with accesses of ours: its requests, with the copies that SIMD lanes make."""
        ours = defaultdict[Line, list[int]](list)
        for access in self._facts.accesses:
            if access.space == "global" and access.op != "atomic" and access.hint != "printf":
                ours[self._line_of(access)].append(access.id)
        theirs = defaultdict[Line, Counter[int]](Counter)
        for unit in units_of(self.built):
            line = self._line(unit.place, unit.op)
            if line is not None:
                width, count = self._lanes(unit.width_bytes, unit.members[0].item_steps)
                theirs[line][width] += count
        for line, ids in ours.items():
            yield OtherReading(by=self.by, accesses=tuple(ids), requests=tuple(sorted(theirs[line].items())))

    def _lanes(self, width_bytes: int, steps: Mapping[str, int | None]) -> tuple[int, int]:
        """Width in bits and number of what SIMD lanes make of a request."""
        simd = self._facts.simd
        moving = [step for step in steps.values() if step != 0]
        if simd <= 1 or not moving:
            return width_bytes * 8, 1
        wide = moving[0] is not None and abs(moving[0]) == width_bytes
        return (width_bytes * 8 * simd, 1) if wide else (width_bytes * 8, simd)

    def _line(self, place: int, op: str) -> Line | None:
        at = self._at(place)
        return None if at is None else (at[0], self._row(*at), op)

    def _line_of(self, access: Access) -> Line:
        span = access.assigned_at or access.expanded_at or access.span
        return span.file, self._row(span.file, span.start), access.op

    def _row(self, file: str | None, offset: int) -> int:
        return self.source.lines_of(file).line_of(offset)
