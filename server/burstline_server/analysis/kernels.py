"""The kernels of a file, and the facts of each."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from math import prod

from tree_sitter import Node

from burstline_model.body_operations import Operations
from burstline_model.facts import (
    Argument,
    ChannelOperation,
    KernelFacts,
    LocalArray,
    Remark,
    RemarkKind,
    Space,
    Span,
)
from burstline_model.middle.passes import as_built
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.builtins import channels_named, uses_channel
from burstline_server.analysis.calls import CALLS
from burstline_server.analysis.dependences import (
    Finished,
    finished_array,
    finished_remarks,
    used_in_arrays,
    used_symbols,
)
from burstline_server.analysis.expressions import EXPRESSIONS
from burstline_server.analysis.file_functions import Functions, node_of
from burstline_server.analysis.frames import Frame, Function, Variable
from burstline_server.analysis.kernel_model import integer_text, model_of
from burstline_server.analysis.liveness import dead_names
from burstline_server.analysis.loops import LOOP_STATEMENTS
from burstline_server.analysis.mixed import together
from burstline_server.analysis.never_reached import reached_text
from burstline_server.analysis.out_of_reach import makes_no_access
from burstline_server.analysis.outline import EMPTY, Item, Outline, identifier, outline_of
from burstline_server.analysis.parameters import Parameter, parameters_of
from burstline_server.analysis.pragmas import attributes, pack_at, report_misplaced
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.relaid import laid_out_anew
from burstline_server.analysis.reuse import MAX_SNAPSHOTS, KernelList, KernelSnapshot, Range, SnapshotCache, place_of
from burstline_server.analysis.same_facts import alike
from burstline_server.analysis.statements import STATEMENTS, declare
from burstline_server.analysis.types import TypeTable, components
from burstline_server.analysis.values import Pointer, Value
from burstline_server.source.edit import Edit
from burstline_server.source.source import Change, Source

MAX_SIMD = 64
"""Most lanes taken from an attribute; the vendor's compiler accepts 16."""
_log = logging.getLogger(__name__)
Broken = Callable[[Sequence[Range]], bool]
"""Whether a kernel is not to be read whose text, and that of all it may call, is in these ranges."""


def _nothing_broken(_ranges: Sequence[Range]) -> bool:
    return False


def read_kernels(source: Source) -> tuple[KernelFacts, ...]:
    """The facts of every kernel of a file, in order. One that cannot be read does not cost the others."""
    return tuple(reading.facts for reading in readings_of(source, SnapshotCache()))


def readings_of(source: Source, known: SnapshotCache) -> KernelList:
    """The kernels of a file, those whose text is `known` placed where it is now; new ones become known."""
    kernels = Kernels(known)
    try:
        return kernels.of(source)
    finally:
        kernels.forget()


