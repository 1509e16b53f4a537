"""What would move a kernel's time, from what limits it: the change with the largest gain, in words."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.estimate.answer import Lever, Limit, LoopEstimate, Observation, Term, UnitEstimate
from burstline_model.estimate.observations import WORTH_REPORTING, WhatIf, unrolled
from burstline_model.facts import Access, KernelFacts
from burstline_model.parallelism.unroll import constant_trips
from burstline_model.pipeline.dependence import Dependence

RESTRICT = "restrict on the pointers", ", if they never reach the same buffer"


def levers_of(
    what_if: WhatIf, units: Sequence[UnitEstimate], loops: Sequence[LoopEstimate], limit: Limit, cause: Term | None
) -> tuple[Lever, ...]:
    """What to do, the most useful first. `units` are those on the external memory."""
    facts = what_if.assembly.facts
    found = [_waiting(what_if, one) for one in loops if one.gain >= WORTH_REPORTING]
    found += [lever for lever in (_followed(what_if, i) for i in range(len(loops))) if lever is not None]
    if limit == "work_items":
        found.append(_said("launch more work-items", ", or write a single work-item kernel with a loop"))
    found += [lever for lever in (_again(what_if, u) for u in units) if lever is not None]
    seen: dict[tuple[int, str], Observation] = {}
    for unit in units:
        for one in unit.observations:
            seen.setdefault((one.number, one.cause or facts.accesses[unit.lsu.members[0]].pointer), one)
    for one in sorted(seen.values(), key=lambda o: -o.gain):
        found.append(Lever(text=one.text, after_s=one.after_s, action=one.action))
    if limit == "pipeline" and cause is not None and cause.loop is not None:
        copies, after = unrolled(what_if, cause.loop)
        if copies > 1:
            how = f"unroll the loop by {copies}"
            found.append(Lever(text=how, after_s=after, loop=cause.loop, copies=copies, action=how))
    elif limit == "pipeline" and not seen:
        found.append(_said("more work in each cycle", ": SIMD, unrolling, more compute units"))
    if not found and limit == "memory":
        found.append(Lever(text="every word that is fetched is used: move less data", action="move less data"))
    return tuple(dict.fromkeys(found))


def _said(action: str, more: str = "") -> Lever:
    """A lever without a time after it: its action, and what else there is to say."""
    return Lever(text=action + more, action=action)


def _waiting(what_if: WhatIf, one: LoopEstimate) -> Lever:
    """What lets the iterations of a loop start without waiting."""
    dependence = what_if.pace[one.loop].dependence
    said = _for(what_if.assembly.facts, dependence) if dependence is not None else (
        "several partial results in turn", " (a shift register over the latency), put together after the loop"
    )  # fmt: skip
    return Lever(text="".join(said), after_s=one.after_s, loop=one.loop, action=said[0])


def _followed(what_if: WhatIf, loop: int) -> Lever | None:
    """What helps where each address is loaded from where the one before led to."""
    one = what_if.pace[loop].recurrence
    if one is None or all(s.operation != "global load" for s in one.steps):
        return None
    return _said("copy what is followed to local memory", ", if it fits: each load waits for the one before")


def _for(facts: KernelFacts, one: Dependence) -> tuple[str, str]:
    """What to do about a dependence through memory, and the rest of the sentence."""
    store, load = facts.accesses[one.store], facts.accesses[one.load]
    if store.pointer != load.pointer:
        return RESTRICT
    if one.why == "data-dependent" and one.space == "global":
        return f"a private copy of {store.pointer} in local memory", " (histogram), written out once after the loop"
    if one.why == "data-dependent":
        return f"keep the last elements of {store.pointer} in registers", ", or several copies of it in turn"
    element = f"{store.pointer}[{store.index}]"
    return f"hand {element} on in a private variable", ", or in a shift register over the distance"


def _again(what_if: WhatIf, unit: UnitEstimate) -> Lever | None:
    """What keeps a load from fetching the same elements again: a window, a tile, another order of loops."""
    facts, access = what_if.assembly.facts, what_if.assembly.facts.accesses[unit.lsu.members[0]]
    share = (unit.time_s or 0.0) / what_if.total_s if what_if.total_s else 0.0
    if unit.lsu.op != "load" or access.offset is None or access.hint or share < WORTH_REPORTING:
        return None
    steps = _steps(facts, access)
    if (slides := sliding(facts, access, steps)) is not None:
        if facts.model == "ndrange":
            return _said(f"a tile of {access.pointer} with its border in local memory", ", read by the whole group")
        trips = constant_trips(facts.loops[slides])
        once = f"each element of {access.pointer} is then fetched once"
        if trips is None:
            variable = facts.loops[slides].variable or "that loop"
            constant = f", with a constant trip count over {variable}: {once}"
            return _said("a shift register (sliding window)", constant)
        alone = sum(facts.loops[i].counter in steps for i in access.loops) <= 2
        many = f" of {trips} elements" if alone else ""
        return _said(f"a shift register (sliding window){many}", f": {once}")
    wide = (unit.lsu.stride or 0) >= 2
    if wide and (other := _in_order(facts, access, steps)) is not None:
        return _said(other, f": neighbours in {access.pointer} are then read in order")
    return None


def _steps(facts: KernelFacts, access: Access) -> dict[str, int]:
    """By how many bytes an access moves with each loop counter and work-item id, where that is a constant."""
    found = {}
    for name in access.offset.symbols if access.offset is not None else ():
        symbol = facts.symbols.get(name)
        if symbol is not None and access.offset is not None and symbol.kind in {"loop", "global_id", "local_id"}:
            share = access.offset.coefficient(name)
            if share is not None and share.constant is not None:
                found[name] = share.constant
    return found


def sliding(facts: KernelFacts, access: Access, steps: dict[str, int]) -> int | None:
    """The loop whose iterations read again what another loop or work-item moves over: both step by one element."""
    for i in reversed(access.loops):
        own = steps.get(facts.loops[i].counter)
        others = [s for name, s in steps.items() if name != facts.loops[i].counter]
        if own is not None and abs(own) == access.element_bytes and any(abs(s) == abs(own) for s in others):
            return i
    return None


def _in_order(facts: KernelFacts, access: Access, steps: dict[str, int]) -> str | None:
    """Another order in which the elements of an access lie side by side; None where nothing steps by one element."""
    for name, step in steps.items():
        if abs(step) == access.element_bytes:
            loop = facts.symbols[name].loop
            if facts.model == "ndrange":
                return "a tile in local memory, filled row by row"
            if loop is not None and access.loops and loop != access.loops[-1]:
                inner = facts.loops[access.loops[-1]].variable or "the inner loop"
                return f"interchange the loops over {facts.loops[loop].variable or 'the outer loop'} and {inner}"
    return None
