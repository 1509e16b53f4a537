"""What a piece of syntax assigns: the variables a branch or loop may change, and counters among them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.assignment import Assignment, added, field_of, variable_of
from burstline_server.analysis.helper_stores import HelperStores, changed_through, pointed
from burstline_server.analysis.hidden_names import HiddenNames, declared_in
from burstline_server.analysis.nodes import holds, is_left_early, runs_once, text_of
from burstline_server.analysis.temporaries import through_temporaries

LOOPS = {"for_statement", "while_statement", "do_statement"}
_CONDITIONS = {
    "if_statement", "switch_statement", "case_statement", "conditional_expression", "goto_statement",
    "labeled_statement",
}  # fmt: skip


def is_loop(node: Node) -> bool:
    """Whether a node is a loop, not ``do … while (0)`` around statements."""
    return node.type in LOOPS and not runs_once(node)


class Assignments:
    """Assignments by region of syntax; a function's body is scanned once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Assignment, ...]] = {}
        self._outside: dict[int, tuple[Assignment, ...]] = {}
        self._behind: dict[tuple[int, ...], frozenset[str]] = {}
        self._bodies: dict[tuple[int, int], _Body] = {}
        self.helpers = HelperStores(self.within)

    def prepare(self, body: Node) -> None:
        """Scan a function's body, so that what is in a region of it is a look-up."""
        place = (body.start_byte, body.end_byte)
        if place not in self._bodies:
            found = self._scan(body)
            self._bodies[place] = _Body(body, [one.node.start_byte for one, _ in found], found)

    def within(self, region: Node) -> tuple[Assignment, ...]:
        """Every assignment inside `region`."""
        known = self._known.get(region.id)
        if known is None:
            body = self._around(region)
            found = body.within(region) if body is not None else [one for one, _ in self._scan(region)]
            known = self._known[region.id] = tuple(through_temporaries(found))
        return known

    def from_outside(self, region: Node) -> tuple[Assignment, ...]:
        """Those of a region that do not change variables which hide others from outside it."""
        known = self._outside.get(region.id)
        if known is None:
            found = self.within(region)
            outside = tuple(one for one in found if not one.is_hidden_in(region))
            known = self._outside[region.id] = outside
        return known

    def _around(self, region: Node) -> _Body | None:
        start, end = region.start_byte, region.end_byte
        return next((body for (a, b), body in self._bodies.items() if a <= start and end <= b), None)

    def changed_behind(self, *regions: Node) -> frozenset[str]:
        """The variables behind which any of `regions` stores: arrays, and what pointers and helpers lead to."""
        key = tuple(region.id for region in regions)
        known = self._behind.get(key)
        if known is None:
            found = [a for region in regions for a in self.within(region)]
            known = self._behind[key] = changed_through(found)
        return known

    def is_set_behind(self, place: Node, name: str) -> bool:
        """Whether something behind a place in a function sets a variable of this name; so it is where none is known."""
        body = self._around(place)
        last = body.last_set.get(name, 0) if body is not None else place.end_byte
        return last >= place.end_byte

    def uses(self, regions: Sequence[Node], names: Collection[str]) -> dict[str, list[Node]]:
        """Where names are written in regions of a function."""
        body = self._around(regions[0]) if regions else None
        every = body.uses if body is not None else _uses(*regions)
        return {name: [use for use in every.get(name, ()) if any(holds(r, use) for r in regions)] for name in names}

    def names(self, *regions: Node | None) -> frozenset[str]:
        """The variables assigned (not merely declared) in any of `regions`."""
        found: set[str] = set()
        for region in regions:
            if region is None:
                continue
            body = self._around(region)
            every = body.starting_in(region) if body is not None else self.within(region)
            found.update(a.name for a in every if not a.declares)
        return frozenset(found)

    def _scan(self, region: Node) -> list[tuple[Assignment, Node | None]]:
        return _scan(region, self.helpers)


@fixed
class _Body:
    """The assignments of a function's body in order, each with the branch around it that is nearest."""

    node: Node
    starts: list[int]
    found: list[tuple[Assignment, Node | None]]

    @cached_property
    def last_set(self) -> dict[str, int]:
        """Where each variable is set last, declarations left out."""
        return {one.name: one.node.start_byte for one, _ in self.found if not one.declares}

    @cached_property
    def uses(self) -> dict[str, list[Node]]:
        """Where each name is written."""
        return _uses(self.node)

    def starting_in(self, region: Node) -> Iterator[Assignment]:
        """The assignments that begin in a region."""
        first, last = bisect_left(self.starts, region.start_byte), bisect_left(self.starts, region.end_byte)
        return (one for one, _ in self.found[first:last])

    def within(self, region: Node) -> list[Assignment]:
        """Those that are in a region, with what is between it and them."""
        start, end = region.start_byte, region.end_byte
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        found, inside = [], dict[tuple[Node, ...], tuple[Node, ...]]()
        for one, branch in self.found[first:last]:
            if one.node.end_byte <= end:
                loops = inside.get(one.loops)
                if loops is None:
                    here = (n for n in one.loops if start <= n.start_byte and n.end_byte <= end)
                    loops = inside[one.loops] = tuple(here)
                conditional = branch is not None and start <= branch.start_byte and branch.end_byte <= end
                same = conditional == one.conditional and len(loops) == len(one.loops)
                found.append(one if same else one.within(loops, conditional=conditional))
        return found


