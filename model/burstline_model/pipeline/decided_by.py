"""Which loops' copies decide the initiation interval of a loop."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_model.facts import KernelFacts, Loop
from burstline_model.pipeline.dependence import Dependence, is_inside, loops_inside
from burstline_model.pipeline.ordering import varying_inner


def decided_by(facts: KernelFacts, loop: Loop, carried: Sequence[Dependence]) -> frozenset[int]:
    """The loops whose copies decide the interval of `loop`, which has these dependences."""
    if any(other.coalesce is not None for other in facts.loops) or _waits_for_units(loop, carried):
        return frozenset(other.id for other in facts.loops)
    through = {i for one in loop.recurrences for step in one.steps for i in step.loops}
    through |= {i for a in facts.private_accesses if loop.id in a.loops and loop.recurrences for i in a.loops}
    if any(loop.id in a.loops and a.pointer in loop.carries for a in facts.private_accesses):
        through |= {inner.id for inner in loops_inside(facts, loop)}
    # Whether runs of a loop interleave is a matter of the loops around it.
    top = (*facts.loops_around(loop.id), loop.id)[0]
    around = {o.id for o in facts.loops if loop.recurrences and top in (*facts.loops_around(o.id), o.id)}
    for one in carried:
        through |= {*facts.accesses[one.store].loops, *facts.accesses[one.load].loops}
        through |= {i for step in one.steps or () for i in step.loops}
    through |= {inner.id for inner in varying_inner(facts, loop, ())}
    through |= {i for one in facts.channels for i in one.loops}
    return frozenset({loop.id} | around | {i for i in through if is_inside(facts, facts.loops[i], loop)})


def _waits_for_units(loop: Loop, carried: Sequence[Dependence]) -> bool:
    """Whether an iteration waits for global memory, whose way all units of the kernel share, however wide they are."""
    followed = any(step.operation == "global load" for one in loop.recurrences for step in one.steps)
    return followed or bool(loop.ends_by) or any(one.space == "global" for one in carried)
