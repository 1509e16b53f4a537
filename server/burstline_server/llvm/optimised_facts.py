"""The facts that LLVM gives of a kernel: surviving accesses with their steps, loops with their trip counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.llvm.ir import Kernel, Touch
from burstline_server.llvm.llvm_text import Question
from burstline_server.llvm.scalar_evolution import Analysis, Reader, constant_steps

NAMED_SPACE = 1
GLOBAL_SPACES = frozenset({NAMED_SPACE, 4})
"""Global memory, and pointers to no named memory."""
IDS = ("get_global_id", "get_local_id", "get_group_id")


@fixed
class LlvmAccess:
    """A load or store of global memory that is left.

    Places are offsets in the parsed text, -1 for an access that moved or that several became.
    `pointer` is the kernel's argument that it goes through, "" where that is one of several (`arms` has them, one for
    each arm that leads to it) or comes from memory. `offset` counts bytes from there. `loops` are the loops around it
    by number, from the outside. `loop_steps` has for each of them the bytes between two iterations, `item_steps` those
    between neighbouring work-items by id (``get_global_id:0``); None: no number.
    `guarded`: not every iteration of the innermost loop (without one: not every work-item) reaches it.
    """

    op: str
    pointer: str
    size_bytes: int
    place: int
    call_places: tuple[int, ...]
    offset: Polynomial
    loops: tuple[int, ...]
    loop_steps: tuple[int | None, ...]
    item_steps: dict[str, int | None]
    guarded: bool
    volatile: bool
    arms: tuple[str, ...] = ()


@fixed
class LlvmLoop:
    """A loop that is left: where it begins in the parsed text (-1: not known), and its trips, None where unknown."""

    id: int
    header: str
    parent: int | None
    place: int
    trip: Polynomial | None


@fixed
class LlvmKernel:
    """One kernel. `operands` has the operation that a symbol was made for."""

    name: str
    accesses: tuple[LlvmAccess, ...]
    loops: tuple[LlvmLoop, ...]
    operands: dict[str, tuple[str, tuple[Polynomial, ...]]] = field(default_factory=dict)


def facts_of(kernel: Kernel, analysis: Analysis, asked: Question) -> LlvmKernel:
    """The facts of one kernel's code."""
    return _Reading(kernel, analysis, asked).facts()


