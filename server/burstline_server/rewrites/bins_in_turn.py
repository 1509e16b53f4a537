"""Count in several copies of an array on the chip in turn, so that no iteration waits for the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import ceil

from tree_sitter import Node

from burstline_model.estimate.kernel_estimate import LoopEstimate
from burstline_model.facts import Access, KernelFacts, LocalArray, Loop
from burstline_model.parallelism.loop_copies import effective_unroll, fully_unrolled
from burstline_model.pipeline.waits import Carried, ThroughMemory
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import type_of
from burstline_server.rewrites.legality.heads import Head, head_of
from burstline_server.rewrites.legality.integer_ranges import of_type
from burstline_server.rewrites.legality.reductions import REALS
from burstline_server.rewrites.private_histogram import LEAVES, Bins
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    after_comment,
    in_front_of,
    indent_at,
    line_end,
    step_in,
)
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    braced,
    declared_types,
    free_name,
    kernel_body,
    loop_around,
    plain_type,
    written,
)
from burstline_server.source.source import Source

MOST_BYTES = 1 << 16
"""Largest array that the copies are together."""
MOST_TURNS = 64
MOST_SHIFT = 8
"""Steps are below two to the power of it, so that the narrowest counter has turns left when it wraps around."""
_COUNTERS = {"int", "uint", "long", "ulong", "short", "ushort"}


class BinsInTurn(Rewrite):
    """Copies of an array on the chip that a loop adds to where data say, used in turn: ``bins[key[i] & 255]++``.

    Each iteration waits until the one before has stored, since it may need the same element. With as many copies as
    that takes cycles, a power of two, iterations use them one after the other, and ``#pragma ivdep safelen(N)`` says
    so to the compiler (Best Practices Guide 22.4, 6.1.5). The copies start at zero and are added up after the loop.

    Offered for the innermost loop of a single work-item kernel which does nothing else with the array than add to its
    elements or take away from them, where the copies together have 64 kB at most. The loop's counter chooses the copy
    where it steps by a constant; any other loop (``while``, a step that is a variable) gets one that counts iterations.
    Whole numbers wrap around: no result changes. For reals it is an assertion, as for partial sums: the terms are
    added in another order, which is executed with data of which every such sum is exact.
    """

    name = "bins in turn"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each loop that waits for an array on the chip."""
        facts = kernel.facts
        if facts.model != "single_work_item":
            return
        for one in kernel.estimate.loops:
            array = _waited_for(facts, one)
            if array is not None:
                loop = facts.loops[one.loop]
                yield Candidate(
                    Title("bins_in_turn", (array.name,)),
                    (loop.span,),
                    partial(_offer, assessment, kernel, loop, array, ceil(one.ii or 1)),
                )


def _waited_for(facts: KernelFacts, one: LoopEstimate) -> LocalArray | None:
    """The array on the chip, of one dimension, that holds up a loop."""
    wait = one.serialised_by
    if one.serial or (one.ii or 1) < 2 or not isinstance(wait, (Carried, ThroughMemory)):
        return None
    name = wait.names[0] if isinstance(wait, Carried) else wait.pointer
    found = (a for a in facts.arrays if a.name == name and a.space in {"local", "private"} and a.length)
    return next((a for a in found if not a.rows), None)


