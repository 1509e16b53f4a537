"""Host programs around a kernel's file."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from burstline_model.files import allowed, read_bounded
from burstline_server.caches.bounded import BoundedCache
from burstline_server.host.c_host import as_c, launches_in_c
from burstline_server.host.host_launch import HostLaunch
from burstline_server.host.python_host import launches_in_python

MAX_ENTRIES, MAX_BYTES, MAX_READ = 5_000, 400_000, 16_000_000
"""Most names in folders that are looked at, and most bytes of a file and of all files that are read for one kernel."""
MAX_UP, MAX_DOWN = 3, 4
"""How many folders above the kernel's, and how deep below these, host programs are looked for."""
_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".py")
_HIDDEN = {"build", "dist", "node_modules", "__pycache__", "venv", "site-packages"}
_LAUNCHES = re.compile(rb"nqueueNDRangeKernel|nqueueTask|pyopencl")
_QUOTED = re.compile(rb'"([\w\x80-\xff]+)(?=")')
"""What a host program in C or C++ may name a kernel by: one word in quotes, in its text or a header's."""
_MEMBER = re.compile(rb"\.(?:[\s\\]|#[^\n]*\n)*([\w\x80-\xff]+)")
"""The same of one in Python, where a kernel is a member of its program."""
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
MAX_HEADERS = 20


@dataclass(slots=True)
class _Program:
    """A file as it was written at a time: names that kernels may have there, its launches once they were asked for."""

    stamp: tuple[int, int]
    names: frozenset[bytes]
    launches: tuple[HostLaunch, ...] | None = None


@dataclass(slots=True)
class _Folder:
    """What a folder held at a time: its number of entries, files that may be host programs, and folders, by name."""

    stamp: int
    entries: int
    files: tuple[str, ...]
    folders: tuple[str, ...]


@dataclass
class Hosts:
    """Launches by file, remembered until the file is written again.

    A file is parsed for a kernel that it names: most programs of a large workspace launch others.
    """

    _read: BoundedCache[Path, _Program] = field(default_factory=lambda: BoundedCache("host programs", 2 * MAX_ENTRIES))
    _folders: BoundedCache[Path, _Folder] = field(default_factory=lambda: BoundedCache("host folders", MAX_ENTRIES))

    def launch_of(self, kernel: str, path: Path, workspace: Sequence[Path]) -> tuple[Path, HostLaunch] | None:
        """The launch that says most in the smallest folder around a kernel's file that launches it, and its file.

        A host program further off may be another program's, with a kernel of the same name. Only folders of the
        workspace are read; without one, the kernel's own. In a large workspace, files are read until `MAX_READ`; the
        rest is left for the next kernel.
        """
        launches = [(file, one) for file, own in self.around(kernel, path, workspace) for one in own]
        return max((found for found in launches if found[1].says), key=lambda found: found[1].says, default=None)

    def launches_of(
        self, kernel: str, path: Path, workspace: Sequence[Path]
    ) -> tuple[Path, tuple[HostLaunch, ...]] | None:  # fmt: skip
        """Every launch of a kernel in the host program nearest to its file, and that program's file."""
        path = path.resolve()
        workspace, left = workspace or (path.parent,), MAX_READ
        for file in self._files(path, workspace):
            own, cost = self._launches(kernel, file, workspace, left)
            left -= cost
            if own:
                return file, own
        return None

    def around(
        self, kernel: str, path: Path, workspace: Sequence[Path]
    ) -> list[tuple[Path, tuple[HostLaunch, ...]]]:  # fmt: skip
        """Every launch of a kernel in the smallest folder around its file that has one, by the host program's file."""
        path = path.resolve()
        workspace, left = workspace or (path.parent,), MAX_READ
        found: list[tuple[Path, tuple[HostLaunch, ...]]] = []
        within: Path | None = None
        for file in self._files(path, workspace):
            if within is not None and not file.is_relative_to(within):
                break
            own, cost = self._launches(kernel, file, workspace, left)
            left -= cost
            if own:
                found.append((file, own))
                within = within or next((one for one in path.parents if file.is_relative_to(one)), None)
        return found

    def _files(self, path: Path, workspace: Sequence[Path]) -> Iterator[Path]:
        """Files that may be host programs: of the kernel's own folder and below first, then around those above."""
        folders = deque((one, MAX_DOWN) for one in (path.parent, *path.parent.parents)[: MAX_UP + 1])
        seen: set[Path] = set()
        entries = 0
        while folders and entries < MAX_ENTRIES:
            folder, depth = folders.popleft()
            if folder in seen or not allowed(folder, workspace):
                continue
            seen.add(folder)
            try:
                inside = self._listed(folder)
            except OSError:
                continue
            entries += inside.entries
            yield from (folder / name for name in inside.files)
            folders.extendleft((folder / name, depth - 1) for name in inside.folders if depth)

    def _listed(self, folder: Path) -> _Folder:
        """What is in a folder; it is listed anew once something was added or removed."""
        stamp = folder.stat().st_mtime_ns
        known = self._folders.find(folder)
        if known is not None and known.stamp == stamp:
            return known
        with os.scandir(folder) as found:
            inside = sorted(islice(found, MAX_ENTRIES), key=lambda one: one.name)
        files = tuple(one.name for one in inside if one.name.endswith(_SUFFIXES) and _is_file(one))
        below = (one.name for one in inside if one.is_dir(follow_symlinks=False))
        folders = tuple(name for name in below if name not in _HIDDEN and name[0] != ".")
        return self._folders.keep(folder, _Folder(stamp, len(inside), files, folders))

    def _launches(
        self, kernel: str, path: Path, workspace: Sequence[Path], left: int
    ) -> tuple[tuple[HostLaunch, ...], int]:
        """A kernel's launches in a file, and how many bytes were read to know what it names."""
        try:
            status = path.stat()
            stamp, cost = (status.st_mtime_ns, status.st_size), 0
            known = self._read.find(path)
            if known is None or known.stamp != stamp:
                if status.st_size > min(left, MAX_BYTES):
                    return (), 0
                known, cost = self._read.keep(path, _Program(stamp, _names(path, workspace))), status.st_size
            if kernel.encode() not in known.names:
                return (), cost
            if known.launches is None:
                known.launches = tuple(_launches(path, workspace))
        except (OSError, ValueError):
            return (), 0
        return tuple(one for one in known.launches if one.kernel == kernel), cost


