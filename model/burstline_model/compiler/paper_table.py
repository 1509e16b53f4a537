"""The classification of the papers' own Table 1 (M20 Table I, M21 Table 1), for the faithful mode.

Where the compiler's reports differ (no write-ack on loads, none at all from 19.3 on, single elements never
non-aligned), the table is followed all the same: the published numbers were computed from it. One access has one unit,
as in the experiments with strides up to 8 (M21, Figs. 6 and 9), as long as lanes touch neighbouring memory words;
compilers from 19.4 on make separate units from a stride of 6 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from burstline_model.compiler.context import Context, Unlaunched
from burstline_model.compiler.groups import groups_of
from burstline_model.compiler.program_order import Order
from burstline_model.compiler.rule_names import STREAMS_APART
from burstline_model.compiler.stride import stride_of
from burstline_model.facts import Access, KernelFacts, Symbol
from burstline_model.lsu import Lsu, Reason, Style, Why
from burstline_model.target import Target

OnChip = Literal["constant", "local"]
_ANY_TARGET = Target(family="Stratix 10", aoc_version=(18, 1, 0), paper_rules=True)


def paper_units(facts: KernelFacts, accesses: list[Access], copies: Mapping[int, int], order: Order) -> list[Lsu]:
    """The units of Table 1 for accesses of one space."""
    units, unlaunched = [], Unlaunched(facts, copies)
    for group in groups_of(
        facts, accesses, copies, order, in_order=False, lane_gap_bytes=_WORD_BYTES, switches=(STREAMS_APART,)
    ):
        context = Context(facts, group, _ANY_TARGET, copies, order, unlaunched)
        style, why = _classified(context)
        stride, unfixed = stride_of(context)
        scalar = max(context.access.element_bytes, 1)
        separate = style in {"Burst-coalesced write-ack", "Atomic-pipelined"}
        per_execution = sum({m.offset: m.element_bytes for m in group.members}.values()) or scalar
        space: OnChip = "constant" if context.access.space == "constant" else "local"
        units.append(
            Lsu(
                members=tuple(m.id for m in group.members),
                op=context.access.op,
                space="global" if context.access.space == "global" else space,
                style=style,
                width_bits=(scalar if separate else group.width_bytes) * 8,
                count=(group.lanes if separate else group.units),
                lanes=group.lanes,
                useful_bytes=per_execution,
                stride=1 if separate else stride,
                unfixed=None if separate else unfixed,
                confidence="low" if context.access.offset is None else "high",
                reasons=(Reason(rule="Table 1", why=why),),
            )
        )
    return units


def _classified(context: Context) -> tuple[Style, Why]:
    access = context.access
    if access.op == "atomic":
        return "Atomic-pipelined", "own_atomic"
    if access.space == "constant":
        return "Constant-pipelined", "paper_constant"
    if access.space == "local":
        if access.op == "store":
            return "Pipelined never-stall", "local_store"
        return "Pipelined", "local_request"
    if _depends_on_data(context):
        return "Burst-coalesced write-ack", "ordered_by_data"
    if _repeated(context):
        return "Burst-coalesced cached", "range_read_again"
    if not _page_aligned(context):
        return "Burst-coalesced non-aligned", "off_the_page"
    return "Burst-coalesced", "contiguous"


def _depends_on_data(context: Context) -> bool:
    """Whether the address comes from memory or a table, or changes by no fixed amount."""
    known = (context.facts.symbols[s] for s in context.symbols if s in context.facts.symbols)
    return context.access.offset is None or any(_is_data(s) for s in known)


def _is_data(symbol: Symbol) -> bool:
    """A counter that starts over now and then still has a step; what integer operations make is computed."""
    match symbol.kind:
        case "loaded":
            return True
        case "carried":
            return symbol.step is None
        case "opaque":
            return symbol.operation is None and bool(symbol.depends_on)
        case _:
            return False


def _repeated(context: Context) -> bool:
    """Whether an inner loop walks a range that the work-item's id or an outer counter does not move."""
    if context.access.op != "load" or not context.counters:
        return False
    if context.single_work_item:
        return any(loop.counter not in context.symbols for loop in context.rolled[:-1])
    return not context.kinds & {"global_id", "local_id", "group_id"}


def _page_aligned(context: Context) -> bool:
    """Whether the index is contiguous or has a power-of-two step, and starts on a memory word.

    An offset that is only known at run time is the way the papers' own kernels force a non-aligned unit.
    """
    base, size = context.group.base, max(context.access.scalar_bytes, 1)
    if base is None or base.offset % _WORD_BYTES:
        return False
    for monomial, coefficient in base.terms:
        step = abs(coefficient) // size
        kinds = {context.facts.symbols[s].kind for s in monomial if s in context.facts.symbols}
        if kinds - _COUNTING and coefficient % _WORD_BYTES:
            return False
        if monomial and step & (step - 1):
            return False
    return True


_WORD_BYTES = 64
_COUNTING = {"global_id", "local_id", "group_id", "loop", "carried"}
