"""Findings as annotations of GitHub's workflow commands."""

from __future__ import annotations

from collections.abc import Collection

from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.finding import Finding
from burstline_server.source.locate import place_of
from burstline_server.words.findings import message_text


def github(found: list[tuple[Assessment, Collection[Finding]]], *, advise: bool = False) -> str:  # noqa: ARG001
    """One line for each finding."""
    lines = []
    for assessment, findings in found:
        for finding in findings:
            place = place_of(assessment.source, finding.span)
            level = finding.severity if finding.severity in {"error", "warning"} else "notice"
            where = f"file={_property(assessment.path)},line={place.line + 1},col={place.column + 1}"
            lines.append(f"::{level} {where},title={finding.code}::{_message(message_text(finding))}\n")
    return "".join(lines)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
