"""From an assessment to the stable report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from burstline_model.compiler.infer import strides_launched
from burstline_model.compiler.reported_lines import named_at
from burstline_model.estimate.kernel_estimate import AssumedSizes, KernelEstimate, UnitEstimate
from burstline_model.facts import Access, Span
from burstline_model.lsu import Lsu, ReadBy
from burstline_model.pipeline.dependence import classes
from burstline_model.target import Target
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding
from burstline_server.presentation.build_line import build_line_report
from burstline_server.presentation.report import (
    AccessReport,
    AssumedAccessReport,
    AssumedReport,
    AssumedTripsReport,
    DiagnosticReport,
    FileReport,
    FirstLineReport,
    FixReport,
    IncludedReport,
    KernelReport,
    LeastTimeReport,
    Location,
    LoopReport,
    LsuReport,
    MacroReport,
    OtherReadingReport,
    PotentialsReport,
    RequestReport,
    WithheldReport,
)
from burstline_server.presentation.resource_report import resources_report
from burstline_server.source.locate import place_of
from burstline_server.source.source import Source
from burstline_server.words.accesses import unknown_address_text
from burstline_server.words.boards import board_text
from burstline_server.words.edits import fix_title, is_range
from burstline_server.words.findings import message_text
from burstline_server.words.units import stride_text, why_text
from burstline_server.words.verdict import decision
from burstline_server.words.waits import wait_text
from burstline_server.words.walks import moves_text

if TYPE_CHECKING:  # the rewrites are loaded where edits are asked for
    from burstline_server.rewrites.catalogue import Fix


def file_report(assessment: Assessment, findings: Collection[Finding], fixes: Sequence[Fix] = ()) -> FileReport:
    """The report of one file; each finding with the fixes that answer it at its place."""
    source = assessment.source
    return FileReport(
        path=assessment.path,
        board=assessment.board.name,
        board_from=board_text(assessment.board_why) if assessment.board_why is not None else "",
        build_line=build_line_report(assessment),
        kernels=[_kernel(assessment, k) for k in assessment.kernels],
        withheld=[
            WithheldReport(
                name=w.name,
                line=_location(source, w.name_span).line,
                reasons=[f.message for f in w.faults],
            )
            for w in assessment.withheld
        ],
        diagnostics=[
            DiagnosticReport(
                code=f.code,
                severity=f.severity,
                line=place.line + 1,
                column=place.column + 1,
                message=message_text(f),
                fixes=[_fix(x) for x in fixes if x.offer.answers(f)],
            )
            for f in findings
            for place in [place_of(source, f.span)]
        ],
    )  # fmt: skip


def _fix(fix: Fix) -> FixReport:
    gain = fix.gain.speedup_range if fix.gain is not None and is_range(fix.gain) else None
    low, high = gain or (None, None)
    return FixReport(
        title=fix_title(fix),
        predicted_speedup=fix.speedup,
        predicted_speedup_low=low,
        predicted_speedup_high=high,
    )


def _kernel(assessment: Assessment, kernel: KernelAssessment) -> KernelReport:
    source, target = assessment.source, assessment.target
    facts, estimate, first = kernel.facts, kernel.estimate, decision(assessment, kernel)
    launched = strides_launched(facts, target, kernel.launch.local_size)
    index = UnitIndex(estimate, launched)
    hidden = [_access(source, kernel, index, a, target) for a in facts.accesses if a.hint == "printf"]
    reports = [(a.span.file, _access(source, kernel, index, a, target)) for a in facts.accesses if a.hint != "printf"]
    included = dict.fromkeys(file for file, _ in reports if file is not None)
    return KernelReport(
        name=facts.name,
        line=_location(source, facts.name_span).line,
        model=facts.model,
        simd=facts.simd,
        compute_units=facts.compute_units,
        time_ms=_milli(estimate.time_s),
        time_low_ms=_milli(estimate.time_low_s),
        time_high_ms=_milli(estimate.time_high_s),
        time_at_worst=estimate.at_worst,
        host_time_ms=_milli(estimate.host_time_s),
        time_per_item_ns=estimate.time_item_s * 1e9 if estimate.time_item_s is not None else None,
        bound=estimate.bound,
        first_line=FirstLineReport(time=first.time, limit=first.limit, lever=first.lever),
        at_assumed_sizes=_at_assumed(source, kernel, target),
        least_time=_least_time(source, kernel),
        potentials=PotentialsReport(**estimate.potentials.model_dump()),
        resources=resources_report(source, facts, estimate.resources, target.family),
        loops=[
            LoopReport(
                line=_location(source, facts.loops[one.loop].span).line, trip=one.trip, ii=one.ii, unroll=one.unroll,
                pipelined=one.pipelined,
                serialised_by=wait_text(one.serialised_by) if one.serialised_by is not None else None,
                carries=list(classes(facts, facts.loops[one.loop])), trip_by=facts.loops[one.loop].trip_by or None,
            )
            for one in estimate.loops
        ],
        accesses=[report for file, report in reports if file is None],
        hidden=hidden,
        included=[IncludedReport(path=p, accesses=[r for file, r in reports if file == p]) for p in included],
    )  # fmt: skip


def _at_assumed(source: Source, kernel: KernelAssessment, target: Target) -> AssumedReport | None:
    """The kernel's figures at assumed sizes."""
    found = kernel.estimate.at_assumed
    if found is None:
        return None
    facts, estimate, index = kernel.facts, found.estimate, UnitIndex(found.estimate)
    accesses = []
    for access in facts.accesses:
        units = index.on(access)
        if units and access.span.file is None and access.hint != "printf":
            place = _location(source, named_at(access, target))
            accesses.append(
                AssumedAccessReport(
                    line=place.line,
                    column=place.column,
                    pointer=access.pointer,
                    bytes=_sum([u.bytes for u in units]),
                    time_ms=_milli(_sum([u.time_s for u in units])),
                    time_low_ms=_milli(_sum([u.time_low_s for u in units])),
                    time_high_ms=_milli(_sum([u.time_high_s for u in units])),
                )
            )
    return AssumedReport(
        global_size=list(found.sizes.global_size) if found.sizes.global_size is not None else None,
        loops=_assumed_trips(source, kernel, found.sizes),
        time_ms=_milli(estimate.time_s),
        time_low_ms=_milli(estimate.time_low_s),
        time_high_ms=_milli(estimate.time_high_s),
        time_at_worst=estimate.at_worst,
        limit=estimate.limit,
        bound=estimate.bound,
        accesses=accesses,
    )  # fmt: skip


