"""The stable JSON of ``burstline check --format json``; its JSON schema is exported from these records."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from burstline_model.devices.resource_use import Resource
from burstline_model.estimate.kernel_estimate import Bound, Limit
from burstline_model.facts import KernelModel, Space
from burstline_model.lsu import Confidence, Style
from burstline_model.record import Record


class _WithOther(Record):
    """A record whose fields about another reading are left out where there is none."""

    OTHERS: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_others(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if value is not None or name not in self.OTHERS}


class RequestReport(Record):
    """Requests of one width."""

    width_bits: int
    count: int


class OtherReadingReport(Record):
    """What another reading, such as "LLVM 15", leaves of an operation on a line. `same`: as many and as wide."""

    by: str
    same: bool
    requests: list[RequestReport]


class LsuReport(Record):
    """One kind of unit of an access."""

    style: Style
    width_bits: int
    count: int
    runner_up: Style | None
    """The style that comes closest, where the call is close."""


class Location(Record):
    """A place in the file, 1-based, columns in UTF-16 units."""

    line: int
    column: int


class MacroReport(Record):
    """A macro that an access comes from, and where it is defined: in `path`, or (null) in this file."""

    name: str
    path: str | None
    location: Location | None


class AccessReport(_WithOther):
    """One access, at the place whose line the report of the target's compiler names.

    `lsus` is empty and `merged_into` set when another access's unit serves it.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    op: Literal["load", "store", "atomic"]
    space: Space
    pointer: str
    element_bytes: int
    index: str
    stride: int | str | None
    bank: int | list[int] | None
    confidence: Confidence
    lsus: list[LsuReport]
    merged_into: Location | None
    call_chain: list[Location]
    macro: MacroReport | None
    bytes: float | None
    fetched_bytes: float | None
    """What the memory moves for `bytes`: whole words, and again what no cache keeps."""
    fetched_low_bytes: float | None
    fetched_high_bytes: float | None
    """The same at least and at most, where data decide."""
    moves: str | None
    """How the address moves from one request to the next; null in the faithful mode and on the chip."""
    t_ideal_ms: float | None
    t_ovh_ms: float | None
    time_ms: float | None
    time_low_ms: float | None
    time_high_ms: float | None
    """The range of `time_ms` that the clock, and what data decide, leave."""
    saturated: bool | None
    f_min_mhz: float | None
    why: list[str]
    steps_by: str | None = None
    """The other reading that the address's steps are of; left out where they are Burstline's."""
    other_reading: OtherReadingReport | None = None
    """Left out without one."""
    OTHERS: ClassVar[tuple[str, ...]] = ("steps_by", "other_reading")


class IncludedReport(Record):
    """The accesses of a kernel that are in a file it includes."""

    path: str
    accesses: list[AccessReport]


class LoopReport(_WithOther):
    """One loop; null is not known.

    `carries`: dependences from one iteration to a later one, in the words of the feed-forward paper: through private
    values (DLCD), through global memory (MLCD), safe where no load comes after the store that it could depend on.
    """

    line: int
    trip: float | None
    ii: float | None
    unroll: int
    pipelined: bool | None
    serialised_by: str | None
    carries: list[Literal["DLCD", "safe MLCD", "unsafe MLCD"]]
    trip_by: str | None = None
    """The other reading that the trip count is of; left out where it is Burstline's."""
    OTHERS: ClassVar[tuple[str, ...]] = ("trip_by",)


class PotentialsReport(Record):
    """WANG's potentials."""

    b_mem: float | None
    b_comp: float | None
    b_balance: float | None
    b_itpp: float | None


class AmountsReport(Record):
    """Adaptive logic modules, registers, RAM blocks and DSP blocks."""

    logic_alms: float
    registers: float
    rams: float
    dsps: float


class PartReport(AmountsReport):
    """One piece of one compute unit; `line` is null where no line asks for it."""

    label: str
    line: int | None
    why: str


class ClockReport(Record):
    """The clock that place and route is expected to reach."""

    low_mhz: float
    typical_mhz: float
    high_mhz: float
    why: str


class ResourcesReport(Record):
    """What a kernel takes of the device, all compute units, and what else there is.

    `shares` are of what the shell leaves free, `errors` the known median relative errors of the estimate,
    `copies_that_fit` how many compute units stay below 80 % of the device. `reported`: the figures are a build's.
    """

    kernel: AmountsReport
    shell: AmountsReport
    device: AmountsReport
    shares: AmountsReport
    errors: dict[Resource, float]
    limiting: Resource
    copies_that_fit: int
    f_max: ClockReport
    reported: bool
    parts: list[PartReport]


class AssumedTripsReport(Record):
    """Iterations that are assumed of a loop."""

    line: int
    trips: int


