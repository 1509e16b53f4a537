"""Terms of cards as links to their rows of the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from burstline_server.presentation.pages import page_of

_PATTERN = re.compile(
    r"(?<![\w\[])(T\\?_ideal|T\\?_ovh|f\\?_min|B\\?_(?:mem|comp|balance|itpp)|δ|Confidence)(?![\w\]])"
)


def linked(parts: Iterable[str]) -> list[str]:
    """Markdown texts in which each term links to its row of the glossary, where it first occurs."""
    rows, seen = _rows(), set[str]()

    def link(found: re.Match[str]) -> str:
        term = found[0].replace("\\", "")
        name = term.lower()
        if term in seen or name not in rows:
            return found[0]
        seen.add(term)
        return f"[{found[0]}]({rows[name]})"

    return [_PATTERN.sub(link, part) for part in parts]


@cache
def _rows() -> dict[str, str]:
    """The address of each term's row in the glossary, by the term in small letters; nothing without the page."""
    page = page_of("glossary")
    if page is None:
        return {}
    found = dict[str, str]()
    for number, line in enumerate(page.read_text("utf-8").splitlines(), start=1):
        if line.startswith("| "):
            found |= {term.strip().lower(): f"{page.as_uri()}#L{number}" for term in line.split("|")[1].split(",")}
    return found
