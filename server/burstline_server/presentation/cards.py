"""What is shown of an access and of a kernel: records first, then Markdown or plain text of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from burstline_model.estimate.answer import UnitEstimate
from burstline_model.facts import Access, KernelFacts
from burstline_model.pipeline.dependence import classes
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.reports import KernelBuild
from burstline_server.presentation.build import UnitIndex
from burstline_server.presentation.build_line import build_line_text
from burstline_server.presentation.resources import usage_text
from burstline_server.presentation.words.assumptions import input_text
from burstline_server.presentation.words.boards import board_text
from burstline_server.presentation.words.changes import change_text
from burstline_server.presentation.words.missing import assumed_text
from burstline_server.presentation.words.remarks import remark_text
from burstline_server.presentation.words.resources import resources_line
from burstline_server.presentation.words.units import stride_text, why_text
from burstline_server.presentation.words.unread import not_analysable_text
from burstline_server.presentation.words.verdict import (
    ASSUMED,
    headline,
    lever_lines,
    limit_line,
    own_share,
    spent_text,
)
from burstline_server.presentation.words.waits import wait_text
from burstline_server.quantities import (
    bandwidth_text,
    cost_text,
    frequency_text,
    gain_text,
    in_words,
    share_text,
    time_text,
    width_text,
)
from burstline_server.source.locate import place_of, written

POTENTIALS = (("b_mem", "B_mem"), ("b_comp", "B_comp"), ("b_balance", "B_balance"), ("b_itpp", "B_itpp"))


@dataclass(frozen=True)
class UnitRow:
    """One kind of unit of an access, in words; `spent` is what it takes of its kernel, empty where not known."""

    style: str
    detail: str
    t_ideal: str
    t_ovh: str
    time: str
    share: str
    bandwidth: str
    spent: str


Topic = Literal[
    "estimate", "do", "doubt", "build", "loop", "resources", "potentials", "inputs", "merged", "assumed", "why",
    "confidence", "is", "meaning",
]  # fmt: skip
"""What a paragraph of a card is about."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a card; `of` is the group of the language that a meaning belongs to."""

    topic: Topic
    text: str
    of: str = ""

    @property
    def label(self) -> str:
        """What is printed in front of it."""
        return self.of or self.topic.capitalize()


@dataclass(frozen=True)
class Link:
    """A place to go to: `line` is 1-based in the file at `path`."""

    label: str
    text: str
    path: str
    line: int


@dataclass(frozen=True)
class Card:
    """A card: a title line, rows of figures, paragraphs by topic, details that matter less, and places to go to."""

    title: str
    rows: tuple[UnitRow, ...]
    paragraphs: tuple[Paragraph, ...]
    details: tuple[Paragraph, ...] = ()
    links: tuple[Link, ...] = ()


def access_card(assessment: Assessment, kernel: KernelAssessment, access: Access) -> Card:
    """All that is known of one access."""
    argument = kernel.facts.argument(access.pointer)
    index = UnitIndex(kernel.estimate)
    units, leader = index.on(access), index.leader(access)
    banks = sorted({b for u in units for b in u.banks})
    bank = f" (bank {banks[0]})" if len(banks) == 1 else f" ({len(banks)} banks, interleaved)" if banks else ""
    title = f"{written(assessment.source, access)} · {access.op} · {access.type} · __{access.space}{bank}"
    paragraphs = list[Paragraph]()
    if leader is not None:
        other = kernel.facts.accesses[leader]
        line = place_of(assessment.source, other.span).line + 1
        paragraphs.append(
            Paragraph("merged", f"served by the unit of {written(assessment.source, other)}, line {line}")
        )
        units = index.on(other)
    why = list(dict.fromkeys(why_text(r.why) for u in units for r in u.reasons))
    if access.offset is not None:
        step = next((stride_text(u.lsu) for u in units), "")
        why.append(f"byte offset {access.offset}" + (f", δ = {step}" if step else ""))
    else:
        why.append(f"address {not_analysable_text(access.offset_why)}")
    if argument is not None and not argument.restrict:
        why.append(f"{access.pointer} is not restrict")
    paragraphs += _to_do(kernel, units)
    if (guess := _at_assumed(assessment, kernel, units)) is not None:
        paragraphs.append(Paragraph("assumed", guess))
    paragraphs.append(Paragraph("why", "; ".join(why)))
    details = (Paragraph("confidence", _confidence(units)), Paragraph("inputs", _inputs(assessment, kernel)))
    rows = tuple(unit_row(u, assessment, kernel) for u in units)
    return Card(title, rows, tuple(paragraphs), details, _links(assessment, access))


def _to_do(kernel: KernelAssessment, units: Sequence[UnitEstimate]) -> list[Paragraph]:
    """What to do about an access."""
    seen = dict.fromkeys(o for u in units for o in u.observations)
    advice = [f"{change_text(o.change)}{gain_text(kernel.estimate.time_s, o.after_s)}" for o in seen]
    nothing = ["nothing to gain here"] if units and kernel.estimate.time_s is not None else []
    return [Paragraph("do", text) for text in advice or nothing]


