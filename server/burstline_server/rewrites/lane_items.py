"""A loop around channels, several iterations side by side: a channel carries an array of what they send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from burstline_model.facts import Loop
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import type_of
from burstline_server.rewrites.legality.heads import Head, head_of, reads_memory
from burstline_server.rewrites.pragma_line import require_no_pragmas
from burstline_server.rewrites.rewrite import (
    NotOfferedError,
    TextEdit,
    edited,
    in_front_of,
    line_end,
    moved_in,
    step_in,
)
from burstline_server.rewrites.syntax import SourceNode, declared_types, free_name, loop_around, plain_type, written
from burstline_server.rewrites.widened import READS, WRITES

_LOOPS = {"for_statement", "while_statement", "do_statement"}
_EACH_TIME = {
    "compound_statement", "expression_statement", "declaration", "init_declarator", "assignment_expression",
    "argument_list", "call_expression", "binary_expression", "unary_expression", "parenthesized_expression",
    "cast_expression", "field_expression", "subscript_expression",
}  # fmt: skip
"""What is around something that runs once wherever it does; of operators, those that need both sides."""


@fixed
class Items:
    """What a channel carries: the structure's name, whose only field is an array of so many items."""

    structure: str
    lanes: int


@fixed
class _Call:
    """An operation on a channel: the call, the channel's name, the function's, and what is sent."""

    place: SourceNode
    channel: str
    function: str
    sent: SourceNode | None


def lane_edits(
    assessment: Assessment, kernel: KernelAssessment, loop: Loop, items: Mapping[str, Items]
) -> tuple[TextEdit, ...]:
    """The edits of one loop; raises `NotOfferedError`.

    Iterations stay in their order, each with all that it does. What they receive is read in front of them, and what
    they send is written behind them, in the order of the text; so in each of them all is read before anything is
    written. The counter of the groups has 64 bits: it does not come round at the last one.
    """
    source = assessment.source
    effects, found = Effects(source), loop_around(source, loop.span)
    head, body = _counts(effects, loop, found), found.child("body") if found is not None else None
    initializer = found.child("initializer") if found is not None else None
    if found is None or body is None or initializer is None:
        raise NotOfferedError("macro_in_it")
    calls = list(_calls(effects, body.node, items))
    if len(calls) != len(kernel.facts.channels):
        raise NotOfferedError("in_helper")
    if len({one.channel for one in calls}) < len(calls):
        raise NotOfferedError("has_channel")
    _require_no_jumps(body.node, max(one.place.node.end_byte for one in calls))
    reads, writes = ([one for one in calls if (one.sent is None) == to_read] for to_read in (True, False))
    if reads and writes and max(c.place.node.end_byte for c in reads) > min(c.place.node.end_byte for c in writes):
        raise NotOfferedError("sends_before_it_reads")
    place = in_front_of(source.original, found.start)
    if place is None:
        raise NotOfferedError("no_line_for_declaration")
    text, end = source.original, line_end(source.original)
    lanes = next(iter(items.values())).lanes
    names = {one.channel: free_name(text, f"{one.channel}_{'out' if one.sent else 'in'}") for one in calls}
    first, lane = free_name(text, f"{head.name}_first"), free_name(text, "lane")
    edits = [edit for one in calls for edit in _replaced(one, f"{names[one.channel]}.item[{lane}]")]
    step = head.step or 1
    sign, by = "+" if step > 0 else "-", "" if abs(step) == 1 else f"{abs(step)} * "
    value = f"{first} {sign} {by}{lane}"
    indent, unit = place[1], step_in(text, place[1])
    own = edited(text[body.start : body.end], edits, body.start).decode("utf-8", "replace").strip()
    if body.node.type == "compound_statement":
        own = own[1:-1].strip()
    one_by_one = [f"const {head.type} {head.name} = {value};"] if head.name in effects.reads(body.node) else []
    whole = loop.trip is not None and (loop.trip.constant or 1) % lanes == 0
    deeper = unit if whole else unit * 2
    lines = [f"const {items[c.channel].structure} {names[c.channel]} = {c.function}({c.channel});" for c in reads]
    lines += [f"{items[c.channel].structure} {names[c.channel]};" for c in writes]
    lines += ["#pragma unroll", f"for (int {lane} = 0; {lane} < {lanes}; {lane}++) {{"]
    lines += [] if whole else [f"{unit}if ({head.runs(value)}) {{"]
    lines += [f"{deeper}{one}" for one in (*one_by_one, moved_in(own, deeper))]
    lines += ["}"] if whole else [f"{unit}}}", "}"]
    lines += [f"{c.function}({c.channel}, {names[c.channel]});" for c in writes]
    inner = "".join(f"{end}{indent}{unit}{one}" for one in lines)
    closed = len(text[: body.start].rstrip())
    begin = closed if text[closed - 1 : closed] == b")" else body.start
    again = f"{head.runs(first)}; {first} {sign}= {abs(step) * lanes}"
    return (
        TextEdit(initializer.start, head.update.end, f"long {first} = {head.value}; {again}"),
        TextEdit(begin, body.end, f"{' ' if begin < body.start else ''}{{{inner}{end}{indent}}}"),
    )


