"""Arguments that choose between parts of a kernel: of parts that exclude each other, the slowest is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import ArgumentsChosen
from burstline_server.cli.main import main
from tests.assessing import assess

HEAD = """__attribute__((max_global_work_dim(0)))
__kernel void k(__global const float *restrict x, __global float *restrict y, int mode, int flag, int n)
"""
SWITCH = """{
    switch (mode) {
    case 0: for (int i = 0; i < n; i++) y[i] = x[i]; break;
    case 1: for (int j = 0; j < 4; j++) for (int i = 0; i < n; i++) y[i + j * n] = x[i]; break;
    case 2: for (int j = 0; j < 8; j++) for (int i = 0; i < n; i++) y[i + j * n] = x[i]; break;
    }
}
"""
ELSE_IFS = """{
    if (mode == 0) { for (int i = 0; i < n; i++) y[i] = x[i]; }
    else if (mode == 1) { for (int j = 0; j < 4; j++) for (int i = 0; i < n; i++) y[i + j * n] = x[i]; }
    else if (mode == 2) { for (int j = 0; j < 8; j++) for (int i = 0; i < n; i++) y[i + j * n] = x[i]; }
}
"""
TWO_ARMS = """{
    if (flag) { for (int i = 0; i < n; i++) y[i] = x[i]; }
    else { for (int j = 0; j < 4; j++) for (int i = 0; i < n; i++) y[i + j * n] = x[i]; }
}
"""
MEGA = 1 << 20


def _estimate(body: str, **arguments: int) -> KernelEstimate:
    return assess(HEAD + body, arguments={"n": MEGA, **arguments}).kernels[0].estimate


@pytest.mark.parametrize("body", [SWITCH, ELSE_IFS])
def test_of_several_cases_the_slowest_is_counted(body: str) -> None:
    unknown = _estimate(body)
    each = [_estimate(body, mode=mode) for mode in (0, 1, 2, 3)]
    times = [one.time_s or 0.0 for one in each]
    assert unknown.time_s == pytest.approx(max(times))
    assert ArgumentsChosen(values=(("mode", 2),)) in unknown.remarks
    assert unknown.time_low_s is not None
    assert unknown.time_high_s is not None
    for one in each:  # to give the argument moves no figure out of what it was in
        assert one.time_low_s is not None
        assert one.time_high_s is not None
        assert unknown.time_low_s <= one.time_low_s
        assert one.time_high_s <= unknown.time_high_s * (1 + 1e-9)
        assert not any(isinstance(remark, ArgumentsChosen) for remark in one.remarks)


def test_of_two_arms_the_slower_is_counted() -> None:
    unknown = _estimate(TWO_ARMS)
    assert unknown.time_s == pytest.approx(_estimate(TWO_ARMS, flag=0).time_s)
    assert unknown.time_s is not None
    assert unknown.time_s < 1.05 * 4 * (_estimate(TWO_ARMS, flag=1).time_s or 0.0)
    assert ArgumentsChosen(values=(("flag", 0),)) in unknown.remarks


@pytest.mark.parametrize(
    "body",
    [
        "{ if (flag) y[0] = 1.0f; for (int i = 0; i < n; i++) y[i] = x[i]; }",  # it makes no difference
        "{ for (int i = 0; i < n; i++) if (i < mode) y[i] = x[i]; }",  # no choice, but how many
        "{ if (mode == 3) for (int i = 0; i < n; i++) y[i * mode] = x[i]; }",  # other things follow from it
        "{ for (int i = 0; i < n; i++) if (i == mode) y[i] = x[i]; }",
    ],
)
def test_other_arguments_choose_nothing(body: str) -> None:
    assert not any(isinstance(remark, ArgumentsChosen) for remark in _estimate(body).remarks)


def test_a_choice_is_made_at_assumed_sizes_as_well() -> None:
    kernel = assess(HEAD + SWITCH).kernels[0]
    assert kernel.estimate.time_s is None
    assert kernel.at_assumed is not None
    given = assess(HEAD + SWITCH, arguments={"mode": 2}).kernels[0]
    assert given.at_assumed is not None
    assert kernel.at_assumed.estimate.time_s == pytest.approx(given.at_assumed.estimate.time_s)


def test_the_answer_says_which_choice_was_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "modes.cl"
    path.write_text(HEAD + SWITCH)
    main(["check", "--arg", "n=1048576", str(path)])
    said = capsys.readouterr().out
    assert "doubt: mode is not given: counted at 2, which takes longest: give --arg mode=…" in said
    assert "mode = 2" not in said
    main(["check", "--arg", "n=1048576", "--arg", "mode=1", str(path)])
    said = capsys.readouterr().out
    assert "is not given" not in said
    assert "mode = 1 (option)" in said
