"""Heads of for loops from their syntax, with the counter's type, and expressions that may leave their loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tree_sitter import Node

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.record import fixed
from burstline_server.analysis.nodes import holds
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import canonical, converted, type_of
from burstline_server.rewrites.rewrite import NotOfferedError
from burstline_server.rewrites.syntax import SourceNode, declared_types, plain_type, step_of, written

_SIGNED = {"char", "uchar", "short", "ushort", "int", "long"}
"""Types that an int is not made unsigned for."""


@fixed
class Head:
    """``for (int i = first; condition; update)``: nothing in it but the update has an effect, each part is there.

    `type` is the counter's, as it is declared.
    """

    loop: SourceNode
    type: str
    name: str
    first: SourceNode
    condition: SourceNode
    update: SourceNode

    @property
    def value(self) -> str:
        """The counter's first value as an operand of its type."""
        return converted(self.first, self.type)

    @property
    def step(self) -> int | None:
        """What the update adds, where that is a number."""
        return step_of(self.update.node, self.name, self.update.inside)

    @property
    def bound(self) -> SourceNode | None:
        """The right side of ``i < bound``; None for another condition."""
        left, right = self.condition.child("left"), self.condition.child("right")
        operator = self.condition.node.child_by_field_name("operator")
        plain = left is not None and left.text == self.name and operator is not None and operator.type == "<"
        return right if plain else None

    @property
    def limit(self) -> tuple[str, SourceNode] | None:
        """The operator and the right side of ``i < bound`` or ``i <= bound``; None for another condition."""
        left, right = self.condition.child("left"), self.condition.child("right")
        operator = self.condition.node.child_by_field_name("operator")
        if left is None or right is None or operator is None or left.text != self.name:
            return None
        return (operator.type, right) if operator.type in {"<", "<="} else None

    def runs(self, value: str) -> str:
        """The condition for another value of the counter."""
        said = with_value(self.condition, self.name, value)
        return f"({said})" if self.condition.node.type in {"conditional_expression", "comma_expression"} else said

    @property
    def steady(self) -> bool:
        """Whether arithmetic on a value of the counter has the counter's own type."""
        return canonical(self.type) in {"int", "uint", "long", "ulong"}

    @property
    def ends_once(self) -> bool:
        """Whether no later value holds the condition once one did not: it need not be asked for each before."""
        operator = self.condition.node.child_by_field_name("operator")
        left, right, step = self.condition.child("left"), self.condition.child("right"), self.step
        if operator is None or left is None or right is None or step is None or left.text != self.name:
            return False
        source = self.loop.source
        if any(n.type == "identifier" and Effects(source).text(n) == self.name for n in inside(right.node)):
            return False  # ``i < 2 * i - 5`` holds later on
        bound = type_of(right.node, source.text, declared_types(source, right.node))
        # An unsigned bound makes the comparison unsigned, and a negative counter large.
        signed = plain_type(self.type) in {"int", "long"} and bound in {
            "char",
            "uchar",
            "short",
            "ushort",
            "int",
            "long",
        }
        return signed and operator.type in ({"<", "<="} if step > 0 else {">", ">="})


def head_of(effects: Effects, loop: SourceNode | None) -> Head:
    """The head of a loop; raises `NotOfferedError` where it is more, or less, than a counter that starts and steps."""
    if loop is None:
        raise NotOfferedError("macro_in_it")
    if loop.node.type != "for_statement":
        raise NotOfferedError("not_a_for_loop")
    initializer, condition, update = (loop.child(n) for n in ("initializer", "condition", "update"))
    if initializer is None or condition is None or update is None:
        raise NotOfferedError("head_incomplete")
    named, declarator = initializer.child("type"), initializer.child("declarator")
    if named is not None:
        if len(initializer.node.children_by_field_name("declarator")) > 1:
            raise NotOfferedError("several_in_head")
        name, first = (declarator.child(n) if declarator is not None else None for n in ("declarator", "value"))
        type_ = plain_type(named.text)
    else:
        inner = initializer
        name, first = inner.child("left"), inner.child("right")
        operator = inner.node.child_by_field_name("operator")
        if operator is None or operator.type != "=":
            name = None
        type_ = declared_types(loop.source, loop.node).get(name.text, "") if name is not None else ""
    if name is None or first is None or name.node.type != "identifier" or not type_:
        raise NotOfferedError("head_without_first_value")
    first, condition, update = (written(loop.source, one.node) for one in (first, condition, update))
    if first is None or condition is None or update is None:
        raise NotOfferedError("macro_in_head")
    if not effects.pure(first.node, condition.node) or name.text in effects.reads(first.node):
        raise NotOfferedError("head_has_effect")
    return Head(loop, type_, name.text, first, condition, update)


