"""Whether the iterations of a loop stay in order: all run each loop inside equally often, or channels keep it."""

from __future__ import annotations

from collections.abc import Mapping

from burstline_model.facts import KernelFacts, Loop
from burstline_model.parallelism.loop_copies import fully_unrolled
from burstline_model.pipeline.dependence import loops_inside
from burstline_model.pipeline.ends import deciding
from burstline_model.pipeline.waits import InnerTripsVary

STORES_ALONE_SINCE = (18, 0, 0)
"""From this version on, loops that only read, and that no loaded value ends, may run differently often.

Reports up to 17.1 list loops that load global memory and store none; of 18 nothing is known. With 19.4 a loop over
nodes whose neighbours are summed up runs in 72 cycles a node (PR in Table 2 of the feed-forward paper: 8.43 s, for 20
times 1.58 million nodes), fewer than its three loads in a row take. Where loops inside store, or a loaded value ends
them, 19.4 reports them (pc2/hpcc_fpga_eval, leifu00/FPGA-acceleration-of-epidemic-simulation).
"""

EVERY_CYCLE_SINCE = (16, 1, 0)
"""From this version on, a loop around another may begin an iteration in each cycle.

Compiled kernels of 15.0, 15.1 and 16.0 list an interval of 2 for each loop around one that stays: 15 on Stratix V
(arshansh/slambench), two on Cyclone V (maony/cnn-soc, mariano2AA3/tfm-de1soc-opencl-cluster). Reports of 16.1 list 1
for most of the same kernels.
"""


def least_around_others(version: tuple[int, ...]) -> int:
    """The least interval of a loop with another one in it, in cycles."""
    return 1 if version >= EVERY_CYCLE_SINCE else 2


def varying_inner(facts: KernelFacts, loop: Loop, version: tuple[int, ...]) -> list[Loop]:
    """The loops inside `loop` that keep it from being pipelined: they run differently often in its iterations.

    A short run could overtake a long one (the vendor's Best Practices Guide, "Nested Loops", 18.1 to 22.4; reports of
    16.1 to 19.4 of OxfordSKA/FPGA_Gridding, vkhristenko/test-regression, esa-tu-darmstadt/AutoDock-Aurora and
    pc2/hpcc_fpga_eval: "Out-of-order inner loop"). Loops with channels keep their order, and those around them are
    pipelined (reports of IntelLabs/t2sp, someoneinjd/t2sp, OxfordSKA/FPGA_Gridding and
    fingersnail/fccm-ttm-experiments-vlab).
    """
    left = [i for i in loops_inside(facts, loop) if i.kind != "copy" and runs_vary(facts, i, loop)]
    if version >= STORES_ALONE_SINCE:
        stored = {i for a in facts.accesses if a.op != "load" for i in a.loops}
        left = [i for i in left if i.id in stored or deciding(facts, i)]
    return left


def overtaken(
    facts: KernelFacts, loop: Loop, version: tuple[int, ...], copies: Mapping[int, int], into: Mapping[int, int]
) -> InnerTripsVary | None:
    """That loops inside let iterations of `loop` overtake each other; `into`: loops coalesced into others."""
    own = into.get(loop.id, loop.id)
    left = [i for i in varying_inner(facts, loop, version) if not fully_unrolled(i, copies) and into.get(i.id) != own]
    if not left:
        return None
    name = left[0].variable or ""
    if not any(_by_data(facts, inner) for inner in left):
        return InnerTripsVary(loop=name)
    next_in = [i for i in facts.loops if i.parent == loop.id and not fully_unrolled(i, copies)]
    chosen = any(g.loaded and g not in loop.guards for inner in left for g in inner.guards)
    return InnerTripsVary(loop=name, by="several" if chosen or len(next_in) > 1 else "data")


def _by_data(facts: KernelFacts, inner: Loop) -> bool:
    """Whether values from memory, or from a channel, decide how often a loop runs."""
    if inner.trip is None:
        return bool(inner.ends_by)
    own = [s for name in inner.trip.symbols if (s := facts.symbols.get(name)) is not None]
    every = [*own, *(s for one in own for n in one.depends_on if (s := facts.symbols.get(n)) is not None)]
    return any(s.kind == "loaded" for s in every)


def runs_vary(facts: KernelFacts, inner: Loop, outer: Loop) -> bool:
    """Whether a loop may run another number of times in another iteration of one around it."""
    if any(inner.id in operation.loops for operation in facts.channels):
        return False
    if inner.early_exit or inner.trip is None:
        return True
    return any(_changes(facts, name, outer) for name in inner.trip.symbols)


def _changes(facts: KernelFacts, name: str, loop: Loop) -> bool:
    """Whether a symbol may have another value in another iteration of a loop."""
    symbol = facts.symbols.get(name)
    for one in (name, *(symbol.depends_on if symbol is not None else ())):
        found = facts.symbols.get(one)
        if found is None:
            continue
        if found.loop == loop.id:
            return True
        if found.loaded_from is not None and loop.id in facts.accesses[found.loaded_from].loops:
            return True
    return False
