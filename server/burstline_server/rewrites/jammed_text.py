"""The text of a loop's body for several iterations together: what each does in unrolled loops, what they share once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from burstline_model.facts import Access
from burstline_model.record import fixed
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import NUMBERS
from burstline_server.rewrites.legality.one_place import root_of, takes_address, word_of
from burstline_server.rewrites.rewrite import (
    NotOfferedError,
    TextEdit,
    edited,
    in_front_of,
    indent_at,
    line_end,
    moved_in,
)
from burstline_server.rewrites.syntax import SourceNode, begin_of, braced, free_name, node_at, plain_type, written
from burstline_server.source.source import Source

_PLAIN = {one for one in NUMBERS if not one.startswith("half")} | {"bool", "size_t"}
_CHOOSES = {"conditional_expression", "if_statement", "sizeof_expression", "compound_statement"}
_LEAVES = {"declaration", "expression_statement", "if_statement", "compound_statement"}
_FIRST_VALUES = re.compile(r"(?:\w+\[\w+\] = [-\w.]+;\s*)+")
"""Statements that give elements a number, or a variable's value, each: they load nothing."""
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)
_VLOAD = re.compile(r"vload(?P<half>a?_half)?(?P<lanes>\d*)")


@fixed
class Strip:
    """How many iterations run together, and the names: the counter's, of the first one's number, and of one of them.

    `bound` is where the counter ends, where the last strip may be shorter; empty else. `type` is the counter's.
    """

    counter: str
    type: str
    first: str
    lane: str
    together: int
    bound: str

    @property
    def value(self) -> str:
        """The counter's value in one of the iterations."""
        return f"{self.first} + {self.lane}"


