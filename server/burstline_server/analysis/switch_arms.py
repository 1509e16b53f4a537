"""``switch`` statements: the cases that are read, and what variables hold behind them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.arms import changed
from burstline_server.analysis.assignments import LOOPS
from burstline_server.analysis.expressions import ONE, merged
from burstline_server.analysis.frames import OpenGuard, Variable
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.switch_cases import case_guards
from burstline_server.analysis.types import UNKNOWN
from burstline_server.analysis.values import MAX_SYMBOLS, Value, combined


@fixed
class _State:
    """What the variables that a ``switch`` may set hold at one place, and memory on the chip."""

    values: tuple[Value | None, ...]
    contents: dict[str, Value]


class _End(NamedTuple):
    """A way out of a case: its condition as a number, None where it is not known, and what holds then."""

    condition: Polynomial | None
    state: _State


class _Switch:
    """One ``switch`` while it is read: its cases begin from the same state, and end at its breaks."""

    def __init__(self, reader: Reader, chosen: Value, cases: Sequence[Node]) -> None:
        self._reader, self._chosen = reader, chosen._replace(number=None)
        self._named: list[tuple[str, Variable]] = changed(reader, *cases)
        self._before = self._state()
        self._ends: list[_End] = []
        self._behind: list[_End] = []

    def run(self, case: Node | None, guard: OpenGuard, fallen: _End | None) -> _End | None:
        """Read a case, into which control may fall from another; returns what holds where it falls out at the end."""
        frame, depth = self._reader.frame, len(self._reader.guards) + 1
        self._set(self._either([fallen, _End(None, self._before)]) if fallen is not None else self._before)
        self._ends = []
        frame.switches.append(lambda: self._ends.append(_End(self._holds(depth), self._state())))
        with self._reader.under(guard):
            self._reader.run(case)
        frame.switches.pop()
        end, frame.left = None if frame.left else _End(guard.condition, self._state()), False
        if self._ends:
            self._behind.append(_End(guard.condition, self._either(self._ends)))
        return end

    def leave(self, fallen: _End | None, *, otherwise: bool) -> None:
        """Go on behind it with what each case left: the last one by its end, and no case at all if `otherwise`."""
        ends = [*self._behind, *([fallen] if fallen is not None else [])]
        ends += [_End(None, self._before)] if otherwise else []
        if ends:
            self._set(self._either(sorted(ends, key=lambda end: end.condition is None)))
        self._reader.frame.left = not ends

    def _holds(self, depth: int) -> Polynomial | None:
        """The condition of what is read inside a case, as a number; None where it is not known."""
        inside = [guard.condition for guard in self._reader.guards[depth:] if not guard.early_return]
        known = [one for one in inside if one is not None]
        return prod(known, start=ONE) if len(known) == len(inside) else None

    def _state(self) -> _State:
        return _State(tuple(v.value for _, v in self._named), self._reader.contents)

    def _set(self, state: _State) -> None:
        for (_, variable), value in zip(self._named, state.values, strict=True):
            variable.value = value
        self._reader.contents = dict(state.contents)

    def _either(self, ends: Sequence[_End]) -> _State:
        """What one of several ends holds: the first one whose condition holds, and else the last one."""
        found = ends[-1].state
        for end in reversed(ends[:-1]):
            condition = self._chosen._replace(number=end.condition)
            values = [
                merged(self._reader, name, condition, a, b) if a is not None and b is not None else a or b
                for (name, _), a, b in zip(self._named, end.state.values, found.values, strict=True)
            ]
            found = _State(tuple(values), of_either(self._reader, [end.state.contents, found.contents]))
        return found


def run_switch(reader: Reader, node: Node) -> None:
    """Read the cases of a ``switch`` that may be chosen."""
    condition_node = node.child_by_field_name("condition")
    condition = reader.evaluate(condition_node)
    body = node.child_by_field_name("body")
    shown = condition_node if condition_node is not None else node
    cases = [c for c in body.named_children if c.type == "case_statement"] if body is not None else []
    if not cases:
        return
    chosen = case_guards(reader, shown, condition, cases)
    switch = _Switch(reader, condition, cases)
    with reader.scope():
        fallen = None
        for case, guard in zip(cases, chosen, strict=True):
            if guard.condition != Polynomial():
                fallen = switch.run(case, guard, fallen)
    covered = any(case.child_by_field_name("value") is None for case in cases)
    covered = covered or any(guard.condition == ONE for guard in chosen)
    switch.leave(fallen, otherwise=not covered)


def leaves_switch(node: Node) -> bool:
    """Whether a ``break`` leaves a ``switch``, not a loop."""
    around = node.parent
    while around is not None and around.type not in LOOPS:
        if around.type == "switch_statement":
            return True
        around = around.parent
    return False


def of_either(reader: Reader, held: Sequence[dict[str, Value]]) -> dict[str, Value]:
    """What memory on the chip holds behind arms of which one ran."""
    found = dict(held[0]) if held else {}
    for one in held[1:]:
        for root, value in one.items():
            before = found.get(root)
            if before is not value:
                either = combined(UNKNOWN, before, value) if before is not None else value
                found[root] = either if len(either.symbols) <= MAX_SYMBOLS else reader.symbols.gathered(either)
    return found
