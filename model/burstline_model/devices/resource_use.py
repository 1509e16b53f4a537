"""What a kernel takes of a device, in addition to the board's own logic."""

from __future__ import annotations

from math import inf
from typing import Literal

from burstline_model.record import Record, small

Resource = Literal["logic_alms", "registers", "rams", "dsps"]
RESOURCES: tuple[Resource, ...] = ("logic_alms", "registers", "rams", "dsps")
WORDS: dict[Resource, str] = {"logic_alms": "logic", "registers": "registers", "rams": "RAM", "dsps": "DSP"}
FULL = 0.8
"""From this share of a device on, place and route hardly succeeds (TYTRA)."""

ALMS_FOR_A_DSP = 365.0
"""Logic of a product of 27 bits without a DSP block: partial products, two to a row of adders (27² / 2).

Quartus makes products of logic where DSP blocks run out (its setting "DSP Block Balancing"); Spector's filters that
ask for 260 of 256 blocks were built.
"""


@small
class Amounts:
    """Adaptive logic modules, registers, RAM blocks of the family's size, DSP blocks."""

    logic_alms: float = 0.0
    registers: float = 0.0
    rams: float = 0.0
    dsps: float = 0.0

    def of(self, resource: Resource) -> float:
        """One of them."""
        return float(getattr(self, resource))

    def plus(self, other: Amounts, times: float = 1.0) -> Amounts:
        """These and `times` others."""
        return Amounts(
            logic_alms=self.logic_alms + times * other.logic_alms,
            registers=self.registers + times * other.registers,
            rams=self.rams + times * other.rams,
            dsps=self.dsps + times * other.dsps,
        )


@small
class Arithmetic:
    """Operations of a kind, and how many of them there are, the most first."""

    counts: tuple[tuple[str, float], ...]


@small
class Units:
    """The `count` load/store units of an access, and the private cache of each, where they have one."""

    style: str
    op: str
    pointer: str
    count: int
    width_bits: int
    cache_bits: int | None


@small
class InRegisters:
    """An array of so many bits that is kept in registers."""

    bits: int


@small
class InBlocks:
    """An array in RAM blocks: its width, its banks, and copies for reads in one cycle."""

    bits: int
    width_bits: int
    banks: int
    replicas: int
    reads: int


@small
class Array:
    """An array on the chip; `size` is None where its length is not known: then it is not counted."""

    space: str
    name: str
    size: InRegisters | InBlocks | None


Piece = Literal["dispatch", "pipeline", "loop_control", "channels", "interconnect"] | Arithmetic | Units | Array


@small
class Part:
    """One piece of a compute unit, and the loop, access or array that asks for it; nothing does for the fabric."""

    of: Piece
    amounts: Amounts
    loop: int | None = None
    access: int | None = None
    array: str | None = None


class ResourceUse(Record):
    """A kernel on a device: one compute unit, how many there are, and what else is on the device.

    `shell` is the board's own logic and `device` the whole of it. `errors` are the known median relative errors of the
    estimate; `reported` figures come from a build.
    """

    unit: Amounts
    compute_units: int
    shell: Amounts
    device: Amounts
    parts: tuple[Part, ...] = ()
    errors: dict[Resource, float] = {}
    reported: bool = False

    @property
    def asked(self) -> Amounts:
        """What all compute units ask for, without the shell."""
        return Amounts().plus(self.unit, self.compute_units)

    @property
    def kernel(self) -> Amounts:
        """All compute units of the kernel, without the shell; products that find no DSP block are made of logic."""
        asked, free = self.asked, self.device.dsps - self.shell.dsps
        over = 0.0 if self.reported or not self.device.dsps else max(0.0, asked.dsps - free)
        return asked.plus(Amounts(logic_alms=ALMS_FOR_A_DSP, dsps=-1.0), over) if over else asked

    @property
    def logic_alms(self) -> float:
        """ALMs of the kernel, all compute units."""
        return self.kernel.logic_alms

    @property
    def registers(self) -> float:
        """Registers of the kernel, all compute units."""
        return self.kernel.registers

    @property
    def rams(self) -> float:
        """RAM blocks of the kernel, all compute units."""
        return self.kernel.rams

    @property
    def dsps(self) -> float:
        """DSP blocks of the kernel, all compute units."""
        return self.kernel.dsps

    @property
    def shares(self) -> dict[Resource, float]:
        """The kernel's share of what the board leaves free, 0 to 1 and more."""
        return self.shares_of(self.kernel)

    def shares_of(self, amounts: Amounts) -> dict[Resource, float]:
        """The share of what the board leaves free that some amounts are."""
        return {
            name: amounts.of(name) / max(whole - self.shell.of(name), 1.0) if (whole := self.device.of(name)) else 0.0
            for name in RESOURCES
        }

    @property
    def utilisation(self) -> dict[Resource, float]:
        """The share of the whole device that kernel and shell take together."""
        return self.of_device(self.kernel.plus(self.shell))

    def of_device(self, amounts: Amounts) -> dict[Resource, float]:
        """The share of the whole device that some amounts are."""
        return {n: _share(amounts.of(n), self.device.of(n)) for n in RESOURCES}

    @property
    def limiting(self) -> Resource:
        """The scarcest resource."""
        shares = self.shares
        return max(RESOURCES, key=lambda name: shares[name])

    @property
    def b_comp(self) -> float:
        """B_comp (WANG Eq. 20): what is free of the scarcest resource, as a share of what the board leaves free."""
        return max(0.0, 1.0 - self.shares[self.limiting])

    def copies_that_fit(self, share: float = FULL) -> int:
        """How many compute units fit while no resource exceeds `share` of the device (TYTRA's SC)."""
        most = inf
        for name in RESOURCES:
            each = self.unit.of(name) if self.device.of(name) else 0.0
            room = share * self.device.of(name) - self.shell.of(name)
            if each > 0:
                most = min(most, room / each)
        return max(0, int(most)) if most != inf else 0

    def with_compute_units(self, count: int) -> ResourceUse:
        """The same kernel in `count` compute units."""
        return self.model_copy(update={"compute_units": count})


def _share(used: float, of: float) -> float:
    """A share, 0 of a resource that is not known or that the device does not have."""
    return used / of if of > 0 else 0.0
