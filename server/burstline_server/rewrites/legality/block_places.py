"""Indexes as a fixed part and a bounded rest: ``i * 16 + j``, where a block of statements does not change ``i``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from burstline_model.facts import KernelFacts
from burstline_model.parallelism.loop_copies import constant_trips
from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import SMALL, canonical, type_of
from burstline_server.rewrites.legality.heads import counts_up
from burstline_server.rewrites.legality.integer_ranges import IntegerRanges, Range
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, alone, declared_types, loop_at, written

_IDS = {"get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size", "get_num_groups"}
_JUMPS = {"break_statement", "continue_statement", "return_statement", "goto_statement"}
_ALWAYS = {
    "compound_statement", "expression_statement", "declaration", "init_declarator", "assignment_expression",
    "parenthesized_expression", "cast_expression", "subscript_expression", "unary_expression", "argument_list",
    "call_expression", "field_expression", "update_expression",
}  # fmt: skip
"""What evaluates each of its parts, once."""
_OPERATORS = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!="}
_WIDE = {"long", "ulong"}
_SIGNED = {"char", "uchar", "short", "ushort", "int", "long"}
"""Types of which differences are signed."""
MOST_INDEX = 1 << 28
"""The least that no part of a rest may reach: sums of parts then stay what they are."""


@fixed
class Term:
    """A part of a sum: its sign, and what is written, alone and as an operand."""

    sign: str
    node: Node
    alone: str
    text: str


@fixed
class Place:
    """An element of a block: what its index adds to the fixed part, between `low` and `high`.

    `certain`: both ends are reached whenever the block's first statement is; `every`: and all between them.
    """

    node: SourceNode
    rest: tuple[Term, ...]
    low: int
    high: int
    certain: bool
    every: bool

    def inner(self, first: int) -> str:
        """The index in an array that begins at this number."""
        if len(self.rest) == 1 and self.rest[0].text.isdecimal() and self.rest[0].sign == "+":
            return str(self.low - first)
        text = _sum(self.rest)
        if len(self.rest) == 1 and self.rest[0].sign == "+" and first == 0:
            return self.rest[0].alone
        return text if first == 0 else f"{text} - {first}" if first > 0 else f"{text} + {-first}"


@fixed
class Spread:
    """All places of a block, from its fixed part plus `low` to that plus `high`; `type` is that of their sums."""

    base: tuple[Term, ...]
    places: tuple[Place, ...]
    type: str

    @property
    def low(self) -> int:
        """The first element, counted from the fixed part."""
        return min(p.low for p in self.places)

    @property
    def high(self) -> int:
        """The last element."""
        return max(p.high for p in self.places)

    @property
    def certain(self) -> bool:
        """Whether the first and the last element are reached for sure."""
        sure = [p for p in self.places if p.certain]
        return bool(sure) and min(p.low for p in sure) == self.low and max(p.high for p in sure) == self.high

    def at(self, k: str) -> str:
        """The index in the buffer of the array's element `k`."""
        text = f"{_sum(self.base)} + {k}" if self.base else k
        return f"{text} + {self.low}" if self.low else text


def _sum(terms: Sequence[Term]) -> str:
    if not terms:
        return "0"
    first, *others = sorted(terms, key=lambda term: term.sign == "-")
    start = first.text if first.sign == "+" else f"-{alone(first.text)}"
    return start + "".join(f" {one.sign} {one.text}" for one in others)


