"""How answers are printed: by name, so that a new format is one function."""

from __future__ import annotations

from collections.abc import Callable, Collection

from burstline_server.assessment.assessor import Assessment
from burstline_server.cli.github import github
from burstline_server.cli.sarif import sarif
from burstline_server.cli.text import text
from burstline_server.diagnostics.finding import Finding

Found = list[tuple[Assessment, Collection[Finding]]]


def _json(_found: Found, *, advise: bool = False) -> str:
    raise ValueError(f"JSON is written from the report records (advise={advise})")


FORMATS: dict[str, Callable[..., str]] = {"text": text, "json": _json, "sarif": sarif, "github": github}