@dataclass
class _Reading:
    kernel: Kernel
    analysis: Analysis
    asked: Question

    def __post_init__(self) -> None:
        self.numbers = {header: n for n, header in enumerate(self.analysis.loops)}
        self.reader = Reader(self._named, self._moves)
        self._exact = Reader(self._named, lambda _: False, self.reader.operands)
        self.ids = sorted({n for v in self.kernel.values if (n := self.kernel.identity(v)) and n.startswith(IDS)})
        self._known: dict[str, Polynomial] = {}

    def facts(self) -> LlvmKernel:
        loops = tuple(self._loop(header) for header in self.analysis.loops)
        accesses = tuple(a for touch in self.kernel.touches if (a := self._access(touch)) is not None)
        return LlvmKernel(self.kernel.name, accesses, loops, self.reader.operands)

    def _named(self, value: str) -> str:
        if value in self.kernel.arguments:
            return value[1:]
        return self.kernel.identity(value) or value

    def _moves(self, symbol: str) -> bool:
        return symbol.startswith(("loop:", *IDS)) or (symbol in self.kernel.home and bool(self._around(symbol)))

    def _around(self, value: str) -> list[str]:
        return self._loops_of(self.kernel.home.get(value, ""))

    def _loops_of(self, block: str) -> list[str]:
        """The headers of the loops around a block, from the outside."""
        inside = [loop for loop in self.analysis.loops.values() if block in loop.blocks]
        return [one.header for one in sorted(inside, key=lambda one: -len(one.blocks))]

    def value(self, name: str) -> Polynomial:
        """What a value is, with pointers to no named memory as what they were cast from."""
        if name not in self._known:
            self._known[name] = Polynomial.symbol(self._named(name))
            found = self.reader.read(self.analysis.values.get(name, name))
            self._explain(name)
            for symbol in self._reached(found):
                if symbol[0] == "%":
                    self.value(symbol)
            cast = {s: self.value(u) for s in found.symbols if s[:1] == "%" and (u := self.kernel.uncast(s)) != s}
            self._known[name] = found.substitute(cast)
        return self._known[name]

    def _exactly(self, name: str) -> Polynomial:
        """The same with minima and maxima as they are, for a count: at the borders a loop runs as often as they say."""
        self.value(name)
        found = self._exact.read(self.analysis.values.get(name, name))
        for symbol in self._reached(found):
            if symbol[0] == "%":
                self.value(symbol)
        return found

    def _explain(self, name: str) -> None:
        """Remember what a value that has no evolution is made of, as far as integers go."""
        made = self.kernel.operation(name)
        if made is None or name in self.reader.operands:
            return
        self.reader.operands[name] = ("", ())
        operation, operands = made
        read = self.value if operation == "load" else self._exactly
        values = tuple(read(o) if o[0] in "%@" else Polynomial.number(int(o)) for o in operands)
        if operation == "load":
            pointers = [p[1:] for p in self.kernel.pointers if p[1:] in values[0].symbols]
            operation = f"load {pointers[0] if pointers else ''}"
            values = (values[0].without(pointers),)
        self.reader.operands[name] = (operation, values)

    def _loop(self, header: str) -> LlvmLoop:
        loop = self.analysis.loops[header]
        at = self.kernel.loop_places.get(header) or self.kernel.entered_from(header, loop.blocks)
        count = self.analysis.counts.get(header)
        trip = self._exact.read(count) + Polynomial.number(1) if count is not None else None
        for symbol in [s for s in self._reached(trip) if s[0] == "%"] if trip is not None else ():
            self.value(symbol)
        parent = self.numbers.get(loop.parent) if loop.parent is not None else None
        return LlvmLoop(self.numbers[header], header, parent, self.asked.place(*at) if at else -1, trip)

    def _access(self, touch: Touch) -> LlvmAccess | None:
        address = self.value(touch.pointer)
        base = [p for p in self.kernel.pointers if (c := address.coefficient(p[1:])) is not None and c.constant == 1]
        starts = self.kernel.begins_at(touch.pointer) if len(base) != 1 else []
        arms = [one for one in starts if one in self.kernel.pointers]
        loaded = touch.space == NAMED_SPACE and any(self.kernel.values.get(s, "").startswith("load ") for s in starts)
        if touch.space not in GLOBAL_SPACES or (len(base) != 1 and not arms and not loaded):
            return None
        pointer = base[0][1:] if len(base) == 1 else ""
        headers = self._loops_of(touch.block)
        offset = address - Polynomial.symbol(pointer) if pointer else address
        pointer = arms[0][1:] if len({*arms}) == 1 else pointer
        places = tuple(self.asked.place(*at) for at in touch.places) or (-1,)
        steps = constant_steps(offset, {f"loop:{h}": self._varying(h, offset) for h in headers})
        ids = self.ids if self._reached(offset) & {*self.ids} or self._hidden(offset) else ()
        items = constant_steps(offset, {i: self._with_id(i, offset) for i in ids})
        return LlvmAccess(
            touch.op, pointer, touch.size_bytes, places[0], places[1:], offset,
            tuple(self.numbers[h] for h in headers), tuple(steps[f"loop:{h}"] for h in headers), items,
            self._is_guarded(touch.block, headers), touch.volatile,
            () if pointer else tuple(a[1:] for a in arms),
        )  # fmt: skip

    def _reached(self, offset: Polynomial) -> set[str]:
        """The symbols of an offset, and those that these are made of."""
        found, to_do = set[str](), list(offset.symbols)
        while to_do:
            symbol = to_do.pop()
            if symbol not in found:
                found.add(symbol)
                to_do += [s for part in self.reader.operands.get(symbol, ("", ()))[1] for s in part.symbols]
        return found

    def _made_of(self, symbol: str) -> set[str]:
        return self._reached(Polynomial.symbol(symbol)) - {symbol}

    def _varying(self, header: str, offset: Polynomial) -> frozenset[str]:
        """The symbols of an offset that change in a loop in another way than as its counter."""
        blocks = self.analysis.loops[header].blocks
        return frozenset(
            s for s in offset.symbols
            if self.kernel.home.get(s) in blocks or s.startswith("?")
            or any(m == f"loop:{header}" or self.kernel.home.get(m) in blocks for m in self._made_of(s))
        )  # fmt: skip

    def _with_id(self, name: str, offset: Polynomial) -> frozenset[str]:
        return frozenset(s for s in offset.symbols if name in self._made_of(s) or self._hidden(Polynomial.symbol(s)))

    def _hidden(self, number: Polynomial) -> bool:
        """Whether a number holds values of which it is not known what they vary with."""
        return any(s[0] in "?%" and not self.reader.operands.get(s, ("", ()))[1] for s in self._reached(number))

    def _is_guarded(self, block: str, headers: Sequence[str]) -> bool:
        kernel = self.kernel
        if not headers:
            return kernel.misses(kernel.entry, block, kernel.exits)
        inside = self.analysis.loops[headers[-1]].blocks
        latches = frozenset(b for b in inside if headers[-1] in kernel.follows.get(b, ()))
        return block != headers[-1] and kernel.misses(headers[-1], block, latches, inside)
