"""What an editor offers besides edits, and what is said where a request has no effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burstline_server.assessment.missing_sizes import Missing
from burstline_server.quantities import in_words, time_text
from burstline_server.words.missing import sizes_text

ALL_FIXES = "Make every edit that is proved and pays"
PREVIEW = "preview"
HOST_CHANGE = "Show what the host does"
HOST_FILE = "Change the host program where it launches the kernel"
READING_KERNELS = "Reading kernels"
TRYING_EDITS = "Trying edits"
NoEdit = Literal["same_variant", "refused", "not_offered", "text_changed"]
"""Why a request to edit had no effect."""
_NO_EDIT: dict[NoEdit, str] = {
    "same_variant": "the kernel already is this variant",
    "refused": "the editor made no edit",
    "not_offered": "the text has changed: this edit is no longer on offer",
    "text_changed": "the text has changed meanwhile: no edit was made",
}


def ignore_title(codes: Sequence[str], *, lines: int) -> str:
    """Which findings a comment switches off, or comments on several lines do."""
    return f"Ignore {in_words(codes)} {'on this line' if lines == 1 else 'here'}"


COST_HERE = "Show times"
NOT_HERE = "Not in this folder"


def ask_text(file: str, word: str, folder: str) -> str:
    """Asks whether code that a word shows to be for GPUs is costed in a folder."""
    return (
        f"{file} is written for GPUs ({word}). Show what its kernels cost on an FPGA? "
        f'"{NOT_HERE}" writes enabled = false to burstline.toml in {folder}.'
    )


def not_written_text(file: str, why: str) -> str:
    """That a file of settings could not be made."""
    return f"{file} could not be written: {why}"


def variants_title(best_s: float) -> str:
    """What the kernel would take in its fastest variant, in seconds."""
    return f"Explore variants (best {time_text(best_s)})…"


def explain_title(code: str) -> str:
    """Opens a finding's page."""
    return f"Explain {code}"


def set_sizes_title(missing: Sequence[Missing]) -> str:
    """Asks for the sizes that a time waits for."""
    return f"Set {sizes_text(missing)} to see the time"


def no_edit_text(why: NoEdit) -> str:
    """Why a request to edit had no effect."""
    return _NO_EDIT[why]


def failed_text(name: str, error: Exception) -> str:
    """That a document could not be analysed."""
    return f"Burstline could not analyse {name}: {error} (see the log)"


def costing_title(name: str) -> str:
    """What a long work is."""
    return f"Costing {name}"
