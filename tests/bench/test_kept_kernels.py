"""Runs over public kernels add up: what was kept of a file is counted again, a file that was begun is tried again."""

from __future__ import annotations

import json
from pathlib import Path

from bench.rewrites_on_corpus import Counts

EQUAL = {"title": "Unroll", "edit": "unroll by", "kind": "proved", "came": "equal"}


def test_a_run_goes_on_behind_the_files_of_another(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    first = Counts()
    first.go_on(kept)
    first.add("a.cl", "k", [EQUAL])
    first.done([Path("a.cl")])
    first.add("b.cl", "begun", [EQUAL])
    second = Counts()
    second.go_on(kept)
    assert (second.kernels, second.judged, second.files) == (1, 1, {"a.cl"})
    assert second.by_kind == {"proved: unroll by": {"equal": 1}}
    second.add("b.cl", "begun", [EQUAL])
    second.done([Path("b.cl")])
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    assert [one["file"] for one in lines if "kernel" not in one] == ["a.cl", "b.cl"]
    third = Counts()
    third.go_on(kept)
    assert (third.kernels, third.files) == (2, {"a.cl", "b.cl"})
