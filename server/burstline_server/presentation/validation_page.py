"""A validation as text, and as a page with a dot plot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from statistics import mean

from burstline_server.validation.errors import RunError, SetError
from burstline_server.validation.papers import ApplicationRow, Validation
from burstline_server.words.validation import (
    ABOUT,
    GROUPS,
    OURS,
    TITLES,
    TRUST,
    Group,
    applications_text,
)


def _cells(rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """Rows as a Markdown table, or as columns of plain text; the first row is the head."""
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows) + "\n"


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} %"


def _off(value: float | None, measured: float) -> float | None:
    return abs(value / measured - 1) * 100 if value is not None else None


def _applications(table: Sequence[ApplicationRow]) -> list[list[str]]:
    head = ["kernel", "memory", "measured ms", "printed", "faithful", "calibrated", "error printed", "error faithful",
            "error calibrated", "from", "status"]  # fmt: skip
    rows = [head]
    for row in table:
        p = row.printed
        errors = (_off(v, p.measured_ms) for v in (p.printed_ms, row.faithful_ms, row.calibrated_ms))
        status = p.status + (f": {p.note}" if p.note else "")
        rows.append([p.name, p.memory, _ms(p.measured_ms), _ms(p.printed_ms), _ms(row.faithful_ms),
                     _ms(row.calibrated_ms), *(_percent(e) for e in errors), p.file or "–", status])  # fmt: skip
    return rows


def means_of(rows: Iterable[ApplicationRow], *, all_: bool) -> tuple[float, float, float, int]:
    """Mean absolute errors, in percent, of print, faithful and calibrated, and over how many rows.

    Rows count that have all three; those that cannot be reproduced from the text only if `all_` are asked for.
    """
    whole = [
        (row.printed.printed_ms, row.faithful_ms, row.calibrated_ms, row.printed.measured_ms)
        for row in rows
        if row.faithful_ms is not None and row.calibrated_ms is not None and row.printed.printed_ms is not None
        and (all_ or row.printed.status != "not reproducible")
    ]  # fmt: skip
    print_, faithful, calibrated = (mean(_off(r[i], r[3] or 1) or 0.0 for r in whole) for i in range(3))
    return print_, faithful, calibrated, len(whole)


def _table_5(validation: Validation) -> list[list[str]]:
    rows = [["microbenchmark, #lsu", "memory", "Wang printed", OURS.format("Wang"), "HLScope+ printed",
             OURS.format("HLScope+"), "M21 printed", "faithful", "calibrated"]]  # fmt: skip
    for row in validation.table_5:
        p = row.printed
        figures = (
            p.printed_wang,
            row.wang,
            p.printed_hlscope,
            row.hlscope,
            p.printed_m21,
            row.faithful,
            row.calibrated,
        )
        rows.append([p.name, p.memory, *(_percent(f) for f in figures)])
    return rows


def _sets(sets: Sequence[SetError]) -> list[list[str]]:
    rows = [["set", "banks", "runs", "bytes / peak", "faithful, mean", "calibrated, mean", "median", "fitted on",
             "worst five"]]  # fmt: skip
    for one in sets:
        worst = ", ".join(f"{r.run.id} {100 * r.calibrated:+.0f} %" for r in one.worst)
        rows.append([one.name, one.banks, str(len(one.runs)), _percent(100 * one.naive_mean),
                     _percent(100 * one.faithful_mean),
                     _percent(100 * one.calibrated_mean), _percent(100 * one.calibrated_median),
                     "yes" if one.fitted else "no", worst])  # fmt: skip
    return rows


def _summary(validation: Validation) -> list[list[str]]:
    rows = [["not fitted on", "runs", "bytes / peak", "faithful, mean", "calibrated, mean"]]
    kept = [r for s in validation.sets for r in s.runs if not r.run.fitted]
    groups: tuple[tuple[Group, Callable[[RunError], bool]], ...] = (
        ("aligned", lambda r: r.run.is_stream and r.run.banks == "banked" and r.run.aligned),
        ("off_alignment", lambda r: r.run.is_stream and not r.run.aligned),
        ("interleaved", lambda r: r.run.is_stream and r.run.banks == "interleaved"),
        ("strides", lambda r: not r.run.is_stream),
    )  # fmt: skip
    for name, chosen in groups:
        runs = [r for r in kept if chosen(r)]
        if runs:
            means = (100 * mean(abs(e) for e in errors) for errors in zip(*((r.naive, r.faithful, r.calibrated)
                     for r in runs), strict=True))  # fmt: skip
            rows.append([GROUPS[name], str(len(runs)), *(_percent(m) for m in means)])
    for memory in ("DDR4-1866", "HBM2"):
        for all_ in (False, True):
            of_memory = [r for r in validation.table_4 if r.printed.memory == memory]
            print_, faithful, calibrated, count = means_of(of_memory, all_=all_)
            rows.append(
                [
                    applications_text(memory, _percent(print_), all_=all_),
                    str(count),
                    "–",
                    _percent(faithful),
                    _percent(calibrated),
                ]
            )
    return rows


def text(validation: Validation) -> str:
    """Plain text."""
    return _body(validation, markdown=False)


def _body(validation: Validation, *, markdown: bool) -> str:
    def title(words: str) -> str:
        return f"\n## {words}\n\n" if markdown else f"\n{words}\n\n"

    parts = [title(TITLES["summary"]), _cells(_summary(validation), markdown=markdown),
             title(TITLES["table_iv"]), _cells(_applications(validation.table_iv), markdown=markdown),
             title(TITLES["table_4"]), _cells(_applications(validation.table_4), markdown=markdown),
             title(TITLES["table_5"]), _cells(_table_5(validation), markdown=markdown)]  # fmt: skip
    if validation.sets:
        parts += [title(TITLES["sets"]), _cells(_sets(validation.sets), markdown=markdown)]
    return "".join(parts).lstrip("\n")


def markdown(validation: Validation) -> str:
    """The page for ``docs/``."""
    return ABOUT + _body(validation, markdown=True) + TRUST


def plot(validation: Validation) -> str:
    """Estimated against measured time as an SVG. Raises ImportError without the plotting library."""
    from matplotlib import rcParams  # noqa: PLC0415 - slow, optional, and needed here alone
    from matplotlib.figure import Figure  # noqa: PLC0415

    rcParams.update({"svg.hashsalt": "burstline", "svg.fonttype": "none"})
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    runs = [r for s in validation.sets for r in s.runs]
    times = [r.run.measured_s * 1e3 for r in runs] or [1.0]
    for axis, mode in zip(axes, ("faithful", "calibrated"), strict=True):
        axis.set(xscale="log", yscale="log", title=mode, xlabel="measured ms", ylabel="estimated ms")
        axis.plot([min(times), max(times)], [min(times), max(times)], color="0.6", linewidth=0.8)
        for one in validation.sets:
            x = [r.run.measured_s * 1e3 for r in one.runs]
            y = [((r.faithful_s if mode == "faithful" else r.calibrated_s) or 0.0) * 1e3 for r in one.runs]
            axis.scatter(x, y, s=9, alpha=0.6, rasterized=True, label=f"{one.name}, {one.banks}")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=6)
    out = StringIO()
    figure.savefig(out, format="svg", dpi=200, metadata={"Date": None})
    return out.getvalue()
