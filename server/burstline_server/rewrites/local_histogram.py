"""Count in local memory what the work-items of a group count into global memory by atomics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import gcd

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.alias import may_alias
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.host_launches import (
    Launched,
    asks_for_group,
    attributes_place,
    launch_text,
    launched_as,
)
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.integer_ranges import IntegerRanges
from burstline_server.rewrites.private_histogram import MOST_BYTES
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Rewrite,
    TextEdit,
    goes_on,
    in_front_of,
    indent_at,
    line_end,
)
from burstline_server.rewrites.simd import GROUP
from burstline_server.rewrites.syntax import (
    SourceNode,
    above_pragmas,
    free_name,
    kernel_body,
    node_at,
    only_pragmas,
    plain_type,
    written,
)

_NAME = re.compile(r"atom(?:ic)?_(?:add|sub|inc|dec)")
SIDE = 16
"""Work-items of each side of a group of two dimensions, where nobody says how many: as many as `GROUP` in all."""
_JUMPS = {"goto_statement", "labeled_statement"}


class LocalHistogram(Rewrite):
    """A local array for a buffer that work-items add to by atomics where data say: ``atomic_inc(&hist[data[i]])``.

    An atomic of global memory reads and writes it each time, one of local memory does not. A group counts from 0 in
    its own array, and adds each element that is not 0 to the buffer by one atomic at its end. Offered for add, sub,
    inc and dec of 32-bit numbers whose result nobody uses, where the types and operations of every index bound it, up
    to 16 kB, and the kernel uses the buffer in no other way. All work-items reach the barriers: an early
    ``if (…) return;`` becomes the condition of what follows it. The size of work-groups becomes fixed where it is not
    yet, which the host must launch. Integer arithmetic wraps around, so the sums do not depend on their order. No
    result changes; buffers that may overlap this one are asserted not to.
    """

    name = "local histogram"
    codes = ("BL104",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each buffer with atomics at places that data choose."""
        facts, seen = kernel.facts, set[str]()
        for access in facts.accesses:
            moves = access.offset is None or any(
                (s := facts.symbols.get(name)) is not None and s.kind in {"loaded", "opaque", "carried"}
                for name in access.offset.symbols
            )
            chosen = access.op == "atomic" and access.space == "global" and moves and facts.model == "ndrange"
            if chosen and access.pointer not in seen and facts.argument(access.pointer) is not None:
                seen.add(access.pointer)
                own = [a for a in facts.accesses if a.pointer == access.pointer]
                yield Candidate(
                    Title("histogram_on_chip", (access.pointer,)),
                    tuple(dict.fromkeys(a.span for a in own)),
                    partial(_offer, assessment, kernel, own),
                )


