"""Where the pages about findings and terms lie: inside the installed package, or in the repository's docs."""

from __future__ import annotations

from pathlib import Path


def page_of(name: str) -> Path | None:
    """The page of a finding's code, or the one called `glossary`; None where it is not installed."""
    here = Path(__file__).resolve().parents[1]
    docs = here.parents[1] / "docs"
    candidates = (here / "pages" / f"{name}.md", docs / "rules" / f"{name}.md", docs / f"{name}.md")
    return next((c for c in candidates if c.is_file()), None)
