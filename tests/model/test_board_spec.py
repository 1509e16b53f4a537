"""Board specifications: memories, speeds, what the shell takes, and what had to be guessed."""

import json
from pathlib import Path

import pytest

from burstline_model.boards.board import load_board
from burstline_model.boards.board_spec import Imported, board_toml, read_board_spec
from burstline_server.cli.main import main
from burstline_server.words.boards import guess_text

USED = '<used_resources><alms num="{}"/><ffs num="{}"/><dsps num="{}"/><rams num="{}"/></used_resources>'


def imported(folder: Path, device: str, memories: str, used: str = "") -> Imported:
    """A board out of a specification with these parts."""
    path = folder / "board_spec.xml"
    path.write_text(
        f'<board version="20.1" name="card"><device device_model="{device}.xml">{used}</device>{memories}</board>'
    )
    return read_board_spec(path)


def memory(name: str, mb_s: int, interfaces: int, *, width: int = 512, default: bool = False) -> str:
    """A memory of a specification."""
    inside = "".join(f'<interface name="i{n}" width="{width}" maxburst="16"/>' for n in range(interfaces))
    mark = ' default="1"' if default else ""
    return f'<global_mem name="{name}" max_bandwidth="{mb_s}" interleaved_bytes="4096"{mark}>{inside}</global_mem>'


def test_what_the_shell_takes_is_read(tmp_path: Path) -> None:
    made = imported(tmp_path, "1sx280hn2f43e2vg", memory("DDR", 76_800, 4), USED.format(233_396, 933_584, 0, 1_047))
    found = made.board.resources
    assert found is not None
    assert (found.alms, found.shell_alms, found.shell_registers, found.shell_rams) == (933_120, 233_396, 933_584, 1_047)
    again = tmp_path / "card.toml"
    again.write_text(board_toml(made.board))
    assert "shell_alms = 233396" in again.read_text()


@pytest.mark.parametrize(
    ("device", "mb_s", "banks", "kind", "bus"),
    [
        ("10ax115s2f45i2sges_dm", 34_128, 2, "DDR4-2133", 8),
        ("agfb014r24b2e2v_dm", 38_400, 4, "DDR4-2400", 4),
        ("5sgxea7", 25_600, 2, "DDR3-1600", 8),
    ],
)
def test_a_speed_that_only_narrow_banks_have_fixes_their_width(
    tmp_path: Path, device: str, mb_s: int, banks: int, kind: str, bus: int
) -> None:
    found = imported(tmp_path, device, memory("DDR", mb_s, banks)).board.memory
    assert (found.type, found.banks, found.data_width_bytes) == (kind, banks, bus)


def test_a_memory_for_each_channel_is_one_of_channels(tmp_path: Path) -> None:
    made = imported(tmp_path, "1sm21bhu2f53e1vg", "".join(memory(f"HBM{n}", 12_800, 1, width=256) for n in range(32)))
    found = made.board.memory
    assert (found.banks, found.separate_channels, found.peak_mb_s) == (32, True, 32 * 12_800)


def test_guesses_are_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = imported(tmp_path, "zz99", memory("DDR", 50_000, 4, default=True) + memory("host", 16_000, 1))
    for part in ("no speed of", "f_max_mhz", "own logic takes"):
        assert any(part in guess_text(guess) for guess in made.guesses), made.guesses
    assert main(["boards", "import", str(tmp_path / "board_spec.xml")]) == 0
    assert capsys.readouterr().err.count("guessed, please check") == len(made.guesses)


TWO = """
__kernel void copy(__global const float16 *restrict x, __global {place}float16 *restrict y, int n)
{{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}}
"""


def time_ms(folder: Path, capsys: pytest.CaptureFixture[str], place: str = "", *options: str) -> float:
    """The copy's time on the board of a folder, its second buffer in some memory."""
    kernel = folder / "copy.cl"
    kernel.write_text(TWO.format(place=place))
    assert main(["check", str(kernel), "--board", str(folder / "card.toml"), "--arg", "n=16777216",
                 "--format", "json", *options]) == 0  # fmt: skip
    shown = json.loads(capsys.readouterr().out)
    found: float = shown["files"][0]["kernels"][0]["time_ms"]
    return found


