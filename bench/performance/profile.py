"""Where the time of an edit goes: shares by the folder of the code, from Python's own profiler."""

from __future__ import annotations

import cProfile
import gc
import pstats
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.servers.keystrokes import edits, made

from burstline_server.assessment.assessor import Assessor
from burstline_server.diagnostics.catalogue import findings_of

WARM, EDITS = 3, 20
PARSE = "tree-sitter's parse"
Function = tuple[str, int, str]


@dataclass(frozen=True)
class Profile:
    """Shares of the time of some edits."""

    by_room: dict[str, float]
    """By folder or file of the packages; what the rest of Python takes, by who called it."""
    collecting: float
    """Garbage collection, which strikes anywhere: it is in the others as well."""


def profile(text: str) -> Profile:
    """Type in a file and see where the time goes."""
    assessor, typed = Assessor(), edits(text, "kernel")

    def type_one(text: str) -> str:
        text = made(text, next(typed))
        findings_of(assessor.assess(text, "typed.cl", []))
        return text

    findings_of(assessor.assess(text, "typed.cl", []))
    for _ in range(WARM):
        text = type_one(text)
    collecting: list[float] = []

    def note(phase: str, _info: Mapping[str, int]) -> None:
        collecting.append(-time.perf_counter() if phase == "start" else time.perf_counter())

    gc.callbacks.append(note)
    started_s = time.perf_counter()
    for _ in range(EDITS):
        text = type_one(text)
    plain_s = time.perf_counter() - started_s
    gc.callbacks.remove(note)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(EDITS):
        text = type_one(text)
    profiler.disable()
    return Profile(_by_room(pstats.Stats(profiler)), sum(collecting) / plain_s)


def _by_room(stats: pstats.Stats) -> dict[str, float]:
    found = Counter[str]()
    entries: dict[Function, Any] = stats.stats  # type: ignore[attr-defined]
    for function, (_, _, own_s, _, callers) in entries.items():
        room = _room(function)
        if room is not None:
            found[room] += own_s
        else:
            for caller, (_, _, called_s, _) in callers.items():
                found[_room(caller) or "Python's library"] += called_s
    whole = found.total()
    return {room: own_s / whole for room, own_s in found.most_common()}


def _room(function: Function) -> str | None:
    file, _, name = function
    if "tree_sitter.Parser" in name and "parse" in name:
        return PARSE
    for package in ("burstline_server", "burstline_model"):
        if (at := file.find(f"/{package}/")) >= 0:
            parts = file[at + 1 :].split("/")
            return "/".join(parts[:2]) + ("/" if len(parts) > 2 else "")
    return None
