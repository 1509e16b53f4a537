"""How long operations take on a device family, from ``operations.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from burstline_model.body_operations import StepCount
from burstline_model.compiler.lsu_rules.evidence import origin_of
from burstline_model.devices.like import chain_of, whole_table
from burstline_model.record import Record
from burstline_model.target import Family

LATEST = (99, 0, 0)
ONE_CYCLE_SINCE = (17, 0, 0)
"""From this version on loops count one cycle for a load of on-chip memory that they wait for, and one for a store.

Vendor reports print so for Arria 10 (OxfordSKA/FPGA_Gridding, 17.1) and Stratix 10 (angelicadavila/FPGA_MEMORY_HLS,
19.4); on Cyclone V such a loop has II 2 (gandautama/PipeCNN, 17.0). One of 16.1 takes more (esa-tu-darmstadt/
AutoDock-Aurora).
"""
LIGHT = frozenset({"int add", "int compare", "int select"})
LIGHT_SUMS = frozenset({"int add", "int compare"})
IN_ONE_CYCLE = 8
"""So many of these follow each other within one cycle of a loop.

Spector's filters (14.1) take 1.05 cycles an iteration around four of them, and two iterations 1.1 around eight.
"""
_REALS = ("float", "double", "half")
_LIKE = {"convert": "add", "truncate": "add", "round": "add", "rem": "div"}
"""Operations that shift and normalise as an addition does."""


class Doubles(Record):
    """Cycles that an addition of doubles takes, and those that a loop around them adds once; from which reports.

    `feedback` is None where they are those of any loop; `document` is the print that states the figures.
    """

    source: str
    document: str = ""
    repositories: tuple[str, ...] = ()
    add: int
    feedback: int | None = None


class OperationTable(Record):
    """Latencies in clock cycles by kind of operation.

    `source` says where they come from, `document` which print states them, `repositories` from whose vendor reports
    they follow (loops with an initiation interval above 1).
    """

    source: str
    document: str = ""
    repositories: tuple[str, ...] = ()
    feedback: int
    accumulator: bool
    """Whether the family adds floats in hard blocks that can feed themselves every cycle."""
    shared: bool
    """Whether units share the way to global memory: latencies are those of a kernel's only one."""
    global_load: int
    global_store: int
    local_load: int
    local_store: int
    local_turn: int
    """Cycles of a load and a store of on-chip memory in the way from one iteration to the next."""
    array_update: int
    """Cycles until an element of an array in memory blocks is read and, once changed, can be read again."""
    ports: int
    """Accesses that a block of on-chip memory takes in a cycle."""
    dram: int
    """Cycles until a request to memory is answered (WANG's #DRAM_lat)."""
    scheduled: dict[str, float] = {}
    """Cycles of operations on the way through global memory, where reports print others than loops through registers
    have."""
    real: dict[str, int]
    whole: dict[str, int]
    double: Doubles
    """Sums of doubles; their other operations take twice as long as those of floats."""

    def latency(self, operation: str) -> float:
        """Cycles of an operation such as "float add" or "global load"."""
        base, _, name = operation.partition(" ")
        if name in {"load", "store"}:
            space = "global" if base == "global" else "local"
            table = {
                "global load": self.global_load, "global store": self.global_store,
                "local load": self.local_load, "local store": self.local_store,
            }  # fmt: skip
            return table[f"{space} {name}"] if base != "private" else 0
        if name == "select":
            return 0
        if base in _REALS:
            fused = self.real.get("multiply-add") if base == "float" else None
            if name == "multiply-add":
                return fused if fused is not None else self.latency(f"{base} add")
            if name == "copied multiply-add":
                return self.real.get(name, self.latency(f"{base} multiply-add"))
            if name == "fused mul":
                return 0 if fused is not None else self.latency(f"{base} mul")
            if base == "double" and name in {"add", "round"}:
                return self.double.add
            wide = 2 if base == "double" else 1
            alike = self.real.get(_LIKE.get(name, name), self.real["function"])
            return self.real.get(name, alike) * wide
        return self.whole.get(_LIKE.get(name, name), 1)

    def turn(self, space: str) -> float:
        """Cycles of a load and a store in the way from one iteration to the next."""
        return self.global_load + self.global_store if space == "global" else self.local_turn

    def around(self, steps: Iterable[StepCount]) -> int:
        """What a loop adds once to the latencies of a chain that comes back."""
        own = self.double.feedback if any(s.operation.startswith("double ") for s in steps) else None
        return self.feedback if own is None else own

    def chain(self, steps: tuple[StepCount, ...]) -> float:
        """Cycles of a chain, each step once."""
        return sum(self.latency(s.operation) * s.count for s in steps)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / "operations.toml").read_text("utf-8"))


def _read(name: str) -> dict[str, Any]:
    return _tables()[name]


def operation_table(
    family: Family, version: tuple[int, int, int] = LATEST, *, without: str | None = None
) -> OperationTable:
    """The table of a device family under a compiler version.

    `without`: a repository that is left out, with its forks. A table without other evidence is replaced by the one of
    the nearest family.
    """
    name = _named(family, version)
    if without is not None:
        name = next(like for like, table in chain_of(name, _read) if _known_without(table, without))
    found = _table(name) if version >= ONE_CYCLE_SINCE else _early(name)
    return found if without is None else found.model_copy(update={"double": _doubles(name, without)})


def _doubles(name: str, without: str = "") -> Doubles:
    """What the nearest table says of doubles, of those that rest on others than the repository left out."""
    own = (table["double"] for _, table in chain_of(name, _read) if "double" in table)
    return next(Doubles.model_validate(one) for one in own if _known_without(one, without))


def _named(family: Family, version: tuple[int, int, int]) -> str:
    """The table of a family that holds for a compiler: the first ``FAMILY to VERSION`` that it is not newer than."""
    bounded = [(_last(name), name) for name in _tables() if name.startswith(f"{family} to ")]
    return next((name for last, name in sorted(bounded) if version[:2] <= last), family)


def _last(name: str) -> tuple[int, int]:
    major, _, minor = name.rpartition(" ")[2].partition(".")
    return int(major), int(minor) if minor.isdecimal() else 99


def _known_without(table: Mapping[str, Any], repository: str) -> bool:
    return bool(table.get("document")) or _others(table.get("repositories", ()), repository)


def _others(repositories: Iterable[str], without: str) -> bool:
    """Whether a repository is named that is neither the one left out nor a fork of it."""
    origin = origin_of(without)
    return any(origin_of(one) != origin for one in repositories)


@cache
def _early(name: str) -> OperationTable:
    """A table for compilers that count all that a load and a store of on-chip memory take."""
    found = _table(name)
    return found.model_copy(update={"local_turn": found.local_load + found.local_store})


@cache
def _table(name: str) -> OperationTable:
    found = whole_table(name, _read, own_only={"document", "repositories", "scheduled"})
    return OperationTable.model_validate({**found, "double": _doubles(name)})
