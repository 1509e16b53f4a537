"""What is shown of an access and of a kernel, as records: what it takes, why, and what to do; figures after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from burstline_model.boards.board import Board
from burstline_model.compiler.infer import strides_launched
from burstline_model.estimate.assumption import KernelClock
from burstline_model.estimate.kernel_estimate import UnitEstimate
from burstline_model.estimate.remark_kinds import (
    BeyondConstantCache,
    Decided,
    Fed,
    FewBanksAtATime,
    Remark,
    RunsTogether,
    StartsBehind,
    TakeTurns,
)
from burstline_model.facts import Access
from burstline_model.pipeline.dependence import classes
from burstline_model.record import fixed
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.assessment.reports import KernelBuild
from burstline_server.presentation.build_line import build_line_text
from burstline_server.presentation.report_build import UnitIndex
from burstline_server.presentation.resource_report import usage_text
from burstline_server.quantities import (
    ASSUMED,
    cost_text,
    frequency_text,
    share_text,
    width_text,
)
from burstline_server.source.locate import place_of, written
from burstline_server.words.accesses import (
    NOTHING_TO_GAIN,
    address_text,
    bandwidth_used_text,
    macro_text,
    merged_text,
    not_restrict_text,
    units_text,
)
from burstline_server.words.assumptions import input_text
from burstline_server.words.boards import board_text
from burstline_server.words.changes import action_text
from burstline_server.words.edits import fix_title
from burstline_server.words.kernel_times import gained_text, is_bound
from burstline_server.words.kernels import POTENTIALS, as_inferred_text, define_text, kind_text, loop_text, rules_text
from burstline_server.words.loop_terms import unasked_text
from burstline_server.words.missing import assumed_text
from burstline_server.words.remarks import remark_text
from burstline_server.words.resources import resources_line
from burstline_server.words.units import row_time_text, stride_text, why_text
from burstline_server.words.unread import left_out_text
from burstline_server.words.verdict import (
    decision,
    lever_lines,
    limit_line,
    limited_here,
    own_share,
    spent_text,
    taken_text,
)

if TYPE_CHECKING:  # edits are loaded where they are asked for
    from burstline_server.rewrites.catalogue import Fix


@fixed
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
    "takes", "do", "edit", "note", "doubt", "build", "loop", "resources", "potentials", "inputs",
    "assumed", "why", "address", "confidence", "is", "meaning",
]  # fmt: skip
"""What a paragraph of a card is about."""


@fixed
class Paragraph:
    """A paragraph of a card; `of` is the group of the language that a meaning belongs to."""

    topic: Topic
    text: str
    of: str = ""

    @property
    def label(self) -> str:
        """What is printed in front of it."""
        return self.of or self.topic.capitalize()


@fixed
class Link:
    """A place to go to: `line` is 1-based in the file at `path`."""

    label: str
    text: str
    path: str
    line: int


@fixed
class Card:
    """A card: paragraphs by topic; below them a title line, rows of figures, details, and places to go to.

    A card without figures has its title first.
    """

    title: str
    rows: tuple[UnitRow, ...]
    paragraphs: tuple[Paragraph, ...]
    details: tuple[Paragraph, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def title_first(self) -> bool:
        """Whether the title is all there is to begin with."""
        return not self.details


def access_card(assessment: Assessment, kernel: KernelAssessment, access: Access, fix: Fix | None = None) -> Card:
    """All that is known of one access; `fix` is the best edit there, where one was looked for and found.

    Its first paragraphs are what it takes of its kernel, why, and what to do, in words that no finding has.
    """
    index = UnitIndex(kernel.estimate)
    units, leader = index.on(access), index.leader(access)
    banks = sorted({b for u in units for b in u.banks})
    bank = f" (bank {banks[0]})" if len(banks) == 1 else f" ({len(banks)} banks, interleaved)" if banks else ""
    title = f"{written(assessment.source, access)} · {access.op} · {access.type} · __{access.space}{bank}"
    merged = ""
    if leader is not None:
        other = kernel.facts.accesses[leader]
        merged = merged_text(written(assessment.source, other), place_of(assessment.source, other.span).line + 1)
        units = index.on(other)
    shown = kernel.at_assumed or kernel
    members = {u.lsu.members for u in units}
    spent = [u for u in shown.estimate.units if u.lsu.members in members]
    paragraphs = [Paragraph("takes", taken_text(kernel, spent)), *_why(shown, spent, merged)]
    paragraphs += _to_do(kernel, spent, fix)
    details = [Paragraph("address", _address(kernel, access, units))]
    if kernel.at_assumed is not None:
        details.append(Paragraph("assumed", assumed_text(assessment, kernel)))
    details += [Paragraph("confidence", _confidence(units)), Paragraph("inputs", _inputs(assessment, kernel))]
    mark = f"{ASSUMED} " if kernel.at_assumed is not None else ""
    rows = tuple(unit_row(u, assessment, shown, mark) for u in (spent if mark else units))
    return Card(title, rows, tuple(paragraphs), tuple(details), _links(assessment, access))


def _why(kernel: KernelAssessment, units: Sequence[UnitEstimate], merged: str) -> list[Paragraph]:
    """Why an access takes what it does: what limits its kernel there, and why its units are what they are."""
    said = [*(limited_here(kernel, unit) for unit in units), merged]
    for unit in units:
        reasons = "; ".join(dict.fromkeys(why_text(r.why) for r in unit.reasons))
        said.append(f"{unit.lsu.style} ({reasons})" if reasons else unit.lsu.style)
    text = "; ".join(dict.fromkeys(one for one in said if one))
    return [Paragraph("why", text)] if text else []


def _to_do(kernel: KernelAssessment, units: Sequence[UnitEstimate], fix: Fix | None) -> list[Paragraph]:
    """What to do about an access: the best edit, or else what would change its time."""
    if fix is not None:
        return [Paragraph("edit", fix_title(fix))]
    seen = dict.fromkeys(o for u in units for o in u.observations)
    advice = [f"{action_text(o.change)}{gained_text(kernel, o.after_s)}" for o in seen]
    nothing = [NOTHING_TO_GAIN] if units and kernel.estimate.time_s is not None else []
    return [Paragraph("do", text) for text in dict.fromkeys(advice or nothing)]


def _address(kernel: KernelAssessment, access: Access, units: Sequence[UnitEstimate]) -> str:
    """Where an access goes, and what keeps the compiler careful there."""
    argument = kernel.facts.argument(access.pointer)
    launched = strides_launched(kernel.facts, kernel.cost.target, kernel.launch.local_size) if units else {}
    text = address_text(access, next((stride_text(launched.get(u.lsu.members, u.lsu)) for u in units), ""))
    return text if argument is None or argument.restrict else f"{text}; {not_restrict_text(access.pointer)}"


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
    return (Link("Macro", macro_text(access.macro.name, line), definition.file or assessment.path, line),)


def unit_row(unit: UnitEstimate, assessment: Assessment, kernel: KernelAssessment, mark: str = "") -> UnitRow:
    """One kind of unit in words; a `mark` is put in front of times that rest on assumed sizes."""
    f_max = kernel.estimate.f_max_hz
    return UnitRow(
        style=unit.lsu.style,
        detail=_detail(unit),
        t_ideal=_marked(mark, cost_text(unit.t_ideal_s, unit.t_ideal_item_s, unit.per)),
        t_ovh=_marked(mark, cost_text(unit.t_ovh_s, unit.t_ovh_item_s, unit.per)),
        time=_marked(mark, row_time_text(unit)),
        share=share_text(own_share(kernel.estimate, unit)) if unit.share is not None else _UNKNOWN,
        bandwidth=_bandwidth(unit, _peak(assessment.board, unit), f_max),
        spent=spent_text(kernel.estimate, unit),
    )


def _marked(mark: str, cost: str | None) -> str:
    return f"{mark}{cost}" if cost else _UNKNOWN


def _detail(unit: UnitEstimate) -> str:
    return f"{width_text(unit.lsu.width_bits)} ({unit.lsu.width_bits} bit), {units_text(unit.lsu.count)}"


def _peak(board: Board, unit: UnitEstimate) -> float:
    """What the banks of a unit move together at most, in bytes a second."""
    return sum(board.memory_of(bank).bandwidth_bytes_s for bank in unit.banks or (0,))


def _bandwidth(unit: UnitEstimate, peak: float, f_max: float) -> str:
    if unit.bandwidth_bytes_s is None or unit.f_min_hz is None or unit.useful_bytes_s is None:
        return _UNKNOWN
    used, useful = unit.bandwidth_bytes_s, unit.useful_bytes_s
    return bandwidth_used_text(used, useful, peak, saturated=unit.saturated, f_max_hz=f_max, f_min_hz=unit.f_min_hz)


def inputs_of(assessment: Assessment, kernel: KernelAssessment) -> list[str]:
    """What a kernel's figures follow from besides its text, each with where it comes from."""
    given = [
        f"{name} = {value} ({a.provenance})" for a in kernel.estimate.assumptions for name, value in [input_text(a.of)]
    ]
    report = kernel.build.report if kernel.build is not None and kernel.build.report.complete else None
    chosen = board_text(assessment.board_why) if assessment.board_why is not None else assessment.given_by("board")
    why = f" ({chosen})" if chosen else ""
    macros = [
        define_text(name, value, where)
        for name, value in assessment.settings.defines.items()
        if (where := assessment.given_by("defines", name))
    ]
    board = f"board {assessment.board.name}{why}"
    built = build_line_text(assessment)
    return [*given, board, rules_text(assessment.target, report), *([built] if built else ()), *macros]


