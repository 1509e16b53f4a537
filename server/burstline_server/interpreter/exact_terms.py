"""Whether a sum or a product of reals is exact in any order, as far as its terms show."""

from __future__ import annotations

import math

MOST_POWERS = 100
"""The powers of two of a product's factors add up to no more than this, so that no part of it leaves any type's range.

The exponent of single precision goes to 126.
"""


class ExactTerms:
    """The terms of one sum or product in a run, kept as the room that an exact result needs.

    Of a sum, the sizes of its terms over the smallest power of two that divides all of them: as long as that fits the
    bits of the variable's precision, each sum of some of them does. Of a product, the bits of its factors' odd parts.
    """

    def __init__(self, bits: int, product: bool) -> None:
        self.bits, self.product = bits, product
        self._sizes, self._parts = 0.0, 1
        self._odd_bits = self._powers = 0
        self._fits = True

    def add(self, term: float) -> bool:
        """Count a term; returns whether the result is still exact in any order."""
        if not math.isfinite(term):
            self._fits = False
            return False
        over, parts = float(term).as_integer_ratio()
        if self.product:
            powers = (over & -over).bit_length() - 1 if over else 0
            odd = abs(over) >> powers
            self._odd_bits += odd.bit_length() if odd > 1 else 0
            self._powers += powers + parts.bit_length() - 1
            self._fits &= self._odd_bits <= self.bits and self._powers <= MOST_POWERS
        else:
            self._sizes += abs(term)
            self._parts = max(self._parts, parts)
            self._fits &= self._sizes * self._parts < 1 << self.bits
        return self._fits
