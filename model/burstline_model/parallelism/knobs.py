"""What can be turned on a kernel without reading its text again, and the kernel as it is with one value of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_model.parallelism.alias import HIDDEN
from burstline_model.record import Record

Positive = Annotated[int, Field(gt=0)]
Factor = Annotated[int, Field(ge=0)]
Clock = Annotated[float, Field(gt=0)]
LocalSize = tuple[Positive, ...]
KnobsMistake = Literal["no_loop", "no_pointer", "too_many"]


class KnobsError(ValueError):
    """Knobs that a kernel does not have, or with too many values: why, and what belongs to it."""

    def __init__(self, kind: KnobsMistake, *names: str | int) -> None:
        super().__init__(kind, *names)
        self.kind, self.names = kind, names


class Knobs(Record):
    """The values that each knob takes; the variants are all their combinations. Empty: as the source or launch says.

    `unroll` goes by the loop's id: 0 is fully, 1 rolled. `banks` are placements of pointers, laid over the launch's.
    A `local_size` of None is the launch's own.
    """

    simd: tuple[Positive, ...] = ()
    compute_units: tuple[Positive, ...] = ()
    unroll: dict[int, tuple[Factor, ...]] = {}
    f_max_mhz: tuple[Clock, ...] = ()
    banks: tuple[dict[str, Factor], ...] = ()
    local_size: tuple[LocalSize | None, ...] = ()

    def check(self, facts: KernelFacts) -> None:
        """Raise `KnobsError` for a loop or a pointer that the kernel does not have."""
        unknown = sorted(set(self.unroll) - {loop.id for loop in facts.loops})
        if unknown:
            raise KnobsError("no_loop", facts.name, unknown[0], len(facts.loops) - 1)
        pointers = {a.pointer for a in facts.accesses if a.space == "global" and a.pointer != HIDDEN}
        strange = sorted({name for one in self.banks for name in one} - pointers)
        if strange:
            known = ", ".join(sorted(pointers)) or "none"
            raise KnobsError("no_pointer", facts.name, strange[0], known)


class Variant(Record):
    """One value of each knob; `unroll` holds the loops that have a knob, a clock of None is estimated."""

    simd: int
    compute_units: int
    unroll: dict[int, int]
    f_max_mhz: float | None
    banks: dict[str, int]
    local_size: tuple[int, ...] | None

    def facts(self, facts: KernelFacts) -> KernelFacts:
        """The kernel as this variant has it."""
        return varied(facts, self.simd, self.compute_units, self.unroll)

    def launch(self, launch: Launch) -> Launch:
        """The launch as this variant has it."""
        return relaunched(launch, self.banks, self.local_size).model_copy(update={"f_max_mhz": self.f_max_mhz})


def varied(facts: KernelFacts, simd: int, compute_units: int, unroll: Mapping[int, int]) -> KernelFacts:
    """The facts as if the source asked for this; whether the compiler can do it is for `refusals` to say."""
    loops = tuple(
        loop.model_copy(update={"unroll": unroll[loop.id]}) if loop.id in unroll else loop for loop in facts.loops
    )
    return facts.model_copy(update={"simd": simd, "compute_units": compute_units, "loops": loops})


def exchanged(facts: KernelFacts, other: int = 1) -> KernelFacts:
    """The kernel with dimensions 0 and another one of its work-items in each other's place."""
    places = {0: other, other: 0}
    symbols = {
        name: replace(symbol, dimension=places.get(symbol.dimension, symbol.dimension))
        if symbol.kind in _OF_DIMENSION
        else symbol
        for name, symbol in facts.symbols.items()
    }
    return facts.model_copy(update={"symbols": symbols, "work_group_size": _exchanged(facts.work_group_size, other)})


def regrouped(facts: KernelFacts, size: tuple[int, ...]) -> KernelFacts:
    """The kernel with work-groups of another shape, if it requires one."""
    return facts.model_copy(update={"work_group_size": size}) if facts.work_group_size is not None else facts


def apart(facts: KernelFacts) -> KernelFacts:
    """The kernel with restrict on all its pointers to global memory."""
    promised = (replace(a, restrict=True) if a.is_pointer and a.space == "global" else a for a in facts.arguments)
    return facts.model_copy(update={"arguments": tuple(promised)})


def may_be_apart(facts: KernelFacts) -> bool:
    """Whether restrict is not said of each pointer yet: compilers give caches to those of which it is, alone too."""
    return not all(a.restrict for a in facts.arguments if a.is_pointer and a.space == "global")


def exchanged_launch(launch: Launch, other: int = 1) -> Launch:
    """The launch of such a kernel."""
    given = launch.provenance("local_size") != "default"  # one that is assumed stays as it is
    group = _exchanged(launch.local_size, other) if given else launch.local_size
    sizes = {"global_size": _exchanged(launch.global_size, other), "local_size": group}
    return launch.model_copy(update=sizes)


def _exchanged(sizes: tuple[int, ...] | None, other: int) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    whole = [*sizes, *[1] * (other + 1 - len(sizes))]
    whole[0], whole[other] = whole[other], whole[0]
    return tuple(whole)


_OF_DIMENSION = frozenset(
    {"global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "global_offset"}
)


def relaunched(launch: Launch, banks: Mapping[str, int], local_size: tuple[int, ...] | None) -> Launch:
    """The launch with other places of pointers and another work-group."""
    own = {"banks": {**launch.banks, **banks}, "local_size": local_size or launch.local_size}
    return launch.model_copy(update=own)
