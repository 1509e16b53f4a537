"""Add up in a variable, and touch memory once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects
from burstline_server.rewrites.legality.expression_types import converted
from burstline_server.rewrites.legality.heads import require_fixed
from burstline_server.rewrites.reasons import Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, free_name, loop_at, node_at, written

_NAME = re.compile(r"(atom(?:ic)?_)(add|sub|inc|dec|or|xor)")
_SIGNS = {"add": "+=", "inc": "+=", "sub": "+=", "dec": "+=", "or": "|=", "xor": "^="}
_WORDS = {"int", "uint", "long", "ulong"}


class PrivateAtomic(Rewrite):
    """An atomic in a loop at a place that stays the same: operands are gathered privately, one atomic follows it.

    Offered for add, sub, inc, dec, or and xor of whole numbers whose result nobody uses, where no return leaves the
    loop and nothing in it may touch the same buffer. Integer arithmetic wraps around, so the sum does not depend on
    its order; a sum of nothing is not added. No result changes.
    """

    name = "private atomic"
    codes = ("BL104",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each atomic in a loop."""
        facts = kernel.facts
        for access in facts.accesses:
            if access.op == "atomic" and access.loops:
                yield Candidate(
                    Title("private_atomic", (access.pointer, "atomic")),
                    (access.span,),
                    partial(_offer, assessment, kernel, access, facts.loops[access.loops[-1]]),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, access: Access, loop: Loop) -> Offer:
    source, facts, effects = assessment.source, kernel.facts, Effects(assessment.source)
    call, head = node_at(source, access.span), loop_at(source, loop.span)
    place = in_front_of(source.original, head.start) if head is not None else None
    if access.call_chain or call is None or head is None or not head.in_block or place is None:
        raise NotOfferedError("atomic_not_written_out")
    _refuse_others(facts, access, loop)
    match = _NAME.fullmatch(effects.called(call.node)) if call.node.type == "call_expression" else None
    statement = call.node.parent
    if match is None or statement is None or statement.type != "expression_statement":
        raise NotOfferedError("result_used")
    operands = _operands(call.node)
    family, operation = match[1], match[2]
    if access.type not in _WORDS or len(operands) != (1 if operation in {"inc", "dec"} else 2):
        raise NotOfferedError("not_whole_numbers")
    where, *given = (written(source, one) for one in operands)
    if where is None or None in given:
        raise NotOfferedError("macro_in_it")
    # The address of an element is given, not what lies there.
    require_fixed(effects, facts, _index(where), head, loop)
    added = converted(given[0], access.type) if given and given[0] is not None else "1"
    name = free_name(source.original, f"{access.pointer}_sum")
    line, indent = above_pragmas(source, place[0]), place[1]
    end = line_end(source.original)
    function = family + {"inc": "add", "dec": "sub"}.get(operation, operation)
    once = f"if ({name}){end}{indent}    {function}({where.text}, {name});"
    return Offer(
        title=Title("private_atomic", (access.pointer, function)),
        kind="proved",
        kernel=facts.name,
        edits=(
            TextEdit(line, line, f"{indent}{access.type} {name} = 0;{end}"),
            TextEdit(call.start, call.end, f"{name} {_SIGNS[operation]} {added}"),
            TextEdit(head.end, head.end, f"{end}{indent}{once}"),
        ),
        spans=(access.span,),
        codes=PrivateAtomic.codes,
    )


def _refuse_others(facts: KernelFacts, access: Access, loop: Loop) -> None:
    """Raises `NotOfferedError` unless the place stays the same, and nothing in the loop may see it meanwhile."""
    if loop.early_exit:
        raise NotOfferedError("early_exit")
    if facts.barriers or any(loop.id in c.loops for c in facts.channels):
        raise NotOfferedError("others_may_wait")
    for other in facts.accesses_in(loop):
        if other.id != access.id and may_alias(facts, other, access):
            if other.pointer == access.pointer:
                raise NotOfferedError("used_elsewhere", access.pointer)
            raise NotOfferedError("may_overlap", other.pointer, access.pointer)
    symbols = [facts.symbols[s] for s in access.offset.symbols if s in facts.symbols] if access.offset else []
    if access.offset is None or any(loop.counter in (s.name, *s.depends_on) for s in symbols):
        raise NotOfferedError("place_moves")
    if any(s.kind in {"loaded", "carried", "opaque"} for s in symbols):
        raise NotOfferedError("place_from_data")
    if any(not g.early_return for g in access.guards):
        raise NotOfferedError("conditional_atomic")


def _operands(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []


def _index(where: SourceNode) -> SourceNode:
    """The index of ``&array[index]``; any other address as a whole."""
    element = where.child("argument")
    index = element.child("index") if element is not None and element.node.type == "subscript_expression" else None
    return index if where.node.type == "pointer_expression" and index is not None else where
