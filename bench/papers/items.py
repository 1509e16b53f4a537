"""Items of the papers, from the tables next to this file, and the verdict that follows from their figures."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from bench.papers import figures, tytra_figures  # noqa: F401 - they fill the registry
from bench.papers.registry import figure
from pydantic import BaseModel, ConfigDict, model_validator

HERE = Path(__file__).parent
PAPERS = ("m21", "wang", "tytra", "ffd")
"""The tables, one a paper; that of M21 has M20's items as well, which M21 contains."""
Verdict = Literal["as printed", "one reading", "differs", "missing"]
VERDICTS: tuple[Verdict, ...] = ("as printed", "one reading", "differs", "missing")


class Strict(BaseModel):
    """A record of a table: no key is taken that it does not have."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Number(Strict):
    """One printed number, and the function of `figures.py`, with its arguments, that gives ours.

    It holds where ours is within `within` of it: half a unit of its last digit where nothing is said. With `at_most`,
    ours must not be larger: the print bounds an error.
    """

    of: str
    ours: str
    printed: float | None = None
    at_most: float | None = None
    within: float | None = None
    digits: int = 1
    unit: str = ""

    @model_validator(mode="after")
    def _one_of_both(self) -> Number:
        if (self.printed is None) == (self.at_most is None):
            raise ValueError(f"{self.of}: either printed or at_most")
        return self

    @cached_property
    def value(self) -> float:
        """Our figure."""
        return figure(self.ours)

    @property
    def tolerance(self) -> float:
        """How far ours may be from it."""
        return self.within if self.within is not None else 0.5 * 10.0**-self.digits

    @property
    def holds(self) -> bool:
        """Whether our figure is the printed one."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.printed is not None and abs(self.value - self.printed) <= self.tolerance * (1 + 1e-9)

    @property
    def text(self) -> str:
        """Both figures in one line."""
        unit = f" {self.unit}" if self.unit else ""
        ours = "none" if math.isnan(self.value) else f"{self.value:,.{self.digits}f}"
        if self.at_most is not None:
            return f"{self.of}: {ours} · ≤ {self.at_most:g}{unit}"
        off = "" if self.within is None else f" (± {self.within:g})"
        return f"{self.of}: {ours} · {self.printed:,.{self.digits}f}{off}{unit}"


class Item(Strict):
    """An equation, table, figure or claim of a paper.

    `verdict` is the best that it can be; numbers that do not come out make it `differs`. `seen`: where a user meets it.
    """

    what: str
    seen: str
    test: str = ""
    verdict: Verdict = "as printed"
    note: str = ""
    numbers: tuple[Number, ...] = ()

    @property
    def final(self) -> Verdict:
        """The verdict with the numbers looked at."""
        if all(n.holds for n in self.numbers):
            return self.verdict
        return max(self.verdict, "differs", key=VERDICTS.index)


class Paper(Strict):
    """A paper: its items, and what it holds that no model computes."""

    title: str
    source: str
    items: tuple[Item, ...]
    stages: bool = False
    """Whether its stories follow stage by stage."""
    shown: Mapping[str, str]
    """Figures and tables that show a structure, a method or somebody's measurement, by name, with what they show."""


def papers() -> list[Paper]:
    """The papers in their order."""
    return [Paper.model_validate(tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))) for name in PAPERS]
