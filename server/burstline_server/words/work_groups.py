"""What to do about the shape of work-groups."""

from __future__ import annotations

from burstline_model.estimate.changes import LongerGroups


def longer_groups(change: LongerGroups) -> tuple[str, str]:
    """The change in a few words, and the rest of its sentence."""
    now = " × ".join(map(str, change.now))
    short = f": a row of {now} fills no word"
    if change.size is None:
        return "make work-groups (and their local arrays) longer along dimension 0", short
    return f"make work-groups {' × '.join(map(str, change.size))}", short
