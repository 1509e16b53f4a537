"""δ: how far an access moves from one work-item or iteration to the next."""

from __future__ import annotations

from fractions import Fraction

from burstline_model.compiler.context import Context
from burstline_model.facts import KernelFacts
from burstline_model.lsu import Unfixed
from burstline_model.parallelism.lanes import LANE_KINDS
from burstline_model.polynomial import Polynomial
from burstline_model.walk.issue_order import dimensions_of
from burstline_model.walk.steps import step_along


def stride_of(context: Context) -> tuple[int | None, Unfixed | Polynomial | None]:
    """δ in whole requests' worth of data (0: the same address again), or what there is in its place.

    Between neighbouring work-items of a group in its own shape, or iterations of the innermost rolled loop in a single
    work-item kernel (of the innermost unrolled one where nothing is rolled), M21 Table 2. A start that is data counts
    no more than any other, and neither do borders, small windows and places that are skipped now and then.
    """
    access = context.access
    if access.offset is None:
        return None, "data" if context.kinds & {"loaded"} else "unknown"
    step = one_step(context) if "loaded" not in context.kinds else None
    value = step.constant if step is not None else _looked_at(context)
    if value is None:
        return None, step if step is not None else "data" if "loaded" in context.kinds else "irregular"
    group = context.group
    # A work-item needs what all copies of its unrolled loops move, an iteration the share of one copy.
    steps = group.lanes if context.single_work_item else min(context.facts.simd, group.lanes)
    per_step = Fraction(group.useful_bytes, max(steps, 1)) if not group.scattered else Fraction(access.element_bytes)
    if value == 0:
        return 0, None
    return max(1, round(abs(value) / max(per_step, Fraction(1)))), None


def one_step(context: Context) -> Polynomial | None:
    """The bytes from one work-item or iteration to the next; None when that is not one amount."""
    offset = context.access.offset
    if offset is None:
        return None
    facts = context.facts
    if context.single_work_item:
        around = context.rolled or tuple(facts.loops[i] for i in context.access.loops)
        names = [around[-1].counter] if around else []
        lanes = [facts.loops[i].counter for i in context.access.loops if context.copies.get(i, 1) > 1]
        names = lanes[-1:] or names
    else:
        own = fast_dimension(facts)
        names = [n for n, s in facts.symbols.items() if s.kind in LANE_KINDS and s.dimension == own]
    around_it = {facts.symbols[n].loop for n in names if n in facts.symbols}
    total = Polynomial()
    for symbol in (facts.symbols[s] for s in offset.symbols if s in facts.symbols):
        if symbol.kind == "carried":
            if symbol.loop not in around_it:
                continue  # it changes in an outer loop only
            share = offset.coefficient(symbol.name)
            if symbol.step is None or share is None:
                return None
            total = total + share * symbol.step
        elif any(n in symbol.depends_on for n in names):
            return None
    for name in names:
        step = offset.coefficient(name)
        if step is None:
            return None
        total = total + step
    return total


def fast_dimension(facts: KernelFacts) -> int:
    """The dimension along which the items of a group follow each other: the first that has more than one."""
    return next((d for d, size in enumerate(facts.work_group_size or ()) if size > 1), 0)


def _looked_at(context: Context) -> int | None:
    """The step where the address is not affine, at a few places of the iteration space; None where it is not one."""
    access = context.access
    sampler = context.unlaunched.sampler
    every = dimensions_of(sampler.extent, access.loops)
    kinds = {"loop"} if context.single_work_item else {"local", "group"}
    own = next((d for d in every if d.kind in kinds), None)
    if own is None:
        return None
    step = step_along(sampler, access.offset, access.element_bytes, own, every)
    match step.kind:
        case "anywhere":
            return None
        case "window" | "advances":
            return access.element_bytes
        case _:
            return round(step.bytes / own.lanes)
