"""What is known of a kernel before any unit, board or launch is chosen: the contract of the two halves.

Written by whoever reads kernels (source text, or a compiler report) and read by `compiler`, `memory`
and `estimate`. Positions are byte offsets into the file; the model never looks at them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, Self

from burstline_model.body_operations import Operations, Recurrence, StepCount
from burstline_model.declared_ports import DeclaredPorts
from burstline_model.polynomial import Polynomial, Turns
from burstline_model.read_elsewhere import OtherReading
from burstline_model.record import Record, small
from burstline_model.unasked import USUAL, Unasked

Space = Literal["global", "constant", "local", "private"]
KernelModel = Literal["ndrange", "single_work_item", "autorun"]
SymbolKind = Literal[
    "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "global_offset",
    "loop", "argument", "loaded", "carried", "opaque",
]  # fmt: skip
Operation = Literal[
    "quotient", "remainder", "minimum", "maximum", "and", "or", "xor", "logarithm", "power", "element", "less", "equal",
    "select",
]  # fmt: skip


@small
class Span:
    """A half-open range of bytes in the kernel's file, or in the included `file`."""

    start: int
    end: int
    file: str | None = None


@small
class Symbol:
    """A name that occurs in a polynomial.

    `global_id` … `global_offset` carry their dimension; `loop` is the iteration counter 0, 1, 2… of loop `loop`;
    `loaded` is a value read from memory by access `loaded_from` (None when several may have); `carried` changes from
    one iteration of `loop` to the next in a way that is not affine; where most iterations add the same to it (a counter
    that starts over now and then), that is its `step`, and `turns` says all where it is known; `opaque` is any other
    value. An `argument` is also a name that the file uses and does not define. `depends_on` names the symbols that a
    loaded, carried or opaque value varies with, transitively. `multiple_of` divides every value the symbol can take;
    all are less than `below`. A value that is computed by an integer operation no polynomial can hold carries it:
    `operation` over `operands` (``quotient`` is C's division, ``remainder`` its modulo, ``and``, ``or`` and ``xor``
    work on bits, all of non-negative numbers;
    ``logarithm`` is that of the first operand to the base of the second, rounded down; ``power`` is the first to the
    second; ``element`` picks, by its first operand, one of those after it: a value from a constant table; ``less`` and
    ``equal`` compare, and give 1 or 0; ``select`` is the second operand where the first is not 0, else the third).
    `advance`: what a carried value grows by in some iterations, while it stays in the others (the place of the next
    element that a filter keeps). `made_in` are the loops in each iteration of which a loaded or opaque value is made
    anew, where that is known: any other loop leaves it as it is. A loop before counted it to `least` or `most`.
    """

    name: str
    kind: SymbolKind
    dimension: int = 0
    loop: int | None = None
    loaded_from: int | None = None
    depends_on: tuple[str, ...] = ()
    multiple_of: int = 1
    below: int | None = None
    step: Polynomial | None = None
    advance: Polynomial | None = None
    turns: Turns | None = None
    operation: Operation | None = None
    operands: tuple[Polynomial, ...] = ()
    made_in: tuple[int, ...] | None = None
    least: int | None = None
    most: int | None = None


COMPUTE_ID = "get_compute_id("
"""How the symbols begin that a compute unit's place is known by, an argument that the hardware gives."""


@small
class Argument:
    """A kernel argument. `buffer_location` is the label of the attribute, if any.

    `element_bytes` is the size of a scalar, or of what a pointer points to (0: unknown). `fields`: the paths to the
    integers that a vector or a structure brings (``x``, ``size.z``).
    """

    name: str
    type: str
    space: Space
    is_pointer: bool
    element_bytes: int
    span: Span
    restrict: bool = False
    const: bool = False
    volatile: bool = False
    buffer_location: str | None = None
    fields: tuple[str, ...] = ()


UnknownKind = Literal[
    "endless", "no_condition", "no_bound", "no_integers", "no_fixed_step", "bound_changes", "step_no_number",
    "never_false", "read_from_memory", "chosen_address", "chosen_buffer", "changes_each_trip", "moved_in_loop",
    "set_in_places", "no_size", "no_field", "no_offset", "no_distance", "no_element_size", "printf_buffer",
]  # fmt: skip


@small
class Unknown:
    """Why a trip count or an address is not known; `names` are the conditions, values and types that it is about."""

    kind: UnknownKind
    names: tuple[str, ...] = ()


Choice = Literal["", "loads", "load or constant"]


