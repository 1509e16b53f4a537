"""What the comparisons over random kernels ask of a command line, and print."""

from __future__ import annotations

import argparse
from collections import Counter


def options(doc: str | None) -> argparse.ArgumentParser:
    """Which kernels are made, by their seeds, and how many that differ are named."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--kernels", type=int, default=600)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--shown", type=int, default=10, help="how many seeds are named that differ")
    return parser


def print_shares(results: Counter[str]) -> None:
    """How many there are of each result."""
    for result, number in results.most_common():
        print(f"{result:9} {number:6} of {results.total()}: {100 * number / results.total():.1f} %")
