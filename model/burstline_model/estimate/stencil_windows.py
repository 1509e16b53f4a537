"""Shift registers for what several units of a single work-item load of one buffer, a constant distance apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from burstline_model.estimate.after_change import WORTH_REPORTING, WhatIf
from burstline_model.estimate.changes import SlidingWindow, WindowAndCopies
from burstline_model.estimate.chosen_places import places_of
from burstline_model.estimate.kernel_estimate import Lever
from burstline_model.estimate.more_hardware import whole_factors
from burstline_model.facts import Access
from burstline_model.polynomial import Polynomial, TooComplexError

IN_ORDER = 1.1
"""Up to so many times what is used is fetched where rows are walked along: what lies between them is little."""


def windows(what_if: WhatIf) -> list[Lever]:
    """A shift register for each innermost loop of a single work-item that several units load neighbours in.

    One unit loads each element once then. Copies of the loop's body share its requests, where they pay as well.
    """
    if what_if.assembly.facts.model == "ndrange":
        return []
    inner = dict.fromkeys(loops[-1] for place in range(len(what_if.units)) if (loops := what_if.loops(place)))
    return [lever for loop in inner for lever in _of_loop(what_if, loop, alone=True)]


def windowed_copies(what_if: WhatIf, loop: int) -> list[Lever]:
    """Copies of a loop's body that pay with a shift register for what each of them would load by itself."""
    return _of_loop(what_if, loop, alone=False)


def _of_loop(what_if: WhatIf, loop: int, *, alone: bool) -> list[Lever]:
    """The shift register, with the copies that pay most; `alone`: without copies, where none pay."""
    here = [i for i in range(len(what_if.units)) if what_if.loops(i)[-1:] == (loop,)]
    spare, held = list[int](), dict[str, int | None]()
    for pointer in dict.fromkeys(map(what_if.pointer, here)):
        own = sorted((i for i in here if what_if.pointer(i) == pointer), key=lambda i: what_if.units[i].width_bytes)
        accesses = _neighbours(what_if, pointer, loop) if len(own) > 1 else []
        elements = _elements(what_if, accesses) if accesses else None
        bytes_ = (elements or 0) * accesses[0].element_bytes if accesses else 0
        if accesses and bytes_ <= what_if.ram.free_bytes:
            spare += own[1:]
            held[pointer] = elements
    if not spare:
        return []
    first_s = _after(what_if, loop, here, spare, 1) if alone else what_if.total_s
    copies, after_s = 1, first_s
    for factor in _factors(what_if, loop, here, spare):
        tried = _after(what_if, loop, here, spare, factor)
        if tried >= after_s * (1 - WORTH_REPORTING):
            break
        copies, after_s = factor, tried
    if after_s > (1 - WORTH_REPORTING) * what_if.total_s:
        return []
    (pointer, elements), *others = held.items()
    if copies == 1 and not others:
        return [Lever(change=SlidingWindow(pointer=pointer, elements=elements), after_s=after_s)]
    return [Lever(change=WindowAndCopies(pointers=tuple(held), copies=copies), after_s=after_s)]


def _factors(what_if: WhatIf, loop: int, here: Sequence[int], spare: Sequence[int]) -> list[int]:
    """By how much more a loop may be unrolled whose requests then grow wider."""
    own = what_if.assembly.facts.loops[loop]
    apart = any(what_if.units[i].stride > IN_ORDER for i in here if i not in spare)
    if own.recurrences or own.unroll is not None or apart:
        return []
    return [n for n in whole_factors(what_if, loop) if n <= what_if.room]


def _after(what_if: WhatIf, loop: int, here: Sequence[int], spare: Sequence[int], factor: int) -> float:
    """The time in seconds without the spare units, and with so many times the copies of the loop's body."""
    units = {i: what_if.units[i] for i in here}
    changed = {
        i: unit.model_copy(
            update={"bytes": 0.0}
            if i in spare
            else {"width_bytes": unit.width_bytes * factor, "lanes": unit.lanes * factor}
        )
        for i, unit in units.items()
    }
    copies: Mapping[int, int] = {**what_if.copies, loop: what_if.copies.get(loop, 1) * factor}
    return what_if.after_s(changed, copies if factor > 1 else None)


def _neighbours(what_if: WhatIf, pointer: str, loop: int) -> list[Access]:
    """The accesses of a buffer where a loop loads several neighbours of one element and moves on by one.

    None where anything stores there, or it is touched elsewhere.
    """
    facts = what_if.assembly.facts
    every = [a for a in facts.accesses if a.pointer == pointer]
    counter = facts.loops[loop].counter
    places = {a.id: places_of(facts, a) for a in every}
    moves = all(places[a.id] and all(_step(p, counter) == a.element_bytes for p in places[a.id]) for a in every)
    loads = all(a.op == "load" and a.loops[-1:] == (loop,) for a in every)
    return every if moves and loads and len({p for own in places.values() for p in own}) > 1 else []


def _step(place: Polynomial, counter: str) -> int | None:
    step = place.coefficient(counter)
    return step.constant if step is not None else None


def _elements(what_if: WhatIf, accesses: Sequence[Access]) -> int | None:
    """How many elements lie from the first neighbour to the last; None where something not known decides."""
    places = [place for access in accesses for place in places_of(what_if.assembly.facts, access)]
    try:
        apart = [what_if.assembly.extent.value(place - places[0], {}) for place in places]
    except TooComplexError:
        return None
    known = [distance for distance in apart if distance is not None]
    if len(known) < len(places):
        return None
    return int((max(known) - min(known)) / accesses[0].element_bytes) + 1
