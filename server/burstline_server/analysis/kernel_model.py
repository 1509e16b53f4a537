"""What the attributes of a kernel make of it, and the numbers in them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from burstline_model.facts import KernelModel
from burstline_server.analysis.integers import MAX_SHIFT

MAX_VALUE = 1 << 63


def model_of(
    asked: dict[str, str], group: tuple[int, int, int] | None, *, uses_ids: bool, barriers: bool
) -> KernelModel:
    """A kernel that never asks for an id, has no barrier and asks for no lanes or groups is compiled as one work-item.

    From 17.1 on a group of more than one makes it an NDRange kernel (clang-tidy, altera-single-work-item-barrier).
    """
    if "autorun" in asked:
        return "autorun"
    if "task" in asked or asked.get("max_global_work_dim") == "0":
        return "single_work_item"
    lanes = asked.get("num_simd_work_items")
    # One lane for groups of one work-item is what every kernel has; a count that is not known is taken for several.
    several = lanes is not None and not (integer_text(lanes) == 1 and group == (1, 1, 1))
    several |= "reqd_work_group_size" in asked and group != (1, 1, 1)
    return "ndrange" if uses_ids or barriers or several else "single_work_item"


def integer_text(text: str) -> int:
    """An expression of integer literals, such as ``(4*4)`` or ``1024 / 8``; 0 when it is anything else."""
    try:
        found = _number_in(ast.parse(_SUFFIX.sub(r"\1", text.strip()), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return 0
    return found if 0 <= found < MAX_VALUE else 0


_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.floordiv,
    ast.Mod: operator.mod, ast.RShift: operator.rshift,
}  # fmt: skip


def _number_in(node: ast.expr) -> int:
    """The value of an expression of integers; ValueError for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp):
        left, right = _number_in(node.left), _number_in(node.right)
        if isinstance(node.op, ast.LShift) and 0 <= right < MAX_SHIFT:
            return left << right
        if type(node.op) in _BINARY and abs(left) < MAX_VALUE and abs(right) < MAX_VALUE:
            return _BINARY[type(node.op)](left, right)
    raise ValueError
