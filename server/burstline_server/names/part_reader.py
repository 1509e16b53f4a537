"""Reads a part of a file by itself, from the trees of its sections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from burstline_server.analysis.nodes import previous_end, text_of
from burstline_server.names.part import Declared, Key, Kind, NameUse, ParsedPart, Range, key_of
from burstline_server.source.origins import Origins
from burstline_server.source.queries import declaring, writing
from burstline_server.source.sections import after_blanks, parsed_section
from burstline_server.source.source import Note, Source

_SPACES = {"global", "constant", "local", "private", "generic"}
_SPACE_OF_NAMES = {"type_identifier": "type", "field_identifier": "field"}
_TAGS = {"struct_specifier", "union_specifier", "enum_specifier"}
_THROUGH = {"subscript_expression", "parenthesized_expression", "pointer_expression"}


@dataclass(frozen=True, slots=True)
class _Section:
    """A section: where it starts, its syntax, its scopes from the outside in, and what declares names."""

    begin: int
    root: Node
    ranges: list[Range]
    declared: list[Node]


@dataclass
class PartReader:
    """Reads a part, as much of it as is asked for. Never fails: what cannot be resolved is left out."""

    source: Source
    start: int
    stop: int
    _scopes: dict[Range, dict[Key, list[int]]] = field(default_factory=lambda: defaultdict(dict))
    _bodies: dict[Range, int] = field(default_factory=dict)
    _starts: set[int] = field(default_factory=set)

    @property
    def reading(self) -> ParsedPart:
        """All of it."""
        return ParsedPart(self.declared, self.written)

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self.source, self.start, self.stop)

    @cached_property
    def _sections(self) -> list[_Section]:
        stops = self.source.sections.between(self.start + 1, self.stop + 1)
        return [self._section(begin, end) for begin, end in zip((self.start, *stops), stops, strict=False)]

    def _section(self, begin: int, end: int) -> _Section:
        root = parsed_section(self.source.text, begin, end)
        scopes, declared = declaring(root)
        if root.type == "ERROR":  # nothing of it is understood
            scopes.append(root)
        ranges = sorted({self._range(n) for n in scopes}, key=lambda r: (r[0], -r[1]))
        return _Section(begin, root, ranges, declared)

    @cached_property
    def declared(self) -> Sequence[Declared]:
        """What the part declares, in order."""
        found: list[Declared] = []
        for begin, node, open_scopes in self._walk((s, s.declared) for s in self._sections):
            owner, kind = _owner(node)
            if owner is None:
                continue
            self._starts.add(node.start_byte)
            if node.is_missing or self._origins.of(node.start_byte, node.end_byte).macro is not None:
                continue
            one = self._declaration(node, owner, kind, max(begin, previous_end(owner)), open_scopes)
            if one.scope is not None:
                self._scopes[one.scope].setdefault(one.key, []).append(len(found))
            if one.body is not None:
                self._bodies[one.body] = len(found)
            found.append(one)
        return found

    def _declaration(self, node: Node, owner: Node, kind: Kind, before: int, open_scopes: list[Range]) -> Declared:
        notes = self.source.notes_in(before, owner.end_byte)
        head = _body_start(owner)
        qualifiers = {n.text.strip("_") for n in notes if n.kind == "qualifier" and n.start < head}
        start = self.start
        return Declared(
            key=_key(node),
            kind=_kind(node, kind, notes, qualifiers),
            start=node.start_byte - start,
            end=node.end_byte - start,
            shown=(before - start, head - start),
            whole=(owner.start_byte - start, owner.end_byte - start),
            scope=self._scope_of(owner, kind, open_scopes),
            space=min(qualifiers & _SPACES, default=None) if kind in {"parameter", "variable"} else None,
            body=self._range(owner) if owner.type == "function_definition" else None,
        )

    def _scope_of(self, owner: Node, kind: Kind, open_scopes: list[Range]) -> Range | None:
        if kind == "parameter":
            function = _function_of(owner)
            return self._range(function) if function is not None else None
        outside = kind in {"field", "function", "enumerator"} or owner.type == "function_definition"
        return open_scopes[-1] if open_scopes and not outside else None

    @cached_property
    def written(self) -> Sequence[NameUse]:
        """Every place of the part that uses a name, in order."""
        found, declared = list[NameUse](), self.declared
        captures = [(s, writing(s.root)) for s in self._sections]
        called = {n.start_byte for _, nodes in captures for n in nodes[1]}
        for _, node, open_scopes in self._walk((s, nodes[0]) for s, nodes in captures):
            start, key = node.start_byte, _key(node)
            if start in self._starts:
                continue
            macro = self._origins.of(start, node.end_byte).macro
            found.append(
                NameUse(
                    key=key,
                    start=start - self.start,
                    end=node.end_byte - self.start,
                    target=self._target(declared, key, start - self.start, open_scopes),
                    function=next((self._bodies[r] for r in open_scopes if r in self._bodies), None),
                    called=start in called,
                    macro=macro,
                    base=self._base(declared, node, open_scopes) if key[0] == "field" else None,
                )
            )
        return found

    def _target(self, declared: Sequence[Declared], key: Key, place: int, open_scopes: list[Range]) -> int | None:
        for scope in reversed(open_scopes):
            if scope in self._scopes:
                for number in reversed(self._scopes[scope].get(key, ())):
                    if declared[number].end <= place:
                        return number
        return None

    def _base(
        self, declared: Sequence[Declared], node: Node, open_scopes: list[Range]
    ) -> tuple[Key, int | None] | None:
        """The variable or the field that a field is taken from, and what the part declares it as."""
        base = node.parent.child_by_field_name("argument") if node.parent is not None else None
        while base is not None and base.type in _THROUGH:
            base = base.child_by_field_name("argument") or next(iter(base.named_children), None)
        inner = base.child_by_field_name("field") if base is not None else None
        if inner is not None:
            return _key(inner), None
        if base is None or base.type != "identifier":
            return None
        key = _key(base)
        return key, self._target(declared, key, node.start_byte - self.start, open_scopes)

    def _range(self, node: Node) -> Range:
        """A scope; one whose closing brace is still to be written reaches to the next word."""
        end, text = node.end_byte, self.source.text
        if text[end - 1 : end] != b"}":
            end = after_blanks(text, end, self.stop)
        return node.start_byte - self.start, end - self.start

    def _walk(self, found: Iterable[tuple[_Section, list[Node]]]) -> Iterator[tuple[int, Node, list[Range]]]:
        """Nodes in the order of the text, each with its section's start and the scopes around it, outermost first."""
        for section, captures in found:
            nodes = {n.start_byte: n for n in captures}
            waiting, open_scopes = section.ranges[::-1], list[Range]()
            for place in sorted(nodes):
                entered, at = [], place - self.start
                while waiting and waiting[-1][0] <= at:
                    entered.append(waiting.pop())
                if entered or (open_scopes and open_scopes[-1][1] <= at):
                    open_scopes = [r for r in (*open_scopes, *entered) if r[1] > at]
                yield section.begin, nodes[place], open_scopes


