"""What a user may assert of a kernel's data, and the watch that sees in a run whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from burstline_model.record import fixed
from burstline_server.interpreter.code import RUNTIME
from burstline_server.interpreter.exact_terms import ExactTerms
from burstline_server.interpreter.memory import FUNCTIONS, Block, Pair, size_of_code
from burstline_server.interpreter.run import Item
from burstline_server.interpreter.verdicts import PromiseKind

Place: TypeAlias = tuple[str, int]
"""A buffer and a byte of it."""


@fixed
class Promise:
    """What never happens in `buffers`.

    No iteration of the loop at `loop` (an offset of the text) touches what another one stores; what was stored is not
    read later; what was loaded is not stored to later; none of so many `parts` of the loop's iterations, in consecutive
    blocks, touches what another one stores. A run in which that loop turns less often than that shows nothing. With
    `terms`, the expressions of the text (first byte, byte after the last) that the loop adds to a variable, or
    multiplies it with: the result is exact in any order. `items` are loops over what were work-items: what one of them
    did is over for the next.
    """

    kind: PromiseKind
    buffers: frozenset[str]
    loop: int = -1
    terms: frozenset[tuple[int, int]] = frozenset()
    items: frozenset[int] = frozenset()
    parts: int = 2


@fixed
class BrokenAt:
    """A promise that a run broke, and where."""

    kind: PromiseKind
    buffer: str
    offset: int


class _Kept:
    """A promise in a run: which turn of its loop stored to each byte last, and which one touched it."""

    def __init__(self, promise: Promise) -> None:
        self.promise = promise
        self.broken: BrokenAt | None = None
        self.turn = self.most_turns = 0
        self.of_loop = promise.kind in {"iterations_apart", "halves_apart"}
        self.terms: ExactTerms | None = None
        self.inside = not self.of_loop
        self.stored: dict[Place, tuple[int, int]] = {}
        self.touched: dict[Place, tuple[int, int]] = {}

    def begin(self) -> None:
        """Begin another launch, or another work-item."""
        self.stored, self.touched = {}, {}

    def enter(self) -> None:
        """Begin the loop."""
        self.turn = 0
        if self.of_loop:
            self.inside = True
            self.stored, self.touched = {}, {}
        self.terms = None

    def term(self, bits: int, held: float, term: float, *, product: bool) -> None:
        """Count what is added to, or multiplied with, what a variable of so many bits of precision holds."""
        if self.terms is None:
            self.terms = ExactTerms(bits, product)
            self.terms.add(held)
        if not self.terms.add(term):
            self._break(("", 0))

    def load(self, place: Place) -> None:
        """Count a load of a byte."""
        match self.promise.kind:
            case "iterations_apart":
                if place in self.stored and self.stored[place][1] != self.turn:
                    self._break(place)
            case "not_read_later":
                if place in self.stored:
                    self._break(place)
            case _:
                pass
        self._add(self.touched, place)

    def store(self, place: Place) -> None:
        """Count a store to a byte."""
        match self.promise.kind:
            case "iterations_apart":
                if place in self.touched and self.touched[place] != (self.turn, self.turn):
                    self._break(place)
            case "not_stored_later":
                if place in self.touched and place not in self.stored:
                    self._break(place)
            case _:
                pass
        self._add(self.touched, place)
        self._add(self.stored, place)

    def leave(self) -> None:
        """The loop ends: the blocks of its iterations are known."""
        turns = max(self.turn - 1, 0)
        self.inside = not self.of_loop
        self.most_turns = max(self.most_turns, turns)
        if self.promise.kind != "halves_apart":
            return
        # With a step, what is left over of the bounds may take an iteration from each block.
        blocks = {turns // self.promise.parts, max(turns - 1, 0) // self.promise.parts}
        borders = {block * part for block in blocks for part in range(1, self.promise.parts)}
        for place, (first, last) in self.stored.items():
            least, most = self.touched[place]
            # Turns count from 1.
            if any(first <= border < most or least <= border < last for border in borders):
                self._break(place)

    def _add(self, seen: dict[Place, tuple[int, int]], place: Place) -> None:
        seen[place] = seen[place][0] if place in seen else self.turn, self.turn

    def _break(self, place: Place) -> None:
        self.broken = self.broken or BrokenAt(self.promise.kind, *place)


class Watch:
    """Sees the loads and stores of buffers in a run, and the turns of the loops that promises are about."""

    def __init__(self, promises: Sequence[Promise]) -> None:
        self.promises = tuple(promises)
        self.loops = frozenset(p.loop for p in promises if p.loop >= 0).union(*(p.items for p in promises))
        self.names = frozenset(name for p in promises for name in p.buffers)
        self.terms = frozenset(at for p in promises for at in p.terms)
        self._kept: list[_Kept] = []
        self.start()

    def start(self, *, again: bool = False) -> None:
        """Begin a run; `again`: another launch of the same one, for which what came before is over."""
        if again:
            for one in self._kept:
                one.begin()
        else:
            self._kept = [_Kept(promise) for promise in self.promises]

    def broken(self) -> BrokenAt | None:
        """The first promise that the run broke."""
        return next((one.broken for one in self._kept if one.broken is not None), None)

    def is_tested(self) -> bool:
        """Whether each loop that a promise is about had a turn for each of its parts at least."""
        return all(one.most_turns >= one.promise.parts for one in self._kept if one.promise.loop >= 0)

    def enter(self, loop: int) -> None:
        """A loop begins."""
        for one in self._of(loop):
            one.enter()

    def turn(self, loop: int) -> None:
        """Another turn of a loop begins, or it finds that there is none."""
        for one in self._kept:
            if loop in one.promise.items:
                one.begin()
        for one in self._of(loop):
            one.turn += 1

    def leave(self, loop: int) -> None:
        """A loop ends."""
        for one in self._of(loop):
            one.leave()

    def term(self, at: tuple[int, int], bits: int, held: float, term: float, product: bool) -> float:
        """A term is added to, or multiplied with, what a variable holds; returns the term."""
        for one in self._kept:
            if at in one.promise.terms:
                one.term(bits, held, term, product=product)
        return term

    def load(self, block: Block, offset: int, size: int) -> None:
        """Some bytes of a buffer are loaded."""
        for one in self._kept if block.name in self.names else ():
            if one.inside and block.name in one.promise.buffers:
                for byte in range(offset, offset + size):
                    one.load((block.name, byte))

    def store(self, block: Block, offset: int, size: int) -> None:
        """Some bytes of a buffer are stored to."""
        for one in self._kept if block.name in self.names else ():
            if one.inside and block.name in one.promise.buffers:
                for byte in range(offset, offset + size):
                    one.store((block.name, byte))

    def _of(self, loop: int) -> list[_Kept]:
        return [one for one in self._kept if one.promise.loop == loop]

    def functions(self) -> Mapping[str, Any]:
        """Loads and stores by the names that generated code uses, watched."""
        found: dict[str, Any] = {
            "W": self, "load_record": self._load_record, "store_record": self._store_record, "copied": self._copied,
        }  # fmt: skip
        for name, function in FUNCTIONS.items():
            if name[:2] in {"L_", "S_"}:
                found[name] = (self._loader if name[0] == "L" else self._storer)(function, size_of_code(name[2:]))
        return found

    def _loader(self, load: Callable[[Block, int], Any], size: int) -> Callable[[Block, int], Any]:
        def watched(block: Block, offset: int) -> Any:
            self.load(block, offset, size)
            return load(block, offset)

        return watched

    def _storer(self, store: Callable[[Block, int, Any], Any], size: int) -> Callable[[Block, int, Any], Any]:
        def watched(block: Block, offset: int, value: Any) -> Any:
            self.store(block, offset, size)
            return store(block, offset, value)

        return watched

    def _load_record(self, block: Block, offset: int, size: int) -> bytes:
        self.load(block, offset, size)
        found: bytes = FUNCTIONS["load_record"](block, offset, size)
        return found

    def _store_record(self, block: Block, offset: int, value: bytes) -> bytes:
        self.store(block, offset, len(value))
        found: bytes = FUNCTIONS["store_record"](block, offset, value)
        return found

    def _copied(self, item: Item, to: Pair, source: Pair, size: int, count: int, steps: tuple[int, int]) -> int:
        copied: Callable[..., int] = RUNTIME["copied"]  # type: ignore[assignment]
        found = copied(item, to, source, size, count, steps)
        for i in range(found):
            self.load(source[0], source[1] + i * steps[1] * size, size)
            self.store(to[0], to[1] + i * steps[0] * size, size)
        return found
