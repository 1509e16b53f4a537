"""The pages: what they link to and name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_list_of_pages_is_whole() -> None:
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"]({name})" not in text} == set()


def test_the_readme_can_be_read_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 700


def test_the_glossary_stays_short_and_in_order() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    terms = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(terms) == len(set(terms)) <= 60
    assert terms == sorted(terms, key=lambda term: term.replace("δ", "delta").lower())


def test_each_decision_is_in_the_list() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{3}-[^)]+)\)", (folder / "README.md").read_text("utf-8"))
    assert listed == sorted(path.name for path in folder.glob("0*.md"))
