"""The feed-forward split: one kernel that loads, one that computes and stores, channels between them (FFD, 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations

from tree_sitter import Node

from burstline_model.facts import Access
from burstline_model.pipeline.dependence import dependences
from burstline_server.assess import Assessment, KernelAssessment
from burstline_server.rewrites.rewrite import Offer, Refusal, Rewrite, TextEdit, line_end
from burstline_server.rewrites.syntax import Written, changes_nothing, function_at, node_at

TITLE = "Split into a memory and a compute kernel joined by channels"
_LOOPS = {"for_statement", "while_statement", "do_statement"}
_JUMPS = {"break_statement", "continue_statement", "return_statement"}
_PLAIN = {"declaration", "expression_statement"}
_HEADS = {*_LOOPS, "if_statement"}
_PREFIX = re.compile(rb"(?:(?:__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)|__kernel|kernel)\s+)+\Z")
_SCALAR = re.compile(r"(?:u?(?:char|short|int|long)|float|double|half)\d*")


class CannotSplitError(Exception):
    """Why a kernel stays in one piece."""


class Split(Rewrite):
    """A kernel whose loops wait for global memory becomes two: one loads and sends, one receives, computes and stores.

    Loads no longer wait for stores, so the loops start an iteration every cycle. Every loaded value that the
    computation needs goes through a channel of its type; what only leads to other loads stays in the memory
    kernel; what a kernel does not need is left out of it. The host must launch both, on queues of their own.
    Offered where a loop is serialised by a dependence through global memory that is not proved to happen; the
    user then asserts that it does not.
    """

    name = "split"
    codes = ("BL401",)

    def offers(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Offer]:
        """One edit for the kernel."""
        if not _wanted(kernel) or _refused(kernel):
            return
        try:
            offer = _Splitter(assessment, kernel).offer()
        except CannotSplitError:
            return
        yield offer

    def refusals(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Refusal]:
        """Kernels that wait for memory and stay in one piece."""
        if not _wanted(kernel):
            return
        reason = _refused(kernel)
        if not reason:
            try:
                _Splitter(assessment, kernel).offer()
            except CannotSplitError as error:
                reason = str(error)
        if reason:
            yield Refusal(TITLE, reason, (kernel.facts.name_span, *(loop.span for loop in kernel.facts.loops)))


def _wanted(kernel: KernelAssessment) -> bool:
    """Whether a loop waits for a dependence through global memory."""
    facts = kernel.facts
    waits = (o for o in kernel.estimate.loops if o.store is not None and (o.ii or 1) > 1)
    return facts.model == "single_work_item" and any(
        facts.accesses[o.store].space == "global" for o in waits if o.store is not None
    )


def _refused(kernel: KernelAssessment) -> str:
    """Why the dependences of a kernel forbid the split; empty when they do not."""
    facts = kernel.facts
    for loop in facts.loops:
        for one in dependences(facts, loop):
            if one.proven and one.space == "global":
                store, load = facts.accesses[one.store], facts.accesses[one.load]
                return (
                    f"a later iteration reads {load.pointer}[{load.index}] after {store.pointer}[{store.index}] was "
                    "stored there: an unsafe dependence, to be kept in a variable first"
                )
    for store, load in permutations(facts.accesses, 2):
        again = store.op != "load" and load.op == "load" and store.id < load.id and store.pointer == load.pointer
        if again and store.offset is not None and store.offset == load.offset and load.space == "global":
            return f"{load.pointer}[{load.index}] is read again after it was stored: keep it in a variable first"
    if facts.channels or facts.barriers:
        return "it uses channels or barriers already"
    if any(a.op == "atomic" for a in facts.accesses):
        return "atomics read and write in one step"
    return ""


@dataclass
class _Load:
    """A load that is sent: its node, the variable that holds it, and its channel."""

    access: Access
    place: Written
    name: str
    statement: Node
    channel: str


class _Splitter:
    def __init__(self, assessment: Assessment, kernel: KernelAssessment) -> None:
        self.source, self.kernel, self.facts = assessment.source, kernel, kernel.facts
        self.text = self.source.original
        whole = function_at(self.source, self.facts.name_span)
        body = whole.child("body") if whole is not None else None
        if whole is None or body is None:
            raise CannotSplitError("macros or includes make up a part of its text")
        if any(node.type in {"do_statement", "goto_statement", "switch_statement"} for node in _every(body.node)):
            raise CannotSplitError("a do, a goto or a switch stands in it")
        if re.search(r"^[ \t]*#[ \t]*(?!pragma\b)[a-z]", body.text, re.MULTILINE):
            raise CannotSplitError("conditions of the preprocessor stand in it")
        if any(node.type == "pointer_declarator" for node in _every(body.node)):
            raise CannotSplitError("it goes through a pointer of its own")
        before = _PREFIX.search(self.text, 0, whole.start)
        self.start = before.start() if before is not None else whole.start
        self.whole, self.body, self.shift = whole, body, whole.shift
        self.loads = self._loads()
        self.types = {load.access.id: load.access.type for load in self.loads}

    # -- what is loaded ------------------------------------------------------------------------------

    def _loads(self) -> list[_Load]:
        found: list[_Load] = []
        for access in self.facts.accesses:
            if access.space != "global" or access.op != "load":
                continue
            place = node_at(self.source, access.span)
            if access.call_chain or access.macro is not None or place is None:
                raise CannotSplitError("helper functions or macros hold some of its loads")
            if not _SCALAR.fullmatch(access.type):
                raise CannotSplitError(f"{access.pointer} holds no plain numbers")
            if not changes_nothing(place.text):
                raise CannotSplitError("the index of a load changes a variable")
            stem = f"{access.pointer}_{len(found)}"
            while re.search(rf"\b{stem}\b".encode(), self.text):
                stem += "_"
            found.append(_Load(access, place, stem, self._statement(place.node), f"{self.facts.name}_{stem}"))
        return found

    def _statement(self, node: Node) -> Node:
        """The statement before which a load can be made; refuses loads that may not run with it."""
        at = node
        while at.parent is not None:
            parent = at.parent
            if parent.type in {"update_expression", "comma_expression"}:
                raise CannotSplitError("a load stands in a step or behind a comma")
            if at.type == "declaration" and self._sets(at) & set(self._names(node, [])):
                raise CannotSplitError("a load and what it is found by are declared in one line")
            if parent.type == "conditional_expression" and parent.child_by_field_name("condition") != at:
                raise CannotSplitError("a load stands in one arm of a conditional expression")
            operator = parent.child_by_field_name("operator")
            late = parent.type == "binary_expression" and parent.child_by_field_name("right") == at
            if late and operator is not None and operator.type in {"&&", "||"}:
                raise CannotSplitError(f"a load stands behind {operator.type}")
            if parent.type in _LOOPS and parent.child_by_field_name("body") != at:
                if parent.child_by_field_name("initializer") == at:
                    return parent
                raise CannotSplitError("a load decides in a loop's head how long it runs")
            if at.type in _PLAIN:
                return at
            if parent.type == "if_statement" and parent.child_by_field_name("condition") == at:
                return parent
            at = parent
        raise CannotSplitError("a load stands outside any statement")

    # -- what each kernel needs ------------------------------------------------------------------------

    def _kept(self, roots: list[Node], replaced: list[_Load]) -> set[int]:
        """The statements (by first byte) that these need: their loops and conditions, and what sets their variables.

        A root that is no statement counts for the names in it and for what it stands in. `replaced` are loads whose
        text does not count, as a channel stands in its place.
        """
        gone = [(r.place.node.start_byte, r.place.node.end_byte) for r in replaced]
        every = list(self._statements(self.body.node))
        kept: dict[int, Node] = {}
        needed: set[str] = set()
        waiting = [*roots, *(s for s in every if s.type in _JUMPS)]
        while waiting:
            while waiting:
                node = waiting.pop()
                if node.id in kept:
                    continue
                kept[node.id] = node
                needed |= set(self._names(node, gone))
                waiting += [around for around in self._around(node) if around.id not in kept]
            waiting += [s for s in every if s.id not in kept and self._sets(s) & needed]
        return {node.start_byte for node in kept.values() if node.type in _PLAIN | _JUMPS | _HEADS}

    def _around(self, node: Node) -> Iterator[Node]:
        """The loops and conditions that a node runs under; not the condition or head that it is a part of."""
        at, parent = node, node.parent
        while parent is not None and parent.id != self.body.node.id:
            head = parent.child_by_field_name("condition") == at or parent.child_by_field_name("initializer") == at
            if parent.type in _HEADS and not head:
                yield parent
            at, parent = parent, parent.parent

    def _statements(self, node: Node) -> Iterator[Node]:
        for child in node.named_children:
            if child.type in _PLAIN | _JUMPS:
                yield child
            if child.type in {"compound_statement", "if_statement", "else_clause", *_LOOPS}:
                yield from self._statements(child)

    def _names(self, node: Node, gone: list[tuple[int, int]]) -> Iterator[str]:
        """The identifiers a statement reads: a whole plain one, the head of a loop, the condition of an if."""
        parts: list[Node] = [node]
        if node.type in _LOOPS or node.type == "if_statement":
            parts = [
                c for n in ("initializer", "condition", "update") if (c := node.child_by_field_name(n)) is not None
            ]
        waiting = list(parts)
        while waiting:
            one = waiting.pop()
            if any(start <= one.start_byte and one.end_byte <= end for start, end in gone):
                continue
            if one.type == "identifier":
                yield self._text(one)
            waiting.extend(one.named_children)

    def _sets(self, statement: Node) -> set[str]:
        """The private variables that a statement declares or changes."""
        found: set[str] = set()
        waiting = [statement]
        while waiting:
            node = waiting.pop()
            target: Node | None = None
            if node.type in {"init_declarator", "pointer_declarator", "array_declarator"}:
                target = node.child_by_field_name("declarator")
            elif node.type == "declaration":
                found |= {self._text(d) for d in node.children_by_field_name("declarator") if d.type == "identifier"}
            elif node.type == "assignment_expression":
                target = node.child_by_field_name("left")
            elif node.type == "update_expression":
                target = node.child_by_field_name("argument")
            while target is not None and target.type != "identifier":
                target = target.child_by_field_name("argument") or target.child_by_field_name("declarator")
            if target is not None:
                found.add(self._text(target))
            waiting.extend(node.named_children)
        return found - {a.name for a in self.facts.arguments if a.is_pointer}

    # -- the two kernels ---------------------------------------------------------------------------------

    def offer(self) -> Offer:
        """The edit; raises `CannotSplitError`."""
        stores = [a for a in self.facts.accesses if a.space == "global" and a.op == "store"]
        places = [node_at(self.source, a.span) for a in stores]
        if not stores or any(p is None for p in places) or not self.loads:
            raise CannotSplitError("it does not both load and store")
        roots = [self._plain_statement(p.node) for p in places if p is not None]
        outer = [
            r for r in self.loads if not any(r is not o and _contains(o.place.node, r.place.node) for o in self.loads)
        ]
        compute = self._kept(roots, self.loads)
        sent = [load for load in outer if load.statement.start_byte in compute]
        if not sent:
            raise CannotSplitError("its stores need nothing of what it loads")
        memory = self._kept([load.place.node for load in sent], [])
        first, second = self._written(memory, sent, sending=True), self._written(compute, sent, sending=False)
        end = line_end(self.text)
        head = "" if b"cl_intel_channels" in self.text else f"#pragma OPENCL EXTENSION cl_intel_channels : enable{end}"
        channels = "".join(
            f"channel {load.access.type} {load.channel} __attribute__((depth(16)));{end}" for load in sent
        )
        text = f"{head}{channels}{end}{first}{end}{end}{second}"
        pointers = sorted(
            {self.facts.accesses[d.store].pointer for loop in self.facts.loops for d in dependences(self.facts, loop)}
        )
        return Offer(
            title=f"{TITLE} (needs a host change: launch both on queues of their own; unsafe: you assert that "
            f"nothing is read after it was stored to {', '.join(pointers)})",
            kind="assertion",
            kernel=self.facts.name,
            edits=(TextEdit(self.start, self.whole.end, text),),
            spans=(self.facts.name_span, *(loop.span for loop in self.facts.loops)),
            codes=Split.codes,
            replaced_by=(f"{self.facts.name}_memory", f"{self.facts.name}_compute"),
        )

    def _plain_statement(self, node: Node) -> Node:
        while node.parent is not None and node.type not in _PLAIN:
            node = node.parent
        return node

    def _written(self, kept: set[int], sent: list[_Load], *, sending: bool) -> str:
        """One of the kernels as text: the whole kernel with statements left out and loads replaced."""
        removed = list(self._left_out(self.body.node, kept, sending=sending))
        by_statement: dict[int, list[_Load]] = {}
        for load in self.loads:
            if load in sent or (sending and self._feeds(load, kept, sent)):
                by_statement.setdefault(load.statement.id, []).append(load)
        edits = [self._removed(node, whole_line=node.id not in by_statement) for node in removed]
        nodes = {load.statement.id: load.statement for load in self.loads}
        for number, loads in by_statement.items():
            # Values that lead to other loads come first: they stand inside them.
            ordered = sorted(loads, key=lambda r: (r.place.node.end_byte - r.place.node.start_byte, r.access.id))
            lines = [line for load in ordered for line in self._hoisted(load, ordered, sent, sending=sending)]
            edits += self._before(nodes[number], lines, gone=nodes[number] in removed)
            edits += [
                self._in_place(load)
                for load in ordered
                if not any(load is not o and _contains(o.place.node, load.place.node) for o in ordered)
                and not any(_contains(node, load.place.node) for node in removed)
            ]
        body = self._edited(self.body.start, self.body.end, edits)
        body = re.sub(r"(?:[ \t]*\r?\n){3,}", line_end(self.text) * 2, body)
        return self._head("memory" if sending else "compute", body) + body

    def _left_out(self, node: Node, kept: set[int], *, sending: bool) -> Iterator[Node]:
        """The outermost statements that a kernel does without."""
        for child in node.named_children:
            only_stores = sending and child.type in _PLAIN and self._only_stores(child)
            if child.type in _PLAIN | _JUMPS | _HEADS and (child.start_byte not in kept or only_stores):
                yield child
            elif child.type in _HEADS | {"compound_statement", "else_clause"}:
                yield from self._left_out(child, kept, sending=sending)

    def _feeds(self, load: _Load, kept: set[int], sent: list[_Load]) -> bool:
        """Whether the memory kernel needs a load that it does not send: for a condition, a variable, an address."""
        inside = any(_contains(other.place.node, load.place.node) for other in sent)
        plain = self._plain_statement(load.place.node)
        if plain.type in _PLAIN:
            return inside or (plain.start_byte in kept and not self._only_stores(plain))
        return inside or load.statement.start_byte in kept

    def _hoisted(self, load: _Load, every: list[_Load], sent: list[_Load], *, sending: bool) -> list[str]:
        if not sending:
            return [f"const {load.access.type} {load.name} = read_channel_intel({load.channel});"]
        text = self._load_text(load, every)
        lines = [f"const {load.access.type} {load.name} = {text};"]
        if load in sent:
            lines.append(f"write_channel_intel({load.channel}, {load.name});")
        return lines

    def _load_text(self, load: _Load, every: list[_Load]) -> str:
        """A load's own text, values loaded inside it by their names."""
        start, end = load.place.start, load.place.end
        inner = [o for o in every if o is not load and _contains(load.place.node, o.place.node)]
        widest = [o for o in inner if not any(o is not p and _contains(p.place.node, o.place.node) for p in inner)]
        return self._edited(start, end, [TextEdit(o.place.start, o.place.end, o.name) for o in widest])

    def _in_place(self, load: _Load) -> TextEdit:
        """The use of a load becomes its variable; ``p[i] += v`` becomes ``p[i] = variable + (v)``."""
        around = load.place.up("assignment_expression")
        left = around.child("left") if around is not None else None
        operator = around.node.child_by_field_name("operator") if around is not None else None
        right = around.child("right") if around is not None else None
        compound = left is not None and (left.start, left.end) == (load.place.start, load.place.end)
        if compound and left is not None and operator is not None and right is not None and operator.type != "=":
            begin = operator.start_byte + self.shift
            return TextEdit(begin, right.start, f"= {load.name} {operator.type[:-1]} ")
        return TextEdit(load.place.start, load.place.end, load.name)

    def _only_stores(self, statement: Node) -> bool:
        """Whether a statement does nothing but store to global memory."""
        start, end = statement.start_byte + self.shift, statement.end_byte + self.shift
        stores = any(
            a.op == "store" and a.space == "global" and a.span.file is None and start <= a.span.start < end
            for a in self.facts.accesses
        )
        return stores and not self._sets(statement)

    def _before(self, statement: Node, lines: list[str], *, gone: bool) -> list[TextEdit]:
        """Lines put before a statement (in its place when it is `gone`), in braces where it stands under a head."""
        start, end = statement.start_byte + self.shift, statement.end_byte + self.shift
        line = self.text.rfind(b"\n", 0, start) + 1
        indent = self.text[line:start].decode("utf-8", "replace")
        between = f"{line_end(self.text)}{indent}" if not indent.strip() else " "
        joined = between.join(lines)
        if statement.parent is not None and statement.parent.type == "compound_statement":
            return [TextEdit(start, start, joined if gone else f"{joined}{between}")]
        return [TextEdit(start, start, f"{{ {joined} "), TextEdit(end, end, " }")]

    def _removed(self, statement: Node, *, whole_line: bool) -> TextEdit:
        """A statement left out, with the line that it has for itself."""
        start, end = statement.start_byte + self.shift, statement.end_byte + self.shift
        if statement.parent is None or statement.parent.type != "compound_statement":
            return TextEdit(start, end, ";")
        line, next_line = self.text.rfind(b"\n", 0, start) + 1, self.text.find(b"\n", end) + 1
        if whole_line and next_line and not (self.text[line:start] + self.text[end:next_line]).strip():
            return TextEdit(line, next_line, "")
        return TextEdit(start, end, "")

    def _head(self, part: str, body: str) -> str:
        """The kernel's head with its new name and the arguments its body names."""
        head = self.text[self.start : self.body.start].decode("utf-8", "replace")
        at = len(self.text[self.start : self.facts.name_span.start].decode("utf-8", "replace"))
        name = self.facts.name
        before, after = head[:at], head[at + len(name) :]
        opening = after.index("(")
        depth, closing = 0, len(after) - 1
        for i, character in enumerate(after[opening:], start=opening):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0:
                closing = i
                break
        arguments = _split_arguments(after[opening + 1 : closing])
        names = [a.name for a in self.facts.arguments]
        if len(arguments) != len(names) or re.search(r"//|/\*", after[opening:closing]):
            return f"{before}{name}_{part}{after}"
        kept = [text for text, own in zip(arguments, names, strict=False) if re.search(rf"\b{re.escape(own)}\b", body)]
        # Arguments on lines of their own stay under the first one, which the longer name moves to the right.
        listed = re.sub(r"(\n +)", rf"\1{' ' * (len(part) + 1)}", ",".join(kept).strip())
        return f"{before}{name}_{part}{after[:opening]}({listed}){after[closing + 1 :]}"

    def _edited(self, start: int, end: int, edits: list[TextEdit]) -> str:
        text = self.text[start:end]
        for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
            if start <= edit.start and edit.end <= end:
                text = text[: edit.start - start] + edit.text.encode() + text[edit.end - start :]
        return text.decode("utf-8", "replace")

    def _text(self, node: Node) -> str:
        return self.text[node.start_byte + self.shift : node.end_byte + self.shift].decode("utf-8", "replace")


def _contains(outer: Node, inner: Node) -> bool:
    return (
        outer.start_byte <= inner.start_byte
        and inner.end_byte <= outer.end_byte
        and (outer.start_byte, outer.end_byte) != (inner.start_byte, inner.end_byte)
    )


def _every(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.named_children)


def _split_arguments(text: str) -> list[str]:
    parts, depth, last = [], 0, 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return [*parts, text[last:]]
