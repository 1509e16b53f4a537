"""Statements and loops as the user wrote them: syntax nodes whose bytes are in the file one for one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

from tree_sitter import Node

from burstline_model.facts import Access, Span
from burstline_model.record import fixed
from burstline_server.analysis.nodes import previous_end
from burstline_server.rewrites.rewrite import NotOfferedError, TextEdit, above_kernel, in_front_of, indent_at, line_end
from burstline_server.source.preprocess import DIRECTIVE, SKIPPED
from burstline_server.source.source import Source


@fixed
class SourceNode:
    """A syntax node whose text is the user's own, but for macros that are constants; offsets are those of the file.

    `shift` leads from the parsed text to the file where the node begins.
    """

    source: Source
    node: Node
    shift: int

    @property
    def start(self) -> int:
        """First byte."""
        return self.source.origin(self.node.start_byte, self.node.end_byte).start

    @property
    def end(self) -> int:
        """Byte after the last."""
        return self.source.origin(self.node.start_byte, self.node.end_byte).end

    @property
    def text(self) -> str:
        """The text there."""
        return self.source.original[self.start : self.end].decode("utf-8", "replace")

    @property
    def expanded(self) -> str:
        """The text there, with macros replaced."""
        return self.source.text[self.node.start_byte : self.node.end_byte].decode("utf-8", "replace")

    def inside(self, node: Node) -> str:
        """The text of a node in this one as the user wrote it."""
        one = written(self.source, node)
        return one.text if one is not None else ""

    def child(self, name: str) -> SourceNode | None:
        """The child in a field."""
        node = self.node.child_by_field_name(name)
        return _as_written(self.source, node) if node is not None else None

    def up(self, *kinds: str) -> SourceNode | None:
        """The nearest node around of one of these kinds."""
        node = self.node.parent
        while node is not None and node.type not in kinds:
            node = node.parent
        return written(self.source, node) if node is not None else None

    @property
    def in_block(self) -> bool:
        """Whether it is one of a block's statements, so that others can come before and after it."""
        return self.node.parent is not None and self.node.parent.type == "compound_statement"

    @property
    def previous(self) -> SourceNode | None:
        """The statement before, comments left out."""
        node = self.node.prev_named_sibling
        while node is not None and node.type == "comment":
            node = node.prev_named_sibling
        return written(self.source, node) if node is not None else None


def begin_of(source: Source, statement: Node) -> int:
    """The first byte, in the parsed text, of a statement with the qualifiers and attributes in front of it.

    The grammar of C reads blanks in their place, so that they are no part of the node.
    """
    notes = source.notes_in(previous_end(statement), statement.start_byte)
    return min((note.start for note in notes), default=statement.start_byte)


def braced(place: SourceNode) -> tuple[TextEdit, TextEdit] | None:
    """A block around a statement that is alone under a head, on its own line; None elsewhere."""
    text, before = place.source.original, place.node.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    if before is None or before.type in {"{", "}", ";"} or in_front_of(text, place.start) is None:
        return None
    opening = before.end_byte + place.shift
    closing = f"{line_end(text)}{indent_at(text, opening)}}}"
    return TextEdit(opening, opening, " {"), TextEdit(place.end, place.end, closing)


def every(node: Node) -> Iterator[Node]:
    """A node and all inside it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.named_children)


def free_name(text: bytes, name: str) -> str:
    """A name that the file does not use, the requested one or one like it; words may go on in the next line."""
    joined = text.replace(b"\\\r\n", b"").replace(b"\\\n", b"") if b"\\" in text else text
    while re.search(rf"\b{name}\b".encode(), joined):
        name += "_"
    return name


def above_pragmas(source: Source, line: int) -> int:
    """Where the lines begin that belong to the statement which is first on a line, by the line's first byte.

    They are its pragmas and attributes, with what is between them and the statement: comments, blank lines and the
    conditions of the preprocessor. The line itself where there are none. Raises `NotOfferedError` where such a line
    begins with something else.
    """
    text = source.original
    blanks = _BLANKS.match(text, line)
    place = source.offset_of(blanks.end()) if blanks is not None else None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1) if place is not None else None
    if node is None or place is None:
        return line
    while node.parent is not None and node.parent.start_byte == place and node.parent.type not in _HOLD_STATEMENTS:
        node = node.parent
    before = previous_end(node)
    behind = source.origin(before - 1, before).end if before else 0
    noted = [one.start for one in source.notes_in(before, place) if one.kind == "attribute"]
    places = [source.origin(at, at + 1).start for at in noted + [one.start for one in source.pragmas_in(before, place)]]
    plain = SKIPPED.sub(_blanked, text[behind:line])
    places += [behind + one.start() for one in DIRECTIVE.finditer(plain) if one[1] in _BELONG]
    first = text.rfind(b"\n", 0, min(places, default=line)) + 1
    if not behind <= first <= line and places:
        raise NotOfferedError("no_line_for_declaration")
    return first if places else line


_BLANKS = re.compile(rb"[ \t]*")
_HOLD_STATEMENTS = {"compound_statement", "translation_unit"}
_BELONG = {b"pragma", b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif"}


def _blanked(match: re.Match[bytes]) -> bytes:
    """Blanks, and line ends, in place of a comment."""
    return re.sub(rb"[^\r\n]", b" ", match[0])


def step_of(update: Node, counter: str, text: Callable[[Node], str]) -> int | None:
    """What a loop's update adds to its counter, where that is a number; None else, or where it is 0."""
    place = update.child_by_field_name("left") or update.child_by_field_name("argument")
    operator, by = update.child_by_field_name("operator"), update.child_by_field_name("right")
    if place is None or place.type != "identifier" or text(place) != counter or operator is None:
        return None
    if update.type == "update_expression":
        return 1 if operator.type == "++" else -1
    if by is None or by.type != "number_literal" or operator.type not in {"+=", "-="}:
        return None
    number = text(by)
    plain = number.isdecimal() and not number.startswith("0")  # no octal one
    return int(operator.type[0] + number) if plain else None


