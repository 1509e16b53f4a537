"""Reals that are quotients of whole numbers: literals, and what arithmetic makes of them without rounding."""

from __future__ import annotations

import re
from fractions import Fraction

from burstline_model.polynomial import Polynomial
from burstline_server.analysis.values import Value

Ratio = tuple[Polynomial, Polynomial]
ONE = Polynomial.number(1)
_LITERAL = re.compile(r"(-?(?=\.?\d)\d{0,9}\.?\d{0,9}(?:[eE][-+]?\d)?)[fFwlL]?")
FINEST = 1 << 20
"""Largest denominator of a real that is kept: a float holds no smaller parts of a large number."""
LARGEST = 1 << 53
"""No real holds every whole number beyond."""


def literal(text: str) -> Ratio | None:
    """What a real literal is the quotient of; None where the type holds the nearest number alone, as of ``0.1f``."""
    match = _LITERAL.fullmatch(text)
    if match is None:
        return None
    exact = Fraction(match[1])
    return _held((Polynomial.number(exact.numerator), Polynomial.number(exact.denominator)))


def arithmetic(sign: str, a: Value, b: Value) -> Ratio | None:
    """What ``a sign b`` of reals is the quotient of, where it is exact but for the rounding of one division."""
    x, y = a.as_ratio, b.as_ratio
    if x is None or y is None:
        return None
    if sign == "/" and x[1] == y[1] == ONE:
        return x if y[0] == ONE else (x[0], y[0]) if y[0].terms else None
    if not (_is_exact(x) and _is_exact(y)):
        return None
    match sign:
        case "+":
            return _held((x[0] * y[1] + y[0] * x[1], x[1] * y[1]))
        case "-":
            return _held((x[0] * y[1] - y[0] * x[1], x[1] * y[1]))
        case "*":
            return _held((x[0] * y[0], x[1] * y[1]))
        case "/" if y[0].terms:
            return _cleared((x[0] * y[1], y[0] * x[1]))
        case _:
            return None


def _is_exact(ratio: Ratio) -> bool:
    """Whether a real holds a number exactly: a part of it that is a power of two."""
    below = ratio[1].constant
    return below is not None and 0 < below <= FINEST and below & (below - 1) == 0


def _held(ratio: Ratio) -> Ratio | None:
    cleared = _cleared(ratio)
    return cleared if cleared is not None and _is_exact(cleared) else None


def _cleared(ratio: Ratio) -> Ratio | None:
    """The quotient with factors of two in common taken out; None where it is too large."""
    above, below = ratio
    if any(abs(c) > LARGEST for p in ratio for _, c in p.terms):
        return None
    while all(c % 2 == 0 for p in (above, below) for _, c in p.terms):
        above, below = (Polynomial(tuple((m, c // 2) for m, c in p.terms)) for p in (above, below))
    return above, below
