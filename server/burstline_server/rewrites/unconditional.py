"""Stores without conditions, into a buffer that the host has zeroed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.index_bounds import each_place_once
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.plain_stores import Store, comments_in
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    indent_at,
    line_end,
)
from burstline_server.rewrites.syntax import every


class Unconditional(Rewrite):
    """Stores under conditions lose them, in a buffer of zeros: ``if (c) y[i] = v;`` becomes ``y[i] = c ? v : 0;``.

    Neighbours that are stored under a condition each then become one wide request; copies of one store in an unrolled
    loop are one whatever its condition says, so nothing is gained there. Offered for all stores to a buffer that the
    kernel uses in no other way, where every element is stored at most once, and where the conditions ask for values
    from memory or remainders: one that compares the index with a bound keeps the store inside the buffer. Needs the
    host to zero the buffer before each launch, as far as the loops reach.
    """

    name = "unconditional"
    codes = ("BL106", "BL103", "BL102", "BL105", "BL101")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each buffer that is stored to under conditions."""
        facts = kernel.facts
        for argument in facts.arguments:
            accesses = [a for a in facts.accesses if a.pointer == argument.name and a.space == "global"]
            if _only_stored(facts, accesses):
                yield Candidate(
                    Title("unconditional", (argument.name,)),
                    tuple(a.span for a in accesses),
                    partial(_offer, assessment, kernel, argument.name, accesses),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, name: str, accesses: list[Access]) -> Offer:
    facts = kernel.facts
    if not each_place_once(facts, accesses):
        raise NotOfferedError("stored_again")
    stores = [Store.of(assessment, a) for a in accesses]
    if None in stores:
        raise NotOfferedError("store_not_one_statement")
    edits = tuple(_edit(assessment, facts, s, a) for s, a in zip(stores, accesses, strict=True) if s is not None)
    return Offer(
        title=Title("unconditional_zeroed", (name,)),
        kind="host", kernel=facts.name, edits=edits, spans=tuple(a.span for a in accesses), codes=Unconditional.codes,
        host=f"/* {name} holds every element that the loops and work-items reach, all of them zero. */\n"
        f"const cl_uchar zero = 0;\n"
        f"clEnqueueFillBuffer(queue, {name}, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);\n",
        host_side=HostSide(zeroed=(name,), longer=(name,)),
    )  # fmt: skip


def _only_stored(facts: KernelFacts, accesses: list[Access]) -> bool:
    """Whether the kernel does nothing with a buffer but plain stores under conditions."""
    plain = all(a.op == "store" and not (a.volatile or a.call_chain or a.hint) and a.guards for a in accesses)
    reached = [a for a in facts.accesses if accesses and may_alias(facts, a, accesses[0])]
    return plain and bool(accesses) and reached == accesses


def _edit(assessment: Assessment, facts: KernelFacts, store: Store, access: Access) -> TextEdit:
    """The statement without its condition."""
    condition = store.condition
    if condition is None or not Effects(assessment.source).pure(store.left.node, condition.node, store.value.node):
        raise NotOfferedError("store_has_effect")
    scalars = frozenset(a.name for a in facts.arguments if not a.is_pointer)
    if not _bounds_nothing(condition.node, scalars, _from_memory(condition.node, scalars)):
        raise NotOfferedError("condition_bounds_index")
    text = assessment.source.original
    between = line_end(text) + indent_at(text, store.whole.start)
    said = "".join(f"{comment}{between}" for comment in comments_in(store.whole))
    zero = "0.0f" if access.type == "float" else "0"
    if access.element_bytes > access.scalar_bytes:
        zero = f"({access.type})0"
    chosen = f"{store.left.text} = {condition.text} ? {store.value.text} : {zero};"
    return TextEdit(store.whole.start, store.whole.end, f"{said}{chosen}")


_CHANGES = {"assignment_expression", "update_expression", "pointer_expression"}


def _from_memory(place: Node, scalars: frozenset[str]) -> frozenset[str]:
    """The variables of the function around a node that hold a value from memory (or a remainder) for good."""
    function: Node | None = place
    while function is not None and function.type != "function_definition":
        function = function.parent
    held, set_again = set[str](), set[str]()
    for node in every(function) if function is not None else ():
        name, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        left = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if node.type == "init_declarator" and name is not None and name.text is not None and value is not None:
            (held if _bounds_nothing(value, scalars, frozenset()) else set_again).add(name.text.decode())
        elif node.type in _CHANGES and left is not None and left.text is not None:
            set_again.add(left.text.decode())
    return frozenset(held - set_again)


def _bounds_nothing(condition: Node, scalars: frozenset[str], held: frozenset[str]) -> bool:
    """Whether no part of a condition can be what keeps an index inside its buffer.

    Each part must ask for something from memory, such as the variables in `held`, or for a remainder, and for nothing
    else but scalar arguments.
    """
    operator = condition.child_by_field_name("operator")
    if condition.type == "parenthesized_expression" or (operator is not None and operator.type in {"&&", "||"}):
        sides = [side for side in condition.named_children if side.type != "comment"]
        return all(_bounds_nothing(side, scalars, held) for side in sides)
    names, decided = set[str](), False
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        operator = node.child_by_field_name("operator")
        if node.type == "subscript_expression" or (operator is not None and operator.type == "%"):
            decided = True
            continue
        if node.type == "identifier" and node.text is not None:
            names.add(node.text.decode())
        called = node.child_by_field_name("function")
        # What a function makes of its arguments bounds nothing unless they do, but an id does.
        ids = called is not None and called.text is not None and called.text.startswith(b"get_")
        waiting += [child for child in node.named_children if ids or child != called]
    return (decided or bool(names & held)) and names <= scalars | held
