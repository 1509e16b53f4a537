"""Changes of a kernel that would move its time, by kind: the papers' observations on units, and what else helps."""

from __future__ import annotations

from typing import Literal

from burstline_model.lsu import Why
from burstline_model.record import small

PlainChange = Literal[
    "accumulate_in_copy", "restrict", "partial_results", "copy_what_is_followed", "more_work_items", "loop_as_kernel",
    "share_loop", "more_work", "more_chains", "less_data", "fewer_units", "fuller_words",
    "even_inner_loops", "one_loop", "remove_printf", "remove_pragma_ii", "remove_pragma_disable", "more_concurrency",
    "known_end", "more_per_item", "fewer_groups", "counters_on_chip",
    "one_work_item", "chains_in_turn",
]  # fmt: skip
"""Changes without figures: atomics become additions in a copy, or in a single work-item's counters where what they
return is used, or groups do more before they add; pointers restrict, one result several, a list of what is followed
a copy in local memory; more work-items, more work in each cycle, more chains of iterations at a time, less data,
more of each word; one work-item where all of them store to the same places; inner loops that run
equally often each time, or one loop in place of a nest; other chains in the cycles in which one waits; no printf; no
pragma that asks for a longer interval than the schedule has, for one iteration at a time, or for no pipelining."""


@small
class SmallerArrays:
    """Arrays on the chip that take this share of the device's RAM blocks, more than fit with the rest of the kernel.

    All of them have to be `times` smaller (infinite: no size fits), or lie in global memory; or, where reads in one
    cycle ask for more than one of its `copies`, be read at fewer places. `surely`: their bits alone are too many.
    """

    names: tuple[str, ...]
    share: float
    times: float
    copies: int = 1
    surely: bool = False


@small
class LessHardware:
    """Less of what a kernel does at once, of which the device does not hold all: of its lanes, copies, compute units.

    `units` are compute units that fit, of several (0: not even one does). `lanes`, `copies`: whether it has SIMD lanes
    and unrolled loops. `surely`: it does not fit in spite of what the estimate is off.
    """

    units: int
    lanes: bool
    copies: bool
    surely: bool


@small
class NoAlias:
    """No later access to where a store goes; `why` is what the unit waits for, where that is known."""

    why: Why | None


@small
class LoadsFirst:
    """All that a kernel loads of a pointer before its first store there, as no promise keeps the two apart."""

    pointer: str
    why: Why


@small
class NoGather:
    """Addresses that data decide: `moved_bytes` in whole words for each request, which asks for `request_bytes`.

    `pointers`: all of which requests move alike. `copy_bytes`: the largest array of which a copy on the chip spares
    bytes (0: of none; infinite: not known). `whole`: it is all of each array that the data can ask for. `by_data`: not
    so where ids and counters alone choose the places, as bits in another order do.
    """

    op: Literal["load", "store", "atomic"]
    moved_bytes: int
    request_bytes: float
    pointers: tuple[str, ...]
    copy_bytes: float
    whole: bool = False
    by_data: bool = True


@small
class OneStructure:
    """One array of structures in place of several pointers that are loaded at the same places, which data decide."""

    pointers: tuple[str, ...]


@small
class NeighboursInOrder:
    """Neighbouring elements lie apart, so that `times` what is used is fetched (infinite: not known how much).

    `fields`: they are fields of structures that lie side by side.
    """

    op: Literal["load", "store", "atomic"]
    pointer: str
    times: float
    fields: bool = False


@small
class KeepTogether:
    """Work-items in other iterations of a loop come between neighbours, so that `times` what is used is fetched.

    `pointers`: all of which it holds in the loop. `unrolls`: its trips are a number, and the device holds it whole.
    `waits`: all work-items of a group reach each iteration, so that a barrier may be there. `strides`: the loop takes a
    work-item on by as many elements as there are work-items, and hands nothing on. `along`: it stays in a word for a
    while.
    """

    pointers: tuple[str, ...]
    times: float
    unrolls: bool = True
    waits: bool = True
    strides: bool = False
    along: bool = False


AlignBy = Literal["front", "start", "rows", "shift"]


@small
class Align:
    """Requests of a pointer that start off a multiple of their width; `why` shows it, where that is known.

    `by` what they start on one: so many unused `elements` in front of the data; arguments of these `names` that count
    in so many; rows that are so long, or a multiple of as many where arguments say their length; or loads of whole
    words, of two of which each request takes its part.
    """

    why: Why | None
    pointer: str
    by: AlignBy
    elements: int
    names: tuple[str, ...] = ()


@small
class OwnBanks:
    """A bank (or pseudo-channel) for each pointer, where so many units contend for one.

    `seats`: where pointers outnumber banks, those that share each bank, so that all banks move about as much.
    """

    units: int
    channels: bool
    seats: tuple[tuple[str, ...], ...] = ()


@small
class MoreCopies:
    """A loop's body in so many times as many copies; with a partial result of this variable in each, where named.

    Of several `loops` where these take alike: each has `least` to `copies` times as many. `now` is how many copies one
    loop has already. `whole`: a pragma asks for as many as there are iterations, and these are no constant.
    `vectors`: what they load may be one vector. `nest`: the loops are in each other, and no iterations are left over.
    `shifts`: all iterations of a loop that does nothing but move elements of an array on the chip.
    """

    copies: int
    partial: str = ""
    loops: int = 1
    least: int = 1
    now: int = 1
    whole: bool = False
    vectors: bool = False
    nest: bool = False
    shifts: bool = False


