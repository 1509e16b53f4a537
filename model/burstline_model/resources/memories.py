"""Arrays on the chip: RAM blocks by width and depth, replicated for the reads that want them in one cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from burstline_model.devices.cost import Cost
from burstline_model.devices.cost_tables import CostTable
from burstline_model.devices.resource_use import InBlocks, InRegisters
from burstline_model.facts import Access, KernelFacts, LocalArray
from burstline_model.parallelism.lanes import Lanes, lane_factors, lanes_of, multiple_of
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.record import Record

MAX_BANKS = 256
GROUPS_IN_FLIGHT = 2
"""Copies of a work-group's local memory, so that the next group starts while one still runs (vendor reports)."""


class Ports(Record):
    """How an array is wired: banks, the width of one, and the reads that one bank serves in a cycle."""

    banks: int = 1
    width_bytes: int = 1
    reads: int = 1


def array_cost(
    array: LocalArray, facts: KernelFacts, copies: Mapping[int, int], table: CostTable
) -> tuple[Cost, InRegisters | InBlocks | None]:
    """What an array takes, and how it is kept; nothing, and None, while its length is not known."""
    if not array.length:
        return Cost(), None
    memory = table.memory
    bits = built_bits(array, facts, copies)
    if in_registers(array, facts, copies, table):
        return Cost(), InRegisters(bits=bits)
    ports = ports_of(array, facts, copies)
    width_bits = ports.width_bytes * 8
    flight = 1
    if facts.model == "ndrange" and array.written:
        flight = GROUPS_IN_FLIGHT if array.space == "local" else memory.items_in_flight
    words = ceil(bits / width_bits / ports.banks) * flight
    replicas = ceil(ports.reads / memory.reads)
    # A block is wide and shallow, or deep and narrow: its bits count once it is filled to its depth.
    shallow = words * memory.ram_width_bits <= memory.ram_bits
    each = ceil(width_bits / memory.ram_width_bits) if shallow else ceil(width_bits * words / memory.ram_bits)
    kept = InBlocks(bits=bits, width_bits=width_bits, banks=ports.banks, replicas=replicas, reads=ports.reads)
    return Cost(rams=each * replicas * ports.banks), kept


def built_bits(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int]) -> int:
    """What is built of an array: of a shift register, nothing behind the last element that is read.

    The vendor's optical flow example has registers for the widest image, and says that the compiler finds the part in
    use.
    """
    built = array.reach if array.reach is not None and _is_fixed(array, facts, copies) else array.length
    return (built or 0) * array.element_bytes * 8


def in_registers(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int], table: CostTable) -> bool:
    """Whether a private array is small enough for registers."""
    small = built_bits(array, facts, copies) <= table.memory.register_bits
    return array.space == "private" and array.written and small


def is_folded(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int]) -> bool:
    """Whether nothing is left of an array: nothing writes it, and unrolling makes every index a constant.

    So it is of a table of the file that the kernel does not read.
    """
    if array.space == "constant" and not array.written:
        return all(is_number(facts, a, copies) for a in facts.accesses if _is_of(a, array))
    return array.space == "private" and not array.written and _is_fixed(array, facts, copies)


def is_number(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> bool:
    """Whether an access reads a place of a constant table that unrolling makes a constant: a number, no load.

    LLVM puts the initial value in the place of such a load (ConstantFoldLoadFromConstPtr).
    """
    if access.space != "constant" or access.offset is None or facts.argument(access.pointer) is not None:
        return False
    known = [facts.symbols.get(name) for name in access.offset.symbols]
    made_of = {n for s in known if s is not None for n in (s.depends_on if s.kind == "opaque" else ()) or (s.name,)}
    symbols = [facts.symbols.get(name) for name in made_of]
    loops = [facts.loops[s.loop] for s in symbols if s is not None and s.kind == "loop" and s.loop is not None]
    whole = len(known) == len([s for s in known if s]) and len(loops) == len(symbols)
    return whole and all(fully_unrolled(loop, copies) for loop in loops)


def _is_of(access: Access, array: LocalArray) -> bool:
    return (access.pointer, access.space) == (array.name, array.space)


def _is_fixed(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int]) -> bool:
    """Whether unrolling makes every index of a private array a constant."""
    return array.picked_by is not None and all(fully_unrolled(facts.loops[i], copies) for i in array.picked_by)


def ports_of(array: LocalArray, facts: KernelFacts, copies: Mapping[int, int]) -> Ports:
    """Copies of an access side by side are one wide access; at fixed distances, a bank each; else, a read each."""
    element = max(array.element_bytes, 1)
    banks, widest, reads = 1, element, 0
    loads: dict[object, list[tuple[Access, Lanes]]] = {}
    turns: dict[str, int] = {}
    for access in facts.accesses:
        if not _is_of(access, array) or is_number(facts, access, copies):
            continue
        lanes = lanes_of(facts, access, copies)
        run, runs, scattered = _runs(lanes, max(access.element_bytes, 1))
        widest = max(widest, run * runs)
        banks = max(banks, 1 << (runs - 1).bit_length())
        turns["load" if access.op == "load" else "store"] = access.id
        if access.op != "store":
            reads += scattered
        if access.op == "load" and lanes.base is not None and scattered == 1 and not access.volatile:
            # What is stored between two loads, a barrier, or a condition keeps them apart.
            waited = sum(barrier.span.start < access.span.start for barrier in facts.barriers)
            under = tuple(guard.span for guard in access.guards)
            moving = tuple((m, c) for m, c in lanes.base.terms if m)
            key = (access.loops, access.call_chain, access.element_bytes, under, waited, turns.get("store"), moving)
            loads.setdefault(key, []).append((access, lanes))
    reads -= sum(_joined(facts, sequence, copies) for sequence in loads.values())
    if banks > MAX_BANKS:
        banks, reads = 1, reads * banks
    width_bytes = max(element, ceil(min(widest, (array.length or 1) * element) / banks))
    return Ports(banks=banks, width_bytes=width_bytes, reads=max(reads, 1))


def _joined(facts: KernelFacts, loads: Sequence[tuple[Access, Lanes]], copies: Mapping[int, int]) -> int:
    """How many of some loads are part of another one's: neighbours, from where a word of all of them begins."""
    placed = {lanes.base.offset: at for at, (_, lanes) in enumerate(loads) if lanes.base is not None}
    rows: list[list[int]] = []
    end: int | None = None
    for start in sorted(placed):
        access, lanes = loads[placed[start]]
        if start != end:
            rows.append([])
        rows[-1].append(start)
        end = start + max(lanes.offsets or (0,)) + access.element_bytes
    found = 0
    for row in rows:
        (first, lanes), (last, others) = loads[placed[row[0]]], loads[placed[row[-1]]]
        span = row[-1] + max(others.offsets or (0,)) + last.element_bytes - row[0]
        whole = multiple_of(facts, lanes.base, lane_factors(facts, first, copies)) if lanes.base is not None else 1
        found += len(row) - 1 if whole % (1 << (span - 1).bit_length()) == 0 else 0
    return found


def _runs(lanes: Lanes, size: int) -> tuple[int, int, int]:
    """The bytes of the longest row of neighbours, the number of rows, and the reads that no row holds."""
    if lanes.offsets is None or lanes.rows:
        return size, 1, lanes.count
    longest = run = size
    rows = 1
    for before, after in zip(lanes.offsets, lanes.offsets[1:], strict=False):
        neighbours = after - before == size
        run = run + size if neighbours else size
        rows += not neighbours
        longest = max(longest, run)
    return longest, rows, 1