class AssumedAccessReport(Record):
    """What an access moves and takes at assumed sizes, all its units together."""

    line: int
    column: int
    pointer: str
    bytes: float | None
    time_ms: float | None
    time_low_ms: float | None
    time_high_ms: float | None
    """The range of `time_ms` that the clock, and what data decide, leave."""


class AssumedReport(Record):
    """A kernel at assumed sizes, while its own are not known: none of these figures is in any other field or total.

    `global_size` is null where it is given, or there are no work-items.
    """

    global_size: list[int] | None
    loops: list[AssumedTripsReport]
    time_ms: float | None
    time_low_ms: float | None
    time_high_ms: float | None
    time_at_worst: Literal["data", "order"] | None
    limit: Limit
    bound: Bound
    accesses: list[AssumedAccessReport]


class LeastTimeReport(Record):
    """The time of a kernel whose loops data end, if each of them runs once: it takes no less.

    `loops` are the lines of these loops. Where one works off what channels bring, `iteration_of` is its line, and the
    time is that of an iteration of it. `global_size` and `assumed_loops` are what is assumed besides: null and empty
    where all of it is given.
    """

    time_ms: float
    limit: Limit
    loops: list[int]
    iteration_of: int | None
    global_size: list[int] | None
    assumed_loops: list[AssumedTripsReport]


class FirstLineReport(Record):
    """What is said of a kernel first, in its parts, as editors have it over the kernel; empty where not known.

    `limit` is what sets the time, and where; `lever` the most useful change, and the time after it.
    """

    time: str
    limit: str
    lever: str


class KernelReport(Record):
    """One kernel."""

    name: str
    line: int
    model: KernelModel
    simd: int
    compute_units: int
    time_ms: float | None
    time_low_ms: float | None
    time_high_ms: float | None
    """The range of `time_ms` that the clock, and what data decide, leave."""
    time_at_worst: Literal["data", "order"] | None
    """What may leave far less of `time_ms`, which is then the most: data, or the order of work-items. Else null."""
    host_time_ms: float | None
    """The kernel's time with what a host's timer around the launch adds to it."""
    time_per_item_ns: float | None
    bound: Bound
    first_line: FirstLineReport
    at_assumed_sizes: AssumedReport | None
    """Null where the time is known, or where assuming sizes makes no sense."""
    least_time: LeastTimeReport | None
    """Null where the time is known, at assumed sizes too, or where such a time would say nothing."""
    potentials: PotentialsReport
    resources: ResourcesReport | None
    loops: list[LoopReport]
    accesses: list[AccessReport]
    hidden: list[AccessReport]
    """Stores that nobody wrote: printf's, to a hidden buffer."""
    included: list[IncludedReport]


class FixReport(Record):
    """A quick fix that is on offer."""

    title: str
    predicted_speedup: float | None
    predicted_speedup_low: float | None
    predicted_speedup_high: float | None
    """The range of `predicted_speedup`, as the title gives it; null where it does not pay at both ends."""


class DiagnosticReport(Record):
    """One finding."""

    code: str
    severity: Literal["information", "hint", "warning", "error"]
    line: int
    column: int
    message: str
    fixes: list[FixReport]


class WithheldReport(Record):
    """A kernel without figures, and the faults of the program that it has none for."""

    name: str
    line: int
    reasons: list[str]


class BuildLineReport(Record):
    """The compiler's command line that the file is built with, as a Makefile, CMake file, script or database has it.

    `board` is the name that it gives, known or not; `not_taken` are other command lines for the file, as "Makefile:9".
    """

    file: str
    line: int
    board: str | None
    defines: dict[str, str]
    include_paths: list[str]
    flags: list[str]
    emulated: bool
    not_taken: list[str]


class FileReport(Record):
    """One file. `board_from` says where the board is named, or why it is taken, where no option or setting names it."""

    path: str
    board: str
    board_from: str = ""
    build_line: BuildLineReport | None = None
    kernels: list[KernelReport]
    withheld: list[WithheldReport]
    diagnostics: list[DiagnosticReport]


class Report(Record):
    """The whole answer. `schema` changes when a field changes its meaning or goes."""

    schema_: Literal[1] = 1
    tool: str
    files: list[FileReport]

    def to_json(self) -> str:
        """The answer as JSON."""
        data = {"schema": self.schema_, **self.model_dump(mode="json", exclude={"schema_"})}
        return json.dumps(data, indent=1, ensure_ascii=False)


def json_schema() -> dict[str, object]:
    """The JSON schema of the answer."""
    schema = Report.model_json_schema()
    properties = schema["properties"]
    schema["properties"] = {"schema": properties.pop("schema_"), **properties}
    schema["required"] = ["schema", *schema.get("required", [])]
    return schema
