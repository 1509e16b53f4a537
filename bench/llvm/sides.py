"""What either side says of a kernel, in one form: accesses with their steps, loops with their trips as numbers."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from burstline_model.compiler.infer import served_accesses
from burstline_model.facts import Access, KernelFacts, Loop, Symbol
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.llvm.llvm_text import user_line
from burstline_server.llvm.optimised_facts import LlvmAccess, LlvmKernel, LlvmLoop
from burstline_server.llvm.own_steps import own_step
from burstline_server.source.source import Source

Place = tuple[str | None, int]
SAMPLES = 6
"""Trip counts are evaluated for so many choices of arguments and sizes."""
_DEPTH = 12
_IDS = {"global_id": "get_global_id", "local_id": "get_local_id", "group_id": "get_group_id"}
_SIZES = {
    "global_size": "get_global_size", "local_size": "get_local_size", "num_groups": "get_num_groups",
    "global_offset": "get_global_offset",
}  # fmt: skip


@dataclass(frozen=True)
class Touched:
    """An access that is left. `steps` are bytes by the place of a loop, or by an id; None: no number."""

    place: Place
    op: str
    pointer: str
    size_bytes: int
    steps: tuple[tuple[str, int | None], ...]
    kept: str = ""
    """What is said of its address, for a reader."""
    arms: tuple[str, ...] = ()
    """The pointers that it goes through, one for each arm of a choice, where it is one of several."""
    fixed: frozenset[str] = frozenset()
    """The keys of steps that are never made: a condition holds at one number alone, or on the way out of a loop."""


@dataclass(frozen=True)
class Counted:
    """A loop: its place, how often it runs for each choice (None: not known), and that as it is written."""

    place: Place
    trips: tuple[Fraction | None, ...]
    said: str
    exits: bool = False


def value_of(name: str, sample: int) -> int:
    """The value that a name is given: no two alike, sizes whole multiples of 64."""
    digest = zlib.crc32(f"{name} {sample}".encode())
    if name.startswith(("loop", "get_global_id", "get_local_id", "get_group_id")):
        return 1 + digest % 5
    return 64 * (8 + digest % 1013)


class _Side(ABC):
    """One reading of a kernel, with values for what its formulas take."""

    def _evaluated(self, number: Polynomial | None, sample: int, depth: int = 0) -> Fraction | None:
        """A formula's value in a sample; None without one."""
        if number is None or depth > _DEPTH:
            return None
        values = {name: self._value(name, sample, depth) for name in number.symbols}
        return number.evaluate({n: v for n, v in values.items() if v is not None})

    @abstractmethod
    def _value(self, name: str, sample: int, depth: int) -> Fraction | int | None:
        """The value of a symbol in a sample; None without one."""


