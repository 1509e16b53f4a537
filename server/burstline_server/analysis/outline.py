"""What stands at file scope, in order, told apart by content: after an edit only what it touched is looked at again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import attrgetter
from sys import intern
from types import MappingProxyType

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.source.runs import Kind, Runs
from burstline_server.source.source import Source

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_CALLED = re.compile(rb"[A-Za-z_]\w*(?=\s*[(/])")
_NAME = re.compile(r"[A-Za-z_]\w*")
_TYPES = {"type_definition", "struct_specifier", "union_specifier", "enum_specifier"}
_NESTING = {"ERROR", "linkage_specification", "declaration_list", "preproc_if", "preproc_ifdef"}


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration or definition from `start` to `stop` in the parsed text; `begin` is where the one before ends.

    `digest` stands for all that a function's text says, `context` for what an item says to those after it. `sound`
    tells that its syntax follows from its text alone: where there are errors, it follows from what stands around, too.
    """

    begin: int
    start: int
    stop: int
    kind: str
    name: str | None
    kernel: bool
    sound: bool
    digest: bytes
    context: bytes
    called: frozenset[str]

    def moved(self, by: int) -> Item:
        """The same item, `by` bytes further on."""
        places = (self.begin + by, self.start + by, self.stop + by)
        return Item(*places, self.kind, self.name, self.kernel, self.sound, self.digest, self.context, self.called)


_ITEMS: Kind[Item] = Kind(attrgetter("start"), lambda item, by, _: item.moved(by))


@dataclass(frozen=True, slots=True)
class Outline:
    """The items of a reading.

    `context` stands for what they say to functions: types, constants, packing. `functions` and `kernels` count items;
    of two functions of one name, the last one counts. `new` are the items that are not those of the outline before
    (None: all), `old` the number that they replace.
    """

    number: int
    items: Runs[Item]
    context: bytes
    functions: Mapping[str, int]
    kernels: tuple[int, ...]
    new: range | None = None
    old: int = 0

    def function(self, name: str) -> Item:
        """The function called `name`."""
        return self.items[self.functions[name]]


def outline_of(source: Source, before: Outline | None = None) -> Outline:
    """The outline of a file, made from the one before where what changed since is known."""
    change = source.change
    if before is None or change is None or change.of != before.number:
        return _made(source, Runs(_ITEMS, _items(source, 0, len(source.text), 0)))
    by, items = change.edit.by, before.items
    # Items end in the order in which they start.
    first = bisect_left(items, change.start, key=lambda i: i.stop)
    last = bisect_right(items, change.stop - by, first, key=lambda i: i.begin)
    begin = items[first - 1].stop if first else 0
    stop = items[last].start + by if last < len(items) else len(source.text) + 1
    if not change.elsewhere:
        return _with(source, before, (first, last), tuple(_items(source, begin, stop, begin)))
    # All of the syntax is new: what stands where it stood before, in text that is the same, says the same.
    old = tuple(items)
    known = {i.start: i for i in old[:first]} | {i.start + by: i.moved(by) for i in old[last:]}
    every = tuple(_items(source, 0, len(source.text), 0, known))
    head = _equal(every, old, lambda new, one: new is one)
    most = min(len(every), len(old)) - head
    tail = _equal(every[::-1][:most], old[::-1], lambda new, one: new is known.get(one.start + by))
    return _with(source, before, (head, len(old) - tail), every[head : len(every) - tail])


def _with(source: Source, before: Outline, replaced: tuple[int, int], new: tuple[Item, ...]) -> Outline:
    """The outline with other items for some of those before."""
    (first, last), items, change = replaced, before.items, source.change
    old = items[first:last]
    low = old[0].start if old else items[last].start if last < len(items) else len(source.text) + 1
    spliced = items.spliced(low, old[-1].start + 1 if old else low, new, change.edit.by if change is not None else 0)
    place = range(first, first + len(new))
    if [_shape(i) for i in old] == [_shape(i) for i in new]:
        return replace(before, number=source.number, items=spliced, new=place, old=len(old))
    return _made(source, spliced, place, len(old))