class Kernels:
    """The kernels of a file while it is edited: what an edit leaves alone is not looked at again."""

    def __init__(self, known: SnapshotCache) -> None:
        self._known = known
        self._outline: Outline | None = None
        self._scope: _FileScope | None = None
        self._found: KernelList | None = None
        self._relaid: Callable[[int, Sequence[str], bytes], KernelSnapshot | None] | None = None
        self._whole: dict[str, tuple[bytes, KernelFacts]] = {}
        """By name, the key of the kernel that was read last, and its facts."""
        self._broken: Broken = _nothing_broken
        self._accessing = False

    def forget(self) -> None:
        """Let go of everything: types and file know each other, and trees would wait for the garbage collector."""
        if self._scope is not None:
            vars(self._scope).clear()
        self._outline, self._scope, self._found, self._whole = None, None, None, {}

    def of(self, source: Source, broken: Broken | None = None, *, accessing: bool = False) -> KernelList:
        """The kernels of a file, in order, the `broken` ones unread; so are, `accessing`, those without any access."""
        self._broken, self._accessing = broken or _nothing_broken, accessing
        if self._outline is not None and self._outline.number == source.number:
            return self._completed(self._outline)
        if source.template:
            self.forget()
            return KernelList((), EMPTY, source, {})
        before, outline = self._outline, outline_of(source, self._outline)
        change, scope, last = source.change, self._scope, self._found
        new = [outline.items[n] for n in outline.new or ()]
        # Tables say where they are: one that an edit is in is read again, even where it says the same.
        tables = [item for item in new if item.context and item.kind != "function_definition"]
        declared = change is None or any(_touches(source, item, change) for item in tables)
        kept = before is not None and outline.new is not None and before.context == outline.context
        followed = kept and not declared
        if followed and before is not None and change is not None and scope is not None and last is not None:
            self._relaid = partial(laid_out_anew, scope.source, before, source, outline, last, change.in_file)
            scope.follow(source, outline, change.written)
            known = self._again(scope, before, outline, last.snapshots)
            self._relaid = None
            found = KernelList(known, outline, source, scope.reader.arrays, (last, change.written))
        else:
            whole, names = self._whole, {outline.items[number].name for number in outline.kernels}
            self.forget()
            self._whole = {name: one for name, one in whole.items() if name in names}
            scope = _FileScope(source, outline)
            self._known.most = max(MAX_SNAPSHOTS, 2 * len(outline.kernels))
            known = tuple(self._one(scope, outline, number) for number in outline.kernels)
            found = KernelList(known, outline, source, scope.reader.arrays)
        self._outline, self._scope, self._found = outline, scope, found
        return found

    def _completed(self, outline: Outline) -> KernelList:
        """The kernels of the text that was looked at last, with those whose bodies were left out."""
        last, scope = self._found, self._scope
        if last is None or scope is None:
            raise ValueError("no text was looked at")
        pairs = zip(outline.kernels, last.snapshots, strict=True)
        known = tuple(self._one(scope, outline, number, one) if one.unread else one for number, one in pairs)
        if any(now is not then for now, then in zip(known, last.snapshots, strict=True)):
            self._found = last = last.with_snapshots(known)
        return last

    def tried(self, source: Source, names: Collection[str]) -> KernelList:
        """The kernels of the text after an edit that may be taken back: only those called `names` are read again.

        The others are returned as they were, and nothing of it is kept.
        """
        outline = outline_of(source, self._outline)
        scope = _FileScope(source, outline)
        before = {known.facts.name: known for known in self._found.snapshots} if self._found is not None else {}
        found = []
        for number in outline.kernels:
            name = outline.items[number].name
            known = before.get(name) if name is not None and name not in names else None
            there = known is not None and outline.functions.keys() >= set(known.reached)
            found.append(known if known is not None and there else self._one(scope, outline, number))
        arrays = scope.reader.arrays
        vars(scope).clear()
        return KernelList(tuple(found), outline, source, arrays)

    def _again(
        self, scope: _FileScope, before: Outline, outline: Outline, last: tuple[KernelSnapshot, ...]
    ) -> tuple[KernelSnapshot, ...]:
        """The kernels after an edit that left types and constants alone."""
        new = outline.new or range(0)
        old = range(new.start, new.start + outline.old)
        head = bisect_left(outline.kernels, new.start)
        tail = len(outline.kernels) - bisect_left(outline.kernels, new.stop)
        changed = _changed(before.items[old.start : old.stop], outline.items[new.start : new.stop])
        edited, were = outline.kernels[head : len(outline.kernels) - tail], last[head : len(last) - tail]
        earlier = were if len(were) == len(edited) else [None] * len(edited)
        inside = [self._one(scope, outline, n, known) for n, known in zip(edited, earlier, strict=True)]
        rest = [*last[:head], *inside, *last[len(last) - tail :]]
        unread = any(known.unread for known in rest)
        for place, known in enumerate(rest) if changed or unread else ():
            if known.unread or not changed.isdisjoint(known.called):
                rest[place] = self._one(scope, outline, outline.kernels[place], known)
        return tuple(rest)

    def _one(
        self, scope: _FileScope, outline: Outline, number: int, before: KernelSnapshot | None = None
    ) -> KernelSnapshot:
        """One kernel, read if its text is not known; `before` is what was made of it in the text before."""
        item = outline.items[number]
        reached, names = outline.reached(number)
        key = blake2b(outline.context + b"".join(one.digest for one in reached), digest_size=16).digest()
        found = self._known.find(key)
        if found is not None:
            return found
        unread = self._broken([(one.start, one.stop) for one in reached])
        silent = self._accessing and not unread and _is_silent(scope, reached, key, before)
        unread = unread or silent
        if unread and before is not None and before.unread and before.key == key and not before.gaps:
            return before
        called = item.called if len(reached) == 1 else item.called.union(*(one.called for one in reached))
        relaid = self._relaid(number, names, key) if self._relaid is not None else None
        if relaid is not None and not relaid.unread:
            return self._known.keep(key, replace(relaid, called=called))
        if relaid is not None and unread:
            return replace(relaid, called=called)
        if unread:
            facts, like = as_built(scope.head(item, reached)), b""
        else:
            facts = as_built(scope.read(item))
            like = self._like(key, facts)
        made = KernelSnapshot(
            key,
            facts,
            tuple(place_of(scope.source, one) for one in reached),
            tuple(names),
            called,
            any(a.is_pointer and a.element_bytes == 0 for a in facts.arguments),
            like,
            unread,
            silent=silent,
        )
        return made if unread else self._known.keep(made.key, made)

    def _like(self, key: bytes, facts: KernelFacts) -> bytes:
        """The key of the kernel of this name that was read before, where places alone have changed in its facts."""
        before = self._whole.get(facts.name)
        self._whole[facts.name] = (key, facts)
        return before[0] if before is not None and alike(before[1], facts) else b""


