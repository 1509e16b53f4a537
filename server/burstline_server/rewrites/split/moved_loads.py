"""The loads that a split moves: where each is made, under which name, and which of them are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.nodes import holds
from burstline_server.rewrites.legality.expression_types import NUMBERS
from burstline_server.rewrites.split.kernel_statements import LOOPS, PLAIN, CannotSplitError, KernelText, moved_loads
from burstline_server.rewrites.syntax import SourceNode, free_name, loaded_type, node_at


@fixed
class Load:
    """A load: its node, the variable that holds it, and the statement before which it is made.

    `guards` are conditions inside that statement, each with the truth that it must have for the load to run.
    `same_as` is an earlier load of the same value whose variable is still there.
    """

    access: Access
    place: SourceNode
    name: str
    statement: Node
    guards: tuple[tuple[Node, bool], ...] = ()
    same_as: Load | None = None

    @property
    def type(self) -> str:
        """The type of its value."""
        return loaded_type(self.access, self.place)

    @property
    def first(self) -> Load:
        """The load that is made for this one."""
        return self.same_as or self


def loads_of(kernel: KernelText, between: Sequence[Access] = ()) -> tuple[Load, ...]:
    """The loads from global memory that move; raises `CannotSplitError` for one that cannot.

    `between` are stores that stay with the loads: what they may reach is loaded each time.
    """
    loads = moved_loads(kernel.facts)
    if len(loads) > MOST_LOADS:
        raise CannotSplitError("too_many_loads", MOST_LOADS)
    found: list[Load] = []
    alike: dict[object, list[Load]] = {}
    firsts: dict[int | None, int] = {}
    symbols = {s.loaded_from: s.name for s in reversed(kernel.facts.symbols.values()) if s.kind == "loaded"}
    for access in loads:
        place = node_at(kernel.source, access.span)
        if place is not None and _is_lane(kernel.facts, access, place) and _is_stored(place.node):
            raise CannotSplitError("stores_lanes", access.pointer)
        while place is not None and _is_lane(kernel.facts, access, place):
            place = place.child("argument")  # its vector is loaded, for all lanes
        if access.call_chain or access.macro is not None or place is None:
            raise CannotSplitError("loads_hidden")
        if access.type not in NUMBERS:
            raise CannotSplitError("not_plain_numbers", access.pointer)
        if not kernel.effects.pure(place.node):
            raise CannotSplitError("index_changes")
        again = any(may_alias(kernel.facts, store, access) for store in between)
        statement, guards = _statement(kernel, access, place.node, again=again)
        value = _value(kernel.facts, symbols, firsts, access) if not again else None
        same = next((o for o in alike.get(value, ()) if _reaches(o, statement)), None)
        name = same.name if same is not None else free_name(kernel.text, f"{access.pointer}_{len(found)}")
        load = Load(access, place, name, statement, guards, same.first if same is not None else None)
        found.append(load)
        firsts[access.id] = load.first.access.id
        if value is not None and not access.guards:
            alike.setdefault(value, []).append(load)
    return tuple(found)


def _is_lane(facts: KernelFacts, access: Access, place: SourceNode) -> bool:
    """Whether a place is a lane of the vectors that a buffer holds, and no field of a structure."""
    of = next((a.type for a in facts.arguments if a.name == access.pointer), "")
    return place.node.type == "field_expression" and of.removesuffix("*").strip() == access.type


def _is_stored(place: Node) -> bool:
    """Whether an assignment stores to a place: to lanes of a vector, whose others are loaded for it."""
    while place.parent is not None and place.parent.type in {"parenthesized_expression", "field_expression"}:
        place = place.parent
    around = place.parent
    return around is not None and around.type == "assignment_expression" and around.child_by_field_name("left") == place


MOST_LOADS = 256
"""Most loads of a kernel that is split."""


def _value(
    facts: KernelFacts, symbols: Mapping[int | None, str], firsts: Mapping[int | None, int], access: Access
) -> tuple[str, str, Polynomial] | None:
    """What a load reads, equal for loads of one value: nothing is stored between them in a split. None: never twice.

    Values loaded again are called by the load that they were first loaded by.
    """
    offset = access.offset
    if offset is None or access.volatile:
        return None
    again = {
        name: Polynomial.symbol(symbols[firsts[s.loaded_from]])
        for name in offset.symbols
        if (s := facts.symbols.get(name)) is not None and s.loaded_from in firsts and firsts[s.loaded_from] in symbols
    }
    return access.pointer, access.type, offset.substitute(again)


def _reaches(load: Load, statement: Node) -> bool:
    """Whether the variable that is declared before a load's statement is in scope at another statement."""
    scope = load.statement.parent
    if scope is None or scope.type != "compound_statement":
        scope = load.statement
    return holds(scope, statement)


def _statement(
    kernel: KernelText, access: Access, node: Node, *, again: bool
) -> tuple[Node, tuple[tuple[Node, bool], ...]]:
    """The statement before which a load can be made, and the conditions in it that the load is under."""
    at, guards = node, list[tuple[Node, bool]]()
    while at.parent is not None:
        parent = at.parent
        if parent.type in {"update_expression", "comma_expression"}:
            raise CannotSplitError("load_in_step")
        if parent.type in LOOPS and parent.child_by_field_name("body") != at:
            once = parent.child_by_field_name("initializer") == at or (
                not again and _fixed(kernel, access, node, parent)
            )
            if once and not guards:
                return parent, ()
            raise CannotSplitError("load_in_head")
        if (guard := _guard(at, parent)) is not None:
            guards.append(guard)
        decides = parent.type == "if_statement" and parent.child_by_field_name("condition") == at
        if at.type in PLAIN or decides:
            read = {name for one in (node, *(g for g, _ in guards)) for name in kernel.names(one)}
            if not kernel.effects.pure(*(g for g, _ in guards)):
                raise CannotSplitError("load_under_effect")
            if at.type == "declaration" and kernel.sets(at) & read:
                raise CannotSplitError("index_declared_with_load")
            if at.type != "declaration" and kernel.sets(*_parts(at)) & read:
                raise CannotSplitError("statement_changes_place")
            return (parent if decides else at), tuple(guards)
        at = parent
    raise CannotSplitError("load_outside")


def _fixed(kernel: KernelText, access: Access, node: Node, loop: Node) -> bool:
    """Whether a load in a loop's condition reads the same place each time, so that it can be made before the loop.

    The condition is looked at once at least. That nothing is stored there meanwhile is what a split takes for granted,
    or asks the user to assert.
    """
    return not access.volatile and not kernel.sets(loop) & set(kernel.names(node))


def _parts(statement: Node) -> list[Node]:
    """A statement without the assignment that ends it: its sides."""
    inside = [c for c in statement.named_children if c.type != "comment"]
    whole = statement.type == "expression_statement" and len(inside) == 1
    return list(inside[0].named_children) if whole and inside[0].type == "assignment_expression" else [statement]


def _guard(at: Node, parent: Node) -> tuple[Node, bool] | None:
    """The condition that decides, one level up, whether an expression is evaluated; with what must come out."""
    if parent.type == "conditional_expression":
        condition = parent.child_by_field_name("condition")
        return (condition, parent.child_by_field_name("consequence") == at) if condition not in {None, at} else None
    operator = parent.child_by_field_name("operator")
    if parent.type == "binary_expression" and operator is not None and operator.type in {"&&", "||"}:
        left = parent.child_by_field_name("left")
        return (left, operator.type == "&&") if left not in {None, at} else None
    return None
