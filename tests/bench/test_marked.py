"""The measured part of a page: written between its marks, in a new page where there is none, refused in one line."""

import argparse
from pathlib import Path

import pytest
from bench.marked import END, MarkedPart

PART = MarkedPart("python bench/some.py")


def test_what_is_around_the_part_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Above\n\n{PART.start}\n\nold\n\n{END}\n\nBelow\n", "utf-8")
    PART.write(PART.page(str(page)), "new")
    assert page.read_text("utf-8") == f"# Above\n\n{PART.start}\n\nnew\n\n{END}\n\nBelow\n"


def test_a_page_that_is_not_there_is_made_and_can_be_written_again(tmp_path: Path) -> None:
    page = PART.page(str(tmp_path / "page.md"))
    for text in ("first", "second"):
        PART.write(page, text)
        assert page.read_text("utf-8") == f"{PART.start}\n\n{text}\n\n{END}\n"


@pytest.mark.parametrize("text", ["# A page\n", f"{PART.start}\n", f"{END}\n{PART.start}\n"])
def test_a_page_without_the_marks_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(argparse.ArgumentTypeError, match="lacks the lines"):
        PART.page(str(page))
    assert page.read_text("utf-8") == text
