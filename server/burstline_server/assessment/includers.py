"""A file without a kernel is seen through the kernels of the files in its folder that include it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from burstline_model.facts import KernelFacts, Span
from burstline_model.files import allowed, read_bounded
from burstline_server.source.source import Source

MAX_NEIGHBOURS = 200
"""Most files next to a file that are looked into."""
MAX_INCLUDERS = 6
"""Most files that a file is seen through: more show the same accesses again."""
MAX_BYTES = 4_000_000
_SUFFIXES = {".cl", ".ocl", ".clh"}


def includers(path: Path, workspace: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The files in the same folder, and in the workspace's one above, that include this one, with their texts."""
    pattern = re.compile(r'#\s*include\s*["<](?:[^"<>\n]*/)?' + re.escape(path.name) + r'[">]')
    seen = found = 0
    folders = (path.parent, *workspace)
    for folder in (one for one in (path.parent, path.parent.parent) if allowed(one, folders)):
        try:
            neighbours = sorted(p for p in folder.iterdir() if p.suffix in _SUFFIXES and p != path)
        except OSError:
            continue
        for neighbour in neighbours:
            seen += 1
            if seen > MAX_NEIGHBOURS:
                return
            try:
                text = read_bounded(neighbour, MAX_BYTES, folders).decode("utf-8-sig", "replace")
            except OSError:
                continue
            if pattern.search(text):
                yield neighbour, text
                found += 1
                if found >= MAX_INCLUDERS:
                    return


def seen_from(facts: KernelFacts, kernel_file: str, here: str) -> KernelFacts:
    """The facts of a kernel in `kernel_file` with every place counted from `here`, a file it includes."""

    def at(span: Span) -> Span:
        file = kernel_file if span.file is None else span.file
        return Span(start=span.start, end=span.end, file=None if file == here else file)

    return facts.relocated(at)


def with_includer(source: Source, includer: Source, kernel_file: str) -> Source:
    """The included file's source, able to locate places in the file that includes it as well."""
    return replace(source, files={**source.files, **includer.files, kernel_file: includer.original})
