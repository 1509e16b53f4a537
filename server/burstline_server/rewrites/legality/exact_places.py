"""Whether an address is what its polynomial says: no conversion to a narrow type takes part in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import type_of
from burstline_server.rewrites.legality.integer_ranges import IntegerRanges, of_type
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import declared_types, kernel_body, step_of
from burstline_server.source.source import Source

LARGEST_STEP = 2**31
"""From this factor on, an index of 32 bits comes round."""
_WIDE = re.compile(
    r"(?:const\s+|unsigned\s+|signed\s+)*"
    r"(?:u?int|u?long|size_t|ptrdiff_t|unsigned|signed|(?:float|double|half)\d*)(?:\s+int)?"
)
_NARROW = re.compile(r"(?:\b|_|\bu)(?:u?char|u?short|bool)\d*(?:\b|_)")


class ExactPlaces:
    """The places of one kernel that numbers as wide as addresses find.

    A polynomial takes ``(uchar)j`` for ``j``: what it keeps apart may meet once the type comes round.
    """

    def __init__(self, source: Source, effects: Effects, facts: KernelFacts) -> None:
        self._source, self._effects = source, effects
        self._whole = kernel_body(source, facts.name_span)

    def has(self, access: Access, *more: Node, at: Node | None = None) -> bool:
        """Whether the place of an access is such a one, and `more` expressions are.

        `at`: the access, where macros may take part in how it is written.
        """
        if access.offset is None or any(abs(c) >= LARGEST_STEP for _, c in access.offset.terms):
            return False
        node = self._node(access) if at is None else at
        if access.call_chain or node is None:
            return access.narrow_from is None and not self._narrow
        return self.keeps(node, *more)

    def _node(self, access: Access) -> Node | None:
        """The smallest node around an access, with what its macros are replaced by; None where a macro begins it."""
        at = self._source.offset_of(access.span.start) if access.span.file is None else None
        node = self._source.tree.root_node.descendant_for_byte_range(at, at + 1) if at is not None else None
        while node is not None and self._source.origin(node.start_byte, node.end_byte).end < access.span.end:
            node = node.parent
        return node

    def keeps(self, *nodes: Node) -> bool:
        """Whether expressions are made of wide numbers, and of narrow ones that hold whatever they are given."""
        return self._whole is not None and all(self._keeps(one) for one in self._reached(nodes))

    def differs_unsigned(self, *nodes: Node) -> bool:
        """Whether a difference of unsigned numbers takes part in expressions, which is large where it is below 0."""
        types = declared_types(self._source, self._whole) if self._whole is not None else {}
        minus = (one for one in self._reached(nodes) if one.type in {"binary_expression", "unary_expression"})
        return any(
            (operator := one.child_by_field_name("operator")) is not None
            and operator.type == "-"
            and type_of(one, self._source.text, types) == "uint"
            for one in minus
        )

    def _reached(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """All in expressions, and in what the variables in them are given."""
        waiting, seen = [*nodes], set[str]()
        while waiting:
            for one in inside(waiting.pop()):
                yield one
                name = self._effects.text(one) if one.type == "identifier" else ""
                if name and name not in seen:
                    seen.add(name)
                    waiting += [value for _, value in self._values.get(name, ()) if value is not None]

    def _keeps(self, one: Node) -> bool:
        if one.type == "call_expression":
            return self._keeps_call(self._effects.called(one))
        if one.type == "cast_expression":
            return self._keeps_cast(one)
        return one.type != "identifier" or self._holds(self._effects.text(one))

    def _keeps_call(self, name: str) -> bool:
        defined = self._effects.defined
        if name in defined:
            return not _narrows(self._effects, [defined[one] for one in self._effects.reached(name) if one in defined])
        return bool(name) and _NARROW.search(name) is None

    def _keeps_cast(self, cast: Node) -> bool:
        type_ = cast.child_by_field_name("type")
        said = self._effects.text(type_) if type_ is not None else ""
        return _is_wide(said) or self._fits(cast.child_by_field_name("value"), said)

    def _holds(self, name: str) -> bool:
        """Whether a variable is wide, or each value that it is given fits."""
        given = self._values.get(name, ())
        narrow = {type_ for type_, _ in given if type_ is not None and not _is_wide(type_)}
        if not narrow:
            return True
        return name not in self._stepped and all(
            value is None or self._fits(value, type_) for type_ in narrow for _, value in given
        )

    def _fits(self, value: Node | None, type_: str) -> bool:
        whole = of_type(type_)
        known = self._ranges.of(value) if self._ranges is not None else None
        return whole is not None and known is not None and whole[0] <= known[0] and known[1] <= whole[1]

    def _counts(self, declaration: Node) -> bool:
        """Whether the counter of a loop is declared that steps by one to a bound that its type has room behind."""
        effects, loop = self._effects, declaration.parent
        if loop is None or loop.type != "for_statement" or loop.child_by_field_name("initializer") != declaration:
            return False
        names = [n for one in declaration.children_by_field_name("declarator") for n in _names(one, effects)]
        condition, update, body = (loop.child_by_field_name(name) for name in ("condition", "update", "body"))
        if len(names) != 1 or condition is None or update is None or body is None or names[0] in effects.sets(body):
            return False
        operator, left = (condition.child_by_field_name(name) for name in ("operator", "left"))
        named = declaration.child_by_field_name("type")
        whole = of_type(effects.text(named)) if named is not None else None
        bound = self._ranges.of(condition.child_by_field_name("right")) if self._ranges is not None else None
        if operator is None or left is None or effects.text(left) != names[0] or whole is None or bound is None:
            return False
        room = operator.type in {"<=", ">="}
        step = step_of(update, names[0], effects.text)
        up = step == 1 and operator.type in {"<", "<="} and bound[1] <= whole[1] - room
        return up or (step == -1 and operator.type in {">", ">="} and bound[0] >= whole[0] + room)

    @cached_property
    def _ranges(self) -> IntegerRanges | None:
        return IntegerRanges(self._effects, self._whole) if self._whole is not None else None

    @cached_property
    def _stepped(self) -> set[str]:
        """The variables that are changed otherwise than by a plain assignment."""
        return _stepped(self._effects, self._whole) if self._whole is not None else set()

    @cached_property
    def _values(self) -> dict[str, list[tuple[str | None, Node | None]]]:
        return _values(self._effects, self._whole, self._counts) if self._whole is not None else {}

    @cached_property
    def _narrow(self) -> bool:
        """Whether anything of the file is of a narrow type."""
        whole = [self._whole] if self._whole is not None else []
        return _narrows(self._effects, [*whole, *self._effects.defined.values()])


def _stepped(effects: Effects, whole: Node) -> set[str]:
    found = set[str]()
    for node in inside(whole):
        operator, left = (node.child_by_field_name(name) for name in ("operator", "left"))
        plain = operator is not None and operator.type == "=" and left is not None and left.type == "identifier"
        if node.type in {"assignment_expression", "update_expression", "pointer_expression"} and not plain:
            found |= effects.reassigned(node)
    return found


def require_exact(source: Source, facts: KernelFacts, accesses: Iterable[Access]) -> None:
    """Raises `NotOfferedError` unless accesses are at exact places."""
    inexact = inexact_of(source, facts, accesses)
    if inexact is not None:
        raise NotOfferedError("index_comes_round", inexact.place)


def inexact_of(source: Source, facts: KernelFacts, accesses: Iterable[Access]) -> Access | None:
    """The first access at a place that is known and may not be what its polynomial says."""
    exact = ExactPlaces(source, Effects(source), facts)
    return next((a for a in accesses if a.offset is not None and not exact.has(a)), None)


def _narrows(effects: Effects, nodes: Sequence[Node]) -> bool:
    """Whether functions convert anything to a narrow integer, or have variables of one."""
    for node in (one for whole in nodes for one in inside(whole)):
        named = node.child_by_field_name("type")
        narrow = named is not None and _NARROW.search(effects.text(named)) is not None
        if narrow and node.type in {"cast_expression", "declaration", "function_definition"}:
            return True
        if narrow and node.type == "parameter_declaration" and not any(n.type in _POINTS for n in inside(node)):
            return True
        if node.type == "call_expression" and _NARROW.search(effects.called(node)) is not None:
            return True
    return False


_POINTS = {"pointer_declarator", "abstract_pointer_declarator", "array_declarator"}


def _is_wide(type_: str) -> bool:
    return _WIDE.fullmatch(type_) is not None or type_ == "*"


def _values(
    effects: Effects, whole: Node, counts: Callable[[Node], bool]
) -> dict[str, list[tuple[str | None, Node | None]]]:
    """What each variable of a kernel is declared as, and given."""
    found: dict[str, list[tuple[str | None, Node | None]]] = {}
    function = whole.parent if whole.parent is not None else whole
    for node in inside(function):
        if node.type in {"declaration", "parameter_declaration"}:
            type_ = node.child_by_field_name("type")
            for one in node.children_by_field_name("declarator"):
                if counts(node):
                    found.setdefault(_names(one, effects)[0], []).append(("int", one.child_by_field_name("value")))
                    continue
                pointer = any(n.type in {"pointer_declarator", "array_declarator"} for n in inside(one))
                said = "*" if pointer else effects.text(type_) if type_ is not None else ""
                for name in (
                    effects.sets(node) if len(node.children_by_field_name("declarator")) == 1 else _names(one, effects)
                ):
                    found.setdefault(name, []).append((said, one.child_by_field_name("value")))
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                found.setdefault(effects.text(left), []).append((None, node.child_by_field_name("right")))
    return found


def _names(declarator: Node, effects: Effects) -> list[str]:
    at: Node | None = declarator
    while at is not None and at.type != "identifier":
        at = at.child_by_field_name("declarator")
    return [effects.text(at)] if at is not None else []
