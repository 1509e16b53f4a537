"""Board specifications: memories, speeds, what the shell takes, and what had to be guessed."""

from pathlib import Path

import pytest

from burstline_model.boards.board_spec import Imported, board_toml, read_board_spec
from burstline_server.cli.main import main
from burstline_server.presentation.words.boards import guess_text

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
    for part in ("host left out", "no speed of", "f_max_mhz", "own logic takes"):
        assert any(part in guess_text(guess) for guess in made.guesses), made.guesses
    assert main(["boards", "import", str(tmp_path / "board_spec.xml")]) == 0
    assert capsys.readouterr().err.count("guessed, please check") == len(made.guesses)
