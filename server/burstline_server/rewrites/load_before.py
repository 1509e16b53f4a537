"""Load once, before a loop, what every iteration would load from the same place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from tree_sitter import Node

from burstline_model.estimate.changes import LoadBefore as LoadedBefore
from burstline_model.facts import Access, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.language.vocabulary import find
from burstline_server.rewrites.legality.certain_reads import CertainReads, joined, require_plain_values
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.exact_places import ExactPlaces
from burstline_server.rewrites.legality.expression_types import NUMBERS, canonical
from burstline_server.rewrites.legality.one_place import (
    element,
    loops_around,
    meetings_in,
    require_one_place,
    root_of,
    takes_address,
    word_of,
)
from burstline_server.rewrites.reasons import Assertion, Title, TitleKind
from burstline_server.rewrites.rewrite import (
    Candidate,
    NotOfferedError,
    Offer,
    Refusal,
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
    free_name,
    head_at,
    kernel_body,
    loop_around,
    node_at,
    plain_type,
)

_PLAIN = {one for one in NUMBERS if not one.startswith("half")}
_LEAVES = {"goto_statement", "labeled_statement", "switch_statement"}
_COUNTED = {"loop", "argument", "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"}
"""What a place may be made of that is read before it is known that the kernel reads it."""
MOST_PLACES = 16
"""Most places of a kernel that are looked at."""
MOST_PAIRS = 2000
"""Most pairs of a load and what changes memory in one loop."""


class LoadBefore(Rewrite):
    """A variable before a loop for what each iteration loads from one place: ``const float s_value = s[i];``.

    ``for (...) y[j] = x[j] * s[i];`` loads ``s[i]`` again each time where the compiler may not move it: a store in the
    loop may reach it, the loop may end early, or a condition decides whether it is loaded. Offered for the outermost
    loop that does not move the place, where no store in the loop reaches it: by its index for stores through the same
    pointer, by ``restrict`` for others. Else the user asserts that the buffers do not overlap, or that nothing in the
    loop stores to the place. The variable takes the place of every such load in the loop, its condition included.

    A place is read only where the kernel reads it as well: the first value is loaded under the loop's own conditions,
    unless the place is certainly used right before the loop. Where neither can be shown, the user asserts that the
    place is in its buffer whenever the loop is reached; a place that data find is refused then. Loops with
    atomics, barriers, channels or volatile accesses are refused, and helper functions that load by themselves.
    """

    name = "load before"
    codes = ("BL401", "BL101", "BL102", "BL103", "BL106")

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for each place that a loop loads and does not move."""
        facts = kernel.facts
        alike: dict[object, list[Access]] = defaultdict(list)
        for access in facts.accesses:
            alike[element(access)].append(access)
        found: dict[object, tuple[Access, list[Loop]]] = {}
        for load in facts.accesses:
            if load.op != "load" or load.space != "global" or not load.loops or load.offset is None:
                continue
            loops = loops_around(facts, load)
            if loops:
                found.setdefault((element(load), loops[0].id), (load, loops))
            if len(found) >= MOST_PLACES:
                break
        for load, loops in found.values():
            own = alike[element(load)]
            if any(a.op != "load" and loops[-1].id in a.loops for a in own):
                continue  # kept in a variable, if anything
            yield Candidate(
                Title("load_before", (load.place,)),
                tuple(dict.fromkeys((*(a.span for a in own if loops[0].id in a.loops), *(one.span for one in loops)))),
                partial(_outermost, assessment, kernel, own, loops),
            )

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """The loads that the model would make before their loop."""
        estimate = kernel.with_figures.estimate
        asked = {c.place for o in estimate.levers if isinstance(c := o.change, LoadedBefore)}
        return (one for one in super().refusals(assessment, kernel) if one.title.names[0] in asked)


def _outermost(assessment: Assessment, kernel: KernelAssessment, alike: Sequence[Access], loops: list[Loop]) -> Offer:
    """The edit for the outermost loop that it can be proved for, or else asserted for."""
    asserted: Offer | None = None
    refused: NotOfferedError | None = None
    for loop in loops:
        try:
            offer = _Edit(assessment, kernel, alike, loop).offer()
        except NotOfferedError as error:
            refused = refused or error
            continue
        if offer.kind == "proved":
            return offer
        asserted = asserted or offer
    if asserted is not None:
        return asserted
    raise refused or NotOfferedError("macro_in_it")


