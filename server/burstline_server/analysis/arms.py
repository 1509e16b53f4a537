"""What variables hold behind parts of an expression, or of a statement, of which one runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from burstline_model.facts import Choice
from burstline_server.analysis.frames import Variable
from burstline_server.analysis.nodes import unwrapped
from burstline_server.analysis.types import COMPOSED, components
from burstline_server.analysis.values import Value

if TYPE_CHECKING:
    from burstline_server.analysis.reader import Reader

Merge = Callable[["Reader", str, Value, Value, Value], Value]


def changed(reader: Reader, *arms: Node | None) -> list[tuple[str, Variable]]:
    """The variables that arms may set, with the numbers that they are made of."""
    whole = [(n, v) for n in sorted(reader.assignments.names(*arms)) if (v := reader.find(n)) is not None]
    inner = [f"{n}.{path}" for n, v in whole if v.type.kind in COMPOSED for path in components(v.type)]
    inner += [key for _, v in whole if v.elements is not None for key in v.elements.names.values()]
    return [*whole, *((n, v) for n in inner if (v := reader.find(n)) is not None)] if inner else whole


class Arms:
    """Two parts of an expression, each read from the same state."""

    def __init__(self, reader: Reader, *arms: Node | None) -> None:
        self._reader, self._named = reader, changed(reader, *arms)
        self._first = [variable.value for _, variable in self._named]

    def other(self) -> None:
        """Behind the first one: go back to the state before it."""
        before, self._first = self._first, [variable.value for _, variable in self._named]
        for (_, variable), value in zip(self._named, before, strict=True):
            variable.value = value

    def join(self, condition: Value, merge: Merge, *, negated: bool = False) -> None:
        """Behind the second one: what the first left where the condition holds, and else the second."""
        for (name, variable), first in zip(self._named, self._first, strict=True):
            a, b = (variable.value, first) if negated else (first, variable.value)
            if a is not None and b is not None:
                variable.value = merge(self._reader, name, condition, a, b)
            else:
                variable.value = a or b


_BARE = {"subscript_expression", "pointer_expression"}


def choice_of(*arms: Node | None) -> Choice:
    """Whether both arms of a choice do nothing but load, or one of them, the other being a number."""
    loads = [arm is not None and unwrapped(arm).type in _BARE for arm in arms]
    if all(loads):
        return "loads"
    numbers = [arm is not None and unwrapped(arm).type == "number_literal" for arm in arms]
    return "load or constant" if any(loads) and any(numbers) else ""