class Ours(_Side):
    """One kernel as it is read here."""

    def __init__(self, kernel: KernelAssessment, source: Source, target: object) -> None:
        self.facts: KernelFacts = kernel.facts
        self._source = source
        self._served = served_accesses(kernel.facts, target)  # type: ignore[arg-type]
        self._places = {one.id: self._place(one) for one in kernel.facts.accesses}
        self._units = [u for u in kernel.lsus if u.space == "global"]

    def served(self) -> set[tuple[Place, str, str]]:
        """Where accesses are that others serve: they have no unit of their own in the vendor's reports.

        So are those of equal addresses in arms of a condition, which are one member of a unit for each arm.
        """
        kept = {member for group in self._asked() for member in group[:1]}
        members = {member for unit in self._units for member in unit.members}
        own = (self.facts.accesses[n] for n in {*self._served, *(members - kept)})
        return {(self._places[a.id], a.op, a.pointer) for a in own}

    def accesses(self) -> list[Touched]:
        """The accesses that ask the memory, those of equal addresses in one unit once, and those of several units."""
        every = (self.facts.accesses[group[0]] for group in self._asked())
        return [self._touched(a) for a in every if not self._copied(a)]

    def _asked(self) -> list[list[int]]:
        """What asks the memory: accesses of equal addresses in one unit together."""
        found, before = list[list[int]](), set[int]()
        for unit in self._units:
            groups: dict[object, list[int]] = defaultdict(list)
            for member in unit.members:
                access = self.facts.accesses[member]
                if member in before or member in self._served or access.hint == "printf" or access.op == "atomic":
                    continue
                key = (access.offset, access.loops, access.element_bytes) if access.offset is not None else member
                groups[key].append(member)
            before.update(unit.members)
            found += groups.values()
        return found

    def _copied(self, access: Access) -> bool:
        return any(self.facts.loops[i].kind == "copy" for i in access.loops)

    def _touched(self, access: Access) -> Touched:
        steps: dict[str, int | None] = {}
        fixed, once = set[str](), self._once(access)
        for number in access.loops:
            loop = self.facts.loops[number]
            step = self._step(access.offset, lambda s, n=number: s.loop == n)  # type: ignore[misc]
            place = named(self._loop_place(loop))
            steps[place] = step
            if loop.counter in once or any(number in guard.leaves for guard in access.guards):
                fixed.add(place)
        for kind, name in _IDS.items():
            for d in range(3):
                step = self._step(access.offset, lambda s, k=kind, d=d: s.kind == k and s.dimension == d)  # type: ignore[misc]
                if step != 0 and access.offset is not None:
                    steps[f"{name}:{d}"] = step
                if any(s.kind == kind and s.dimension == d for s in (self.facts.symbols[n] for n in once)):
                    fixed.add(f"{name}:{d}")
        return Touched(
            self._place(access), access.op, access.pointer, access.element_bytes, tuple(sorted(steps.items())),
            str(access.offset), fixed=frozenset(fixed),
        )  # fmt: skip

    def _once(self, access: Access) -> set[str]:
        """The counters and ids that conditions around an access hold at one number."""
        found = set[str]()
        for guard in access.guards:
            symbol = self.facts.symbols.get(str(guard.condition))
            if symbol is not None and symbol.operation == "equal":
                first, second = symbol.operands
                apart = first - second
                names = [n for n in apart.symbols if self.facts.symbols[n].kind in {"loop", *_IDS}]
                found.update(names if len(names) == len(apart.symbols) == 1 else ())
        return found

    def _place(self, access: Access) -> Place:
        span = access.assigned_at or access.expanded_at or access.span
        return span.file, self._source.lines_of(span.file).line_of(span.start) + 1

    def _loop_place(self, loop: Loop) -> Place:
        return loop.span.file, self._source.lines_of(loop.span.file).line_of(loop.span.start) + 1

    def _step(self, offset: Polynomial | None, counts: Callable[[Symbol], bool]) -> int | None:
        return own_step(self.facts.symbols, offset, counts)

    def loops(self) -> list[Counted]:
        """The loops of the text."""
        return [
            Counted(
                self._loop_place(one), tuple(self._evaluated(one.trip, n) for n in range(SAMPLES)), str(one.trip),
                one.early_exit,
            )
            for one in self.facts.loops if one.kind != "copy"
        ]  # fmt: skip

    def _value(self, name: str, sample: int, depth: int) -> Fraction | int | None:
        symbol = self.facts.symbols.get(name)
        if symbol is None:
            return None
        if symbol.operation is not None:
            operands = [self._evaluated(o, sample, depth + 1) for o in symbol.operands]
            if any(o is None or o.denominator != 1 for o in operands):
                return None
            numbers = [int(o) for o in operands if o is not None]
            if symbol.operation in _AS_IN_C and numbers[1]:
                return _FUNCTIONS[_AS_IN_C[symbol.operation]](numbers)
            return operate(symbol.operation, numbers)
        if symbol.kind in _IDS | _SIZES:
            return value_of(f"{(_IDS | _SIZES)[symbol.kind]}:{symbol.dimension}", sample)
        if symbol.kind == "loop" and symbol.loop is not None:
            return value_of(f"loop {named(self._loop_place(self.facts.loops[symbol.loop]))}", sample)
        if symbol.kind == "argument":
            return value_of(name, sample)
        if symbol.kind == "loaded" and symbol.loaded_from is not None:
            source = self.facts.accesses[symbol.loaded_from]
            at = self._evaluated(source.offset, sample, depth + 1)
            return None if at is None else value_of(f"load {source.pointer} {at}", sample)
        return None


