"""Our figures for the printed numbers, by the names that the tables give them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

FIGURES: dict[str, Callable[..., float]] = {}


def figure(named: str) -> float:
    """A figure by the name of its function and the arguments behind it, each after a bar."""
    name, *arguments = named.split("|")
    return FIGURES[name](*arguments)


def named(function: Callable[..., float]) -> Callable[..., float]:
    """A function that the tables name."""
    kept = cache(function)
    FIGURES[function.__name__] = kept
    return kept
