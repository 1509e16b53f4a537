"""The files outside a text that its assessment depends on: settings, includes, the board's file, a build's report."""

from __future__ import annotations

from pathlib import Path

from burstline_model.vendor_report.report_files import DATA, SUMMARY, files_of
from burstline_server.assessment.assessor import Assessment
from burstline_server.assessment.reports import folders_for
from burstline_server.commands.build_files import BUILD_PATTERN, build_files, folders_of, is_build_file
from burstline_server.config.layers import FILE_NAME

REPORTS = (DATA, "mav.json", SUMMARY)
HEADERS = ("h", "hpp", "clh", "cl", "ocl", "inc")
PATTERNS = (
    "**/*.toml", f"**/*.{{{','.join(HEADERS)}}}", f"**/{{{','.join(Path(r).name for r in REPORTS)}}}", BUILD_PATTERN,
)  # fmt: skip
"""What an editor is asked to watch."""


def outside(assessment: Assessment) -> set[Path]:
    """The files that were read for an assessment, and the settings that would be if they were there."""
    here = Path(assessment.path)
    found = {folder / FILE_NAME for folder in here.parents}
    found |= {Path(file) for file in assessment.source.files}
    if assessment.settings.board.endswith(".toml"):
        found.add(Path(assessment.settings.board))
    if assessment.build is not None:
        found.add(Path(assessment.build.report.path))
    found |= build_files_near(here, assessment)
    return found | {file for folder in folders_for(here) for file in files_of(folder)}


def build_files_near(here: Path, assessment: Assessment) -> set[Path]:
    """The build files that may name a kernel file, those that they include among them."""
    above = [root for root in assessment.workspace if here.is_relative_to(root)]
    top = max(above, key=lambda root: len(root.parts), default=here.parent)
    found = {file for folder in folders_of(here, top) for file in build_files(folder)}
    if assessment.build_line is not None and assessment.build_line.path is not None:
        found.add(Path(assessment.build_line.path))
    return found


def concerns(changed: Path, assessment: Assessment) -> bool:
    """Whether a change of a file may change an assessment: one that was read, or that may be read from now on."""
    missing = any(file is None for _, _, file in assessment.source.includes)
    appeared = changed.name in {Path(r).name for r in REPORTS} or (missing and changed.suffix[1:] in HEADERS)
    return appeared or is_build_file(changed.name) or changed in outside(assessment)


def stamps(assessment: Assessment) -> dict[Path, int]:
    """When each of the files was written, in nanoseconds; those that are not there are left out."""
    found = {}
    for path in outside(assessment):
        try:
            found[path] = path.stat().st_mtime_ns
        except OSError:
            continue
    return found
