"""What values an integer expression takes, by C's types and conversions; nothing is known of data but their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tree_sitter import Node

from burstline_server.rewrites.legality.effects import Effects, inside
from burstline_server.rewrites.legality.expression_types import canonical, type_of
from burstline_server.rewrites.syntax import declared_types, step_of

Range = tuple[int, int]
"""Least and greatest value, both included."""
MAX_DEPTH = 24
"""Deepest nesting of expressions and of variables' values that is followed."""
_BITS = {"char": 8, "short": 16, "int": 32, "long": 64}
_CHANGES = {"assignment_expression", "update_expression", "pointer_expression"}
_FIRST_VALUES = {"init_declarator": "value", "assignment_expression": "right"}
_COMPARE = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


def of_type(type_: str | None) -> Range | None:
    """All values of an integer type; None for any other."""
    if type_ is None:
        return None
    plain = canonical(type_)
    if plain == "bool":
        return 0, 1
    bits = _BITS.get(plain.removeprefix("u"))
    if bits is None:
        return None
    return (0, (1 << bits) - 1) if plain.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


class IntegerRanges:
    """The ranges of expressions in one function, in which a variable has the values that it is given.

    In a loop's body its counter has those from the first one to the bound. `known` are the ranges of some variables.
    """

    def __init__(self, effects: Effects, place: Node, known: Mapping[str, Range] | None = None) -> None:
        self._effects, self._text, self._known = effects, effects.source.text, known or {}
        self._types = declared_types(effects.source, place)
        function: Node | None = place
        while function is not None and function.type != "function_definition":
            function = function.parent
        self._values = _given(effects, function) if function is not None else {}
        self._followed, self._set = set[str](), dict[int, set[str]]()

    def of(self, node: Node | None, depth: int = 0) -> Range | None:
        """The range of an expression; None where it may be no integer, or nothing is known of it."""
        if node is None or depth > MAX_DEPTH:
            return None
        type_ = type_of(node, self._text, self._types)
        whole = of_type(type_)
        found = self._of(node, type_, depth + 1)
        if found is None or whole is None:
            return found or whole
        return found if whole[0] <= found[0] and found[1] <= whole[1] else whole

    def _of(self, node: Node, type_: str | None, depth: int) -> Range | None:
        match node.type:
            case "number_literal":
                return _number(self._effects.text(node))
            case "parenthesized_expression":
                return self.of(next((c for c in node.named_children if c.type != "comment"), None), depth)
            case "identifier":
                own = self._counter(node, depth)
                return own if own is not None else self._variable(self._effects.text(node), depth)
            case "cast_expression":
                named = node.child_by_field_name("type")
                to = self._effects.text(named) if named is not None else None
                return _converted(self.of(node.child_by_field_name("value"), depth), to)
            case "conditional_expression":
                one, other = (self.of(node.child_by_field_name(n), depth) for n in ("consequence", "alternative"))
                return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))
            case "call_expression":
                return self._call(node, depth)
            case "binary_expression":
                operator = node.child_by_field_name("operator")
                left, right = (node.child_by_field_name(n) for n in ("left", "right"))
                return self._binary(operator.type if operator is not None else "", left, right, type_, depth)
            case _:
                return None

    def _counter(self, node: Node, depth: int) -> Range | None:
        """The values of a counter in the body of its loop, which counts up; None of any other variable."""
        name, at = self._effects.text(node), node
        while name not in self._known and (around := at.parent) is not None and around.type != "function_definition":
            if name in self._set_by(around):
                begin = around.child_by_field_name("initializer")
                return self._in_body(name, around, at, begin, depth) if begin is not None else None
            at = around
        return None

    def _set_by(self, around: Node) -> set[str]:
        """What the head of a loop sets first, or what the statements of a block declare."""
        if around.id not in self._set:
            begin = around.child_by_field_name("initializer") if around.type == "for_statement" else None
            statements = around.named_children if around.type in {"compound_statement", "case_statement"} else []
            declared = [one for one in statements if one.type == "declaration"]
            self._set[around.id] = self._effects.sets(*([begin] if begin is not None else declared))
        return self._set[around.id]

    def _in_body(self, name: str, loop: Node, part: Node, begin: Node, depth: int) -> Range | None:
        """What a counter that `begin` gives its first value may be in a `part` of its loop: known of the body alone."""
        effects, only = self._effects, begin.child_by_field_name("declarator") or begin
        condition, update, body = (loop.child_by_field_name(one) for one in ("condition", "update", "body"))
        left, sign, bound = (condition and condition.child_by_field_name(one) for one in ("left", "operator", "right"))
        step = step_of(update, name, effects.text) if update is not None else None
        if part != body or not left or not sign or sign.type not in {"<", "<="} or effects.text(left) != name:
            return None
        others = len(begin.children_by_field_name("declarator")) > 1 or not self._gives(only, name)
        jumped_to = any(one.type == "labeled_statement" for one in inside(loop))
        if step is None or step < 0 or others or jumped_to or name in effects.sets(body):
            return None
        named = begin.child_by_field_name("type")
        type_ = effects.text(named) if named is not None else self._types.get(name)
        whole, last = of_type(type_), self.of(bound, depth)
        first = _converted(self.of(only.child_by_field_name(_FIRST_VALUES[only.type]), depth), type_)
        if whole is None or last is None or first is None or (last[0] < 0 <= whole[0]):
            return None
        most = last[1] - (sign.type == "<")
        # At the end of its type it would come round.
        return (first[0], max(most, first[0])) if most + step <= whole[1] else None

    def _gives(self, first: Node, name: str) -> bool:
        """Whether a variable is declared with a value, or assigned one: ``j += 1`` goes on from the one before."""
        place, operator = (first.child_by_field_name(one) for one in ("left", "operator"))
        place = first.child_by_field_name("declarator") or place
        plain = first.type in _FIRST_VALUES and (operator is None or operator.type == "=")
        return plain and place is not None and self._effects.text(place) == name

    def _variable(self, name: str, depth: int) -> Range | None:
        type_ = self._types.get(name)
        if name in self._known:
            return self._known[name]
        if name not in self._values or name in self._followed:
            return of_type(type_)
        self._followed.add(name)
        given = [_converted(self.of(value, depth), type_) for value in self._values[name]]
        self._followed.discard(name)
        known = [r for r in given if r is not None]
        if len(known) < len(given):
            return of_type(type_)
        return min(r[0] for r in known), max(r[1] for r in known)

    def _call(self, node: Node, depth: int) -> Range | None:
        name, arguments = self._effects.called(node), node.child_by_field_name("arguments")
        if name in self._effects.defined or arguments is None:
            return None
        if name.startswith("convert_"):
            return of_type(name.removeprefix("convert_").split("_")[0])
        given = [self.of(c, depth) for c in arguments.named_children if c.type != "comment"]
        known = [r for r in given if r is not None]
        if len(known) < len(given):
            return None
        match name, known:
            case "min", [a, b]:
                return min(a[0], b[0]), min(a[1], b[1])
            case "max", [a, b]:
                return max(a[0], b[0]), max(a[1], b[1])
            case "clamp", [_, least, most] if least[1] <= most[0]:
                return least[0], most[1]
            case _:
                return None

    def _binary(self, sign: str, left: Node | None, right: Node | None, type_: str | None, depth: int) -> Range | None:
        if sign in _COMPARE:
            return 0, 1
        a, b = self.of(left, depth), self.of(right, depth)
        if sign == "&":
            # A mask has no sign bit, so neither has what it leaves, whatever the other operand is.
            masks = [r[1] for r in (a, b) if r is not None and r[0] >= 0]
            return (0, min(masks)) if masks else None
        if a is None or b is None:
            return None
        if type_ is not None and type_.startswith("u") and (a[0] < 0 or b[0] < 0) and sign not in {"<<", ">>"}:
            # A negative operand becomes a large one.
            whole = of_type(type_) or (0, 0)
            a, b = (whole if r[0] < 0 else r for r in (a, b))
        match sign:
            case "%" if b[0] == b[1] > 0 and type_ is not None:
                most = b[1] - 1
                return (0, min(most, a[1])) if a[0] >= 0 else (-most, most)
            case "/" if b[0] == b[1] > 0 and type_ is not None:
                return _toward_zero(a[0], b[1]), _toward_zero(a[1], b[1])
            case ">>" if b[0] == b[1] and 0 <= b[0] < 32 and type_ is not None:
                return a[0] >> b[0], a[1] >> b[0]
            case "<<" if b[0] == b[1] and 0 <= b[0] < 32 and type_ is not None:
                return a[0] << b[0], a[1] << b[0]
            case "+" if type_ is not None:
                return a[0] + b[0], a[1] + b[1]
            case "-" if type_ is not None:
                return a[0] - b[1], a[1] - b[0]
            case "*" if type_ is not None:
                ends = [x * y for x in a for y in b]
                return min(ends), max(ends)
            case "|" | "^" if a[0] >= 0 and b[0] >= 0:
                return 0, (1 << max(a[1], b[1]).bit_length()) - 1
            case _:
                return None


