"""The reader of one kernel: walks its statements once, in order, and writes down what happens to memory.

It interprets the kernel abstractly: integers are polynomials over ids, counters and arguments, pointers byte offsets
from their buffer, all else "some value that depends on …". `expressions`, `calls`, `statements`, `loops` read syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Literal

from tree_sitter import Node

from burstline_model.body_operations import Folded
from burstline_model.facts import Access, Barrier, Choice, LocalArray, Loop, Remark, RemarkKind, Span
from burstline_model.polynomial import MAX_TERMS, Polynomial, TooComplexError
from burstline_server.analysis import source_spans
from burstline_server.analysis.assignments import Assignments
from burstline_server.analysis.carried import steps_of
from burstline_server.analysis.carried_arrays import PrivateArrays, in_registers
from burstline_server.analysis.chains import extended, from_loads, load_mark, marks_in_use
from burstline_server.analysis.folding import picking_loops
from burstline_server.analysis.frames import Frame, Function, OpenAccess, OpenChannel, OpenGuard, Variable, declare_in
from burstline_server.analysis.later_stores import Reads, loaded_here, stored_after
from burstline_server.analysis.logic import truth
from burstline_server.analysis.nodes import base_of, one_line
from burstline_server.analysis.shifts import Taps, is_shift
from burstline_server.analysis.symbol_table import SymbolTable
from burstline_server.analysis.tables import Table, element_of
from burstline_server.analysis.types import UNKNOWN, CType, TypeTable
from burstline_server.analysis.values import MAX_SYMBOLS, Pointer, Value, combined
from burstline_server.source.source import Source

MAX_DEPTH = 200
"""Deepest nesting of syntax that is followed."""
MAX_STEPS = 200_000
"""Most syntax nodes read for one kernel, helper functions counted at every call."""
MAX_ACCESSES = 6_000
"""Most accesses of one kernel that are costed."""
_RECORDED = (
    "accesses", "arrays", "barriers", "call_names", "calls", "channels", "combined", "contents", "guards",
    "leaving_loads", "loaded", "loop_guards", "loops", "mixed", "observed", "on_chip_reads", "operations", "picked",
    "left_by_data", "pointers", "remarks", "stored", "storing", "tables", "taps", "undefined",
)  # fmt: skip
"""What is written down while a kernel is read."""
OperationKey = tuple[tuple[int, ...], str, int, tuple[int, ...] | None, Folded | None]
"""The loops that an operation is in, kind, width in bits, the loops that copy it, and what unrolling leaves of it."""
Expression = Callable[["Reader", Node], Value]
Statement = Callable[["Reader", Node], None]


@dataclass(slots=True)
class Reader:
    """The shared state. `evaluate` and `run` dispatch on the type of the node."""

    source: Source
    types: TypeTable
    functions: Mapping[str, Function]
    expressions: Mapping[str, Expression]
    statements: Mapping[str, Statement]
    file_scope: dict[str, Variable]
    symbols: SymbolTable = field(default_factory=SymbolTable)
    assignments: Assignments = field(default_factory=Assignments)
    frames: list[Frame] = field(default_factory=lambda: [Frame()])
    calls: list[Span] = field(default_factory=list)
    call_names: list[str] = field(default_factory=list)
    guards: list[OpenGuard] = field(default_factory=list)
    loop_guards: dict[int, tuple[OpenGuard, ...]] = field(default_factory=dict)
    """The conditions around each loop of the text."""
    leaving_loads: dict[int, frozenset[int]] = field(default_factory=dict)
    left_by_data: set[int] = field(default_factory=set)
    open_loops: list[int] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    accesses: list[OpenAccess] = field(default_factory=list)
    arrays: dict[str, LocalArray] = field(default_factory=dict)
    channels: list[OpenChannel] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    remarks: dict[tuple[RemarkKind, tuple[str, ...]], Remark] = field(default_factory=dict)
    undefined: dict[str, Span] = field(default_factory=dict)
    """Names that nobody declares, each with its first use: macros of the command line, as a rule."""
    tables: dict[str, Table] = field(default_factory=dict)
    """The elements of constant tables, by name."""
    picked: dict[str, frozenset[int] | None] = field(default_factory=dict)
    """The loops that pick elements of private arrays, by name; None where anything else does."""
    taps: dict[str, Taps] = field(default_factory=dict)
    """Where private arrays are read and moved along, by name."""
    uses_ids: bool = False
    linear_ids: bool = False  # whether an id that counts over all dimensions is asked for
    index_first: bool = False  # whether an element is written with its index first
    contents: dict[str, Value] = field(default_factory=dict)
    """What private and local arrays hold, as one value each: everything that was stored in them."""
    pointers: dict[tuple[str, int | None], Pointer] = field(default_factory=dict)
    """The pointers that private structures and arrays hold, by root and byte offset (None: at a place not known)."""
    mixed: set[frozenset[str]] = field(default_factory=set)  # buffers that one pointer may lead to
    on_chip_reads: Reads = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    """The private and local arrays that something is stored to."""
    storing: set[tuple[int, int]] = field(default_factory=set)
    """For each store to memory: the loop that it is in, and the number of loops that began before it."""
    observed: set[str] = field(default_factory=set)
    """The marks of carried values of which an iteration uses the result: stores it, or picks a place by it."""
    loaded: dict[tuple[str, Polynomial | None, str], str] = field(default_factory=dict)
    """Symbols of values loaded since the last store that could change them, by address."""
    operations: dict[OperationKey, int] = field(default_factory=dict)
    """How many operations there are of each sort; lanes one by one."""
    combined: set[tuple[str, Polynomial, Polynomial]] = field(default_factory=set)
    """Integers that an operator has combined so far."""
    private: PrivateArrays = field(default_factory=PrivateArrays)
    mark: Node | None = None
    """What debug information names now: the statement, or the call that was begun last in it."""
    silent: int = 0
    """Above zero while something is evaluated for its value only and leaves no trace."""
    _depth: int = 0
    _steps: int = 0

    # -- reading -------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Let new symbols know the loops that they are made in, and assignments the functions that are called."""
        self.assignments.helpers.functions = self.functions
        self.symbols.open_loops = self.open_loops

    def evaluate(self, node: Node | None) -> Value:
        """The value of an expression; its loads and stores are recorded on the way."""
        if node is None or not self._enter(node):
            return Value()
        handler = self.expressions.get(node.type)
        self._depth += 1
        try:
            if handler is not None:
                value = handler(self, node)
            else:
                value = combined(UNKNOWN, *[self.evaluate(child) for child in node.named_children])
            return value if len(value.symbols) <= MAX_SYMBOLS else self.symbols.gathered(value)
        except TooComplexError:
            self.remark(node, "index_too_complex", str(MAX_TERMS))
            return Value()
        finally:
            self._depth -= 1

    def run(self, node: Node | None) -> None:
        """Read a statement."""
        if node is None or not self._enter(node):
            return
        handler = self.statements.get(node.type)
        self.begin(node)
        self._depth += 1
        try:
            if handler is not None:
                handler(self, node)
            elif node.type in self.expressions:
                self.evaluate(node)
            else:
                for child in node.named_children:
                    self.run(child)
        finally:
            self._depth -= 1

    def begin(self, node: Node) -> None:
        """From here on debug information names a statement or a call."""
        if not self.silent:
            self.mark = node

    def _enter(self, node: Node) -> bool:
        self._steps += 1
        if self._depth > MAX_DEPTH:
            self.remark(node, "nested_more", str(MAX_DEPTH))
            return False
        if self._steps > MAX_STEPS or len(self.accesses) > MAX_ACCESSES:
            self.remark(node, "kernel_too_large")
            return False
        return True

    def constant(self, node: Node) -> int | None:
        """The value of a constant expression, without recording anything."""
        number = self.evaluate_quietly(node).number
        return number.constant if number is not None else None

    def whole(self, node: Node) -> int | None:
        """The value of a constant expression, integer or real, that is a whole number."""
        ratio = self.evaluate_quietly(node).as_ratio
        return ratio[0].constant if ratio is not None and ratio[1].constant == 1 else None

    def evaluate_quietly(self, node: Node | None) -> Value:
        """The value of an expression, without recording anything."""
        with self.quietly():
            return self.evaluate(node)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Evaluate for values only: nothing is recorded, no variable changes."""
        self.silent += 1
        try:
            yield
        finally:
            self.silent -= 1

    def trial(self) -> Reader:
        """A copy to read ahead with: what it records and assigns leaves this reader as it is.

        Both share their symbols, which name values and are never taken back, and with them the list of open loops.
        """
        other = copy(self)
        for name in _RECORDED:
            setattr(other, name, copy(getattr(self, name)))
        other.frames = [frame.copy() for frame in self.frames]
        other.private = self.private.copy()
        other.silent = 0
        return other

    def add_effort(self, trial: Reader) -> None:
        """Count what a copy has read ahead: it is bounded together with the rest."""
        self._steps = trial._steps

    def stepped(self, value: Value, type_: CType, operation: str) -> Value:
        """A value that one more operation on `type_` gave."""
        if self.silent or (value.number is not None and value.number.constant is not None):
            return value
        scalar = type_.element if type_.kind == "vector" and type_.element is not None else type_
        kind = f"{scalar.name if scalar.kind == 'real' else 'int'} {operation}"
        return value._replace(chains=extended(value.chains, kind, tuple(self.open_loops))) if value.chains else value

    # -- names ---------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The call being read."""
        return self.frames[-1]

    def find(self, name: str) -> Variable | None:
        """The variable `name` in the current call or at file scope."""
        for scope in reversed(self.frames[-1].scopes):
            if name in scope:
                return scope[name]
        return self.file_scope.get(name)

    def declare(self, name: str, variable: Variable) -> None:
        """Declare in the innermost scope, with the integers that the variable is made of."""
        declare_in(self.frame.scopes[-1], name, variable)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block: names declared inside end with it."""
        self.frame.scopes.append({})
        try:
            yield
        finally:
            self.frame.scopes.pop()

    # -- positions -----------------------------------------------------------------------------------

    def span(self, node: Node) -> Span:
        """Where the user sees the node."""
        return source_spans.node_span(self.source, node)

    def span_of(self, start: int, end: int) -> Span:
        """Where the user sees a range of the parsed text."""
        return source_spans.span_of(self.source, start, end)

    def remark(self, node: Node, kind: RemarkKind, *names: str) -> None:
        """Report once per cause what could not be read."""
        if not self.silent:
            self.remarks.setdefault((kind, names), Remark(span=self.span(node), kind=kind, names=names))

    def notice_ids(self, value: Value) -> None:
        """A value is used: a work-item id in it makes the kernel an NDRange one (an unused id is dead code)."""
        if not self.uses_ids and not self.silent:
            self.uses_ids = bool(self.symbols.asked) and not self.symbols.asked.isdisjoint(value.varies_with())

    # -- memory --------------------------------------------------------------------------------------

    def record(
        self,
        op: Literal["load", "store", "atomic"],
        node: Node,
        pointer: Pointer,
        type_: CType,
        *,
        index: str = "",
        bytes_: int | None = None,
        stored: Value | None = None,
        atomic: str | None = None,
        hint: str | None = None,
        cache_bytes: int | None = None,
        packed: bool = False,
    ) -> int | None:
        """Write down an access; returns its id, or None when it leaves no trace (private, or quiet)."""
        if self.silent or pointer.space == "private":
            return None
        for used in (Value(number=pointer.offset), stored or Value()):
            self.notice_ids(used)
        access = Access(
            id=(number := len(self.accesses)),
            span=self.span(node),
            op=op,
            space=pointer.space,
            pointer=pointer.root,
            type=type_.name,
            element_bytes=type_.size if bytes_ is None else bytes_,
            scalar_bytes=type_.scalar_bytes,
            index=index,
            base=base_of(node, pointer.root) if not self.calls else "",
            offset=pointer.offset,
            offset_why=pointer.why,
            loops=tuple(self.open_loops),
            value_from=tuple(sorted(stored.loads)) if stored else (),
            chains={load: steps_of(c) for load, c in from_loads(stored.chains).items()} if stored else {},
            volatile=pointer.volatile or type_.volatile,
            atomic=atomic,
            hint=hint,
            packed=packed,
            narrow_from=pointer.narrow_from,
            lanes=pointer.lanes,
            divided=pointer.divided,
            cache_bytes=cache_bytes,
            call_chain=tuple(self.calls),
            macro=source_spans.macro_use(self.source, node),
            reported_at=source_spans.statement_line(self.source, node, self.mark),
            expanded_at=source_spans.macro_line(self.source, node),
            assigned_at=source_spans.operator_line(self.source, node),
        )
        self.accesses.append(OpenAccess(access, tuple(self.guards), stored))
        if op != "load":
            self.loaded = {k: s for k, s in self.loaded.items() if k[0] != pointer.root}
        return number

    def load(
        self,
        node: Node,
        pointer: Pointer,
        type_: CType,
        *,
        index: str = "",
        hint: str | None = None,
        cache_bytes: int | None = None,
        packed: bool = False,
    ) -> Value:
        """Read memory: an access unless it is private, and the value it gives."""
        number = self.record(
            "load", node, pointer, type_, index=index, hint=hint, cache_bytes=cache_bytes, packed=packed
        )
        if pointer.space in {"private", "local"}:
            held = self.contents.get(pointer.root, Value())
            chains = self.private.read(pointer, type_, held.chains) if pointer.space == "private" else held.chains
            own = self.private.element(pointer, held) if pointer.space == "private" else held.made_of
            value = Value(type_, None, None, held.varies_with() | pointer.symbols, held.loads, chains, made_of=own)
        else:
            value = Value(type_, symbols=pointer.symbols, loads=frozenset({number} if number is not None else ()))
        if number is not None:
            value = value._replace(chains=((load_mark(number, on_chip=pointer.space == "local"), ()),))
        if pointer.space == "private" and not self.silent:
            self._in_array("load", node, pointer, type_, index)
            self.pick(pointer)
            if not is_shift(node):
                self.taps[pointer.root] = self.taps.get(pointer.root, Taps()).read(pointer.offset)
        table = self.tables.get(pointer.root)
        if table is not None and (element := element_of(table, pointer, type_, self.symbols)) is not None:
            ratio = (element, Polynomial.number(1)) if type_.is_real else None
            return value._replace(number=element if ratio is None else None, ratio=ratio)
        if not type_.is_integer or self.silent:
            return value
        key = (pointer.root, pointer.offset, type_.name)
        known = self.loaded.get(key) if pointer.offset is not None and not pointer.volatile else None
        if known is None:
            display = f"{pointer.root}[{index}]" if index else f"*{pointer.root}"
            known = next(iter(self.symbols.unknown(display, value).symbols))
            if pointer.offset is not None:
                self.loaded[key] = known
            loaded_here(self.on_chip_reads, pointer, known, self.open_loops)
        return value._replace(number=Polynomial.symbol(known))

    def _in_array(self, op: Literal["load", "store"], node: Node, pointer: Pointer, type_: CType, index: str) -> None:
        if (array := self.arrays.get(pointer.root)) is not None:
            at = (pointer, type_, index, self.open_loops, self.calls, self.guards)
            self.private.note(op, self.span(node), *at, small=in_registers(pointer, array))

    def pick(self, pointer: Pointer) -> None:
        """Note what picks an element of a private array."""
        before, loops = self.picked.get(pointer.root, frozenset()), picking_loops(self.symbols, pointer.offset)
        self.picked[pointer.root] = before | loops if before is not None and loops is not None else None

    def store(
        self, node: Node, pointer: Pointer, type_: CType, stored: Value, *, index: str = "", hint: str | None = None,
        packed: bool = False,
    ) -> None:  # fmt: skip
        """Write memory."""
        if pointer.space == "private" and not self.silent:
            self._in_array("store", node, pointer, type_, index)
        self.record("store", node, pointer, type_, index=index, stored=stored, hint=hint, packed=packed)
        self.observe(stored, f"[{pointer.root}]%")
        if pointer.space == "private" and not self.silent and is_shift(node):
            known = self.taps.get(pointer.root, Taps())
            self.taps[pointer.root] = known.moved(pointer.root, pointer.offset, stored.made_of)
        self.hold(pointer, stored, type_)

    def observe(self, given: Value, own: str = " ") -> None:
        """Each iteration gives a value to memory (`own`: begin of the marks of its array), or to a channel."""
        if self.open_loops and not self.silent:
            inside = self.guards[len(self.loop_guards.get(self.open_loops[-1], ())) :]
            self.observed |= marks_in_use([g.value.chains for g in inside] or [given.chains], own)

    def hold(self, pointer: Pointer, stored: Value, type_: CType | None = None) -> None:
        """Remember what on-chip memory holds, for the values read from it later; no type: of a size not known."""
        if self.open_loops and not self.silent and not in_registers(pointer, self.arrays.get(pointer.root)):
            self.storing.add((self.open_loops[-1], len(self.loops)))
        if pointer.space in {"private", "local"} and not self.silent:
            self.stored.add(pointer.root)
            before = self.contents.get(pointer.root)
            if pointer.space == "private":
                self.pick(pointer)
                looked_up = any(self.symbols.kind(s) == "loaded" for s in self.symbols.closure(pointer.symbols))
                divided, under = self.symbols.divided, self.guards
                before = self.private.written(pointer, stored, before, divided, under, type_, looked_up=looked_up)
            held = combined(UNKNOWN, stored, before) if before else combined(UNKNOWN, stored)
            self.contents[pointer.root] = held if len(held.symbols) <= MAX_SYMBOLS else self.symbols.gathered(held)
            self.loaded = {k: s for k, s in self.loaded.items() if k[0] != pointer.root}
            for symbol, around in stored_after(self.on_chip_reads, pointer, self.open_loops):
                more = {self.loops[i].counter for i in around} | stored.varies_with()
                self.symbols.add_dependence(symbol, more, loaded=False)

    # -- conditions ----------------------------------------------------------------------------------

    def guard(
        self, node: Node, condition: Value, *, negated: bool = False, early_return: bool = False, choice: Choice = ""
    ) -> OpenGuard:
        """A condition as a guard of what follows."""
        self.notice_ids(condition)
        text = one_line(node)
        text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        shown = f"!({text})" if negated else text
        holds = truth(self.symbols, condition.number) if condition.number is not None else None
        if holds is not None and negated:
            holds = Polynomial.number(1) - holds
        own, calls = condition.varies_with(), len(self.calls)
        return OpenGuard(
            shown, self.span(node), own, bool(condition.loads), early_return, holds, calls, choice, condition
        )

    @contextmanager
    def under(self, guard: OpenGuard) -> Iterator[None]:
        """Statements that run only under `guard`."""
        self.guards.append(guard)
        depth = len(self.guards)
        try:
            yield
        finally:
            del self.guards[depth - 1 :]
