"""How findings are shown is a setting: by code, by the beginning of codes, for a file, a folder or one run."""

from pathlib import Path

import pytest

from burstline_server.cli.main import main
from burstline_server.config.settings import CODES
from burstline_server.diagnostics.catalogue import CONFIGURATION, RULES, findings_of
from tests.assessing import assess

NARROW = """
__kernel void scale(__global const float *restrict x, __global float *restrict y) {
    const int i = get_global_id(0);
    y[i] = 2.0f * x[2 * i];
}
"""


def shown(**severities: str) -> dict[str, str]:
    done = assess(NARROW, global_size=1 << 20, severities=severities)
    return {f.code: f.severity for f in findings_of(done)}


def test_settings_know_every_code() -> None:
    assert sorted({CONFIGURATION, *(rule.code for rule in RULES)}) == list(CODES)


def test_a_code_or_the_beginning_of_codes_is_rated_and_the_longest_wins() -> None:
    usual = shown()
    assert usual
    code = min(usual)
    assert set(shown(**{code: "warning"}).values()) >= {"warning"}
    assert shown(BL1="off", **{code: "error"}) == {code: "error"}
    assert shown(BL1="off", BL4="off") == {}


def test_a_wrong_setting_is_shown_whatever_is_hidden() -> None:
    done = assess(NARROW, global_siz=5, severities={"BL3": "off"})
    assert [f.code for f in findings_of(done) if f.code == CONFIGURATION] == [CONFIGURATION]


@pytest.mark.parametrize(
    ("option", "answer"),
    [("BL999", "no finding has the code BL999"), ("BL1O6", "did you mean BL106"), ("BL", "such as BL106")],
)
def test_a_code_that_no_finding_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, answer: str
) -> None:
    file = tmp_path / "k.cl"
    file.write_text(NARROW)
    assert main(["check", str(file), "--ignore", option]) == 2
    printed = capsys.readouterr()
    assert answer in printed.err
    assert printed.out == ""


def test_one_run_leaves_findings_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.cl"
    file.write_text(NARROW)
    (tmp_path / "burstline.toml").write_text("global_size = 1048576\n")
    code = min(shown())
    assert main(["check", str(file)]) == 0
    assert code in capsys.readouterr().out
    assert main(["check", str(file), "--ignore", f"{code.lower()},BL4"]) == 0
    assert code not in capsys.readouterr().out