def _is_silent(scope: _FileScope, reached: Sequence[Item], key: bytes, before: KernelSnapshot | None) -> bool:
    """Whether the text of a kernel and of all that it may call shows that it makes no access."""
    if before is not None and before.key == key and before.silent:
        return True
    return makes_no_access(scope.source, scope.types, scope.reader.frame.scopes[0], reached)


def _touches(source: Source, item: Item, change: Change) -> bool:
    """Whether an edit may be in an item of the text after it."""
    start, end = place_of(source, item)
    return change.included is not None or start < 0 or (change.written.start < end and start < change.written.new_end)


def _changed(old: Sequence[Item], new: Sequence[Item]) -> frozenset[str]:
    """The names of the functions that are not what they were; of two of one name, the last one counts."""
    then, now = ({i.name: i.digest for i in items if i.name is not None} for items in (old, new))
    return frozenset(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))


class _FileScope:
    """What all kernels of a file share: types, helper functions, tables at file scope."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self.source = source
        self.types = TypeTable(self._constant, self._attributes, lambda offset: pack_at(self.source, offset))
        self.functions: Mapping[str, Function] = Functions(source, self.types, outline)
        self.reader = self._reader(self.types, {})
        self._collect(outline)

    def follow(self, source: Source, outline: Outline, edit: Edit) -> None:
        """The same scope in a text whose types and tables say the same."""
        self.source = self.reader.source = source
        self.functions = self.reader.functions = Functions(source, self.types, outline)
        arrays = self.reader.arrays
        if any(a.span.file is None and a.span.start >= edit.start for a in arrays.values()):
            self.reader.arrays = {name: _after(array, edit) for name, array in arrays.items()}

    def _reader(self, types: TypeTable, file_scope: dict[str, Variable]) -> Reader:
        return Reader(
            self.source,
            types,
            self.functions,
            EXPRESSIONS | CALLS,
            STATEMENTS | LOOP_STATEMENTS,
            file_scope,
        )

    def _constant(self, node: Node) -> int | None:
        return self.reader.constant(node)

    def _attributes(self, start: int, end: int) -> str:
        return " ".join(n.text for n in self.source.notes_in(start, end) if n.kind == "attribute")

    def _collect(self, outline: Outline) -> None:
        """Read types, constant tables and channels."""
        for item in outline.items:
            if not item.context or item.kind == "function_definition":
                continue
            try:
                self._collect_one(node_of(self.source, item), item)
            except RecursionError:
                _log.warning("a declaration is nested too deeply: it is not read")

    def _collect_one(self, node: Node, item: Item) -> None:
        match node.type:
            case "type_definition":
                self.types.declare_typedef(node)
            case "struct_specifier" | "union_specifier" | "enum_specifier":
                self.types.specifier(node)
            case "declaration":
                self._declare(node, item.begin)
            case _:
                pass

    def _declare(self, node: Node, end: int) -> None:
        base = self.types.base(node)
        notes = self.source.notes_in(end, node.end_byte)
        space: Space = "global" if any(n.text.strip("_") == "global" for n in notes) else "constant"
        for declarator in node.children_by_field_name("declarator"):
            name, type_ = self.types.declared(declarator, base)
            if not name or type_.kind == "function":
                continue
            if any(n.kind == "channel" for n in notes):
                board = "io" in attributes(self._attributes(end, node.end_byte))
                self.reader.declare(name, Variable(type_, from_board=board))
                continue
            initial, value = declarator.child_by_field_name("value"), None
            if initial is not None and type_.kind != "array":
                with self.reader.quietly():
                    value = self.reader.evaluate(initial)
            if type_.kind in {"array", "struct"}:
                declare(self.reader, declarator, name, type_, space, None)
            else:
                # Only a constant can be at file scope: its value serves bounds and indices.
                constant = value is not None and value.number is not None and value.number.constant is not None
                self.reader.declare(name, Variable(type_, value if constant else None))

    def read(self, item: Item) -> KernelFacts:
        """Interpret one kernel."""
        return self._read(item, body=True)

    def head(self, item: Item, reached: Sequence[Item]) -> KernelFacts:
        """What the head of a kernel says, and which channels its text and all that it may call name."""
        facts = self._read(item, body=False)
        texts = (self.source.text[one.start : one.stop] for one in reached if any(map(uses_channel, one.called)))
        named = dict.fromkeys(name for text in texts for name in channels_named(text))
        if not named:
            return facts
        channels = tuple(ChannelOperation(span=facts.name_span, channel=name, op="read") for name in named)
        return facts.model_copy(update={"channels": channels})

    def _read(self, item: Item, *, body: bool) -> KernelFacts:
        node, name = node_of(self.source, item), item.name or ""
        # What a kernel declares is its own, and so is what it assigns to the file's names.
        names = {name: variable.copied() for name, variable in self.reader.frame.scopes[0].items()}
        reader = self._reader(self.types.copy(), names)
        reader.types.evaluate_with(reader.constant)
        reader.arrays.update(self.reader.arrays)
        reader.tables.update(self.reader.tables)
        parameters = tuple(parameters_of(self.source, self.types, node))
        remark: RemarkKind | None = None
        try:
            self._bind(reader, parameters)
            reader.call_names.append(name)
            block = node.child_by_field_name("body")
            if body and block is not None:
                reader.assignments.prepare(block)
                reached, deciding = reached_text(reader, block)
                reader.frame.dead = dead_names(reached, structures=not self.types.points) - deciding
                reader.run(block)
                report_misplaced(reader, block)
        except RecursionError:
            remark = "nested_too_deeply"
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s could not be analysed", name)
            remark = "program_error"
        return self._facts(reader, node, item, tuple(p.argument for p in parameters), remark)

    def _bind(self, reader: Reader, parameters: Sequence[Parameter]) -> None:
        """Give the kernel's parameters their first values."""
        reader.frames[:] = [Frame()]
        for argument, type_ in parameters:
            variable = Variable(type_)
            reader.declare(argument.name, variable)
            if argument.is_pointer:
                pointer = Pointer(argument.name, argument.space, Polynomial(), volatile=argument.volatile)
                variable.value = Value(type_, pointer=pointer)
            elif type_.is_integer:
                symbol = reader.symbols.fresh(argument.name, "argument")
                variable.value = Value(type_, Polynomial.symbol(symbol))
            else:
                symbol = reader.symbols.fresh(argument.name, "argument")
                variable.value = Value(type_, symbols=frozenset({symbol}))
                for path, inner in components(type_).items():
                    part = reader.symbols.fresh(f"{argument.name}.{path}", "argument")
                    reader.frame.scopes[-1][f"{argument.name}.{path}"].value = Value(inner, Polynomial.symbol(part))

    def _facts(
        self, reader: Reader, node: Node, item: Item, arguments: tuple[Argument, ...], remark: RemarkKind | None
    ) -> KernelFacts:
        declarator = node.child_by_field_name("declarator")
        name_node = identifier(declarator) or node
        body = node.child_by_field_name("body")
        asked = attributes(self._attributes(item.begin, body.start_byte if body is not None else node.end_byte))
        used = used_symbols(reader)
        remarks = finished_remarks(reader, used)
        sources = reader.symbols.sources()
        finished = Finished(reader, sources)
        group = self._group(asked.get("reqd_work_group_size"))
        units = tuple(n or 1 for n in self._numbers(asked.get("num_compute_units", "1"))[:3])
        if remark:
            remarks.append(Remark(span=reader.span(name_node), kind=remark))
        return KernelFacts(
            name=item.name or "",
            span=reader.span(node),
            name_span=reader.span(name_node),
            model=model_of(asked, group, uses_ids=reader.uses_ids, barriers=bool(reader.barriers)),
            simd=min(
                self._numbers(asked.get("num_simd_work_items") or asked.get("num_vector_lanes", "1"))[0] or 1, MAX_SIMD
            ),
            compute_units=prod(units),
            unit_shape=units,
            work_group_size=group,
            arguments=arguments,
            symbols=reader.symbols.finished(used | used_in_arrays(reader), sources),
            loops=finished.loops(),
            accesses=finished.accesses(),
            private_accesses=finished.private(),
            register_accesses=finished.in_registers(),
            arrays=tuple(finished_array(reader, array) for array in reader.arrays.values()),
            channels=finished.channels(),
            barriers=tuple(reader.barriers),
            without_ids=asked.get("max_global_work_dim") == "0",
            linear_ids=reader.linear_ids,
            index_first=reader.index_first,
            mixed=together(reader.mixed),
            remarks=tuple(remarks),
            operations=tuple(
                Operations(
                    loops=loops, operation=kind, count=count, width_bits=bits, copied_by=copied_by, folded=folded
                )
                for (loops, kind, bits, copied_by, folded), count in sorted(reader.operations.items(), key=str)
            ),
        )

    def _group(self, text: str | None) -> tuple[int, int, int] | None:
        if text is None:
            return None
        sizes = [*self._numbers(text), 1, 1, 1][:3]
        return (sizes[0], sizes[1], sizes[2]) if all(sizes) else None

    def _numbers(self, text: str) -> list[int]:
        """The integers in an attribute's arguments; macros in them have been expanded."""
        return [integer_text(part) for part in text.split(",")]


def _after(array: LocalArray, edit: Edit) -> LocalArray:
    if (span := array.span).file is not None or span.start < edit.start:
        return array
    return array.model_copy(update={"span": Span(start=span.start + edit.by, end=span.end + edit.by)})
