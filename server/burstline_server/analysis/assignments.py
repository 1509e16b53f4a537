"""What a piece of syntax assigns: the variables a branch or loop may change, and counters among them."""

from bisect import bisect_left

from tree_sitter import Node

from burstline_server.analysis.assignment import Assignment, added, field_of, variable_of
from burstline_server.analysis.helper_stores import HelperStores, changed_through, pointed
from burstline_server.analysis.nodes import is_left_early, runs_once, text_of
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
    """Assignments by region of syntax, each region scanned once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Assignment, ...]] = {}
        self._starts: list[int] = []
        self._names: list[str] = []
        self._ranges: list[tuple[int, int]] = []
        self.helpers = HelperStores(self.within)

    def prepare(self, body: Node) -> None:
        """Scan a function's body once, so that `names` of anything inside it is a look-up."""
        if (body.start_byte, body.end_byte) in self._ranges:
            return
        self._ranges.append((body.start_byte, body.end_byte))
        found = [(a.node.start_byte, a.name) for a in self._scan(body) if not a.declares]
        both = sorted([*zip(self._starts, self._names, strict=True), *found])
        self._starts, self._names = [s for s, _ in both], [n for _, n in both]

    def within(self, region: Node) -> tuple[Assignment, ...]:
        """Every assignment inside `region`."""
        if region.id not in self._known:
            self._known[region.id] = tuple(through_temporaries(self._scan(region)))
        return self._known[region.id]

    def changed_behind(self, *regions: Node) -> frozenset[str]:
        """The variables behind which any of `regions` stores: arrays, and what pointers and helpers lead to."""
        return changed_through([a for region in regions for a in self.within(region)])

    def names(self, *regions: Node | None) -> frozenset[str]:
        """The variables assigned (not merely declared) in any of `regions`."""
        found: set[str] = set()
        for region in regions:
            if region is None:
                continue
            start, end = region.start_byte, region.end_byte
            if any(a <= start and end <= b for a, b in self._ranges):
                found.update(self._names[bisect_left(self._starts, start) : bisect_left(self._starts, end)])
            else:
                found.update(a.name for a in self.within(region) if not a.declares)
        return frozenset(found)

    def _scan(self, region: Node) -> list[Assignment]:
        return _scan(region, self.helpers)


def _scan(region: Node, helpers: HelperStores) -> list[Assignment]:
    found: list[Assignment] = []
    waiting: list[tuple[Node, bool, tuple[Node, ...]]] = [(region, False, ())]
    while waiting:
        node, conditional, loops = waiting.pop()
        match node.type:
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
        inner = (*loops, node) if is_loop(node) and node is not region else loops
        branch = conditional or node.type in _CONDITIONS or _short_circuits(node) or _may_end(node)
        waiting.extend((child, branch, inner) for child in reversed(node.named_children) if child.child_count)
    return found


def _may_end(node: Node) -> bool:
    """Whether statements in ``do … while (0)`` may be left out."""
    return runs_once(node) and is_left_early(node)


def _short_circuits(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
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
            case "field_expression" | "subscript_expression":
                node = node.child_by_field_name("argument")
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
