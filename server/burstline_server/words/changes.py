"""What to do about a kernel's time: each change in a few words, and in a sentence."""

from __future__ import annotations

from math import inf
from typing import Literal, assert_never

from burstline_model.estimate.changes import (
    Align,
    Change,
    CombineFirst,
    CopyOnChip,
    ExchangeIds,
    FasterStage,
    HandOn,
    Interchange,
    Ivdep,
    KeepTogether,
    LastInRegisters,
    LessHardware,
    LoadBefore,
    LoadsFirst,
    LocalTile,
    LongerGroups,
    MoreCopies,
    MoreLanes,
    MoreUnits,
    NeighboursInOrder,
    NoAlias,
    NoGather,
    OneStructure,
    OwnArray,
    OwnBanks,
    PlainChange,
    PrivateArray,
    PrivateCopy,
    RowsInStep,
    RowTile,
    SlidingWindow,
    SmallerArrays,
    UnrollAndJam,
    Widen,
    WiderItems,
    WindowAndCopies,
)
from burstline_server.quantities import factor_text, in_words
from burstline_server.words.fitting import to_fit
from burstline_server.words.gathers import no_gather
from burstline_server.words.kept_on_chip import collected, own_array, window
from burstline_server.words.units import why_text
from burstline_server.words.work_groups import longer_groups

_PLAIN: dict[PlainChange, tuple[str, str]] = {
    "remove_printf": (
        "remove printf", "remove printf: each call stores a record in a buffer that the compiler owns",
    ),
    "accumulate_in_copy": (
        "add up in a private or local copy first", "each reads and writes DRAM: accumulate in a private or local copy",
    ),
    "counters_on_chip": (
        "count in a single work-item's local memory",
        "what each returns is used: keep the counters in local memory of a single work-item kernel, which takes the "
        "items in turn",
    ),
    "fewer_groups": (
        "let fewer work-groups do more each", "each group adds its own result: launch fewer groups that do more each",
    ),
    "restrict": (
        "declare the pointers restrict", "declare the pointers restrict, if they never point into the same buffer",
    ),
    "remove_pragma_ii": (
        "remove #pragma ii", "remove #pragma ii: without it, an iteration starts as soon as what it waits for is there"
    ),
    "remove_pragma_disable": (
        "remove #pragma disable_loop_pipelining",
        "remove #pragma disable_loop_pipelining: an iteration then starts before the one before it has ended",
    ),
    "more_concurrency": (
        "raise #pragma max_concurrency",
        "raise #pragma max_concurrency: iterations then overlap, each with a copy of the loop's arrays on the chip",
    ),
    "partial_results": (
        "keep several partial results in turn",
        "keep several partial results in turn (a shift register over the latency), combine them after the loop",
    ),
    "copy_what_is_followed": (
        "copy what it looks up to local memory",
        "copy what it looks up to local memory, if it fits: each address follows from the load before",
    ),
    "more_work_items": (
        "launch more work-items", "launch more work-items, or write a single work-item kernel with a loop",
    ),
    "one_work_item": (
        "launch one work-item",
        "launch one work-item, or put an id into the addresses: all work-items store to the same places",
    ),
    "loop_as_kernel": (
        "make the loop a kernel of its own",
        "make the loop a single work-item kernel of its own: few work-items run it, and others cannot fill it",
    ),
    "more_per_item": (
        "do more in each work-item",
        "do more in each work-item, a vector of elements: one starts a cycle, and channels allow no SIMD lanes",
    ),
    "share_loop": (
        "let all work-items share the loop",
        "let all work-items of a group share the loop, from their local id in steps of the group's size: few run it",
    ),
    "more_chains": (
        "run independent data side by side",
        "iterations start every cycle and need the one before: only independent data side by side go faster",
    ),
    "chains_in_turn": (
        "let independent data take turns",
        "iterations need the one before: only independent data in turn (a loop over them inside) fill their waits",
    ),
    "more_work": ("do more work in each cycle", "do more work in each cycle: SIMD, unrolling, more compute units"),
    "even_inner_loops": (
        "give inner loops fixed bounds",
        "give inner loops the same bounds in each iteration, or write one loop in place of the nest",
    ),
    "one_loop": (
        "write one loop in place of the nest",
        "write one loop in place of the nest, over all its inner iterations: data decide how many each outer one has",
    ),
    "known_end": (
        "let a count end the loop",
        "let a count end the loop, not a loaded value: test all elements, or copy what ends it to local memory",
    ),
    "fuller_words": (
        "use more of each memory word",
        "part of each fetched word is not used: let neighbours use neighbouring bytes, and rows begin in a new word",
    ),
    "fewer_units": (
        "use fewer or wider requests",
        "narrow units take turns, which costs a part of the bandwidth: load and store vectors, or fields of one array",
    ),
    "less_data": (
        "move less data", "every fetched word is used: only narrower types, or fewer passes over the data, help"
    ),
}  # fmt: skip
"""The changes without figures: in a few words, and in a sentence."""


