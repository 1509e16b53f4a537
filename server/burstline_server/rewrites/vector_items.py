"""Send vectors through channels, in all kernels that they join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from burstline_model.facts import ChannelOperation, KernelFacts, Loop, Span
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.nodes import previous_end
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.interpreter.host_side import HostSide
from burstline_server.rewrites.lane_items import lane_edits, structures
from burstline_server.rewrites.other_builds import is_one_in_all
from burstline_server.rewrites.reasons import Assertion, Title
from burstline_server.rewrites.rewrite import Candidate, NotOfferedError, Offer, Rewrite, TextEdit
from burstline_server.rewrites.syntax import plain_type, written
from burstline_server.rewrites.vectorise import MAX_LANES, lanes_that_fill, vector_edits
from burstline_server.rewrites.widened import Streams
from burstline_server.source.source import Source

MOST_KERNELS = 8
"""Most kernels that one edit changes."""


class VectorItems(Rewrite):
    """Kernels joined by channels hand over vectors: a channel carries one item a cycle, however wide.

    Offered where every kernel at these channels is one loop that reads and writes each of them once an iteration; all
    of them change, with the channels' types. Loops over neighbours become loops over vectors, as *vectorise* asks it of
    a loop. What is left over behind whole vectors goes one by one, each in the first element of a vector. Where one of
    them does more (conditions, sums, items of several types or structures), each channel carries an array of items,
    and an unrolled loop around the iterations, as they are and in their order, takes and fills it. Where the loops'
    bounds are arguments, the user asserts that all of them run equally often in each launch; loops around them have to
    be alike. A channel that is of an array, has more than one place at either end, is read or written under a
    condition or without waiting, or is written before another one is read, stays as it is.
    """

    name = "vector items"
    codes = ("BL106",)

    def candidates(self, assessment: Assessment, kernel: KernelAssessment) -> Iterable[Candidate]:
        """One edit for the kernels that channels join, at the first of them that is asked about."""
        joined = _joined(assessment, kernel) if kernel.facts.channels else []
        asked = [one.facts.name for one in joined if one.facts.name in {k.facts.name for k in assessment.kernels}]
        if asked[:1] != [kernel.facts.name]:
            return
        names = tuple(dict.fromkeys(one.name for k in joined for one in k.facts.channels))
        loops = tuple(k.facts.loops[one.loops[-1]].span for k in joined for one in k.facts.channels[:1] if one.loops)
        spans = (*loops, *(a.span for k in joined for a in k.facts.accesses))
        yield Candidate(Title("vector_items", (names,)), spans, partial(_offer, assessment, joined, names, spans))


@fixed
class _Stage:
    """A kernel with the one loop in which it works on channels, and those around it, the outermost first."""

    kernel: KernelAssessment
    loop: Loop
    around: tuple[Loop, ...]

    @property
    def facts(self) -> KernelFacts:
        """The kernel's facts."""
        return self.kernel.facts


def _joined(assessment: Assessment, kernel: KernelAssessment) -> list[KernelAssessment]:
    """A kernel and all that channels join to it, in the order of the file."""
    names, last = {one.name for one in kernel.facts.channels}, set[str]()
    while names != last:
        last = set(names)
        for other in assessment.every_kernel:
            own = {one.name for one in other.facts.channels}
            names |= own if own & names else set()
    return [one for one in assessment.every_kernel if any(c.name in names for c in one.facts.channels)]


def _offer(
    assessment: Assessment, joined: Sequence[KernelAssessment], names: tuple[str, ...], spans: tuple[Span, ...]
) -> Offer:
    """The edit; raises `NotOfferedError`."""
    if len(joined) > MOST_KERNELS:
        raise NotOfferedError("too_many_joined", MOST_KERNELS)
    uses = Counter(_identifiers(assessment.source))
    for name in names:
        _require_two_ends(name, [one for k in joined for one in k.facts.channels if one.name == name])
        if uses[name] != _USES:
            raise NotOfferedError("not_two_ends", name)
    stages = [_stage(kernel) for kernel in joined]
    declared = _types(assessment.source, frozenset(names))
    alike = _alike(stages)
    try:
        what, edits = _vectors(assessment, stages, declared)
    except NotOfferedError:
        what, edits = _arrays(assessment, stages, declared)
    for one in stages:
        if not is_one_in_all(
            assessment.source.original, ((e.start, e.end) for e in edits), one.facts.span, moves_nothing=False
        ):
            raise NotOfferedError("has_directives")
    kernels = tuple(one.facts.name for one in stages)
    return Offer(
        title=Title("vector_items_of", (what, names), _asserted(kernels) if alike else ()),
        kind="assertion" if alike else "proved",
        kernel=kernels[0],
        edits=tuple(dict.fromkeys(edits)),
        spans=spans,
        codes=VectorItems.codes,
        replaced_by=kernels,
        joined=kernels,
        host_side=HostSide(alike=alike) if alike else None,
    )


def _vectors(
    assessment: Assessment, stages: Sequence[_Stage], declared: Sequence[_Declared]
) -> tuple[str, list[TextEdit]]:
    """The edits that make vectors of items, where all kernels work on each by itself, and the vectors' type."""
    types = {plain_type(one.type) for one in declared}
    if len(types) != 1:
        raise NotOfferedError("mixed_types")
    streams = Streams(frozenset().union(*(one.channels for one in declared)), types.pop())
    lanes = _lanes(assessment, stages)
    edits = [replace(one.place, text=f"{streams.type}{lanes}") for one in declared]
    for one in stages:
        edits += vector_edits(assessment, one.kernel, one.loop, lanes, streams)
    return f"{streams.type}{lanes}", edits


