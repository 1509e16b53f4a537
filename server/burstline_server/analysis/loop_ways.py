"""What one trip of a loop adds to a variable, on whichever way it takes through the loop's text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node

from burstline_model.polynomial import Polynomial
from burstline_model.record import fixed
from burstline_server.analysis.assignments import LOOPS

MAX_WAYS = 8
"""Most sums that are kept apart: ways that differ so much hardly meet again."""
_NOTHING = frozenset({Polynomial()})
_NONE = frozenset[Polynomial]()
MAX_DEPTH = 200
"""Deepest text that is followed."""
_JUMPS = {"continue_statement", "break_statement", "return_statement", "goto_statement", "labeled_statement"}
_UNFOLLOWED = {"switch_statement", "case_statement", "labeled_statement", "goto_statement"}
"""Statements that may go on elsewhere than behind themselves."""


class _UnfollowedError(Exception):
    """A way that is not followed."""


@fixed
class _Ways:
    """The sums of the ways that come through a piece of text, and of those that go on with the next trip."""

    through: frozenset[Polynomial] = _NOTHING
    skipped: frozenset[Polynomial] = _NONE

    def then(self, after: _Ways) -> _Ways:
        """These ways, and behind those that come through another piece."""
        return _Ways(_sums(self.through, after.through), self.skipped | _sums(self.through, after.skipped))

    def either(self, other: _Ways) -> _Ways:
        """The ways of two pieces of which one is taken."""
        return _Ways(self.through | other.through, self.skipped | other.skipped)


def added_in_a_trip(regions: Iterable[Node], amounts: Sequence[tuple[Node, Polynomial]]) -> Polynomial | None:
    """What a trip adds to a variable; None where that depends on the way, or is not known.

    `regions` are what each trip goes through (its body, update and condition), `amounts` what each assignment in them
    adds in a trip. Ways that leave the loop have no next trip.
    """
    total = Polynomial()
    adding = sorted(n.start_byte for n, _ in amounts)
    for region in regions:
        if not _any_in(adding, region):
            continue
        places = sorted([*adding, *(n.start_byte for n in _jumps(region))])
        try:
            ways = _Walk({node.id: amount for node, amount in amounts}, adding, places).through(region, 0)
        except _UnfollowedError:
            return None
        sums = ways.through | ways.skipped
        if len(sums) > 1:
            return None
        total = total + next(iter(sums), Polynomial())
    return total


def jumps_on(region: Node) -> bool:
    """Whether a trip may go on with the next one from within a loop's body."""
    text = region.text or b""
    return b"continue" in text and any(node.type == "continue_statement" for node in _jumps(region))


def _jumps(region: Node) -> list[Node]:
    """The statements from which a way goes on elsewhere."""
    text = region.text or b""
    if not any(word in text for word in (b"goto", b"continue", b"break", b"return")):
        return []
    found, waiting = list[Node](), [region]
    while waiting:
        node = waiting.pop()
        if node.type in _JUMPS:
            found.append(node)
        waiting.extend(node.named_children)
    return found


@fixed
class _Walk:
    """The way through a region: `amounts` by the nodes' ids, which begin at `adding`, jumps among the `places`."""

    amounts: Mapping[int, Polynomial]
    adding: Sequence[int]
    places: Sequence[int]

    def through(self, node: Node, depth: int) -> _Ways:
        """The ways through a piece of text."""
        if not _any_in(self.places, node):
            return _Ways()
        if node.type in LOOPS and not _any_in(self.adding, node) and b"goto" not in (node.text or b""):
            return _Ways()  # its jumps go on within it, or end the loop around it
        if depth > MAX_DEPTH or node.type in _UNFOLLOWED:
            raise _UnfollowedError
        match node.type:
            case "if_statement" | "conditional_expression":
                arms = [node.child_by_field_name(k) for k in ("condition", "consequence", "alternative")]
                condition, then, otherwise = (self.through(a, depth + 1) if a is not None else _Ways() for a in arms)
                return _bounded(condition.then(then.either(otherwise)))
            case "continue_statement":
                return _Ways(_NONE, _NOTHING)
            case "break_statement" | "return_statement":
                return _Ways(_NONE)
            case "binary_expression" if _short_circuits(node):
                left, right = (
                    self.through(side, depth + 1) for side in (node.named_children[0], node.named_children[-1])
                )
                return _bounded(left.then(_Ways().either(right)))
            case kind:
                found = _Ways()
                for child in node.named_children:
                    found = _bounded(found.then(self.through(child, depth + 1)))
                if kind in LOOPS:  # no way out of a loop that is inside ends a trip
                    return _Ways(found.through | found.skipped or _NOTHING)
                own = self.amounts.get(node.id)
                return found.then(_Ways(frozenset({own}))) if own is not None else found


def _any_in(places: Sequence[int], node: Node) -> bool:
    return bisect_left(places, node.start_byte) < bisect_left(places, node.end_byte)


def _short_circuits(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type in {"&&", "||"}


def _sums(before: frozenset[Polynomial], after: frozenset[Polynomial]) -> frozenset[Polynomial]:
    return frozenset(a + b for a in before for b in after)


def _bounded(ways: _Ways) -> _Ways:
    if len(ways.through) + len(ways.skipped) > MAX_WAYS:
        raise _UnfollowedError
    return ways
