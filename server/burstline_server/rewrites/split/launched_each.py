"""A kernel without its outermost loop: the host launches it for each value of the counter.

What an iteration stored is in memory once its launch is over, so that the next one may read it (FFD, Section 3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import add, mul, sub

from tree_sitter import Node

from burstline_model.polynomial import Polynomial, TooComplexError
from burstline_model.record import fixed
from burstline_server.analysis.nodes import holds
from burstline_server.interpreter.host_side import Each
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import canonical
from burstline_server.rewrites.legality.heads import Head, head_of
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, edited, in_front_of, line_end
from burstline_server.rewrites.split.halves import refuse_carried
from burstline_server.rewrites.split.kernel_statements import JUMPS, LOOPS, CannotSplitError, KernelText
from burstline_server.rewrites.split.set_first import is_read_after
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, alone, free_name, loop_at

_WHOLE = {"char", "uchar", "short", "ushort", "int"}
"""Types of arguments whose sums the host computes as the kernel does."""
MOST_NESTED = 4
"""Most variables that are made of one another."""
MOST_DIGITS = 10
"""Numbers of so many digits may not be ints."""


@fixed
class WithoutLoop:
    """The text of a file whose kernel has an argument in place of its outermost loop, and that loop's number."""

    text: bytes
    each: Each
    loop: int


def without_loop(kernel: KernelText) -> WithoutLoop:
    """The kernel for one iteration; raises `CannotSplitError` where launches of it are not the same."""
    effects = kernel.effects
    outer = [loop for loop in kernel.facts.loops if loop.parent is None]
    written = loop_at(kernel.source, outer[0].span) if len(outer) == 1 else None
    body = written.child("body") if written is not None else None
    alone_in_it = all(loop.parent is None for loop in kernel.facts.loops)
    if alone_in_it or written is None or body is None or written.node.parent != kernel.body.node:
        raise CannotSplitError("no_outermost_loop")
    try:
        head = head_of(effects, written)
    except NotOfferedError as error:
        raise CannotSplitError(error.reason) from error
    if outer[0].early_exit or any(_leaves(node, body.node) for node in inside(body.node)):
        raise CannotSplitError("outermost_ends_early")
    _refuse_outside(kernel, written)
    refuse_carried(kernel, outer[0], written)
    each = _each(kernel, head, body.node)
    own = head.loop.child("initializer")
    typed = own is not None and own.child("type") is not None
    if not typed and is_read_after(effects, written.node, head.name):
        raise CannotSplitError("counter_outside")
    name = head.name if typed else free_name(kernel.text, f"{head.name}_now")
    if typed and _named_outside(kernel, head):
        raise CannotSplitError("outermost_changes_counter")
    line = in_front_of(kernel.text, written.start)
    if line is not None and above_pragmas(kernel.source, line[0]) < line[0]:
        raise CannotSplitError("pragma_says")
    closing, between = _closing(kernel), f"{line_end(kernel.text)}{line[1]}" if line is not None else " "
    edits = [
        TextEdit(closing, closing, f", const {head.type} {name}"),
        TextEdit(written.start, body.start, "" if typed else f"{head.name} = {name};{between}"),
    ]
    return WithoutLoop(edited(kernel.text, edits), replace(each, name=name), outer[0].id)


def _leaves(node: Node, body: Node) -> bool:
    """Whether a statement ends or goes on with the loop of this body, and not with one in it."""
    if node.type not in JUMPS:
        return False
    at = node.parent
    while node.type != "return_statement" and at is not None and at.id != body.id:
        if at.type in LOOPS:
            return False
        at = at.parent
    return True


def _refuse_outside(kernel: KernelText, loop: SourceNode) -> None:
    """Nothing but declarations may be outside the loop: each launch makes them anew."""
    for child in kernel.body.node.named_children:
        if child == loop.node or child.type == "comment":
            continue
        plain = child.type == "declaration" and child.end_byte <= loop.node.start_byte
        if not plain or not kernel.effects.pure(child):
            raise CannotSplitError("outside_outermost")
    if any(loop_id is None for loop_id in (a.loops[0] if a.loops else None for a in kernel.facts.accesses)):
        raise CannotSplitError("accesses_outside")
    first = loop.child("body")
    head = range(loop.start, first.start if first is not None else loop.end)
    if any(a.span.file is None and a.span.start in head for a in kernel.facts.accesses):
        raise CannotSplitError("accesses_outside")
    if any(array.space == "local" for array in kernel.facts.arrays):
        raise CannotSplitError("accesses_outside")