def counts_up(
    effects: Effects, loop: SourceNode | None, *, closed: bool = False, within: tuple[KernelFacts, Loop] | None = None,
    kept: bool = False,
) -> Head:  # fmt: skip
    """The head of a loop with a counter of its own that counts up by one to a bound which its body does not change.

    `closed`: the bound may be the last value (``i <= bound``). `within`: it may be loaded (``j < start[i + 1]``) where
    nothing in this loop of a kernel stores there. `kept`: the counter may be another's as well, which gets the value
    that it has after the loop.
    """
    head = head_of(effects, loop)
    bound = head.limit[1] if closed and head.limit is not None else head.bound
    if bound is None or head.step != 1 or head.loop.child("initializer") is None:
        raise NotOfferedError("does_not_count_up")
    initializer = head.loop.child("initializer")
    if initializer is None or (initializer.child("type") is None and not (kept or only_counts(effects, head))):
        raise NotOfferedError("counter_outside")
    names = effects.reads(head.first.node, bound.node)
    memory = [one for one in (head.first, bound) if reads_memory(one.node)]
    if memory and within is not None and all(_stays(effects, *within, head, one) for one in memory):
        memory = []
    body = head.loop.node.child_by_field_name("body")
    if memory or body is None or names & (effects.sets(body) | {head.name}) or head.name in effects.sets(body):
        raise NotOfferedError("bound_may_change")
    return head


def _stays(effects: Effects, facts: KernelFacts, loop: Loop, head: Head, place: SourceNode) -> bool:
    """Whether what an expression loads is the same throughout a loop.

    All that it loads is known, is plain, and no store of the loop may reach it; nor is anything waited for in the
    loop, behind which others may have stored.
    """
    arrays = {a.name for a in facts.arrays}
    loads = [a for a in facts.accesses if a.span.file is None and place.start <= a.span.start < place.end]
    if any(a.volatile or a.space not in {"global", "constant"} or a.call_chain for a in loads):
        return False
    waited = any(loop.id in loops for loops in (*(b.loops for b in facts.barriers), *(c.loops for c in facts.channels)))
    if waited or any(a.op == "atomic" for a in facts.accesses_in(loop)) or effects.reads(place.node) & arrays:
        return False
    if len(loads) != sum(1 for one in inside(place.node) if _loads(one)):
        return False
    try:
        require_fixed(effects, facts, place, head.loop, loop)
    except NotOfferedError:
        return False
    return True


def _loads(node: Node) -> bool:
    """Whether a node is a load by itself."""
    operator = node.child_by_field_name("operator")
    return node.type == "subscript_expression" or (
        node.type == "pointer_expression" and operator is not None and operator.type == "*"
    )


def only_counts(effects: Effects, head: Head, within: Node | None = None) -> bool:
    """Whether a counter that is declared outside its loop is used in loops alone that set it in their heads.

    What it is after such a loop then does not matter. `within`: to what is in a node around the loop.
    """
    node, function = head.loop.node, function_around(head.loop.node)
    if function is None:
        return False
    declared = 0
    for one in inside(function):
        if one.type != "identifier" or effects.text(one) != head.name or holds(node, one):
            continue
        if within is not None and not holds(within, one) and not address_taken(one):
            declared += _is_declared(one)
            continue
        if _is_declared(one):
            declared += 1
        elif not any(_sets_first(effects, around, head.name) and not holds(around, node) for around in _around(one)):
            return False
    return declared == 1


