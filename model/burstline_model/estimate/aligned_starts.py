"""What lets requests that start off a multiple of their width start on one: it follows from what keeps them off."""

from __future__ import annotations

from math import gcd

from burstline_model.estimate.after_change import WhatIf
from burstline_model.estimate.changes import Align, AlignBy
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Lsu
from burstline_model.parallelism.lanes import lane_factors, lanes_of, multiple_of
from burstline_model.polynomial import Polynomial

PLACES = {"loop", "global_id", "local_id", "group_id"}
"""Symbols that count rows."""


def aligned_start(what_if: WhatIf, place: int) -> Align | None:
    """What to do for a non-aligned unit; None where nothing is of use.

    A constant that all units of a buffer have in common: elements in front of its data. Arguments: what they count in.
    A row's length: longer rows. Anything else, as a loaded start: whole words, of two of which a load takes what it
    asks for. A store cannot do that.
    """
    facts, lsu = what_if.assembly.facts, what_if.lsu(place)
    why = next((r.why for r in lsu.reasons if r.rule == "non-aligned"), None)
    pointer, element = what_if.pointer(place), facts.accesses[lsu.members[0]].element_bytes
    word = what_if.assembly.board.memory_of(what_if.units[place].banks[0]).word_bytes
    width = min(lsu.width_bits // 8, word)

    def change(by: AlignBy, elements: int, names: tuple[str, ...] = ()) -> Align:
        return Align(why=why, pointer=pointer, by=by, elements=elements, names=names)

    off = _off(what_if, lsu, width)
    parts = {_part(facts, monomial) for monomial, _ in off.terms} if off is not None else {"other"}
    if off is not None and element and width % element == 0:
        if parts == {"constant"} and _alike(what_if, pointer, width, -off.offset % width):
            return change("front", (-off.offset % width) // element)
        names = _counting(facts, off)
        if parts == {"start"} and names:
            return change("start", width // element, names)
        steps = {abs(step) for _, step in off.terms}
        if names and (parts == {"row"} or (parts == {"row", "start"} and len(names) == 1)):
            return change("rows", width // element, names)
        if parts == {"row"} and len(steps) == 1 and not _arguments(facts, off):
            (step,) = steps
            return change("rows", -(-step // width) * width // element) if step > width else None
    return change("shift", 0) if lsu.op == "load" else None


def _off(what_if: WhatIf, lsu: Lsu, width: int) -> Polynomial | None:
    """What of the address of a unit's first element is no multiple of its width; None where nothing is known of it."""
    facts, starts = what_if.assembly.facts, list[Polynomial]()
    for number in lsu.members:
        access = facts.accesses[number]
        base = lanes_of(facts, access, what_if.copies).base
        if base is None or any(name not in facts.symbols and "lane" not in name for name in base.symbols):
            return None
        factors = lane_factors(facts, access, what_if.copies)
        terms = {m: c for m, c in base.terms if not m or multiple_of(facts, Polynomial.of({m: c}), factors) % width}
        starts.append(Polynomial.of(terms))
    first = min(starts, key=lambda one: one.offset)
    if any((one - first).symbols for one in starts):
        return None
    constant = first.offset % width
    return first - Polynomial.number(first.offset) + Polynomial.number(constant)


def _counting(facts: KernelFacts, off: Polynomial) -> tuple[str, ...]:
    """The arguments that have to count in whole words, so that each term of an address is a multiple of them.

    That is the only one that all terms have, or the only one of each; none where it may be one or another.
    """
    arguments = _arguments(facts, off)
    own = [arguments & set(monomial) for monomial, _ in off.terms]
    shared = arguments.intersection(*own)
    if len(shared) == 1:
        return tuple(shared)
    return tuple(sorted(arguments)) if all(len(one) == 1 for one in own) else ()


def _arguments(facts: KernelFacts, off: Polynomial) -> frozenset[str]:
    return frozenset(name for name in off.symbols if facts.symbols[name].kind == "argument")


def _part(facts: KernelFacts, monomial: tuple[str, ...]) -> str:
    """What a term of an address is: a constant, arguments alone, a row of a place, or anything else."""
    kinds = {facts.symbols[name].kind if facts.symbols[name].operation is None else "other" for name in monomial}
    if not kinds:
        return "constant"
    if kinds == {"argument"}:
        return "start"
    return "row" if kinds & PLACES and kinds <= {*PLACES, "argument"} else "other"


def _alike(what_if: WhatIf, pointer: str, width: int, padding: int) -> bool:
    """Whether elements in front of a buffer's data suit all of its units: none is taken off its own alignment."""
    for place in range(len(what_if.units)):
        if what_if.pointer(place) != pointer:
            continue
        lsu = what_if.lsu(place)
        own = gcd(lsu.width_bits // 8, width)
        if "non-aligned" not in lsu.style:
            if padding % own:
                return False
            continue
        off = _off(what_if, lsu, own)
        if off is None or off.symbols or (off.offset + padding) % own:
            return False
    return True
