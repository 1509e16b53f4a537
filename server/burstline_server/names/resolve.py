"""From a file's tree to its names: C's scopes and name spaces, on what the user wrote."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from tree_sitter import Node

from burstline_model.facts import Span
from burstline_server.analysis.nodes import previous_end, text_of
from burstline_server.names.members import belongs, type_words
from burstline_server.names.table import Kind, Name, NameTable, Range, Use
from burstline_server.names.words import Word, words
from burstline_server.source.queries import named_nodes
from burstline_server.source.source import Source

_SPACES = {"global", "constant", "local", "private", "generic"}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_SPACE_OF_NAMES = {"type_identifier": "type", "field_identifier": "field"}
_BLANKS = re.compile(rb"\s*")
_TAGS = {"struct_specifier", "union_specifier", "enum_specifier"}
_THROUGH = {"subscript_expression", "parenthesized_expression", "pointer_expression"}
MAX_DETAIL = 200
"""Longest declaration that is shown whole."""
Key = tuple[str, str]


def read_names(source: Source) -> NameTable:
    """The names of a file. Never fails: what cannot be resolved is left out."""
    reader = _Reader(source)
    reader.declarations()
    reader.uses()
    reader.words()
    return reader.table()


@dataclass
class _Reader:
    source: Source
    names: list[Name] = field(default_factory=list)
    strangers: list[tuple[str, Use]] = field(default_factory=list)
    _scopes: dict[Range | None, dict[Key, list[Name]]] = field(default_factory=lambda: defaultdict(dict))
    _declared: set[int] = field(default_factory=set)
    _bodies: dict[Range, Name] = field(default_factory=dict)
    _texts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._nodes = named_nodes(self.source)
        ranges = {self._range(n) for n in self._nodes.scopes}
        self._ranges = sorted(ranges, key=lambda r: (r[0], -r[1]))

    def _range(self, node: Node) -> Range:
        """A scope; one whose closing brace is still to be written reaches to the next word."""
        end, text = node.end_byte, self.source.text
        if text[end - 1 : end] != b"}" and (blanks := _BLANKS.match(text, end)):
            end = blanks.end()
        return node.start_byte, end

    # -- declarations ----------------------------------------------------------------------------------

    def declarations(self) -> None:
        """Every name that the tree declares."""
        nodes = {n.start_byte: n for n in self._nodes.declared}
        for (_, node), open_scopes in self._walk(list(nodes.items())):
            owner, kind = _owner(node)
            if owner is None:
                continue
            self._declared.add(node.start_byte)
            scope = self._scope_of(owner, kind, open_scopes)
            self._declare(node, owner, kind, scope)

    def _scope_of(self, owner: Node, kind: Kind, open_scopes: list[Range]) -> Range | None:
        if kind == "parameter":
            function = _function_of(owner)
            return self._range(function) if function is not None else None
        outside = kind in {"field", "function", "enumerator"} or owner.type == "function_definition"
        return open_scopes[-1] if open_scopes and not outside else None

    def _declare(self, node: Node, owner: Node, kind: Kind, scope: Range | None) -> None:
        place = self._span(node.start_byte, node.end_byte)
        if place is None:
            return
        text = text_of(node)
        before = previous_end(owner)
        notes = self.source.notes_in(before, owner.end_byte)
        qualifiers = {n.text.strip("_") for n in notes if n.kind == "qualifier" and n.start < _body_start(owner)}
        if kind == "function" and "kernel" in qualifiers:
            kind = "kernel"
        if kind == "variable" and any(n.kind == "channel" and n.start < node.start_byte for n in notes):
            kind = "channel"
        known = self._scopes[scope].setdefault((_SPACE_OF_NAMES.get(node.type, ""), text), [])
        again = next((n for n in known if scope is None and kind in {n.kind, "function"} and kind != "field"), None)
        if again is None:
            space = next(iter(sorted(qualifiers & _SPACES)), None) if kind in {"parameter", "variable"} else None
            whole = self._whole(owner)
            detail = self._detail(before, owner)
            again = Name(text, kind, place, whole or place, detail, scope, node.end_byte, space)
            known.append(again)
            self.names.append(again)
        elif owner.type == "function_definition":
            again.place, again.whole = place, self._whole(owner) or place
            again.kind, again.detail = kind, self._detail(before, owner)
        again.declared.append(place)
        if owner.type == "function_definition":
            self._bodies[self._range(owner)] = again

    def _whole(self, owner: Node) -> Span | None:
        origin = self.source.origin(owner.start_byte, owner.end_byte)
        return Span(start=origin.start, end=origin.end, file=origin.file) if origin.end > origin.start else None

    def _detail(self, before: int, owner: Node) -> str:
        origin = self.source.origin(before, _body_start(owner))
        written = self.source.text_of(origin.file)[origin.start : origin.end].decode("utf-8", "replace")
        lines = (line for line in _COMMENT.sub(" ", written).splitlines() if not line.lstrip().startswith("#"))
        text = " ".join(" ".join(lines).split()).lstrip(",;(){} ").rstrip(";{ ")
        return text if len(text) <= MAX_DETAIL else f"{text[:MAX_DETAIL]}…"

    # -- uses ------------------------------------------------------------------------------------------

    def uses(self) -> None:
        """Every place where the tree uses a name."""
        called = {n.start_byte for n in self._nodes.called}
        written = [(n.start_byte, n) for n in self._nodes.written if n.start_byte not in self._declared]
        for (start, node), open_scopes in self._walk(written):
            function = next((self._bodies[r] for r in open_scopes if r in self._bodies), None)
            space = _SPACE_OF_NAMES.get(node.type, "")
            name = self._resolve((space, text_of(node)), start, open_scopes)
            if name is None and space == "field":
                name = self._member(node, open_scopes)
            origin = self.source.origin(start, node.end_byte)
            if origin.macro is not None:
                if name is not None:
                    name.macros.add(origin.macro)
                continue
            use = Use(Span(start=origin.start, end=origin.end, file=origin.file), function, start in called)
            if name is not None:
                name.uses.append(use)
            elif use.called:
                self.strangers.append((text_of(node), use))

    def _resolve(self, key: Key, start: int, open_scopes: list[Range]) -> Name | None:
        for scope in reversed(open_scopes):
            for name in reversed(self._scopes[scope].get(key, ())):
                if name.since <= start:
                    return name
        of_file = self._scopes[None].get(key, ())
        # A field is first looked up by its name alone: that tells it apart in most files.
        return of_file[0] if of_file and (key[0] != "field" or len(of_file) == 1) else None

    def _member(self, node: Node, open_scopes: list[Range]) -> Name | None:
        """A field that several structures have, by the type of the variable or of the field that it is taken from."""
        base = node.parent.child_by_field_name("argument") if node.parent is not None else None
        while base is not None and base.type in _THROUGH:
            base = base.child_by_field_name("argument") or next(iter(base.named_children), None)
        if base is None:
            return None
        inner = base.child_by_field_name("field")
        key = ("field", text_of(inner)) if inner is not None else ("", text_of(base))
        variable = self._resolve(key, node.start_byte, open_scopes)
        of_file = self._scopes[None]
        types = (t for word in type_words(variable) for t in of_file.get(("type", word), ())) if variable else ()
        type_ = next(iter(types), None)
        fields = of_file.get(("field", text_of(node)), ())
        return next((f for f in fields if belongs(f, type_)), None) if type_ is not None else None

    # -- what the tree does not show -------------------------------------------------------------------

    def words(self) -> None:
        """Macros everywhere, names in pragmas, and names of the file in branches that are not compiled."""
        macros = {name: self._macro(name) for name in self.source.macros}
        inactive = self.source.inactive
        self._texts = {name.text for name in self.names}
        for word in words(self.source.original):
            macro = macros.get(word.text)
            span = Span(start=word.start, end=word.end)
            if macro is not None:
                if span != macro.place:
                    macro.uses.append(Use(span))
            elif (name := self._unseen(word, inactive)) is not None:
                name.uses.append(Use(span))
        self.names += [m for m in macros.values() if m is not None]

    def _unseen(self, word: Word, inactive: tuple[Range, ...]) -> Name | None:
        if word.directive == "pragma" and word.text in self._texts:
            place = self.source.offset_of(word.start)
            if place is not None:
                return self._resolve(("", word.text), place, [r for r in self._ranges if r[0] <= place < r[1]])
        elif not word.directive and any(start <= word.start < end for start, end in inactive):
            for space in ("", "type"):
                if known := self._scopes[None].get((space, word.text)):
                    return known[0]
        return None

    def _macro(self, name: str) -> Name | None:
        macro = self.source.macros[name]
        if macro.file is not None and macro.file not in self.source.files:
            return None
        start, end = self.source.place_of(macro)
        text = self.source.text_of(macro.file)[start:end]
        match = re.search(rb"define\s+(" + re.escape(name.encode()) + rb")\b", text)
        if match is None:
            return None
        place = Span(start=start + match.start(1), end=start + match.end(1), file=macro.file)
        whole = Span(start=start, end=end, file=macro.file)
        detail = " ".join(text.decode("utf-8", "replace").replace("\\\n", " ").split())
        return Name(name, "macro", place, whole, detail[:MAX_DETAIL], declared=[place])

    # -- together --------------------------------------------------------------------------------------

    def table(self) -> NameTable:
        """The finished table."""
        places = {(s.start, s.end): name for name in self.names for s in name.places if s.file is None}
        ordered = tuple((start, end, places[start, end]) for start, end in sorted(places))
        return NameTable(self.source, tuple(self.names), tuple(self.strangers), ordered)

    def _span(self, start: int, end: int) -> Span | None:
        """Where the user wrote a range; None for text that a macro made."""
        origin = self.source.origin(start, end)
        return None if origin.macro is not None else Span(start=origin.start, end=origin.end, file=origin.file)

    def _walk(self, nodes: list[tuple[int, Node]]) -> list[tuple[tuple[int, Node], list[Range]]]:
        """Nodes in the order of the text, each with the scopes around it, the outermost first."""
        found, waiting, open_scopes = [], self._ranges[::-1], list[Range]()
        for item in sorted(nodes, key=lambda n: n[0]):
            entered = []
            while waiting and waiting[-1][0] <= item[0]:
                entered.append(waiting.pop())
            if entered or (open_scopes and open_scopes[-1][1] <= item[0]):
                open_scopes = [r for r in (*open_scopes, *entered) if r[1] > item[0]]
            found.append((item, open_scopes))
        return found


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
