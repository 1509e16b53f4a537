"""Steps that go through temporaries: ``t = a; v = t + 1; a = v;`` adds one to ``a``, as ``a = a + 1`` does.

Generated kernels write every operation so. A temporary is a variable that one statement of the region sets, in the
block where it is used; its value is put in its place until the counter itself is found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.assignment import Assignment, added, set_to, variable_of
from burstline_server.analysis.nodes import holds, text_of, unwrapped

Step = tuple[Node | None, int]
"""What is added, and its sign; see `Assignment`."""
_WHOLE = re.compile(r"(-?(?:0|[1-9]\d{0,8}))[uUlL]*")
MAX_TEMPORARIES = 8
"""Longest chain of temporaries that is followed."""


def through_temporaries(found: Sequence[Assignment]) -> list[Assignment]:
    """The assignments of a region, those with their steps that add to their variable by way of temporaries."""
    hiding = [_may_hide_a_step(one) for one in found]
    if not any(hiding):
        return [*found]
    by_name: dict[str, list[Assignment]] = {}
    for one in found:
        by_name.setdefault(one.name, []).append(one)
    steps = (_Search(by_name, one).fixed_step() if hides else None for one, hides in zip(found, hiding, strict=True))
    return [replace(one, steps=step[0], more=step[1]) if step else one for one, step in zip(found, steps, strict=True)]


def _may_hide_a_step(one: Assignment) -> bool:
    return one.steps is None and one.whole and not one.declares and set_to(one) is not None


@fixed
class _Search:
    """The way back from an assignment to its variable's own earlier value."""

    by_name: Mapping[str, Sequence[Assignment]]
    last: Assignment

    def fixed_step(self) -> tuple[Step, int] | None:
        """What is added; what a temporary holds in its place (``s = get_global_size(0); t = s + a; a = t;``)."""
        found = self.step()
        if found is None:
            return None
        (term, sign), more = found
        if term is None:
            return found
        node, used = unwrapped(term), self.last.node
        for _ in range(MAX_TEMPORARIES):
            value = self._temporary(variable_of(node), used)
            right = set_to(value) if value is not None else None
            if value is None or right is None:
                break
            node, used = unwrapped(right), value.node
        return (node, sign), more

    def step(self) -> tuple[Step, int] | None:
        """What is added on the way, and the whole numbers besides; None where the way does not lead back, or adds more.

        Numbers alone are so many steps of one.
        """
        step: Step | None = None
        numbers = 0
        node, used = set_to(self.last), self.last.node
        for _ in range(MAX_TEMPORARIES):
            if node is None:
                return None
            node, number = _without_numbers(node)
            numbers += number
            direct: Step | None = added(self.last.name, node)
            name = self.last.name if direct is not None else variable_of(node)
            if not name:
                through = self._added_to_temporary(node, used)
                if through is None:
                    return None
                name, direct = through
            if direct is not None and step is not None:
                return None
            step = direct or step
            if name == self.last.name:
                return (step, numbers) if step is not None else ((None, 1), numbers - 1) if numbers else None
            value = self._temporary(name, used)
            node, used = (set_to(value), value.node) if value is not None else (None, used)
        return None

    def _added_to_temporary(self, node: Node, used: Node) -> tuple[str, Step] | None:
        """The temporary in ``t + e``, ``e + t`` or ``t - e``, and the step; the one that leads back where both are."""
        sides = (variable_of(node.child_by_field_name(side)) for side in ("left", "right"))
        for name in sides:
            if name and self._leads_back(name, used):
                step = added(name, node)
                if step is not None:
                    return name, step
        return None

    def _leads_back(self, name: str, used: Node) -> bool:
        for _ in range(MAX_TEMPORARIES):
            if name == self.last.name:
                return True
            value = self._temporary(name, used)
            right = set_to(value) if value is not None else None
            if value is None or right is None:
                return False
            name, used = variable_of(_without_numbers(right)[0]), value.node
        return False

    def _temporary(self, name: str, used: Node) -> Assignment | None:
        """The one statement that sets a temporary on every way to where it is `used`, in the same iteration."""
        setting = [a for a in self.by_name.get(name, ()) if not a.declares or set_to(a) is not None]
        if len(setting) != 1 or not setting[0].whole:
            return None
        one = setting[0]
        start, end = one.node.start_byte, self.last.node.start_byte
        if one.loops != self.last.loops or start >= used.start_byte or not holds(_block(one.node), used):
            return None
        others = (a for a in self.by_name[self.last.name] if a is not self.last)
        return None if any(start <= a.node.start_byte < end for a in others) else one


def _without_numbers(node: Node) -> tuple[Node, int]:
    """A sum without the whole numbers at its ends, and these together."""
    node, numbers = unwrapped(node), 0
    while node.type == "binary_expression":
        sign = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if sign is None or sign.type not in {"+", "-"} or left is None or right is None:
            break
        first, second = _whole_number(left), _whole_number(right)
        if second is not None:
            node, numbers = unwrapped(left), numbers + (second if sign.type == "+" else -second)
        elif first is not None and sign.type == "+":
            node, numbers = unwrapped(right), numbers + first
        else:
            break
    return node, numbers


def _whole_number(node: Node) -> int | None:
    node = unwrapped(node)
    found = _WHOLE.fullmatch(text_of(node)) if node.type == "number_literal" else None
    return int(found[1]) if found is not None else None


def _block(node: Node) -> Node:
    """The block around a statement."""
    while node.parent is not None and node.type != "compound_statement":
        node = node.parent
    return node