def _arrays(
    assessment: Assessment, stages: Sequence[_Stage], declared: Sequence[_Declared]
) -> tuple[str, list[TextEdit]]:
    """The edits that make arrays of items, each iteration as it was, and how many items go together."""
    lanes = _lanes(assessment, stages)
    edits, carried = structures(assessment, [(one.place, one.type, min(one.channels)) for one in declared], lanes)
    items = {name: what for one, what in zip(declared, carried, strict=True) for name in one.channels}
    for one in stages:
        edits += lane_edits(assessment, one.kernel, one.loop, items)
    return f"{lanes} items", edits


def _lanes(assessment: Assessment, stages: Sequence[_Stage]) -> int:
    """How many items fill a word of the memory, and every loop at least once; raises `NotOfferedError`."""
    widths = [item.width_bits for one in stages for item in one.facts.channels]
    if not all(widths):
        raise NotOfferedError("no_vectors_fit")
    bits = max(widths)
    asked = min(assessment.board.memory.word_bytes * 8 // max(bits, 8), MAX_LANES)
    lanes = min(lanes_that_fill(one.kernel, one.loop, asked) for one in stages)
    if lanes < 2:
        raise NotOfferedError("no_vectors_fit")
    return lanes


_USES = 3
"""How often a file names a channel that has two ends: where it is declared, and once at each."""


def _identifiers(source: Source) -> Iterator[str]:
    """Every name in a file, in kernels of which nothing else is known and in functions as well."""
    waiting = [source.tree.root_node]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type == "identifier":
            yield source.text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _asserted(kernels: tuple[str, ...]) -> tuple[Assertion, ...]:
    return (Assertion("run_as_often", (kernels,)),)


def _require_two_ends(name: str, ends: Sequence[ChannelOperation]) -> None:
    """Raises `NotOfferedError` where a channel is not written in one place and read in one other, each time."""
    if sorted(one.op for one in ends) != ["read", "write"]:
        raise NotOfferedError("not_two_ends", name)
    if any("[" in one.channel or one.call_chain for one in ends):
        raise NotOfferedError("not_two_ends", name)
    if any(one.guards for one in ends):
        raise NotOfferedError("not_each_iteration")


def _stage(kernel: KernelAssessment) -> _Stage:
    """A kernel that works on channels in one loop; raises `NotOfferedError`."""
    facts = kernel.facts
    if facts.model != "single_work_item":
        raise NotOfferedError("not_all_tasks", facts.name)
    loops = {one.loops for one in facts.channels}
    (first, *others) = loops
    around = tuple(facts.loops[i] for i in first[:-1])
    if others or not first or any(one.early_exit for one in around):
        raise NotOfferedError("not_one_loop", facts.name)
    return _Stage(kernel, facts.loops[first[-1]], around)


def _alike(stages: Sequence[_Stage]) -> tuple[tuple[str, ...], ...]:
    """The arguments that get one value in all kernels for their loops to run equally often; none where they do so.

    Raises `NotOfferedError` where that is not all that it takes.
    """
    if len({len(one.around) for one in stages}) > 1:
        raise NotOfferedError("trips_apart")
    chains = zip(*((*one.around, one.loop) for one in stages), strict=True)
    found = (group for level in chains for group in _alike_in(stages, [loop.trip for loop in level]))
    return tuple(dict.fromkeys(found))


def _alike_in(stages: Sequence[_Stage], trips: Sequence[Polynomial | None]) -> tuple[tuple[str, ...], ...]:
    """The same for a loop of each kernel."""
    first = trips[0]
    if first is None or any(trip is None for trip in trips):
        raise NotOfferedError("no_fixed_trips")
    if first.constant is not None and all(trip == first for trip in trips):
        return ()
    named = [sorted(trip.symbols) for trip in trips if trip is not None]
    for one, names in zip(stages, named, strict=True):
        known = [one.facts.symbols.get(name) for name in names]
        plain = all(s is not None and s.kind == "argument" and one.facts.argument(s.name) is not None for s in known)
        if not names or not plain:
            raise NotOfferedError("trips_apart")
    same = all(trip == first for trip in trips)
    if not same and any(trip != Polynomial.symbol(names[0]) for trip, names in zip(trips, named, strict=True)):
        raise NotOfferedError("trips_apart")
    own = ([f"{one.facts.name}.{name}" for name in names] for one, names in zip(stages, named, strict=True))
    return tuple(zip(*own, strict=True))


@fixed
class _Declared:
    """A declaration of channels: where its type is written (nothing in its place yet), the type, the channels."""

    place: TextEdit
    type: str
    channels: frozenset[str]


def _types(source: Source, names: frozenset[str]) -> list[_Declared]:
    """The declarations of channels; raises `NotOfferedError`."""
    found, left = list[_Declared](), set(names)
    for node in source.tree.root_node.named_children:
        notes = source.notes_in(previous_end(node), node.end_byte) if node.type == "declaration" else ()
        if not any(note.kind == "channel" for note in notes):
            continue
        declared = set[str]()
        for declarator in node.children_by_field_name("declarator"):
            if declarator.type != "identifier":
                declared.add("")
                continue
            declared.add(source.text[declarator.start_byte : declarator.end_byte].decode("utf-8", "replace"))
        if declared.isdisjoint(names):
            continue
        type_ = node.child_by_field_name("type")
        place = written(source, type_) if type_ is not None else None
        if place is None or not declared <= names:
            raise NotOfferedError("channel_declared_with", *sorted(declared & names)[:1])
        found.append(_Declared(TextEdit(place.start, place.end, ""), place.expanded, frozenset(declared)))
        left -= declared
    if left:
        raise NotOfferedError("channel_elsewhere", min(left))
    return found
