"""Add up in a variable, and touch memory once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burstline_model.facts import Access, Loop
from burstline_server.assess import Assessment
from burstline_server.costing import KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Rewrite, TextEdit, in_front_of, line_end
from burstline_server.rewrites.syntax import above_pragmas, changes_nothing, loop_at, node_at, outlives

_CALL = re.compile(r"(atom(?:ic)?_(add|sub|inc|dec|or|xor))\s*\(", re.DOTALL)
_SIGNS = {"add": "+=", "inc": "+=", "sub": "+=", "dec": "+=", "or": "|=", "xor": "^="}


class PrivateAtomic(Rewrite):
    """An atomic in a loop at a place that stays the same: operands are gathered privately, one atomic follows it.

    Offered for add, sub, inc, dec, or and xor whose result nobody uses, where no return leaves the loop. Integer
    arithmetic wraps around, so the sum does not depend on its order. No result changes.
    """

    name = "atomic"
    codes = ("BL104",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for each atomic."""
        facts = kernel.facts
        for access in facts.accesses:
            if access.op == "atomic" and access.loops and not access.call_chain:
                offer = _offer(assessment, kernel, access, facts.loops[access.loops[-1]])
                if offer is not None:
                    yield offer


def _offer(assessment: Assessment, kernel: KernelAssessment, access: Access, loop: Loop) -> Offer | None:
    source, facts = assessment.source, kernel.facts
    call, head = node_at(source, access.span), loop_at(source, loop.span)
    place = in_front_of(source.original, head.start) if head is not None else None
    if call is None or head is None or not head.in_block or place is None or access.offset is None or loop.early_exit:
        return None
    others = any(a.id != access.id and a.pointer == access.pointer and loop.id in a.loops for a in facts.accesses)
    symbols = [facts.symbols[s] for s in access.offset.symbols if s in facts.symbols]
    moves = any(loop.counter in (s.name, *s.depends_on) for s in symbols)
    data = any(s.kind in {"loaded", "carried", "opaque"} for s in symbols) or _guarded(access)
    statement = call.node.parent
    match = _CALL.match(call.text)
    if others or moves or data or match is None or statement is None or statement.type != "expression_statement":
        return None
    arguments = call.child("arguments")
    operands = [c for c in arguments.node.named_children if c.type != "comment"] if arguments is not None else []
    operation = match[2]
    if len(operands) != (1 if operation in {"inc", "dec"} else 2):
        return None

    def text(index: int) -> str:
        return source.text[operands[index].start_byte : operands[index].end_byte].decode("utf-8", "replace")

    if not outlives(text(0), head) or not changes_nothing(text(0)):
        return None
    added = "1" if operation in {"inc", "dec"} else text(1)
    name = f"{access.pointer}_sum"
    if re.search(rf"\b{name}\b".encode(), source.original):
        return None
    line, indent = above_pragmas(source.original, place[0]), place[1]
    end = line_end(source.original)
    once = {"inc": "add", "dec": "sub"}.get(operation, operation)
    function = match[1].removesuffix(operation) + once
    return Offer(
        title=f"Gather {access.pointer} in a variable, one {function} after the loop",
        kind="proved",
        kernel=facts.name,
        edits=(
            TextEdit(line, line, f"{indent}{access.type} {name} = 0;{end}"),
            TextEdit(call.start, call.end, f"{name} {_SIGNS[operation]} {added}"),
            TextEdit(head.end, head.end, f"{end}{indent}{function}({text(0)}, {name});"),
        ),
        spans=(access.span,),
        codes=PrivateAtomic.codes,
    )


def _guarded(access: Access) -> bool:
    """Whether a condition decides if the atomic runs at all: after the loop it always would."""
    return any(not g.early_return for g in access.guards)
