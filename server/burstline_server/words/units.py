"""Why a unit is what it is, and what it takes."""

from __future__ import annotations

from typing import assert_never

from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.lsu import (
    AskedFor,
    Lsu,
    MayAlias,
    Nested,
    NotAligned,
    OneAtATime,
    OneLoop,
    PlainWhy,
    ReadAgain,
    ReadBy,
    ReportDiffers,
    ReportedKind,
    StepsBy,
    Why,
    Width,
)
from burstline_server.quantities import cost_text, time_text

_AGAIN = "the compiler expects repetition"
_PLAIN: dict[PlainWhy, str] = {
    "hidden_buffer": "printf writes its arguments to a hidden buffer, record after record",
    "lanes_may_collide": "its lanes may write to the same place, so all but the last wait",
    "constant_cache": "read through the constant cache that all __constant arguments share",
    "atomic_on_chip": "an atomic on on-chip memory",
    "on_chip": "on-chip memory: no external traffic",
    "no_fixed_step": f"its address follows no fixed step: {_AGAIN}",
    "address_from_memory": f"its address comes from memory: {_AGAIN}",
    "read_again_with_gaps": "the range is read again by an outer loop, with gaps",
    "range_of_items": "each work-item walks a range that others may walk as well",
    "memory_decides": f"a value from memory decides whether it is read: {_AGAIN}",
    "local_or_group_ids": "its address is built from local or group ids",
    "copied_by_group": "the work-group copies it together",
    "same_for_group": "all work-items of a group read the same place",
    "same_for_all": "the address is the same for every work-item and iteration: one value is fetched for all of them",
    "items_read_in_order": "work-items read consecutive addresses in their order, unconditionally",
    "items_write_in_order": "work-items write consecutive addresses in their order, unconditionally",
    "bounded_range": "its index can only reach a range of known size: all of it is kept",
    "read_anew": "the innermost loop reads the buffer in order, and starts again for each outer iteration",
    "read_from_offset": "work-items read in order from a constant offset on",
    "own_atomic": "an atomic operation has its own unit",
    "paper_constant": "read through the constant cache",
    "local_store": "a local store that no other access waits for",
    "local_request": "local memory accepts each request at once",
    "ordered_by_data": "the index depends on data: its order is kept by acknowledgements",
    "range_read_again": "the same range is read again by every work-item or outer iteration",
    "off_the_page": "its place in the memory page is not a multiple of the request's width",
    "contiguous": "the index is contiguous and aligned",
    "report_agrees": "the compiler's report says the same",
}


def why_text(why: Why) -> str:
    """A reason of a unit in a sentence."""
    match why:
        case str():
            return _PLAIN[why]
        case Width():
            return _width(why)
        case NotAligned():
            return f"only {why.start_bytes} B alignment is proved; the request is {why.width_bytes} B wide"
        case AskedFor():
            return f"{why.builtin} asks for it"
        case OneAtATime():
            return f"{why.operation} reads and writes in one unit, one operation at a time"
        case Nested():
            names = " and ".join(name or "a loop" for name in why.loops)
            return f"{names} around it are not unrolled: the compiler expects the data to be read again"
        case ReadAgain():
            return f"{why.loop or 'an outer loop'} reads the same places again, at fixed strides"
        case OneLoop():
            return f"one loop reads the buffer in order ({why.index or 'pointer'}), nothing stores to it"
        case MayAlias():
            return f"a later {why.op} of {why.place} may alias it"
        case ReportDiffers():
            inferred = kinds_text(why.inferred)
            return f"the compiler's report lists {kind_text(why.listed)} here; inferred was {inferred}"
        case ReadBy():
            return f"{why.by} reads the same requests" if why.same else _other(why)
        case StepsBy():
            return f"its steps are those that {why.by} finds"
        case _:
            assert_never(why)


_UNFIXED = {"data": "data-dependent", "unknown": "not known", "irregular": "not a fixed step"}


def stride_text(lsu: Lsu) -> str:
    """δ of a unit: a number, or what there is in its place; empty on the chip."""
    match lsu.unfixed:
        case None:
            return str(lsu.stride) if lsu.stride is not None else ""
        case str():
            return _UNFIXED[lsu.unfixed]
        case _:
            return f"{lsu.unfixed} B"


def _other(why: ReadBy) -> str:
    """What another reading leaves where units are of another number or width."""
    listed = ", ".join(f"{f'{n} × ' if n > 1 else ''}{bits} bit" for bits, n in why.requests)
    return f"{why.by} leaves {listed or 'no request'} on this line"


def _width(width: Width) -> str:
    """How wide a request is, and what makes it so."""
    parts = [f"{width.type} is {width.element_bytes} B"]
    if width.simd > 1:
        parts.append(f"SIMD {width.simd}")
    parts += [f"{copies} copies of the loop over {loop or '?'}" for loop, copies in width.copies]
    if width.accesses > 1:
        parts.append(f"{width.accesses} accesses share it")
    units = f"{width.units} units of " if width.units > 1 else ""
    return f"{units}{width.width_bits} bit: {', '.join(parts)}"


def kind_text(kind: ReportedKind) -> str:
    """One kind of unit, as a report lists it."""
    style, width_bits, count = kind
    if width_bits is None:
        return style
    return f"{style} {width_bits} bit{f' ×{count}' if count > 1 else ''}"


def kinds_text(kinds: tuple[ReportedKind, ...]) -> str:
    """The kinds of units at a place."""
    return ", ".join(map(kind_text, kinds)) or "no unit"


WIDE = 1.25
"""A row's range is written from so many times its time."""


def row_time_text(unit: UnitEstimate) -> str:
    """What a unit takes, with the range of that where it is wide; each work-item's or iteration's, or "?".

    Of a kernel whose time is known as a bound alone, a wide range is all that is said: no row is longer than the whole.
    """
    time_s, low_s, high_s = unit.time_s, unit.time_low_s, unit.time_high_s
    shown = cost_text(time_s, unit.time_item_s, unit.per) or "?"
    if not time_s or low_s is None or high_s is None or (not low_s and not (unit.walk and unit.walk.data)):
        return shown  # an argument that nobody gives may leave nothing to do, as a rule by a border
    if max(time_s / low_s if low_s else WIDE, high_s / time_s) < WIDE:
        return shown
    both = f"{time_text(low_s)} to {time_text(high_s)}"
    return f"{shown} ({both})" if unit.share is not None else both
