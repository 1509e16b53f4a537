"""Variants as a table for people, and as records for tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from burstline_server.assessment.assessor import Assessment
from burstline_server.exploration.jobs import Outcome, Row, Setting, usual
from burstline_server.presentation.view_document import VariantView
from burstline_server.quantities import factor_text, share_text, time_text
from burstline_server.version import tool_name
from burstline_server.words.variants import UNEQUAL_WORK, fitting_text, left_out_text

Ranked = Sequence[tuple[Outcome, Row]]
ALIKE = 1e-9
"""Times that differ by less are a tie: the cheaper variant comes first."""
SHOWN = 20
"""Variants in the kernel view in addition to those of the front."""


class Knob(NamedTuple):
    """A knob that was turned: the field of `Setting` that has it, and which macro or line where there are several."""

    field: str
    of: str = ""

    @property
    def label(self) -> str:
        """The head of its column."""
        return _LABELS[self.field].format(of=self.of)


_LABELS = {
    "defines": "-D {of}",
    "edit": "edit",
    "edit_shown": "rests on",
    "board": "board",
    "simd": "simd",
    "compute_units": "compute units",
    "unroll": "unroll {of}",
    "local_size": "group",
    "banks": "banks",
    "f_max_mhz": "f_max MHz",
}


def knobs_of(setting: Setting) -> dict[Knob, str]:
    """The knobs of a variant with their values as text."""
    found = {Knob("defines", name): value for name, value in setting.defines.items()}
    if setting.edit_short is not None:
        found[Knob("edit")] = setting.edit_short
    if setting.edit_shown is not None:
        found[Knob("edit_shown")] = setting.edit_shown
    if setting.board is not None:
        found[Knob("board")] = setting.board
    if setting.simd is not None:
        found[Knob("simd")] = str(setting.simd)
    if setting.compute_units is not None:
        found[Knob("compute_units")] = str(setting.compute_units)
    for line, factor in sorted(setting.unroll.items()):
        found[Knob("unroll", str(line))] = "fully" if factor == 0 else str(factor)
    if setting.local_size is not None:
        found[Knob("local_size")] = "×".join(str(n) for n in setting.local_size)
    if setting.banks:
        found[Knob("banks")] = " ".join(f"{name}={bank}" for name, bank in sorted(setting.banks.items()))
    if setting.f_max_mhz is not None:
        found[Knob("f_max_mhz")] = f"{setting.f_max_mhz:g}"
    return found


def text_table(rows: Ranked, outcomes: Sequence[Outcome], top: int) -> str:
    """The best rows, what was refused and why."""
    several = len({(o.path, o.kernel) for o in outcomes}) > 1
    turned = list(dict.fromkeys(knob for _, row in rows[:top] for knob in knobs_of(row.setting)))
    names = [knob.label for knob in turned]
    unequal = any(outcome.work != 1.0 for outcome, _ in rows)
    work = ["work"] if unequal else []
    head = ["N", *(["kernel"] if several else []), *names, "time", *work, "gain", "logic", "RAM", "DSP", "front"]
    lines, before = [head], None
    for number, (outcome, row) in enumerate(rows[:top], 1):
        knobs = knobs_of(row.setting)
        same = row.time_ms / outcome.work
        gain = factor_text(outcome.now_ms / same) if outcome.now_ms and same else ""
        tied, before = before is not None and abs(same - before) <= ALIKE * same, same
        shares = [share_text(share) for share in (row.logic, row.rams, row.dsps)]
        own = [factor_text(outcome.work)] if unequal else []
        lines.append(
            [
                f"= {number}" if tied else str(number), *([outcome.kernel] if several else []),
                *(knobs.get(knob, "") for knob in turned), time_text(row.time_ms / 1e3), *own, gain, *shares,
                "*" if row.front else "",
            ]
        )  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = "".join(
        "  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )
    total, refused = sum(o.variants for o in outcomes), Counter[str]()
    for outcome in outcomes:
        refused.update(outcome.refused)
    fitting = fitting_text(len(rows), total, top, front=any(row.front for _, row in rows[:top]))
    return text + "\n".join(
        [
            "",
            fitting,
            *([UNEQUAL_WORK] if unequal else []),
            *(left_out_text(count, reason) for reason, count in refused.most_common()),
            "",
        ]
    )


def json_of(rows: Ranked, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The same for tools: the rows, and each text with what was refused."""
    return {
        "schema": 1,
        "tool": tool_name(),
        "variants": [
            {
                "file": outcome.path,
                "kernel": outcome.kernel,
                "work": outcome.work,
                **row.model_dump(mode="json", exclude_none=True),
            }
            for outcome, row in rows
        ],
        "texts": [o.model_dump(mode="json", exclude={"key", "rows"}) for o in outcomes],
    }


def csv_of(rows: Ranked) -> list[list[str]]:
    """The same as cells, the first line their names."""
    turned = list(dict.fromkeys(knob for _, row in rows for knob in knobs_of(row.setting)))
    head = ["N", "file", "kernel", *(knob.label for knob in turned), "time_ms", "logic", "rams", "dsps", "front"]
    return [head] + [
        [
            str(number), outcome.path, outcome.kernel, *(knobs_of(row.setting).get(knob, "") for knob in turned),
            *(repr(value) for value in (row.time_ms, row.logic, row.rams, row.dsps)), str(row.front).lower(),
        ]
        for number, (outcome, row) in enumerate(rows, 1)
    ]  # fmt: skip


def views_of(assessment: Assessment) -> dict[str, list[VariantView]]:
    """The usual variants of each kernel, for the kernel view; a kernel without known times has none."""
    found: dict[str, list[VariantView]] = {}
    for kernel in assessment.kernels:
        outcome = usual(assessment, kernel)
        f_max_mhz = kernel.estimate.f_max_hz / 1e6
        rows = list(enumerate(outcome.rows if outcome is not None else (), 1))
        for number, row in (one for one in rows if one[0] <= SHOWN or one[1].front):
            found.setdefault(kernel.facts.name, []).append(
                VariantView(
                    number=number, knobs={knob.label: value for knob, value in knobs_of(row.setting).items()},
                    time_ms=row.time_ms, f_max_mhz=f_max_mhz,
                    logic=row.logic, rams=row.rams, dsps=row.dsps, feasible=True, why="", pareto=row.front,
                    setting=row.setting.model_dump_json(exclude_defaults=True),
                )
            )  # fmt: skip
    return found
