"""``burstline import-report``: what a vendor report says, and where inference says otherwise."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from burstline_model.boards.board_spec import BoardSpecError, Imported, board_toml, quoted, read_board_spec
from burstline_model.vendor_report.records import VendorReport
from burstline_model.vendor_report.report_files import UnreadableReportError, read_report
from burstline_server.cli.options import is_file
from burstline_server.cli.terminal import one_line
from burstline_server.presentation.resource_report import usage_text
from burstline_server.validation.crosscheck import PlaceCheck, Units, check_text, other_branches, settings_of, texts_of
from burstline_server.words.boards import spec_error_text
from burstline_server.words.usage import unusable_text
from burstline_server.words.vendor_reports import (
    NOT_GIVEN,
    SETTINGS,
    agreement_text,
    clock_text,
    difference_text,
    not_compared_text,
    other_branch_text,
    unreadable_text,
    utilisation_text,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("path", type=Path, metavar="PATH", help="a build's folder, or report_data.js, a JSON view (lib/json/mav.json), "
        "acl_quartus_report.txt, the compiler's table of resource usage, or board_spec.xml")  # fmt: skip
    add("sources", nargs="*", type=Path, metavar="FILE", help="the kernel files, where the report does not embed them")
    add("--format", choices=("text", "json"), default="text", help="how to print the answer")


def run(arguments: argparse.Namespace) -> int:
    """Print the report and the differences; exit status 2 for unusable input."""
    path: Path = arguments.path
    try:
        read = read_board_spec(path) if path.suffix == ".xml" else read_report(path)
    except OSError as error:
        sys.stderr.write(f"burstline: {unusable_text('unreadable', path, error.strerror)}\n")
        return 2
    except (UnreadableReportError, BoardSpecError) as error:
        why = unreadable_text(error) if isinstance(error, UnreadableReportError) else spec_error_text(error)
        sys.stderr.write(f"burstline: {why}\n")
        return 2
    if isinstance(read, Imported):
        sys.stdout.write(board_toml(read.board))
        return 0
    return _compared(read, arguments)


def _compared(report: VendorReport, arguments: argparse.Namespace) -> int:
    """Print a report, and what is inferred from the texts that it was compiled from."""
    missing = next((p for p in arguments.sources if not is_file(p)), None)
    if missing is not None:
        sys.stderr.write(f"burstline: {unusable_text('no_such_file', missing)}\n")
        return 2
    texts = list(texts_of(report, arguments.sources))
    checks = [check for text in texts for check in check_text(report, text)]
    branches = {text.file: other_branches(report, text) for text in texts}
    unread = sorted({u.file for u in report.units} - {text.file for text in texts})
    if arguments.format == "json":
        sys.stdout.write(_json(report, checks, unread, branches) + "\n")
    else:
        sys.stdout.write("\n".join(map(one_line, _text(report, checks, unread, branches))) + "\n")
    return 0


def _json(
    report: VendorReport, checks: Sequence[PlaceCheck], unread: Sequence[str], branches: Mapping[str, Mapping[str, int]]
) -> str:
    def units(counted: Units) -> list[dict[str, object]]:
        return [{"style": s, "width_bits": w, "count": n} for (s, w), n in sorted(counted.items(), key=str)]

    places = [
        {"file": c.file, "kernel": c.kernel, "line": c.line, "op": c.op, "reported": units(c.reported),
         "inferred": units(c.inferred), "agrees": c.agrees}
        for c in checks
    ]  # fmt: skip
    body = report.model_dump(mode="json", exclude={"sources", "units"})
    others = [
        {"file": file, "line": line, "directive": directive}
        for file, found in branches.items()
        for directive, line in found.items()
    ]
    answer = {"report": body, "places": places, "without_text": list(unread), "other_branches": others}
    return json.dumps(answer, indent=1, ensure_ascii=False)


def _text(
    report: VendorReport, checks: Sequence[PlaceCheck], unread: Sequence[str], branches: Mapping[str, Mapping[str, int]]
) -> list[str]:
    build = [report.family, report.device, report.board, report.aoc_version and f"aoc {report.aoc_version}"]
    lines = [f"{report.path}", "  " + (" · ".join(b for b in build if b) or NOT_GIVEN)]
    if report.f_max_mhz:
        lines.append(f"  {clock_text(report.f_max_mhz, 'placed')}")
    if report.target_f_max_mhz:
        lines.append(f"  {clock_text(report.target_f_max_mhz, 'scheduled')}")
    for name, usage in (("total", report.total), ("shell", report.shell), ("device", report.available)):
        if usage.known:
            lines.append(f"  {name}: {usage_text(usage)}")
    lines += [f"  {k.name}: {usage_text(k.usage)}" for k in report.kernels if k.usage.known]
    lines += [f"  {utilisation_text(name, share)}" for name, share in report.utilisation.items()]
    for loop in report.loops:
        if loop.ii is not None:
            sign = {"exact": "", "about": "~", "at least": "≥"}[loop.exactness]
            why = f": {loop.details[0]}" if loop.bottleneck and loop.details else ""
            lines.append(f"  {loop.file}:{loop.line} loop: II {sign}{loop.ii}{why}")
    if report.complete:
        lines += ["", *_differences(report, checks, unread)]
        lines += [
            f"  {other_branch_text(file, line, directive)}"
            for file, found in branches.items()
            for directive, line in found.items()
        ]
    lines += ["", SETTINGS, *(f"  {line}" for line in toml_lines(report))]
    return lines


def _differences(report: VendorReport, checks: Sequence[PlaceCheck], unread: Sequence[str]) -> list[str]:
    same = sum(1 for c in checks if c.agrees)
    lines = [agreement_text(same, len(checks), sum(u.count for u in report.units))]
    lines += [f"  {difference_text(check)}" for check in checks if not check.agrees]
    lines += [f"  {not_compared_text(file)}" for file in unread]
    return lines


def toml_lines(report: VendorReport) -> list[str]:
    """The settings that make every surface speak of this build."""
    keys = {key: value for key, value in settings_of(report).items() if key != "report"}
    lines = [f"report = {quoted(Path(report.path).as_posix())}"]
    lines += [f"{key} = {quoted(value)}" for key, value in keys.items() if isinstance(value, str)]
    if report.f_max_mhz:
        lines.append(f"f_max_mhz = {report.f_max_mhz:g}")
    defines = keys.get("defines")
    if defines:
        lines += [
            "",
            "[defines]",
            *(f"{name if name.isidentifier() else quoted(name)} = {quoted(value)}" for name, value in defines.items()),
        ]
    return lines
