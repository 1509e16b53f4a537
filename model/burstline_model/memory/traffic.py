"""What each load/store unit asks of the memory: its kind, request width, useful bytes, stride and banks."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.boards.board import Board
from burstline_model.facts import Access, KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.memory.memory_units import Kind, MemoryUnit
from burstline_model.memory.placement import Placement
from burstline_model.parallelism.extent import Extent
from burstline_model.walk.kept_in_place import outside_loops
from burstline_model.walk.walk import Walk, Walks

_KINDS: dict[str, Kind] = {
    "Burst-coalesced non-aligned": "non_aligned",
    "Burst-coalesced cached": "cached",
    "Burst-coalesced non-aligned cached": "cached",
    "Burst-coalesced write-ack": "write_ack",
    "Burst-coalesced write-ack non-aligned": "write_ack",
    "Prefetching": "prefetching",
    "Atomic-pipelined": "atomic",
}


def walks_of(extent: Extent, external: Sequence[Lsu], board: Board, placement: Placement) -> list[Walk | None]:
    """How the address of each unit moves; None in the papers' mode, which knows δ alone."""
    if extent.launch.mode == "faithful":
        return [None] * len(external)
    extent = outside_loops(extent)
    by_word: dict[int, Walks] = {}
    found: list[Walk | None] = []
    for unit in external:
        word = board.memory_of(_banks(extent.facts, unit, placement)[0]).word_bytes
        if word not in by_word:
            by_word[word] = Walks(extent, word)
        found.append(by_word[word].of(unit))
    return found


def _banks(facts: KernelFacts, unit: Lsu, placement: Placement) -> tuple[int, ...]:
    return placement.banks.get(facts.accesses[unit.members[0]].pointer, (0,))


def memory_unit(
    facts: KernelFacts,
    lsu: Lsu,
    placement: Placement,
    bytes_: float,
    walk: Walk | None,
    *,
    in_step: bool = False,
) -> MemoryUnit:
    """A load/store unit as the equations see it, with this much useful traffic.

    What is fetched for it follows from its walk; without one (the papers' mode) from δ.
    """
    access = facts.accesses[lsu.members[0]]
    kind = _KINDS.get(lsu.style, "aligned")
    stride = float(lsu.stride) if lsu.stride is not None else float("inf")
    if walk is not None:
        stride = max(walk.factor, 1.0)
        # A request that is full and starts at its width costs what that of an aligned unit does.
        full = lsu.useful_bytes * lsu.lanes * 8 >= lsu.width_bits * lsu.count
        kind = "aligned" if kind == "non_aligned" and walk.misaligned is False and full else kind
    return MemoryUnit(
        kind=kind,
        op=lsu.op,
        access=access.id,
        width_bytes=lsu.width_bits / 8,
        bytes=bytes_,
        access_bytes=_access_bytes(lsu, access, kind),
        stride=stride,
        lanes=lsu.lanes,
        banks=placement.banks.get(access.pointer, (0,)),
        constant_operand=lsu.op == "atomic" and not access.operand_varies,
        count=lsu.count * facts.units_at_work,
        compute_units=facts.units_at_work,
        in_step=in_step and len(placement.banks.get(access.pointer, (0,))) > 1,
        misaligned=walk is not None and bool(walk.misaligned),
        apart=walk.apart if walk is not None else None,
        step_bytes=walk.stride_bytes if walk is not None else 0.0,
        in_turns=walk is not None and walk.in_turns,
    )


def _access_bytes(lsu: Lsu, access: Access, kind: Kind) -> int:
    """What one lane asks for in one request; the parts of a scattered access share its bytes, not its element."""
    if kind in {"write_ack", "atomic"}:
        return max(access.element_bytes, 1)
    return max(lsu.useful_bytes, access.element_bytes if lsu.stride is None else 1)


def least_and_most(
    units: Sequence[MemoryUnit], walks: Sequence[Walk | None]
) -> tuple[list[MemoryUnit], list[MemoryUnit]]:
    """The units with the least and with the most that they fetch where data decide; `units` themselves elsewhere."""
    return [_fetching(u, w, most=False) for u, w in zip(units, walks, strict=True)], [
        _fetching(u, w, most=True) for u, w in zip(units, walks, strict=True)
    ]


def _fetching(unit: MemoryUnit, walk: Walk | None, *, most: bool) -> MemoryUnit:
    """A unit with the bytes that its walk fetches at least, or at most."""
    if walk is None or not walk.fetched_bytes or walk.low_bytes is None or walk.high_bytes is None:
        return unit
    if most:
        more = walk.high_bytes / walk.fetched_bytes
        return unit.model_copy(update={"bytes": unit.bytes * more}) if more > 1 else unit
    if walk.low_bytes >= walk.fetched_bytes:
        return unit
    least = min(unit.bytes, walk.low_bytes)
    in_order = {"apart": False, "in_turns": False} if unit.in_turns else {}
    stride = max(walk.low_bytes / least, 1.0) if least else 1.0
    return unit.model_copy(update={"bytes": least, "stride": stride, **in_order})


def units_in_step(
    facts: KernelFacts, external: Sequence[Lsu], sizes: Sequence[float | None], board: Board, placement: Placement
) -> list[bool]:  # fmt: skip
    """Which units go over interleaved banks in step: they start over one bank and move alike.

    Buffers start over one bank where each size is a multiple of what goes once over all banks.
    """
    memories = [board.memory_of(_banks(facts, unit, placement)[0]) for unit in external]
    spans = [(memory.interleave_bytes or 0) * memory.banks for memory in memories]
    whole = all(
        span and ends_at_span(unit, size, span) for unit, size, span in zip(external, sizes, spans, strict=True)
    )
    moves = [movement_of(facts, facts.accesses[unit.members[0]]) for unit in external]
    near = list(zip(moves, map(id, memories), strict=True))
    return [whole and one[0] is not None and near.count(one) > 1 for one in near]


def movement_of(facts: KernelFacts, access: Access) -> Movement | None:
    """What the address of an access moves with, in bytes; None where that is not known.

    Two with the same stay a fixed distance apart: those of another one meet now in one bank, now in none.
    """
    if access.offset is None:
        return None
    return tuple((names, c) for names, c in access.offset.terms if any(_moves(facts, name) for name in names))


def _moves(facts: KernelFacts, name: str) -> bool:
    """Whether a symbol has another value for another work-item or iteration."""
    symbol = facts.symbols.get(name)
    return symbol is None or symbol.kind not in _FIXED


_FIXED = {"argument", "global_size", "local_size", "num_groups", "global_offset"}


Movement = tuple[tuple[tuple[str, ...], int], ...]


def ends_at_span(unit: Lsu, size: float | None, span: int) -> bool:
    """Whether the buffer of a unit ends where the interleaving starts over, every `span` bytes."""
    return size is not None and (size * max(unit.stride or 1, 1)) % span == 0


def useful_bytes(extent: Extent, unit: Lsu, walk: Walk | None) -> float | None:
    """What a unit moves in the whole launch, what is discarded left out; None while that is not known."""
    if walk is not None:
        return walk.used_bytes
    executions = extent.executions(unit)
    return float(executions * unit.useful_bytes) if executions is not None else None