def _uses(*regions: Node) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    waiting = [*regions]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            found.setdefault(text_of(node), []).append(node)
        else:
            waiting.extend(node.named_children)
    return found


def _scan(region: Node, helpers: HelperStores) -> list[tuple[Assignment, Node | None]]:
    every: list[tuple[Assignment, Node | None]] = []
    declared: list[tuple[str, Node]] = []
    waiting: list[tuple[Node, Node | None, tuple[Node, ...]]] = [(region, None, ())]
    while waiting:
        node, branch, loops = waiting.pop()
        conditional, kind = branch is not None, node.type
        found: list[Assignment] = []
        match kind:
            case "assignment_expression":
                _assignment(node, conditional, loops, found)
            case "update_expression":
                argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
                sign = -1 if operator is not None and operator.type == "--" else 1
                if name := _base(argument):
                    whole = bool(variable_of(argument))
                    path = "" if whole else field_of(argument)[1]
                    steps = (None, sign) if whole or path else None
                    found.append(Assignment(name, node, steps, conditional, loops, whole=whole, field=path))
            case "pointer_expression":
                argument = node.child_by_field_name("argument")
                operator = node.child_by_field_name("operator")
                if operator is not None and operator.type == "&" and (name := variable_of(argument)):
                    found.append(Assignment(name, node, None, conditional, loops))
            case "call_expression":
                changed = sorted(helpers.changed_by(node))
                found.extend(Assignment(name, node, None, conditional, loops, whole=False) for name in changed)
            case "init_declarator" | "declaration":
                declarator = node.child_by_field_name("declarator")
                if name := _declared(declarator):
                    found.append(Assignment(name, node, None, conditional, loops, declares=True))
            case _:
                pass
        if found:
            every += [(one, branch) for one in found]
        if kind == "declaration":
            declared += [(name, node) for name in declared_in(node)]
        if kind in _CONDITIONS or (kind in _AT_TIMES and _is_branch(node, kind)):
            branch = node
        if kind in LOOPS and not runs_once(node):
            loops = (*loops, node)
        waiting += [(child, branch, loops) for child in reversed(node.named_children) if _may_hold(child)]
    hidden = HiddenNames(declared, region.parent)
    scopes = [hidden.scope(one.name, one.node.start_byte) for one, _ in every]
    return [
        (replace(one, scope=scope), branch) if scope else (one, branch)
        for (one, branch), scope in zip(every, scopes, strict=True)
    ]


_PLAIN = {"binary_expression", "subscript_expression"}
_SIGNS = re.compile(rb"[=(&|?]|\+\+|--")
"""What is in every expression that assigns, calls, takes an address, or leaves a part of itself out at times."""


def _may_hold(node: Node) -> bool:
    """Whether an assignment may be in a node."""
    if node.type in _PLAIN:
        return _SIGNS.search(node.text or b"") is not None
    return node.child_count > 0


_AT_TIMES = {"binary_expression", "do_statement"}


def _is_branch(node: Node, kind: str) -> bool:
    """Whether an operator leaves its right side out at times, or ``do … while (0)`` some of its statements."""
    if kind == "do_statement":
        return runs_once(node) and is_left_early(node)
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in {"&&", "||"}


def _assignment(node: Node, conditional: bool, loops: tuple[Node, ...], found: list[Assignment]) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    name = _base(left)
    if not name or right is None:
        return
    steps: tuple[Node | None, int] | None = None
    whole = bool(variable_of(left))
    path = "" if whole else field_of(left)[1]
    if whole or path:
        sign = operator.type if operator is not None else "="
        if sign in {"+=", "-="}:
            steps = (right, 1 if sign == "+=" else -1)
        elif sign == "=" and whole:
            steps = added(name, right)
    found.append(Assignment(name, node, steps, conditional, loops, whole=whole, field=path))


def _base(node: Node | None) -> str:
    """The variable a store into it, an element or a field of it changes, or what it points to."""
    while node is not None:
        match node.type:
            case "identifier":
                return text_of(node)
            case "parenthesized_expression":
                node = node.named_children[0] if node.named_children else None
            case "field_expression":
                node = node.child_by_field_name("argument")
            case "subscript_expression":  # `2[t]` changes what `t[2]` does
                return _base(node.child_by_field_name("argument")) or _base(node.child_by_field_name("index"))
            case "pointer_expression":
                argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
                through = pointed(argument, elements=True) if operator is not None and operator.type == "*" else ()
                return next(iter(sorted(through)), "")
            case _:
                return ""
    return ""


def _declared(node: Node | None) -> str:
    while node is not None and node.type != "identifier":
        if node.type in {"init_declarator", "function_declarator"}:
            return ""
        node = node.child_by_field_name("declarator")
    return text_of(node) if node is not None else ""