@small
class WiderItems:
    """A vector in each item of these channels, which a loop asks in every cycle.

    `item_bits`: what one item of the widest moves already where that is more than any scalar.
    """

    channels: tuple[str, ...]
    item_bits: int = 0


@small
class MoreUnits:
    """So many compute units in all, which share out the work-groups."""

    units: int


@small
class MoreLanes:
    """Vectors of so many elements, or SIMD lanes, where work-items can run side by side."""

    vector: int
    simd: int | None
    names_group: bool = True
    """Whether the kernel has `reqd_work_group_size` already, which lanes need."""


@small
class Widen:
    """Requests of `width_bytes` use a part of each memory word."""

    width_bytes: float
    word_bytes: int
    by: MoreCopies | MoreLanes


@small
class CombineFirst:
    """Several elements that each work-item combines before the tree of its group, in which ever fewer take part."""

    pointer: str
    elements: int


@small
class PrivateCopy:
    """A private copy, in local memory, of what a loop reads and stores; `bins`: adds to at places that data decide."""

    pointer: str
    bins: bool = True


@small
class LastInRegisters:
    """The last elements of an array on the chip, in registers."""

    pointer: str


@small
class HandOn:
    """An element that an iteration at a known distance loads, kept in a private variable; or `many`, side by side.

    `same`: it is one element in all iterations of a work-item.
    """

    element: str
    many: int = 1
    same: bool = False


@small
class Ivdep:
    """The promise that no iteration loads what an earlier one stored to a pointer, where nothing shows that it does."""

    pointer: str


@small
class LoadBefore:
    """A load whose address stays the same in a loop, in front of it.

    `alone`: nothing in the loop stores to its memory; else no store there may reach it.
    """

    place: str
    alone: bool = False


@small
class OwnArray:
    """An array of its own for each iteration of a loop (its variable), in which one loop stores and another loads."""

    pointer: str
    loop: str


@small
class PrivateArray:
    """A private array of so many elements in place of a buffer of which each work-item alone loads what it stored."""

    pointer: str
    elements: int


@small
class CopyOnChip:
    """A copy of so many bytes of a buffer, made before the loop (its variable) whose iterations all read the same."""

    pointer: str
    loop: str
    bytes: int


@small
class LocalTile:
    """A tile with its border in local memory."""

    pointer: str


@small
class SlidingWindow:
    """A shift register, so that each element is fetched once.

    `elements` is its length where one row suffices; `unfixed` the loop (its variable, empty where it has none) whose
    trips have to be constant first.
    """

    pointer: str
    elements: int | None = None
    unfixed: str | None = None


@small
class WindowAndCopies:
    """A shift register for the neighbours of one element, so that copies of a loop's body share one request."""

    pointers: tuple[str, ...]
    copies: int


@small
class RowTile:
    """A tile in local memory that is filled row by row, or (a store) written out so."""

    pointer: str
    op: Literal["load", "store"] = "load"


@small
class ExchangeIds:
    """Dimensions 0 and another of the work-items' ids in each other's place, so that neighbours move neighbours.

    `in_groups`: the kernel asks for more than global ids, which change places too; `asks`: for global ids at all.
    """

    other: int = 1
    in_groups: bool = False
    asks: bool = True


@small
class LongerGroups:
    """Work-groups that are longer along dimension 0, so that a row of a group fills the memory's words.

    `size`: their work-items by dimension; None where what groups keep in local memory has their shape. `now`: as it is.
    """

    now: tuple[int, ...]
    size: tuple[int, ...] | None = None


@small
class Interchange:
    """Two loops in the other order, by their variables, so that neighbours of a pointer are moved in order.

    `loop` is the outer one's id.
    """

    pointer: str
    outer: str
    inner: str
    loop: int
    op: Literal["load", "store"] = "load"


@small
class RowsInStep:
    """Iterations of a loop over rows at the same time, each some columns behind the one before, by loop variables."""

    rows: str
    columns: str


@small
class UnrollAndJam:
    """So many iterations of a loop (its variable and id) `together`, which share the loads of these pointers.

    `apart`: pointers that need a promise (ivdep) then: no iteration loads what another one stores there.
    """

    pointers: tuple[str, ...]
    variable: str
    loop: int
    together: int
    apart: tuple[str, ...] = ()


@small
class FasterStage:
    """Less time in the kernel that all of a network of channels wait for; None: in the memory that they share.

    `sizes_first`: it is the slowest at sizes that are assumed of it and of others each by itself. `moving`: the kernels
    whose units take the memory's time. `as_slow`: others that take as long.
    """

    kernel: str | None
    sizes_first: bool = False
    moving: tuple[str, ...] = ()
    as_slow: tuple[str, ...] = ()


Observed = (
    Literal["accumulate_in_copy", "counters_on_chip", "fewer_groups", "remove_printf"]
    | NoAlias
    | LoadsFirst
    | LoadBefore
    | PrivateArray
    | HandOn
    | NoGather
    | OneStructure
    | NeighboursInOrder
    | KeepTogether
    | ExchangeIds
    | LongerGroups
    | Align
    | OwnBanks
    | Widen
)
"""Changes at one unit, or at all units of a pointer."""
Change = (
    PlainChange | Observed | SmallerArrays | LessHardware | MoreCopies | WiderItems | MoreLanes | MoreUnits
    | PrivateCopy | CombineFirst | CopyOnChip
    | LastInRegisters | HandOn | Ivdep | LoadBefore | OwnArray | LocalTile | SlidingWindow | WindowAndCopies | RowTile
    | Interchange | RowsInStep | UnrollAndJam | FasterStage
)  # fmt: skip