_TYPES = r"u?(?:char|short|int|long)\d*|float\d*|double\d*|half\d*|size_t|bool"


_NUMBER = r"(?:\d[\w.]*+|\.\d\w*+)"
_WORD = rf"(?:const|unsigned|{_TYPES})\b"
_CONSTANT = re.compile(rf"[-+]?{_NUMBER}|{_WORD}(?:\s+{_WORD})*|\((?:[\s()+\-*/%<>]|{_NUMBER}|\b{_WORD}|\bsizeof\b)*\)")


def _is_constant(text: str) -> bool:
    """Whether a macro's value is one operand that never changes, or a type."""
    depth, text = 0, text.strip()
    for character in text[:-1] if text.startswith("(") else "":
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return False
    return _CONSTANT.fullmatch(text) is not None


def written(source: Source, node: Node) -> SourceNode | None:
    """A node as the user's own text; None when an include, masking or a macro that is no constant takes part in it."""
    pieces = source.pieces(node.start_byte, node.end_byte)
    if not pieces and source.original[node.start_byte : node.end_byte] != source.text[node.start_byte : node.end_byte]:
        return None
    for used, tokens in groupby(pieces, key=lambda p: (p[2].use, p[2].verbatim, p[2].file)):
        made = list(tokens)
        start, end = made[0][0], made[-1][1]
        use, verbatim, file = used
        text = source.text[start:end]
        if file is not None or (verbatim and use is not None):
            return None
        place = source.origin(start, end)
        if verbatim and source.original[place.start : place.end] != text:
            return None
        if not verbatim and not _is_constant(text.decode("utf-8", "replace")):
            return None
    return _as_written(source, node)


def _as_written(source: Source, node: Node) -> SourceNode:
    return SourceNode(source, node, source.origin(node.start_byte, node.end_byte).start - node.start_byte)


def node_at(source: Source, span: Span) -> SourceNode | None:
    """The node that covers exactly a span of the file, None when the user did not write it out."""
    if span.file is not None:
        return None
    place = source.offset_of(span.start)
    if place is None:
        return None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1)
    while node is not None and source.origin(node.start_byte, node.end_byte).end < span.end:
        node = node.parent
    if node is None:
        return None
    found = written(source, node)
    return found if found is not None and (found.start, found.end) == (span.start, span.end) else None


def function_at(source: Source, name: Span) -> SourceNode | None:
    """The function whose name is at a span; None when a macro or an include takes part in its text."""
    body = kernel_body(source, name)
    node = body.parent if body is not None else None
    if node is None:
        return None
    pieces = source.layout(node.start_byte, node.end_byte)
    if len(pieces) > 1 or any(not piece[2] or piece[3] is not None for piece in pieces):
        return None
    return SourceNode(source, node, source.origin(node.start_byte, node.end_byte).start - node.start_byte)


def above_function(source: Source, name: Span) -> int:
    """Where the line begins in the file with which a function begins, its attributes and the comments above it too."""
    text, body = source.original, kernel_body(source, name)
    if body is None or body.parent is None:
        return above_kernel(text, name.start, comments=True)
    node = body.parent
    at = text.rfind(b"\n", 0, source.origin(begin_of(source, node), node.end_byte).start) + 1
    while at:
        before = text.rfind(b"\n", 0, at - 1) + 1
        if not text[before:at].startswith(b"//"):
            break
        at = before
    return at