def _at_assumed(assessment: Assessment, kernel: KernelAssessment, units: Sequence[UnitEstimate]) -> str | None:
    """What an access takes at assumed sizes; None where its kernel's time is known, or not known even so."""
    guess = kernel.at_assumed
    if guess is None or guess.estimate.time_s is None:
        return None
    leading = {u.lsu.members for u in units}
    times = [u.time_s for u in guess.estimate.units if u.lsu.members in leading and u.time_s is not None]
    if not times:
        return None
    share = share_text(sum(times) / guess.estimate.time_s)
    whole = f"{share} of the kernel's {ASSUMED} {time_text(guess.estimate.time_s)}"
    return f"{ASSUMED} {time_text(sum(times))}, {whole}, for {assumed_text(assessment, kernel)} (assumed)"


def _confidence(units: Sequence[UnitEstimate]) -> str:
    """How sure the units are, and what comes closest."""
    others = list(dict.fromkeys(u.lsu.runner_up for u in units if u.lsu.runner_up is not None))
    return (units[0].confidence if units else "low") + "".join(f"; runner-up: {other}" for other in others)


def _links(assessment: Assessment, access: Access) -> tuple[Link, ...]:
    """Where the macro is defined that an access comes from."""
    if access.macro is None or access.macro.definition is None:
        return ()
    definition = access.macro.definition
    line = place_of(assessment.source, definition).line + 1
    return (Link("Macro", f"{access.macro.name}, defined in line {line}", definition.file or assessment.path, line),)


def unit_row(unit: UnitEstimate, assessment: Assessment, kernel: KernelAssessment) -> UnitRow:
    """One kind of unit in words."""
    f_max = kernel.estimate.f_max_hz
    count = f"{unit.lsu.count} LSU{'s' if unit.lsu.count > 1 else ''}"
    return UnitRow(
        style=unit.lsu.style,
        detail=f"{width_text(unit.lsu.width_bits)} ({unit.lsu.width_bits} bit), {count}",
        t_ideal=cost_text(unit.t_ideal_s, unit.t_ideal_item_s, unit.per) or _UNKNOWN,
        t_ovh=cost_text(unit.t_ovh_s, unit.t_ovh_item_s, unit.per) or _UNKNOWN,
        time=cost_text(unit.time_s, unit.time_item_s, unit.per) or _UNKNOWN,
        share=share_text(own_share(kernel.estimate, unit)) if unit.share is not None else _UNKNOWN,
        bandwidth=_bandwidth(unit, assessment.board.memory.bandwidth_bytes_s * max(len(unit.banks), 1), f_max),
        spent=spent_text(kernel.estimate, unit),
    )


def _bandwidth(unit: UnitEstimate, peak: float, f_max: float) -> str:
    if unit.bandwidth_bytes_s is None or unit.f_min_hz is None or unit.useful_bytes_s is None:
        return _UNKNOWN
    state = "saturated" if unit.saturated else "not saturated"
    useful = f" ({bandwidth_text(unit.useful_bytes_s)} useful)" if unit.useful_bytes_s < unit.bandwidth_bytes_s else ""
    figures = f"f_max {frequency_text(f_max)}, f_min {frequency_text(unit.f_min_hz)}"
    return f"{bandwidth_text(unit.bandwidth_bytes_s)}{useful} of {bandwidth_text(peak)}, {state} ({figures})"


def _inputs(assessment: Assessment, kernel: KernelAssessment) -> str:
    given = [
        f"{name} = {value} ({a.provenance})" for a in kernel.estimate.assumptions for name, value in [input_text(a.of)]
    ]
    target = assessment.target
    version = ".".join(str(v) for v in target.aoc_version[:2])
    rules = "the papers' Table 1" if target.paper_rules else f"aoc {version}, {target.family}"
    if kernel.build is not None and kernel.build.report.complete:
        rules = f"the report {Path(kernel.build.report.path).name}"
    why = f" ({board_text(assessment.board_why)})" if assessment.board_why is not None else ""
    board = f"board {assessment.board.name}{why}"
    built = build_line_text(assessment)
    return " · ".join([*given, board, f"units by {rules}", *([built] if built else ())])