def _equal(a: Sequence[Item], b: Sequence[Item], same: Callable[[Item, Item], bool]) -> int:
    """How many first items of two rows are the same."""
    return next((n for n, pair in enumerate(zip(a, b, strict=False)) if not same(*pair)), min(len(a), len(b)))


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
    )


def _items(
    source: Source, first: int, stop: int, begin: int, known: Mapping[int, Item] = MappingProxyType({})
) -> Iterator[Item]:
    """The items that start in a range of the parsed text; those `known` by their starts are taken as they are."""
    for node, broken in nodes_between(source.tree.root_node, first, stop):
        if node.type == "comment":
            continue
        old = known.get(node.start_byte)
        there = (begin, node.end_byte, node.type, not node.has_error)
        same = old is not None and old.sound and (old.begin, old.stop, old.kind, old.sound) == there
        yield old if old is not None and same else _item(source, node, begin, broken=broken)
        begin = node.end_byte


def nodes_between(root: Node, first: int, stop: int, *, broken: bool = False) -> Iterator[tuple[Node, bool]]:
    """The nodes at file scope that start in a range, and whether they stand in text that is not understood."""
    cursor = root.walk()
    if first:
        if cursor.goto_first_child_for_byte(first) is None:
            return
    elif not cursor.goto_first_child():
        return
    while True:
        node = cursor.node
        if node is None or node.start_byte >= stop:
            return
        if node.type in _NESTING:
            yield from nodes_between(node, first, stop, broken=broken or node.type == "ERROR")
        elif node.is_named and node.start_byte >= first:
            yield node, broken
        if not cursor.goto_next_sibling():
            return


def counts(source: Source, node: Node, begin: int, *, broken: bool) -> bool:
    """Whether an item says something to functions.

    What a broken function declares would seem to stand at file scope: there, only what must stand there counts.
    """
    if node.type != "declaration":
        return node.type in _TYPES
    notes = source.notes_in(begin, node.end_byte) if broken else ()
    return not broken or any(n.kind == "channel" or n.text.strip("_") == "constant" for n in notes)


def _item(source: Source, node: Node, begin: int, *, broken: bool) -> Item:
    syntax = _syntax(node, begin) if node.has_error else ()
    packs = [(p.start - begin, p.text) for p in source.pragmas_in(begin, node.end_byte) if p.text.startswith("pack")]
    named = identifier(node.child_by_field_name("declarator")) if node.type == "function_definition" else None
    if node.type != "function_definition":
        # Types and constants have no places: only what they say counts.
        words = _COMMENT.sub(b" ", source.text[begin : node.end_byte]).decode("utf-8", "replace").split()
        hidden = [n.text for n in source.notes_in(begin, node.end_byte)]
        context = _digest(" ".join(words), hidden, packs, syntax)
        said = context if counts(source, node, begin, broken=broken) else _digest(packs) if packs else b""
        places = (begin, node.start_byte, node.end_byte)
        return Item(*places, node.type, None, False, not syntax, context, said, frozenset())
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
        not syntax,
        _digest(text, notes, pragmas, source.layout(begin, node.end_byte), syntax),
        _digest(packs) if packs else b"",
        frozenset(intern(n.decode()) for n in set(_CALLED.findall(text))),
    )


def _syntax(node: Node, begin: int) -> tuple[tuple[str, int, int], ...]:
    """Every node of a piece of syntax, told from where its text begins."""
    found = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        found.append((one.type, one.start_byte - begin, one.end_byte - begin))
        waiting += one.children
    return tuple(found)


def _digest(*said: object) -> bytes:
    return blake2b(repr(said).encode(), digest_size=16).digest()


def _bodies(source: Source, text: str) -> list[str]:
    """What the macros stand for that a pragma's text still names."""
    return [source.macros[n].body for n in _NAME.findall(text) if n in source.macros]


def identifier(node: Node | None) -> Node | None:
    """The name that a declarator declares."""
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return node
