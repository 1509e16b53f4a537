"""The pages: what they link to and name is there, and what they count is counted."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "papers.md"
VERDICTS = ("as printed", "one reading", "differs", "missing")
START, END = "<!-- counted -->\n", "<!-- end of what is counted -->\n"


def rows() -> list[tuple[str, str, str, str, str]]:
    """Paper, item, code, test and verdict of each row."""
    found, paper = [], ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ").split(":")[0]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0] != "item" and not cells[0].startswith("---"):
            found.append((paper, cells[0], cells[1].strip("`"), cells[2].strip("`"), cells[3]))
    return found


def counted() -> str:
    """The summary of the page, as its rows have it."""
    by_paper: dict[str, Counter[str]] = {}
    for paper, *_, verdict in rows():
        by_paper.setdefault(paper, Counter())[verdict_of(verdict)] += 1
    lines = [f"| paper | {' | '.join(VERDICTS)} |", f"| --- |{' --- |' * len(VERDICTS)}"]
    every = sum(by_paper.values(), Counter[str]())
    for paper, counts in (*by_paper.items(), ("all", every)):
        lines.append(f"| {paper} | {' | '.join(str(counts[v]) for v in VERDICTS)} |")
    return "\n".join(lines) + "\n"


def verdict_of(text: str) -> str:
    """The verdict that a cell begins with."""
    (one,) = [v for v in VERDICTS if text.startswith(v)]
    return one


@pytest.mark.parametrize(("item", "code", "test"), [row[1:4] for row in rows()])
def test_code_and_test_of_an_item_exist(item: str, code: str, test: str) -> None:
    del item
    if code != "–":
        base = ROOT if code.split("/", maxsplit=1)[0] in {"server", "bench"} else ROOT / "model" / "burstline_model"
        assert (base / code).exists()
    if test != "–":
        path, _, name = test.partition("::")
        text = (ROOT / "tests" / path).read_text("utf-8")
        assert f"def {name}(" in text if name else "def test_" in text


def test_a_verdict_other_than_as_printed_has_its_reason() -> None:
    short = [item for _, item, *_, verdict in rows() if verdict_of(verdict) != "as printed" and ": " not in verdict]
    assert short == []


def test_the_summary_counts_the_rows() -> None:
    summary = PAGE.read_text("utf-8").split(START)[1].split(END)[0]
    assert summary == f"\n{counted()}\n"


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
