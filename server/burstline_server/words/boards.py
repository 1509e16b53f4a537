"""Why a board is taken, what had to be guessed of one, and why one cannot be used."""

from __future__ import annotations

from typing import assert_never

from burstline_model.boards.board import (
    BoardError,
    BoardFileError,
    PeakError,
    UnknownBoardError,
    VersionError,
)
from burstline_model.boards.board_spec import (
    BoardSpecError,
    Guess,
    HostMemory,
    NarrowBanks,
    NoSpecification,
    NoSpecificationError,
    NoSuchSpeed,
    UsualClock,
    UsualDevice,
    UsualTimings,
)
from burstline_model.record import Wrong, WrongKind
from burstline_server.assessment.board_why import BoardWhy, FirstOfFamily, NamedByBuild, NearestToReport, UnknownToUs
from burstline_server.words.nearest import shortened

BANDWIDTH_COLUMNS = ("array", "in order", "by columns", "in order, 64 B")
"""Sizes of arrays, and what a memory sustains for an element a cycle in two orders, and for whole words."""


def board_text(why: BoardWhy) -> str:
    """Why a board is taken, or where it is named."""
    match why:
        case FirstOfFamily():
            return f"a board of {why.family}, since none is chosen"
        case NearestToReport():
            return f"nearest to the {why.device} of {why.report}"
        case NamedByBuild():
            return why.place
        case UnknownToUs():
            return f"the default: {why.place} is for {why.board}"
        case _:
            assert_never(why)


def guess_text(guess: Guess) -> str:
    """A guess about a board in a sentence."""
    match guess:
        case "usual_shell":
            return "what the board's own logic takes: the file does not say, the development kit's is taken"
        case UsualClock():
            return f"f_max_mhz = {guess.f_max_mhz:g}: usual for {guess.family} kernels"
        case HostMemory():
            return f"memory {guess.name or 'of the host'}: what kernels reach of its speed over the bus"
        case UsualTimings():
            memory = f"type = {guess.technology}-{guess.rate}, banks {guess.bank_bytes} B wide"
            return f"{memory}, usual timings: the file names no technology"
        case NoSuchSpeed():
            kinds = " or ".join(guess.technologies)
            return f"{guess.bank_mb_s:g} MB/s a bank is no speed of {kinds}: is max_bandwidth right?"
        case NarrowBanks():
            bank = f"{guess.bank_mb_s:g} MB/s a bank: {guess.bank_bytes} B wide banks"
            return f"{bank}, as wider ones would be too slow"
        case UsualDevice():
            return f"the size of {guess.part or 'the device'}: that of {guess.like} is taken"
        case _:
            assert_never(guess)


_WRONG: dict[WrongKind, str] = {
    "missing": "is missing",
    "unknown_key": "is no key that is known",
    "text": "must be a text",
    "number": "must be a number",
    "ends": "must be ",
    "words": "must be ",
    "refused": "",
    "other": "must be something else",
}
_ENDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def wrong_text(wrong: Wrong) -> str:
    """What is wrong in a board file: which key, and what it must be."""
    text = _WRONG[wrong.kind]
    match wrong.kind:
        case "ends":
            text += " and ".join(f"{_ENDS[end]} {figure}" for end, figure in wrong.ends)
        case "words":
            text += wrong.words or "another word"
        case "refused" if wrong.error is not None:
            text = _refusal_text(wrong.error)
            return f"{wrong.key}: {text}" if wrong.key else text
        case _:
            pass
    return f"{wrong.key}: {text}"


def _refusal_text(error: Exception) -> str:
    match error:
        case PeakError():
            made = f"data_width_bytes · 2 · clock_mhz · banks is {error.made_mb_s:g}"
            return f"peak_mb_s is {error.given_mb_s:g}, but {made}"
        case VersionError():
            return version_error_text(error)
        case _:
            return str(error)


def version_error_text(error: VersionError) -> str:
    """What is no version of the compiler, and how one is written."""
    return f"not a compiler version: {error.text!r} (write it as 18.1 or 17.1.1)"


_NO_SPECIFICATION: dict[NoSpecification, str] = {
    "entities": "it declares a document type or entities",
    "other_root": "the root is <{0}>, not <board>",
    "no_memory": "it has no <global_mem> with an <interface>",
    "no_value": "{0} is missing",
    "no_number": "{0} is no number that can be",
}


def spec_error_text(error: BoardSpecError) -> str:
    """Why a file is no board specification that can be read."""
    match error.why:
        case OSError() as why:
            return f"{shortened(str(error.path))}: cannot be read ({why.strerror})"
        case NoSpecificationError() as why:
            said = _NO_SPECIFICATION[why.kind].format(why.name)
        case Wrong() as why:
            said = wrong_text(why)
        case _:
            said = str(error.why)
    return f"{error.path}: not a board specification that can be read ({said})"


def board_error_text(error: BoardError) -> str:
    """Why there is no such board, or why its file cannot be used."""
    match error:
        case UnknownBoardError():
            return f"no board is called {shortened(error.name)!r}; the nearest are {', '.join(error.nearest)}"
        case BoardFileError(why=Wrong() as wrong):
            return f"board file {error.path}: {wrong_text(wrong)}"
        case BoardFileError(why=OSError() as why):
            return f"board file {shortened(str(error.path))}: cannot be read ({why.strerror})"
        case BoardFileError():
            return f"board file {error.path}: {error.why}"
        case _:
            return str(error)