HOSTS = Hosts()
"""What host programs say, read once for the sizes, edits and answers of a command."""


def text_of_host(host: Path, kernel: Path, workspace: Sequence[Path]) -> bytes | None:
    """The text of a host program that was found for a kernel's file; None where it cannot be read as text."""
    try:
        text = read_bounded(host, MAX_BYTES, workspace or (kernel.resolve().parent,))
        text.decode()
    except (OSError, ValueError):
        return None
    return text


def path_from(kernel: Path, host: Path) -> str:
    """The path of a host program in the smallest folder that holds it and a kernel's file, as users read it."""
    around = next((folder for folder in kernel.resolve().parents if host.is_relative_to(folder)), host.parent)
    return host.relative_to(around).as_posix()


def _names(path: Path, workspace: Sequence[Path]) -> frozenset[bytes]:
    """The words that a file may name kernels by; none where it launches nothing."""
    text = read_bounded(path, MAX_BYTES, workspace)
    if _LAUNCHES.search(text) is None:
        return frozenset()
    if path.suffix == ".py":
        return frozenset(_MEMBER.findall(text))
    return frozenset(word for one in (text, *_headers(path, text, workspace)) for word in _QUOTED.findall(as_c(one)))


def _launches(path: Path, workspace: Sequence[Path]) -> list[HostLaunch]:
    text = read_bounded(path, MAX_BYTES, workspace)
    if path.suffix == ".py":
        return launches_in_python(text)
    return launches_in_c(text, list(_headers(path, text, workspace)), references=path.suffix != ".c")


def _headers(path: Path, text: bytes, workspace: Sequence[Path]) -> Iterator[bytes]:
    """The texts of headers next to a host program, or in the usual folders for them."""
    for match in list(_INCLUDE.finditer(text))[:MAX_HEADERS]:
        name = match[1].decode("utf-8", "replace")
        for folder in (path.parent, path.parent.parent / "inc", path.parent.parent / "include"):
            try:
                yield read_bounded(folder / name, MAX_BYTES, workspace)
                break
            except (OSError, ValueError):
                continue


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads back to itself
        return False
