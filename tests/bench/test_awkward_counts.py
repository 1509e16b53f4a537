"""Awkward kernels as they are made: they stay in their buffers, and what was not launched is no disagreement."""

from __future__ import annotations

import json

import pytest
from bench.awkward_rewrites import Counts
from bench.launched import interpreted

from tests.rewrites.awkward import awkward
from tests.rewrites.awkward_rare import ONCE
from tests.rewrites.equality import assessed


def _record(**more: object) -> str:
    one = {"seed": 7, "kind": "host", "title": "t", "edit": "row tiles groups", "step": 0, "why": "", "launches": 3}
    return json.dumps({**one, "executed": "different", **more})


def test_an_edit_that_the_runtime_does_not_launch_is_no_disagreement() -> None:
    counts = Counts()
    counts.add([7], [_record(launches=0)])
    assert (counts.disagreeing, counts.not_run) == ([], 1)
    counts.add([8], [_record()])
    assert len(counts.disagreeing) == 1


def test_a_pointer_that_a_loop_moves_stays_in_its_buffer() -> None:
    pytest.importorskip("numpy")
    kernel = awkward(2_000_564)
    assert ONCE in kernel.text
    assessment = assessed(kernel.text)
    for data in kernel.data[:5]:  # those after it share buffers
        interpreted(assessment.source, assessment.kernels[0].facts, data)