class _Edit:
    """The edit of one loop; raises `NotOfferedError` where it cannot be made."""

    def __init__(
        self, assessment: Assessment, kernel: KernelAssessment, alike: Sequence[Access], loop: Loop
    ) -> None:  # fmt: skip
        self.facts, self.source, self.loop, self.alike = kernel.facts, assessment.source, loop, alike
        self.effects = Effects(self.source)
        if not any(loop.id in a.loops and not a.call_chain for a in alike):
            raise NotOfferedError("in_helper")
        self.head = self._head()
        # One that the compiler moves out of a loop inside it takes the variable as well.
        self.own = [a for a in alike if a.op == "load" and not a.call_chain and self._is_written_in(a)]
        if not self.own:
            raise NotOfferedError("in_helper")
        self.load = self.own[0]
        if any(a.volatile or a.hint or a.lanes for a in self.own):
            raise NotOfferedError("not_plain_memory", self.load.pointer)
        if canonical(self.load.type) not in _PLAIN:
            raise NotOfferedError("not_plain_numbers", self.load.pointer)
        self._require_quiet()

    def offer(self) -> Offer:
        """The edit for the place as it is written first, or else as it is written elsewhere in the loop."""
        refused: NotOfferedError | None = None
        for nodes in self._written().values():
            try:
                return self._offer(nodes)
            except NotOfferedError as error:
                refused = refused or error
        raise refused or NotOfferedError("macro_in_it")

    def _head(self) -> SourceNode:
        """The loop's statement."""
        head = loop_around(self.source, self.loop.span)
        if head is None or head.child("body") is None:
            raise NotOfferedError("macro_in_it" if head_at(self.source, self.loop.span) is None else "has_directives")
        whole = kernel_body(self.source, self.facts.name_span)
        if whole is None or any(n.type in {"goto_statement", "labeled_statement"} for n in inside(whole)):
            raise NotOfferedError("has_jumps")
        if any(n.type in _LEAVES for n in inside(head.node)):
            raise NotOfferedError("has_jumps")
        return head

    def _require_quiet(self) -> None:
        """Refuses a loop in which others may be waited for, or that does what is not known."""
        facts, loop = self.facts, self.loop
        if any(loop.id in loops for loops in (*(b.loops for b in facts.barriers), *(c.loops for c in facts.channels))):
            raise NotOfferedError("others_may_wait")
        within = [a for a in facts.accesses if loop.id in a.loops or self._is_written_in(a)]
        if any(a.op == "atomic" for a in within):
            raise NotOfferedError("has_atomics")
        if any(a.volatile and a.space == "global" for a in within):
            raise NotOfferedError("not_plain_memory", next(a.pointer for a in within if a.volatile))
        self.stores = [a for a in within if a.op != "load" and a.pointer != "printf"]
        if any(loop.id not in a.loops for a in self.stores):
            raise NotOfferedError("head_has_effect")  # the head's first part stores, after what is put before it
        if any(name.startswith(("async_work", "wait_group")) for _, name in self.effects.calls(self.head.node)):
            raise NotOfferedError("others_may_wait")
        for call, name in self.effects.calls(self.head.node):
            defined = self.effects.defined.get(name)
            known = find(name, "function", "type") is not None or _is_convenient(name)
            if defined is None and not known:
                raise NotOfferedError("unknown_function", name or self.effects.text(call))

    def _is_written_in(self, access: Access) -> bool:
        span = access.call_chain[0] if access.call_chain else access.span
        return span.file is None and self.head.start <= span.start < self.head.end

    def _written(self) -> dict[str, list[SourceNode]]:
        """The places in the loop by their text."""
        found: dict[str, list[SourceNode]] = defaultdict(list)
        for span in dict.fromkeys(a.span for a in self.own):
            node = node_at(self.source, span)
            if node is None:
                raise NotOfferedError("macro_in_it")
            node = self._whole(node)
            if root_of(node) is None or takes_address(node):
                raise NotOfferedError("not_one_element")
            if not self.head.start <= node.start < self.head.end:
                raise NotOfferedError("macro_in_it")
            found[node.expanded].append(node)
        return found

    def _whole(self, node: SourceNode) -> SourceNode:
        """The element that is loaded, where only lanes of it are used."""
        if canonical(self.load.type)[-1].isalpha() or node.node.type != "field_expression":
            return node
        argument = self.facts.argument(self.load.pointer)
        of = "" if argument is None else argument.type.removesuffix("*").strip()
        inner: SourceNode | None = node
        while inner is not None and inner.node.type == "field_expression":
            inner = inner.child("argument")
        root = root_of(node)
        if inner is None or root is None or root.text != self.load.pointer or of != self.load.type:
            raise NotOfferedError("not_one_element")
        return inner

    def _offer(self, nodes: Sequence[SourceNode]) -> Offer:
        nodes = sorted({(n.start, n.end): n for n in nodes}.values(), key=lambda n: n.start)
        place, facts, text = nodes[0], self.facts, self.source.original
        require_one_place(self.effects, facts, place, self.head, self.loop)
        require_plain_values(self.effects, facts, self.source, place, *_index_parts(place))
        asserts, side = self._reached(place)
        first = self._first(nodes)
        asserts += first.asserts
        line = in_front_of(text, self.head.start)
        braces = () if self.head.in_block else braced(self.head)
        if line is None or braces is None:
            raise NotOfferedError("no_line_for_declaration")
        name, end = free_name(text, f"{word_of(place)}_value"), line_end(text)
        at, indent = above_pragmas(self.source, line[0]), line[1]
        declaration = f"{indent}const {plain_type(self.load.type)} {name} = {first.text};{end}"
        edits = [TextEdit(n.start, n.end, name) for n in first.nodes] + [TextEdit(at, at, declaration)]
        if braces:
            last = after_comment(text, self.head.end)
            edits += [braces[0], TextEdit(last, last, braces[1].text)]
        return Offer(
            title=Title(*self._title(place), tuple(asserts)),
            kind="assertion" if asserts else "proved",
            kernel=facts.name,
            edits=tuple(edits),
            spans=tuple(dict.fromkeys((self.loop.span, *(a.span for a in self.own)))),
            codes=LoadBefore.codes,
            host_side=HostSide(apart=side[0], by_data=side[1], holds=first.holds, longer=first.longer)
            if asserts
            else None,
        )

    def _title(self, place: SourceNode) -> tuple[TitleKind, tuple[str, ...]]:
        """What is done, with what keeps the compiler from doing it."""
        inside_it = (a for a in self.stores if may_alias(self.facts, a, self.load))
        reaching = next(inside_it, None)
        if reaching is not None:
            return "load_before_stores", (place.text, reaching.pointer)
        if self.loop.early_exit:
            return "load_before_end", (place.text,)
        return "load_before_condition", (place.text,)

    def _reached(self, place: SourceNode) -> tuple[list[Assertion], tuple[bool, bool]]:
        """What the user must assert for no store in the loop to reach the place, and whether buffers, or data, do."""
        facts, others, unknown = self.facts, list[str](), False
        exact = ExactPlaces(self.source, self.effects, facts)
        if len(self.own) * len(self.stores) > MOST_PAIRS:
            raise NotOfferedError("too_many_accesses")
        for store in self.stores:
            if not may_alias(facts, store, self.load):
                continue
            if store.pointer != self.load.pointer:
                if facts.argument(store.pointer) is None or facts.argument(self.load.pointer) is None:
                    raise NotOfferedError("may_overlap", store.pointer, self.load.pointer)
                others.append(store.pointer)
                continue
            met = [m for load in self.own for m in meetings_in(facts, store, load, self.loop)]
            if any(m.certain for m in met):
                raise NotOfferedError("loop_may_store", store.pointer, place.text)
            unknown |= bool(met) or not exact.has(store, place.node)
        found = [Assertion("apart", (self.load.pointer, tuple(dict.fromkeys(others))))] if others else []
        if unknown:
            found.append(Assertion("not_stored_there", (place.text,)))
        return found, (bool(others), unknown)

    def _first(self, nodes: Sequence[SourceNode]) -> _First:
        """The value that is loaded before the loop, where it takes the loads' place, and what must be asserted."""
        reads, place = CertainReads(self.effects, self.facts, self.head, self.loop), nodes[0]
        if reads.made_before(place, self.alike):
            return _First(place.text, nodes)
        known = [reads.conditions(n) for n in nodes]
        conditions = min((held for held, certain in known if certain), key=len, default=None)
        if conditions is None:
            return self._of_each_item(nodes)
        if not conditions:
            return _First(place.text, nodes)
        type_ = plain_type(self.load.type)
        zero = "0" if type_[-1].isalpha() else f"({type_})(0)"
        # Where less is known to hold, the variable may hold nothing.
        within = [n for n, (held, _) in zip(nodes, known, strict=True) if set(conditions) <= set(held)]
        return _First(f"{joined(conditions)} ? {place.text} : {zero}", within)

    def _of_each_item(self, nodes: Sequence[SourceNode]) -> _First:
        """A place that conditions decide on: the user asserts that it is in its buffer; refuses one that data find."""
        offset, bytes_ = self.load.offset, self.load.element_bytes
        ids = {s.name for s in self.facts.symbols.values() if s.kind == "global_id" and s.dimension == 0}
        argument = self.facts.argument(self.load.pointer)
        whole = argument is not None and argument.element_bytes == bytes_
        name = self.load.pointer
        symbols = [self.facts.symbols.get(one) for one in (offset.symbols if offset is not None else ())]
        if offset is None or argument is None or any(s is None or s.kind not in _COUNTED for s in symbols):
            raise NotOfferedError("conditional_load", nodes[0].text)
        if not whole or offset not in [Polynomial.symbol(one).scaled(bytes_) for one in ids]:
            return _First(nodes[0].text, nodes, (Assertion("is_element", (nodes[0].text,)),), longer=(name,))
        return _First(nodes[0].text, nodes, (Assertion("holds_one_each", (name,)),), ((name, 0, True),))


@fixed
class _First:
    """What is loaded before the loop, the loads that it replaces, and what must be asserted for that."""

    text: str
    nodes: Sequence[SourceNode]
    asserts: tuple[Assertion, ...] = ()
    holds: tuple[tuple[str, int, bool], ...] = ()
    longer: tuple[str, ...] = ()


def _is_convenient(name: str) -> bool:
    """Whether a name is a built-in that the vocabulary has under a common one: ``convert_int``, ``native_sin``."""
    return re.fullmatch(r"(?:convert|as|native|half|get|vload|vstore)_?\w*", name) is not None


def _index_parts(place: SourceNode) -> list[Node]:
    inner: Node | None = place.node
    while inner is not None and inner.type == "field_expression":
        inner = inner.child_by_field_name("argument")
    index = inner.child_by_field_name("index") if inner is not None and inner.type == "subscript_expression" else None
    return [index] if index is not None else []