def action_text(change: Change) -> str:
    """A change in a few words, for a line over the kernel."""
    return _words(change)[0]


def change_text(change: Change) -> str:
    """A change in a sentence, with what it is for; of an access that is reported, why it is needed."""
    return _words(change)[1]


def advice_text(change: Change) -> str:
    """What to do, and why, where no finding says it."""
    action, sentence = _words(change)
    if isinstance(change, OwnBanks):
        return sentence + _seats(change)
    if isinstance(change, MoreCopies) and change.vectors:
        return f"{sentence}, or use a vector type"
    return (
        f"{action}: {sentence}"
        if isinstance(change, NoAlias | LoadsFirst | Align | NeighboursInOrder | KeepTogether)
        else sentence
    )


def _words(change: Change) -> tuple[str, str]:
    match change:
        case str():
            return _PLAIN[change]
        case NoAlias():
            why = why_text(change.why) if change.why is not None else "a later access may alias it"
            return "promise that no later access reaches what it stores (restrict, or #pragma ivdep)", why
        case LoadsFirst():
            return f"load all that is read of {change.pointer} before its first store", why_text(change.why)
        case Align():
            why = why_text(change.why) if change.why is not None else "its index is not aligned"
            return _aligned(change), why
        case NoGather():
            return no_gather(change)
        case OneStructure():
            names = f"{', '.join(change.pointers[:-1])} and {change.pointers[-1]}"
            action = f"keep {names} in one array of structures"
            return action, f"gathers from the same places: {action}"
        case NeighboursInOrder() | KeepTogether():
            return _neighbours(change)
        case OwnBanks():
            return _own_banks(change)
        case Widen():
            action, how = _widened(change.by)
            return action, f"{change.width_bytes:g} B requests, {change.word_bytes} B words: {how}"
        case SmallerArrays() | LessHardware():
            return to_fit(change)
        case MoreLanes() | MoreUnits():
            return _more_hardware(change)
        case FasterStage():
            return _faster_stage(change)
        case WiderItems():
            first, *others = change.channels
            through = f"{first} and {len(others)} more" if len(others) >= MOST_NAMED else " and ".join(change.channels)
            larger = f"more than {change.item_bits // 8} B in an item of" if change.item_bits else "vectors through"
            return (action := f"send {larger} {through}"), f"a channel carries one item a cycle: {action}, at both ends"
        case MoreCopies():
            return _unrolled(change)
        case _:
            action, more = _restructured(change)
            return action, action + more


def _aligned(change: Align) -> str:
    """What lets requests start on aligned addresses."""
    more = ", …" * (len(change.names) > 1)
    match change.by:
        case "front":
            many = f"{change.elements} unused element{'s' * (change.elements > 1)}"
            return f"put {many} in front of {change.pointer}"
        case "start":
            units = f"units of {change.elements} elements of {change.pointer}"
            return f"pass {in_words(change.names)} in {units} ({change.elements} * {change.names[0]}{more})"
        case "rows":
            if change.names:
                multiple = (
                    f"a multiple of {change.elements} elements ({in_words(change.names)} = {change.elements} * …)"
                )
                return f"pad the rows of {change.pointer} to {multiple}"
            return f"pad the rows of {change.pointer} to {change.elements} elements"
        case "shift":
            return f"load whole words of {change.pointer}, and take each request from two of them"
        case _:
            assert_never(change.by)


MOST_NAMED = 3
"""Channels that are named one by one."""