def _given(effects: Effects, function: Node) -> dict[str, list[Node]]:
    """All values that variables of a function are given, of those that are declared once and only assigned to."""
    declared, found = dict[str, int](), dict[str, list[Node]]()
    plain = dict[str, int]()
    for node in inside(function):
        if node.type in {"declaration", "parameter_declaration"}:
            for declarator in node.children_by_field_name("declarator"):
                name = next((effects.text(n) for n in inside(declarator) if n.type == "identifier"), "")
                inner = declarator.child_by_field_name("declarator")
                scalar = declarator if inner is None else inner
                own = effects.text(scalar) if scalar.type == "identifier" else name
                # A parameter, an array or a pointer has values that are not written here.
                known = node.type == "declaration" and scalar.type == "identifier"
                declared[own] = declared.get(own, 0) + (1 if known else 2)
                value = declarator.child_by_field_name("value")
                found.setdefault(own, []).extend([value] if value is not None else [])
        elif node.type == "assignment_expression":
            left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
            value = node.child_by_field_name("right")
            name = effects.text(left) if left is not None and left.type == "identifier" else ""
            if name and value is not None and operator is not None and operator.type == "=":
                found.setdefault(name, []).append(value)
                plain[name] = plain.get(name, 0) + 1
    # A change inside another one counts twice: such a variable is left out.
    changed = Counter(n for one in inside(function) if one.type in _CHANGES for n in effects.reassigned(one))
    return {
        name: values
        for name, values in found.items()
        if declared.get(name) == 1 and values and changed[name] == plain.get(name, 0)
    }


def _number(text: str) -> Range | None:
    try:
        value = int(text.rstrip("uUlL"), 0)
    except ValueError:
        return None
    return value, value


def _converted(value: Range | None, type_: str | None) -> Range | None:
    """A value's range in another type: all of that type's where it does not fit."""
    whole = of_type(type_)
    if value is None or whole is None:
        return whole
    return value if whole[0] <= value[0] and value[1] <= whole[1] else whole


def _toward_zero(value: int, by: int) -> int:
    return value // by if value >= 0 else -(-value // by)
