"""Each kind of reason that the model or a rule returns has its sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest

from burstline_model.boards.board_spec import Guess
from burstline_model.devices.use import Piece
from burstline_model.estimate.changes import PlainChange
from burstline_model.estimate.remark import Remark
from burstline_model.estimate.roofline import RoofOf
from burstline_model.explore.refusals import Refusal
from burstline_model.facts import RemarkKind, Unknown, UnknownKind
from burstline_model.lsu import PlainWhy
from burstline_model.parallelism.simd import KeptApart
from burstline_model.pipeline.waits import Wait
from burstline_server.presentation.words.boards import guess_text
from burstline_server.presentation.words.changes import action_text, change_text
from burstline_server.presentation.words.edits import assertion_text, title_text
from burstline_server.presentation.words.lanes import apart_text
from burstline_server.presentation.words.obstacles import obstacle_text
from burstline_server.presentation.words.refusals import refusal_text
from burstline_server.presentation.words.remarks import remark_text
from burstline_server.presentation.words.resources import part_text
from burstline_server.presentation.words.roofline import roof_text
from burstline_server.presentation.words.units import why_text
from burstline_server.presentation.words.unread import unknown_text, unread_text
from burstline_server.presentation.words.waits import wait_text
from burstline_server.rewrites.reasons import Assertion, AssertionKind, Obstacle, ObstacleKind, Title, TitleKind

NAMES = ("first", "second", "third")


def literals(kinds: object) -> Iterator[str]:
    """The literal values of a type, those inside a union too."""
    for one in get_args(kinds):
        if isinstance(one, str):
            yield one
        else:
            yield from literals(one)


@pytest.mark.parametrize(
    ("kinds", "worded"),
    [
        (PlainWhy, why_text),
        (PlainChange, change_text),
        (PlainChange, action_text),
        (Remark, remark_text),
        (Refusal, refusal_text),
        (KeptApart, apart_text),
        (Wait, wait_text),
        (Guess, guess_text),
        (Piece, part_text),
        (RoofOf, roof_text),
        (RemarkKind, lambda kind: unread_text(kind, NAMES)),
        (TitleKind, lambda kind: title_text(Title(kind, NAMES))),
        (AssertionKind, lambda kind: assertion_text(Assertion(kind, NAMES))),
        (ObstacleKind, lambda kind: obstacle_text(Obstacle(kind, NAMES))),
        (UnknownKind, lambda kind: unknown_text(Unknown(kind=kind, names=NAMES))),
    ],
)
def test_every_kind_without_figures_has_words_of_its_own(kinds: object, worded: Callable[[Any], object]) -> None:
    found = [worded(kind) for kind in literals(kinds)]
    assert found
    assert all(found)
    assert len(set(found)) == len(found)
