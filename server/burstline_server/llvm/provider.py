"""Asks LLVM about files: once for each text, in bounded time, and nothing after it has failed several times."""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import field

from burstline_model.record import fixed
from burstline_server.caches.bounded import BoundedCache
from burstline_server.llvm.invocation import PATIENCE_S, NoAnswer, NoAnswerError, emitted, optimised
from burstline_server.llvm.ir import kernels_of
from burstline_server.llvm.llvm_text import question
from burstline_server.llvm.optimised_facts import LlvmKernel, facts_of
from burstline_server.llvm.scalar_evolution import analyses_of
from burstline_server.llvm.tools import Tools, tools
from burstline_server.source.source import Source

_log = logging.getLogger(__name__)
MOST_ANSWERS = 32


@fixed
class LlvmFile:
    """What LLVM says of a file's kernels, or why it says nothing.

    `rolled` has every loop of the text as a loop; `built` has those unrolled whose text asks for it, and is None where
    that takes too long. `said` is what clang, opt or the system says where there is no answer.
    """

    rolled: dict[str, LlvmKernel] = field(default_factory=dict)
    built: dict[str, LlvmKernel] | None = None
    why: NoAnswer | None = None
    said: str = ""
    version: int = 0


class Llvm:
    """LLVM as it is installed here."""

    def __init__(self) -> None:
        self._answers: BoundedCache[str, LlvmFile] = BoundedCache("LLVM's answers", MOST_ANSWERS)

    @property
    def present(self) -> bool:
        """Whether there is one."""
        return tools() is not None

    def about(self, source: Source, patience_s: float = PATIENCE_S) -> LlvmFile:
        """What LLVM says of a file."""
        programs = tools()
        if programs is None:
            return LlvmFile(why="no_programs")
        asked = question(source, unrolled=True)
        if asked is None:
            return LlvmFile(why="no_question")
        # The text holds the headers that it includes, and the values of all macros.
        key = hashlib.sha256(asked.text).hexdigest()
        known = self._answers.find(key)
        if known is None:
            known = self._answers.keep(key, _answer(programs, source, patience_s))
        return known


def _answer(programs: Tools, source: Source, patience_s: float) -> LlvmFile:
    until = time.monotonic() + patience_s
    try:
        rolled = _read(programs, source, until, unrolled=False)
    except NoAnswerError as error:
        return LlvmFile(why=error.why, said=error.said, version=programs.version)
    built: dict[str, LlvmKernel] | None = None
    try:
        built = _read(programs, source, until, unrolled=True)
    except NoAnswerError as error:
        _log.info("LLVM says nothing of unrolled loops: %s", error)
    return LlvmFile(rolled, built, version=programs.version)


def _read(programs: Tools, source: Source, until: float, *, unrolled: bool) -> dict[str, LlvmKernel]:
    asked = question(source, unrolled=unrolled)
    if asked is None:
        raise NoAnswerError("no_question")
    raw = optimised(programs, emitted(programs, asked.text, until), until, unrolled=unrolled)
    analyses = analyses_of(raw.analyses)
    return {one.name: facts_of(one, analyses[one.name], asked) for one in kernels_of(raw.code) if one.name in analyses}
