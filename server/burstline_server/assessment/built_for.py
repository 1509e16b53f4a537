"""The board and the compiler that settings, the build and a report say a file is built for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from burstline_model.boards.board import Board, boards_of, find_board, parse_version
from burstline_model.target import FAMILIES, Target
from burstline_server.assessment.board_why import BoardWhy, FirstOfFamily, NamedByBuild, NearestToReport, UnknownToUs
from burstline_server.assessment.reports import Build
from burstline_server.commands.command import boards_named
from burstline_server.config.layers import Layer, Problem, Where
from burstline_server.config.mistakes import Mistake
from burstline_server.config.settings import Settings

_BEFORE_STRATIX_10 = (17, 1, 0)


def by_paper(settings: Settings) -> bool:
    """Whether units are those of the papers' own classification."""
    return settings.mode == "faithful" and settings.aoc_version is None


def board_of(
    settings: Settings, layers: Sequence[Layer], build: Build | None
) -> tuple[Board, BoardWhy | None, tuple[Problem, ...]]:  # fmt: skip
    """The board, why it is taken where nobody chose it, and what excludes it.

    A device family that the chosen board does not carry is a mistake, reported with the boards that do. Without a
    chosen board, a family takes the first of its boards, and a report's device the one nearest to it.
    """
    board = find_board(settings.board)
    choosing = [layer for layer in layers if layer.keys.get("board")]
    chosen = bool(choosing)
    family, own = settings.device_family, board.compiler.family
    if family is not None and family != own:
        fitting = boards_of(family)
        if not chosen and fitting:
            return fitting[0], FirstOfFamily(family), ()
        mistake = Mistake("not_on_board", (family, board.name, own), known=tuple(b.name for b in fitting))
        where: Where = next((layer.where for layer in reversed(layers) if layer.keys.get("device_family")), "file")
        return board, None, (Problem(mistake, where=where),)
    report = build.used if build is not None else None
    built_for = next((f for f in FAMILIES if report is not None and f == report.family), None)
    if family is None and not chosen and report is not None and built_for is not None and built_for != own:
        nearest = boards_of(built_for, report.device or "")[0]
        return nearest, NearestToReport(report.device or built_for, Path(report.path).name), ()
    return board, _board_of_build(layers, choosing), ()


def _board_of_build(layers: Sequence[Layer], choosing: Sequence[Layer]) -> BoardWhy | None:
    """Where the build names the board, or one that is not known where nobody else chose."""
    build = next((layer for layer in layers if layer.where == "build"), None)
    if build is None or build.built is None:
        return None
    place = build.built.command.place
    if choosing:
        return NamedByBuild(place) if choosing[-1] is build else None
    return UnknownToUs(place, boards_named(build.built.command.flags)[0]) if build.problems else None


def target_of(settings: Settings, board: Board) -> Target:
    """The compiler's target; in faithful mode without a named version, the papers' own classification.

    A compiler from before Stratix 10 named without a family cannot build for it: Stratix V is taken then.
    """
    target = board.target
    version = parse_version(settings.aoc_version) if settings.aoc_version else target.aoc_version
    family = settings.device_family or target.family
    if settings.device_family is None and settings.aoc_version and version < _BEFORE_STRATIX_10:
        family = "Stratix V" if family in {"Stratix 10", "Agilex"} else family
    relaxed = bool({"-fp-relaxed", "-ffp-reassociate", "--fp-relaxed"} & set(settings.aoc_flags))
    own = {"family": family, "aoc_version": version, "paper_rules": by_paper(settings), "relaxed": relaxed}
    return target.model_copy(update=own)
