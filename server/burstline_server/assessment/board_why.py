"""Why a board is taken where no option or setting names it."""

from __future__ import annotations

from burstline_model.record import fixed


@fixed
class FirstOfFamily:
    """A device family is asked for, and no board is chosen."""

    family: str


@fixed
class NearestToReport:
    """A report was built for this device, or for a device of this family."""

    device: str
    report: str


@fixed
class NamedByBuild:
    """A build file names it, at this place."""

    place: str


@fixed
class UnknownToUs:
    """A build file names a board that is not known, so that the default is taken."""

    place: str
    board: str


BoardWhy = FirstOfFamily | NearestToReport | NamedByBuild | UnknownToUs
