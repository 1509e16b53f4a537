"""A load/store unit, as the vendor's report would list it and as the equations need it."""

from typing import Literal

from burstline_model.facts import Guard, KernelFacts
from burstline_model.polynomial import Polynomial
from burstline_model.record import small

Style = Literal[
    "Burst-coalesced", "Burst-coalesced non-aligned", "Burst-coalesced cached",
    "Burst-coalesced non-aligned cached", "Burst-coalesced write-ack",
    "Burst-coalesced write-ack non-aligned",
    "Prefetching", "Streaming", "Semi-streaming", "Simple",
    "Pipelined", "Pipelined never-stall", "Constant-pipelined", "Atomic-pipelined",
]  # fmt: skip
"""The vendor report's own words, modifiers in the report's order."""

Confidence = Literal["high", "medium", "low"]


PlainWhy = Literal[
    "hidden_buffer", "lanes_may_collide", "constant_cache", "atomic_on_chip", "on_chip",
    "no_fixed_step", "address_from_memory", "read_again_with_gaps", "range_of_items", "memory_decides",
    "local_or_group_ids", "copied_by_group", "same_for_group",
    "same_for_all", "items_read_in_order", "items_write_in_order", "bounded_range", "read_anew", "read_from_offset",
    "own_atomic", "paper_constant", "local_store", "local_request", "ordered_by_data", "range_read_again",
    "off_the_page", "contiguous", "report_agrees",
]  # fmt: skip
"""Reasons without figures: where a request goes, how an address moves, and who reads a range again."""


@small
class Width:
    """A request is so wide: its element times SIMD lanes, copies of loops (by their variables) and accesses."""

    units: int
    width_bits: int
    type: str
    element_bytes: int
    simd: int
    copies: tuple[tuple[str, int], ...]
    accesses: int


@small
class NotAligned:
    """The first address is proved to be a multiple of `start_bytes` alone, less than the request."""

    start_bytes: int
    width_bytes: int


@small
class AskedFor:
    """A control built-in of this name forces the style."""

    builtin: str


@small
class OneAtATime:
    """An atomic operation reads and writes in one unit."""

    operation: str


@small
class Nested:
    """Two rolled loops around a load, by their variables: its data are expected to be read again."""

    loops: tuple[str, ...]


@small
class ReadAgain:
    """A loop (by its variable, empty where it has none) reads the same places again, at fixed strides."""

    loop: str


@small
class OneLoop:
    """One loop reads a buffer in order at this index, and nothing stores to it."""

    index: str


@small
class MayAlias:
    """A later access, at `place` in the text, may reach what is stored; `within`: of the same pointer, in no loop."""

    op: Literal["load", "store"]
    place: str
    within: bool = False


ReportedKind = tuple[str, int | None, int]
"""Units as a report lists them: the style, the width in bits where it names one, and how many."""


@small
class ReportDiffers:
    """The compiler's report lists one kind of unit where others, or none, were inferred."""

    listed: ReportedKind
    inferred: tuple[ReportedKind, ...]


@small
class ReadBy:
    """Another reading leaves these requests, as (width in bits, how many), where the units are: the same or not."""

    by: str
    same: bool
    requests: tuple[tuple[int, int], ...]


@small
class StepsBy:
    """How the address moves is what another reading says."""

    by: str


Why = (
    PlainWhy | Width | NotAligned | AskedFor | OneAtATime | Nested | ReadAgain | OneLoop | MayAlias
    | ReportDiffers | ReadBy | StepsBy
)  # fmt: skip


@small
class Reason:
    """One step of why a unit is what it is: the rule that decided, and what it saw."""

    rule: str
    why: Why


Unfixed = Literal["data", "unknown", "irregular"]
"""Why there is no step: data decide it, the address is not known, or it is not the same from one to the next."""


@small
class Lsu:
    """`count` equal units that serve the accesses `members` (the first is where the unit is shown).

    `width_bits` is the request width the report shows, never capped. `useful_bytes` is what the members
    move per execution of the access (one work-item, one iteration), counted once where they overlap,
    for all `count` units together. `stride` is δ: the step between neighbouring work-items or iterations
    over `useful_bytes` (1: nothing is discarded, 0: the same address, None: no number); `unfixed` says then
    what there is in its place (None on the chip). `lanes` is v, how many executions one clock cycle issues: SIMD lanes
    times unrolled copies. `runner_up` is the style that it has if the closest call went the other way: if a rule with
    little evidence did not hold, or one that is off for that reason did, or an unknown value was of the other kind.
    """

    members: tuple[int, ...]
    op: Literal["load", "store", "atomic"]
    space: Literal["global", "constant", "local"]
    style: Style
    width_bits: int
    count: int
    lanes: int
    useful_bytes: int
    stride: int | None
    unfixed: Unfixed | Polynomial | None
    confidence: Confidence
    reasons: tuple[Reason, ...]
    cache_bytes: int | None = None
    reported: bool = False
    """Whether a compiler's report lists the unit just so."""
    runner_up: Style | None = None


def guards_of(facts: KernelFacts, lsu: Lsu) -> list[Guard]:
    """The conditions that all members of a unit are under."""
    members = [facts.accesses[m] for m in lsu.members]
    return [guard for guard in members[0].guards if all(guard in m.guards for m in members)]