def kernel_body(source: Source, name: Span) -> Node | None:
    """The body of the function whose name is at a span, macros and all."""
    place = source.offset_of(name.start) if name.file is None else None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1) if place is not None else None
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node.child_by_field_name("body") if node is not None else None


def loop_at(source: Source, span: Span) -> SourceNode | None:
    """The loop statement whose head begins where a loop's span does."""
    node = _loop_node(source, span)
    return written(source, node) if node is not None else None


def loop_begun_at(source: Source, span: Span) -> SourceNode | None:
    """The same, whatever takes part in its body's text."""
    node = _loop_node(source, span)
    return _as_written(source, node) if node is not None else None


def _loop_node(source: Source, span: Span) -> Node | None:
    place = source.offset_of(span.start) if span.file is None else None
    if place is None:
        return None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1)
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    return node if node is not None and node.start_byte == place else None


def loop_around(source: Source, span: Span) -> SourceNode | None:
    """The loop whose head begins where a loop's span does, with what macros and pragmas are in it.

    None where one of its ends is not the user's own text, or other directives are in it.
    """
    place = source.offset_of(span.start) if span.file is None else None
    if place is None:
        return None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1)
    while node is not None and node.type not in {"for_statement", "while_statement", "do_statement"}:
        node = node.parent
    if node is None or node.start_byte != place:
        return None
    last = source.origin(node.end_byte - 1, node.end_byte)
    if last.macro is not None or last.file is not None or source.offset_of(last.start) != node.end_byte - 1:
        return None
    found = SourceNode(source, node, span.start - node.start_byte)
    return found if only_pragmas(source.original[found.start : found.end]) else None


def only_pragmas(text: bytes) -> bool:
    """Whether no directive but pragmas is in a text."""
    return set(re.findall(rb"^[ \t]*#[ \t]*(\w*)", text, re.MULTILINE)) <= {b"pragma"}


def head_at(source: Source, span: Span) -> Node | None:
    """The loop statement that begins where a loop's span does, whatever is in it; None in a macro or an include."""
    place = source.offset_of(span.start) if span.file is None else None
    if place is None or not source.original.startswith((b"for", b"while", b"do"), span.start):
        return None
    node: Node | None = source.tree.root_node.descendant_for_byte_range(place, place + 1)
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    return node if node is not None and node.start_byte == place else None


_LOOPS = {"for_statement", "while_statement", "do_statement"}


_SIZED = ("char", "short", "int", "long")


_SPLICED = re.compile(r"\\[ \t]*\r?\n")
"""A line's end inside a word."""


def plain_type(text: str) -> str:
    """A scalar type by its shortest name, in whatever order its words are written."""
    words = _SPLICED.sub("", text).split()
    sign = next((one for one in words if one in {"unsigned", "signed"}), "")
    sizes = [one for one in words if one in _SIZED]
    if len(sizes) > 1 and "int" in sizes and "char" not in sizes:
        sizes.remove("int")
    if (len(words) < 2 and not sign) or len(sizes) > 1 or not set(words) <= {*_SIZED, sign} or words.count(sign) > 1:
        return " ".join(words)
    return ("u" if sign == "unsigned" else "") + (sizes[0] if sizes else "int")


def loaded_type(access: Access, place: SourceNode) -> str:
    """The type of what a load yields: half precision that ``vload_half`` reads is single precision from there on."""
    type_ = plain_type(access.type)
    return type_.replace("half", "float", 1) if place.text.startswith(("vload_half", "vloada_half")) else type_


def declared_types(source: Source, place: Node) -> dict[str, str]:
    """The types of the scalars that the function around a node declares; names of several types are left out."""
    function: Node | None = place
    while function is not None and function.type != "function_definition":
        function = function.parent
    found: dict[str, str] = {}
    waiting = [function] if function is not None else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type not in {"declaration", "parameter_declaration"}:
            continue
        named = node.child_by_field_name("type")
        type_ = plain_type(source.text[named.start_byte : named.end_byte].decode("utf-8", "replace")) if named else ""
        for declarator in node.children_by_field_name("declarator"):
            inner: Node | None = declarator
            if declarator.type == "init_declarator":
                inner = declarator.child_by_field_name("declarator")
            scalar = inner is not None and inner.type == "identifier"
            while inner is not None and inner.type != "identifier":
                inner = inner.child_by_field_name("declarator")
            if inner is None:
                continue
            name = source.text[inner.start_byte : inner.end_byte].decode("utf-8", "replace")
            own = type_ if scalar else ""
            found[name] = own if found.get(name, own) == own else ""
    return {name: type_ for name, type_ in found.items() if type_}


def alone(text: str) -> str:
    """An expression as an operand: in parentheses unless it is a word, or an element that one names."""
    return text if re.fullmatch(r"\w+(?:\[[^][]*\])?", text) else f"({text})"
