"""Why a board is taken where no option or setting names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FirstOfFamily:
    """A device family is asked for, and no board is chosen."""

    family: str


@dataclass(frozen=True, slots=True)
class NearestToReport:
    """A report was built for this device, or for a device of this family."""

    device: str
    report: str


@dataclass(frozen=True, slots=True)
class NamedByBuild:
    """A build file names it, at this place."""

    place: str


@dataclass(frozen=True, slots=True)
class UnknownToUs:
    """A build file names a board that is not known, so that the default is taken."""

    place: str
    board: str


BoardWhy = FirstOfFamily | NearestToReport | NamedByBuild | UnknownToUs
