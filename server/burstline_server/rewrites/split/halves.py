"""The outermost loop of a kernel in equal consecutive blocks, for a pair of kernels each (FFD, M2C2 and M4C4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from burstline_model.facts import Access, KernelFacts, Loop
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.legality.heads import head_of, require_fixed
from burstline_server.rewrites.legality.order import Meeting, carried_by
from burstline_server.rewrites.rewrite import TextEdit
from burstline_server.rewrites.split.kernel_statements import CannotSplitError, KernelText, contains
from burstline_server.rewrites.split.set_first import is_read_after, is_set_first
from burstline_server.rewrites.syntax import SourceNode, alone, declared_types, loop_at


def blocks_of(kernel: KernelText, count: int, items: frozenset[int]) -> list[tuple[TextEdit, ...]]:
    """The edits of the outermost loop's head that leave it one of `count` blocks each, from the first to the last.

    `items` are loops over what were work-items, which may meet in any order. Raises `CannotSplitError` where the blocks
    would not compute the same as the whole.
    """
    facts = kernel.facts
    outer = [loop for loop in facts.loops if loop.parent is None]
    if len(outer) != 1:
        raise CannotSplitError("no_outermost_loop")
    loop, head = outer[0], loop_at(kernel.source, outer[0].span)
    if head is None or loop.kind != "for" or loop.early_exit:
        raise CannotSplitError("outermost_ends_early")
    refuse_carried(kernel, loop, head)
    body = head.child("body")
    first = body.start if body is not None else head.start
    if any(a.space == "global" and a.op == "atomic" for a in facts.accesses):
        raise CannotSplitError("has_atomics")
    if any(a.space == "global" and (not a.loops or head.start <= a.span.start < first) for a in facts.accesses):
        raise CannotSplitError("accesses_outside")
    if loop.id not in items:
        _refuse_meeting(facts, loop)
    return _blocks(kernel, loop, head, count)


def refuse_carried(kernel: KernelText, loop: Loop, head: SourceNode) -> None:
    """An iteration of the outermost loop must take nothing from the one before (a DLCD, a shift register)."""
    body = head.node.child_by_field_name("body")
    before = {
        name
        for child in kernel.body.node.named_children
        if child.type == "declaration" and not contains(head.node, child) and child.start_byte < head.node.start_byte
        for name in kernel.sets(child)
    }
    set_here = before & kernel.sets(body) if body is not None else set[str]()
    free = {n for n in {*loop.carries, *set_here} if is_set_first(kernel.effects, head.node, n)}
    handed = [n for n in loop.carries if n and n not in free] or sorted(set_here - free)
    if handed:
        raise CannotSplitError("carried_outermost", tuple(handed))


def _refuse_meeting(facts: KernelFacts, loop: Loop) -> None:
    """An iteration must not touch what another one certainly stores."""
    for one, other, met in _across(facts, loop):
        if met.certain:
            raise CannotSplitError("blocks_race", f"{one.pointer}[{one.index}]", f"{other.pointer}[{other.index}]")


def never_meet(facts: KernelFacts) -> bool:
    """Whether it is proved that no iteration of the outermost loop touches what another one stores."""
    loop = next(loop for loop in facts.loops if loop.parent is None)
    return next(_across(facts, loop), None) is None


def _across(facts: KernelFacts, loop: Loop) -> Iterator[tuple[Access, Access, Meeting]]:
    """The pairs of accesses, one of them at least a store, that may meet over two iterations of a loop."""
    reached = [a for a in facts.accesses_in(loop) if a.space == "global"]
    for one, other in product(reached, repeat=2):
        if one.op != "load" or other.op != "load":
            met = carried_by(facts, loop, one, other)
            if met is not None:
                yield one, other, met


def _blocks(kernel: KernelText, loop: Loop, written: SourceNode, count: int) -> list[tuple[TextEdit, ...]]:
    """The edits of a head ``for (int i = first; i < last; i += step)``."""
    head = head_of(kernel.effects, written)
    left, last = head.condition.child("left"), head.condition.child("right")
    operator = head.condition.node.child_by_field_name("operator")
    step = head.step
    body, named = written.child("body"), written.child("initializer")
    if left is None or last is None or operator is None or operator.type not in {"<", "<="} or left.text != head.name:
        raise CannotSplitError("outermost_without_bound")
    if step is None or step < 1 or body is None or named is None:
        raise CannotSplitError("outermost_not_fixed")
    if named.child("type") is None and is_read_after(kernel.effects, written.node, head.name):
        raise CannotSplitError("counter_outside")
    if head.name in kernel.effects.sets(body.node) | kernel.effects.reads(last.node):
        raise CannotSplitError("outermost_changes_counter")
    for part in (head.first, last):
        require_fixed(kernel.effects, kernel.facts, part, written, loop)
    types = declared_types(kernel.source, written.node)
    signed = all(
        type_of(part.node, kernel.source.text, types) in {"char", "short", "int", "long"} for part in (head.first, last)
    )
    if head.first.text != "0" and not (signed and canonical(head.type) in {"int", "long"}):
        raise CannotSplitError("outermost_unsigned")
    end = f"({last.text} + 1)" if operator.type == "<=" else alone(last.text)
    whole = end if head.first.text == "0" else f"({end} - {alone(head.first.text)})"
    block = f"{whole} / {count}" if step == 1 else f"{whole} / {count * step} * {step}"
    borders = [block, *(f"{block} * {n}" for n in range(2, count))]
    if head.first.text != "0":
        borders = [f"{alone(head.first.text)} + {border}" for border in borders]
    bound = head.condition
    starts = [(), *((TextEdit(head.first.start, head.first.end, border),) for border in borders)]
    ends = [*((TextEdit(bound.start, bound.end, f"{head.name} < {border}"),) for border in borders), ()]
    return [(*start, *end) for start, end in zip(starts, ends, strict=True)]
