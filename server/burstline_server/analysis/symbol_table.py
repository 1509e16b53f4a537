"""The symbols that the polynomials of one kernel are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest

from burstline_model.facts import Operation, Symbol, SymbolKind
from burstline_model.polynomial import Polynomial, Turns, in_text
from burstline_server.analysis.bits import lowest_bit, multiples_of, operated_bits, possible_bits, up_to
from burstline_server.analysis.values import Value

MAX_OPERATION_DEPTH = 16
"""Deepest nesting of divisions, remainders and clamps that keeps its operands."""
MAX_ARMS = 16
"""Most values that a variable may get by conditions and that are kept apart."""
FEW_TERMS = 4
"""Numbers of fewer terms are looked at sooner than looked up."""
MAX_NAME = 60
"""Longest name of a symbol."""

Sources = tuple[int, tuple[int, ...]]
"""Ids, sizes, arguments and counters as bits; loaded and carried symbols by number, the first few of them."""


class SymbolTable:
    """The symbols of one kernel. Equal values get the same symbol, so that equal indices compare equal."""

    def __init__(self) -> None:
        self._symbols: dict[str, Symbol] = {}
        self.open_loops: Sequence[int] = ()
        """The loops around what is read now."""
        self._direct: dict[str, frozenset[str]] = {}
        self._known: dict[object, str] = {}
        self._uses: dict[str, int] = {}
        self._depth: dict[str, int] = {}
        self._bits: dict[str, int] = {}
        self._possible: dict[Polynomial, int] = {}
        """The bits of numbers of several terms, as long as no symbol's change."""
        self._copies: dict[str, tuple[str, str]] = {}
        """Symbols that are others in another place: which, and the symbol of the place that those are made of."""
        self._plain: list[str] = []
        self._data: list[str] = []
        self.asked: set[str] = set()
        """The ids of work-items and groups that are asked for so far."""

    def fresh(
        self,
        display: str,
        kind: SymbolKind,
        *,
        depends_on: Iterable[str] = (),
        dimension: int = 0,
        loop: int | None = None,
        loaded_from: int | None = None,
        multiple_of: int = 1,
        step: Polynomial | None = None,
    ) -> str:
        """A new symbol, named like `display` (cut when long, numbered when that name is taken)."""
        if len(display) > MAX_NAME:
            display = display[: MAX_NAME - 1] + "…"
        count = self._uses.get(display, 0) + 1
        self._uses[display] = count
        name = display if count == 1 else f"{display}#{count}"
        self._symbols[name] = Symbol(
            name=name,
            kind=kind,
            dimension=dimension,
            loop=loop,
            loaded_from=loaded_from,
            multiple_of=multiple_of,
            step=step,
        )
        self._direct[name] = frozenset(depends_on)
        if kind in _IDS:
            self.asked.add(name)
        return name

    def once(self, key: object, display: str, kind: SymbolKind, *, dimension: int = 0) -> str:
        """The symbol known under `key`, made on first use."""
        if key not in self._known:
            self._known[key] = self.fresh(display, kind, dimension=dimension)
        return self._known[key]

    def moved_by(self, number: Polynomial | None) -> tuple[int, ...] | None:
        """The loops that move an integer by more than a constant in each iteration.

        None where it is made of anything but counters, ids, sizes and arguments.
        """
        known = [self._symbols[s] for s in number.symbols] if number is not None else []
        if number is None or any(s.kind in _CHANGING for s in known):
            return None
        steps = {s.loop: number.coefficient(s.name) for s in known if s.loop is not None}
        return tuple(sorted(i for i, step in steps.items() if step is None or step.constant is None))

    def operation(self, op: Operation, operands: tuple[Polynomial, ...], display: str = "") -> Polynomial:
        """The result of an integer operation that no polynomial holds, as one symbol."""
        key = (op, operands)
        if key not in self._known:
            depends = frozenset[str]().union(*(p.symbols for p in operands))
            data = op == "element" or (op == "select" and any(self.kind(s) == "loaded" for s in depends))
            kind: SymbolKind = "loaded" if data else "opaque"
            name = self.fresh(display or _shown(op, operands), kind, depends_on=depends)
            self._known[key] = name
            self._depth[name] = 1 + max((self._depth.get(s, 0) for s in depends), default=0)
            a, b = operands[1:] if op == "select" else operands[:2]
            bits = operated_bits(op, self.bits(a), self.bits(b), b.constant)
            self._bits[name] = bits
            below = bits + 1 if bits >= 0 else None
            made = Symbol(name=name, kind=kind, multiple_of=lowest_bit(bits), below=below)
            deep = self._depth[name] > MAX_OPERATION_DEPTH
            self._symbols[name] = made if deep else replace(made, operation=op, operands=operands)
        return Polynomial.symbol(self._known[key])

    def elements(self, name: str) -> tuple[Polynomial, ...] | None:
        """Of an element of a constant table: its index, and the elements; None for any other symbol."""
        symbol = self._symbols[name]
        return symbol.operands if symbol.operation == "element" else None

    def operated(self, name: str) -> tuple[Operation | None, tuple[Polynomial, ...]]:
        """The operation that a symbol is the result of, and its operands."""
        symbol = self._symbols[name]
        return symbol.operation, symbol.operands

    def trips(self, name: str) -> tuple[int, int] | None:
        """Of the counter of a loop whose trip count is constant: the loop, and that count."""
        symbol = self._symbols[name]
        if symbol.kind != "loop" or symbol.loop is None or symbol.below is None:
            return None
        return symbol.loop, symbol.below

    def divided(self, name: str) -> tuple[Polynomial, Polynomial] | None:
        """What a symbol is the remainder of, and by what; None for any other."""
        symbol = self._symbols[name]
        return (symbol.operands[0], symbol.operands[1]) if symbol.operation == "remainder" else None

    def unknown(self, display: str, value: Value, *, multiple_of: int = 1) -> Polynomial:
        """A symbol for a value which is not tracked; "loaded" when memory takes part in it."""
        source = next(iter(value.loads)) if len(value.loads) == 1 else None
        kind: SymbolKind = "loaded" if value.loads else "opaque"
        made = self.fresh(display, kind, depends_on=value.varies_with(), loaded_from=source, multiple_of=multiple_of)
        self._symbols[made] = replace(self._symbols[made], made_in=tuple(self.open_loops))
        if value.type.unsigned and value.type.size in {1, 2}:
            self.bound(made, 1 << 8 * value.type.size)
        return Polynomial.symbol(made)

    def at(self, number: Polynomial, old: str, new: str) -> Polynomial:
        """A number with one symbol in place of another, in all that it is made of."""
        there = {s: self._at(s, old, new) for s in number.symbols if old in self.closure((s,))}
        return number.substitute(there) if there else number

    def _at(self, name: str, old: str, new: str) -> Polynomial:
        known = self._symbols[name]
        if name == old or self._copies.get(name, ("", ""))[1] == new:
            return Polynomial.symbol(new if name == old else self._copies[name][0])
        if known.operation is not None:
            operands = tuple(self.at(one, old, new) for one in known.operands)
            return self.operation(known.operation, operands)
        key = ("at", name, old, new)
        if key not in self._known:
            copy = self.fresh(
                name.partition("#")[0], known.kind, depends_on=self.closure((name,)) - {name, old} | {new}
            )
            own, loop = known.made_in, self._symbols[new].loop
            made_in = own if own is None or loop is None else (*own, loop)  # each copy has a value of its own
            self._symbols[copy] = replace(known, name=copy, made_in=made_in)
            self._copies[copy] = name, old
            self._known[key] = copy
        return Polynomial.symbol(self._known[key])

    def gathered(self, value: Value) -> Value:
        """The value with one symbol for all that it varies with in addition to its number."""
        return value._replace(symbols=frozenset({self.fresh("…", "opaque", depends_on=value.symbols)}))

    def add_dependence(self, name: str, more: Iterable[str], *, loaded: bool) -> None:
        """Extend what a carried symbol depends on, once the end of its loop is known."""
        self._direct[name] |= frozenset(more) - {name}
        if loaded and self._symbols[name].kind == "carried":
            self._symbols[name] = replace(self._symbols[name], kind="loaded")

    def steps(self, name: str, step: Polynomial) -> None:
        """Note what most iterations add to a carried symbol, where that was not seen before."""
        if self._symbols[name].step is None:
            self._symbols[name] = replace(self._symbols[name], step=step)

    def turns(self, name: str, turns: Turns) -> None:
        """Note the value of a carried symbol in each iteration."""
        self._symbols[name] = replace(self._symbols[name], turns=turns)

    def grows(self, name: str, end: Polynomial | None, most: int) -> None:
        """Note that a carried symbol grows by a number in some iterations, and stays in the others.

        `end` is its value after an iteration; `most` what its text adds to it at most (0: not known).
        """
        symbol = self._symbols[name]
        # What data decide is neither as rare nor as sure as that a counter meets its end, or does not.
        if symbol.kind != "loaded" and symbol.step is not None:
            return
        if most:
            self._symbols[name] = replace(symbol, advance=Polynomial.number(most))
        if end is None or most:
            return
        by = [(p - Polynomial.symbol(name)) for p in self._arms(end)]
        each = [p.constant if p.constant is not None else self._flag(p) for p in by]
        known = [m for m in each if m is not None]
        if len(known) == len(by) and min(known) >= 0 and max(known) > 0:
            self._symbols[name] = replace(symbol, advance=Polynomial.number(max(known)))

    def counted(self, name: str, carried: str, start: Polynomial | None, trip: Polynomial | None) -> None:
        """Note between which numbers a symbol is that a loop has left of what it counted now and then."""
        grows = self._symbols[carried].advance if carried else None
        by, first = grows.constant if grows is not None else None, start.constant if start is not None else None
        if by is None or first is None or by < 0:
            return
        times = trip.constant if trip is not None else None
        most = first + by * max(times, 0) if times is not None else None
        self._symbols[name] = replace(self._symbols[name], least=first, most=most)

    def _flag(self, number: Polynomial) -> int | None:
        """The value of a multiple of a comparison where it holds."""
        bits = self.bits(number)
        return bits if len(number.terms) == 1 and bits > 0 and bits & (bits - 1) == 0 else None

    def _arms(self, number: Polynomial) -> list[Polynomial]:
        """The values that a number has by what its conditions choose; the number itself where there are many."""
        found = [number]
        for _ in range(MAX_ARMS):
            for place, p in enumerate(found):
                chosen = next((s for m, c in p.terms if len(m) == 1 and c == 1 and self._is_select(s := m[0])), None)
                if chosen is not None:
                    rest = p - Polynomial.symbol(chosen)
                    found[place : place + 1] = [rest + arm for arm in self._symbols[chosen].operands[1:]]
                    break
            else:
                return found
        return [number]

    def _is_select(self, name: str) -> bool:
        return self._symbols[name].operation == "select"

    def bound(self, name: str, below: int) -> None:
        """Every value of a symbol turns out to be less than `below`."""
        self._symbols[name] = replace(self._symbols[name], below=below)
        self._bits[name] = up_to(below - 1)
        self._possible.clear()

    def bits(self, number: Polynomial) -> int:
        """The bits that may be one in a number."""
        if len(number.terms) < FEW_TERMS:
            return possible_bits(number, self._bits_of)
        if (known := self._possible.get(number)) is None:
            known = self._possible[number] = possible_bits(number, self._bits_of)
        return known

    def _bits_of(self, name: str) -> int:
        known = self._bits.get(name)
        return known if known is not None else multiples_of(self._symbols[name].multiple_of)

    def kind(self, name: str) -> SymbolKind:
        """The kind of a symbol."""
        return self._symbols[name].kind

    def loop_of(self, name: str) -> int | None:
        """The loop of which a symbol is the counter, or that changes it."""
        return self._symbols[name].loop

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """`names` and everything they depend on."""
        return frozenset(self.made_of(names))

    def made_of(self, names: Iterable[str]) -> Iterator[str]:
        """`names` and everything they depend on, each once, as it is come to."""
        seen: set[str] = set()
        waiting = [n for n in names if n in self._symbols]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                yield name
                waiting.extend(self._direct[name] - seen)

    def sources(self) -> dict[str, Sources]:
        """What each symbol varies with in the end, the symbols in between left out.

        One pass in order of making settles all but what loops carry round; another one takes what that changes.
        """
        plain = [n for n, s in self._symbols.items() if s.kind not in {"opaque", *_DATA_DEPENDENT}]
        data = [n for n, s in self._symbols.items() if s.kind in _DATA_DEPENDENT]
        self._plain, self._data = plain, data
        own: dict[str, Sources] = {name: (1 << i, ()) for i, name in enumerate(plain)}
        own.update({name: (0, (i,)) for i, name in enumerate(data)})
        nothing: Sources = (0, ())
        found: dict[str, Sources] = dict.fromkeys(self._symbols, nothing)
        with_own = {name: own.get(name, nothing) for name in self._symbols}
        # What is made depends on what was made before, but for what a loop carries round.
        made, again = set[str](), set[str]()
        for name, direct in self._direct.items():
            if not made.issuperset(direct):
                again.add(name)
            made.add(name)
        asked, changed = made, made
        while changed:
            changed = set()
            for name, direct in self._direct.items():
                if name not in asked and changed.isdisjoint(direct):
                    continue
                bits, loads = found[name]
                more: set[int] = set()
                for source in direct:
                    if (known := with_own.get(source)) is not None:
                        bits |= known[0]
                        more.update(known[1])
                now = (bits, loads if more.issubset(loads) else tuple(sorted(more.union(loads))[:MAX_SOURCES]))
                if now != found[name]:
                    found[name] = now
                    changed.add(name)
                    first, last = own.get(name, nothing)
                    with_own[name] = (now[0] | first, tuple({*now[1], *last}))
            asked = again
        return found

    def named(self, sources: Sources) -> tuple[str, ...]:
        """The symbols of a set, in order."""
        bits, loads = sources
        names = [self._data[i] for i in loads]
        while bits:
            low = bits & -bits
            bits ^= low
            names.append(self._plain[low.bit_length() - 1])
        return tuple(sorted(names))

    def closed(self, names: Iterable[str], sources: Mapping[str, Sources]) -> tuple[str, ...]:
        """`names` and what they vary with in the end."""
        known = [n for n in names if n in self._symbols]
        bits, loads = 0, set[int]()
        for name in known:
            bits |= sources[name][0]
            loads.update(sources[name][1])
        return tuple(sorted({*known, *self.named((bits, tuple(sorted(loads)[:MAX_SOURCES])))}))

    def _as_known(self, name: str) -> Symbol:
        """A symbol with all that is known once loops have ended, where it is another in another place."""
        origin, place = self._copies.get(name, (name, ""))
        known = self._symbols[origin]
        if origin == name or known.loop is None:
            return self._symbols[name]
        fixed = known.step is None or place not in self.closure(known.step.symbols)
        return replace(known, name=name, step=known.step if fixed else None)

    def finished(self, used: Iterable[str], sources: Mapping[str, Sources]) -> dict[str, Symbol]:
        """The symbols `used` and all they are made of, with their dependences closed."""
        done: dict[str, Symbol] = {}
        named: set[str] = set()
        waiting = [n for n in used if n in self._symbols]
        while waiting:
            name = waiting.pop()
            if name not in done:
                depends = tuple(n for n in self.named(sources[name]) if n != name)
                done[name] = replace(self._as_known(name), depends_on=depends)
                named.update(depends)
                turns = self._symbols[name].turns
                counted = (
                    (turns.start, turns.step, turns.every, turns.period or turns.start) if turns is not None else ()
                )
                waiting += [s for p in (*self._symbols[name].operands, *counted) for s in p.symbols]
        # What is only named as a source is asked for its kind alone.
        done.update({name: self._symbols[name] for name in named - done.keys()})
        return dict(sorted(done.items()))


_IDS = {"global_id", "local_id", "group_id"}
_DATA_DEPENDENT = {"loaded", "carried"}
_CHANGING = {*_DATA_DEPENDENT, "opaque"}
MAX_SOURCES = 16
"""Most loaded and carried symbols named as what a value varies with: more say nothing new."""


_SHOWN = MAX_NAME // 4 + 1
"""Terms that fill a name: each has a letter, its sign and two blanks."""


def _first_terms(p: Polynomial) -> str:
    """The text of a polynomial as far as a name can be long."""
    if len(p.terms) <= _SHOWN:
        return str(p)
    return str(Polynomial(tuple(nsmallest(_SHOWN, p.terms, key=in_text))))


def _bracketed(p: Polynomial) -> str:
    return f"({_first_terms(p)})" if len(p.terms) > 1 else str(p)


_SIGNS: dict[Operation, str] = {"quotient": " / ", "remainder": " % ", "and": " & ", "or": " | ", "xor": " ^ "}


def _shown(op: Operation, operands: tuple[Polynomial, ...]) -> str:
    if op in _SIGNS:
        return f"({_SIGNS[op].join(_bracketed(p) for p in operands)})"
    return f"{op[:3]}({', '.join(map(_first_terms, operands))})"
