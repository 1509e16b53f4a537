"""From assessments to the document behind the kernel view."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from burstline_model.boards.board import boards
from burstline_model.compiler.infer import strides_launched
from burstline_model.devices.resource_use import WORDS
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.roofline import Form, Roofline
from burstline_model.facts import Access, Span
from burstline_model.lsu import Lsu
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.diagnostics.finding import Finding
from burstline_server.exploration.kernel_roofline import roofline_for
from burstline_server.exploration.what_if import knobs_of
from burstline_server.presentation.cards import (
    MOST_LEVERS,
    Paragraph,
    access_card,
    kernel_card,
    unit_row,
)
from burstline_server.presentation.dialect import why_no_kernel
from burstline_server.presentation.hints import unit_text
from burstline_server.presentation.report import KernelReport
from burstline_server.presentation.report_build import UnitIndex, file_report
from burstline_server.presentation.time_rows import time_rows
from burstline_server.presentation.view_document import (
    AccessView,
    AssumptionView,
    ControlsView,
    EditView,
    FileView,
    KernelView,
    KnobView,
    NoteView,
    PlaceView,
    PointView,
    PotentialView,
    RooflineView,
    RoofView,
    UnitView,
    VariantView,
    ViewDocument,
)
from burstline_server.presentation.view_edits import edit_views
from burstline_server.presentation.view_fields import fields_of
from burstline_server.presentation.view_networks import networks_of
from burstline_server.quantities import width_text
from burstline_server.rewrites.catalogue import Fix
from burstline_server.source.locate import place_of, written
from burstline_server.source.source import Source
from burstline_server.version import tool_name
from burstline_server.words.assumptions import input_text
from burstline_server.words.bandwidth import bandwidth_used
from burstline_server.words.exploring import knob_text
from burstline_server.words.kernels import POTENTIALS, kind_text, no_kernel_text
from burstline_server.words.missing import assumed_text
from burstline_server.words.roofline import point_text, roof_text
from burstline_server.words.units import stride_text
from burstline_server.words.verdict import decision, lever_lines, limit_line, on_same_memory

F_MAX_RANGE_MHZ = (50.0, 600.0)
_CONFIDENCES = ("low", "medium", "high")
_SAID_ELSEWHERE = {"takes", "do", "edit", "inputs", "confidence"}


def view_document(files: Sequence[FileView], controls: ControlsView | None = None) -> ViewDocument:
    """The document of some files."""
    title = f"{len(files)} files"
    if len(files) == 1:
        names = [kernel.name for kernel in files[0].kernels]
        title = names[0] if len(names) == 1 else Path(files[0].path).name
    return ViewDocument(tool=tool_name(), title=title, files=list(files), controls=controls)


def file_view(
    assessment: Assessment,
    findings: Collection[Finding],
    fixes: Sequence[Fix] | None = None,
    variants: Mapping[str, Sequence[object]] | None = None,
    form: Form = "B",
    host_gb_s: float | None = None,
    networks_in: Assessment | None = None,
) -> FileView:
    """One file. `variants` are the explored ones by the kernel's name, as records with the fields of `VariantView`.

    `networks_in`: the file with all its kernels, where only some are shown.
    """
    report = file_report(assessment, findings, fixes or ())
    remark = None
    if assessment.source.template or not assessment.kernels:
        remark = no_kernel_text(why_no_kernel(assessment))
    return FileView(
        path=assessment.path,
        text=assessment.source.original.decode("utf-8", "replace"),
        board=assessment.board.title,
        remark=remark,
        kernels=[
            _kernel(
                assessment,
                kernel,
                said,
                (variants or {}).get(said.name, ()),
                roofline_for(assessment, kernel, form, host_gb_s),
                edit_views(assessment, fixes, said.name) if fixes is not None else None,
            )
            for kernel, said in zip(assessment.kernels, report.kernels, strict=True)
        ],
        networks=networks_of(networks_in or assessment),
        findings=report.diagnostics,
    )


def controls_of(assessment: Assessment, kernel: str | None) -> ControlsView:
    """What can be changed about a file, or about one of its kernels."""
    chosen = next((k for k in assessment.kernels if kernel in {None, k.facts.name}), None)
    known = {name: board.title for name, board in boards().items()}
    return ControlsView(
        boards={assessment.board.name: assessment.board.title} | known,
        board=assessment.board.name,
        f_max_mhz=chosen.estimate.f_max_hz / 1e6 if chosen is not None else assessment.board.compiler.f_max_mhz,
        f_max_range_mhz=F_MAX_RANGE_MHZ,
        fields=fields_of(assessment, chosen) if chosen is not None else [],
        knobs=_knobs(assessment, chosen) if chosen is not None else [],
    )


def _knobs(assessment: Assessment, kernel: KernelAssessment) -> list[KnobView]:
    return [
        KnobView(id=knob.id, label=knob_text(knob.kind, knob.line), value=value, least=knob.least)
        for knob, value in knobs_of(assessment, kernel).items()
    ]


def _kernel(
    assessment: Assessment,
    kernel: KernelAssessment,
    report: KernelReport,
    variants: Sequence[object],
    roofline: Roofline | None,
    edits: list[EditView] | None,
) -> KernelView:
    card, estimate = kernel_card(assessment, kernel), kernel.estimate
    index = UnitIndex(estimate, strides_launched(kernel.facts, assessment.target, kernel.launch.local_size))
    first, rows = decision(assessment, kernel), time_rows(assessment, kernel)
    units = [u for u in estimate.units if u.lsu.space == "global"]
    potentials = [(label, getattr(report.potentials, name)) for name, label in POTENTIALS.items()]
    return KernelView(
        name=report.name,
        kind=kind_text(kernel.facts),
        line=report.line,
        end_line=place_of(assessment.source, kernel.facts.span).end_line + 1,
        time=first.time,
        limit=first.limit,
        lever=first.lever,
        assumed=assumed_text(assessment, kernel),
        levers=lever_lines(kernel, MOST_LEVERS),
        rows=rows.rows,
        total=rows.total,
        edits=edits,
        time_s=estimate.time_s,
        bound=estimate.bound,
        wall=limit_line(assessment, kernel),
        bandwidth=bandwidth_used(estimate, on_same_memory(assessment, estimate)),
        bandwidth_share=estimate.bandwidth_share,
        unit_count=sum(u.lsu.count for u in units),
        confidence=min((u.confidence for u in units), key=_CONFIDENCES.index, default=None),
        potentials=[PotentialView(label=label, value=value) for label, value in potentials if value is not None],
        notes=_notes((*card.paragraphs, *card.details)),
        assumptions=[
            AssumptionView(name=name, value=value, provenance=one.provenance)
            for one in estimate.assumptions
            for name, value in [input_text(one.of)]
        ],
        accesses=[_access(assessment, kernel, index, a) for a in kernel.facts.accesses if a.hint != "printf"],
        loops=report.loops,
        roofline=_roofline(kernel, roofline) if roofline is not None else None,
        variants=[VariantView.model_validate(variant) for variant in variants],
    )


def _roofline(kernel: KernelAssessment, found: Roofline) -> RooflineView:
    """A roofline, its roofs and points with their names."""
    return RooflineView(
        unit=found.unit,
        roofs=[
            RoofView(kind=roof.kind, label=label, value=roof.value, why=why)
            for roof in found.roofs
            for label, why in [roof_text(roof.of)]
        ],
        points=[
            PointView(
                label=point_text(kernel.facts.name, point.copies),
                intensity=point.intensity,
                performance=point.performance,
            )
            for point in found.points
        ],
        replication_limit=found.replication_limit,
        limited_by="memory" if found.limited_by == "memory" else WORDS[found.limited_by],
        form=found.form,
    )


def _access(assessment: Assessment, kernel: KernelAssessment, index: UnitIndex, access: Access) -> AccessView:
    source, leader = assessment.source, index.leader(access)
    card = access_card(assessment, kernel, access)
    return AccessView(
        place=_place(source, access.span),
        text=written(source, access),
        op=access.op,
        space=access.space,
        units=[_unit(assessment, kernel, unit, index.strided(unit)) for unit in index.on(access)],
        served_at=_place(source, kernel.facts.accesses[leader].span) if leader is not None else None,
        notes=_notes((*card.paragraphs, *card.details)),
    )


def _unit(assessment: Assessment, kernel: KernelAssessment, unit: UnitEstimate, strided: Lsu) -> UnitView:
    row = unit_row(unit, assessment, kernel)
    whole = unit.time_s is not None
    return UnitView(
        hint=unit_text(unit),
        members=len(unit.lsu.members),
        style=row.style,
        count=unit.lsu.count,
        width=width_text(unit.lsu.width_bits),
        detail=row.detail,
        stride=stride_text(strided) or "–",
        per=unit.per,
        t_ideal_s=unit.t_ideal_s if whole else unit.t_ideal_item_s,
        t_ovh_s=unit.t_ovh_s if whole else unit.t_ovh_item_s,
        time_s=unit.time_s if whole else unit.time_item_s,
        t_ideal=row.t_ideal,
        t_ovh=row.t_ovh,
        time=row.time,
        share=unit.share,
        share_text=row.share,
        bandwidth=row.bandwidth,
        saturated=unit.saturated,
        confidence=unit.confidence,
    )


def _place(source: Source, span: Span) -> PlaceView:
    place = place_of(source, span)
    return PlaceView(
        path=place.file,
        line=place.line + 1,
        column=place.column + 1,
        end_line=place.end_line + 1,
        end_column=place.end_column + 1,
    )


def _notes(paragraphs: Sequence[Paragraph]) -> list[NoteView]:
    """A card's paragraphs, without what the page shows in a separate place."""
    return [NoteView(label=one.label, text=one.text) for one in paragraphs if one.topic not in _SAID_ELSEWHERE]
