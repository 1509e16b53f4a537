"""What a kernel takes of the device: one line for people, an object for tools."""

from __future__ import annotations

from dataclasses import asdict

from burstline_model.devices.use import WORDS, Resource
from burstline_model.facts import KernelFacts, Span
from burstline_model.resources import Amounts, Part, ResourceUse, f_max_of
from burstline_model.target import Family
from burstline_model.vendor_report.records import Usage
from burstline_server.presentation.report import AmountsReport, ClockReport, PartReport, ResourcesReport
from burstline_server.presentation.words.resources import clock_text, part_text
from burstline_server.quantities import clock_range_text, share_text
from burstline_server.source.locate import place_of
from burstline_server.source.source import Source

_SHOWN: tuple[Resource, ...] = ("logic_alms", "rams", "dsps")


def resources_line(use: ResourceUse, family: Family) -> str:
    """Shares of what the board leaves free, the scarcest, the clock expected and how far off all this may be."""
    shares = ", ".join(f"{share_text(use.shares[name])} {WORDS[name]}" for name in _SHOWN)
    line = f"{'' if use.reported else '≈ '}{shares}; scarcest: {WORDS[use.limiting]}"
    if use.reported:
        return f"{line} (report)"
    clock = f_max_of(use, family)
    off = ", ".join(f"{WORDS[name]} {share_text(use.errors[name])}" for name in _SHOWN if name in use.errors)
    fit = use.copies_that_fit()
    copies = f"{fit} compute unit{'' if fit == 1 else 's'} fit" + ("s" if fit == 1 else "")
    f_max = f"f_max {clock_range_text(clock.low_mhz * 1e6, clock.high_mhz * 1e6)}"
    return f"{line}; {copies}; {f_max} (estimate; median error on unseen kernels: {off})"


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
