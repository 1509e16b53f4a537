"""A file that does not compile by itself is seen through the files around it that include it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from burstline_model.facts import KernelFacts, Span
from burstline_model.files import allowed, read_bounded
from burstline_server.analysis.relocated import relocated
from burstline_server.caches.bounded import BoundedCache
from burstline_server.source.source import Source

MAX_NEIGHBOURS = 200
"""Most files next to a file that are looked into."""
MAX_INCLUDERS = 6
"""Most files that a file is seen through: more show the same accesses again."""
MAX_BYTES = 4_000_000
_SUFFIXES = (".cl", ".ocl", ".clh")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import)[ \t]*["<](?:[^"<>\n]*/)?([^"<>/\n]+)[">]', re.MULTILINE)


@dataclass
class Neighbours:
    """The files around a file; what each includes is remembered until it is written again."""

    _included: BoundedCache[str, tuple[tuple[int, int], frozenset[str]]] = field(
        default_factory=lambda: BoundedCache("neighbours", 4 * MAX_NEIGHBOURS)
    )

    def including(self, path: Path, workspace: Sequence[Path]) -> Iterator[tuple[Path, str]]:
        """The files in the same folder, and in the workspace's one above, that include this one, with their texts."""
        seen = found = 0
        folders, above = (path.parent, *workspace), path.parent.parent
        for folder in (path.parent, above) if allowed(above, workspace) else (path.parent,):
            try:
                with os.scandir(folder) as found_in:
                    neighbours = sorted((one for one in found_in if one.name.endswith(_SUFFIXES)), key=_name_of)
            except OSError:
                continue
            for neighbour in neighbours:
                if neighbour.name == path.name and folder == path.parent:
                    continue
                seen += 1
                if seen > MAX_NEIGHBOURS:
                    return
                try:
                    if path.name not in self._names(neighbour, folders):
                        continue
                    text = _decoded(_bytes_of(neighbour, folders))
                except (OSError, ValueError):
                    continue
                yield Path(neighbour), text
                found += 1
                if found >= MAX_INCLUDERS:
                    return

    def _names(self, file: os.DirEntry[str], folders: Sequence[Path]) -> frozenset[str]:
        """The names of the files that a file includes, without their folders."""
        status = file.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._included.find(file.path)
        if known is None or known[0] != stamp:
            content = _bytes_of(file, folders)
            includes = b"include" in content or b"import" in content
            named = _INCLUDE.findall(_decoded(content)) if includes else ()
            known = self._included.keep(file.path, (stamp, frozenset(named)))
        return known[1]


_name_of = attrgetter("name")


def _bytes_of(file: os.DirEntry[str], folders: Sequence[Path]) -> bytes:
    """The bytes of a file in a folder that was found to be one of those allowed, or inside one."""
    return read_bounded(Path(file), MAX_BYTES, folders if file.is_symlink() else None)


def _decoded(content: bytes) -> str:
    return content.decode("utf-8-sig", "replace")


def seen_from(facts: KernelFacts, kernel_file: str, here: str) -> KernelFacts:
    """The facts of a kernel in `kernel_file` with every place counted from `here`, a file it includes."""

    def at(span: Span) -> Span:
        file = kernel_file if span.file is None else span.file
        return Span(start=span.start, end=span.end, file=None if file == here else file)

    return relocated(facts, at)


def with_includer(source: Source, includer: Source, kernel_file: str) -> Source:
    """The included file's source, able to locate places in the file that includes it as well."""
    return replace(source, files={**source.files, **includer.files, kernel_file: includer.original})


def apart_from(includer: Source, here: str) -> Callable[[Sequence[tuple[int, int]]], bool]:
    """A test of ranges of an includer's parsed text: nothing in them is text of the file `here`."""
    segments = [*includer.segments]
    ends = [*(segment.out for segment in segments[1:]), len(includer.text)]
    own = [(one.out, end) for one, end in zip(segments, ends, strict=True) if one.file == here]

    def apart(ranges: Sequence[tuple[int, int]]) -> bool:
        return not any(start < end and begin < stop for start, stop in ranges for begin, end in own)

    return apart
