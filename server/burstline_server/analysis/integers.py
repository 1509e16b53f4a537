"""Integer arithmetic on polynomials: what an operator makes of two of them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, trunc

from tree_sitter import Node

from burstline_model.facts import Operation
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.logic import compared, truth
from burstline_server.analysis.nodes import one_line
from burstline_server.analysis.reader import Reader
from burstline_server.analysis.values import Value

MAX_SHIFT = 62


def integer(reader: Reader, node: Node, sign: str, x: Polynomial, y: Polynomial, whole: Value) -> Polynomial | None:
    """Integer arithmetic: exact where a polynomial can hold it, a symbol elsewhere."""
    a, b = x.constant, y.constant
    match sign:
        case "+":
            return _digits_joined(reader, _divided_again(reader, x + y))
        case "-":
            return x - y
        case "*":
            return x * y
        case "<<" if b is not None and 0 <= b <= MAX_SHIFT:
            return x.scaled(1 << b)
        case ">>" if b is not None and 0 <= b <= MAX_SHIFT:
            return quotient(reader, x, 1 << b)
        case "<<" | ">>" if b is None and _is_given(reader, y):
            power = reader.symbols.operation("power", (Polynomial.number(2), y))
            return x * power if sign == "<<" else whole_part(reader, x, power)
        case "/" if b or (b is None and y.terms):
            return whole_part(reader, x, y)
        case "%" if b:
            return remainder(reader, x, b)
        case "%" if not b and y.terms:
            return reader.symbols.operation("remainder", (x, y))
        case _ if a is not None and b is not None:
            return _fold(sign, a, b)
        case "&" | "|" | "^":
            return _bitwise(reader, sign, x, y)
        case "<" | ">" | "<=" | ">=" | "==" | "!=":
            return compared(reader.symbols, sign, x, y)
        case "&&" | "||":
            both = (truth(reader.symbols, x), truth(reader.symbols, y))
            return reader.symbols.operation("and" if sign == "&&" else "or", both)
        case _:
            return reader.symbols.unknown(short(one_line(node)), whole)


def _is_given(reader: Reader, number: Polynomial) -> bool:
    """Whether a number follows from arguments, sizes and counters of loops alone."""
    return all(reader.symbols.kind(name) in _GIVEN for name in number.symbols)


_GIVEN = {"argument", "loop", "global_size", "local_size", "num_groups"}


def _divided_again(reader: Reader, total: Polynomial) -> Polynomial:
    """``(x / y) * y + x % y`` as x."""
    for monomial, coefficient in total.terms:
        found = reader.symbols.divided(monomial[0]) if len(monomial) == 1 else None
        if found is None:
            continue
        value, divisor = found
        whole = reader.symbols.operation("quotient", found) * divisor
        part = (whole + Polynomial.symbol(monomial[0])).scaled(coefficient)
        if len((total - part).terms) <= len(total.terms) - len(part.terms):
            return total - part + value.scaled(coefficient)
    return total


def left_divided(reader: Reader, x: Polynomial, y: Polynomial, total: Polynomial) -> tuple[set[str], set[str]]:
    """The symbols that a sum is rid of, and those of them that the compiler leaves in it.

    It sees ``i / w * w + i % w`` as i, whatever is added; in ``(i / w + 1) * w + i % w`` a sum is multiplied, and both
    divisions stay (clang 14 and 15 at -O2).
    """
    gone, left = {*x.symbols, *y.symbols} - {*total.symbols}, set[str]()
    for name in gone:
        found = reader.symbols.divided(name)
        if found is None or found[1].constant is not None:
            continue
        whole, by = reader.symbols.operation("quotient", found).symbols, {*found[1].symbols}
        own = (m for part in (x, y) if whole <= part.symbols for m, _ in part.terms)
        if any(by <= {*m} and whole.isdisjoint(m) for m in own):
            left |= {name, *whole}
    return gone, left


def _digits_joined(reader: Reader, total: Polynomial) -> Polynomial:
    """``(x / 8) % 4 + (x / 32) % 2 * 4`` as ``(x / 8) % 8``: neighbouring digits of one number are one."""
    found = {c: (m, d) for m, c in total.terms if len(m) == 1 and (d := _digit(reader, m[0])) is not None}
    for weight, (lower, (low, end, own)) in sorted(found.items()):
        upper, (start, last, number) = found.get(weight * (end // low), (lower, (0, 0, own)))
        if not end or start != end or any(c % end for _, c in (number - own).terms):
            continue
        both = quotient(reader, number, low)
        both = remainder(reader, both, last // low) if last and last < _WORD else both
        rest = Polynomial(tuple((m, c) for m, c in total.terms if m not in (lower, upper)))
        return _digits_joined(reader, rest + both.scaled(weight))
    return total


def _digit(reader: Reader, name: str) -> tuple[int, int, Polynomial] | None:
    """The x of ``(x / low) % (end / low)``, with low and end; an end of 0 where there is no remainder."""
    operation, operands = reader.symbols.operated(name)
    if operation == "quotient" and (low := operands[1].constant):
        return low, 0, operands[0]
    if operation != "remainder" or not (length := operands[1].constant):
        return None
    (inner, one), *more = operands[0].terms or (((), 0),)
    if not more and one == 1 and len(inner) == 1 and (below := _digit(reader, inner[0])) is not None and not below[1]:
        return below[0], below[0] * length, below[2]
    return 1, length, operands[0]


_WORD = 1 << 32
"""Indices of 32 bits are taken not to wrap."""


def _bitwise(reader: Reader, sign: str, x: Polynomial, y: Polynomial) -> Polynomial:
    """Masks as remainders and multiples, fields that share no bit as their sum."""
    mask, value = (x.constant, y) if x.constant is not None else (y.constant, x)
    bits = reader.symbols.bits(x), reader.symbols.bits(y)
    if sign == "&" and not bits[0] & bits[1]:
        return Polynomial()
    if sign == "&" and mask is not None and not reader.symbols.bits(value) & ~mask:
        return value
    if sign == "&" and mask is not None and _is_low_mask(mask):
        return remainder(reader, value, mask + 1)
    if sign == "&" and mask is not None and _is_low_mask(~mask):
        return quotient(reader, value, ~mask + 1).scaled(~mask + 1)
    if sign != "&" and not bits[0] & bits[1]:
        return _digits_joined(reader, x + y)
    return reader.symbols.operation(_BITWISE[sign], (x, y))


_BITWISE: dict[str, Operation] = {"&": "and", "|": "or", "^": "xor"}


def _is_low_mask(value: int) -> bool:
    return value > 0 and value & (value + 1) == 0


def quotient(reader: Reader, x: Polynomial, divisor: int) -> Polynomial:
    """``x / divisor``; exact when every coefficient divides."""
    if divisor < 0:
        return -quotient(reader, x, -divisor)
    if x.constant is not None:
        return Polynomial.number(int(x.constant / divisor) if x.constant < 0 else x.constant // divisor)
    if all(c % divisor == 0 for _, c in x.terms):
        return Polynomial(tuple((m, c // divisor) for m, c in x.terms))
    return reader.symbols.operation("quotient", (x, Polynomial.number(divisor)))


def whole_part(reader: Reader, x: Polynomial, y: Polynomial) -> Polynomial:
    """``x / y``, rounded as integers are; `y` is not the constant 0."""
    divisor = y.constant
    return quotient(reader, x, divisor) if divisor else reader.symbols.operation("quotient", (x, y))


def remainder(reader: Reader, x: Polynomial, divisor: int) -> Polynomial:
    """``x % divisor``, terms that are whole multiples dropped (indices are taken to be non-negative)."""
    divisor = abs(divisor)
    if x.constant is not None:
        return Polynomial.number(x.constant % divisor if x.constant >= 0 else -(-x.constant % divisor))
    rest = Polynomial(tuple((m, c) for m, c in x.terms if c % divisor))
    if rest.constant is not None:
        return Polynomial.number(rest.constant % divisor)
    return reader.symbols.operation("remainder", (rest, Polynomial.number(divisor)))


def rounded(reader: Reader, how: str, x: Polynomial, y: Polynomial) -> Polynomial | None:
    """``x / y``, exact, rounded by a function of reals to a whole number; None where it is not certain which."""
    a, b = x.constant, y.constant
    if how == "rint" and (b is None or (b != 1 and b % 2 == 0)):
        return None  # a half goes to the even neighbour
    if a is not None and b:
        exact = Fraction(a, b)
        match how:
            case "ceil":
                return Polynomial.number(ceil(exact))
            case "floor":
                return Polynomial.number(floor(exact))
            case "trunc":
                return Polynomial.number(trunc(exact))
            case _:
                nearest = floor(abs(exact) + Fraction(1, 2))
                return Polynomial.number(nearest if exact >= 0 else -nearest)
    if b == 1:
        return x
    match how:
        case "ceil":
            return whole_part(reader, x + y - Polynomial.number(1), y)
        case "floor" | "trunc":
            return whole_part(reader, x, y)
        case _:
            return whole_part(reader, x.scaled(2) + y, y.scaled(2))


def _fold(sign: str, a: int, b: int) -> Polynomial | None:
    match sign:
        case "&":
            result = a & b
        case "|":
            result = a | b
        case "^":
            result = a ^ b
        case "<" | ">" | "<=" | ">=" | "==" | "!=":
            result = int({"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[sign])
        case "&&":
            result = int(bool(a and b))
        case "||":
            result = int(bool(a or b))
        case _:
            return None
    return Polynomial.number(result)


MAX_DISPLAY = 40


def short(text: str) -> str:
    """A text that names a value, cut where it is long."""
    return text if len(text) <= MAX_DISPLAY else text[: MAX_DISPLAY - 1] + "…"
