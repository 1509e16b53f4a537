"""Count into an array on the chip what a loop counts into memory at places that data choose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from tree_sitter import Node

from burstline_model.estimate.remarks import CONSTANT_CACHE_BYTES
from burstline_model.facts import Access, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.pipeline.dependence import dependences
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import type_of
from burstline_server.rewrites.legality.integer_ranges import IntegerRanges, of_type
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    after_comment,
    in_front_of,
    line_end,
)
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    braced,
    declared_types,
    free_name,
    loop_around,
    plain_type,
    written,
)

MOST_BYTES = CONSTANT_CACHE_BYTES
"""Largest array that is put on the chip."""
LEAVES = {"return_statement", "goto_statement", "labeled_statement", "switch_statement"}
_REALS = {"float", "double"}


class PrivateHistogram(Rewrite):
    """A private array for a buffer that a loop reads and writes where data say: ``hist[data[i] & 255]++``.

    Each iteration waits for memory there, since the next one may touch the same place. Offered for single work-item
    kernels where the types and operations of every index bound it, up to 16 kB. What the loop only adds whole numbers
    to is counted from 0, and what is not 0 is added after the loop: no result changes. Anything else is loaded before
    the loop and stored after it, which asserts that the buffer has all these elements unless the kernel shows it;
    buffers of the loop that may overlap this one are asserted not to.
    """

    name = "private histogram"
    codes = ("BL401",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each buffer with such a dependence."""
        facts, seen = kernel.facts, set[str]()
        if facts.model != "single_work_item" or not _by_data(facts):
            return
        for loop in facts.loops:
            for one in dependences(facts, loop):
                store, load = facts.accesses[one.store], facts.accesses[one.load]
                plain = one.space == "global" and one.why == "data-dependent" and store.pointer == load.pointer
                if plain and store.pointer not in seen and facts.argument(store.pointer) is not None:
                    seen.add(store.pointer)
                    yield Candidate(
                        Title("histogram_on_chip", (store.pointer,)),
                        (loop.span, store.span),
                        partial(_outermost, assessment, kernel, store, loop),
                    )


def _by_data(facts: KernelFacts) -> bool:
    """Whether a buffer is stored to at places that are not counters and arguments alone."""
    fixed = {name for name, symbol in facts.symbols.items() if symbol.kind in {"loop", "argument"}}
    stores = (a for a in facts.accesses if a.op == "store" and a.space == "global")
    return any(a.offset is None or not fixed.issuperset(a.offset.symbols) for a in stores)


def _outermost(assessment: Assessment, kernel: KernelAssessment, store: Access, waiting: Loop) -> Offer:
    """The edit around the outermost loop that it can be made around."""
    facts = kernel.facts
    inner = store.loops[: store.loops.index(waiting.id) + 1]
    for number in inner[:-1]:
        try:
            return _offer(assessment, kernel, store, facts.loops[number])
        except NotOfferedError:
            continue
    return _offer(assessment, kernel, store, facts.loops[inner[-1]])


def _offer(assessment: Assessment, kernel: KernelAssessment, store: Access, loop: Loop) -> Offer:
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    head = loop_around(source, loop.span)
    if head is None:
        raise NotOfferedError("macro_in_it")
    if any(n.type in LEAVES for n in inside(head.node)):
        raise NotOfferedError("has_jumps")
    own = [a for a in facts.accesses_in(loop) if a.pointer == store.pointer]
    overlapping = others_of(facts, store, loop, own)
    bins = Bins.of(assessment, effects, own, head.node, plain_type(store.type))
    line = in_front_of(source.original, head.start)
    braces = () if head.in_block else braced(head)
    if line is None or braces is None:
        raise NotOfferedError("no_line_for_declaration")
    name, end, k = store.pointer, line_end(source.original), free_name(source.original, "k")
    copy = free_name(source.original, f"{name}_copy")
    at, indent = above_pragmas(source, line[0]), line[1]
    each = f"for (int {k} = 0; {k} < {bins.count}; {k}++)"
    before = [f"{bins.type} {copy}[{bins.count}];", each, f"    {copy}[{k}] = {'0' if bins.sums else f'{name}[{k}]'};"]
    after = [each, f"    {name}[{k}] = {copy}[{k}];"]
    if bins.sums:
        after = [each, f"    if ({copy}[{k}])", f"        {name}[{k}] += {copy}[{k}];"]
    last = after_comment(source.original, head.end)
    closing = "".join(f"{end}{indent}{one}" for one in after) + (braces[1].text if braces else "")
    sure = bins.sums or _has_all(facts, store, bins.count, loop)
    asserts = [] if sure else [Assertion("holds", (name, bins.count))]
    asserts += [Assertion("apart", (name, tuple(overlapping)))] if overlapping else []
    holds = tuple((name, bins.count, False) for one in asserts if one.kind == "holds")
    return Offer(
        title=Title("private_histogram", (name, bins.kilobits), tuple(asserts)),
        kind="assertion" if asserts else "proved",
        kernel=facts.name,
        edits=(
            *braces[:1],
            TextEdit(at, at, "".join(f"{indent}{one}{end}" for one in before)),
            *(TextEdit(p.start, p.end, copy) for p in bins.pointers),
            TextEdit(last, last, closing),
        ),
        spans=tuple(dict.fromkeys((loop.span, *(a.span for a in own)))),
        codes=PrivateHistogram.codes,
        host_side=HostSide(holds=holds, apart=bool(overlapping)) if asserts else None,
    )


