"""How an address moves from one request to the next."""

from __future__ import annotations

from burstline_model.walk.walk import Walk


def moves_text(walk: Walk) -> str:
    """How an address moves, in words."""
    match walk.kind:
        case "same":
            return "the same place"
        case "anywhere":
            return "anywhere (data decide)"
        case "window":
            return "in order except at a few places"
        case "advances":
            return "one element on, or stays"
        case _:
            borders = ", except at borders" if walk.kind == "mostly" else ""
            return f"{walk.step_bytes:+g} B{borders}"
