"""Public kernels from folders: which files a bench takes, and a function over them in several processes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from bench.corpus import jobs_of, named
from bench.marked import MarkedPart

Job = TypeVar("Job")
Found = TypeVar("Found")


def parser_for(description: str, part: MarkedPart) -> argparse.ArgumentParser:
    """A parser with the options that choose files and kernels, and the page to write."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--markdown", type=part.page, metavar="FILE", help="write the summary into a page as well")
    parser.add_argument("--each", type=int, help="only so many files of a folder, evenly spaced")
    parser.add_argument("--only", default="", help="kernels with this in their name")
    parser.add_argument("--workers", type=int, default=2)
    return parser


def chosen(arguments: argparse.Namespace) -> list[tuple[Path, Path]]:
    """The files that the options choose, each with its folder."""
    folders = [f.resolve() for f in arguments.folders if f.is_dir()]
    return jobs_of(folders, {named(f): arguments.each for f in folders} if arguments.each else {})


def found_by(
    function: Callable[[Job], Sequence[Found]], jobs: Sequence[Job], workers: int, chunk: int
) -> Iterator[Found]:
    """What a function finds in each job, in their order, with progress on a terminal."""
    with ProcessPoolExecutor(workers) as pool:
        for done, found in enumerate(pool.map(function, jobs, chunksize=chunk), 1):
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {len(jobs)} files")
            yield from found