def _inputs(assessment: Assessment, kernel: KernelAssessment) -> str:
    return " · ".join(inputs_of(assessment, kernel))


def kernel_card(assessment: Assessment, kernel: KernelAssessment, fix: Fix | None = None) -> Card:
    """All that is known of one kernel: its time, its limit and what to do first, then the figures.

    `fix` is its best edit, where one was looked for and found.
    """
    facts, estimate = kernel.facts, kernel.estimate
    first = decision(assessment, kernel)
    paragraphs = [Paragraph("takes", " · ".join(part for part in (first.time, first.limit) if part))]
    paragraphs.append(Paragraph("why", limit_line(assessment, kernel)))
    levers = [Paragraph("do", line) for line in lever_lines(kernel, MOST_LEVERS)]
    first_to_do = [Paragraph("edit", fix_title(fix))] if fix is not None else levers[:1]
    paragraphs += first_to_do
    details = [one for one in levers if one not in first_to_do]
    certain = RunsTogether | StartsBehind | FewBanksAtATime | Fed | Decided
    details += [
        Paragraph("note" if isinstance(one, certain) else "doubt", remark_text(one)) for one in _remarks(kernel)
    ]
    doubts = (left_out_text(facts.remarks), unasked_text(kernel))
    details += [Paragraph("doubt", one) for one in doubts if one]
    if kernel.build is not None:
        details.append(Paragraph("build", _build(kernel, kernel.build)))
    if estimate.resources is not None:
        # The clock that is expected is among the inputs, where it is the one that figures rest on.
        given = not any(isinstance(a.of, KernelClock) and a.provenance == "estimate" for a in estimate.assumptions)
        groups = kernel.facts.model == "ndrange"
        line = resources_line(estimate.resources, assessment.target.family, clock=given, groups=groups)
        details.append(Paragraph("resources", line))
    details += [Paragraph("loop", line) for line in loop_lines(assessment, kernel)]
    potentials = [(label, getattr(estimate.potentials, name)) for name, label in POTENTIALS.items()]
    known = ", ".join(f"{label} {value:.2f}" for label, value in potentials if value is not None)
    if known:
        details.append(Paragraph("potentials", known))
    details.append(Paragraph("inputs", _inputs(assessment, kernel)))
    return Card(f"{facts.name} · {kind_text(facts)}", (), tuple(paragraphs), tuple(details))


def _remarks(kernel: KernelAssessment) -> list[Remark]:
    """What the reader has to know of the figures, of those at assumed sizes what depends on times."""
    guess, own = kernel.at_assumed, kernel.estimate.remarks
    timed = TakeTurns | BeyondConstantCache | FewBanksAtATime
    more = [one for one in guess.estimate.remarks if isinstance(one, timed)] if guess is not None else []
    # What is not counted may take far longer than the launch.
    return [one for one in dict.fromkeys([*own, *more]) if one != "hidden_by_launch" or not is_bound(kernel)]


MOST_LEVERS = 3
"""Most lines of advice on a kernel's card."""
_UNKNOWN = "–"


def loop_lines(assessment: Assessment, kernel: KernelAssessment) -> list[str]:
    """Loops that wait for themselves."""
    lines = []
    for one in kernel.estimate.loops:
        if one.serialised_by and ((one.ii or 1) > 1 or one.serial or one.pipelined is False):
            line = place_of(assessment.source, kernel.facts.loops[one.loop].span).line + 1
            lines.append(loop_text(one, line, classes(kernel.facts, kernel.facts.loops[one.loop])))
    return lines


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
        parts.append(as_inferred_text(build.agreed, build.agreed + wrong))
    return " · ".join(parts)
