"""One assignment to a variable, as the syntax has it."""

from __future__ import annotations

from tree_sitter import Node

from burstline_model.record import fixed
from burstline_server.analysis.nodes import text_of, unwrapped


@fixed
class Assignment:
    """One assignment to a variable. `steps` is set when it adds to the variable: (node of the step, sign).

    The node None means a step of one; `more` is a number that is added besides. `conditional` when a branch is between
    the region and it; `loops` are the loops between the region and it, outermost first. `whole` is False for a store
    to an element or a field; `field` is then the path to it, where the variable holds it by itself. `scope` is where
    the scope begins and ends that declares the variable under a name from outside; None where it hides none.
    """

    name: str
    node: Node
    steps: tuple[Node | None, int] | None
    conditional: bool
    loops: tuple[Node, ...]
    declares: bool = False
    whole: bool = True
    field: str = ""
    scope: tuple[int, int] | None = None
    more: int = 0

    def within(self, loops: tuple[Node, ...], *, conditional: bool) -> Assignment:
        """The same in another region, which these loops are in."""
        return Assignment(
            self.name, self.node, self.steps, conditional, loops, self.declares, self.whole, self.field, self.scope,
            self.more,
        )  # fmt: skip

    def is_hidden_in(self, region: Node) -> bool:
        """Whether it changes a variable of a scope in a region, and not the one that is so called outside."""
        scope = self.scope
        return scope is not None and region.start_byte <= scope[0] and scope[1] <= region.end_byte


def field_of(node: Node | None) -> tuple[str, str]:
    """The variable and the path of ``v.size.z``; empty for anything else."""
    path: list[str] = []
    node = unwrapped(node) if node is not None else None
    while node is not None and node.type == "field_expression":
        operator, name = node.child_by_field_name("operator"), node.child_by_field_name("field")
        if operator is None or operator.type != "." or name is None:
            return "", ""
        path.append(text_of(name))
        node = node.child_by_field_name("argument")
    if node is None or node.type != "identifier" or not path:
        return "", ""
    return text_of(node), ".".join(reversed(path))


def added(name: str, right: Node) -> tuple[Node, int] | None:
    """The step in ``name + e``, ``e + name`` or ``name - e``."""
    right = unwrapped(right)
    operator = right.child_by_field_name("operator")
    if right.type != "binary_expression" or operator is None or operator.type not in {"+", "-"}:
        return None
    a, b = right.child_by_field_name("left"), right.child_by_field_name("right")
    if a is None or b is None:
        return None
    if variable_of(a) == name:
        return b, 1 if operator.type == "+" else -1
    if variable_of(b) == name and operator.type == "+":
        return a, 1
    return None


def added_to(node: Node) -> tuple[Node | None, int] | None:
    """The step of one assignment to any place (see `Assignment`); None where it adds nothing."""
    operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
    sign = operator.type if operator is not None else ""
    if node.type == "update_expression":
        return None, -1 if sign == "--" else 1
    if node.type != "assignment_expression" or right is None:
        return None
    if sign in {"+=", "-="}:
        return right, 1 if sign == "+=" else -1
    left, sum_ = node.child_by_field_name("left"), unwrapped(right)
    inner = sum_.child_by_field_name("operator")
    if sign != "=" or sum_.type != "binary_expression" or inner is None or inner.type not in {"+", "-"}:
        return None
    first, second = sum_.child_by_field_name("left"), sum_.child_by_field_name("right")
    if left is None or first is None or second is None or _same_text(left, first):
        return (second, 1 if inner.type == "+" else -1) if second is not None else None
    return (first, 1) if inner.type == "+" and _same_text(left, second) else None


def _same_text(a: Node, b: Node) -> bool:
    return text_of(a).split() == text_of(unwrapped(b)).split()


def variable_of(node: Node | None) -> str:
    """The name of a plain variable, through parentheses."""
    node = unwrapped(node) if node is not None else None
    return text_of(node) if node is not None and node.type == "identifier" else ""


def set_to(one: Assignment) -> Node | None:
    """What a plain assignment, or a declaration with an initial value, sets its variable to."""
    if one.node.type == "init_declarator":
        return one.node.child_by_field_name("value")
    operator = one.node.child_by_field_name("operator")
    if one.node.type != "assignment_expression" or operator is None or operator.type != "=":
        return None
    return one.node.child_by_field_name("right")
