"""Processes of a run over public kernels: one that others left no time is tried again, one that ends its own counts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench.rewrites_on_corpus import Counts

from bench import rewrites_on_corpus

EDIT = {"title": "t", "edit": "unroll", "kind": "proved", "came": "equal"}
STEP = {"step": "t", "edit": "unroll", "kind": "proved"}


def _lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


FIRST = _lines({"file": "a.cl", "number": 0, "kernel": "one"}, STEP, EDIT, {"end": "kernel"})
BEGUN = _lines({"file": "a.cl", "number": 1, "kernel": "two"}, STEP)
LAST = _lines({"file": "a.cl", "number": 1, "kernel": "two"}, STEP, EDIT, {"end": "kernel"}, {"end": "process"})
END = _lines({"end": "process"})


def _run(monkeypatch: pytest.MonkeyPatch, *outputs: tuple[str, bool]) -> Counts:
    """What is counted of processes that print this; those that are late are stopped."""
    left = list(outputs)

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        out, late = left.pop(0)
        if late:
            raise subprocess.TimeoutExpired(command, 1, output=out.encode())
        return subprocess.CompletedProcess(command, 0, out, "")

    monkeypatch.setattr(subprocess, "run", run)
    counts = Counts()
    rewrites_on_corpus._tried([Path("a.cl")], None, counts)
    assert left == []
    return counts


def test_a_kernel_that_others_left_no_time_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = _run(monkeypatch, (FIRST + BEGUN, True), (LAST, False))
    assert (counts.kernels, counts.came["equal"], counts.wrong) == (2, 2, [])


def test_a_kernel_that_does_not_end_by_itself_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = _run(monkeypatch, (FIRST + BEGUN, True), (BEGUN, True), (END, False))
    assert (counts.kernels, counts.came["equal"], len(counts.wrong)) == (2, 1, 1)


def test_a_kernel_that_ends_its_process_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = _run(monkeypatch, (FIRST + BEGUN, False), (END, False))
    assert (counts.kernels, len(counts.wrong)) == (2, 1)