class Places:
    """The indexes of one buffer in the statements of a block."""

    def __init__(self, effects: Effects, facts: KernelFacts, statements: Sequence[Node]) -> None:
        self._effects, self._facts, self._statements = effects, facts, statements
        self._changed = effects.sets(*statements)
        self._types = declared_types(effects.source, statements[0])
        self._ranges = IntegerRanges(effects, statements[0])

    def spread(self, nodes: Sequence[SourceNode]) -> Spread:
        """The places; raises `NotOfferedError` where their indexes have no fixed part in common, or are not bounded."""
        sums = [list(self._terms(node)) for node in nodes]
        shared: Counter[tuple[str, str]] = Counter(self._key(t) for t in sums[0] if self._is_fixed(t.node))
        for terms in sums[1:]:
            shared &= Counter(map(self._key, terms))
        base: tuple[Term, ...] = ()
        places = []
        for node, terms in zip(nodes, sums, strict=True):
            left, fixed, rest = shared.copy(), list[Term](), list[Term]()
            for term in terms:
                own = left[self._key(term)] > 0
                left[self._key(term)] -= own
                (fixed if own else rest).append(term)
            base = base or tuple(fixed)
            places.append(self._place(node, tuple(rest)))
        found = Spread(base, tuple(places), self._counting_type(nodes, base))
        if found.low < 0:
            raise NotOfferedError("negative_index")
        return found

    def _key(self, term: Term) -> tuple[str, str]:
        """What a term is, its macros expanded."""
        return term.sign, self._effects.text(term.node)

    def _terms(self, place: SourceNode) -> Iterator[Term]:
        index = place.child("index")
        if index is None:
            raise NotOfferedError("not_one_element")
        if not self._effects.pure(index.node):
            raise NotOfferedError("index_changes")
        waiting = [("+", index.node)]
        while waiting:
            sign, node = waiting.pop(0)
            inner = [c for c in node.named_children if c.type != "comment"]
            operator = node.child_by_field_name("operator")
            if node.type == "parenthesized_expression" and len(inner) == 1:
                waiting.insert(0, (sign, inner[0]))
            elif node.type == "binary_expression" and operator is not None and operator.type in {"+", "-"}:
                other = sign if operator.type == "+" else "-" if sign == "+" else "+"
                left, right = (node.child_by_field_name(n) for n in ("left", "right"))
                if left is None or right is None:
                    raise NotOfferedError("index_changes")
                waiting[:0] = [(sign, left), (other, right)]
            else:
                own = written(self._effects.source, node)
                if own is None:
                    raise NotOfferedError("macro_in_it")
                product = operator is not None and operator.type in {"*", "/", "%"}
                simple = product or node.type in {"call_expression", "subscript_expression", "field_expression"}
                yield Term(sign, node, own.text, own.text if simple else alone(own.text))

    def _is_fixed(self, node: Node) -> bool:
        """Whether an expression has one value wherever the block's statements are."""
        memory = {"subscript_expression", "field_expression", "pointer_expression"}
        if any(one.type in memory for one in inside(node)):
            return False
        if any(name not in _IDS for _, name in self._effects.calls(node)):
            return False
        return self._effects.reads(node).isdisjoint(self._changed)

    def _counting_type(self, nodes: Sequence[SourceNode], base: Sequence[Term]) -> str:
        """The type of all indexes, in which a counter takes the place of what is not fixed.

        Refused are several, and fixed parts of several terms that are added up in another type: they may come round.
        """
        indexes = [index.node for node in nodes if (index := node.child("index")) is not None]
        own = {self._type(node) for node in indexes}
        type_ = next(iter(own)) if len(own) == 1 else None
        alike = len(base) < 2 or type_ in {self._type(term.node) for term in base} or type_ == "int"
        if type_ is None or not alike or (len(base) > 1 and type_ in _WIDE and not self._all_wide(base)):
            raise NotOfferedError("index_comes_round", nodes[0].text)
        # A counter as narrow as the index might never reach the end of the block.
        return "int" if type_ in SMALL else type_

    def _all_wide(self, terms: Sequence[Term]) -> bool:
        return all(self._type(term.node) in _WIDE for term in terms)

    def _type(self, node: Node) -> str | None:
        if any(True for _ in self._effects.calls(node)):
            return "ulong"
        found = type_of(node, self._effects.source.text, self._types)
        return canonical(found) if found is not None else None

    def _place(self, node: SourceNode, rest: tuple[Term, ...]) -> Place:
        low = high = 0
        counters = list[str]()
        plain, steps = True, list[int]()
        loops = {name: (first, trips) for name, first, trips in reversed(list(self._loops(node)))}
        ends = {name: (first, first + trips - 1) for name, (first, trips) in loops.items()}
        ranges = IntegerRanges(self._effects, node.node, ends)
        for term in rest:
            name = self._effects.text(term.node)
            found: Range | None = ends.get(name)
            by = 1 if found is not None else self._scale(term.node, loops)
            if by is not None:
                counters.append(name if found is not None else self._counter(term.node, loops))
                steps.append(by)
            else:
                plain = plain and term.node.type == "number_literal"
            found = found or ranges.of(term.node)
            if found is None or max(abs(found[0]), abs(found[1])) >= MOST_INDEX:
                raise NotOfferedError("bins_not_bounded", node.text)
            if (term.sign == "-" or found[0] < 0) and not all(self._type(t.node) in _SIGNED for t in rest):
                raise NotOfferedError("index_comes_round", node.text)
            least, most = found if term.sign == "+" else (-found[1], -found[0])
            low, high = low + least, high + most
        alike = plain and len(set(counters)) == len(counters)
        certain = alike and self._is_certain(node, set(counters))
        return Place(node, rest, low, high, certain, certain and steps == [1])

    def _scale(self, node: Node, loops: Collection[str]) -> int | None:
        """By which number a counter is multiplied in an expression that is nothing else."""
        operator = node.child_by_field_name("operator")
        sides = [node.child_by_field_name(n) for n in ("left", "right")]
        number = next((s for s in sides if s is not None and s.type == "number_literal"), None)
        by = self._ranges.of(number)
        product = node.type == "binary_expression" and operator is not None and operator.type == "*"
        return by[0] if product and by is not None and by[0] > 0 and self._counter(node, loops) else None

    def _counter(self, node: Node, loops: Collection[str]) -> str:
        """The counter that is one of a product's factors; empty for none."""
        sides = [node.child_by_field_name(n) for n in ("left", "right")]
        return next((name for s in sides if s is not None and (name := self._effects.text(s)) in loops), "")

    def _loops(self, place: SourceNode) -> Iterator[tuple[str, int, int]]:
        """The counters of the loops of constant trips in the block around a place, with first value and trips."""
        for loop in self._around(place.node, "for_statement"):
            own = written(self._effects.source, loop)
            found = next(
                (one for one in self._facts.loops if one.span.file is None and self._begins(one.span.start, loop)), None
            )
            trips = constant_trips(found) if found is not None else None
            try:
                head = counts_up(self._effects, own or (loop_at(self._effects.source, found.span) if found else None))
            except NotOfferedError:
                continue
            first = self._ranges.of(head.first.node)
            if trips is not None and trips > 0 and first is not None and first[0] == first[1]:
                yield head.name, first[0], trips

    def _begins(self, start: int, loop: Node) -> bool:
        return self._effects.source.origin(loop.start_byte, loop.start_byte + 1).start == start

    def _around(self, node: Node, kind: str = "") -> Iterator[Node]:
        """The nodes around one, up to the block's statement."""
        at: Node | None = node
        ends = {one.id for one in self._statements}
        while at is not None:
            if not kind or at.type == kind:
                yield at
            if at.id in ends:
                return
            at = at.parent

    def _is_certain(self, place: SourceNode, counters: set[str]) -> bool:
        """Whether a place is reached for every value of some counters whenever the block's first statement is."""
        known = {name for name, _, _ in self._loops(place)}
        if counters - known:
            return False
        reached = [one for one in self._statements if one.start_byte < place.node.end_byte]
        if any(n.type in _JUMPS for one in reached for n in inside(one)):
            return False
        return all(self._steps_in(inner, outer, known) for inner, outer in self._steps(place.node))

    def _steps(self, node: Node) -> Iterator[tuple[Node, Node]]:
        yield from pairwise(self._around(node))

    def _steps_in(self, inner: Node, outer: Node, known: set[str]) -> bool:
        """Whether what is around a node certainly evaluates it."""
        if outer.type == "for_statement":
            own = next((n for n, loop in self._named_loops(outer)), None)
            return outer.child_by_field_name("body") == inner and own in known
        if outer.type == "binary_expression":
            operator = outer.child_by_field_name("operator")
            return operator is not None and operator.type in _OPERATORS
        if outer.type == "call_expression":
            return self._effects.is_pure_call(outer)
        return outer.type in _ALWAYS

    def _named_loops(self, loop: Node) -> Iterator[tuple[str, Node]]:
        try:
            yield counts_up(self._effects, written(self._effects.source, loop)).name, loop
        except NotOfferedError:
            return
