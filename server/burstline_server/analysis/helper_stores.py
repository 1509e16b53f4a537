"""Whose memory a piece of syntax may change: through pointers, and in helper functions that get one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from burstline_server.analysis.assignment import Assignment, set_to
from burstline_server.analysis.frames import Function
from burstline_server.analysis.nodes import text_of

_STORES_LAST = "vstore"
"""Built-ins of this name store behind their last argument."""


class HelperStores:
    """Which parameters of the file's functions lead to memory that these change; each body is looked at once."""

    def __init__(self, within: Callable[[Node], Sequence[Assignment]]) -> None:
        self._within = within
        self._known: dict[int, frozenset[int]] = {}
        self.functions: Mapping[str, Function] = {}

    def changed_by(self, call: Node) -> frozenset[str]:
        """The variables of the caller behind which a call may store."""
        named, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if named is None or arguments is None or named.type != "identifier":
            return frozenset()
        name = text_of(named)
        given = [c for c in arguments.named_children if c.type != "comment"]
        function = self.functions.get(name)
        if function is None:
            return pointed(given[-1], elements=True) if given and name.startswith(_STORES_LAST) else frozenset()
        places = self._stored(function)
        return frozenset(n for i, one in enumerate(given) if i in places for n in pointed(one, elements=True))

    def _stored(self, function: Function) -> frozenset[int]:
        """The places of the pointer parameters behind which a function may store."""
        body = function.node.child_by_field_name("body")
        if body is None:
            return frozenset()
        if body.id not in self._known:
            self._known[body.id] = frozenset()  # what a function that calls itself adds is found in its own body
            changed = changed_through(self._within(body))
            self._known[body.id] = frozenset(
                i
                for i, (name, type_) in enumerate(function.parameters)
                if name in changed and type_.kind in {"pointer", "array"}
            )
        return self._known[body.id]


def changed_through(found: Sequence[Assignment]) -> frozenset[str]:
    """The variables behind which a region stores, those that its own pointers are made of among them."""
    changed = {a.name for a in found if not a.whole}
    made_of: dict[str, set[str]] = {}
    for one in found:
        value = set_to(one) if one.whole else None
        if value is not None:
            is_pointer = one.declares and _declares_pointer(one.node)
            made_of.setdefault(one.name, set()).update(pointed(value, elements=is_pointer))
    waiting = [*changed]
    while waiting:
        for name in made_of.get(waiting.pop(), ()):
            if name not in changed:
                changed.add(name)
                waiting.append(name)
    return frozenset(changed)


def _declares_pointer(node: Node) -> bool:
    declarator = node.child_by_field_name("declarator")
    return declarator is not None and declarator.type == "pointer_declarator"


def pointed(node: Node | None, *, elements: bool) -> frozenset[str]:
    """The variables that a pointer comes from, as it is written; `elements`: an element or a field is a pointer."""
    if node is None:
        return frozenset()
    match node.type:
        case "identifier":
            return frozenset({text_of(node)})
        case "parenthesized_expression":
            return frozenset[str]().union(*(pointed(c, elements=elements) for c in node.named_children))
        case "cast_expression":
            return pointed(node.child_by_field_name("value"), elements=elements)
        case "pointer_expression":
            operator = node.child_by_field_name("operator")
            reached = operator is not None and operator.type == "&"
            return pointed(node.child_by_field_name("argument"), elements=True) if reached or elements else frozenset()
        case "subscript_expression" | "field_expression":
            return pointed(node.child_by_field_name("argument"), elements=True) if elements else frozenset()
        case "update_expression":
            return pointed(node.child_by_field_name("argument"), elements=elements)
        case "binary_expression":  # the pointer comes first, as a rule
            left = pointed(node.child_by_field_name("left"), elements=elements)
            return left or pointed(node.child_by_field_name("right"), elements=elements)
        case "conditional_expression":
            arms = (node.child_by_field_name(arm) for arm in ("consequence", "alternative"))
            return frozenset[str]().union(*(pointed(arm, elements=elements) for arm in arms))
        case _:
            return frozenset()
