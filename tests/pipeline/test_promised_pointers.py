"""What restrict on all pointers saves, next to other advice; and the first line next to edits with their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.cli.main import main
from tests.assessing import assess

ROWS = """__attribute__((max_global_work_dim(0)))
__kernel void rows(__global const float *{0}x, __global const float *{0}w, __global float *{0}y, int n)
{{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {{
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += x[i * n + k] * w[k * n + j];
            y[i * n + j] = sum;
        }}
}}
"""


def test_restrict_is_advised_with_the_time_of_the_text_that_has_it() -> None:
    bare = assess(ROWS.format(""), arguments={"n": 1024}).kernels[0].estimate
    promised = assess(ROWS.format("restrict "), arguments={"n": 1024}).kernels[0].estimate
    (lever,) = [one for one in bare.levers if one.change == "restrict"]
    assert lever.after_s == pytest.approx(promised.time_s, rel=0.02)
    assert lever.after_s < 0.95 * (bare.time_s or 0.0)
    assert not any(one.change == "restrict" for one in promised.levers)


LARGEST = """__kernel void largest(__global float *restrict y, __global const float *restrict x)
{
    for (int c = 0; c < 256; c++)
        for (int h = 0; h < 36; h++) {
            y[c * 36 + h] = -1e30f;
            for (int k = 0; k < 9; k++)
                y[c * 36 + h] = fmax(y[c * 36 + h], x[c * 169 + 2 * h + 13 * (k / 3) + k % 3]);
        }
}
"""


def test_no_edit_at_hand_leaves_less_than_the_first_line_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.cl"
    for text in ("// burstline: n=1024\n" + ROWS.format(""), LARGEST):
        path.write_text(text)
        main(["check", "--advise", str(path)])
        said = capsys.readouterr().out.splitlines()
        (first,) = [line for line in said if "single work-item: ≈" in line]
        after = _seconds(first.rpartition("→")[2])
        gains = [line.partition("→")[2].partition(",")[0] for line in said if "fix at hand" in line and "→" in line]
        assert gains
        for gain in gains:
            assert _seconds(gain.rpartition("–")[2]) * 1.06 > after


_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def _seconds(text: str) -> float:
    number, unit = text.split()[-2:]
    return float(number) * _UNITS[unit]
