"""Where an ``#include`` may be read from: workspace, include paths, the file's own folder; no further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from os import scandir
from pathlib import Path

from burstline_model.files import allowed, read_bounded
from burstline_model.record import fixed
from burstline_server.source.lines import with_line_feeds

MAX_INCLUDE_BYTES = 4_000_000
MAX_INCLUDE_DEPTH = 32


@fixed
class Included:
    """A file that was found and read."""

    path: Path
    text: bytes
    stamp: tuple[int, int]
    """When the file was written, in nanoseconds, and its bytes."""
    saved: bool = True
    """Whether the text is that on disk, not one that is being edited."""

    @property
    def current(self) -> bool:
        """Whether the file on disk is still the one that was read."""
        if not self.saved:
            return False
        try:
            status = self.path.stat()
        except OSError:
            return False
        return (status.st_mtime_ns, status.st_size) == self.stamp


class IncludeFolders:
    """Resolves includes. Every file must lie, after symbolic links, inside one of the allowed folders.

    `edited` are texts that take the place of files on disk, by path without symbolic links.
    """

    def __init__(
        self,
        path: str | None,
        include_paths: Sequence[Path],
        workspace: Sequence[Path],
        edited: Mapping[Path, bytes] | None = None,
    ) -> None:
        self._edited = edited or {}
        own = Path(path).resolve().parent if path else None
        self._own = own
        self._paths = [p.resolve() for p in include_paths if "\0" not in str(p)]
        self._allowed = [*self._paths, *(p.resolve() for p in workspace), *([own] if own else [])]
        self._drives = {"", *(folder.drive for folder in self._allowed)}
        self._near: dict[Path | None, list[Path]] = {}
        """Where what a file includes is looked for, by that file."""
        self._subfolders: list[Path] | None = None

    def still(self, found: Included) -> bool:
        """Whether a file that was found has the text that it had then."""
        edited = self._edited.get(found.path)
        return found.current if edited is None else with_line_feeds(edited) == found.text

    def find(self, name: str, including: Path | None) -> Included | None:
        """The file called `name`, looked for next to the including file first; None when there is none.

        After the include paths, the folders above are tried, as kernels are often compiled from one of them, and then
        those in the file's folder, for builds whose options are not known: where one alone has it, that one is taken.
        Reports and exports flatten folders: a name with folders that leads nowhere is tried without them.
        """
        if including not in self._near:
            self._near[including] = self._folders(including)
        folders = self._near[including]
        for candidate in dict.fromkeys((name, name.replace("\\", "/").rpartition("/")[2])):
            for folder in folders:
                found = self._read(folder / candidate) if candidate else None
                if found is not None:
                    return found
        return self._below(name) if folders else None

    def _below(self, name: str) -> Included | None:
        """The file of a name in a folder of the own one, where there is one alone."""
        if self._subfolders is None:
            self._subfolders = _inside(self._own) if self._own is not None else []
        found = [one for folder in self._subfolders if (one := self._read(folder / name)) is not None]
        return found[0] if len(found) == 1 else None

    def _folders(self, including: Path | None) -> list[Path]:
        folder = including.resolve().parent if including is not None else self._own
        return [folder, *self._paths, *_above(folder, tuple(self._allowed))] if folder else self._paths

    def _read(self, path: Path) -> Included | None:
        # Asking after another machine's file (\\host\share) already talks to that machine.
        if path.drive not in self._drives:
            return None
        try:
            status = path.stat()
            if not allowed(path, self._allowed):
                return None
            real = path.resolve()
            if (text := self._edited.get(real)) is not None:
                return Included(real, with_line_feeds(text), (status.st_mtime_ns, status.st_size), saved=False)
            return Included(
                real, with_line_feeds(read_bounded(real, MAX_INCLUDE_BYTES)), (status.st_mtime_ns, status.st_size)
            )
        except (OSError, ValueError, RuntimeError):
            return None


@lru_cache(maxsize=64)
def _above(folder: Path, allowed: tuple[Path, ...]) -> tuple[Path, ...]:
    """The folders above one that are in those that are allowed."""
    return tuple(p for p in folder.parents if any(p.is_relative_to(f) for f in allowed))


MAX_SUBFOLDERS = 64
"""Most folders in a file's own that are looked through for what it includes."""


def _inside(folder: Path) -> list[Path]:
    """The folders in one, by name, hidden ones left out."""
    try:
        with scandir(folder) as every:
            first = islice(every, MAX_ENTRIES)
            names = sorted(one.name for one in first if not one.name.startswith(".") and one.is_dir())
    except OSError:
        return []
    return [folder / name for name in names[:MAX_SUBFOLDERS]]


MAX_ENTRIES = 4096
"""Most entries of a folder that are looked at."""
