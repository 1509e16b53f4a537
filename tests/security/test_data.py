"""Reports, boards and settings are data: whatever they hold, they are read in bounded time, or refused, and why."""

import json
import re
from pathlib import Path

import pytest

from burstline_model.boards.board import MAX_BYTES, BoardFileError, find_board
from burstline_model.boards.board_spec import BoardSpecError, board_toml, read_board_spec
from burstline_model.files import MAX_DOTS, parsed_toml
from burstline_model.vendor_report.report_files import UnreadableReportError, read_report
from burstline_server.cli.main import main
from burstline_server.config.layers import MAX_PROBLEMS, read_file, resolve
from burstline_server.words.boards import board_error_text, spec_error_text
from burstline_server.words.settings import problem_text

MAV = '{"nodes": [{"type": "kernel", "name": "k", "children": [%s]}]}'
LOAD = (
    '{"type": "inst", "name": "Load", "debug": [[{"filename": "k.cl", "line": %s}]], "details": [{"Type": "Simple"}]}'
)
BOARD = (
    '<board version="{version}" name="{name}"><device device_model="10AX.xml"/><global_mem max_bandwidth="{peak}" '
    'default="1"><interface width="512" maxburst="16"><port name="p"/></interface></global_mem></board>'
)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"nodes": ' * 500 + "1" + "}" * 500,
        MAV % (LOAD % "1e999"),
        MAV % (LOAD % '"many"'),
        MAV % (LOAD % ("9" * 5000)),
        MAV % (LOAD % '{"a": 1}'),
        MAV % "1, null, [[]], {}",
    ],
    ids=["brackets", "depth", "infinite", "words", "digits", "object", "shapes"],
)
def test_a_report_of_another_shape_is_read_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "mav.json"
    file.write_text(text)
    status = main(["import-report", str(file)])
    printed = capsys.readouterr()
    assert (status, str(file) in printed.out) == (0, True) or (status, str(file) in printed.err) == (2, True)


def test_a_version_that_is_no_number_makes_a_report_damaged(tmp_path: Path) -> None:
    (tmp_path / "mav.json").write_text(MAV % (LOAD % 1))
    (tmp_path / "info.json").write_text('{"rows": [{"name": "AOC Version", "data": ["?.1"]}]}')
    with pytest.raises(UnreadableReportError, match="damaged"):
        read_report(tmp_path / "mav.json")


def test_the_variables_of_a_script_are_looked_for_a_bounded_number_of_times(tmp_path: Path) -> None:
    good = f"var mavJSON={json.dumps(json.loads(MAV % (LOAD % 7)))};\n"
    (tmp_path / "report_data.js").write_text(good + "var a=" * 150_000)
    assert [unit.line for unit in read_report(tmp_path).units] == [7]


def refusal_of(board: Path) -> str:
    """What is said of a board file that cannot be used."""
    with pytest.raises(BoardFileError) as caught:
        find_board(str(board))
    return board_error_text(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = " + "[" * 50_000, "deeply"),
        ("a = " + "{a = " * 50_000, "deeply"),
        ("a" + ".a" * 100_000 + " = 1", "dots"),
        ("\n".join(f"[{'a.' * 20}b{i}]" for i in range(3)), "deeply"),
        ("a = " + "9" * 5_000, "digits"),
    ],
    ids=["arrays", "tables", "keys", "headers", "digits"],
)
def test_toml_is_bounded(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "burstline.toml"
    file.write_text(text)
    layer, problems = read_file(file)
    assert layer.keys == {}
    assert why in problem_text(problems[0])
    assert why in refusal_of(file)


def test_what_a_board_needs_is_within_the_bounds(tmp_path: Path) -> None:
    assert parsed_toml("a = [" + "0.5, " * MAX_DOTS + "]")
    file = tmp_path / "large.toml"
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    assert f"larger than {MAX_BYTES}" in refusal_of(file)


def test_thousands_of_wrong_keys_are_reported_by_a_few(tmp_path: Path) -> None:
    file = tmp_path / "burstline.toml"
    file.write_text("f_max_mhz = 300\n" + "".join(f"wrong{i} = 1\n" for i in range(10_000)))
    settings, problems, _ = resolve([read_file(file)[0]])
    assert settings.f_max_mhz == 300
    assert len(problems) == MAX_PROBLEMS


@pytest.mark.parametrize("key", ["banks = 1_000_000_000", "burst_count_log2 = 1_000_000_000", "clock_mhz = nan"])
def test_a_board_beyond_all_bounds_is_refused(tmp_path: Path, key: str) -> None:
    name = key.partition(" ")[0]
    good = board_toml(find_board("a10_ref")).replace("measured = ", "# ")
    lines = [line for line in good.splitlines() if not line.startswith(f"{name} =")]
    file = tmp_path / "made.toml"
    file.write_text(good)
    assert find_board(str(file)).memory == find_board("a10_ref").memory
    file.write_text("\n".join(f"{line}\n{key}" if line == "[memory]" else line for line in lines))
    assert re.search(f"{name}|peak_mb_s", refusal_of(file))


def spec(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    """A board specification."""
    file = folder / "board_spec.xml"
    file.write_text(text, encoding)
    return file


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_specification_with_entities_is_refused_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    bomb = '<!DOCTYPE board [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]>' + BOARD.format(
        version="18.1", name="&b;", peak="34128"
    )
    with pytest.raises(BoardSpecError):
        read_board_spec(spec(tmp_path, bomb, encoding))


@pytest.mark.parametrize("peak", ["1e999", "0", "-1", "nan", "9" * 5_000])
def test_impossible_figures_of_a_specification_are_refused(tmp_path: Path, peak: str) -> None:
    with pytest.raises(BoardSpecError) as caught:
        read_board_spec(spec(tmp_path, BOARD.format(version="18.1", name="b", peak=peak)))
    assert "not a board specification" in spec_error_text(caught.value)


def test_a_name_in_a_specification_stays_a_name(tmp_path: Path) -> None:
    name = "x&#10;[compiler]&#10;family=1\\&quot;&#127;"
    file = tmp_path / "made.toml"
    file.write_text(
        board_toml(read_board_spec(spec(tmp_path, BOARD.format(version="18.1", name=name, peak="34128"))).board)
    )
    assert find_board(str(file)).name == 'x\n[compiler]\nfamily=1\\"\x7f'