def _assumed_trips(source: Source, kernel: KernelAssessment, sizes: AssumedSizes) -> list[AssumedTripsReport]:
    loops = kernel.facts.loops
    return [
        AssumedTripsReport(line=_location(source, loops[loop].span).line, trips=trips)
        for loop, trips in sizes.trips.items()
    ]


def _least_time(source: Source, kernel: KernelAssessment) -> LeastTimeReport | None:
    """The time with loops that data end run once each."""
    found = kernel.estimate.least
    if found is None:
        return None
    sizes, around = found.assumed, found.endless
    return LeastTimeReport(
        time_ms=found.time_s * 1e3,
        limit=found.estimate.limit,
        loops=[_location(source, kernel.facts.loops[loop].span).line for loop in found.loops],
        iteration_of=_location(source, kernel.facts.loops[around].span).line if around is not None else None,
        global_size=list(sizes.global_size) if sizes is not None and sizes.global_size is not None else None,
        assumed_loops=_assumed_trips(source, kernel, sizes) if sizes is not None else [],
    )


class UnitIndex:
    """The units of a kernel by access."""

    def __init__(
        self, estimate: KernelEstimate, launched: Mapping[tuple[int, ...], Lsu] = MappingProxyType({})
    ) -> None:
        self._launched = launched
        self._leading: dict[int, list[UnitEstimate]] = {}
        self._serving: dict[int, list[UnitEstimate]] = {}
        for unit in estimate.units:
            self._leading.setdefault(unit.lsu.members[0], []).append(unit)
            for member in unit.lsu.members:
                self._serving.setdefault(member, []).append(unit)

    def strided(self, unit: UnitEstimate) -> Lsu:
        """A unit, with its stride in the order of the launch."""
        return self._launched.get(unit.lsu.members, unit.lsu)

    def on(self, access: Access) -> list[UnitEstimate]:
        """The units that have their place at an access."""
        return self._leading.get(access.id, [])

    def serving(self, access: Access) -> list[UnitEstimate]:
        """The units that serve an access, wherever their place is."""
        return self._serving.get(access.id, [])

    def leader(self, access: Access) -> int | None:
        """The access whose unit serves this one, when that is another."""
        serving = self.serving(access)
        return serving[0].lsu.members[0] if serving and not self.on(access) else None


