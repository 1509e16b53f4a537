"""What became of every item of the papers: ``python -m bench.papers [--write FILE]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.papers.items import papers
from bench.papers.page import page


def main() -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there")
    asked = parser.parse_args()
    text = page(papers())
    if asked.write is None:
        sys.stdout.write(text)
    else:
        asked.write.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
