"""The operations of symbols on whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, or_, xor

MOST_BITS = 64
"""From this exponent on, the power of any number but 1 wraps."""


def operate(operation: str, operands: list[int | None]) -> int | None:
    """The value of a symbol's operation."""
    if operation == "element":
        at = operands[0]
        return operands[1 + at] if at is not None and 0 <= at < len(operands) - 1 else None
    if operation == "select":
        return None if operands[0] is None else operands[1] if operands[0] else operands[2]
    a, b = operands[0], operands[1]
    if a is None or b is None:
        return None
    return OF_TWO[operation](a, b)


def floor_log(value: int, base: int) -> int:
    """The logarithm rounded down; -1 of what is less than 1, so that a loop over it has no trip."""
    if value < 1:
        return -1
    found = 0
    while value >= base:
        value, found = value // base, found + 1
    return found


OF_TWO: dict[str, Callable[[int, int], int | None]] = {
    "quotient": lambda a, b: a // b if b else None,
    "remainder": lambda a, b: a % b if b else None,
    "minimum": min,
    "maximum": max,
    "and": and_,
    "or": or_,
    "xor": xor,
    "logarithm": lambda a, b: floor_log(a, b) if b > 1 else None,
    "power": lambda a, b: a**b if 0 <= b < MOST_BITS else None,
    "less": lambda a, b: int(a < b),
    "equal": lambda a, b: int(a == b),
}
"""The operations of two operands."""