def _stride(lsu: Lsu) -> int | str | None:
    return lsu.stride if lsu.unfixed is None else stride_text(lsu)


def _access(source: Source, kernel: KernelAssessment, index: UnitIndex, access: Access, target: Target) -> AccessReport:
    units = index.on(access)
    leader = index.leader(access)
    serving = units or index.serving(access)
    first = serving[0] if serving else None
    walks = [u.walk for u in units if u.walk is not None]
    place = place_of(source, named_at(access, target))
    banks = sorted({b for u in serving for b in u.banks})
    return AccessReport(
        line=place.line + 1,
        column=place.column + 1,
        end_line=place.end_line + 1,
        end_column=place.end_column + 1,
        op=access.op,
        space=access.space,
        pointer=access.pointer,
        element_bytes=access.element_bytes,
        index=access.index,
        stride=_stride(index.strided(first)) if first else None,
        bank=None if not banks else banks[0] if len(banks) == 1 else banks,
        confidence=first.confidence if first else "low",
        lsus=[_lsu(u.lsu) for u in units],
        merged_into=_location(source, named_at(kernel.facts.accesses[leader], target)) if leader is not None else None,
        call_chain=[_location(source, span) for span in access.call_chain],
        macro=_macro(source, access),
        bytes=_sum([u.bytes for u in units]),
        fetched_bytes=_sum([w.fetched_bytes for w in walks]),
        fetched_low_bytes=_sum([w.low_bytes for w in walks]),
        fetched_high_bytes=_sum([w.high_bytes for w in walks]),
        moves=moves_text(walks[0]) if walks else None,
        t_ideal_ms=_milli(_sum([u.t_ideal_s for u in units])),
        t_ovh_ms=_milli(_sum([u.t_ovh_s for u in units])),
        time_ms=_milli(_sum([u.time_s for u in units])),
        time_low_ms=_milli(_sum([u.time_low_s for u in units])),
        time_high_ms=_milli(_sum([u.time_high_s for u in units])),
        saturated=units[0].saturated if units else None,
        f_min_mhz=units[0].f_min_hz / 1e6 if units and units[0].f_min_hz is not None else None,
        why=_why(access, serving),
        steps_by=access.steps_by or None,
        other_reading=_other(units),
    )


def _other(units: Sequence[UnitEstimate]) -> OtherReadingReport | None:
    """What another reading leaves where the units of an access are."""
    found = next((r.why for u in units for r in u.reasons if isinstance(r.why, ReadBy)), None)
    if found is None:
        return None
    requests = [RequestReport(width_bits=bits, count=n) for bits, n in found.requests]
    return OtherReadingReport(by=found.by, same=found.same, requests=requests)


def _lsu(lsu: Lsu) -> LsuReport:
    return LsuReport(style=lsu.style, width_bits=lsu.width_bits, count=lsu.count, runner_up=lsu.runner_up)


def _macro(source: Source, access: Access) -> MacroReport | None:
    if access.macro is None:
        return None
    where = access.macro.definition
    location = _location(source, where) if where is not None else None
    return MacroReport(name=access.macro.name, path=where.file if where is not None else None, location=location)


def _why(access: Access, units: list[UnitEstimate]) -> list[str]:
    """Every reason once, and why the address is not known where it is not."""
    found = [why_text(r.why) for u in units for r in u.reasons]
    if access.offset is None:
        found.append(unknown_address_text(access))
    return list(dict.fromkeys(found))


def _location(source: Source, span: Span) -> Location:
    place = place_of(source, span)
    return Location(line=place.line + 1, column=place.column + 1)


def _sum(values: list[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) if known and len(known) == len(values) else None


def _milli(seconds: float | None) -> float | None:
    return seconds * 1e3 if seconds is not None else None
