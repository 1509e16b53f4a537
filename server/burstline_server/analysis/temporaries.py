"""Steps that go through temporaries: ``t = a; v = t + 1; a = v;`` adds one to ``a``, as ``a = a + 1`` does.

Generated kernels write every operation so. A temporary is a variable that one statement of the region sets, in the
block where it is used; its value is put in its place until the counter itself is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from burstline_server.analysis.assignment import Assignment, added, set_to, variable_of
from burstline_server.analysis.nodes import holds, unwrapped

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
    return [replace(one, steps=step) if step else one for one, step in zip(found, steps, strict=True)]


def _may_hide_a_step(one: Assignment) -> bool:
    return one.steps is None and one.whole and not one.declares and set_to(one) is not None


@dataclass(frozen=True, slots=True)
class _Search:
    """The way back from an assignment to its variable's own earlier value."""

    by_name: Mapping[str, Sequence[Assignment]]
    last: Assignment

    def fixed_step(self) -> tuple[Node | None, int] | None:
        """What is added; what a temporary holds in its place (``s = get_global_size(0); t = s + a; a = t;``)."""
        step = self.step()
        if step is None or step[0] is None:
            return step
        node, used = unwrapped(step[0]), self.last.node
        for _ in range(MAX_TEMPORARIES):
            value = self._temporary(variable_of(node), used)
            right = set_to(value) if value is not None else None
            if value is None or right is None:
                break
            node, used = unwrapped(right), value.node
        return node, step[1]

    def step(self) -> tuple[Node | None, int] | None:
        """What is added on the way; None where the way does not lead back, or adds more than once."""
        step: tuple[Node | None, int] | None = None
        node, used = set_to(self.last), self.last.node
        for _ in range(MAX_TEMPORARIES):
            if node is None:
                return None
            direct = added(self.last.name, node)
            if direct is not None:
                return direct if step is None else None
            node = unwrapped(node)
            name = variable_of(node)
            if not name:
                through = self._added_to_temporary(node, used)
                if through is None or step is not None:
                    return None
                name, step = through
            if name == self.last.name:
                return step
            value = self._temporary(name, used)
            node, used = (set_to(value), value.node) if value is not None else (None, used)
        return None

    def _added_to_temporary(self, node: Node, used: Node) -> tuple[str, tuple[Node | None, int]] | None:
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
            name, used = variable_of(right), value.node
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


def _block(node: Node) -> Node:
    """The block around a statement."""
    while node.parent is not None and node.type != "compound_statement":
        node = node.parent
    return node
