"""What a kernel takes of the device, as an object for tools."""

from __future__ import annotations

from dataclasses import asdict

from burstline_model.facts import KernelFacts, Span
from burstline_model.resources import Amounts, Part, ResourceUse, f_max_of
from burstline_model.target import Family
from burstline_model.vendor_report.records import Usage
from burstline_server.presentation.report import AmountsReport, ClockReport, PartReport, ResourcesReport
from burstline_server.source.locate import place_of
from burstline_server.source.source import Source
from burstline_server.words.resources import clock_text, part_text


def resources_report(
    source: Source, facts: KernelFacts, use: ResourceUse | None, family: Family
) -> ResourcesReport | None:
    """The object of the stable report."""
    if use is None:
        return None
    clock = f_max_of(use, family)
    return ResourcesReport(
        kernel=_amounts(use.kernel),
        shell=_amounts(use.shell),
        device=_amounts(use.device),
        shares=AmountsReport(**use.shares),
        errors=use.errors,
        limiting=use.limiting,
        copies_that_fit=use.copies_that_fit(),
        f_max=ClockReport(
            low_mhz=clock.low_mhz, typical_mhz=clock.typical_mhz, high_mhz=clock.high_mhz, why=clock_text(clock)
        ),
        reported=use.reported,
        parts=[
            PartReport(
                label=label,
                line=place_of(source, span).line + 1 if (span := _span(facts, part)) is not None else None,
                why=why,
                **asdict(part.amounts),
            )
            for part in use.parts
            for label, why in [part_text(part.of)]
        ],
    )


def _span(facts: KernelFacts, part: Part) -> Span | None:
    if part.loop is not None:
        return facts.loops[part.loop].span
    if part.access is not None:
        return facts.accesses[part.access].span
    return next((a.span for a in facts.arrays if a.name == part.array), None)


def _amounts(amounts: Amounts) -> AmountsReport:
    return AmountsReport(**asdict(amounts))


def usage_text(usage: Usage) -> str:
    """Resources with their names; what is not known is left out."""
    names = (("ALUTs", usage.aluts), ("ALMs", usage.alms), ("FFs", usage.ffs), ("RAMs", usage.rams),
             ("DSPs", usage.dsps), ("MLABs", usage.mlabs))  # fmt: skip
    return ", ".join(f"{value:g} {name}" for name, value in names if value is not None)
