"""From facts to load/store units: coalesce accesses, then let the rules decide each group's kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from burstline_model.compiler.context import Context, Unlaunched
from burstline_model.compiler.control_builtins import hinted, least_bits
from burstline_model.compiler.forward import joined_arms, last_stores, served_by_others
from burstline_model.compiler.groups import Group, groups_of, is_invariant, pairs_of_arms
from burstline_model.compiler.lsu_rules.loads import range_bytes
from burstline_model.compiler.lsu_rules.rule import first_reason
from burstline_model.compiler.lsu_rules.rulebook import RULEBOOK, UNREFUTED, Rulebook
from burstline_model.compiler.paper_table import paper_units
from burstline_model.compiler.program_order import Order
from burstline_model.compiler.rule_names import (
    ANY_ARM,
    ANY_ARM_EARLY,
    CHOSEN_STORE,
    LAST_STORES,
    OF_STYLES,
    PAIRED_LOADS,
)
from burstline_model.compiler.stride import fast_dimension, stride_of
from burstline_model.facts import Access, KernelFacts
from burstline_model.lsu import Confidence, Lsu, NotAligned, OneAtATime, Reason, Style, Width
from burstline_model.parallelism.loop_copies import effective_unroll
from burstline_model.target import Target

_STYLES: dict[str, Style] = {
    "simple": "Simple",
    "streaming": "Streaming",
    "semi-streaming": "Semi-streaming",
    "prefetching": "Prefetching",
}
_BURST: dict[tuple[bool, bool, bool], Style] = {
    (False, False, False): "Burst-coalesced",
    (True, False, False): "Burst-coalesced non-aligned",
    (False, True, False): "Burst-coalesced cached",
    (True, True, False): "Burst-coalesced non-aligned cached",
    (False, False, True): "Burst-coalesced write-ack",
    (True, False, True): "Burst-coalesced write-ack non-aligned",
}
ONE_CONDITION_SINCE = (16, 0, 0)
"""From this version on, up to 16.x, neighbours under different conditions are kept apart."""
HOISTED_UNTIL = (17, 0, 0)
"""Compilers before this version fetch invariant loads before everything else."""
MOST_BYTES_KNOWN = 128
"""The widest vector; wider structures are copied in parts that reports of one repository alone show."""
MANY_ACCESSES = 32
"""A kernel of so many accesses to global memory has no sure unit: what merges depends on all of them (two reports)."""
CACHE_WORDS = 1024
"""Words of a private cache (vendor reports: 512 kbit on 512-bit memories, 256 kbit on HBM2)."""
CACHE_BYTES_LEAST = 8192
"""A private cache on Cyclone V, and the smallest of a semi-streaming unit (vendor reports: 64 kbit)."""


def infer(
    facts: KernelFacts, target: Target, rulebook: Rulebook = RULEBOOK, *, seconds: bool = True
) -> tuple[Lsu, ...]:
    """The load/store units of a kernel, in program order of the accesses they are at.

    `seconds`: with the second best style of each, which costs nothing but says how sure the first is.
    """
    served = served_accesses(facts, target, rulebook)
    own = [a for a in facts.accesses if a.id not in served]
    units = units_of(facts, own, target, effective_unroll(facts), rulebook, seconds=seconds)
    return tuple(sorted(with_served(units, served), key=lambda u: u.members[0]))


def strides_launched(facts: KernelFacts, target: Target, group: tuple[int, ...] | None) -> dict[tuple[int, ...], Lsu]:
    """The units by their members, with δ in the order in which groups of a launch's shape issue their items.

    Nothing where the order is that of the text: a size that only the launch gives is not known while units are built.
    """
    shape = (*(group or ()), 1, 1, 1)[:3]
    shaped = facts.model_copy(update={"work_group_size": shape})
    if facts.model != "ndrange" or group is None or fast_dimension(shaped) == fast_dimension(facts):
        return {}
    return {unit.members: unit for unit in infer(shaped, target)}


def served_accesses(facts: KernelFacts, target: Target, rulebook: Rulebook = RULEBOOK) -> dict[int, int]:
    """Accesses without a unit of their own, each with the access whose unit serves it."""
    switches = rulebook.switched_on(target)
    any_arm = ANY_ARM in switches or ANY_ARM_EARLY in switches
    served = joined_arms(facts, ends_only=target.paper_rules or not any_arm, ifs_only=hoists(target))
    if LAST_STORES in switches and not target.paper_rules:
        served |= last_stores(facts, served)
    if PAIRED_LOADS in switches and not target.paper_rules:
        served |= pairs_of_arms(facts, Order(facts), hoist=hoists(target))
    if not target.paper_rules:
        served |= served_by_others(facts, chosen=CHOSEN_STORE in switches)
    return _ends(served)


def _ends(served: Mapping[int, int]) -> dict[int, int]:
    """Each access with the one at the end of the chain of those that serve each other."""
    ends: dict[int, int] = {}
    for access in served:
        chain: dict[int, None] = {}
        at = access
        while at in served and at not in ends and at not in chain:
            chain[at] = None
            at = served[at]
        ends |= dict.fromkeys(chain, ends.get(at, at))
    return ends


def units_of(
    facts: KernelFacts,
    among: Sequence[Access],
    target: Target,
    copies: Mapping[int, int],
    rulebook: Rulebook = RULEBOOK,
    *,
    seconds: bool = True,
) -> list[Lsu]:
    """The units of accesses that share none with any others (see `apart`); `seconds` as in `infer`."""
    units: list[Lsu] = []
    order, unlaunched, switches = Order(facts), Unlaunched(facts, copies), rulebook.switched_on(target)
    for space in ("global", "constant", "local"):
        accesses = [a for a in among if a.space == space]
        if not accesses:
            continue
        if target.paper_rules:
            units += paper_units(facts, accesses, copies, order)
            continue
        # Arguments in constant memory are merged as those in global memory are; tables of the file lie on the chip.
        merged = [a for a in accesses if space == "global" or (space == "constant" and facts.argument(a.pointer))]
        alone = {a.id for a in accesses} - {a.id for a in merged}
        units += [on_chip(facts, a, target, copies) for a in accesses if a.id in alone]
        for group in groups_of(
            facts, merged, copies, order,
            hoist=hoists(target), one_condition=_one_condition(target), switches=switches,
        ):  # fmt: skip
            if space == "constant":
                units.append(_constant(facts, group, target))
                continue
            context = Context(facts, group, target, copies, order, unlaunched, switches)
            units += _global(context, rulebook, seconds=seconds)
    return units


def hoists(target: Target) -> bool:
    """Whether the compiler fetches invariant loads before everything else."""
    return target.aoc_version < HOISTED_UNTIL and not target.paper_rules


def _one_condition(target: Target) -> bool:
    """Whether neighbours share a unit under one condition alone: so 16.1 in the reports of two repositories."""
    return ONE_CONDITION_SINCE <= target.aoc_version < HOISTED_UNTIL and not target.paper_rules


def with_served(units: list[Lsu], served: Mapping[int, int]) -> list[Lsu]:
    """The units, each with the accesses that it serves without a request of their own."""
    more: dict[int, list[int]] = {}
    for access, by in served.items():
        more.setdefault(by, []).append(access)
    if not more:
        return units
    return [replace(u, members=(*u.members, *(a for m in u.members for a in more.get(m, ())))) for u in units]


def _global(context: Context, rulebook: Rulebook, *, seconds: bool) -> list[Lsu]:
    group = context.group
    if context.access.op == "atomic":
        return [_atomic(context)]
    reasons: list[Reason] = [_width(context)]
    if (forced := hinted(context)) is not None:
        return [_lsu(context, forced[0], [*reasons, forced[1]], group.units)]
    style, why = styled(context, rulebook)
    runner_up = _runner_up(context, style, rulebook) if seconds else None
    reasons += why
    if _keeps_lanes_in_order(context, style, rulebook):
        # Lanes of one store that may hit the same place keep their order: all but the last one wait.
        waits = Reason(rule="write-ack", why="lanes_may_collide")
        return [
            _lsu(context, "Burst-coalesced write-ack", [*reasons, waits], group.units - 1, runner_up),
            _lsu(context, style, reasons, 1, runner_up),
        ]
    return [_lsu(context, style, reasons, group.units, runner_up)]


def styled(context: Context, rulebook: Rulebook) -> tuple[Style, list[Reason]]:
    """The style that the rules give a group of loads or stores, and why."""
    is_load, aligned = context.access.op == "load", context.group.aligned
    own = first_reason(rulebook.loads if is_load else rulebook.stores, context)
    if own is not None:
        return _STYLES[own[0].name], [own[1]]
    reasons = [] if aligned else [_not_aligned(context)]
    modified = first_reason(rulebook.caches if is_load else rulebook.write_ack, context)
    if modified is not None:
        reasons.append(modified[1])
    return _BURST[not aligned, modified is not None and is_load, modified is not None and not is_load], reasons


def _keeps_lanes_in_order(context: Context, style: Style, rulebook: Rulebook) -> bool:
    group = context.group
    scattered = context.access.op == "store" and group.scattered and context.facts.simd > 1 and group.units > 1
    known = any(rule.holds_for(context.target) for rule in rulebook.write_ack)
    return scattered and known and "write-ack" not in style and style in _BURST.values()


def _runner_up(context: Context, style: Style, rulebook: Rulebook) -> Style | None:
    """The style if rules that one repository alone shows held, or did not; or if an unknown start were a multiple."""
    for other in (UNREFUTED, rulebook.seen_twice):
        found = styled(_seen_by(context, other), other)[0]
        if found != style:
            return found
    group = context.group
    if group.merged and context.kinds & _HIDDEN:
        return styled(replace(context, group=replace(group, aligned=not group.aligned)), rulebook)[0]
    return None


def _seen_by(context: Context, rulebook: Rulebook) -> Context:
    """The same group, with the rules in the code that are in force in other tables."""
    switches = OF_STYLES.intersection(rulebook.switched_on(context.target))
    return context if switches == OF_STYLES.intersection(context.switches) else replace(context, switches=switches)


_HIDDEN = {"carried", "opaque", "loaded"}
"""Kinds of values whose divisors the text seldom shows."""


def _lsu(context: Context, style: Style, reasons: list[Reason], count: int, runner_up: Style | None = None) -> Lsu:
    group, access = context.group, context.access
    stride, unfixed = stride_of(context)
    share = group.useful_bytes // max(group.lanes, 1) if not group.scattered else access.element_bytes
    return Lsu(
        members=tuple(m.id for m in group.members),
        op=access.op,
        space="global",
        style=style,
        width_bits=max(group.width_bytes * 8, least_bits(context)),
        count=count,
        lanes=group.lanes,
        useful_bytes=max(share * count // max(group.units, 1), 1),
        stride=stride,
        unfixed=unfixed,
        confidence=_confidence(context, style, count, runner_up),
        reasons=tuple(reasons),
        runner_up=runner_up,
        cache_bytes=_cache_bytes(context, style),
    )


def _cache_bytes(context: Context, style: Style) -> int | None:
    """What a unit keeps on the chip of what it has read: a semi-streaming one all that may be read."""
    if style == "Semi-streaming":
        return max(1 << ((range_bytes(context) or 1) - 1).bit_length(), CACHE_BYTES_LEAST)
    if "cached" not in style:
        return None
    usual = CACHE_BYTES_LEAST if context.target.family == "Cyclone V" else CACHE_WORDS * context.target.word_bytes
    return context.access.cache_bytes or usual


def _confidence(context: Context, style: Style, count: int, runner_up: Style | None) -> Confidence:
    """How often such units are right in reports that nobody had looked at: `docs/accuracy.md` has the shares.

    Below high: compilers up to 16.x, addresses from memory, accesses under several conditions, structures that no
    vector is as wide as, kernels of many accesses, and close calls. Low: wide units that start where a counter of the
    kernel's own says; up to 16.x, copies of an unrolled loop and every style but that of a plain request; copies that
    are taken to have a unit each where the text does not show it (`_apart_unseen`).
    """
    group, early = context.group, context.target.aoc_version < HOISTED_UNTIL
    if context.access.offset is None or (group.merged and group.aligned and context.rolled and context.kinds & _HIDDEN):
        return "low"
    if early and (style not in _PLAIN or group.lanes > max(context.facts.simd, 1)):
        return "low"
    if count > 1 and context.rolled and _apart_unseen(context, style):
        return "low"
    conditions = {tuple(g.text for g in m.guards) for m in context.group.members}
    every = context.facts.accesses
    crowded = len(every) >= MANY_ACCESSES <= sum([a.space == "global" for a in every])
    wide = context.access.element_bytes > MOST_BYTES_KNOWN
    close = early or wide or crowded or len(conditions) > 1 or runner_up is not None
    return "medium" if context.indirect or close else "high"


def _apart_unseen(context: Context, style: Style) -> bool:
    """Whether copies of an access in a loop have units of their own by what the text does not show.

    Loads at a counter of the kernel's own may be neighbours: reports of two repositories list one wide unit where
    copies were taken to be apart. Stores that later iterations follow may wait, where compilers let stores wait: those
    of two others list one of six as it was said.
    """
    if context.access.op == "load":
        return "carried" in context.kinds
    waits = any(rule.holds_for(context.target) for rule in RULEBOOK.write_ack)
    return waits and "write-ack" not in style and context.facts.simd == 1


_PLAIN: frozenset[Style] = frozenset({"Burst-coalesced", "Simple", "Streaming", "Pipelined"})


def _width(context: Context) -> Reason:
    access, group = context.access, context.group
    width = Width(
        units=group.units,
        width_bits=group.width_bytes * 8,
        type=access.type,
        element_bytes=access.element_bytes,
        simd=context.facts.simd,
        copies=tuple(
            (context.facts.loops[i].variable or "", context.copies[i])
            for i in access.loops
            if context.copies.get(i, 1) > 1
        ),
        accesses=len(group.members),
    )
    return Reason(rule="width", why=width)


def _not_aligned(context: Context) -> Reason:
    group = context.group
    return Reason(rule="non-aligned", why=NotAligned(start_bytes=group.start_multiple, width_bytes=group.width_bytes))


def _atomic(context: Context) -> Lsu:
    access = context.access
    reason = Reason(rule="atomic", why=OneAtATime(operation=access.atomic or ""))
    stride, unfixed = stride_of(context)
    return Lsu(
        members=(access.id,), op="atomic", space="global", style="Atomic-pipelined",
        width_bits=max(access.element_bytes, 1) * 8, count=max(context.group.lanes, 1), lanes=context.group.lanes,
        useful_bytes=max(access.element_bytes, 1), stride=stride, unfixed=unfixed,
        confidence="high", reasons=(reason,),
    )  # fmt: skip


def _constant(facts: KernelFacts, group: Group, target: Target) -> Lsu:
    """The unit of accesses to a ``__constant`` argument, in front of the cache that all such arguments share.

    The guide calls it constant-pipelined; reports list it as pipelined, and up to 16.x as simple where no work-item and
    no iteration changes the place.
    """
    access = group.members[0]
    fixed = hoists(target) and is_invariant(facts, access)
    return Lsu(
        members=tuple(m.id for m in group.members), op=access.op, space="constant",
        style="Simple" if fixed else "Pipelined", width_bits=group.width_bytes * 8, count=group.units,
        lanes=group.lanes, useful_bytes=max(group.useful_bytes // max(group.lanes, 1), 1), stride=None, unfixed=None,
        confidence="medium", reasons=(Reason(rule="constant", why="constant_cache"),),
    )  # fmt: skip


def on_chip(facts: KernelFacts, access: Access, target: Target, copies: Mapping[int, int]) -> Lsu:
    """The unit of an access to local memory or to a constant table."""
    lanes = 1
    for i in access.loops:
        lanes *= copies.get(i, 1)
    lanes *= facts.simd
    if access.op == "atomic":
        style: Style = "Atomic-pipelined"
        reason = Reason(rule="local", why="atomic_on_chip")
    else:
        style = "Pipelined never-stall" if target.aoc_version >= (18, 1, 0) else "Pipelined"
        reason = Reason(rule="local", why="on_chip")
    return Lsu(
        members=(access.id,), op=access.op, space="constant" if access.space == "constant" else "local",
        style=style, width_bits=max(access.element_bytes, 1) * 8, count=lanes, lanes=lanes,
        useful_bytes=max(access.element_bytes, 1), stride=None, unfixed=None, confidence="medium", reasons=(reason,),
    )  # fmt: skip
