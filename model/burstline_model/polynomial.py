"""Integer polynomials over named symbols: the form every index, bound and trip count takes.

An index such as ``row * width + 4 * i + 1`` is the polynomial with the monomials ``row·width`` (1),
``i`` (4) and the constant 1. Affine forms are the polynomials of degree one; a symbolic stride such as
``width`` above keeps its name and becomes a number as soon as the launch gives it one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from burstline_model.record import fixed

Monomial: TypeAlias = tuple[str, ...]
"""Sorted symbol names, repeated for powers; the empty tuple is the constant's."""

MAX_TERMS = 64
"""Most monomials a product may have before it is given up as not analysable."""


class TooComplexError(ValueError):
    """A product would have more than `MAX_TERMS` monomials."""


@fixed
class Polynomial:
    """A sum of integer multiples of monomials, in one canonical order.

    A file has hundreds of thousands of them, which are compared and looked up all the time: by their terms, directly.
    """

    terms: tuple[tuple[Monomial, int], ...] = ()

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if other.__class__ is Polynomial else NotImplemented

    def __hash__(self) -> int:
        return hash(self.terms)

    @staticmethod
    def of(terms: Mapping[Monomial, int]) -> Polynomial:
        """The polynomial with these coefficients; zero ones are dropped."""
        some = [term for term in terms.items() if term[1]]
        if len(some) > 1:
            some.sort()
        return Polynomial(tuple(some)) if some else ZERO

    @staticmethod
    @lru_cache(maxsize=4096)
    def number(value: int) -> Polynomial:
        """The constant `value`."""
        return Polynomial((((), value),)) if value else ZERO

    @staticmethod
    @lru_cache(maxsize=4096)
    def symbol(name: str) -> Polynomial:
        """The symbol `name` itself."""
        return Polynomial((((name,), 1),))

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for monomial, coefficient in other.terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return Polynomial.of(total)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for monomial, coefficient in other.terms:
            total[monomial] = total.get(monomial, 0) - coefficient
        return Polynomial.of(total)

    def ahead_of(self, other: Polynomial) -> int | None:
        """How much more it is than another, where that is the same for all values of the symbols; else None."""
        own, others = self.terms, other.terms
        # The constant's monomial comes first.
        first = own[0][1] if own and not own[0][0] else 0
        second = others[0][1] if others and not others[0][0] else 0
        same = (own[1:] if first else own) == (others[1:] if second else others)
        return first - second if same else None

    def __mul__(self, other: Polynomial) -> Polynomial:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise TooComplexError
        total: dict[Monomial, int] = {}
        for a, ca in self.terms:
            for b, cb in other.terms:
                monomial = tuple(sorted(a + b))
                total[monomial] = total.get(monomial, 0) + ca * cb
        return Polynomial.of(total)

    def scaled(self, factor: int) -> Polynomial:
        """The polynomial times an integer."""
        return Polynomial(tuple((m, c * factor) for m, c in self.terms)) if factor else ZERO

    @property
    def constant(self) -> int | None:
        """The value, when no symbol is left; else None."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def offset(self) -> int:
        """The constant term."""
        return next((c for m, c in self.terms if not m), 0)

    @property
    def symbols(self) -> frozenset[str]:
        """Every symbol that occurs."""
        terms = self.terms
        if len(terms) == 1:
            return frozenset(terms[0][0])
        return _NO_SYMBOLS.union(*[monomial for monomial, _ in terms]) if terms else _NO_SYMBOLS

    def coefficient(self, name: str) -> Polynomial | None:
        """What one step of `name` adds: the factor of a symbol that occurs to the first power only.

        Zero when the symbol does not occur; None when it occurs squared or higher.
        """
        total: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            times = monomial.count(name)
            if times > 1:
                return None
            if times:
                total[tuple(s for s in monomial if s != name)] = c
        return Polynomial.of(total)

    def without(self, names: Iterable[str]) -> Polynomial:
        """The terms in which none of `names` occurs."""
        gone = frozenset(names)
        return Polynomial(tuple((m, c) for m, c in self.terms if gone.isdisjoint(m)))

    def substitute(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """The polynomial with symbols replaced; raises `TooComplexError` when it grows too large."""
        if self.symbols.isdisjoint(values):
            return self
        result = ZERO
        for monomial, c in self.terms:
            term = Polynomial.number(c)
            for name in monomial:
                term = term * values.get(name, Polynomial.symbol(name))
            result = result + term
        return result

    def evaluate(self, values: Mapping[str, Fraction | int]) -> Fraction | int | None:
        """The value for these symbols, or None while one is missing."""
        total: Fraction | int = 0
        for monomial, c in self.terms:
            product: Fraction | int = c
            for name in monomial:
                if name not in values:
                    return None
                product *= values[name]
            total += product
        return total

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        for monomial, c in sorted(self.terms, key=in_text):
            name = "·".join(monomial)
            size = str(abs(c)) if not name else name if abs(c) == 1 else f"{abs(c)}·{name}"
            parts.append((" - " if c < 0 else " + ") + size if parts else ("-" if c < 0 else "") + size)
        return "".join(parts)


def in_text(term: tuple[Monomial, int]) -> tuple[bool, int, Monomial]:
    """What the terms of a polynomial are sorted by where it is written: the constant comes last."""
    monomial = term[0]
    return not monomial, len(monomial), monomial


ZERO = Polynomial()
_NO_SYMBOLS = frozenset[str]()


@fixed
class Turns:
    """The value of a counter that wraps in iteration t: `start` + `step` · ((t / `every`) mod `period`).

    Without a period it never starts over.
    """

    start: Polynomial
    step: Polynomial
    every: Polynomial
    period: Polynomial | None = None
