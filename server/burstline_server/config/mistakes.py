"""What is wrong with a setting, by kind: `words/settings.py` makes the sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal

from burstline_model.boards.board import BoardError
from burstline_model.record import fixed

MistakeKind = Literal[
    "no_such_argument", "no_such_kernel", "no_such_pointer", "no_such_memory", "no_such_loop", "no_such_code",
    "no_such_board",
    "no_such_folder", "no_such_report", "no_such_setting", "no_such_index", "none_of", "is_pointer", "has_fields",
    "not_in_type", "not_in_bank", "only_bank", "not_required_size", "not_multiple", "run_once", "no_macro", "no_value",
    "not_lower_case", "board_file", "needs_list", "needs_three", "needs_items", "needs_table", "needs_text",
    "needs_switch", "needs_number", "needs_whole_number", "needs_no_real", "needs_bank",
    "needs_other", "not_a_version", "outside", "not_toml",
    "unreadable", "unreadable_report", "not_on_board",
]  # fmt: skip

Name = str | int | float | tuple[int, ...]
"""What a sentence names: a word as it was written, a figure, or sizes by dimension."""


@fixed
class Mistake:
    """What is wrong with a setting: the names and figures that belong to it, what is nearest, and what there is."""

    kind: MistakeKind
    names: tuple[Name, ...] = ()
    nearest: str | None = None
    known: tuple[Name, ...] = ()


@fixed
class UnusableBoard:
    """A board that nobody knows, or a board file that cannot be used."""

    error: BoardError


class MistakeError(ValueError):
    """A value that a setting does not take."""

    def __init__(self, mistake: Mistake | UnusableBoard) -> None:
        super().__init__(mistake)
        self.mistake = mistake


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that is most like a word, if one is."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)), None)
