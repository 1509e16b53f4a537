"""Which places one pointer may lead to: then ``restrict`` does not keep buffers apart, nor their names variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from burstline_server.analysis.frames import Variable
from burstline_server.analysis.values import Pointer

if TYPE_CHECKING:
    from burstline_server.analysis.reader import Reader


def leads(reader: Reader, *pointers: Pointer | None) -> None:
    """Note that one pointer may lead to any of these places."""
    _note(reader, frozenset(p.root for p in pointers if p is not None))


def leads_to(reader: Reader, variable: Variable, pointer: Pointer | None) -> None:
    """Note that a variable is set to a pointer."""
    if pointer is not None:
        before = variable.value.pointer if variable.value is not None else None
        variable.leads_to |= {pointer.root} if before is None else {pointer.root, before.root}
        _note(reader, variable.leads_to)


def _note(reader: Reader, roots: frozenset[str]) -> None:
    if len(roots) > 1 and not reader.silent:
        reader.mixed.add(roots)


def together(mixed: Iterable[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Groups of names, those with a name in common joined."""
    found: list[frozenset[str]] = []
    for one in sorted(mixed, key=sorted):
        joined = one.union(*(group for group in found if group & one))
        found = [group for group in found if not group & joined] + [joined]
    return tuple(tuple(sorted(group)) for group in found)
