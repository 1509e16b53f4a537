"""From source text to an assessment, for tests."""

from typing import Any

from burstline_server.assessment.assessor import Assessment, Assessor
from burstline_server.config.layers import Layer


def assess(text: str, path: str = "kernel.cl", **settings: Any) -> Assessment:
    """Assess a text under these settings."""
    return Assessor().assess(text, path, [Layer("file", settings)])
