"""Findings as SARIF 2.1.0."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from burstline_server.assessment.assessor import Assessment
from burstline_server.diagnostics.catalogue import RULES
from burstline_server.diagnostics.finding import Finding
from burstline_server.source.locate import place_of
from burstline_server.version import tool_name
from burstline_server.words.findings import message_text

_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}


def sarif(found: list[tuple[Assessment, Collection[Finding]]], *, advise: bool = False) -> str:  # noqa: ARG001
    """One run with every finding as a result."""
    name, _, version = tool_name().partition(" ")
    results = []
    for assessment, findings in found:
        alike = Counter[bytes]()
        for finding in findings:
            said = _said(assessment, finding)
            alike[said] += 1
            print_ = blake2b(said + b"%d" % alike[said], digest_size=16).hexdigest()
            results.append({**_result(assessment, finding), "partialFingerprints": {"findingOnLine/v1": print_}})
    rules = [
        {
            "id": r.code,
            "name": type(r).__name__,
            "shortDescription": {"text": r.name},
            "fullDescription": {"text": " ".join(r.documentation().split("\n\n")[1].split())},
            "help": {"text": r.documentation(), "markdown": r.documentation()},
        }
        for r in RULES
    ]
    run = {
        "tool": {"driver": {"name": name, "version": version, "rules": rules}},
        "columnKind": "utf16CodeUnits",
        "results": results,
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def uri_of(path: str) -> str:
    """A path as a reference that RFC 3986 allows: relative ones stay relative."""
    place = Path(path)
    return place.as_uri() if place.is_absolute() else quote(place.as_posix(), safe="/")


def _said(assessment: Assessment, finding: Finding) -> bytes:
    """What stays of a finding when lines are put in above it: its rule, its file and the text of its line."""
    lines, text = assessment.source.lines, assessment.source.original
    line = lines.line_of(finding.span.start)
    written = text[lines.start_of(line) : lines.start_of(line + 1)].strip()
    return b"\0".join((finding.code.encode(), uri_of(assessment.path).encode(), written))


def _result(assessment: Assessment, finding: Finding) -> dict[str, object]:
    place = place_of(assessment.source, finding.span)
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": message_text(finding)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri_of(assessment.path)},
                    "region": {
                        "startLine": place.line + 1,
                        "startColumn": place.column + 1,
                        "endLine": place.end_line + 1,
                        "endColumn": place.end_column + 1,
                    },
                }
            }
        ],
    }