class Guard(Record):
    """A condition under which an access runs, or a loop. `loaded` when a value from memory takes part in it.

    `early_return` marks a condition that left the kernel before (``if (i >= n) return;``). `condition` is 1 where it
    holds and 0 where it does not, as far as integers decide it (None: they do not). `calls`: in how many calls of
    helper functions, one in the other, it is. `choice` marks ``c ? p[i] : p[j]``, whose arms do nothing but load, and
    ``c ? p[i] : 0``, which chooses between what one loads and a constant. `cases`: how many cases of a ``switch`` lead
    here, and how many it has. `leaves`: the loops that are left once it held (``if (c) { …; break; }``).
    """

    text: str
    span: Span
    depends_on: tuple[str, ...] = ()
    loaded: bool = False
    early_return: bool = False
    condition: Polynomial | None = None
    calls: int = 0
    choice: Choice = ""
    cases: tuple[int, int] | None = None
    leaves: tuple[int, ...] = ()


class Loop(Record):
    """A loop of the kernel. Its counter symbol runs 0, 1, … `trip` - 1. Its `span` is that of its head.

    `trip` is None when unknown; a polynomial over arguments, sizes and outer counters otherwise.
    `trip_limits`: other counts of its condition or of breaks, which end it where they are known and smaller.
    `unroll` is what a pragma asks: None without one, 0 for "fully", 1 for "do not", else the factor.
    `ivdep` names the arrays of an ivdep pragma (empty: all), None without one.
    `carries` names the variables and on-chip arrays that one iteration hands to the next in another way than by a fixed
    step, `recurrences` those of them that come back through operations. `early_exit` means that a break or return
    may leave the loop before its trips are over. A `copy` is the loop that an asynchronous work-group copy makes.
    `coalesce` is how many nested loops a pragma merges into one (0: as many as there are), `max_concurrency` how many
    iterations of it may be in flight, `max_interleaving` how many runs of it (0: no limit asked for); `pipelined` is
    False where pipelining is switched off. `stores_before`: for each store in its body outside inner loops, the next
    loop behind it; private arrays in registers do not count. `ends_by`: loads of global memory that may end it.
    """

    id: int
    parent: int | None
    kind: Literal["for", "while", "do", "copy"]
    span: Span
    body: Span
    variable: str
    counter: str
    trip: Polynomial | None
    trip_why: Unknown | None = None
    trip_limits: tuple[Polynomial, ...] = ()
    unroll: int | None = None
    ivdep: tuple[str, ...] | None = None
    safelen: tuple[tuple[str, int], ...] = ()  # how many iterations `ivdep` keeps apart, by array ("": any)
    initiation_interval: int | None = None
    coalesce: int | None = None
    max_concurrency: int | None = None
    max_interleaving: int | None = None
    pipelined: bool = True
    carries: tuple[str, ...] = ()
    sets_anew: tuple[str, ...] = ()
    """Those of `carries` that each iteration of a loop with loops in it sets before it uses them."""
    recurrences: tuple[Recurrence, ...] = ()
    early_exit: bool = False
    stores_before: tuple[int, ...] = ()
    ends_by: tuple[int, ...] = ()
    by_data: bool = False  # whether elements of any array decide whether it goes on
    alike: bool = False  # whether what each iteration leaves in variables is the same, if its loads are
    guards: tuple[Guard, ...] = ()
    """The conditions under which it is reached."""
    most: int | None = None
    """The most trips where data say how many: those of the rows of `most_from`, or what counters reach at most."""
    most_from: str = ""
    trip_by: str = ""  # the other reading that `trip` is of, where it is not ours


class MacroUse(Record):
    """A macro that the text of an access comes from. `definition` is None for one given with ``-D``."""

    name: str
    definition: Span | None


LONGEST_PLACE = 24
"""Most characters of an access in a sentence."""


