"""The document behind the kernel view: what the page shows, as one JSON; it computes and formats nothing itself.

Figures that are drawn or sorted by are numbers in SI units, next to the text that every other surface prints.
None is not known, never zero.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, computed_field

from burstline_model.estimate.answer import Bound
from burstline_model.launch import Provenance
from burstline_model.lsu import Confidence
from burstline_model.record import Record
from burstline_server.presentation.report import DiagnosticReport, LoopReport
from burstline_server.quantities import frequency_text, time_text


class PlaceView(Record):
    """A place, 1-based, columns in UTF-16 units; `path` is an included file's, or None for the kernel's own."""

    path: str | None
    line: int
    column: int
    end_line: int
    end_column: int


class AssumptionView(Record):
    """One input of the estimate: what it is, its value with unit, and where the value comes from."""

    name: str
    value: str
    provenance: Provenance


class NoteView(Record):
    """A labelled paragraph."""

    label: str
    text: str


class UnitView(Record):
    """One kind of unit of an access. Times are for `per`."""

    hint: str
    members: int
    """How many accesses it serves."""
    style: str
    count: int
    width: str
    detail: str
    stride: str
    per: Literal["work-item", "iteration", "launch"]
    t_ideal_s: float | None
    t_ovh_s: float | None
    time_s: float | None
    t_ideal: str
    t_ovh: str
    time: str
    share: float | None
    share_text: str
    bandwidth: str
    saturated: bool | None
    confidence: Confidence


class AccessView(Record):
    """One access. `units` is empty where another access's unit serves it, the one at `served_at`."""

    place: PlaceView
    text: str
    op: str
    space: str
    units: list[UnitView]
    served_at: PlaceView | None
    notes: list[NoteView]


class PotentialView(Record):
    """One of WANG's potentials, 0 to 1."""

    label: str
    value: float


class RoofView(Record):
    """A roof, 10^9 operations (compute) or bytes (bandwidth) per second, and what it comes from."""

    kind: Literal["compute", "bandwidth"]
    label: str
    value: float
    why: str


class PointView(Record):
    """A kernel on the roofline: operations per byte, 10^9 operations per second."""

    label: str
    intensity: float
    performance: float


class RooflineView(Record):
    """A roofline. `replication_limit`: the most copies that still pay; `form`: where a launch finds its data."""

    unit: Literal["FLOP", "op"]
    roofs: list[RoofView]
    points: list[PointView]
    replication_limit: int | None
    limited_by: str
    form: Literal["A", "B", "C"]


class VariantView(Record):
    """A variant of a kernel: its knobs, time and shares of the device (0 to 1, more where it does not fit)."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    knobs: dict[str, str]
    time_ms: float | None
    f_max_mhz: float
    logic: float | None = None
    registers: float | None = None
    rams: float | None = None
    dsps: float | None = None
    feasible: bool
    why: str
    pareto: bool
    setting: str | None = None
    """What `burstline/applyVariant` takes, as JSON; None where nothing can be edited."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def time(self) -> str:
        """The time as every surface writes it."""
        return time_text(self.time_ms / 1e3) if self.time_ms is not None else "not known"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def f_max(self) -> str:
        """The clock as every surface writes it."""
        return frequency_text(self.f_max_mhz * 1e6)


class KernelView(Record):
    """One kernel: `time` and the other texts are those of its card."""

    name: str
    kind: str
    line: int
    time: str
    time_s: float | None
    bound: Bound
    wall: str
    bandwidth: str
    bandwidth_share: float | None
    unit_count: int
    confidence: Confidence | None
    potentials: list[PotentialView]
    notes: list[NoteView]
    assumptions: list[AssumptionView]
    accesses: list[AccessView]
    loops: list[LoopReport]
    roofline: RooflineView | None
    variants: list[VariantView]


class FileView(Record):
    """One file with its text."""

    path: str
    text: str
    board: str
    remark: str | None
    kernels: list[KernelView]
    findings: list[DiagnosticReport]


class ControlsView(Record):
    """What a host lets the user change, and its value now. `global_size` is None where there are no work-items."""

    boards: dict[str, str]
    """Titles by name."""
    board: str
    f_max_mhz: float
    f_max_range_mhz: tuple[float, float]
    global_size: tuple[int, ...] | None
    knobs: dict[str, int] = {}
    """Lanes, compute units and unrolling, with their values now."""


class ViewDocument(Record):
    """All that the page shows. `controls` are for hosts that answer them: an editor."""

    version: Literal[1] = 1
    tool: str
    title: str
    files: list[FileView]
    controls: ControlsView | None = None
