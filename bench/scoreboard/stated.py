"""Errors that answers state, written into the cost tables by the run that measures them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.scoreboard.figure import Area

COMMON = Path(__file__).parents[2] / "model" / "burstline_model" / "devices" / "families" / "common.toml"
_PREFIX = "resources."


def state(areas: Sequence[Area], path: Path = COMMON) -> None:
    """Write the measured errors of resources (per cent) into ``[errors]`` (shares); what was not measured stays."""
    head, mark, errors = path.read_text("utf-8").partition("\n[errors]\n")
    for figure in (f for area in areas for f in area.figures if f.key.startswith(_PREFIX) and f.ours is not None):
        line = re.compile(rf"^{re.escape(figure.key.removeprefix(_PREFIX))} = .*$", re.MULTILINE)
        errors = line.sub(f"{figure.key.removeprefix(_PREFIX)} = {round((figure.ours or 0) / 100, 3)}", errors)
    path.write_text(head + mark + errors, "utf-8")