@small
class Access:
    """One load, store or atomic in the source, executed once per work-item and iteration of `loops`.

    `id` numbers accesses in program order; a compound assignment is a load followed by a store.
    `pointer` is the name of the argument or array it reaches (the root, through helper pointers);
    `offset` is the byte offset from that root, None when it is not known at all (its reason is in
    `offset_why`). `element_bytes` is what one execution moves, `scalar_bytes` the size of its scalar
    (4 for a float4). `index` is the source text between the brackets, `base` that before them if it is not `pointer`.
    `value_from` names the loads whose values flow into a stored value or an atomic's operand.
    `chains` gives for some of them the longest chain of operations on the way to what is stored.
    `operand_varies` (atomics) says whether the operand differs between neighbouring lanes.
    `packed`: aligned less than its type asks for: a member of a packed structure, or what ``vloadN`` reads.
    `hint` is a load/store-unit control built-in's name (``__burst_coalesced_load``…), or "printf".
    """

    id: int
    span: Span
    op: Literal["load", "store", "atomic"]
    space: Space
    pointer: str
    type: str
    element_bytes: int
    scalar_bytes: int
    index: str
    offset: Polynomial | None
    base: str = ""
    offset_why: Unknown | None = None
    loops: tuple[int, ...] = ()
    guards: tuple[Guard, ...] = ()
    value_from: tuple[int, ...] = ()
    chains: dict[int, tuple[StepCount, ...]] = field(default_factory=dict)
    operand_varies: bool = True
    atomic: str | None = None
    volatile: bool = False
    packed: bool = False
    hint: str | None = None
    cache_bytes: int | None = None
    call_chain: tuple[Span, ...] = ()
    """Call sites from the kernel inwards, for an access in a helper function."""
    macro: MacroUse | None = None
    """The macro whose use holds the access, for one that is not written out."""
    narrow_from: Polynomial | None = None
    """The offset before an index that its 8-bit type bounds, for one of such a type."""
    lanes: tuple[int, ...] = ()
    """Of a store to a part of a vector, and of the load that fetches the rest: the lanes that are stored."""
    reported_at: Span | None = None
    """Where debug information, and so the vendor's report, puts it; None: on the line it begins on."""
    expanded_at: Span | None = None
    """The macro's use whose argument holds it, where that begins on another line."""
    assigned_at: Span | None = None
    """The operator of the assignment that makes it, where that is on another line than it begins on."""
    steps_by: str = ""
    """The other reading that `offset` is of, where it is not ours."""
    divided: bool = False
    """Whether quotients and remainders stay in its address in hardware that `offset` is rid of."""

    @property
    def place(self) -> str:
        """The pointer and the index as they are written, cut where they are longer than a message can take."""
        text = f"{self.base or self.pointer}[{self.index}]" if self.index else self.pointer
        return text if len(text) <= LONGEST_PLACE else f"{text[: LONGEST_PLACE - 1]}…"


class LocalArray(Record):
    """An array in local or private memory declared in the kernel (or a file-scope constant table).

    `written`: something stores to it after its initial values. `picked_by`: the loops whose counters alone pick the
    elements of a private array, which is all constant indices once they are fully unrolled; None where others do.
    `reach`: the elements of a shift register up to the farthest that is read, all that is built of it then; None for
    any other array. `rows`: the bytes from one place to the next along each dimension but the last.
    """

    name: str
    space: Space
    element_bytes: int
    length: int | None
    span: Span
    written: bool = False
    picked_by: tuple[int, ...] | None = None
    reach: int | None = None
    rows: tuple[int, ...] = ()
    ports: DeclaredPorts | None = None


class ChannelOperation(Record):
    """A read from or write to a channel or pipe; `turns`: the loops whose iterations choose the element of an array."""

    span: Span
    channel: str
    op: Literal["read", "write"]
    width_bits: int = 0  # what one operation moves; 0 where the channel's type is not known
    from_board: bool = False  # whether the board, no kernel, is at its other end (an `io` channel)
    loops: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    index: tuple[int | None, ...] = ()
    """Which element of an array of channels, by dimension; None where it is not one number."""
    guards: tuple[Guard, ...] = ()
    """The conditions under which it runs."""
    call_chain: tuple[Span, ...] = ()
    made_of: tuple[tuple[str, bool], ...] = ()
    """Of a write: the channels that what it sends is made of, and whether an earlier iteration has read them."""

    @property
    def name(self) -> str:
        """The channel's name, or that of the array it is of."""
        return self.channel.partition("[")[0].strip()

    def meets(self, other: Self) -> bool:
        """Whether both may work on one channel: an element chosen in a loop is any of its array."""
        places = zip(self.index, other.index, strict=False)
        return self.name == other.name and all(a is None or b is None or a == b for a, b in places)


class Barrier(Record):
    """A work-group barrier or memory fence; `fences_global`: accesses of global memory are complete behind it."""

    span: Span
    loops: tuple[int, ...] = ()
    fences_global: bool = False


RemarkKind = Literal[
    "images", "not_defined", "calls_itself", "calls_too_deep", "undefined_name", "unknown_origin", "index_too_complex",
    "nested_more", "nested_too_deeply", "kernel_too_large", "program_error", "lanes_not_built", "lanes_not_offered",
    "lanes_without_group", "misspelt_pragma", "misplaced_pragma", "loop_repeats", "run_time_channel", "at_file_scope",
    "before_label", "address_sent", "global_at_file_scope",
]  # fmt: skip


