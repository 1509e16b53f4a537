"""The document behind the kernel view: what the page shows, as one JSON; it computes and formats nothing itself.

Figures that are drawn or sorted by are numbers in SI units, next to the text that every other surface prints.
None is not known, never zero.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, computed_field

from burstline_model.estimate.kernel_estimate import Bound
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


class RowView(Record):
    """What an access or a loop takes of its kernel's time; `place` is None for what belongs to the whole kernel.

    `ideal_s` is what the transfer takes at best, 0 for what is no access.
    """

    text: str
    detail: str
    place: PlaceView | None
    time_s: float
    ideal_s: float
    time: str
    share_text: str


class HunkView(Record):
    """Lines that an edit changes, with some around them: `line` is the first one's number before the edit, from 1.

    A pair has a line before and after it; None where there is none on this side.
    """

    line: int
    pairs: list[tuple[str | None, str | None]]


class EditView(Record):
    """An edit on offer: the kernel's time before and after it, and the lines that it changes."""

    id: str
    """What `burstline/applyEdit` takes."""
    title: str
    reason: str
    """What limits the kernel before and after it; empty where that is not known."""
    needs: Literal["proved", "assertion", "host"]
    before: str
    after: str
    gain: float | None
    """How many times faster the kernel is."""
    hunks: list[HunkView]
    host: str
    """What the host program does for it, as C text."""


class StageView(Record):
    """A kernel of a network that channels join; `slowest`: all others wait for it."""

    kernel: str
    line: int
    time: str
    time_s: float | None
    slowest: bool


class NetworkView(Record):
    """Kernels that run at the same time, and what channels lead from one to another (by their places)."""

    stages: list[StageView]
    links: list[tuple[int, int, str]]
    remark: str


class KernelView(Record):
    """One kernel: `time` and the other texts are those of its card; `limit` and `lever` follow it in its first line."""

    name: str
    kind: str
    line: int
    end_line: int
    time: str
    limit: str
    lever: str
    assumed: str
    """The sizes that `rows` rest on where the kernel's own are missing, else empty."""
    levers: list[str]
    rows: list[RowView]
    """The largest first; what is small is one row."""
    total: str
    edits: list[EditView] | None
    """The most useful first; None where nobody asked for them yet."""
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
    networks: list[NetworkView]
    findings: list[DiagnosticReport]


class FieldView(Record):
    """A size that can be set: the setting as a comment takes it, its value now, a usual one, and who gave it."""

    setting: str
    label: str
    sizes: bool
    """One to three numbers; else one."""
    value: str
    usual: str
    given_by: str
    missing: bool
    """Whether the kernel's time waits for it."""


class KnobView(Record):
    """Lanes, compute units or the unrolling of a loop (0: fully), its value now, and the smallest that it takes."""

    id: str
    """What `burstline/viewDocument` takes."""
    label: str
    value: int
    least: int


class ControlsView(Record):
    """What a host lets the user change, and its value now."""

    boards: dict[str, str]
    """Titles by name."""
    board: str
    f_max_mhz: float
    f_max_range_mhz: tuple[float, float]
    fields: list[FieldView]
    knobs: list[KnobView] = []


class ViewDocument(Record):
    """All that the page shows. `controls` are for hosts that answer them: an editor."""

    version: Literal[1] = 1
    tool: str
    title: str
    files: list[FileView]
    controls: ControlsView | None = None
