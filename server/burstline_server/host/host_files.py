"""Host programs around a kernel's file."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from burstline_model.files import allowed, read_bounded
from burstline_server.caches.bounded import BoundedCache
from burstline_server.host.c_host import launches_in_c
from burstline_server.host.host_launch import HostLaunch
from burstline_server.host.python_host import launches_in_python

MAX_ENTRIES, MAX_BYTES, MAX_READ = 5_000, 400_000, 16_000_000
"""Most names in folders that are looked at, and most bytes of a file and of all files that are read for one kernel."""
MAX_UP, MAX_DOWN = 3, 4
"""How many folders above the kernel's, and how deep below these, host programs are looked for."""
_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".py"}
_HIDDEN = {"build", "dist", "node_modules", "__pycache__", "venv", "site-packages"}
_LAUNCHES = re.compile(rb"nqueueNDRangeKernel|nqueueTask|pyopencl")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
MAX_HEADERS = 20


@dataclass
class Hosts:
    """Launches by file, remembered until the file is written again."""

    _read: BoundedCache[Path, tuple[tuple[int, int], tuple[HostLaunch, ...]]] = field(
        default_factory=lambda: BoundedCache("host programs", 2 * MAX_ENTRIES)
    )

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
        for file in _files(path, workspace):
            launches, cost = self._launches(file, workspace, left)
            left -= cost
            own = tuple(one for one in launches if one.kernel == kernel)
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
        for file in _files(path, workspace):
            if within is not None and not file.is_relative_to(within):
                break
            launches, cost = self._launches(file, workspace, left)
            left -= cost
            own = tuple(one for one in launches if one.kernel == kernel)
            if own:
                found.append((file, own))
                within = within or next((one for one in path.parents if file.is_relative_to(one)), None)
        return found

    def _launches(self, path: Path, workspace: Sequence[Path], left: int) -> tuple[tuple[HostLaunch, ...], int]:
        """The launches in a file, and how many bytes were read for them."""
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._read.find(path)
            if known is not None and known[0] == stamp:
                return known[1], 0
            if status.st_size > min(left, MAX_BYTES):
                return (), 0
            return self._read.keep(path, (stamp, tuple(_read(path, workspace))))[1], status.st_size
        except (OSError, ValueError):
            return (), 0


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


def _read(path: Path, workspace: Sequence[Path]) -> list[HostLaunch]:
    text = read_bounded(path, MAX_BYTES, workspace)
    if _LAUNCHES.search(text) is None:
        return []
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


def _files(path: Path, workspace: Sequence[Path]) -> Iterator[Path]:
    """Files that may be host programs: those of the kernel's own folder and below first, then around those above."""
    folders = deque((one, MAX_DOWN) for one in (path.parent, *path.parent.parents)[: MAX_UP + 1])
    seen: set[Path] = set()
    entries = 0
    while folders and entries < MAX_ENTRIES:
        folder, depth = folders.popleft()
        if folder in seen or not allowed(folder, workspace):
            continue
        seen.add(folder)
        try:
            inside = sorted(islice(folder.iterdir(), MAX_ENTRIES))
        except OSError:
            continue
        entries += len(inside)
        yield from (one for one in inside if one.suffix in _SUFFIXES and one.is_file())
        below = (one for one in inside if depth and one.is_dir() and not one.is_symlink())
        folders.extendleft((o, depth - 1) for o in below if o.name not in _HIDDEN and o.name[0] != ".")
