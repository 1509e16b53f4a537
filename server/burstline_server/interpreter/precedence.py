"""Casts to named types in front of a sign: the grammar of plain C takes ``(uint) - x`` for a difference."""

from __future__ import annotations

from tree_sitter import Node

from burstline_server.analysis.nodes import text_of
from burstline_server.interpreter.code import Expr, converted, negated
from burstline_server.interpreter.compile_places import address, load, pointed
from burstline_server.interpreter.kinds import Kind, kind_of
from burstline_server.interpreter.operators import operate
from burstline_server.interpreter.verdicts import NotExecutableError
from burstline_server.interpreter.writer import Writer, operands, part, sign_of

_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip


def type_in(w: Writer, node: Node) -> Kind | None:
    """The type that a name in parentheses is; None for a value."""
    inner = operands(node) if node.type == "parenthesized_expression" else []
    if len(inner) != 1 or inner[0].type != "identifier" or w.find(text_of(inner[0])) is not None:
        return None
    type_ = w.types.lookup(text_of(inner[0]))
    return kind_of(type_) if type_ is not None else None


def regrouped(w: Writer, node: Node) -> Expr | None:
    """The value of a chain of operators that holds such casts; None where it holds none."""
    items: list[Node | str] = []
    _flatten(node, items)
    if not any(isinstance(one, Node) and type_in(w, one) is not None for one in items):
        return None
    values: list[Expr | str] = []
    # From the right, as casts bind that way.
    while items:
        last = items.pop()
        if isinstance(last, str):
            values.append(last)
            continue
        kind = type_in(w, last)
        if kind is None:
            before = type_in(w, items[-2]) if len(items) > 1 and isinstance(items[-2], Node) else None
            if before is not None and items[-1] == "&":
                values.append(converted(address(w, last), before))
                del items[-2:]
            else:
                values.append(w.program.value(w, last))
        else:
            values.append(converted(_signed(w, str(values.pop()), values.pop()), kind))
    return _climbed(w, values, 0)


def _flatten(node: Node, items: list[Node | str]) -> None:
    if node.type != "binary_expression":
        items.append(node)
        return
    _flatten(part(node, "left"), items)
    items.append(sign_of(node))
    _flatten(part(node, "right"), items)


def _signed(w: Writer, sign: str, value: Expr | str) -> Expr:
    if isinstance(value, str) or sign not in {"-", "+", "*"}:
        raise NotExecutableError("expression", sign)
    return load(pointed(w, value)) if sign == "*" else negated(value, sign)


def _climbed(w: Writer, values: list[Expr | str], least: int) -> Expr:
    """Operators by their precedence; `values` are reversed."""
    left = values.pop()
    while values and _LEVELS[str(values[-1])] > least:
        sign = str(values.pop())
        right = _climbed(w, values, _LEVELS[sign])
        if isinstance(left, str):
            raise NotExecutableError("expression", left)
        left = operate(w, sign, left, right)
    if isinstance(left, str):
        raise NotExecutableError("expression", left)
    return left
