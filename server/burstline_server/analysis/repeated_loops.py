"""Loops whose iterations all do the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from burstline_server.analysis.reader import Reader
from burstline_server.analysis.trips import Changing
from burstline_server.analysis.values import Value


def sets_the_same(
    reader: Reader, regions: Sequence[Node], changing: Mapping[str, Changing], ends: Mapping[str, Value], counter: str
) -> bool:
    """Whether what a loop leaves in variables is the same in every iteration, but for what it counts.

    `regions` are its parts, `ends` what it leaves in those of `changing` that it does not count. What it loads is the
    same only if nothing changes the addresses.
    """
    if reader.assignments.changed_behind(*regions):
        return False
    assigned = {one.name for region in regions for one in reader.assignments.from_outside(region) if not one.declares}
    outside = {name for name in assigned if reader.find(name) is not None}
    moving = {counter, *(change.carried for change in changing.values())}
    left = {name for name, change in changing.items() if change.step is None}
    if not outside <= changing.keys() or not left <= ends.keys():
        return False
    return all(moving.isdisjoint(reader.symbols.closure(ends[name].varies_with())) for name in left)
