"""Requests that belong together: accesses of one operation in one loop at addresses that follow one another."""

from __future__ import annotations

from collections import defaultdict

from burstline_model.record import fixed
from burstline_server.llvm.optimised_facts import LlvmAccess, LlvmKernel


@fixed
class LlvmUnit:
    """What one request moves. `place` is that of its first access, in the order of the code."""

    op: str
    pointer: str
    place: int
    width_bytes: int
    members: tuple[LlvmAccess, ...]


def units_of(kernel: LlvmKernel) -> list[LlvmUnit]:
    """The requests of a kernel whose loops are unrolled as its text asks.

    Equal addresses are one, adjacent ones one wide one. Neighbours that the next work-item reaches as well
    (``a[gid - 1]``, ``a[gid]``) stay apart.
    """
    groups: dict[object, list[tuple[int, int, LlvmAccess]]] = defaultdict(list)
    for number, access in enumerate(kernel.accesses):
        start = access.offset.offset
        key = (access.op, access.pointer, access.loops, access.offset.terms[1 if start else 0 :])
        groups[key].append((start, number, access))
    found = [unit for group in groups.values() for unit in _runs(sorted(group, key=lambda one: one[:2]))]
    return [unit for _, unit in sorted(found, key=lambda one: one[0])]


def _runs(group: list[tuple[int, int, LlvmAccess]]) -> list[tuple[int, LlvmUnit]]:
    """Each run of adjacent accesses, with the number of its first."""
    steps = [abs(s) for s in group[0][2].item_steps.values() if s]
    runs: list[list[tuple[int, int, LlvmAccess]]] = []
    end = 0
    for one in group:
        start, stop = one[0], one[0] + one[2].size_bytes
        same = bool(runs) and start == runs[-1][-1][0]
        near = bool(runs) and start <= end and (not steps or stop - runs[-1][0][0] <= min(steps))
        if same or near:
            runs[-1].append(one)
            end = max(end, stop)
        else:
            runs.append([one])
            end = stop
    return [_unit(run) for run in runs]


def _unit(run: list[tuple[int, int, LlvmAccess]]) -> tuple[int, LlvmUnit]:
    _, number, first = min(run, key=lambda one: one[1])
    low, high = min(start for start, _, _ in run), max(start + a.size_bytes for start, _, a in run)
    return number, LlvmUnit(first.op, first.pointer, first.place, high - low, tuple(a for _, _, a in run))