def kernel_card(assessment: Assessment, kernel: KernelAssessment) -> Card:
    """All that is known of one kernel: its time, its limit and what to do first, then the figures."""
    facts, estimate = kernel.facts, kernel.estimate
    paragraphs = [Paragraph("estimate", f"{headline(assessment, kernel)}. {limit_line(assessment, kernel)}")]
    paragraphs += [Paragraph("do", line) for line in lever_lines(kernel, MOST_LEVERS)]
    paragraphs += [Paragraph("doubt", remark_text(remark)) for remark in estimate.remarks]
    if kernel.build is not None:
        paragraphs.append(Paragraph("build", _build(kernel, kernel.build)))
    details = list[Paragraph]()
    if estimate.resources is not None:
        details.append(Paragraph("resources", resources_line(estimate.resources, assessment.target.family)))
    paragraphs += [Paragraph("loop", line) for line in loop_lines(assessment, kernel)]
    potentials = [(label, getattr(estimate.potentials, name)) for name, label in POTENTIALS]
    known = ", ".join(f"{label} {value:.2f}" for label, value in potentials if value is not None)
    if known:
        details.append(Paragraph("potentials", known))
    details.append(Paragraph("inputs", _inputs(assessment, kernel)))
    return Card(kind_title(facts), (), tuple(paragraphs), tuple(details))


MOST_LEVERS = 3
"""Most lines of advice on a kernel's card."""


def kind_title(facts: KernelFacts) -> str:
    """A kernel's name and how it runs."""
    models = {"ndrange": "NDRange", "single_work_item": "single work-item", "autorun": "autorun"}
    title = f"{facts.name} · {models[facts.model]}"
    if facts.simd > 1:
        title += f" · SIMD {facts.simd}"
    return f"{title} · {facts.compute_units} compute units" if facts.compute_units > 1 else title


def loop_lines(assessment: Assessment, kernel: KernelAssessment) -> list[str]:
    """Loops that wait for themselves."""
    lines = []
    for one in kernel.estimate.loops:
        if one.serialised_by and ((one.ii or 1) > 1 or one.serial or one.pipelined is False):
            line = place_of(assessment.source, kernel.facts.loops[one.loop].span).line + 1
            pace = "one iteration after the other" if one.serial else f"II {one.ii:g}" if one.ii else "not pipelined"
            carried = in_words([_CARRIED[c] for c in classes(kernel.facts, kernel.facts.loops[one.loop])])
            lines.append(
                f"line {line}: {pace}: {wait_text(one.serialised_by)}" + (f"; carries {carried}" if carried else "")
            )
    return lines


_CARRIED = {
    "DLCD": "a data dependence",
    "safe MLCD": "a safe memory dependence",
    "unsafe MLCD": "an unsafe memory dependence",
}
"""The feed-forward paper's classes of dependences, in words."""


def _build(kernel: KernelAssessment, build: KernelBuild) -> str:
    """What a real build's report says of a kernel, in one line."""
    report = build.report
    parts = [report.path]
    if report.aoc_version:
        parts.append(f"aoc {report.aoc_version}")
    if report.f_max_mhz:
        parts.append(f"f_max {frequency_text(report.f_max_mhz * 1e6)}")
    usage = next((k.usage for k in report.kernels if k.name == kernel.facts.name and k.usage.known), None)
    if usage is not None:
        parts.append(usage_text(usage))
    if report.complete:
        wrong = len(build.disagreements)
        parts.append(f"{build.agreed} of {build.agreed + wrong} places as inferred")
    return " · ".join(parts)


def markdown(card: Card) -> str:
    """The card as Markdown: what it takes, what to do and why first, figures and inputs below a line."""
    parts = [f"`{' '.join(card.title.replace('`', ' ').split())}`"]
    parts += [f"{f'**{row.spent}** · ' if row.spent else ''}**{row.style}**, {row.detail}" for row in card.rows]
    parts += _labelled(card.paragraphs)
    if card.details:
        parts.append("---")
    if card.rows:
        figures = [f"| {row.t_ideal} | {row.t_ovh} | {row.time} | {row.bandwidth} |" for row in card.rows]
        parts.append("\n".join(["| T_ideal | T_ovh | time | bandwidth used |", "|---|---|---|---|", *figures]))
    parts += _labelled(card.details)
    for link in card.links:
        target = f"{Path(link.path).absolute().as_uri()}#L{link.line}"
        parts.append(f"**{link.label}:** [{_escaped(link.text)}]({target})")
    return "\n\n".join(parts)


def _labelled(paragraphs: Iterable[Paragraph]) -> list[str]:
    return [f"**{one.label}:** {_escaped(one.text)}" for one in paragraphs]


_UNKNOWN = "–"


def plain(card: Card) -> str:
    """The card as plain text."""
    lines = [card.title]
    for row in card.rows:
        lines.append(f"{row.style}, {row.detail}")
        lines.append(f"T_ideal {row.t_ideal}, T_ovh {row.t_ovh}, time {row.time}, share {row.share}, {row.bandwidth}")
    lines += [f"{one.label}: {one.text}" for one in (*card.paragraphs, *card.details)]
    lines += [f"{link.label}: {link.text} ({link.path}:{link.line})" for link in card.links]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text in which no character of a name, a source or a report is taken for Markdown, HTML or an address."""
    return re.sub(r"([\\*_`|\[\]<>&~]|:(?=//))", r"\\\1", " ".join(text.split()))