@pytest.mark.parametrize(
    ("other", "mb_s", "slower"), [("host", 4_000, True), ("QDR", 5_000, True), ("HBM", 204_800, False)]
)
def test_every_memory_is_imported_and_prices_the_pointers_that_lie_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str, mb_s: int, *, slower: bool
) -> None:
    second = memory(other, mb_s, 16 if other == "HBM" else 1)
    if other == "host":
        second = second.replace('name="host"', 'name="host" allocation_type="host, shared"')
    made = imported(tmp_path, "1sx280hn2f43e2vg", second + memory("DDR", 19_200, 1, default=True))
    assert (made.board.memory.name, [m.name for m in made.board.others]) == ("DDR", [other])
    assert made.board.others[0].peak_mb_s == mb_s
    (tmp_path / "card.toml").write_text(board_toml(made.board))
    assert load_board(tmp_path / "card.toml") == made.board
    alone = time_ms(tmp_path, capsys)
    placed = time_ms(tmp_path, capsys, "", "--bank", f"y={other}")
    assert (placed > alone) is slower, (placed, alone)
    assert placed != alone
    assert time_ms(tmp_path, capsys, f'__attribute__((buffer_location("{other}"))) ') == placed
    assert time_ms(tmp_path, capsys, "", "--bank", "y=DDR") == alone


def test_a_memory_that_the_board_has_not_is_named_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = imported(tmp_path, "1sx280hn2f43e2vg", memory("DDR", 19_200, 1) + memory("HBM", 204_800, 16))
    (tmp_path / "card.toml").write_text(board_toml(made.board))
    (tmp_path / "copy.cl").write_text(TWO.format(place=""))
    asked = ["check", str(tmp_path / "copy.cl"), "--board", str(tmp_path / "card.toml"), "--bank", "y=HBN"]
    assert main(asked) == 2
    assert "no memory is called 'HBN'; did you mean 'HBM'?" in capsys.readouterr().err


def test_channels_next_to_another_memory_are_named_one_by_one(tmp_path: Path) -> None:
    channels = "".join(memory(f"HBM{n}", 12_800, 1, width=256) for n in range(16))
    board = imported(tmp_path, "1sm21bhu2f53e1vg", channels + memory("DDR", 19_200, 1, default=True)).board
    assert (board.memory.name, board.others[0].name, board.others[0].banks) == ("DDR", "HBM", 16)
    assert board.banks_named("HBM3") == (board.memory.banks + 3,)
    assert board.memory_of(board.memory.banks + 3) == board.others[0]


@pytest.mark.parametrize(
    ("board", "location", "doubted"),
    [
        ("s10gx_ddr4_1866", "HBM0", True),
        ("s10gx_ddr4_1866", "host", True),  # shared virtual memory
        ("harp2", "host", False),
        ("s10gx_ddr4_1866", "DDR", False),  # of a board whose names are not known
        ("s10mx_hbm2", "HBM99", True),
        ("s10mx_hbm2", "HBM31", False),
    ],
)
def test_a_memory_that_a_board_does_not_have_is_doubted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], board: str, location: str, *, doubted: bool
) -> None:
    file = tmp_path / "placed.cl"
    file.write_text(
        f'__kernel void copy(__global __attribute__((buffer_location("{location}"))) const int *restrict x,\n'
        "    __global int *restrict y) { for (int i = 0; i < 1024; i++) y[i] = x[i]; }\n"
    )
    main(["check", "--board", board, str(file)])
    assert (f"doubt: x: this board has no memory {location}" in capsys.readouterr().out) == doubted


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('max_bandwidth="38400"', 'max_bandwidth="1e30"', "memory.clock_mhz: must be at most"),
        ('max_bandwidth="38400"', 'max_bandwidth="fast"', "global_mem.max_bandwidth is no number"),
        ('max_bandwidth="38400"', "", "global_mem.max_bandwidth is missing"),
        ('width="512"', 'width="0"', "interface.width is no number that can be"),
        ('maxburst="16"', 'maxburst="999999999"', "memory.burst_count_log2: must be at most 16"),
        ('version="20.1"', 'version="newest"', "compiler.aoc_version: not a compiler version"),
    ],
)
def test_a_figure_that_cannot_be_is_said_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    imported(tmp_path, "agfb014r24a", memory("DDR", 38_400, 4))
    path = tmp_path / "board_spec.xml"
    path.write_text(path.read_text().replace(old, new))
    assert main(["boards", "import", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"burstline: {path}: not a board specification that can be read ({said}")
    assert shown.err.count("\n") == 1