class Remark(Record):
    """Something the reader of the kernel could not analyse, or assumed; shown to the user once.

    `names` are the functions, variables and numbers that a remark of this kind is about.
    """

    span: Span
    kind: RemarkKind
    names: tuple[str, ...] = ()


class KernelFacts(Record):
    """All that is known of one kernel. Loops and accesses are indexed by their ids."""

    name: str
    span: Span
    """The whole definition."""
    name_span: Span
    model: KernelModel
    simd: int = 1
    compute_units: int = 1
    unit_shape: tuple[int, ...] = ()
    """How many compute units there are along each dimension; each knows its place (``get_compute_id``)."""
    work_group_size: tuple[int, int, int] | None = None
    arguments: tuple[Argument, ...] = ()
    symbols: dict[str, Symbol] = {}
    loops: tuple[Loop, ...] = ()
    accesses: tuple[Access, ...] = ()
    private_accesses: tuple[Access, ...] = ()  # of arrays too large for registers, by ids of their own
    register_accesses: tuple[Access, ...] = ()  # of smaller ones, at places that change
    arrays: tuple[LocalArray, ...] = ()
    channels: tuple[ChannelOperation, ...] = ()
    barriers: tuple[Barrier, ...] = ()
    without_ids: bool = False  # ``max_global_work_dim(0)`` leaves out what starts work-items and gives them ids
    linear_ids: bool = False  # whether ``get_global_linear_id`` is asked, which counts over all dimensions
    index_first: bool = False  # whether an element is written with its index first (``2[p]``)
    mixed: tuple[tuple[str, ...], ...] = ()  # buffers that one pointer may lead to; accesses have the name of one
    remarks: tuple[Remark, ...] = ()
    operations: tuple[Operations, ...] = ()
    others: tuple[OtherReading, ...] = ()
    """What another reading leaves, at each place that it knows; empty where none was asked."""
    unasked: Unasked | None = USUAL
    """The small loops that the compiler unrolls without a pragma; None where it unrolls none."""

    @property
    def units_at_work(self) -> int:
        """The compute units that share one launch: a single work-item runs on one, or again on each."""
        return self.compute_units if self.model == "ndrange" else 1

    def unit_place(self, name: str) -> int | None:
        """The place of a compute unit in the middle along the dimension that a symbol asks for; None of any other."""
        if not name.startswith(COMPUTE_ID):
            return None
        return dict(enumerate(self.unit_shape)).get(int(name[len(COMPUTE_ID)]), 1) // 2

    def argument(self, name: str) -> Argument | None:
        """The argument called `name`, if there is one."""
        return self._by_name.get(name)

    def accesses_in(self, loop: Loop) -> Sequence[Access]:
        """The accesses in a loop, in program order."""
        return self._by_loop.get(loop.id, ())

    def is_guarded(self, text: str, span: Span) -> bool:
        """Whether an access is under a condition of this text and place."""
        return (text, span) in self._guarded

    def loops_around(self, loop: int) -> tuple[int, ...]:
        """The loops around one, by their ids, the outermost first."""
        return self._around[loop]

    def symbols_of(self, loop: int) -> Sequence[Symbol]:
        """The symbols of a loop: its counter, and what its iterations change."""
        return self._symbols_by_loop.get(loop, ())

    @cached_property
    def _symbols_by_loop(self) -> dict[int | None, list[Symbol]]:
        found: dict[int | None, list[Symbol]] = {}
        for symbol in self.symbols.values():
            found.setdefault(symbol.loop, []).append(symbol)
        return found

    @cached_property
    def kept(self) -> dict[object, Any]:
        """What others have worked out of these facts alone, by who did."""
        return {}

    @cached_property
    def _around(self) -> list[tuple[int, ...]]:
        found: list[tuple[int, ...]] = []
        for parent in (loop.parent for loop in self.loops):  # outer ones come first
            found.append((*found[parent], parent) if parent is not None else ())
        return found

    @cached_property
    def _by_name(self) -> dict[str, Argument]:
        return {a.name: a for a in reversed(self.arguments)}

    @cached_property
    def _by_loop(self) -> dict[int, list[Access]]:
        found: dict[int, list[Access]] = {}
        for loop, access in ((i, a) for a in self.accesses for i in a.loops):
            found.setdefault(loop, []).append(access)
        return found

    @cached_property
    def _guarded(self) -> set[tuple[str, Span]]:
        return {(guard.text, guard.span) for access in self.accesses for guard in access.guards}

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The facts with other values, which are not checked; what was looked up in these is not theirs."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("_by_name", "_by_loop", "_guarded", "_around", "_symbols_by_loop", "kept"):
            copied.__dict__.pop(name, None)
        return copied
