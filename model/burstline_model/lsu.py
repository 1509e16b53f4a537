"""A load/store unit, as the vendor's report would list it and as the equations need it."""

from typing import Literal

from burstline_model.facts import Guard, KernelFacts
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


@small
class Reason:
    """One step of why a unit is what it is: the rule that decided, and the sentence for the user."""

    rule: str
    text: str


@small
class Lsu:
    """`count` equal units that serve the accesses `members` (the first is where the unit is shown).

    `width_bits` is the request width the report shows, never capped. `useful_bytes` is what the members
    move per execution of the access (one work-item, one iteration), counted once where they overlap,
    for all `count` units together. `stride` is δ: the step between neighbouring work-items or iterations
    over `useful_bytes` (1: nothing is discarded, 0: the same address, None: not known or data-dependent);
    `stride_text` says it in symbols. `lanes` is v, how many executions one clock cycle issues: SIMD lanes
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
    stride_text: str
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
