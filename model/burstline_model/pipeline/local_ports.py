"""Cycles in which all that is read and stored at once in an array on the chip comes through the ports of its blocks.

Reads are served by replicas of the blocks, each of which takes every store. Stores at fixed distances go to banks of
their own, whichever bits of the address they differ in (vendor reports 18.1 and 19.4, Stratix 10: 16 banks on bits
8 to 11, 9 to 12, 10 to 13, no attribute given; kenter/OpenCL-FPGA-examples, angelicadavila/FPGA_MEMORY_HLS); at
places that only turn out as it runs, they share the ports that a block has and take turns (Best Practices Guide 22.4,
10.3: several concurrent stores make a memory that is arbitrated in each cycle; two ports a block on a Stratix 10,
elsewhere four by a clock twice as fast). Where attributes fix the banks, all that falls into one of them at once
takes turns at its ports, and reads do so as far as attributes fix how many of them it has (Best Practices Guide 22.4,
8.4.1; Programming Guide, Standard Edition 18.1, 12.2).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod

from burstline_model.declared_ports import DeclaredPorts
from burstline_model.facts import Access, KernelFacts, LocalArray
from burstline_model.parallelism.alias import exclusive
from burstline_model.parallelism.lanes import lanes_of
from burstline_model.parallelism.loop_copies import still_loops
from burstline_model.pipeline.bank_rows import has_own_rows, rows_of
from burstline_model.pipeline.elements import is_fixed

REGISTER_BYTES = 256
"""The largest private array that may be in registers (see the table of resources; the guide has 64 bytes)."""
PORTS_PER_PUMP = 2
"""Ports of a memory block at its own clock; a clock twice as fast doubles them."""
ACCESSES_PER_ATOMIC = 2
"""Ports that an atomic operation takes: it reads its place and stores there, before another one may."""
WIDEST_BANK_BYTES = 1024
"""Places that lie further apart are in two words of a bank, however wide it is."""
Places = dict[object, list[tuple[Access, int]]]


def cycles_at_ports(facts: KernelFacts, copies: Mapping[int, int], ports: int) -> dict[tuple[int, ...], float]:
    """The cycles at least from one iteration to the next, by the loops of a block, where that is more than one."""
    declared = {array.name: array.ports for array in facts.arrays if array.ports is not None}
    sites: dict[tuple[tuple[int, ...], str, str], Places] = defaultdict(dict)
    for access in in_blocks(facts, copies):
        op = "load" if access.op == "load" else "store"
        own = _ports(declared.get(access.pointer), op, ports)
        if own is not None:
            place, number = _at_once(facts, access, copies)
            array = still_loops(facts, access.loops, copies), access.pointer, op
            times = ACCESSES_PER_ATOMIC if access.op == "atomic" else 1
            sites[array].setdefault(place, []).append((access, number * times))
    found: dict[tuple[int, ...], float] = {}
    for (block, pointer, op), places in sites.items():
        given, each = declared.get(pointer), list(places.values())
        if given is not None and given.banks is not None and (given.bank_bytes is not None or given.banks == 1):
            each = [_in_banks(facts, own, copies, given) for own in each]
        cycles = max(map(_together, _by_rows(facts, each))) / (_ports(given, op, ports) or ports)
        if cycles > 1:
            found[block] = max(found.get(block, 1.0), cycles)
    return found


def _by_rows(
    facts: KernelFacts, places: list[list[tuple[Access, int]]]
) -> list[list[list[tuple[Access, int]]]]:  # fmt: skip
    """The places that share the ports of a bank: those of each row, where the text says which row each is in."""
    rows = rows_of(facts, [access for own in places for access, _ in own])
    if rows is None:
        return [places]
    row_of = iter(rows)
    found: dict[int, list[list[tuple[Access, int]]]] = {}
    for own in places:
        here: dict[int, list[tuple[Access, int]]] = {}
        for one in own:
            here.setdefault(next(row_of), []).append(one)
        for row, those in here.items():
            found.setdefault(row, []).append(those)
    return [*found.values()]


def in_blocks(facts: KernelFacts, copies: Mapping[int, int]) -> Iterator[Access]:
    """The accesses to memory blocks on the chip: local arrays, and private ones that no register holds."""
    yield from (a for a in facts.accesses if a.space == "local")
    arrays = {array.name for array in facts.arrays if is_in_blocks(facts, array, copies)}
    # Of one through a chosen pointer it is not known which array it reaches, and where.
    yield from (a for a in facts.private_accesses if a.pointer in arrays and a.offset is not None)


def is_in_blocks(facts: KernelFacts, array: LocalArray, copies: Mapping[int, int]) -> bool:
    """Whether a private array is in memory blocks: too large for registers, and data or rolled loops pick elements."""
    large = array.space == "private" and (array.length or 0) * array.element_bytes > REGISTER_BYTES
    return large and not is_fixed(array, facts, copies)


def _ports(given: DeclaredPorts | None, op: str, ports: int) -> float | None:
    """How many accesses of one kind a bank serves at once; None where replicas serve as many as there are."""
    if op == "store":
        most = ports if given is None or given.pumps is None else given.pumps * PORTS_PER_PUMP
        return (given.writes if given is not None else None) or most
    if given is None or given.banks is None or given.bank_bytes is None:
        return None
    if given.reads is not None:
        return given.reads
    # A port of each copy takes what is stored.
    return given.replicates * ((given.pumps or 1) * PORTS_PER_PUMP - 1) if given.replicates is not None else None


def _at_once(facts: KernelFacts, access: Access, copies: Mapping[int, int]) -> tuple[object, int]:
    """What the text fixes of an access's place, and how many of its copies have no bank of their own."""
    lanes = lanes_of(facts, access, copies)
    if lanes.offsets is None or lanes.base is None:
        rows = prod(copies[i] for i in access.loops if copies.get(i, 1) > 1 and has_own_rows(facts, i, access))
        return access.id, max(lanes.count // rows, 1)
    return tuple((m, c) for m, c in lanes.base.terms if m), lanes.row_count


def _in_banks(
    facts: KernelFacts, own: list[tuple[Access, int]], copies: Mapping[int, int], given: DeclaredPorts
) -> list[tuple[Access, int]]:
    """Accesses at fixed distances, with how many words of the fullest of the declared banks they touch at once.

    A single bank, where no attribute says how wide it is, gives all at once that lies within what any bank gives.
    """
    words, banks = given.bank_bytes or WIDEST_BANK_BYTES, given.banks or 1
    touched: dict[int, tuple[set[int], int]] = {}
    for access, number in own:
        lanes = lanes_of(facts, access, copies)
        if lanes.offsets is None or lanes.base is None:
            return own
        first = lanes.base.offset
        touched[access.id] = {(first + offset) // words for offset in lanes.offsets}, number
    if any(exclusive(a, b) for (a, _), (b, _) in combinations(own, 2)):
        return [(access, _fullest(touched[access.id][0], banks) * number) for access, number in own]
    every = set[int]().union(*(one for one, _ in touched.values()))
    return [(own[0][0], _fullest(every, banks) * max(number for _, number in own))]


def _fullest(words: set[int], banks: int) -> int:
    return max(Counter(word % banks for word in words).values(), default=1)


def _together(places: list[list[tuple[Access, int]]]) -> int:
    """The accesses of one iteration at most; of those that exclude each other, one is."""
    apart: list[list[tuple[Access, int]]] = []
    for own in places:
        others = next(
            (o for o in apart if all(exclusive(a, b) for a, _ in own for b, _ in o)),
            None,
        )
        if others is None:
            apart.append([*own])
        else:
            others += own
    return sum(max(number for _, number in one) for one in apart)
