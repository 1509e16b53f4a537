"""The benchmark's client at a real server: it counts what it should, and types what it says."""

import sys
from itertools import islice
from pathlib import Path

import pytest
from bench.generated import file_of, file_of_kernels, file_with_headers
from bench.servers.client import SilentServerError
from bench.servers.compare import HOVERS, compared, starts
from bench.servers.editor import Editor, Server
from bench.servers.keystrokes import WHERE, Where, edits, made
from bench.servers.known import OURS, OURS_PUSHED
from bench.servers.tables import side_by_side

from burstline_server.assessment.assessor import Assessor


def test_a_server_is_measured_on_every_count() -> None:
    measured = compared([OURS, OURS_PUSHED], "kernels.cl", file_of(60), rounds=2)
    asked, pushed = measured
    assert asked.diagnostics == pushed.diagnostics > 0
    for one in measured:
        assert one.errors == ()
        assert {what: len(times.all_s) for what, times in one.times.items() if what != "hover"} == {
            "open": 1, "diagnostics": 2, "hints": 2, "both": 2, "processor": 2, "burst": 1,
        }  # fmt: skip
        assert len(one.times["hover"].all_s) >= HOVERS
        assert all(0 < seconds < 60 for times in one.times.values() for seconds in times.all_s)
        assert all(h <= b for h, b in zip(one.times["hints"].all_s, one.times["both"].all_s, strict=True))
        assert 10 < one.memory_mb["after open"] <= one.memory_mb["peak"] < 1000
    rows = side_by_side(measured).splitlines()[2:]
    assert [row.split(" | ")[3] for row in rows] == ["burstline", "burstline, pushed"]


def test_the_server_has_the_text_that_was_typed(tmp_path: Path) -> None:
    text = file_of(60)
    editor = Editor(OURS, tmp_path)
    try:
        editor.open(tmp_path / "kernels.cl", text)
        before = {(d["code"], d["message"]) for d in editor.diagnostics}
        for letter in edits(text, "comment"):
            editor.type(letter)
            if letter.new.endswith("/*"):
                in_comment = {(d["code"], d["message"]) for d in editor.diagnostics}
            else:
                break
        after = {(d["code"], d["message"]) for d in editor.diagnostics}
    finally:
        editor.close()
    assert in_comment < before == after


def test_a_server_that_ends_is_reported() -> None:
    with pytest.raises(SilentServerError, match="ended"):
        starts([Server("nothing", (sys.executable, "-c", "pass"))], 1)


@pytest.mark.parametrize("where", WHERE)
def test_no_text_comes_twice(where: Where) -> None:
    text = file_of(60)
    seen = {text}
    for edit in islice(edits(text, where), 100):
        text = made(text, edit)
        seen.add(text)
    assert len(seen) == 101


def test_statements_are_typed_letter_by_letter() -> None:
    text = file_of(60)
    for edit in islice(edits(text, "kernel"), 40):
        assert len(edit.new) == 1
        text = made(text, edit)
    assert "\n    const int between_0 = 3 * (4 + 1);" in text


def test_generated_kernels_are_all_read() -> None:
    text = file_of(300)
    kernels = Assessor().assess(text, "kernels.cl", []).kernels
    names = [k.facts.name for k in kernels]
    assert len(set(names)) == len(names) == text.count("kernel void") > 10


@pytest.mark.parametrize("kernels", [1, 4, 16])
def test_files_by_kernels_have_one_size(kernels: int) -> None:
    text = file_of_kernels(320, kernels)
    assert text.count("kernel void") == kernels
    assert abs(text.count("\n") - 320) <= 1


def test_nested_headers_are_found_to_the_last(tmp_path: Path) -> None:
    text = file_with_headers(60, 5, tmp_path)
    done = Assessor([tmp_path]).assess(text, str(tmp_path / "kernels.cl"), [])
    assert sorted(Path(file).name for file in done.source.files) == [f"level_{level}.h" for level in range(5)]
    assert [k.facts.name for k in done.kernels][-1] == "user"
