"""The outermost loop of a kernel in two equal consecutive blocks, for a pair of kernels each (FFD, M2C2)."""

from __future__ import annotations

import re

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.rewrites.rewrite import TextEdit
from burstline_server.rewrites.split.statements import CannotSplitError, KernelText, contains
from burstline_server.rewrites.syntax import Written, alone, changes_nothing, loop_at, outlives, step_of

MAX_HEAD = 1_000
"""Longest part of a loop's head that is taken apart, in characters."""
_HEAD = re.compile(r"(?P<type>\w+)\s+(?P<counter>\w+)\s*=\s*(?P<first>.+?)\s*;?", re.DOTALL)
_BOUND = re.compile(r"(?P<counter>\w+)\s*(?P<sign><=?)\s*(?P<last>[^<>=!?&|]+)", re.DOTALL)


def blocks_of(kernel: KernelText) -> tuple[tuple[TextEdit, ...], tuple[TextEdit, ...]]:
    """The edits of the outermost loop's head that leave it its first, and its second half.

    Raises `CannotSplitError` where the halves would not compute the same as the whole.
    """
    facts = kernel.facts
    outer = [loop for loop in facts.loops if loop.parent is None]
    if len(outer) != 1:
        raise CannotSplitError("it has no single outermost loop")
    loop, head = outer[0], loop_at(kernel.source, outer[0].span)
    if head is None or loop.kind != "for" or loop.early_exit:
        raise CannotSplitError("its outermost loop can end early, or is no plain for")
    _refuse_carried(kernel, loop, head)
    if any(a.space == "global" and not a.loops for a in facts.accesses):
        raise CannotSplitError("some of its accesses stand outside the outermost loop")
    _refuse_meeting(facts, loop)
    return _halves(facts, head)


def _refuse_carried(kernel: KernelText, loop: Loop, head: Written) -> None:
    """An iteration of the outermost loop must take nothing from the one before (a DLCD, a shift register)."""
    body = head.node.child_by_field_name("body")
    before = {
        name
        for child in kernel.body.node.named_children
        if child.type == "declaration" and not contains(head.node, child) and child.start_byte < head.node.start_byte
        for name in kernel.sets(child)
    }
    handed = [n for n in loop.carries if n] or sorted(before & kernel.sets(body)) if body is not None else []
    if handed:
        raise CannotSplitError(
            f"{', '.join(handed)} goes from one iteration of the outermost loop to the next: a second block would "
            "have to wait for the first"
        )


def _refuse_meeting(facts: KernelFacts, loop: Loop) -> None:
    """An iteration must not touch what another one certainly stores."""
    stores = [a for a in facts.accesses if a.op != "load" and a.space == "global"]
    for store in stores:
        for other in facts.accesses:
            apart = _apart(facts, loop, store, other) if other.pointer == store.pointer else 0
            if apart:
                raise CannotSplitError(
                    f"iterations of the outermost loop that store to {store.pointer}[{store.index}] meet others at "
                    f"{other.pointer}[{other.index}]: the blocks would race"
                )


def _apart(facts: KernelFacts, loop: Loop, store: Access, other: Access) -> int:
    """How many iterations lie between two accesses to one place; 0 for none, or where that cannot be told."""
    if store.offset is None or other.offset is None:
        return 0
    pace, same = store.offset.coefficient(loop.counter), other.offset.coefficient(loop.counter)
    step = pace.constant if pace is not None and pace == same else None
    apart = (store.offset - other.offset).constant
    fixed = {s.name for s in facts.symbols.values() if s.kind in {"argument", "loop"}}
    if pace is not None and pace == same and not pace.terms and apart == 0 and store.offset.symbols <= fixed:
        return 1  # one place for all iterations
    return apart // step if step and apart and apart % step == 0 else 0  # b[i] and b[i + 1]


def never_meet(facts: KernelFacts) -> bool:
    """Whether it is proved that no iteration of the outermost loop touches what another one stores."""
    loop = next(loop for loop in facts.loops if loop.parent is None)
    for store in (a for a in facts.accesses if a.op != "load" and a.space == "global"):
        pace = store.offset.coefficient(loop.counter) if store.offset is not None else None
        step = pace.constant if pace is not None else None
        own = facts.argument(store.pointer)
        if store.offset is None or not step or abs(step) < store.element_bytes or store.loops != (loop.id,):
            return False
        if own is None or not own.restrict or store.offset.symbols - {loop.counter, *_fixed(facts)}:
            return False
        if any(a.pointer == store.pointer and a.offset != store.offset for a in facts.accesses):
            return False
    return True


def _fixed(facts: KernelFacts) -> set[str]:
    return {s.name for s in facts.symbols.values() if s.kind == "argument"}


def _halves(facts: KernelFacts, head: Written) -> tuple[tuple[TextEdit, ...], tuple[TextEdit, ...]]:
    """The edits of a head ``for (int i = first; i < last; i += step)``."""
    parts = [head.child(name) for name in ("initializer", "condition", "update")]
    first, bound, step = parts
    start = _HEAD.fullmatch(first.text) if first is not None and len(first.text) <= MAX_HEAD else None
    end = _BOUND.fullmatch(bound.text) if bound is not None and len(bound.text) <= MAX_HEAD else None
    if first is None or bound is None or step is None or start is None or end is None:
        raise CannotSplitError("its outermost loop does not count up to a bound")
    counter = start["counter"]
    pace = step_of(step.text, counter)
    names = set(re.findall(r"[A-Za-z_]\w*", start["first"] + " " + end["last"]))
    steady = changes_nothing(start["first"] + end["last"]) and outlives(end["last"], head, "")
    touched = names & {a.name for a in facts.arguments if a.is_pointer}
    if pace is None or pace < 1 or end["counter"] != counter or counter in names or not steady or touched:
        raise CannotSplitError("its outermost loop does not count up to a fixed bound by a fixed step")
    signed = all(a.type in {"char", "short", "int", "long"} for a in facts.arguments if a.name in names)
    known = names <= {a.name for a in facts.arguments}
    if start["first"] != "0" and not (signed and known and start["type"] in {"int", "long"}):
        raise CannotSplitError("its outermost loop may count in unsigned numbers from more than 0")
    last = f"({end['last']} + 1)" if end["sign"] == "<=" else alone(end["last"])
    whole = last if start["first"] == "0" else f"({last} - {alone(start['first'])})"
    half = f"{whole} / 2" if pace == 1 else f"{whole} / {2 * pace} * {pace}"
    middle = half if start["first"] == "0" else f"{alone(start['first'])} + {half}"
    at = first.start + start.start("first"), first.start + start.end("first")
    return (
        (TextEdit(bound.start, bound.end, f"{counter} < {middle}"),),
        (TextEdit(*at, middle),),
    )
