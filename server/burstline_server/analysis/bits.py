"""Which bits of an index can be set: what shifts, masks and fields put together leave of them.

A set of bits is an integer whose ones are the bits that may be one; a negative one (ones without end) is that of a
value without a known bound. Indices are taken to be non-negative, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from burstline_model.facts import Operation
from burstline_model.polynomial import Polynomial

ANY = -1
"""No bit is known."""


def possible_bits(number: Polynomial, of: Callable[[str], int]) -> int:
    """The bits that may be one in a number, given those of each symbol."""
    total = 0
    terms = [(_monomial(monomial, of), coefficient) for monomial, coefficient in number.terms]
    taken = [_product(term, -coefficient) for term, coefficient in terms if coefficient < 0]
    whole = next((c for monomial, c in number.terms if not monomial), 0)
    # 1 less a comparison: where all that is taken from a constant is part of it, no bit is borrowed.
    if taken and len(taken) == len(terms) - 1 and whole > 0 and _are_parts(taken, whole):
        return whole
    for bits, coefficient in terms:
        term = _product(bits, coefficient) if coefficient > 0 else multiples_of(lowest_bit(bits) * -coefficient)
        total = total | term if not total & term else _sum(total, term)
    return total


def _monomial(monomial: Sequence[str], of: Callable[[str], int]) -> int:
    term = 1
    for name in monomial:
        term = _product(term, of(name))
    return term


def _are_parts(taken: Sequence[int], whole: int) -> bool:
    """Whether terms have bits of a number alone, and no bit twice."""
    left = whole
    for term in taken:
        if term & ~left:
            return False
        left &= ~term
    return True


def lowest_bit(bits: int) -> int:
    """The largest power of two that divides every value with these bits (1 for the value 0)."""
    return bits & -bits or 1


def multiples_of(factor: int) -> int:
    """The bits of any multiple of a number."""
    return ANY * lowest_bit(factor)


def up_to(most: int, low: int = 1) -> int:
    """The bits of any multiple of `low`, a power of two, up to `most`."""
    return ((1 << most.bit_length()) - 1) & -low


def operated_bits(operation: Operation, a: int, b: int, constant: int | None) -> int:
    """The bits of an operation's result; `constant` is its second operand where that is a number."""
    match operation:
        case "and":
            return a & b
        case "or" | "xor" | "maximum" | "select":
            return a | b
        case "minimum":
            bounds = [x for x in (a, b) if x >= 0]
            return (a | b) & (up_to(min(bounds)) if bounds else ANY)
        case "remainder" if constant:
            kept = a if constant & (constant - 1) == 0 else multiples_of(lowest_bit(a) | constant)
            return kept & up_to(constant - 1)
        case "less" | "equal":
            return 1
        case "quotient" if constant and constant & (constant - 1) == 0:
            return a >> (constant.bit_length() - 1)
        case "quotient" if constant and a >= 0:
            return up_to(a // constant)
        case _:
            return ANY


def _product(a: int, b: int) -> int:
    if a > 0 and a & (a - 1) == 0:
        return b * a
    if b > 0 and b & (b - 1) == 0:
        return a * b
    low = lowest_bit(a) * lowest_bit(b)
    return ANY * low if a < 0 or b < 0 else up_to(a * b, low)


def _sum(a: int, b: int) -> int:
    """The bits of a sum: a carry may reach every bit from the lowest one on."""
    low = min(lowest_bit(a), lowest_bit(b))
    return ANY * low if a < 0 or b < 0 else up_to(a + b, low)
