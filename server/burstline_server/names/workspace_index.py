"""The functions of a workspace's OpenCL files, read once for each state of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from burstline_model.facts import Span
from burstline_model.files import read_bounded
from burstline_server.caches.bounded import BoundedCache
from burstline_server.names.name_table import names_of
from burstline_server.source.lines import LineTable
from burstline_server.source.read import read_source

MAX_FILES = 2_000
MAX_FOLDERS = 20_000
MAX_FILE_BYTES = 1_000_000
_SUFFIXES = (".cl", ".ocl", ".clh")
_LEFT_OUT = {"node_modules", "build", "dist", "venv", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function of a file in the workspace."""

    name: str
    kernel: bool
    path: Path
    lines: LineTable
    place: Span


@dataclass
class WorkspaceIndex:
    """Remembers the functions of files by when they were written."""

    _known: BoundedCache[Path, tuple[int, tuple[Symbol, ...]]] = field(
        default_factory=lambda: BoundedCache("functions of a workspace", MAX_FILES)
    )

    def search(
        self, roots: Sequence[Path], text: str, went_on: Callable[[int, int], bool] = lambda _done, _all: True
    ) -> list[Symbol]:
        """The functions whose names hold the letters of `text` in order.

        `went_on` is called with how many files are done of how many, and may stop.
        """
        files = list(_files(roots))
        found: list[Symbol] = []
        for number, path in enumerate(files):
            if not went_on(number, len(files)):
                break
            found += [symbol for symbol in self._of(path) if _matches(text, symbol.name)]
        return found

    def _of(self, path: Path) -> tuple[Symbol, ...]:
        try:
            stat = path.stat()
            known = self._known.find(path)
            if known is None or known[0] != stat.st_mtime_ns:
                text = read_bounded(path, MAX_FILE_BYTES).decode("utf-8-sig", "replace")
                known = self._known.keep(path, (stat.st_mtime_ns, _symbols(path, text)))
        except OSError:
            return ()
        return known[1]


def _symbols(path: Path, text: str) -> tuple[Symbol, ...]:
    # Includes are files of their own here: without a path none is read.
    source = read_source(text)
    names = names_of(source).functions if not source.template else []
    return tuple(Symbol(n.text, n.kind == "kernel", path, source.lines, n.place) for n in names)


def _files(roots: Sequence[Path]) -> Iterator[Path]:
    """The OpenCL files below the roots; what a symbolic link leads to has a place of its own, or is none of them."""
    count = seen = 0
    for root in roots:
        for folder, folders, names in os.walk(root):
            seen += 1
            if seen > MAX_FOLDERS:
                return
            folders[:] = sorted(f for f in folders if f not in _LEFT_OUT and not f.startswith("."))
            for name in sorted(names):
                path = Path(folder) / name
                if name.endswith(_SUFFIXES) and not path.is_symlink():
                    count += 1
                    if count > MAX_FILES:
                        return
                    yield path


def _matches(text: str, name: str) -> bool:
    letters = iter(name.lower())
    return all(letter in letters for letter in text.lower())
