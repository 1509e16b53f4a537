"""A file that does not compile by itself is seen through the files around it that include it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path

from burstline_model.facts import Span
from burstline_model.files import allowed, read_bounded
from burstline_model.record import fixed
from burstline_server.analysis.kernels import Kernels
from burstline_server.analysis.relaid import after_edit
from burstline_server.analysis.relocated import relocated
from burstline_server.analysis.reuse import KernelSnapshot, PlacedKernel
from burstline_server.caches.bounded import BoundedCache
from burstline_server.faults.checked import Checked, common, without_place
from burstline_server.faults.fault import Fault
from burstline_server.faults.file_faults import checked
from burstline_server.source.edit import Edit
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


@fixed
class Followed:
    """A file as it was read last, so that an edit costs what it touches."""

    source: Source
    kernels: Kernels
    asks: bool

    @cached_property
    def faults(self) -> Checked:
        """What the compiler would refuse in it."""
        return checked(self.source)


@fixed
class Includers:
    """The files that include the one called `own`, as they are followed.

    `edit` is one of comments and blanks that came since they were read with its text: places in it are set anew.
    """

    own: str
    files: Sequence[tuple[str, Followed]]
    edit: Edit | None = None

    def stay(self) -> bool:
        """Whether nothing but places follows from the edit: no lines are counted, no message names one."""
        if any(one.source.given.counted or one.source.template for _, one in self.files):
            return False
        return not any(" line " in without_place(f.message) for f in self._own_faults())

    def _own_faults(self) -> Iterator[Fault]:
        every = (f for _, one in self.files for f in one.faults.faults)
        return (f for f in every if f.written is not None and f.written.file == self.own)

    def _checked(self, one: Followed) -> Checked:
        """The faults of one of these files, those in the file itself at their places now."""
        edit = self.edit
        if edit is None:
            return one.faults
        moved = (
            f if f.written is None else replace(f, written=self._after(edit, f.written)) for f in one.faults.faults
        )
        return replace(one.faults, faults=tuple(moved))

    def _after(self, edit: Edit, span: Span) -> Span:
        """Where a place is now."""
        return after_edit((self.own, edit), span)

    def through(self, source: Source, found: Checked) -> tuple[Checked, Source, tuple[PlacedKernel, ...]]:
        """The faults of the file, its source, which knows these files, and their kernels that reach accesses in it."""
        faults = self.faults(source, found)
        return faults, *self.kernels(source, read=not faults.faults)

    def faults(self, source: Source, found: Checked) -> Checked:
        """The faults of the file, as those see it that include it."""
        others: list[Checked] = []
        for _, includer in self.files:
            others.append(self._checked(includer))
            if not found.faults and not common(others, self.own):
                return found  # Only what all of them find counts.
        confirmed = found.confirmed(others, self.own)
        known = {(f.kind, f.span.start) for f in confirmed.faults}
        more = [f for f in common(others, self.own) if (f.kind, f.span.start) not in known]
        places = [(source.offset_of(f.span.start), f) for f in more]
        return confirmed.with_more([(source.section_at(place), f) for place, f in places if place is not None])

    def kernels(self, source: Source, *, read: bool) -> tuple[Source, tuple[PlacedKernel, ...]]:
        """The kernels of these files that reach accesses in it, and its source, which knows those files.

        They are merely followed where they are not to be `read`, and those that hold none of its text always.
        """
        found: list[PlacedKernel] = []
        for file, outer in self.files:
            apart = apart_from(outer.source, self.own) if read else _every
            kernels = outer.kernels.of(outer.source, apart, accessing=True)
            for reading in kernels if read else ():
                if any(a.span.file == self.own for a in reading.snapshot.facts.accesses):
                    found.append(PlacedKernel(self._seen(reading, file)))
                    source = self._with_files(source, outer.source, file)
        return source, tuple(found)

    def _seen(self, reading: PlacedKernel, kernel_file: str) -> KernelSnapshot:
        """A kernel of `kernel_file` with every place counted from the file that it includes."""
        here, edit = self.own, self.edit

        def at(span: Span) -> Span:
            file = kernel_file if span.file is None else span.file
            if file != here:
                return Span(start=span.start, end=span.end, file=file)
            moved = self._after(edit, replace(span, file=file)) if edit is not None else span
            return Span(start=moved.start, end=moved.end)

        facts = relocated(reading.facts, at)
        if edit is None:
            return KernelSnapshot(reading.key, facts, like=reading.snapshot.like)
        key = blake2b(reading.key + repr(edit).encode(), digest_size=16).digest()
        return KernelSnapshot(key, facts, like=reading.key)

    def _with_files(self, source: Source, includer: Source, kernel_file: str) -> Source:
        """The included file's source, able to locate places in the file that includes it as well."""
        others = {**source.files, **includer.files, kernel_file: includer.original, self.own: source.original}
        return replace(source, files=others)


def apart_from(includer: Source, here: str) -> Callable[[Sequence[tuple[int, int]]], bool]:
    """A test of ranges of an includer's parsed text: nothing in them is text of the file `here`."""
    segments = [*includer.segments]
    ends = [*(segment.out for segment in segments[1:]), len(includer.text)]
    own = [(one.out, end) for one, end in zip(segments, ends, strict=True) if one.file == here]

    def apart(ranges: Sequence[tuple[int, int]]) -> bool:
        return not any(start < end and begin < stop for start, stop in ranges for begin, end in own)

    return apart


def _every(_ranges: Sequence[tuple[int, int]]) -> bool:
    return True
