"""Whether an address is what its polynomial says: no conversion to a narrow type takes part in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.syntax import kernel_body, node_at
from burstline_server.source.source import Source

LARGEST_STEP = 2**31
"""From this factor on, an index of 32 bits comes round."""
_WIDE = re.compile(r"(?:const\s+|unsigned\s+|signed\s+)*(?:u?int|u?long|size_t|ptrdiff_t|unsigned|signed)(?:\s+int)?")
_NARROW = re.compile(r"(?:\b|_|\bu)(?:u?char|u?short|bool)\d*(?:\b|_)")
_CALLS = re.compile(r"get_\w+|min|max|mul24|mad24")


class ExactPlaces:
    """The places of one kernel that numbers as wide as addresses find.

    A polynomial takes ``(uchar)j`` for ``j``: what it keeps apart may meet once the type comes round.
    """

    def __init__(self, source: Source, effects: Effects, facts: KernelFacts) -> None:
        self._source, self._effects = source, effects
        self._whole = kernel_body(source, facts.name_span)

    def has(self, access: Access, *more: Node) -> bool:
        """Whether the place of an access is such a one, and `more` expressions are."""
        node, whole, effects = node_at(self._source, access.span), self._whole, self._effects
        if whole is None or access.narrow_from is not None:
            return False
        if access.offset is None or any(abs(c) >= LARGEST_STEP for _, c in access.offset.terms):
            return False
        if access.call_chain or node is None:
            return not self._narrow
        waiting, seen = [node.node, *more], set[str]()
        while waiting:
            for one in inside(waiting.pop()):
                if one.type == "call_expression" and _CALLS.fullmatch(effects.called(one)) is None:
                    return False
                if one.type == "cast_expression" and not _is_wide(effects, one):
                    return False
                name = effects.text(one) if one.type == "identifier" else ""
                if not name or name in seen:
                    continue
                seen.add(name)
                for type_, value in self._values.get(name, ()):
                    if type_ is not None and _WIDE.fullmatch(type_) is None and "*" not in type_:
                        return False
                    waiting += [value] if value is not None else []
        return True

    @cached_property
    def _values(self) -> dict[str, list[tuple[str | None, Node | None]]]:
        return _values(self._effects, self._whole) if self._whole is not None else {}

    @cached_property
    def _narrow(self) -> bool:
        """Whether anything of the file is of a narrow type."""
        whole = [self._whole] if self._whole is not None else []
        return _narrows(self._effects, [*whole, *self._effects.defined.values()])


def _narrows(effects: Effects, nodes: Sequence[Node]) -> bool:
    """Whether functions convert anything to a narrow integer, or have variables of one."""
    for node in (one for whole in nodes for one in inside(whole)):
        named = node.child_by_field_name("type")
        narrow = named is not None and _NARROW.search(effects.text(named)) is not None
        if narrow and node.type in {"cast_expression", "declaration"}:
            return True
        if narrow and node.type == "parameter_declaration" and not any(n.type in _POINTS for n in inside(node)):
            return True
        if node.type == "call_expression" and _NARROW.search(effects.called(node)) is not None:
            return True
    return False


_POINTS = {"pointer_declarator", "abstract_pointer_declarator", "array_declarator"}


def _is_wide(effects: Effects, cast: Node) -> bool:
    type_ = cast.child_by_field_name("type")
    return type_ is not None and _WIDE.fullmatch(effects.text(type_)) is not None


def _values(effects: Effects, whole: Node) -> dict[str, list[tuple[str | None, Node | None]]]:
    """What each variable of a kernel is declared as, and given."""
    found: dict[str, list[tuple[str | None, Node | None]]] = {}
    function = whole.parent if whole.parent is not None else whole
    for node in inside(function):
        if node.type in {"declaration", "parameter_declaration"}:
            type_ = node.child_by_field_name("type")
            for one in node.children_by_field_name("declarator"):
                pointer = any(n.type in {"pointer_declarator", "array_declarator"} for n in inside(one))
                said = "*" if pointer else effects.text(type_) if type_ is not None else ""
                for name in (
                    effects.sets(node) if len(node.children_by_field_name("declarator")) == 1 else _names(one, effects)
                ):
                    found.setdefault(name, []).append((said, one.child_by_field_name("value")))
        if node.type == "assignment_expression":
            left = node.child_by_field_name("left")
            if left is not None and left.type == "identifier":
                found.setdefault(effects.text(left), []).append((None, node.child_by_field_name("right")))
    return found


def _names(declarator: Node, effects: Effects) -> list[str]:
    at: Node | None = declarator
    while at is not None and at.type != "identifier":
        at = at.child_by_field_name("declarator")
    return [effects.text(at)] if at is not None else []
