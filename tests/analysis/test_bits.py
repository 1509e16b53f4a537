"""The bits that an index may have: never fewer than its values show, and none where fields leave a gap."""

from collections.abc import Iterator
from itertools import product

import pytest

from burstline_model.facts import Operation
from burstline_model.parallelism.symbol_values import operate
from burstline_model.polynomial import Polynomial
from burstline_server.analysis.bits import lowest_bit, operated_bits, possible_bits, up_to

OPERATIONS: tuple[Operation, ...] = ("and", "or", "xor", "minimum", "maximum", "remainder", "quotient")
SETS = (0, 0b1, 0b110, 0b1010, 0b111, 0b11000)


def values(bits: int) -> Iterator[int]:
    """Every number made of these bits."""
    return (v for v in range(bits + 1) if not v & ~bits)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_result_has_other_bits(operation: Operation) -> None:
    for a, b in product(SETS, repeat=2):
        for y in values(b):
            constant = y if operation in {"remainder", "quotient"} else None
            bits = operated_bits(operation, a, b, constant)
            for x in values(a):
                found = operate(operation, [x, y])
                assert found is None or not found & ~bits, (operation, x, y, bin(bits))


def test_no_sum_or_product_has_other_bits() -> None:
    x, y = Polynomial.symbol("x"), Polynomial.symbol("y")
    for number in (x + y, x.scaled(6) + y, x * y.scaled(4), x * x + Polynomial.number(8), x.scaled(8) - y.scaled(4)):
        for a, b in product(SETS, repeat=2):
            bits = possible_bits(number, {"x": a, "y": b}.__getitem__)
            for at in product(values(a), values(b)):
                found = number.evaluate(dict(zip("xy", at, strict=True)))
                assert found is not None
                assert not int(found) & ~bits, (str(number), at, bin(bits))


def test_what_is_known() -> None:
    assert up_to(9) == 0b1111
    assert lowest_bit(0b11000) == 8
    assert possible_bits(Polynomial.symbol("x").scaled(8) + Polynomial.number(3), lambda _: -1) & 0b111 == 0b011