def _offer(assessment: Assessment, kernel: KernelAssessment, own: Sequence[Access]) -> Offer:
    facts, source, effects = kernel.facts, assessment.source, Effects(assessment.source)
    overlapping = _others(facts, own)
    body = kernel_body(source, facts.name_span)
    if body is None:
        raise NotOfferedError("macro_in_text")
    launched = launched_as(assessment, kernel)
    group = facts.work_group_size or _group(facts, launched, effects)
    pointers, bins = _bins(assessment, effects, own, body)
    frame = _Frame.of(assessment, effects, facts, body)
    name, text = own[0].pointer, source.original
    copy, k, item = (free_name(text, one) for one in (f"{name}_copy", "k", "item"))
    lines = [f"__local {plain_type(own[0].type)} {copy}[{bins}];"]
    at = "get_local_id(0)"
    if group[1:] != (1, 1):
        depth = f" + {group[0] * group[1]} * get_local_id(2)" if group[2] > 1 else ""
        lines.append(f"const int {item} = get_local_id(0) + {group[0]} * get_local_id(1){depth};")
        at = item
    items = group[0] * group[1] * group[2]
    loop = bins > items
    each = [f"for (int {k} = {at}; {k} < {bins}; {k} += {items})"] if loop else [f"if ({at} < {bins})"]
    each, step, index = (each, "    ", k if loop else at) if loop or bins < items else ([], "", at)
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    lines += [*each, f"{step}{copy}[{index}] = 0;", barrier]
    add = [f"    atomic_add(&{name}[{index}], {copy}[{index}]);"]
    if loop:
        add = [*each, f"    if ({copy}[{index}])", f"    {add[0]}"]
    else:
        add.insert(0, f"if ({at} < {bins} && {copy}[{index}])" if each else f"if ({copy}[{index}])")
    names: tuple[str | int, ...] = (name, -(-bins * 32 // 1024))
    title, attribute = Title("local_histogram", names, overlapping), list[TextEdit]()
    sized = group if group[2] > 1 else group[:2] if group[1] > 1 else group[:1]
    if facts.work_group_size is None:
        size = "×".join(str(n) for n in sized)
        found = launched.found if launched is not None and launched.group is not None else ()
        title = Title("local_histogram_groups", (*names, size), overlapping, launched=found)
        start, indent = attributes_place(text, facts)
        needed = f"__attribute__((reqd_work_group_size({group[0]}, {group[1]}, {group[2]})))"
        attribute.append(TextEdit(start, start, f"{indent}{needed}{line_end(text)}"))
    given = facts.work_group_size is not None or bool(title.launched)
    return Offer(
        title=title,
        kind="assertion" if overlapping else "proved" if given else "host",
        kernel=facts.name,
        edits=(
            *attribute, *(TextEdit(p.start, p.end, copy) for p in pointers), *frame.edits(lines, [barrier, *add])
        ),
        spans=tuple(dict.fromkeys(a.span for a in own)),
        codes=LocalHistogram.codes,
        host="" if given else launch_text(facts.name, sized),
        host_side=None if given and not overlapping else HostSide(apart=bool(overlapping)),
    )  # fmt: skip


def _group(facts: KernelFacts, launched: Launched | None, effects: Effects) -> tuple[int, int, int]:
    """The size that a kernel's work-groups are to have: as they are launched, or by the dimensions that it asks for."""
    ids = [s.dimension for s in facts.symbols.values() if s.kind in {"global_id", "local_id", "group_id"}]
    dimensions = max(1 + max(ids, default=0), len((launched and launched.items) or ()))
    given = launched.group if launched is not None else None
    if given is None and launched is not None and not asks_for_group(facts, effects):
        usual = {1: (GROUP,), 2: (SIDE, SIDE)}.get(dimensions, ())
        items = launched.items or ()
        # A dimension that no launch names takes what is usual.
        given = tuple(gcd(n, most) for n, most in zip((*items, *usual[len(items) :]), usual, strict=False)) or None
    if given is None:
        raise NotOfferedError("no_group_size")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _others(facts: KernelFacts, own: Sequence[Access]) -> tuple[Assertion, ...]:
    """That other buffers do not overlap this one; raises `NotOfferedError` where it is used in another way."""
    name = own[0].pointer
    if any(a.op != "atomic" for a in own):
        raise NotOfferedError("used_elsewhere_in_kernel", name)
    if any(a.call_chain or a.span.file is not None for a in own):
        raise NotOfferedError("in_helper")
    types = {plain_type(a.type) for a in own}
    if types - {"int", "uint"} or len(types) > 1:
        raise NotOfferedError("not_whole_numbers")
    if facts.channels:
        raise NotOfferedError("others_may_wait")
    others = [a.pointer for a in facts.accesses if a.pointer != name and may_alias(facts, a, own[0])]
    unknown = next((p for p in others if facts.argument(p) is None), None)
    if unknown is not None:
        raise NotOfferedError("may_overlap", unknown, name)
    return (Assertion("apart", (name, tuple(dict.fromkeys(others)))),) if others else ()


def _bins(
    assessment: Assessment, effects: Effects, own: Sequence[Access], body: Node
) -> tuple[list[SourceNode], int]:  # fmt: skip
    """Where the buffer is named, and how many of its elements the atomics reach."""
    name, ranges = own[0].pointer, IntegerRanges(effects, body)
    pointers, last = list[SourceNode](), 0
    for span in dict.fromkeys(a.span for a in own):
        call = node_at(assessment.source, span)
        if call is None or call.node.type != "call_expression":
            raise NotOfferedError("macro_in_it")
        alone = call.node.parent is not None and call.node.parent.type == "expression_statement"
        if not alone or _NAME.fullmatch(effects.called(call.node)) is None:
            raise NotOfferedError("result_used")
        arguments = call.node.child_by_field_name("arguments")
        where = next((c for c in arguments.named_children if c.type != "comment"), None) if arguments else None
        pointer, index = _element(where)
        found = ranges.of(index) if index is not None else (0, 0)
        place = written(assessment.source, pointer) if pointer is not None else None
        if place is None or place.text != name:
            raise NotOfferedError("not_one_element")
        if found is None or found[0] < 0 or (found[1] + 1) * own[0].element_bytes > MOST_BYTES:
            raise NotOfferedError("bins_not_bounded", f"{name}[{effects.text(index) if index is not None else 0}]")
        last = max(last, found[1])
        pointers.append(place)
    if sum(1 for n in inside(body) if n.type == "identifier" and effects.text(n) == name) != len(pointers):
        raise NotOfferedError("used_elsewhere_in_kernel", name)
    return pointers, last + 1


def _element(where: Node | None) -> tuple[Node | None, Node | None]:
    """The pointer and the index of ``&hist[index]``, ``hist + index`` or ``hist``; no index is the first element."""
    if where is not None and where.type == "pointer_expression":
        operator, inner = (where.child_by_field_name(n) for n in ("operator", "argument"))
        if operator is not None and operator.type == "&" and inner is not None and inner.type == "subscript_expression":
            pointer, index = (inner.child_by_field_name(n) for n in ("argument", "index"))
            return (pointer, index) if pointer is not None and pointer.type == "identifier" else (None, None)
        return None, None
    if where is not None and where.type == "binary_expression":
        left, operator, right = (where.child_by_field_name(n) for n in ("left", "operator", "right"))
        plain = operator is not None and operator.type == "+" and left is not None and left.type == "identifier"
        return (left, right) if plain else (None, None)
    return (where, None) if where is not None and where.type == "identifier" else (None, None)


@fixed
class _Frame:
    """A kernel's body, whose start and end every work-item is to reach: `guards` leave it early."""

    text: bytes
    first: int
    """Where the line of the first statement begins."""
    last: int
    """Where the line of the closing brace begins."""
    indent: str
    guards: tuple[tuple[SourceNode, SourceNode], ...]
    """Statements ``if (condition) return;`` of the body, each with its condition."""

    @staticmethod
    def of(assessment: Assessment, effects: Effects, facts: KernelFacts, body: Node) -> _Frame:
        """The frame of a kernel; raises `NotOfferedError` where it may be left in another way."""
        source = assessment.source
        statements = [c for c in body.named_children if c.type != "comment"]
        ends = (source.offset_of(o.start) for o in (source.origin(body.end_byte - 1, body.end_byte),))
        if not statements or next(ends) != body.end_byte - 1 or any(n.type in _JUMPS for n in inside(body)):
            raise NotOfferedError("has_jumps")
        begin = source.origin(body.start_byte, body.start_byte + 1).start
        end = source.origin(body.end_byte - 1, body.end_byte).start
        place = in_front_of(
            source.original, source.origin(statements[0].start_byte, statements[0].start_byte + 1).start
        )
        closing = in_front_of(source.original, end)
        first = above_pragmas(source, place[0]) if place is not None else 0
        if place is None or closing is None or first <= begin:
            raise NotOfferedError("no_line_at_start")
        if not only_pragmas(source.original[begin:end]):
            raise NotOfferedError("has_directives")
        guards = tuple(_guards(assessment, statements))
        returns = sum(1 for n in inside(body) if n.type == "return_statement")
        declared = [a.span.start for a in facts.arrays if a.space == "local" and begin < a.span.start < end]
        if returns > len(guards):
            raise NotOfferedError("return_inside")
        if guards and any(one > guards[0][0].start for one in declared):
            raise NotOfferedError("local_behind_return")
        if any(not effects.pure(condition.node) for _, condition in guards):
            raise NotOfferedError("value_has_effect")
        return _Frame(source.original, first, closing[0], place[1], guards)

    def edits(self, before: Sequence[str], after: Sequence[str]) -> Iterator[TextEdit]:
        """Lines before the first statement and after the last, which all work-items reach."""
        end = line_end(self.text)
        yield TextEdit(self.first, self.first, "".join(f"{self.indent}{one}{end}" for one in before))
        unit = self.indent[len(indent_at(self.text, self.last)) :] or "    "
        for guard, condition in self.guards:
            yield TextEdit(guard.start, guard.end, f"if (!{condition.text}) {{")
        at = self.guards[0][0].end if self.guards else self.last
        while 0 < (at := self.text.find(b"\n", at) + 1) < self.last:
            deep = sum(guard.end <= at for guard, _ in self.guards)
            inner = any(guard.start < at < guard.end for guard, _ in self.guards)
            stripped = self.text[at : self.text.find(b"\n", at)].strip()
            if stripped and not stripped.startswith(b"#") and not inner and not goes_on(self.text, at):
                yield TextEdit(at, at, unit * deep)
        closing = [f"{unit * n}}}" for n in reversed(range(len(self.guards)))]
        yield TextEdit(self.last, self.last, "".join(f"{self.indent}{one}{end}" for one in (*closing, *after)))


def _guards(assessment: Assessment, statements: Sequence[Node]) -> Iterator[tuple[SourceNode, SourceNode]]:
    """The statements of a body that are ``if (condition) return;``, with the condition in its parentheses."""
    for one in statements:
        consequence = one.child_by_field_name("consequence") if one.type == "if_statement" else None
        if consequence is None or one.child_by_field_name("alternative") is not None:
            continue
        held = consequence.named_children if consequence.type == "compound_statement" else [consequence]
        node = written(assessment.source, one)
        condition = node.child("condition") if node is not None else None
        if len(held) == 1 and held[0].type == "return_statement" and node is not None and condition is not None:
            yield node, condition
