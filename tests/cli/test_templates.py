"""Files that are templates of another language: they are named, and nothing is said of what they are no text for."""

from __future__ import annotations

from pathlib import Path

import pytest

from burstline_server.cli.main import main

RENDERED = """__kernel void k(__global float *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        a[i * BY] = WHAT;
}
"""


@pytest.mark.parametrize(
    ("by", "what", "template"),
    [
        ("1", "i % {{columns}}", True),
        ("1", "(i + 1) / {{ kernel.width }}", True),
        ("{% if wide %}2{% else %}1{% endif %}", "0", True),
        ("1", "((float4){{1, 2, 3, 4}}).x", False),  # braces in braces are a list
        ("1", "i  // * {{columns}}\n", False),
    ],
)
def test_a_name_in_two_braces_behind_an_operator_is_a_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], by: str, what: str, template: bool
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(RENDERED.replace("BY", by).replace("WHAT", what))
    main(["check", str(path)])
    assert ("a template: not OpenCL until it is rendered" in capsys.readouterr().out) == template