def _more_hardware(change: MoreLanes | MoreUnits) -> tuple[str, str]:
    if isinstance(change, MoreLanes):
        action, how = _widened(change)
        return action, f"{how}: work-items then run side by side"
    action = f"num_compute_units({change.units})"
    return action, f"{action}: each unit takes a part of the work-groups"


def _neighbours(change: NeighboursInOrder | KeepTogether) -> tuple[str, str]:
    times = factor_text(change.times) if change.times != inf else "many times"
    if isinstance(change, KeepTogether):
        barrier = f"put a barrier in {'it' if change.unrolls else 'the loop'}"
        ways = [way for way, can in (("unroll the loop whole", change.unrolls), (barrier, change.waits)) if can]
        if change.strides:
            ways = ["launch a work-item for each element in place of the loop, if its iterations are independent"]
        inside = "that runs their loops in turn" if change.along else "whose innermost loop runs over the work-items"
        how = ", or ".join(ways) or f"write a single work-item kernel {inside}"
        names = in_words(change.pointers) if len(change.pointers) < 3 else f"{len(change.pointers)} buffers"
        action = f"{how}, to keep neighbours in {names} together"
        return action, f"work-items in other iterations come between, so {times} the bytes are moved"
    if change.fields:
        action = f"give each field of {change.pointer} its own array (AoS to SoA)"
        return action, f"neighbouring structures are used in part: {times} as many bytes are moved as used"
    action = f"{change.op} neighbouring elements of {change.pointer} in order"
    return action, f"neighbouring elements lie apart: {times} as many bytes are moved as used"


def _own_banks(change: OwnBanks) -> tuple[str, str]:
    own = "pseudo-channel" if change.channels else "bank"
    off = "" if change.channels else " (interleaving off)"
    action = f"give each pointer its own {own}{off}"
    if change.seats:
        action = f"spread pointers evenly over {len(change.seats)} {own}s{off}"
    return action, f"{change.units} contend: {action}"


def _seats(change: OwnBanks) -> str:
    """Which pointers each bank holds, where banks are few."""
    if not 0 < len(change.seats) <= _FEW_BANKS:
        return ""
    own = "pseudo-channel" if change.channels else "bank"
    return ": " + "; ".join(f"{in_words(one)} in {own} {n}" for n, one in enumerate(change.seats))


_FEW_BANKS = 4
"""Of up to so many banks it is said which pointers each holds."""


def _unrolled(change: MoreCopies) -> tuple[str, str]:
    if change.loops == 1 and change.whole:
        action = f"write #pragma unroll {change.copies * change.now}, or a constant bound"
        return action, f"{action}: what #pragma unroll alone asks for is not done where the bound is no constant"
    if change.loops == 1 and change.shifts:
        action = "unroll the whole loop"
        return action, f"{action}: its {change.copies * change.now} moves make a shift register then, all in one cycle"
    if change.loops == 1:
        in_place = f" in place of {change.now}" if change.now > 1 else ""
        return (f"unroll the loop by {change.copies * change.now}{in_place}",) * 2
    if change.nest:
        action = f"unroll {change.loops} nested loops whole"
        return action, action
    by = f"{change.copies}" if change.least == change.copies else f"{change.least} to {change.copies}"
    action = f"unroll the {change.loops} slowest loops by {by}"
    return action, f"{action}, together: one alone saves little"


def _faster_stage(change: FasterStage) -> tuple[str, str]:
    if change.kernel is None:
        where = in_words(change.moving) if change.moving else "the kernels that run with it"
        action = f"move less data in {where}"
        return action, f"channels join kernels whose shared memory sets the time: {action}"
    if change.sizes_first:
        return (
            "give the sizes",
            f"give the sizes of all kernels that channels join: at assumed ones {change.kernel} is the slowest",
        )
    if change.as_slow:
        names = (change.kernel, *change.as_slow)
        stages = in_words(names) if len(names) <= MOST_NAMED else f"{len(names)} stages that take as long"
        return f"speed up {stages}", f"all kernels that channels join wait for {stages}: one alone gains nothing"
    return f"speed up {change.kernel}", f"all kernels that channels join wait for {change.kernel}: speed that one up"


