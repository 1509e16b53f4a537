"""Awkward kernels as they are made: they stay in their buffers, and what was not launched is no disagreement."""

from __future__ import annotations

import json

import pytest
from bench.awkward_rewrites import Counts, counted
from bench.launched import interpreted
from bench.second_runtime import is_there

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


def test_what_a_second_runtime_finds_equal_is_named_apart() -> None:
    counts = Counts()
    counts.add([7, 8, 9], [
        _record(seed=7, why="other results", executed="equal", second="equal"),
        _record(seed=8, why="other results", executed="different", second="equal"),
        _record(seed=9, why="other results", executed="equal", second="other results"),
        _record(seed=9, why="", executed="equal"),
    ])  # fmt: skip
    assert counts.on_pocl == ["seed 7: t: other results (the interpreter: equal)"]
    assert [one.partition(":")[0] for one in counts.unequal] == ["seed 8", "seed 9"]
    assert counts.by_safety["host"] == 3
    came = counts.by_kind["host: row tiles groups"]
    assert dict(came) == {"unequal on PoCL alone": 1, "unequal": 2, "equal": 1}


@pytest.mark.slow
@pytest.mark.skipif(not is_there(), reason="needs oclgrind")
def test_a_uniform_return_in_front_of_a_barrier_is_judged_by_both_runtimes() -> None:
    pytest.importorskip("pyopencl")
    counts = counted([9_993_125])
    assert (counts.unequal, counts.disagreeing, counts.crashed) == ([], [], [])


def test_a_pointer_that_a_loop_moves_stays_in_its_buffer() -> None:
    pytest.importorskip("numpy")
    kernel = awkward(2_000_564)
    assert ONCE in kernel.text
    assessment = assessed(kernel.text)
    for data in kernel.data[:5]:  # those after it share buffers
        interpreted(assessment.source, assessment.kernels[0].facts, data)


def test_vectors_are_not_loaded_through_pointers_that_the_runtime_refuses() -> None:
    pytest.importorskip("numpy")
    text = awkward(11_000_575).text
    assert "vload2" in text
    assert "unsigned char" in text
    assert "signed char *restrict a" not in text.replace("unsigned char", "")


def test_no_attribute_is_behind_a_label() -> None:
    pytest.importorskip("numpy")
    text = awkward(11_001_194).text
    assert "rowsi1:\n" in text
    assert "rowsi1:\n    __attribute__" not in text


def test_names_that_edits_give_are_declared() -> None:
    pytest.importorskip("numpy")
    text = awkward(11_002_841).text
    assert "short t_block = 1;" in text


def test_a_difference_without_a_sign_is_no_part_of_a_wide_index() -> None:
    pytest.importorskip("numpy")
    text = awkward(11_002_824).text
    assert "for (long y" in text
    assert "x - 1; " not in text
