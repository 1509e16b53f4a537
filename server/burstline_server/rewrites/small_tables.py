"""Read-only arrays of a known, small size that a kernel reads again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from burstline_model.estimate.remarks import CONSTANT_CACHE_BYTES
from burstline_model.facts import Access, Argument, KernelFacts, Loop
from burstline_model.parallelism.alias import may_alias
from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.rewrites.index_bounds import bounds
from burstline_server.rewrites.syntax import SourceNode, every, kernel_body, node_at
from burstline_server.source.source import Source

_IDS = {"gid0", "lid0", "group0"}


@fixed
class Table:
    """A buffer that a kernel only reads, each time as ``name[index]`` with a bounded index.

    `first` and `length` count elements; in a `tile`, `first` counts from the work-group's first work-item on.
    `certain`: the last element is read whenever the kernel (single work-item: the loop `loop`) does anything, so that
    all before it exist; `starts`: a tile's first element is.
    """

    argument: Argument
    type: str
    places: tuple[SourceNode, ...]
    accesses: tuple[Access, ...]
    first: int
    length: int
    tile: bool
    certain: bool
    starts: bool
    loop: int | None
    body: Node

    @property
    def kilobits(self) -> int:
        """RAM that a copy takes."""
        return -(-self.length * self.argument.element_bytes * 8 // 1024)


def tables(assessment: Assessment, kernel: KernelAssessment) -> Iterator[Table]:
    """The tables of a kernel, in the order of its arguments."""
    body = kernel_body(assessment.source, kernel.facts.name_span)
    if body is None:
        return
    for argument in kernel.facts.arguments:
        if argument.is_pointer and argument.space == "global" and not argument.volatile:
            found = _table(assessment, kernel.facts, argument, body)
            if found is not None:
                yield found


def _table(assessment: Assessment, facts: KernelFacts, argument: Argument, body: Node) -> Table | None:
    accesses = [a for a in facts.accesses if a.pointer == argument.name]
    if not accesses or named(accesses[0].type) is None or len({a.type for a in accesses}) > 1:
        return None
    if any(a.op != "load" or a.element_bytes != argument.element_bytes or a.call_chain for a in accesses):
        return None
    if any(s.op != "load" and may_alias(facts, s, accesses[0]) for s in facts.accesses):
        return None
    places = places_of(assessment, accesses, argument.name, body)
    divisors = _divisors(assessment.source)
    ranges = [_range(facts, a, divisors) for a in accesses]
    if places is None or any(r is None for r in ranges):
        return None
    known = [r for r in ranges if r is not None]
    tiles = {tile for _, _, tile in known}
    low, high = min(r[0] for r in known), max(r[1] for r in known)
    size = argument.element_bytes
    if not _again(facts, accesses, len(places), tile=True in tiles):
        return None
    if (
        len(tiles) > 1
        or low == high
        or low % size
        or high % size
        or high + size - (low if tiles == {True} else 0) > CONSTANT_CACHE_BYTES
    ):
        return None
    tile = tiles.pop()
    if low < 0 and not tile:
        return None
    first = low // size if tile else 0
    sure = [a for a, r in zip(accesses, known, strict=True) if r[1] == high and _is_certain(facts, a)]
    lowest = not tile or any(r[0] == low and _is_certain(facts, a) for a, r in zip(accesses, known, strict=True))
    loop = sure[0].loops[0] if sure and sure[0].loops and facts.model != "ndrange" else None
    return Table(
        argument, accesses[0].type, places, tuple(accesses), first, high // size + 1 - first, tile,
        bool(sure) and lowest, lowest, loop, body,
    )  # fmt: skip


def _again(facts: KernelFacts, accesses: list[Access], places: int, *, tile: bool) -> bool:
    """Whether the same elements are read several times: in other iterations, or by other work-items of a group."""
    if facts.model != "ndrange":
        loops = any(a.loops for a in accesses)
        return loops and (places > 1 or any(not _walks(facts, a) for a in accesses))
    if places > 1 or not tile:
        return places > 1 or not any(s in _IDS for a in accesses if a.offset is not None for s in a.offset.symbols)
    reach = (facts.work_group_size or (1, 1, 1))[0] * accesses[0].element_bytes
    steps = [accesses[0].offset.coefficient(facts.loops[i].counter) for i in accesses[0].loops if accesses[0].offset]
    return any(step is None or step.constant is None or abs(step.constant) < reach for step in steps)


def _walks(facts: KernelFacts, access: Access) -> bool:
    """Whether each iteration reads another element."""
    return access.offset is not None and access.offset.symbols == {facts.loops[i].counter for i in access.loops}


def places_of(assessment: Assessment, accesses: list[Access], name: str, body: Node) -> tuple[SourceNode, ...] | None:
    """Where ``name[index]`` is written for accesses; None when the name is used in any other way."""
    found = {a.span.start: node_at(assessment.source, a.span) for a in accesses}
    places = [p for p in found.values() if p is not None and p.node.type == "subscript_expression"]
    if len(places) < len(found):
        return None
    for place in places:
        argument = place.child("argument")
        if argument is None or argument.text != name:
            return None
    used = sum(1 for n in every(body) if n.type == "identifier" and n.text == name.encode())
    return tuple(places) if used == len(places) else None


def _divisors(source: Source) -> list[int] | None:
    """What a file divides by with ``%``; None where one of them is no number."""
    found = []
    for node in every(source.tree.root_node):
        operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if operator is not None and right is not None and operator.type in {"%", "%="}:
            text = source.text[right.start_byte : right.end_byte].decode("utf-8", "replace")
            if not text.isdecimal():
                return None
            found.append(int(text))
    return found


def _range(facts: KernelFacts, access: Access, divisors: Sequence[int] | None) -> tuple[int, int, bool] | None:
    """First and last byte offset that an access can have; the last counts from its work-group's first work-item on."""
    offset, group = access.offset, facts.work_group_size
    if offset is None:
        return None
    step = offset.coefficient("gid0") if "gid0" in facts.symbols else None
    moving = step is not None and step.constant == access.element_bytes and group is not None
    low, high = bounds(facts, offset.without(["gid0"]) if moving else offset, 0, divisors)
    if low is not None and high is not None and high >= 0 and not moving:
        low = max(low, 0)  # nothing lies before a buffer's first element
    if low is None or high is None:
        return None
    reach = (group[0] - 1) * access.element_bytes if moving and group is not None else 0
    return low, high + reach, moving


def _is_certain(facts: KernelFacts, access: Access) -> bool:
    """Whether an access certainly reaches the last place it can have, once the outermost loop around it runs."""
    loops = [facts.loops[i] for i in access.loops]
    trips = [loop.trip.constant if loop.trip is not None else None for loop in loops]
    inner = trips if facts.model == "ndrange" else trips[1:]
    if access.guards or any(loop.early_exit for loop in loops) or any(not t or t < 1 for t in inner):
        return False
    if any(loop.early_exit or not (loop.trip is not None and loop.trip.constant) for loop in _left(facts, access)):
        return False
    constant = {loop.counter for loop, trip in zip(loops, trips, strict=True) if trip}
    return access.offset is not None and access.offset.symbols <= constant | {"gid0", "lid0"} and _grows(access.offset)


def _left(facts: KernelFacts, access: Access) -> list[Loop]:
    """The loops around an access in the text that it is built in front of: they may not run at all."""
    place = access.span
    return [
        loop
        for loop in facts.loops
        if loop.id not in access.loops and loop.span.file == place.file
        if loop.span.start <= place.start < max(loop.body.end, loop.span.end)
    ]


def _grows(offset: Polynomial) -> bool:
    return all(len(monomial) < 2 for monomial, _ in offset.terms)
