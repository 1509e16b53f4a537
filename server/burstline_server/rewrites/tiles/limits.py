"""Conditions on work-items' ids that keep those behind the edge of the data out: what they are for any work-item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from tree_sitter import Node

from burstline_model.facts import Guard, KernelFacts
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import LARGEST_STEP, ExactPlaces
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import declared_types
from burstline_server.rewrites.tiles.shared import in_c, is_shared, written_names

MAX_DEPTH = 16
"""Deepest nesting of a condition that is looked through."""
_SIGNED = {"char", "uchar", "short", "ushort", "int", "long"}
_UNSIGNED = {"uint", "ulong", "size_t"}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


@fixed
class Limit:
    """``left < right`` (or ``left >= right``), with the one dimension whose global id takes part, None without any.

    `rises`: the condition holds for later work-items where it holds for earlier ones.
    """

    left: Polynomial
    right: Polynomial
    less: bool
    dimension: int | None
    rises: bool

    def text(self, facts: KernelFacts, ids: Mapping[int, str]) -> str:
        """The condition in C for a work-item with these global ids."""
        names = {s.name: ids[s.dimension] for s in facts.symbols.values() if s.kind == "global_id"}
        left, right = (in_c(facts, one, names) for one in (self.left, self.right))
        if left is None or right is None:
            raise NotOfferedError("condition_differs")
        return f"{left} {'<' if self.less else '>='} {right}"


def require_fixed_limits(facts: KernelFacts, limits: Iterable[Limit], changed: Collection[str]) -> None:
    """Raises `NotOfferedError` where a limit names a variable that the kernel changes."""
    for limit in limits:
        if not (written_names(limit.left, facts) | written_names(limit.right, facts)).isdisjoint(changed):
            raise NotOfferedError("condition_differs")


def limits_of(effects: Effects, facts: KernelFacts, guard: Guard) -> list[Limit]:
    """The limits that a condition is made of.

    Raises `NotOfferedError` where it is anything else, or where a type in it comes round: other work-items' conditions
    would not be what the limits say.
    """
    if guard.loaded or guard.condition is None:
        raise NotOfferedError("condition_differs")
    node, exact = _condition(effects, guard), ExactPlaces(effects.source, effects, facts)
    if not exact.keeps(node) or (compares_signed(effects, guard) and exact.differs_unsigned(node)):
        raise NotOfferedError("condition_differs")
    return [_limit(facts, *one) for one in _atoms(facts, guard.condition, holds=True, depth=0)]


def _atoms(
    facts: KernelFacts, value: Polynomial, *, holds: bool, depth: int
) -> Iterator[tuple[Polynomial, Polynomial, bool]]:
    """The comparisons that are all true where a condition holds (or, not `holds`, where it does not)."""
    if depth > MAX_DEPTH:
        raise NotOfferedError("condition_differs")
    if len(value.terms) == 2 and value.offset == 1 and value.terms[1][1] == -1:
        yield from _atoms(facts, Polynomial(((value.terms[1][0], 1),)), holds=not holds, depth=depth + 1)
        return
    name = value.terms[0][0] if len(value.terms) == 1 and value.terms[0][1] == 1 else ()
    symbol = facts.symbols.get(name[0]) if len(name) == 1 else None
    if len(name) > 1 and holds:
        # A product of conditions holds where each does.
        for factor in name:
            yield from _atoms(facts, Polynomial.symbol(factor), holds=True, depth=depth + 1)
        return
    if holds and symbol is not None and symbol.kind == "global_id":
        yield value, Polynomial.number(1), False  # an id that is not 0 is 1 at least
        return
    operands = symbol.operands if symbol is not None else ()
    match symbol.operation if symbol is not None else None:
        case "less":
            yield operands[0], operands[1], holds
        case "equal" if operands[1].constant == 0:
            yield from _atoms(facts, operands[0], holds=not holds, depth=depth + 1)
        case "and" if holds:
            for one in operands:
                yield from _atoms(facts, one, holds=True, depth=depth + 1)
        case "or" if not holds:
            for one in operands:
                yield from _atoms(facts, one, holds=False, depth=depth + 1)
        case _:
            raise NotOfferedError("condition_differs")


def _limit(facts: KernelFacts, left: Polynomial, right: Polynomial, less: bool) -> Limit:
    own = [s for n in left.symbols | right.symbols if (s := facts.symbols[n]).kind == "global_id"]
    rest = [one.without([s.name for s in own]) for one in (left, right)]
    if len(own) > 1 or not all(is_shared(facts, one, ()) for one in rest):
        raise NotOfferedError("condition_differs")
    for side, one in zip((left, right), rest, strict=True):
        types = {canonical(a.type) for n in one.symbols if (a := facts.argument(n)) is not None}
        # Unsigned arithmetic may wrap, which a sum of other parts would not.
        if len(side.terms) > 1 and not types <= _SIGNED:
            raise NotOfferedError("condition_differs")
    if not own:
        return Limit(left, right, less, None, rises=False)
    step = (left - right).coefficient(own[0].name)
    if (
        step is None
        or not step.constant
        or any(abs(c) >= LARGEST_STEP for side in (left, right) for _, c in side.terms)
    ):
        raise NotOfferedError("condition_differs")
    return Limit(left, right, less, own[0].dimension, rises=(step.constant < 0) == less)


def _condition(effects: Effects, guard: Guard) -> Node:
    """A condition as it is parsed."""
    source, span = effects.source, guard.span
    at = source.offset_of(span.start) if span.file is None else None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(at, at + 1) if at is not None else None
    while node is not None and source.origin(node.start_byte, node.end_byte).end < span.end:
        node = node.parent
    if node is None:
        raise NotOfferedError("condition_differs")
    return node


def compares_signed(effects: Effects, guard: Guard) -> bool:
    """Whether all comparisons of a condition are of signed numbers; refuses those that are of both kinds."""
    node = _condition(effects, guard)
    types, found = declared_types(effects.source, node), set[bool]()
    for one in inside(node):
        operator = one.child_by_field_name("operator")
        if one.type != "binary_expression" or operator is None or operator.type not in _COMPARISONS:
            continue
        own = {_type(effects, n, types) for f in ("left", "right") if (n := one.child_by_field_name(f)) is not None}
        found.add(own.isdisjoint(_UNSIGNED))
    if len(found) != 1:
        raise NotOfferedError("condition_differs")
    return found.pop()


def _type(effects: Effects, node: Node, types: dict[str, str]) -> str:
    found = type_of(node, effects.source.text, types)
    if found is None and any(name.startswith("get_") for _, name in effects.calls(node)):
        return "ulong"
    if found is None:
        raise NotOfferedError("condition_differs")
    return canonical(found)
