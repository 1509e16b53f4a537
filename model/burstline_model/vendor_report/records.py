"""A vendor report as records. Nothing here knows which file layout or compiler version it came from."""

from __future__ import annotations

from typing import Literal

from burstline_model.lsu import Style
from burstline_model.record import Record

Operation = Literal["load", "store", "atomic"]
Exactness = Literal["exact", "about", "at least"]
GLOBAL_STYLES: tuple[Style, ...] = (
    "Burst-coalesced", "Burst-coalesced non-aligned", "Burst-coalesced cached", "Burst-coalesced non-aligned cached",
    "Burst-coalesced write-ack", "Burst-coalesced write-ack non-aligned", "Prefetching", "Streaming",
    "Semi-streaming", "Simple", "Atomic-pipelined",
)  # fmt: skip
"""Units on global memory, in the report's own words."""


class ReportedUnit(Record):
    """`count` equal load/store units on global memory at one place. `width_bits` is None where the report is silent."""

    kernel: str
    file: str
    line: int
    op: Operation
    style: Style
    width_bits: int | None
    count: int = 1


class ReportedLoop(Record):
    """A loop as it was scheduled. `ii` with its exactness (``~n`` is about, ``>=n`` at least), None where not given.

    `kernel` is empty where the report does not say (16.x). `unrolled` means that no loop is left in hardware.
    """

    kernel: str
    file: str
    line: int
    depth: int
    pipelined: bool | None
    ii: int | None
    exactness: Exactness
    bottleneck: str
    details: tuple[str, ...] = ()
    unrolled: bool = False


class Usage(Record):
    """Resources in the report's units; None where it gives none."""

    aluts: float | None = None
    alms: float | None = None
    ffs: float | None = None
    rams: float | None = None
    dsps: float | None = None
    mlabs: float | None = None

    @property
    def known(self) -> bool:
        """Whether any figure is known."""
        return any(value is not None for value in (self.aluts, self.alms, self.ffs, self.rams, self.dsps))


class ReportedKernel(Record):
    """One kernel's line in the report: `usage` as the compiler estimates it, `fitted` as place and route made it."""

    name: str
    usage: Usage = Usage()
    fitted: Usage = Usage()
    compute_units: int | None = None


class SourceText(Record):
    """A source file as the report keeps it: the text that was compiled."""

    name: str
    text: str


class VendorReport(Record):
    """One build. `f_max_mhz` is what place and route reached, `target_f_max_mhz` what the compiler scheduled for.

    `complete` means that the report lists load/store units and loops, not only resources.
    """

    path: str
    complete: bool = False
    family: str | None = None
    device: str | None = None
    board: str | None = None
    aoc_version: str | None = None
    command: str = ""
    f_max_mhz: float | None = None
    target_f_max_mhz: float | None = None
    units: tuple[ReportedUnit, ...] = ()
    loops: tuple[ReportedLoop, ...] = ()
    kernels: tuple[ReportedKernel, ...] = ()
    total: Usage = Usage()
    shell: Usage = Usage()
    available: Usage = Usage()
    utilisation: dict[str, float] = {}
    """Shares of the device, 0 to 1, where only those are given (``logic``, ``ffs``, ``rams``, ``dsps``)."""
    sources: tuple[SourceText, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The ``-D`` and ``-I`` options of the build's command line, and the flags that change memory."""
        parts = self.command.split()
        found: list[str] = []
        for i, part in enumerate(parts):
            if part in {"-D", "-I"} and i + 1 < len(parts):
                found.append(part + parts[i + 1])
            elif part[:2] in {"-D", "-I"} and len(part) > 2:
                found.append(part)
        return tuple(found)

    def source(self, name: str) -> str | None:
        """The text of a source file that was compiled, by its base name."""
        return next((s.text for s in self.sources if s.name == name), None)