def _counts(effects: Effects, loop: Loop, found: SourceNode | None) -> Head:
    """The head of a loop that counts to a bound which nothing in it changes; raises `NotOfferedError`."""
    head = head_of(effects, found)
    initializer, body = head.loop.child("initializer"), head.loop.node.child_by_field_name("body")
    asked = (loop.unroll, loop.ivdep, loop.initiation_interval, loop.coalesce, loop.max_concurrency)
    if any(one is not None for one in asked) or not loop.pipelined:
        raise NotOfferedError("pragma_says")
    require_no_pragmas(head.loop)
    if initializer is None or initializer.child("type") is None or body is None:
        raise NotOfferedError("counter_outside")
    if not head.ends_once and not _counts_to_unsigned(head):
        raise NotOfferedError("does_not_count_up")
    # What a body declares counts as set: nothing in it hides the counter or a variable of the condition.
    named = effects.reads(head.condition.node) | {head.name}
    if reads_memory(head.condition.node) or named & effects.sets(body):
        raise NotOfferedError("bound_may_change")
    return head


def _counts_to_unsigned(head: Head) -> bool:
    """Whether a counter goes up from a number to less than a bound without a sign, which 64 bits hold as it is."""
    bound, source = head.bound, head.loop.source
    if bound is None or not head.first.expanded.isdecimal() or (head.step or 0) < 1:
        return False
    own = type_of(bound.node, source.text, declared_types(source, bound.node))
    return plain_type(head.type) in {"int", "uint", "long"} and own in {"uchar", "ushort", "uint"}


def _calls(effects: Effects, body: Node, items: Mapping[str, Items]) -> Iterator[_Call]:
    """The operations on channels in a loop's body, in the order of the text; raises `NotOfferedError`."""
    nodes = (n for n in inside(body) if n.type == "call_expression" and effects.called(n) in READS | WRITES)
    for node in sorted(nodes, key=lambda n: n.start_byte):
        place, arguments = written(effects.source, node), node.child_by_field_name("arguments")
        given = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
        sends = effects.called(node) in WRITES
        sent = written(effects.source, given[1]) if sends and len(given) == 2 else None
        if place is None or len(given) != 1 + sends or (sends and sent is None):
            raise NotOfferedError("macro_in_it")
        if effects.text(given[0]) not in items:
            raise NotOfferedError("has_channel")
        _require_each_time(node, body, alone=sends)
        yield _Call(place, effects.text(given[0]), effects.called(node), sent)


def _require_each_time(call: Node, body: Node, *, alone: bool) -> None:
    """Refuses an operation that an iteration may leave out; `alone`: one that is not a statement by itself."""
    at = call.parent
    if alone and (at is None or at.type != "expression_statement"):
        raise NotOfferedError("not_each_iteration")
    outer = body if body.type == "compound_statement" else body.parent
    while at is not None and at != outer:
        operator = at.child_by_field_name("operator")
        if at.type not in _EACH_TIME or (operator is not None and operator.type in {"&&", "||"}):
            raise NotOfferedError("not_each_iteration")
        at = at.parent


def _require_no_jumps(body: Node, last: int) -> None:
    """Refuses a body that may leave its loop, or go on with the next iteration before the last operation."""
    for node in inside(body):
        if node.type in {"return_statement", "goto_statement", "labeled_statement"}:
            raise NotOfferedError("has_jumps")
        if node.type not in {"break_statement", "continue_statement"}:
            continue
        held = _LOOPS | ({"switch_statement"} if node.type == "break_statement" else set())
        at = node.parent
        while at is not None and at != body.parent and at.type not in held:
            at = at.parent
        if at == body.parent and (node.type == "break_statement" or node.start_byte < last):
            raise NotOfferedError("has_jumps")


def _replaced(call: _Call, item: str) -> Sequence[TextEdit]:
    """An operation as a use of an item."""
    place, sent = call.place, call.sent
    if sent is None:
        return (TextEdit(place.start, place.end, item),)
    return TextEdit(place.start, sent.start, f"{item} = "), TextEdit(sent.end, place.end, "")


def structures(
    assessment: Assessment, types: Sequence[tuple[TextEdit, str, str]], lanes: int
) -> tuple[list[TextEdit], list[Items]]:
    """The edits that declare channels of arrays, and what each declaration's channels carry.

    `types`: where an item's type is written, the type, and one of the channels that are declared with it.
    """
    text, edits, found = assessment.source.original, list[TextEdit](), list[Items]()
    for place, type_, channel in types:
        line = text.rfind(b"\n", 0, place.start) + 1
        if text[line : place.start].split() != [b"channel"]:
            raise NotOfferedError("no_line_for_declaration")
        name = free_name(text, f"{channel}_items")
        found.append(Items(name, lanes))
        declared = f"typedef struct {{ {type_} item[{lanes}]; }} {name};{line_end(text)}"
        edits += [TextEdit(line, line, declared), TextEdit(place.start, place.end, name)]
    return edits, found