def others_of(facts: KernelFacts, store: Access, loop: Loop, own: Sequence[Access]) -> list[str]:
    """The other buffers of a loop that must not overlap this one; raises `NotOfferedError` where that is no question.

    Nothing may wait for the buffer, or reach it in another way than by one element.
    """
    if any(a.volatile or a.op == "atomic" or a.hint or a.lanes for a in own):
        raise NotOfferedError("not_plain_memory", store.pointer)
    if any(a.call_chain or a.span.file is not None for a in own):
        raise NotOfferedError("in_helper")
    if any(loop.id in loops for loops in (*(b.loops for b in facts.barriers), *(c.loops for c in facts.channels))):
        raise NotOfferedError("others_may_wait")
    others = [a for a in facts.accesses_in(loop) if a.pointer != store.pointer and may_alias(facts, a, store)]
    unknown = next((a for a in others if facts.argument(a.pointer) is None), None)
    if unknown is not None:
        raise NotOfferedError("may_overlap", unknown.pointer, store.pointer)
    return list(dict.fromkeys(a.pointer for a in others))


@fixed
class Bins:
    """The elements of a buffer that part of a kernel reaches: as many as `count`, named by `pointers` there.

    `sums`: whole numbers are added to them, and nothing else is done with them.
    """

    type: str
    count: int
    pointers: tuple[SourceNode, ...]
    sums: bool

    @property
    def kilobits(self) -> int:
        """RAM that a copy takes."""
        size = {"char": 8, "short": 16, "int": 32, "float": 32}.get(self.type.removeprefix("u"), 64)
        return -(-self.count * size // 1024)

    @staticmethod
    def of(assessment: Assessment, effects: Effects, own: Sequence[Access], part: Node, type_: str) -> Bins:
        """The bins of accesses in a part of a kernel; raises `NotOfferedError` where they are not bounded."""
        name = own[0].pointer
        if any(plain_type(a.type) != type_ for a in own) or (of_type(type_) is None and type_ not in _REALS):
            raise NotOfferedError("not_plain_numbers", name)
        pointers, ranges, last, sums = list[SourceNode](), IntegerRanges(effects, part), 0, of_type(type_) is not None
        for start in dict.fromkeys(a.span.start for a in own):
            pointer, place = _element(assessment, start)
            if pointer.text != name:
                raise NotOfferedError("not_one_element")
            index = place.child_by_field_name("index")
            found = ranges.of(index)
            if index is None or found is None or found[0] < 0 or (found[1] + 1) * own[0].element_bytes > MOST_BYTES:
                raise NotOfferedError("bins_not_bounded", effects.text(place))
            last, sums = max(last, found[1]), sums and adds_whole_numbers(effects, place)
            pointers.append(pointer)
        if sum(1 for n in inside(part) if n.type == "identifier" and effects.text(n) == name) != len(pointers):
            raise NotOfferedError("used_elsewhere", name)
        return Bins(type_, last + 1, tuple(pointers), sums)


def _element(assessment: Assessment, start: int) -> tuple[SourceNode, Node]:
    """The pointer of ``hist[index]``, which begins at a byte of the file, and the whole; macros may make the index."""
    source = assessment.source
    at = source.offset_of(start)
    node = source.tree.root_node.descendant_for_byte_range(at, at + 1) if at is not None else None
    pointer = written(source, node) if node is not None and node.type == "identifier" else None
    place = pointer.node.parent if pointer is not None else None
    if pointer is None or pointer.start != start:
        raise NotOfferedError("macro_in_it")
    if place is None or place.type != "subscript_expression" or place.child_by_field_name("argument") != pointer.node:
        raise NotOfferedError("not_one_element")
    if place.parent is not None and place.parent.type in {"pointer_expression", "field_expression"}:
        raise NotOfferedError("not_one_element")
    return pointer, place


def adds_whole_numbers(effects: Effects, place: Node) -> bool:
    """Whether a place is in a statement that adds a whole number to it, or takes one away, and does nothing else."""
    change = place.parent
    if change is None or change.parent is None or change.parent.type != "expression_statement":
        return False
    if change.type == "update_expression":
        return True
    operator, value = (change.child_by_field_name(n) for n in ("operator", "right"))
    if change.type != "assignment_expression" or operator is None or value is None or operator.type not in {"+=", "-="}:
        return False
    own = type_of(value, effects.source.text, declared_types(effects.source, place))
    return change.child_by_field_name("left") == place and of_type(own) is not None


def _has_all(facts: KernelFacts, store: Access, count: int, loop: Loop) -> bool:
    """Whether the kernel certainly reaches as many elements of the buffer in another loop, whatever the data are."""
    for other in facts.accesses:
        if other.pointer != store.pointer or len(other.loops) != 1 or other.guards or loop.id in other.loops:
            continue
        one = facts.loops[other.loops[0]]
        trips = one.trip.constant if one.trip is not None else None
        steps = Polynomial.symbol(one.counter).scaled(store.element_bytes)
        if other.offset == steps and trips is not None and trips >= count and not one.early_exit and not one.guards:
            return True
    return False