class JammedText:
    """The edits of one loop's body; `variables` are those that it declares.

    `accesses` are all in it, `unchanged` the loads of what nothing in it stores to; `pointers` are the types of what
    arguments point to.
    """

    def __init__(
        self,
        source: Source,
        effects: Effects,
        strip: Strip,
        variables: set[str],
        accesses: Sequence[Access],
        unchanged: Sequence[Access],
        pointers: Mapping[str, str],
    ) -> None:
        self._source, self._effects, self._strip = source, effects, strip
        self._variables, self._accesses, self._unchanged = variables, accesses, unchanged
        self._pointers = pointers
        self._names: set[str] = set()
        self._arrays: set[str] = set()
        self.loaded_once: list[Access] = []

    def edits(self, body: Node) -> list[TextEdit]:
        """The body's statements with an unrolled loop around those of each iteration."""
        groups = list(self._groups(body))
        for name in self._variables:
            using = [group for group in groups if name in self._effects.reads(*group)]
            if len(using) > 1:
                self._arrays.add(name)
        # A declaration is an array's or no array's as a whole.
        for statement in (s for group in groups for s in group if s.type == "declaration"):
            names = self._effects.sets(statement)
            self._arrays |= names if names & self._arrays else set()
        return [edit for group in groups for edit in self._group(group)]

    def _groups(self, body: Node) -> Iterator[list[Node]]:
        """The statements that follow each other without a loop in between, in a body and in the loops in it."""
        if body.type != "compound_statement":
            yield from self._of_statements([body])
        else:
            yield from self._of_statements([n for n in body.named_children if n.type != "comment"])

    def _of_statements(self, statements: Sequence[Node]) -> Iterator[list[Node]]:
        group: list[Node] = []
        for one in statements:
            if one.type == "for_statement":
                yield from [group] if group else []
                group = []
                inner = one.child_by_field_name("body")
                if inner is not None:
                    yield from self._groups(inner)
            elif one.type not in _LEAVES or any(n.type == "for_statement" for n in inside(one)):
                raise NotOfferedError("body_not_plain")
            else:
                group.append(one)
        yield from [group] if group else []

    def _group(self, group: Sequence[Node]) -> Iterator[TextEdit]:
        """Statements that follow each other, for all iterations."""
        source, strip = self._source, self._strip
        own = [place for one in group if (place := written(source, one)) is not None]
        if len(own) < len(group):
            raise NotOfferedError("macro_in_it")
        start, end = source.origin(begin_of(source, group[0]), group[0].end_byte).start, own[-1].end
        if _DIRECTIVE.search(source.original[start:end]) is not None:
            raise NotOfferedError("has_directives")
        shared, loads = self._loads(own)
        arrays, edits, works = list[str](), list[TextEdit](), False
        for one in own:
            if one.node.type == "declaration" and self._effects.sets(one.node) & self._arrays:
                declared, values = self._declared(one, shared)
                arrays += declared
                works = works or bool(values)
                edits.append(TextEdit(one.start, one.end, " ".join(values)))
            else:
                works = True
                edits += self._replaced(one.node, shared)
        text = edited(source.original[start:end], edits, start).decode("utf-8", "replace").strip()
        lines = [(0, one) for one in (*arrays, *loads)]
        if works:
            counts = any(strip.counter in self._effects.reads(one) for one in group)
            lines += self._unrolled(text, counts=counts)
        return self._placed(own[0], start, end, lines)

    def _unrolled(self, text: str, *, counts: bool) -> list[tuple[int, str]]:
        """The unrolled loop around the statements of one iteration: lines, and how far each is indented."""
        strip = self._strip
        kept = re.sub(r"(?m)^[ \t]*\r?\n", "", text)
        inner = [(1, f"const {strip.type} {strip.counter} = {strip.value};")] if counts else []
        inner.append((1, kept))
        first_values = _FIRST_VALUES.fullmatch(kept) is not None and set(re.findall(r"(\w+)\[", kept)) <= self._arrays
        if strip.bound and not first_values:
            asked = [(depth + 1, line) for depth, line in inner]
            inner = [(1, f"if ({strip.value} < {strip.bound}) {{"), *asked, (1, "}")]
        head = f"for (int {strip.lane} = 0; {strip.lane} < {strip.together}; {strip.lane}++) {{"
        return [(0, "#pragma unroll"), (0, head), *inner, (0, "}")]

    def _placed(self, first: SourceNode, start: int, end: int, lines: Sequence[tuple[int, str]]) -> Iterator[TextEdit]:
        """Lines in the place of statements, indented alike; in braces where those were a body by themselves."""
        text, around = self._source.original, first.node.parent
        line, stop = in_front_of(text, start), line_end(text)
        outer = indent_at(text, around.start_byte + first.shift) if around is not None else ""
        indent = line[1] if line is not None else f"{outer}    "
        deeper = indent.startswith(outer) and indent != outer
        unit = indent.removeprefix(outer) if deeper else "\t" if indent.startswith("\t") else "    "
        laid = [unit * depth + moved_in(one, unit * depth) for depth, one in lines]
        body = f"{stop}{indent}".join(laid)
        alone = around is None or around.type != "compound_statement"
        braces = braced(first) if alone else None
        if braces is not None:
            yield from (braces[0], TextEdit(start, end, body), braces[1])
        elif alone:
            yield TextEdit(start, end, f"{{{stop}{indent}{body}{stop}{outer}}}")
        else:
            yield TextEdit(start, end, body if line is not None else f"{stop}{indent}{body}")

    def _declared(self, one: SourceNode, shared: Sequence[TextEdit]) -> tuple[list[str], list[str]]:
        """Arrays for the variables of a declaration, and the statements that give them their first values."""
        named = one.node.child_by_field_name("type")
        type_ = plain_type(self._effects.text(named)) if named is not None else ""
        others = [n for n in one.node.named_children if n.type not in {"type_qualifier", "comment"} and n != named]
        qualified = [self._effects.text(n) for n in one.node.named_children if n.type == "type_qualifier"]
        noted = begin_of(self._source, one.node) != one.node.start_byte
        if type_ not in _PLAIN or noted or any(text != "const" for text in qualified):
            raise NotOfferedError("not_plain_numbers", one.text)
        arrays, values = list[str](), list[str]()
        for declarator in others:
            name, value = declarator, None
            if declarator.type == "init_declarator":
                first = declarator.child_by_field_name("declarator")
                value = declarator.child_by_field_name("value")
                name = first if first is not None else declarator
            whole, root = written(self._source, name), _root(name)
            at_root = written(self._source, root) if root is not None else None
            given = value is not None and (value.type == "initializer_list" or root != name)
            if whole is None or at_root is None or given:
                raise NotOfferedError("not_plain_numbers", one.text)
            after = self._source.original[at_root.end : whole.end].decode("utf-8", "replace")
            arrays.append(f"{type_} {at_root.text}[{self._strip.together}]{after};")
            if value is not None:
                at = written(self._source, value)
                if at is None:
                    raise NotOfferedError("macro_in_it")
                said = edited(self._source.original[at.start : at.end], self._replaced(value, shared), at.start)
                text = said.decode("utf-8", "replace")
                values.append(f"{self._effects.text(name)}[{self._strip.lane}] = {text};")
        return arrays, values

    def _replaced(self, node: Node, shared: Sequence[TextEdit]) -> list[TextEdit]:
        """An element in the place of each variable that is an array now, and what is loaded once."""
        found = []
        for one in inside(node):
            if one.type == "identifier" and self._effects.text(one) in self._arrays:
                at = written(self._source, one)
                if at is None:
                    raise NotOfferedError("macro_in_it")
                found.append(TextEdit(at.end, at.end, f"[{self._strip.lane}]"))
        place = written(self._source, node)
        if place is None:
            raise NotOfferedError("macro_in_it")
        return found + [one for one in shared if place.start <= one.start and one.end <= place.end]

    def _loads(self, group: Sequence[SourceNode]) -> tuple[list[TextEdit], list[str]]:
        """Variables for what all iterations load alike, and their declarations."""
        names: dict[str, str] = {}
        edits, lines = list[TextEdit](), list[str]()
        # Those around others come first: they hold them.
        for access in sorted(self._unchanged, key=lambda one: one.span.start - one.span.end):
            at = next((one for one in group if one.start <= access.span.start and access.span.end <= one.end), None)
            node = self._element(access) if at is not None else None
            type_ = self._type(access, node) if node is not None else ""
            if at is None or node is None or type_ not in _PLAIN or not self._is_shared(node, at):
                continue
            if any(one.start <= node.start and node.end <= one.end for one in edits):
                continue
            if node.text not in names:
                word = access.pointer if node.node.type == "call_expression" else word_of(node)
                names[node.text] = self._fresh(f"{word or access.pointer}_shared")
                lines.append(f"const {type_} {names[node.text]} = {node.text};")
            self.loaded_once.append(access)
            edits.append(TextEdit(node.start, node.end, names[node.text]))
        return edits, lines

    def _element(self, access: Access) -> SourceNode | None:
        """Where an access to one whole element or vector of an argument is written, without a part of it behind."""
        node = node_at(self._source, access.span)
        if node is not None and node.node.type == "field_expression":
            node = node.child("argument")
        if node is not None and node.node.type == "call_expression":
            return node if self._type(access, node) else None
        root = root_of(node) if node is not None else None
        argument = self._pointers.get(root.text) if root is not None else None
        alike = argument is not None and argument == plain_type(access.type) and access.pointer == (root and root.text)
        return node if alike else None

    def _type(self, access: Access, node: SourceNode) -> str:
        """The type of what an element holds, or ``vloadN`` of a plain argument makes; empty where that is not known."""
        if node.node.type != "call_expression":
            return plain_type(access.type)
        load, arguments = _VLOAD.fullmatch(self._effects.called(node.node)), node.node.child_by_field_name("arguments")
        given = [one for one in arguments.named_children if one.type != "comment"] if arguments is not None else []
        if load is None or len(given) != 2 or self._effects.text(given[1]) != access.pointer:
            return ""
        held = self._pointers.get(access.pointer, "")
        single = held.replace("half", "float") if load["half"] else held
        return f"{single}{load['lanes']}"

    def _is_shared(self, node: SourceNode, statement: SourceNode) -> bool:
        """Whether a place in a statement is the same in all iterations, and certainly loaded where that is reached."""
        effects, varies = self._effects, self._variables | {self._strip.counter}
        if effects.reads(node.node) & varies or takes_address(node) or not _certain(node, statement):
            return False
        if not effects.pure(node.node) or any(name in effects.defined for _, name in effects.calls(node.node)):
            return False
        held = [a for a in self._accesses if a.span.file is None and node.start <= a.span.start < node.end]
        return all(one in self._unchanged for one in held)

    def _fresh(self, name: str) -> str:
        found, number = free_name(self._source.original, name), 1
        while found in self._names:
            number += 1
            found = free_name(self._source.original, f"{name}{number}")
        self._names.add(found)
        return found


def _root(declarator: Node) -> Node | None:
    """The name that ``x`` or ``x[4][2]`` declares; None of a pointer or a function."""
    node: Node | None = declarator
    while node is not None and node.type == "array_declarator":
        node = node.child_by_field_name("declarator")
    return node if node is not None and node.type == "identifier" else None


def _certain(node: SourceNode, statement: SourceNode) -> bool:
    """Whether a statement certainly reaches an expression in it."""
    if statement.node.type not in {"declaration", "expression_statement"}:
        return False
    at = node.node.parent
    while at is not None and at.id != statement.node.id:
        operator = at.child_by_field_name("operator")
        if at.type in _CHOOSES or (operator is not None and operator.type in {"&&", "||"}):
            return False
        at = at.parent
    return at is not None
