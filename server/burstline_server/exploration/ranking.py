"""The rows of all jobs in one order: the fastest first for the same work."""

from __future__ import annotations

from collections.abc import Sequence

from burstline_server.exploration.jobs import Outcome, Row


def ranked(outcomes: Sequence[Outcome], slowest_ms: float | None, *, front: bool) -> list[tuple[Outcome, Row]]:
    """All rows that fit, fastest first for the same work; equal times by what they take."""
    rows = [
        (outcome, row)
        for outcome, row in _with_front(_comparable(outcomes))
        if (slowest_ms is None or row.time_ms <= slowest_ms) and (row.front or not front)
    ]
    return sorted(rows, key=lambda one: (one[1].time_ms / one[0].work, one[1].use))


def _comparable(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes with a work to hold theirs against: the first text's, where the source by itself has none."""
    first: dict[tuple[str, str], float | None] = {}
    for outcome in outcomes:
        first.setdefault((outcome.path, outcome.kernel), outcome.now_stored_bytes or outcome.stored_bytes)
    return [o.model_copy(update={"now_stored_bytes": o.now_stored_bytes or first[o.path, o.kernel]}) for o in outcomes]


def _with_front(outcomes: Sequence[Outcome]) -> list[tuple[Outcome, Row]]:
    """All rows, the front anew over those of one kernel: its texts compete with each other."""
    from burstline_model.explore.pareto import pareto  # noqa: PLC0415

    competing: dict[tuple[str, str], list[tuple[Outcome, Row]]] = {}
    for outcome in outcomes:
        competing.setdefault((outcome.path, outcome.kernel), []).extend((outcome, row) for row in outcome.rows)
    found = []
    for rows in competing.values():
        columns = zip(*((r.time_ms / o.work, r.logic, r.rams, r.dsps) for o, r in rows), strict=True)
        for (outcome, row), front in zip(rows, pareto(*columns) if rows else (), strict=True):
            found.append((outcome, row.model_copy(update={"front": bool(front)})))
    return found