def _widened(by: MoreCopies | MoreLanes) -> tuple[str, str]:
    """What makes requests wider, in a few words and in a sentence."""
    if isinstance(by, MoreLanes):
        vector = f"vectors of {by.vector}"
        simd = f"num_simd_work_items({by.simd})"
        # The attribute that lanes need leaves no room for the other way.
        how = f"{simd} or {vector}" if by.names_group else f"{simd} with reqd_work_group_size"
        return (vector, vector) if by.simd is None else (simd, how)
    action = action_text(by)
    if not by.partial:
        return action, f"{action}, or use a vector type"
    partial = f"{by.copies * by.now} partial results of {by.partial}"
    return f"{action}, with {partial}", f"{action} ({partial} if only the last value counts)"


_Restructured = (
    WindowAndCopies
    | PrivateCopy
    | CombineFirst
    | CopyOnChip
    | LastInRegisters
    | HandOn
    | Ivdep
    | LoadBefore
    | OwnArray
    | PrivateArray
    | LocalTile
    | SlidingWindow
    | RowTile
    | Interchange
    | ExchangeIds
    | LongerGroups
    | RowsInStep
    | UnrollAndJam
)


def _restructured(change: _Restructured) -> tuple[str, str]:
    """Another place or order for data: the change, and the rest of its sentence."""
    match change:
        case PrivateCopy() | CombineFirst() | CopyOnChip():
            return collected(change)
        case LastInRegisters():
            return (
                f"keep the last elements of {change.pointer} in registers",
                ", or several copies in turn (#pragma ivdep safelen)",
            )
        case HandOn():
            what = f"the {change.many} elements {change.element}" if change.many > 1 else change.element
            kept = "private variables" if change.many > 1 else "a private variable"
            how = ", and store it after the loop" if change.same else ", or in a shift register over the distance"
            return f"keep {what} in {kept}", how
        case Ivdep():
            return (
                f"promise independent iterations (#pragma ivdep array({change.pointer}))",
                f", if none loads what an earlier one stored to {change.pointer}",
            )
        case LoadBefore():
            return f"load {change.place} once, before the loop", "" if change.alone else ", unless it stores there"
        case OwnArray() | PrivateArray():
            return own_array(change)
        case LocalTile():
            return f"keep a tile of {change.pointer} with its border in local memory", ", read by the whole group"
        case SlidingWindow() | WindowAndCopies():
            return window(change)
        case RowTile():
            how = "fill" if change.op == "load" else "write out"
            return f"{how} a tile in local memory row by row", _in_order(change.pointer, change.op)
        case ExchangeIds():
            others = ", and the other ids and sizes alike" if change.in_groups else ""
            own = "get_global_id" if change.asks else "get_local_id"
            return f"swap {own}(0) and {own}({change.other}){others}", ": neighbours then lie in order"
        case Interchange() | RowsInStep() | LongerGroups():
            return _nest(change)
        case UnrollAndJam():
            over = f"the loop over {change.variable}" if change.variable else "the outer loop"
            action = f"compute {change.together} iterations of {over} together (unroll and jam)"
            names = " and ".join(change.pointers)
            pragmas = in_words([f"#pragma ivdep array({one})" for one in change.apart])
            where = f"; put {pragmas} on the loops, if none loads what another one stores there"
            promise = where if change.apart else ""
            shared = f"they share the loads of {names}" if names else "each has its own chain of operations"
            return action, f": {shared}{promise}"
        case _:
            assert_never(change)


def _nest(change: Interchange | RowsInStep | LongerGroups) -> tuple[str, str]:
    """Another order of iterations, or of the work-items in their groups."""
    if isinstance(change, LongerGroups):
        return longer_groups(change)
    if isinstance(change, RowsInStep):
        rows, columns = change.rows or "rows", change.columns or "columns"
        return f"let several iterations over {rows} run side by side", f", each some steps of {columns} behind"
    outer, inner = change.outer or "the outer loop", change.inner or "the inner loop"
    return f"interchange the loops over {outer} and {inner}", _in_order(change.pointer, change.op)


def _in_order(pointer: str, op: Literal["load", "store"]) -> str:
    return f": neighbours in {pointer} are then {'read' if op == 'load' else 'written'} in order"
