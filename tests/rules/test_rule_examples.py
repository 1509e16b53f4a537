"""Every rule's own example shows it before and not after, and its page in docs is what the class says."""

from pathlib import Path

import pytest

from burstline_server.diagnostics.catalogue import RULES, findings_of
from burstline_server.diagnostics.finding import Rule
from burstline_server.presentation.reference_pages import rule_pages
from tests.assessing import assess

PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_example_shows_the_finding_before_and_not_after(rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / "kernel.cl"
    if rule.build:
        (tmp_path / "kernel").mkdir()
        (tmp_path / "kernel" / "report_data.js").write_text(rule.build, "utf-8")
    before = {f.code for f in findings_of(assess(rule.example("Before"), str(path)))}
    after = {f.code for f in findings_of(assess(rule.example("After"), str(path)))}
    assert rule.code in before
    assert rule.code not in after


@pytest.mark.parametrize("name", rule_pages())
def test_page_is_up_to_date(name: str) -> None:
    """Regenerate with: burstline explain --write docs/rules."""
    assert (PAGES / f"{name}.md").read_text("utf-8") == rule_pages()[name]


def test_codes_are_unique() -> None:
    codes = [rule.code for rule in RULES]
    assert len(codes) == len(set(codes))
