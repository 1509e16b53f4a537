"""Sustained bandwidth by size and order, as a user reads it."""

import pytest

from burstline_model.boards.board import find_board
from burstline_server.cli.main import main
from burstline_server.validation.sustained import sustained


@pytest.mark.parametrize("board", ["de5net", "p385a", "s10mx_hbm2"])
def test_bandwidth_grows_with_the_array_and_falls_with_the_stride(board: str) -> None:
    """TYTRA, Fig. 11: short streams pay their start, long ones reach a plateau; columns stay below rows."""
    rows = sustained(board)
    peak = find_board(board).memory.bandwidth_bytes_s / 1e9 * max(find_board(board).memory.banks, 1)
    for figures in ([r.in_order for r in rows], [r.strided for r in rows], [r.wide for r in rows]):
        assert figures == sorted(figures)
        assert figures[0] < figures[-1] / 3
        assert figures[-1] < 1.02 * figures[-2] < peak
    assert all(r.strided < r.in_order < r.wide for r in rows)
    assert rows[-1].in_order > 1.5 * rows[-1].strided


def test_the_command_prints_a_line_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boards", "bandwidth", "de5net"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split("  ")[-1] == "in order, 64 B"
    assert len(lines) == 9
    assert lines[-1].split() == ["268", "MB", "2.16", "GB/s", "1.09", "GB/s", "17.4", "GB/s"]
