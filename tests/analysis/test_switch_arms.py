"""What variables hold behind a ``switch``: what the chosen case left them with, by its break or at its end."""

from pathlib import Path

import pytest

from burstline_server.assessment.costing import KernelAssessment
from burstline_server.cli.main import main
from tests.assessing import assess
from tests.walk.walking import SINGLE

KERNEL = (
    SINGLE
    + """__kernel void k(__global const int *restrict in, __global int *restrict out, int mode, int n, int m)
{
    int rows = 0;
    switch (mode) {
%s
    }
    for (int i = 0; i < rows; i++)
        out[i] = in[i];
}
"""
)
BREAKS = "case 1: rows = n; break; case 2: rows = m; break;"
BRACED = "case 1: { rows = n; break; } case 2: { rows = m; break; }"
INNER = "case 1: if (n > 5) { rows = n; break; } rows = 7; break; case 2: rows = m; break;"
FALLS = "case 1: rows += n - m; case 2: rows += m;"
LOOPED = "case 1: for (int j = 0; j < 9; j++) { if (j == 3) break; rows = n; } break; case 2: rows = m;"


def kernel(cases: str, mode: int | None) -> KernelAssessment:
    arguments = {"n": 100_000, "m": 3_000_000} | ({"mode": mode} if mode is not None else {})
    return assess(KERNEL % cases, arguments=arguments).kernels[0]


def loaded(of: KernelAssessment) -> list[float | None]:
    """The bytes that are used of what is loaded."""
    return [unit.bytes for unit in of.estimate.units if unit.lsu.op == "load"]


@pytest.mark.parametrize("cases", [BREAKS, BRACED, INNER, FALLS, BREAKS + " default: rows = 5;"])
@pytest.mark.parametrize(("mode", "count"), [(1, 100_000), (2, 3_000_000)])
def test_the_case_that_is_chosen_says_how_often_a_loop_runs(cases: str, mode: int, count: int) -> None:
    assert loaded(kernel(cases, mode)) == [4 * count]


@pytest.mark.parametrize(("cases", "bytes_"), [(BREAKS, [0]), (BREAKS + " default: rows = 500;", [2000])])
def test_no_case_leaves_what_was_there_before_it(cases: str, bytes_: list[float]) -> None:
    assert loaded(kernel(cases, 3)) == bytes_


def test_what_a_loop_in_a_case_may_leave_is_not_known() -> None:
    assert loaded(kernel(LOOPED, 1)) == [None]
    assert loaded(kernel(LOOPED, 2)) == [12_000_000]


def test_what_chooses_the_case_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.cl"
    path.write_text(KERNEL % BREAKS)
    assert main(["check", str(path), "--arg", "n=100000", "--arg", "m=3000000"]) == 0
    said = capsys.readouterr().out
    assert "loop: 100 000 iterations" in said
    assert "Assumed: mode = 1." in said
    assert "Give mode: --arg mode=…" in said
