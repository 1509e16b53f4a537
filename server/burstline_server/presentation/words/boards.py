"""Why a board is taken, and what had to be guessed of one."""

from __future__ import annotations

from typing import assert_never

from burstline_model.boards.board_spec import (
    Guess,
    LeftOut,
    NarrowBanks,
    NoSuchSpeed,
    UsualClock,
    UsualDevice,
    UsualTimings,
)
from burstline_server.assessment.board_why import BoardWhy, FirstOfFamily, NamedByBuild, NearestToReport, UnknownToUs


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
        case LeftOut():
            return f"memory = {guess.taken}: {', '.join(guess.others)} left out"
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
            return f"the size of {guess.part or 'the device'}: that of {guess.taken} is taken"
        case _:
            assert_never(guess)
