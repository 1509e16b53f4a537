"""``burstline import-report``: what a vendor report says, and where inference says otherwise."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from burstline_model.boards.board_spec import BoardSpecError, board_toml, quoted, read_board_spec
from burstline_model.vendor_report.read import UnreadableReportError, read_report
from burstline_model.vendor_report.records import VendorReport
from burstline_server.cli.terminal import one_line
from burstline_server.presentation.resources import usage_text
from burstline_server.quantities import frequency_text, share_text
from burstline_server.validation.crosscheck import PlaceCheck, Units, check_text, other_branches, settings_of, texts_of


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
        if path.suffix == ".xml":
            sys.stdout.write(board_toml(read_board_spec(path).board))
            return 0
        report = read_report(path)
    except (UnreadableReportError, BoardSpecError) as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    missing = next((p for p in arguments.sources if not p.is_file()), None)
    if missing is not None:
        sys.stderr.write(f"burstline: {missing}: no such file\n")
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
    lines = [f"{report.path}", "  " + (" · ".join(b for b in build if b) or "device and compiler not given")]
    if report.f_max_mhz:
        lines.append(f"  f_max {frequency_text(report.f_max_mhz * 1e6)} after place and route")
    if report.target_f_max_mhz:
        lines.append(f"  f_max {frequency_text(report.target_f_max_mhz * 1e6)} scheduled for")
    for name, usage in (("total", report.total), ("shell", report.shell), ("device", report.available)):
        if usage.known:
            lines.append(f"  {name}: {usage_text(usage)}")
    lines += [f"  {k.name}: {usage_text(k.usage)}" for k in report.kernels if k.usage.known]
    lines += [f"  {name}: {share_text(share)} of the device" for name, share in report.utilisation.items()]
    for loop in report.loops:
        if loop.ii is not None:
            sign = {"exact": "", "about": "~", "at least": "≥"}[loop.exactness]
            why = f": {loop.details[0]}" if loop.bottleneck and loop.details else ""
            lines.append(f"  {loop.file}:{loop.line} loop: II {sign}{loop.ii}{why}")
    if report.complete:
        lines += ["", *_differences(report, checks, unread)]
        lines += [
            f"  {file}:{line} was compiled, but {directive} does not hold here: define what it asks for ([defines] in "
            "burstline.toml, or -D)"
            for file, found in branches.items()
            for directive, line in found.items()
        ]
    lines += ["", "burstline.toml for this build:", *(f"  {line}" for line in toml_lines(report))]
    return lines


def _differences(report: VendorReport, checks: Sequence[PlaceCheck], unread: Sequence[str]) -> list[str]:
    same = sum(1 for c in checks if c.agrees)
    lines = [f"{same} of {len(checks)} places as inferred ({sum(u.count for u in report.units)} units reported)"]
    lines += [
        f"  {check.file}:{check.line} {check.kernel} {check.op}: report {units_text(check.reported)}, "
        f"inferred {units_text(check.inferred)}"
        for check in checks
        if not check.agrees
    ]
    lines += [f"  {file}: its text is neither in the report nor given: not compared" for file in unread]
    return lines


def units_text(units: Units) -> str:
    """Units as a reader counts them."""
    parts = [
        f"{style}{f' {width} bit' if width is not None else ''}{f' ×{n}' if n > 1 else ''}"
        for (style, width), n in sorted(Counter(units).items(), key=str)
    ]
    return ", ".join(parts) or "none"


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