def _offer(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, array: LocalArray, interval: int
) -> Offer:  # fmt: skip
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    written_loop = loop_around(source, loop.span)
    if written_loop is None:
        raise NotOfferedError("macro_in_it")
    if any(n.type in LEAVES for n in inside(written_loop.node)):
        raise NotOfferedError("has_jumps")
    if loop.unroll not in {None, 1} or loop.ivdep is not None or loop.coalesce is not None:
        raise NotOfferedError("pragma_says")
    own, (type_, length) = _counter(effects, written_loop), _shape(facts, loop, array)
    _require_no_address(source, facts, effects, array.name)
    adds = tuple(_additions(effects, written_loop.node, array.name, type_))
    pointers = [written(source, one) for one, _ in adds]
    places = [one for one in pointers if one is not None and one.text == array.name]
    line, braces = (
        in_front_of(source.original, written_loop.start),
        () if written_loop.in_block else braced(written_loop),
    )
    if len(places) < len(pointers):
        raise NotOfferedError("macro_in_it")
    if line is None or braces is None:
        raise NotOfferedError("no_line_for_declaration")
    turns = 1 << (interval - 1).bit_length()
    bins = Bins(type_, length * turns, (), sums=True)
    if turns > MOST_TURNS or length * turns * array.element_bytes > MOST_BYTES:
        raise NotOfferedError("copies_too_large", array.name)
    text, end, (at, indent) = source.original, line_end(source.original), line
    above = above_pragmas(source, at)
    copies, k, turn, count = (
        free_name(text, one) for one in (f"{array.name}_turns", "k", "turn", f"{array.name}_turn")
    )
    chosen = _turn(own) if own is not None else count
    counted, brace = ((), None) if own is not None else _counted(source, written_loop, count)
    zero = {"float": "-0.0f", "double": "-0.0"}.get(type_, "0")
    each, all_turns = f"for (int {k} = 0; {k} < {length}; {k}++)", f"for (int {turn} = 0; {turn} < {turns}; {turn}++)"

    def of_each(statement: str) -> list[str]:
        return [f"{each} {{", "    #pragma unroll", f"    {all_turns}", f"        {statement}", "}"]

    before = [] if own is not None else [f"uint {count} = 0;"]
    before += [f"{type_} {copies}[{turns}][{length}];", *of_each(f"{copies}[{turn}][{k}] = {zero};")]
    apart = f"{indent}#pragma ivdep array({copies}) safelen({turns}){end}"
    after = of_each(f"{array.name}[{k}] += {copies}[{turn}][{k}];")
    last = after_comment(text, written_loop.end)
    within = brace is not None and brace.start < last
    closing = "".join(f"{end}{indent}{one}" for one in after) + (braces[1].text if braces else "")
    closing = closing if brace is None or within else brace.text + closing
    reals, start = type_ in REALS, source.offset_of(loop.span.start)
    terms = frozenset((term.start_byte, term.end_byte) for _, term in adds if term is not None)
    promises = (Promise("exact_terms", frozenset(), start if start is not None else -1, terms),) if reals else ()
    return Offer(
        title=Title(
            "bins_in_turn_of", (array.name, turns, bins.kilobits),
            (Assertion("added_in_any_order", ((array.name,),)),) if reals else (),
        ),
        kind="assertion" if reals else "proved",
        kernel=facts.name,
        edits=(
            *braces[:1],
            *_in_front(above, at, "".join(f"{indent}{one}{end}" for one in before), apart),
            *(TextEdit(p.start, p.end, f"{copies}[{chosen} & {turns - 1}]") for p in places),
            *counted,
            *([brace] if brace is not None and within else []),
            TextEdit(last, last, closing),
        ),
        spans=(loop.span,),
        codes=BinsInTurn.codes,
        host_side=HostSide(promises=promises) if reals else None,
    )  # fmt: skip


def _in_front(above: int, at: int, before: str, pragma: str) -> tuple[TextEdit, ...]:
    """What comes before a loop: the copies above the pragmas that it has, and one more of those."""
    if above == at:
        return (TextEdit(at, at, before + pragma),)
    return TextEdit(above, above, before), TextEdit(at, at, pragma)


def _counter(effects: Effects, loop: SourceNode) -> Head | None:
    """The head of a loop whose counter takes whole numbers in steps of a constant; None for any other loop."""
    try:
        head, body = head_of(effects, loop), loop.child("body")
    except NotOfferedError:
        return None
    step, type_ = abs(head.step or 0), effects.type_named(plain_type(head.type))
    if not 0 < step < 1 << MOST_SHIFT or plain_type(type_) not in _COUNTERS:
        return None
    named = [n for n in inside(body.node) if n.type == "identifier"] if body is not None else []
    declares = any(effects.text(n) == head.name and _is_declared(n) for n in named)
    if body is None or declares or head.name in effects.reassigned(body.node):
        return None
    return head


def _counted(source: Source, loop: SourceNode, count: str) -> tuple[tuple[TextEdit, ...], TextEdit | None]:
    """The edits that count a loop's iterations, the first that each of them does, and one that closes its body.

    Raises `NotOfferedError`.
    """
    body, text = loop.child("body"), source.original
    if body is None:
        raise NotOfferedError("macro_in_it")
    if body.node.type == "compound_statement" and text[body.start : body.start + 1] == b"{":
        rest = text[body.start + 1 : text.find(b"\n", body.start)]
        between = f"{line_end(text)}{indent_at(text, loop.start)}{step_in(text, indent_at(text, loop.start))}"
        first = f"{' ' if rest.strip() else between}{count}++;"
        return (TextEdit(body.start + 1, body.start + 1, first),), None
    if written(source, body.node) is None:
        raise NotOfferedError("macro_in_it")
    return (TextEdit(body.start, body.start, f"{{ {count}++; "),), TextEdit(body.end, body.end, " }")


