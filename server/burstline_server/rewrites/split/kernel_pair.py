"""The memory and the compute kernel as text: the whole kernel with statements left out and loads replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from burstline_model.facts import Access
from burstline_model.parallelism.alias import may_alias
from burstline_model.record import fixed
from burstline_server.rewrites.rewrite import TextEdit, in_front_of, line_end
from burstline_server.rewrites.split.joints import Joining, Joint
from burstline_server.rewrites.split.kernel_statements import (
    HEADS,
    JUMPS,
    PLAIN,
    CannotSplitError,
    KernelText,
    contains,
)
from burstline_server.rewrites.split.moved_loads import Load, loads_of
from burstline_server.rewrites.syntax import SourceNode, above_pragmas, begin_of, braced, free_name, node_at


@fixed
class Part:
    """One kernel of a split: its text, the arguments that it takes from the whole kernel, its joints."""

    name: str
    text: str
    arguments: tuple[str, ...]
    joints: tuple[Joint, ...]


class LateError(Exception):
    """A store to a buffer cannot stay with the loads: it stores what was loaded, or more is done there."""

    def __init__(self, pointer: str) -> None:
        self.pointer = pointer
        super().__init__(pointer)


class Writer:
    """Writes the kernels of a split; raises `CannotSplitError` where a kernel cannot be taken apart."""

    def __init__(self, kernel: KernelText, joining: Joining, early: frozenset[str] = frozenset()) -> None:
        facts = kernel.facts
        stored = [a for a in facts.accesses if a.space == "global" and a.op != "load"]
        first = [a for a in stored if a.pointer in early]
        stores = [a for a in stored if a.pointer not in early]
        self.kernel, self.joining, self.loads = kernel, joining, loads_of(kernel, first)
        places = [node_at(kernel.source, a.call_chain[0] if a.call_chain else a.span) for a in stores]
        if first and not stores:
            raise LateError(first[0].pointer)
        if not stores or any(p is None for p in places) or not self.loads:
            raise CannotSplitError("no_load_and_store")
        roots = [kernel.plain(p.node) for p in places if p is not None]
        decides = [store for root, store in zip(roots, stores, strict=True) if root.type not in PLAIN]
        if decides:
            raise CannotSplitError("has_atomics" if decides[0].op == "atomic" else "stores_and_decides")
        self._first = self._early(first, roots)
        # ``x[at] += 1`` loads and stores: its place stays.
        kept = {p.node.id for p in places if p is not None}
        received = (load.place.node for load in self.loads if load.place.node.id not in kept)
        self._compute = kernel.needed_by(roots, received)
        self._received = [o for o in self.loads if not self._inside(o) and o.statement.start_byte in self._compute]
        self.sent = [load for load in self.loads if any(load is o.first for o in self._received)]
        if not self.sent:
            raise CannotSplitError("stores_need_no_load")
        loops = {i for load in self.sent for i in load.access.loops}
        if any(facts.loops[i].unroll not in {None, 1} for i in loops):
            raise CannotSplitError("unrolled_load")
        self._memory, self._fed = self._needed_to_load()
        if any(root.start_byte in self._memory and not kernel.only_stores(root) for root in roots):
            raise CannotSplitError("stores_and_sets")
        # Nothing keeps a store from overtaking a load whose value is not sent.
        self.overtaken: set[str] = set()
        for load in (o.first for o in self._fed if o.first not in self.sent):
            for store in (s for s in stores if may_alias(facts, s, load.access)):
                if store.pointer == load.access.pointer:
                    raise CannotSplitError("path_stored_to", store.pointer)
                self.overtaken.add(store.pointer)

    def _early(self, first: Sequence[Access], later: Sequence[Node]) -> dict[int, Node]:
        """The statements that store before the loads, by first byte; they do nothing else, with nothing loaded."""
        found: dict[int, Node] = {}
        for store in first:
            place = node_at(self.kernel.source, store.span)
            statement = self.kernel.plain(place.node) if place is not None and not store.call_chain else None
            if statement is None or statement in later or not self.kernel.only_stores(statement):
                raise LateError(store.pointer)
            needed = self.kernel.needed_by([statement], ())
            if any(o.statement.start_byte in needed or contains(statement, o.place.node) for o in self.loads):
                raise LateError(store.pointer)
            found[statement.start_byte] = statement
        return found

    def _inside(self, load: Load) -> bool:
        """Whether a load is a part of another one."""
        return any(contains(o.place.node, load.place.node) for o in self.loads)

    @staticmethod
    def _leads_to(load: Load, other: Load) -> bool:
        """Whether a load is in the text that another one is loaded by."""
        return any(contains(node, load.place.node) or node == load.place.node for node in _text_nodes(other))

    def _needed_to_load(self) -> tuple[set[int], list[Load]]:
        """What the memory kernel keeps, and the loads whose values it uses itself."""
        made: list[Load] = list(self.sent)
        while True:
            places = (node for load in made for node in _text_nodes(load))
            kept = self.kernel.needed_by((*self._first.values(), *places), ())
            fed = [load for load in self.loads if self._feeds(load, kept, made)]
            more = [first for load in fed if (first := load.first) not in made]
            if not more:
                return kept, fed
            made += more

    def _feeds(self, load: Load, kept: set[int], made: Iterable[Load]) -> bool:
        """Whether the memory kernel needs a load for a condition, a variable or an address."""
        if any(load is not other and self._leads_to(load, other) for other in made):
            return True
        plain = self.kernel.plain(load.place.node)
        if plain.type in PLAIN:
            return plain.start_byte in kept and (plain.start_byte in self._first or not self.kernel.only_stores(plain))
        return load.statement.start_byte in kept

    def pair(self, block: str = "", bounds: Sequence[TextEdit] = ()) -> tuple[Part, Part]:
        """The memory and the compute kernel; `bounds` edit the outermost loop's head, `block` names its part."""
        joints = {load.name: Joint(self._free(f"{load.name}{block}"), load.type) for load in self.sent}
        memory = self._part(f"memory{block}", self._memory, self._fed, joints, bounds, sending=True)
        return memory, self._part(f"compute{block}", self._compute, self._received, joints, bounds, sending=False)

    def _free(self, name: str) -> str:
        """The name of a new kernel, or of a channel, that nothing in the file has."""
        return free_name(self.kernel.text, f"{self.kernel.facts.name}_{name}")

    def _part(
        self, name: str, kept: set[int], used: list[Load], joints: dict[str, Joint], bounds: Sequence[TextEdit], *,
        sending: bool,
    ) -> Part:  # fmt: skip
        kernel = self.kernel
        removed = list(self._left_out(kernel.body.node, kept, sending=sending))
        made = [load for load in self.loads if load in self.sent or any(load is o.first for o in used)]
        nearest: dict[int, int] = {}  # where the first place ends that needs a load, which others may share
        for load in (*self.loads, *used):
            end = load.place.node.end_byte
            nearest[id(load.first)] = min(end, nearest.get(id(load.first), end))
        by_statement: dict[int, list[Load]] = {}
        for load in made:
            by_statement.setdefault(load.statement.id, []).append(load)
        edits = [*bounds, *(self._removed(node, replaced=node.id in by_statement) for node in removed)]
        for loads in by_statement.values():
            # Values that lead to other loads come first: they are inside them, or in conditions before them.
            ordered = sorted(loads, key=lambda r: (nearest[id(r.first)], r.access.id))
            lines = [line for load in ordered for line in self._made(load, used, joints, sending=sending)]
            statement = ordered[0].statement
            edits += self._before(statement, lines, gone=statement in removed)
        # In the memory kernel the values that are only sent are in what is left out, or in other loads.
        replaced = [*used, *(load for load in made if load not in used)]
        for load in replaced:
            inside = any(contains(o.place.node, load.place.node) for o in replaced)
            if not inside and not any(contains(node, load.place.node) for node in removed):
                edits += self._in_place(load)
        body = kernel.edited(kernel.body.start, kernel.body.end, edits)
        body = re.sub(r"(?:[ \t]*\r?\n){3,}", line_end(kernel.text) * 2, body)
        own = tuple(joints.values())
        head, arguments = self._head(name, body, self.joining.arguments(own, sending=sending))
        return Part(self._free(name), head + body, arguments, own)

    def _left_out(self, node: Node, kept: set[int], *, sending: bool) -> Iterator[Node]:
        """The outermost statements that a kernel does without."""
        for child in node.named_children:
            later = child.start_byte not in self._first
            only_stores = sending and later and child.type in PLAIN and self.kernel.only_stores(child)
            if child.type in PLAIN | JUMPS | HEADS and (child.start_byte not in kept or only_stores):
                yield child
            elif child.type in HEADS | {"compound_statement", "else_clause"}:
                yield from self._left_out(child, kept, sending=sending)

    def _made(self, load: Load, used: list[Load], joints: dict[str, Joint], *, sending: bool) -> Iterator[str]:
        """The lines that load a value and send it, or that receive it."""
        joint = joints.get(load.name)
        if not sending:
            yield from self.joining.received(joint, load.name) if joint is not None else ()
            return
        yield f"const {load.type} {load.name} = {self._load_text(load, used)};"
        if joint is not None:
            yield self.joining.sent(joint, load.name)

    def _load_text(self, load: Load, used: list[Load]) -> str:
        """A load's own text under its conditions, values loaded in it by their names."""
        own = self._named(load.place.node, used)
        if not load.guards:
            return own
        conditions = (f"({self._named(node, used)})" for node, _ in load.guards)
        held = (text if truth else f"!{text}" for text, (_, truth) in zip(conditions, load.guards, strict=True))
        return f"{' && '.join(reversed(list(held)))} ? {own} : 0"

    def _named(self, node: Node, used: list[Load]) -> str:
        """The text of a node, values loaded in it by their names."""
        inner = [o for o in used if contains(node, o.place.node)]
        widest = [o for o in inner if not any(contains(p.place.node, o.place.node) for p in inner)]
        shift = self.kernel.shift
        named = [TextEdit(o.place.start, o.place.end, o.name) for o in widest]
        return self.kernel.edited(node.start_byte + shift, node.end_byte + shift, named)

    def _in_place(self, load: Load) -> list[TextEdit]:
        """The use of a load becomes its variable; ``p[i] *= a + b`` becomes ``p[i] = variable * (a + b)``."""
        around = load.place.up("assignment_expression")
        left = around.child("left") if around is not None else None
        operator = around.node.child_by_field_name("operator") if around is not None else None
        right = around.child("right") if around is not None else None
        compound = left is not None and (left.start, left.end) == (load.place.start, load.place.end)
        if compound and operator is not None and right is not None and operator.type != "=":
            begin = operator.start_byte + self.kernel.shift
            plain = right.node.type not in {"binary_expression", "conditional_expression", "assignment_expression"}
            opening, closing = ("", []) if plain else ("(", [TextEdit(right.end, right.end, ")")])
            return [TextEdit(begin, right.start, f"= {load.name} {operator.type[:-1]} {opening}"), *closing]
        return [TextEdit(load.place.start, load.place.end, load.name)]

    def _before(self, statement: Node, lines: list[str], *, gone: bool) -> list[TextEdit]:
        """Lines put before a statement (in its place when it is `gone`), in braces where it is under a head."""
        text = self.kernel.text
        start, end = self._extent(statement)
        own = in_front_of(text, start)
        between = f"{line_end(text)}{own[1]}" if own is not None else " "
        joined = between.join(lines) + ("" if gone else between)
        above = above_pragmas(self.kernel.source, own[0]) if own is not None else start
        put = TextEdit(start, start, joined)
        if own is not None and above < own[0]:  # a pragma stays right before its loop
            put = TextEdit(above, above, own[1] + joined.removesuffix(own[1]))
        if _in_block(statement):
            return [put]
        around = braced(SourceNode(self.kernel.source, statement, self.kernel.shift))
        if around is not None:
            return [around[0], put, around[1]]
        return [TextEdit(start, start, f"{{ {' '.join(lines)} "), TextEdit(end, end, " }")]

    def _removed(self, statement: Node, *, replaced: bool) -> TextEdit:
        """A statement left out, with the line that it has for itself unless others take its place."""
        text = self.kernel.text
        start, end = self._extent(statement)
        line, next_line = text.rfind(b"\n", 0, start) + 1, text.find(b"\n", end) + 1
        above, own = above_pragmas(self.kernel.source, line), in_front_of(text, start)
        if not _in_block(statement):
            if own is not None and above < line:  # a pragma goes with its loop
                return TextEdit(above, end, "" if replaced else f"{own[1]};")
            return TextEdit(start, end, "" if replaced else ";")
        if own is None:
            return TextEdit(start, end, "")
        if not replaced and next_line and not text[end:next_line].strip():
            return TextEdit(above, next_line, "")
        return TextEdit(above if above < line else start, end, "")

    def _extent(self, statement: Node) -> tuple[int, int]:
        """The first byte of a statement, with the qualifiers and attributes in front of it, and the one after it."""
        shift = self.kernel.shift
        return begin_of(self.kernel.source, statement) + shift, statement.end_byte + shift

    def _head(self, part: str, body: str, more: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The kernel's head with its new name, the arguments its body names and `more`; which ones it keeps."""
        kernel, facts = self.kernel, self.kernel.facts
        head = kernel.text[kernel.start : kernel.body.start].decode("utf-8", "replace")
        at = len(kernel.text[kernel.start : facts.name_span.start].decode("utf-8", "replace"))
        before, after = head[:at], head[at + len(facts.name) :]
        opening = after.find("(")
        if opening < 0:
            raise CannotSplitError("arguments_elsewhere")
        depth, closing = 0, len(after) - 1
        for i, character in enumerate(after[opening:], start=opening):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0:
                closing = i
                break
        arguments = _split_arguments(after[opening + 1 : closing])
        names = tuple(a.name for a in facts.arguments)
        if len(arguments) == len(names) and not re.search(r"//|/\*", after[opening:closing]):
            kept = [(t, n) for t, n in zip(arguments, names, strict=True) if re.search(rf"\b{re.escape(n)}\b", body)]
            arguments, names = [text for text, _ in kept], tuple(name for _, name in kept)
        # Arguments on separate lines stay under the first one, which the longer name moves to the right.
        name = self._free(part)
        listed = re.sub(r"(\n +)", rf"\1{' ' * (len(name) - len(facts.name))}", ",".join(arguments).strip())
        opened = f"{before}{name}{after[: opening + 1]}"
        under = line_end(kernel.text) + " " * (len(opened) - opened.rfind("\n") - 1)
        listed = f",{under}".join([*([listed] if listed else []), *more])
        return f"{opened}{listed}{after[closing:]}", names


def _in_block(statement: Node) -> bool:
    return statement.parent is not None and statement.parent.type == "compound_statement"


def _text_nodes(load: Load) -> tuple[Node, ...]:
    return load.place.node, *(node for node, _ in load.guards)


def _split_arguments(text: str) -> list[str]:
    parts, depth, last = [], 0, 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return [*parts, text[last:]]
