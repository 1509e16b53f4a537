"""What is at file scope, in order, distinguished by content: after an edit only what it touched is looked at again."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from sys import intern
from typing import Any

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of
from burstline_server.source.edit import Edit
from burstline_server.source.placed_records import Kind, Runs
from burstline_server.source.sections import is_blank
from burstline_server.source.source import Source

_COMMENT = re.compile(rb"//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NO_CODE = re.compile(
    rb"""//(?:[^\\\n]++|\\(?:\r?\n)?)*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n]){0,16}+'"""
)
"""Comments; strings and characters, which may look as if they held one."""
_CALLED = re.compile(rb"(?<![A-Za-z_])[A-Za-z_]\w*+(?=\s*+\()")
_BLOCK_END = b"}\n"
"""What divides no name from its arguments."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_TYPES = {"type_definition", "struct_specifier", "union_specifier", "enum_specifier"}
_NESTING = {"ERROR", "linkage_specification", "declaration_list", "preproc_if", "preproc_ifdef"}


@fixed
class Item:
    """A declaration or definition from `start` to `stop` in the parsed text; `begin` is where the one before ends.

    `digest` is of all that a function's text says, `context` for what an item says to those after it.
    """

    begin: int
    start: int
    stop: int
    kind: str
    name: str | None
    kernel: bool
    digest: bytes
    context: bytes
    called: frozenset[str]
    exact: bool
    """Whether the grammar understands all that is around it, and nothing but its words counts."""

    def moved(self, by: int) -> Item:
        """The same item, `by` bytes further on."""
        places = (self.begin + by, self.start + by, self.stop + by)
        return Item(*places, self.kind, self.name, self.kernel, self.digest, self.context, self.called, self.exact)

    def laid_out(self, edit: Edit, text: bytes) -> Item | None:
        """The same item after an edit of blanks and comments, which wrote `text`; None where it may be another."""
        if edit.start >= self.stop:
            return self
        if edit.old_end <= self.begin:
            return self.moved(edit.by)
        above = edit.old_end <= self.start
        if not self.exact or edit.start < self.begin or not (above or self.start <= edit.start):
            return None
        places = (self.begin, self.start + edit.by if above else self.start, self.stop + edit.by)
        # Types and constants have no places.
        digest = _digest(self.digest, edit.start - self.begin, edit.old_end - self.begin, text)
        digest = digest if self.kind == "function_definition" else self.digest
        return Item(*places, self.kind, self.name, self.kernel, digest, self.context, self.called, self.exact)


_ITEMS: Kind[Item] = Kind(attrgetter("start"), lambda item, by, _: item.moved(by))


@fixed
class Outline:
    """The items of a reading.

    `context` is a digest of what they say to functions: types, constants, packing. `functions` and `kernels` count
    items; of two functions of one name, the last one counts. `new` are the items that are not those of the
    outline before (None: all), `old` the number that they replace.
    """

    number: int
    items: Runs[Item]
    context: bytes
    functions: Mapping[str, int]
    kernels: tuple[int, ...]
    new: range | None = None
    old: int = 0
    inexact: bool = False
    """Whether any item is in text that the grammar does not understand."""

    def function(self, name: str) -> Item:
        """The function called `name`."""
        return self.items[self.functions[name]]

    def reached(self, number: int) -> tuple[list[Item], list[str]]:
        """An item and all that it may call, and the names of these."""
        reached, names = [self.items[number]], list[str]()
        for one in reached:
            for name in sorted(one.called & self.functions.keys()):
                if name not in names and self.functions[name] != number:
                    names.append(name)
                    reached.append(self.function(name))
        return reached, names


EMPTY = Outline(-1, Runs(_ITEMS), b"", {}, ())
"""That of a text in which nothing is looked for."""


def outline_of(source: Source, before: Outline | None = None) -> Outline:
    """The outline of a file, made from the one before where what changed since is known."""
    change = source.change
    if before is None or change is None or change.of != before.number:
        return _made(source, Runs(_ITEMS, _items(source, 0, len(source.text))))
    items, by = before.items, change.by
    first, last = items.rank(change.start), items.rank(change.stop - by)
    old = items[first:last]
    new = _laid_out(source, old, change.quiet) or tuple(_items(source, change.start, change.stop))
    spliced = items.spliced(change.start, change.stop - by, new, by)
    place = range(first, first + len(new))
    if before.inexact and by and not _stay(source, spliced[place.stop :]):
        return _made(source, Runs(_ITEMS, _items(source, 0, len(source.text))))
    if [_shape(i) for i in old] == [_shape(i) for i in new]:
        inexact = before.inexact or not all(i.exact for i in new)
        return replace(before, number=source.number, items=spliced, new=place, old=len(old), inexact=inexact)
    return _made(source, spliced, place, len(old))


def _stay(source: Source, moved: Iterable[Item]) -> bool:
    """Whether items that an edit has moved are read as before, where they have errors.

    What the parser makes of an error depends on how far from the begin of the text it is.
    """
    inexact = [one for one in moved if not one.exact]
    while inexact:
        at = inexact[0]
        number = source.sections.rank(at.start + 1)
        start = source.sections[number - 1] if number else 0
        stop = source.sections[number] if number < len(source.sections) else len(source.text)
        here = [one for one in inexact if one.start < stop]
        if here != [one for one in _of_section(source, start, stop) if not one.exact]:
            return False
        inexact = inexact[len(here) :]
    return True


def _laid_out(source: Source, old: Sequence[Item], quiet: Edit | None) -> tuple[Item, ...]:
    """Some items after an edit of blanks and comments; empty where they are to be read."""
    text = source.text[quiet.start : quiet.new_end] if quiet is not None else b""
    found = [one.laid_out(quiet, text) if quiet is not None else None for one in old]
    return tuple(one for one in found if one is not None) if None not in found else ()


def _shape(item: Item) -> tuple[object, ...]:
    return item.name, item.kernel, item.context


def _made(source: Source, items: Runs[Item], new: range | None = None, old: int = 0) -> Outline:
    every = tuple(items)
    return Outline(
        source.number,
        items,
        blake2b(b"".join(i.context for i in every), digest_size=16).digest(),
        {i.name: n for n, i in enumerate(every) if i.name is not None},
        tuple(n for n, i in enumerate(every) if i.kernel),
        new,
        old,
        not all(i.exact for i in every),
    )


def _items(source: Source, start: int, stop: int) -> Iterator[Item]:
    """The items of the sections from one place to another."""
    for end in source.sections.between(start + 1, stop + 1):
        yield from _of_section(source, start, end)
        start = end


def _of_section(source: Source, start: int, stop: int) -> Iterator[Item]:
    root, begin = source.syntax((start, stop)), start
    for node, broken in _nodes(root, broken=False):
        if node.type != "comment":
            begin = _own_begin(source, begin, node.start_byte)
            # Where text is not understood, what is around it decides how it is read.
            parsed = _digest(str(node), broken) if root.has_error else b""
            yield _item(source, node, begin, parsed, broken=broken)
            begin = node.end_byte


def _own_begin(source: Source, begin: int, start: int) -> int:
    """Where an item begins: not with what is left, without a word, of another file than its own."""
    if not source.files:
        return begin
    pieces = source.pieces(begin, start + 1)
    own = len(pieces)
    while own and pieces[own - 1][2].file == pieces[-1][2].file:
        own -= 1
    place = pieces[own][0] if own else begin
    said = place > begin and (source.notes_in(begin, place) or source.pragmas_in(begin, place))
    return begin if said or not is_blank(source.text, begin, place) else place


def _nodes(root: Node, *, broken: bool) -> Iterator[tuple[Node, bool]]:
    """The nodes at file scope, and whether they are in text that is not understood."""
    for node in root.named_children:
        if node.type in _NESTING:
            yield from _nodes(node, broken=broken or node.type == "ERROR")
        else:
            yield node, broken


def counts(source: Source, node: Node, begin: int, *, broken: bool) -> bool:
    """Whether an item says something to functions.

    What a broken function declares would seem to be at file scope: there, only what must be there counts.
    """
    if node.type != "declaration":
        return node.type in _TYPES
    notes = source.notes_in(begin, node.end_byte) if broken else ()
    return not broken or any(n.kind == "channel" or n.text.strip("_") == "constant" for n in notes)


def _item(source: Source, node: Node, begin: int, parsed: bytes, *, broken: bool) -> Item:
    packs = [(p.start - begin, p.text) for p in source.pragmas_in(begin, node.end_byte) if p.text.startswith("pack")]
    named = identifier(node.child_by_field_name("declarator")) if node.type == "function_definition" else None
    if node.type != "function_definition":
        # Types and constants have no places: only what they say counts.
        words = _COMMENT.sub(b" ", source.text[begin : node.end_byte]).decode("utf-8", "replace").split()
        hidden = [n.text for n in source.notes_in(begin, node.end_byte)]
        context = _digest(" ".join(words), hidden, packs, parsed)
        said = context if counts(source, node, begin, broken=broken) else _digest(packs) if packs else b""
        places = (begin, node.start_byte, node.end_byte)
        return Item(*places, node.type, None, False, context, said, frozenset(), not (parsed or packs))
    declarator = node.child_by_field_name("declarator")
    before = source.notes_in(begin, declarator.end_byte) if declarator is not None else ()
    kernel = any(n.kind == "qualifier" and n.text.strip("_") == "kernel" for n in before)
    text = source.text[begin : node.end_byte]
    notes = [(n.start - begin, n.end - begin, n.kind, n.text) for n in source.notes_in(begin, node.end_byte)]
    pragmas = [(p.start - begin, p.text, _bodies(source, p.text)) for p in source.pragmas_in(begin, node.end_byte)]
    return Item(
        begin,
        node.start_byte,
        node.end_byte,
        node.type,
        intern(text_of(named)) if named is not None else None,
        kernel and named is not None,
        _digest(text, notes, pragmas, source.layout(begin, node.end_byte), parsed),
        _digest(packs) if packs else b"",
        frozenset().union(*map(_called, _NO_CODE.sub(_code, text).split(_BLOCK_END))),
        not (parsed or packs),
    )


def _code(match: re.Match[bytes]) -> bytes:
    """What is left of a comment or a string: nothing, but all of a comment that is not closed, as it may be read."""
    text = match[0]
    closed = not text.startswith(b"/*") or (len(text) >= len(b"/**/") and text.endswith(b"*/"))
    return b" " if closed else text


@lru_cache(maxsize=2048)
def _called(block: bytes) -> frozenset[str]:
    """The names that are called in a part of a function; an edit is in one of its parts."""
    return frozenset(intern(n.decode()) for n in set(_CALLED.findall(block)))


def _digest(*said: Any) -> bytes:
    # Version 2 writes equal values alike; later ones write references to one and the same.
    return blake2b(marshal.dumps(said, 2), digest_size=16).digest()


def _bodies(source: Source, text: str) -> list[str]:
    """The text of the macros that a pragma's text still names."""
    return [source.macros[n].body for n in _NAME.findall(text) if n in source.macros]


def identifier(node: Node | None) -> Node | None:
    """The name that a declarator declares."""
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return node
