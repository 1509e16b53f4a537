"""What the model read from measured design spaces, and the model without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from burstline_model.estimate import concurrent
from burstline_model.parallelism import loop_copies
from burstline_model.pipeline import latencies


def _unrolling() -> dict[str, Any]:
    return vars(loop_copies)


def _stratix_v() -> dict[str, Any]:
    return latencies._tables()["Stratix V"]


def _together() -> dict[str, Any]:
    return vars(concurrent)


def _arria_10() -> dict[str, Any]:
    return latencies._tables()["Arria 10"]


@dataclass(frozen=True)
class Constant:
    """A constant that was read from a design space, and what it would be without that space.

    `holder` is the mapping that has it under `name`; where it has not, there is nothing to take back.
    """

    space: str
    what: str
    holder: Callable[[], dict[str, Any]]
    name: str
    without: int


CONSTANTS = (
    Constant(
        "mm", "most copies of a nest unrolled without a pragma: 16; else none", _unrolling, "MAX_AUTOMATIC_NEST", 2
    ),
    Constant("hist", "update of a local array, Stratix V: 7 cycles; else as Arria 10", _stratix_v, "array_update", 2),
    Constant("HSTI", "update of a local array, Arria 10: 2 cycles; else as Stratix V", _arria_10, "array_update", 6),
    Constant(
        "HSTI",
        "atomics of kernels that run together overlap; else one after the other",
        _together,
        "ATOMICS_OVERLAP",
        0,
    ),
)
READ = (
    *((c.space, c.what) for c in CONSTANTS),
    ("mm", "work-groups follow each other in loops whose passes fill local arrays again (not taken back)"),
    ("hist", "neighbours under different conditions share a unit in 14.1 as from 20.0 on (not taken back)"),
    ("dct", "with barriers, loops that some work-items pass by take one work-group at a time (not taken back)"),
    ("PS", "a value that the next iteration loads again stays in a register (not taken back)"),
    *((space, "nothing") for space in ("fir", "MM", "PAD")),
)
"""All that was read, by space."""


@contextmanager
def without(constant: Constant) -> Iterator[bool]:
    """The model without the space that a constant was read from; whether there was anything to take back."""
    holder = constant.holder()
    before = holder.get(constant.name)
    if before is None:
        yield False
        return
    holder[constant.name] = constant.without
    _read_anew()
    try:
        yield True
    finally:
        holder[constant.name] = before
        _read_anew()


def _read_anew() -> None:
    """Forget the tables that were made of the constants."""
    latencies._table.cache_clear()
    latencies._early.cache_clear()
