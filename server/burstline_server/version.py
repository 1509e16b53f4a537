"""What the program calls itself."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def tool_name() -> str:
    """Name and version."""
    try:
        return f"burstline {version('burstline')}"
    except PackageNotFoundError:
        return "burstline (not installed)"