def _key(node: Node) -> Key:
    return key_of(_SPACE_OF_NAMES.get(node.type, ""), text_of(node))


def _kind(node: Node, kind: Kind, notes: Sequence[Note], qualifiers: set[str]) -> Kind:
    """The kind of a declared name, by what was masked around it."""
    if kind == "function" and "kernel" in qualifiers:
        return "kernel"
    if kind == "variable" and any(n.kind == "channel" and n.start < node.start_byte for n in notes):
        return "channel"
    return kind


def _owner(node: Node) -> tuple[Node | None, Kind]:
    """The declaration that a declared name belongs to, and what kind of thing it declares."""
    parent = node.parent
    direct = parent is not None and parent.type == "function_declarator"
    while parent is not None and parent.type.endswith("declarator"):
        parent = parent.parent
    match parent.type if parent is not None else "":
        case "function_definition":
            return parent, "function"
        case "declaration":
            return parent, "function" if direct else "variable"
        case "parameter_declaration":
            return parent, "parameter"
        case "type_definition":
            return parent, "type"
        case "field_declaration":
            return parent, "field"
        case "enumerator":
            return parent, "enumerator"
        case kind if kind in _TAGS:
            return parent, "type"
        case _:
            return None, "variable"


def _function_of(parameter: Node) -> Node | None:
    """The definition whose parameter it is, finished or not, or the declarator of a mere declaration."""
    declarator = parameter.parent.parent if parameter.parent is not None else None
    node = declarator
    while node is not None and node.type.endswith("declarator"):
        node = node.parent
    return node if node is not None and node.type in {"function_definition", "ERROR"} else declarator


def _body_start(owner: Node) -> int:
    body = owner.child_by_field_name("body") if owner.type == "function_definition" else None
    return body.start_byte if body is not None else owner.end_byte