def _turn(head: Head) -> str:
    """What takes another value, modulo any power of two, in each iteration: the counter, without what is even in steps.

    A step is an odd number times a power of two; shifting right by that power leaves steps of the odd number.
    """
    step = abs(head.step or 1)
    even = (step & -step).bit_length() - 1
    return f"({head.name} >> {even})" if even else head.name


def _is_declared(name: Node) -> bool:
    """Whether a name is what a declaration declares, which hides another variable of that name."""
    at = name
    while at.parent is not None and at.parent.type in DECLARATORS:
        if at.parent.child_by_field_name("declarator") != at:
            return False
        at = at.parent
    return at.parent is not None and at.parent.type == "declaration" and at.parent.child_by_field_name("type") != at


DECLARATORS = {"init_declarator", "array_declarator", "pointer_declarator", "parenthesized_declarator"}


def _require_no_address(source: Source, facts: KernelFacts, effects: Effects, name: str) -> None:
    """Raise `NotOfferedError` where a pointer may lead to an array: its name alone, or an address in it, is used."""
    body = kernel_body(source, facts.name_span)
    for node in inside(body) if body is not None else ():
        if node.type != "identifier" or effects.text(node) != name or _is_declared(node):
            continue
        place = node.parent
        element = place is not None and place.type == "subscript_expression"
        if place is None or not element or place.child_by_field_name("argument") != node:
            raise NotOfferedError("address_given", name)
        if place.parent is not None and place.parent.type == "pointer_expression":
            raise NotOfferedError("address_given", name)


def _shape(facts: KernelFacts, loop: Loop, array: LocalArray) -> tuple[str, int]:
    """The element's type and the length of an array that a loop reaches plainly; raises `NotOfferedError`."""
    every: Sequence[Access] = (*facts.accesses_in(loop), *facts.private_accesses, *facts.register_accesses)
    own = [a for a in every if a.pointer == array.name and loop.id in a.loops]
    if any(a.volatile or a.op == "atomic" or a.call_chain or a.span.file is not None for a in own):
        raise NotOfferedError("not_plain_memory", array.name)
    copies = effective_unroll(facts)
    if any(o.parent == loop.id and not fully_unrolled(o, copies) for o in facts.loops):
        raise NotOfferedError("holds_loop")
    types = {plain_type(a.type) for a in own}
    if len(types) != 1 or not array.length:
        raise NotOfferedError("not_plain_numbers", array.name)
    type_ = types.pop()
    if of_type(type_) is None and type_ not in REALS:
        raise NotOfferedError("not_plain_numbers", array.name)
    return type_, array.length


def _additions(effects: Effects, loop: Node, name: str, type_: str) -> Iterator[tuple[Node, Node | None]]:
    """Where a loop names an array, with what it adds to an element there (None for one, and where it is read for that).

    Raises `NotOfferedError` where the loop does anything else with it.
    """
    for node in inside(loop):
        if node.type not in {"identifier", "type_identifier", "field_identifier"} or effects.text(node) != name:
            continue
        place = node.parent
        if place is None or place.type != "subscript_expression" or place.child_by_field_name("argument") != node:
            raise NotOfferedError("not_one_element")
        yield node, _added(effects, place, type_)


def _added(effects: Effects, place: Node, type_: str) -> Node | None:
    """What a statement adds to an element; None where it is one, or where this is the element's value before."""
    change = place.parent
    while change is not None and change.type in {"binary_expression", "parenthesized_expression"}:
        change = change.parent
    name = effects.text(place)
    if change is None or change.parent is None or change.parent.type != "expression_statement":
        raise NotOfferedError("not_a_sum", name)
    if change.type == "update_expression" and change.child_by_field_name("argument") == place:
        return None
    left, right, operator = (change.child_by_field_name(n) for n in ("left", "right", "operator"))
    if change.type != "assignment_expression" or left is None or right is None or operator is None:
        raise NotOfferedError("not_a_sum", name)
    term = right
    if operator.type == "=":
        one, other = (right.child_by_field_name(n) for n in ("left", "right"))
        sign = right.child_by_field_name("operator")
        if right.type != "binary_expression" or one is None or other is None or sign is None:
            raise NotOfferedError("not_a_sum", name)
        if sign.type not in {"+", "-"} or not effects.alike(one, left) or not effects.pure(left):
            raise NotOfferedError("not_a_sum", name)
        if place not in {left, one}:
            raise NotOfferedError("not_a_sum", name)
        term = other
    elif operator.type not in {"+=", "-="} or place != left:
        raise NotOfferedError("not_a_sum", name)
    kind = type_of(term, effects.source.text, declared_types(effects.source, place))
    if kind is None or (type_ not in REALS and of_type(kind) is None):
        raise NotOfferedError("not_whole_numbers")
    return term if place == left else None