class Theirs(_Side):
    """One kernel as LLVM leaves it."""

    def __init__(self, kernel: LlvmKernel, source: Source) -> None:
        self._kernel, self._source = kernel, source

    def accesses(self) -> list[Touched]:
        """The accesses that are left. What comes from one column of the text, in one call, is one there.

        LLVM makes several of it where it takes a copy of a structure apart, or turns a loop so that its condition is
        checked in front of the loop and at its end.
        """
        written: dict[object, list[LlvmAccess]] = defaultdict(list)
        for number, one in enumerate(self._kernel.accesses):
            key = number if one.place < 0 else (one.op, one.pointer, one.arms, one.place, one.call_places)
            written[key].append(one)
        return [self._touched(_one_of(group)) for group in written.values()]

    def _touched(self, access: LlvmAccess) -> Touched:
        steps = {
            named(self._loop_place(self._kernel.loops[number])): step
            for number, step in zip(access.loops, access.loop_steps, strict=True)
        }
        return Touched(
            self._place(access.place), access.op, access.pointer or " or ".join(sorted({*access.arms})),
            access.size_bytes, tuple(sorted((steps | access.item_steps).items())), str(access.offset), access.arms,
        )  # fmt: skip

    def _place(self, place: int) -> Place:
        return user_line(self._source, place) if place >= 0 else (None, 0)

    def _loop_place(self, loop: LlvmLoop) -> Place:
        return self._place(loop.place)

    def loops(self) -> list[Counted]:
        """The loops that are left."""
        return [
            Counted(self._loop_place(one), tuple(self._evaluated(one.trip, n) for n in range(SAMPLES)), str(one.trip))
            for one in self._kernel.loops
        ]

    def _value(self, name: str, sample: int, depth: int) -> Fraction | int | None:
        if name.startswith("get_") or (name[:1] not in "%?" and name.isidentifier()):
            return value_of(name, sample)
        if name.startswith("loop:"):
            header = next((one for one in self._kernel.loops if one.header == name[5:]), None)
            return value_of(f"loop {named(self._loop_place(header))}", sample) if header else None
        operation, operands = self._kernel.operands.get(name, ("", ()))
        values = [self._evaluated(o, sample, depth + 1) for o in operands]
        if not values or any(v is None for v in values):
            return None
        if operation.startswith("load "):
            return value_of(f"{operation} {values[0]}", sample)
        return _computed(operation, [v for v in values if v is not None])


def _one_of(group: Sequence[LlvmAccess]) -> LlvmAccess:
    """The instructions of one access of the text as one: of those in most loops the first, with all that it reads."""
    deepest = max(group, key=lambda one: len(one.loops))
    ends = [
        (int(by), int(by) + a.size_bytes)
        for a in group
        if a.loops == deepest.loops and (by := (a.offset - deepest.offset).constant) is not None
    ]
    return replace(deepest, size_bytes=max(end for _, end in ends) - min(start for start, _ in ends))


def _computed(operation: str, values: Sequence[Fraction]) -> Fraction | int | None:
    plain = operation.removesuffix("_seq")
    if plain in _FUNCTIONS and all(v.denominator == 1 for v in values):
        try:
            return _FUNCTIONS[plain]([int(v) for v in values])
        except ZeroDivisionError:
            return None
    return None


def _two(function: Callable[[int, int], int], values: Sequence[int]) -> int:
    return function(values[0], values[1])


_AS_IN_C = {"quotient": "sdiv", "remainder": "srem"}
"""Ours of negative numbers are divisions, as a rule: shifts and masks round them otherwise."""
_FUNCTIONS: Mapping[str, Callable[[Sequence[int]], int]] = {
    "smin": min, "umin": min, "smax": max, "umax": max,
    **{n: partial(_two, lambda a, b: int(a / b) if a % b else a // b) for n in ("/u", "udiv", "sdiv")},
    **{n: partial(_two, lambda a, b: a - b * int(a / b)) for n in ("urem", "srem")},
    "and": partial(_two, lambda a, b: a & b), "or": partial(_two, lambda a, b: a | b),
    "xor": partial(_two, lambda a, b: a ^ b), "shl": partial(_two, lambda a, b: a << min(b, 64)),
    **{n: partial(_two, lambda a, b: a >> min(b, 64)) for n in ("lshr", "ashr")},
    "trunc8": lambda values: values[0] & 255, "trunc16": lambda values: values[0] & 65535,
}  # fmt: skip


def named(place: Place) -> str:
    """A place as a name."""
    return f"{place[0] or ''}:{place[1]}"
