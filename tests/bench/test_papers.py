"""The page about the papers: numbers come out as its verdicts say, each test is there, and nothing is left over."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from bench.papers.items import Item, Number, papers
from bench.papers.page import page

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "papers.md"
EVERY = [item for paper in papers() for item in paper.items]


def test_the_page_is_what_the_command_writes() -> None:
    assert PAGE.read_text("utf-8") == page(papers())


@pytest.mark.parametrize("item", [item for item in EVERY if item.numbers], ids=lambda item: item.what)
def test_an_item_has_its_numbers_within_their_tolerance_or_says_why_not(item: Item) -> None:
    missed = [number.text for number in item.numbers if not number.holds]
    assert item.final == "differs" or not missed
    assert item.note or not missed


def test_a_verdict_other_than_as_printed_has_its_reason_and_every_item_its_place() -> None:
    assert [item.what for item in EVERY if item.final != "as printed" and not item.note] == []
    assert [item.what for item in EVERY if item.seen in {"", "–"} and item.final != "missing"] == []
    assert [item.what for item in EVERY if not item.test and not item.numbers and item.final != "missing"] == []


def collected(path: Path) -> set[str]:
    """The tests that pytest takes from a file."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("test", sorted({item.test for item in EVERY if item.test}))
def test_a_named_test_is_collected(test: str) -> None:
    path, _, name = test.partition("::")
    assert path.rpartition("/")[2].startswith("test_")
    names = collected(TESTS / path)
    assert name in names if name else names


# Equations, tables and observations that each paper numbers; figures are those of M21, whose M20's are a part of.
NUMBERED = {
    "M20 and M21": [("Eq", 14), ("Table", 5), ("Fig", 13), ("Observation", 4), ("Listing", 4)],
    "WANG": [("Eq", 24), ("Table", 4), ("Fig", 12), ("Algorithm", 2)],
    "TYTRA": [("Eq", 7), ("Table", 2), ("Fig", 19)],
    "FFD": [("Table", 3), ("Fig", 3), ("Listing", 4), ("Step", 13)],
}


def numbers_named(text: str, kind: str) -> set[int]:
    """The numbers behind a word: ``Figs. 1, 7 and 8``, ``Eqs. 13 to 19``."""
    found: set[int] = set()
    listed = r"\d+[ab]?(?:(?:, | and | to )(?:Figs?\. )?\d+[ab]?)*"
    for match in re.finditer(rf"(?<!')(?<!'s )\b{kind}s?\.? ({listed})", text):
        for part in re.split(r", | and ", match[1]):
            first, _, last = re.sub("[ab]|Figs?. ", "", part).partition(" to ")
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.title.split(":")[0])
def test_nothing_that_a_paper_numbers_is_left_out(paper: object) -> None:
    (one,) = [p for p in papers() if p == paper]
    texts = [item.what for item in one.items] + list(one.shown)
    left = {
        (kind, n)
        for kind, count in NUMBERED[one.title.split(":")[0]]
        for n in set(range(1, count + 1)) - set().union(*(numbers_named(t, kind) for t in texts))
    }
    assert left == set()


@pytest.mark.parametrize(
    ("number", "holds", "text"),
    [
        (Number(of="x", ours="word_of_board|de5net", printed=64, digits=0), True, "x: 64 · 64"),
        (Number(of="x", ours="word_of_board|de5net", printed=64.6, digits=1), False, "x: 64.0 · 64.6"),
        (Number(of="x", ours="word_of_board|de5net", printed=60, within=4, digits=0), True, "x: 64 · 60 (± 4)"),
        (Number(of="x", ours="word_of_board|de5net", at_most=63, unit="%"), False, "x: 64.0 · ≤ 63 %"),
    ],
)
def test_a_verdict_follows_from_the_number(number: Number, text: str, *, holds: bool) -> None:
    assert (number.holds, number.text) == (holds, text)
    item = Item(what="one", seen="here", numbers=(number,))
    assert item.final == ("as printed" if holds else "differs")
