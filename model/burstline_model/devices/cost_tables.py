"""The cost tables of device families, from ``families/*.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field

from burstline_model.devices.cost import Cost
from burstline_model.devices.like import whole_table
from burstline_model.devices.resource_use import Resource
from burstline_model.record import Record
from burstline_model.target import Family

Row = tuple[float, ...]
"""ALUTs, registers, RAM blocks, DSP blocks; what is left out at the end is nothing."""
Pieces = Annotated[int, Field(ge=0, le=1_000_000_000)]


class Device(Record):
    """A device, and what the board's own logic (its shell) takes of it."""

    alms: Pieces
    registers: Pieces
    rams: Pieces
    dsps: Pieces
    shell_alms: Pieces
    shell_registers: Pieces
    shell_rams: Pieces
    shell_dsps: Pieces
    source: str


class UnitCost(Record):
    """A load/store unit of a style: what it takes at any width, and for each bit of its width."""

    base: Row
    per_bit: Row = ()


class Memory(Record):
    """A RAM block: its bits, the widest word it gives, and how many reads and writes a block serves in one cycle.

    Arrays of up to `register_bits` are kept in registers.
    """

    ram_bits: int
    ram_width_bits: int
    reads: int
    register_bits: int
    items_in_flight: int
    source: str


class Fabric(Record):
    """What place and route makes of reported costs, and of what holds the pieces together.

    `alms_per_alut` and `registers_per_register` turn counted pieces into placed ones. The rows are ALMs, registers and
    RAM blocks as placed: for each loop that hardware keeps, for each bit that operations hand on in kernels of one
    work-item (`loop_bit`) and of many (`item_bit`), for each bit of load/store units, for each bit of a private array
    that many work-items carry through the pipeline, for each bit and end of a channel, for each load/store unit's way
    to memory. `dispatch` is a piece as reports list it.
    """

    dispatch: Row
    alms_per_alut: float
    registers_per_register: float
    loop: Row
    loop_bit: Row
    item_bit: Row
    unit_bit: Row
    item_array_bit: Row
    channel_bit: Row
    interconnect: Row
    source: str


class Clock(Record):
    """f_max in MHz by the share of the fullest of `by`: `empty_mhz` less `fall_mhz` times it, never below `floor_mhz`.

    Eight builds of ten lie between `low` and `high` times that. `shell`: whether the board's own logic counts; where it
    is a partition of its own, kernels have the rest to themselves.
    """

    by: tuple[Resource, ...]
    empty_mhz: float
    fall_mhz: float
    floor_mhz: float
    low: float
    high: float
    source: str
    shell: bool = True


class CostTable(Record):
    """All of a family."""

    family: str
    device: Device
    operations: dict[str, Row]
    units: dict[str, UnitCost]
    cache_bytes: int
    """A private cache, where nothing asks for another size."""
    memory: Memory
    fabric: Fabric
    clock: Clock
    fused: bool
    """Whether a floating-point product and the sum it goes into share one DSP block."""
    errors: dict[Resource, float]
    """Median relative error, held out, by resource."""
    sources: dict[str, str]

    def operation(self, kind: str, width_bits: int) -> Cost:
        """One operation; integer rows hold for 32 bits and scale with the width where the width has no row."""
        exact = self.operations.get(f"{kind} {width_bits}")
        if exact is not None:
            return Cost(*exact)
        base = kind.partition(" ")[0]
        row = self.operations.get(kind) or self.operations[f"{base} function"]
        return Cost(*row) if base != "int" else Cost(*row).times(width_bits / 32)


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "families" / f"{name}.toml").read_text("utf-8"))


@cache
def cost_table(family: Family) -> CostTable:
    """The table of a device family: its own file over that of the family it names as `like`."""
    return CostTable.model_validate(whole_table(family.lower().replace(" ", "_"), _read))
