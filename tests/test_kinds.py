"""Each kind of reason that the model or a rule returns has its sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from burstline_model.boards.board_spec import BoardSpecError, Guess, NoSpecification, NoSpecificationError
from burstline_model.devices.resource_use import Piece
from burstline_model.estimate.changes import PlainChange
from burstline_model.estimate.remark_kinds import Remark
from burstline_model.estimate.roofline import RoofOf
from burstline_model.explore.refusals import Refusal
from burstline_model.facts import RemarkKind, Unknown, UnknownKind
from burstline_model.lsu import PlainWhy
from burstline_model.parallelism.knobs import KnobsError, KnobsMistake
from burstline_model.parallelism.simd_limits import KeptApart
from burstline_model.pipeline.waits import Wait
from burstline_model.record import Wrong, WrongKind
from burstline_model.vendor_report.report_files import Unreadable, UnreadableReportError
from burstline_server.config.mistakes import Mistake, MistakeKind
from burstline_server.llvm.invocation import NoAnswer
from burstline_server.names.renaming import CannotRenameError
from burstline_server.names.renaming import Obstacle as RenameObstacle
from burstline_server.rewrites.catalogue import REWRITES
from burstline_server.rewrites.reasons import Assertion, AssertionKind, Obstacle, ObstacleKind, Title, TitleKind
from burstline_server.rewrites.rewrite import Rewrite
from burstline_server.source.conditions import Unclear
from burstline_server.source.preprocessed import Skipped
from burstline_server.words.actions import NoEdit, no_edit_text
from burstline_server.words.boards import guess_text, spec_error_text, wrong_text
from burstline_server.words.changes import action_text, change_text
from burstline_server.words.compiler_rules import Force, force_text
from burstline_server.words.edits import assertion_text, title_text
from burstline_server.words.exploring import Nothing, NotMade, knobs_text, not_made_text, nothing_text
from burstline_server.words.kernels import NoKernel, Written, no_kernel_text, written_text
from burstline_server.words.lanes import apart_text
from burstline_server.words.llvm import silence_text
from burstline_server.words.obstacles import obstacle_text
from burstline_server.words.refusals import refusal_text
from burstline_server.words.remarks import remark_text
from burstline_server.words.renames import cannot_rename_text
from burstline_server.words.resources import part_text
from burstline_server.words.roofline import roof_text
from burstline_server.words.settings import mistake_text
from burstline_server.words.units import why_text
from burstline_server.words.unread import skipped_text, unknown_text, unread_text
from burstline_server.words.usage import Unusable, unusable_text
from burstline_server.words.vendor_reports import unreadable_text
from burstline_server.words.waits import wait_text

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
        (WrongKind, lambda kind: wrong_text(Wrong("key", kind, (("ge", 1),), "words", ValueError("why")))),
        (MistakeKind, lambda kind: mistake_text(Mistake(kind, (*NAMES, kind)))),
        (NoEdit, no_edit_text),
        (NoKernel, no_kernel_text),
        (Written, lambda kind: written_text(kind, "word")),
        (Nothing, lambda kind: nothing_text(kind, *NAMES)),
        (NotMade, lambda kind: not_made_text(kind, *NAMES)),
        (KnobsMistake, lambda kind: knobs_text(KnobsError(kind, "kernel", 7, 64))),
        (RenameObstacle, lambda kind: cannot_rename_text(CannotRenameError(kind, *NAMES))),
        (Unreadable, lambda kind: unreadable_text(UnreadableReportError(Path("here"), kind, "why"))),
        (NoSpecification, lambda kind: spec_error_text(BoardSpecError(Path("here"), NoSpecificationError(kind)))),
        (Unusable, lambda kind: unusable_text(kind, *NAMES)),
        (Force, force_text),
        (NoAnswer, lambda kind: silence_text(kind, "why")),
        (Unclear, lambda kind: skipped_text("unclear_condition", ("condition", kind, "here"))),
        (Skipped, lambda kind: skipped_text(kind, NAMES)),
        (RemarkKind, lambda kind: unread_text(kind, NAMES)),
        (TitleKind, lambda kind: title_text(Title(kind, (*NAMES, "fourth", "fifth")))),
        (AssertionKind, lambda kind: assertion_text(Assertion(kind, NAMES))),
        (ObstacleKind, lambda kind: obstacle_text(Obstacle(kind, (*NAMES, "fourth")))),
        (UnknownKind, lambda kind: unknown_text(Unknown(kind=kind, names=NAMES))),
    ],
)
def test_every_kind_without_figures_has_words_of_its_own(kinds: object, worded: Callable[[Any], object]) -> None:
    found = [worded(kind) for kind in literals(kinds)]
    assert found
    assert all(found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("edit", REWRITES, ids=lambda edit: edit.name)
def test_an_edit_has_one_name_in_its_page_its_file_and_its_class(edit: Rewrite) -> None:
    file = type(edit).__module__.rpartition(".")[2]
    assert re.sub(r"\W", "_", edit.name.lower()) == file
    assert type(edit).__name__.lower() == file.replace("_", "")