def function_around(node: Node) -> Node | None:
    """The function that a node is in."""
    at: Node | None = node
    while at is not None and at.type != "function_definition":
        at = at.parent
    return at


def _is_declared(name: Node) -> bool:
    """Whether a name, or what it takes part in the first value of, is declared there, and not in a loop's head."""
    at = name
    while at.parent is not None and at.parent.type in {"init_declarator", "declaration"}:
        at = at.parent
    return at.type == "declaration" and (at.parent is None or at.parent.type != "for_statement")


def address_taken(name: Node) -> bool:
    """Whether a variable's name has ``&`` in front."""
    around = name.parent
    operator = around.child_by_field_name("operator") if around is not None else None
    return around is not None and around.type == "pointer_expression" and operator is not None and operator.type == "&"


def _around(node: Node) -> Iterator[Node]:
    """The for loops around a place."""
    at = node.parent
    while at is not None:
        if at.type == "for_statement":
            yield at
        at = at.parent


def _sets_first(effects: Effects, loop: Node, name: str) -> bool:
    """Whether a loop's head begins with ``name = …``."""
    begins = loop.child_by_field_name("initializer")
    if begins is None or begins.type != "assignment_expression":
        return False
    left, right, operator = (begins.child_by_field_name(n) for n in ("left", "right", "operator"))
    plain = left is not None and operator is not None and operator.type == "=" and effects.text(left) == name
    return plain and right is not None and name not in effects.reads(right)


def with_value(place: SourceNode, name: str, value: str) -> str:
    """An expression's text with another operand, in parentheses where it needs them, in a variable's place."""
    return with_values(place, {name: value})


def with_values(place: SourceNode, values: Mapping[str, str]) -> str:
    """The same for several variables."""
    text, start = place.source.original[place.start : place.end], place.start
    found = sorted(
        (
            (w.start, w.end, values[w.text])
            for n in inside(place.node)
            if n.type == "identifier" and (w := written(place.source, n)) is not None and w.text in values
        ),
        reverse=True,
    )
    for first, end, operand in dict.fromkeys(found):
        text = text[: first - start] + operand.encode() + text[end - start :]
    return text.decode("utf-8", "replace")


def require_fixed(
    effects: Effects, facts: KernelFacts, place: SourceNode, head: SourceNode, loop: Loop, *, counter: str = "",
    given: Collection[str] = (),
) -> None:  # fmt: skip
    """Raises `NotOfferedError` unless an expression means the same before or after a loop as in each iteration.

    Its counter counts as fixed, and what else is `given`: other values take their places.
    """
    if not effects.pure(place.node):
        raise NotOfferedError("has_effect", place.text)
    changed = (effects.reads(place.node) - {counter, *given}) & effects.sets(head.node)
    pointers = {a.name for a in facts.arguments if a.is_pointer}
    if changed - pointers:
        raise NotOfferedError("changes_in_loop", min(changed - pointers))
    loads = [a for a in facts.accesses if a.span.file is None and place.start <= a.span.start < place.end]
    helped = any(name in effects.defined for _, name in effects.calls(place.node))
    if effects.reads(place.node) & pointers and reads_memory(place.node) and (helped or not loads):
        raise NotOfferedError("reads_unknown", place.text)
    stores = [s for s in facts.accesses_in(loop) if s.op != "load"]
    for load in loads:
        store = next((s for s in stores if may_alias(facts, s, load)), None)
        if store is not None:
            raise NotOfferedError("loop_may_store", load.pointer, place.text)


def reads_memory(place: Node) -> bool:
    """Whether an expression may read more than the variables that it names."""
    for node in inside(place):
        operator = node.child_by_field_name("operator")
        if node.type in {"subscript_expression", "field_expression", "call_expression"}:
            return True
        if node.type == "pointer_expression" and operator is not None and operator.type == "*":
            return True
    return False
