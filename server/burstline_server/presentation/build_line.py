"""What the build of a kernel says of it, with its place: Makefile:12."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from burstline_server.assessment.assessor import Assessment
from burstline_server.commands.build_files import Built
from burstline_server.presentation.report import BuildLineReport

MOST_NAMED = 3
"""How many command lines that were not taken are named."""


def build_line_text(assessment: Assessment) -> str:
    """What the build's command line sets and nothing overrules, and which other command lines there are."""
    layer = assessment.build_line
    if layer is None or layer.built is None:
        return ""
    defines = _standing(assessment)
    parts = [f"-D {name}={value}" for name, value in defines.items()]
    parts += [f"-I {Path(one).name or one}" for one in layer.keys.get("include_paths", ())]
    parts += [flag for flag in layer.keys.get("aoc_flags", ()) if flag in assessment.settings.aoc_flags]
    others = _others(layer.built)
    emulated = ", an emulation" if layer.built.command.flags.emulated else ""
    if not parts and not others and not emulated:
        return ""
    given = f" gives {' '.join(parts)}" if parts else ""
    return f"{layer.built.command.place}{emulated}{given}" + (f"; {others}" if others else "")


def _standing(assessment: Assessment) -> Mapping[str, str]:
    """The build's macros that no stronger setting gives another value."""
    layer = assessment.build_line
    given = layer.keys.get("defines", {}) if layer is not None else {}
    now = assessment.settings.defines
    return {name: value for name, value in given.items() if str(now.get(name)) == str(value)}


def _others(built: Built) -> str:
    named = [f"{c.place}{' (emulation)' if c.flags.emulated else ''}" for c in built.others[:MOST_NAMED]]
    left = len(built.others) - len(named)
    return f"not {', '.join(named)}{f' or {left} more' if left else ''}" if named else ""


def build_line_report(assessment: Assessment) -> BuildLineReport | None:
    """The command line for tools; None where no build file has one."""
    layer = assessment.build_line
    if layer is None or layer.built is None or layer.path is None:
        return None
    command = layer.built.command
    return BuildLineReport(
        file=layer.path,
        line=command.line,
        board=command.flags.board or command.flags.package,
        defines=dict(command.flags.defines),
        include_paths=list(layer.keys.get("include_paths", ())),
        flags=list(command.flags.others),
        emulated=command.flags.emulated,
        not_taken=[c.place for c in layer.built.others],
    )
