"""Names within sentences."""

from __future__ import annotations

from collections.abc import Iterable

from burstline_server.rewrites.reasons import Name


def listed(names: Iterable[Name]) -> list[str]:
    """Names, places and numbers as text; several that belong together with commas."""
    return [", ".join(one) if isinstance(one, tuple) else str(one) for one in names]