def _each(kernel: KernelText, head: Head, body: Node) -> Each:
    """What the host counts: from a number or sum of arguments to another one, which nothing in the kernel changes."""
    facts, effects = kernel.facts, kernel.effects
    if head.limit is None or head.step is None or head.step < 1:
        raise CannotSplitError("outermost_not_fixed")
    operator, last = head.limit
    if canonical(head.type) != "int":
        raise CannotSplitError("outermost_unsigned")
    whole = {a.name: a for a in facts.arguments if not a.is_pointer}
    if head.name in effects.sets(body) or head.name in whole:
        raise CannotSplitError("outermost_changes_counter")
    sums = _Sums(effects, kernel.body.node, {n for n, a in whole.items() if canonical(a.type) in _WHOLE})
    first, bound = (sums.of(part.node) for part in (head.first, last))
    if first is None or bound is None:
        raise CannotSplitError("outermost_not_fixed")
    behind = bound[0] + Polynomial.number(1) if operator == "<=" else bound[0]
    return Each(head.name, (first[1], f"{operator} {bound[1]}"), first[0], behind, head.step)


def _closing(kernel: KernelText) -> int:
    """Where the kernel's arguments end."""
    depth = 0
    for at in range(kernel.facts.name_span.end, kernel.body.start):
        depth += (kernel.text[at : at + 1] == b"(") - (kernel.text[at : at + 1] == b")")
        if depth == 0 and kernel.text[at : at + 1] == b")":
            return at
    raise CannotSplitError("arguments_elsewhere")


def _named_outside(kernel: KernelText, head: Head) -> bool:
    """Whether the counter's name is another variable's somewhere in the kernel."""
    loop = head.loop.node
    declared = list(_declarations(kernel.body.node, kernel.effects, head.name))
    named = (n for n in inside(kernel.body.node) if n.type == "identifier" and kernel.effects.text(n) == head.name)
    return len(declared) > 1 or any(not holds(loop, n) for n in named)


def _declarations(body: Node, effects: Effects, name: str) -> Iterator[Node]:
    for node in inside(body):
        if node.type == "declaration" and name in effects.sets(node):
            yield node


class _Sums:
    """Expressions made of numbers and arguments by ``+``, ``-`` and ``*`` alone, with their text for the host."""

    def __init__(self, effects: Effects, body: Node, arguments: set[str]) -> None:
        self._effects, self._body = effects, body
        self._names = arguments - effects.sets(body)

    def of(self, node: Node, depth: int = MOST_NESTED) -> tuple[Polynomial, str] | None:
        """The value of an expression, and its text; None for any other."""
        text = self._effects.text(node)
        if node.type == "number_literal":
            plain = text.isdecimal() and (text == "0" or text[0] != "0") and len(text) < MOST_DIGITS
            return (Polynomial.number(int(text)), text) if plain else None
        if node.type == "identifier":
            if text in self._names:
                return Polynomial.symbol(text), text
            made = self._made_of(text) if depth else None
            found = self.of(made, depth - 1) if made is not None else None
            return (found[0], alone(found[1])) if found is not None else None
        if node.type == "parenthesized_expression":
            inner = [n for n in node.named_children if n.type != "comment"]
            found = self.of(inner[0], depth) if len(inner) == 1 else None
            return (found[0], alone(found[1])) if found is not None else None
        return self._joined(node, depth) if node.type == "binary_expression" else None

    def _joined(self, node: Node, depth: int) -> tuple[Polynomial, str] | None:
        operator, left, right = (node.child_by_field_name(n) for n in ("operator", "left", "right"))
        one = self.of(left, depth) if left is not None else None
        other = self.of(right, depth) if right is not None else None
        if one is None or other is None or operator is None or operator.type not in _JOINED:
            return None
        try:
            return _JOINED[operator.type](one[0], other[0]), f"{one[1]} {operator.type} {other[1]}"
        except TooComplexError:
            return None

    def _made_of(self, name: str) -> Node | None:
        """The first value of a variable of the kernel's own that nothing changes."""
        setting = [n for n in self._body.named_children if name in self._effects.sets(n)]
        if len(setting) != 1 or setting[0].type != "declaration":
            return None
        named = setting[0].child_by_field_name("type")
        own = [n for n in inside(setting[0]) if n.type == "init_declarator" and self._effects.sets(n) == {name}]
        whole = named is not None and canonical(self._effects.text(named)) == "int"
        return own[0].child_by_field_name("value") if len(own) == 1 and whole else None


_JOINED: dict[str, Callable[[Polynomial, Polynomial], Polynomial]] = {"+": add, "-": sub, "*": mul}
