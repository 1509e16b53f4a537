"""How well real kernels are read: ``python bench/corpus.py FOLDER…`` prints one row for each folder.

Every ``.cl`` and ``.ocl`` file below a folder is assessed as the editor would, once for equal texts. Files that
are templates of another language are named and left out of the shares. ``--markdown FILE`` writes the table that
is in ``docs/corpus.md``, with the commit that a file called ``.commit`` in the folder has.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from burstline_model.facts import Access, KernelFacts
from burstline_server.assessment.assessor import Assessor
from burstline_server.assessment.costing import KernelAssessment
from burstline_server.config.layers import find_file, read_file
from burstline_server.source.source import Source

SUFFIXES = {".cl", ".ocl"}
AFFINE = {
    "global_id", "local_id", "group_id", "global_size", "local_size", "num_groups", "global_offset", "loop", "argument",
}  # fmt: skip
SHARES = {
    "parsed clean": ("clean", "files"),
    "clean in kernels": ("kernel_clean", "kernel_files"),
    "element size": ("sized", "accesses"),
    "size and index": ("indexed", "accesses"),
    "affine": ("affine", "accesses"),
    "stride": ("stride", "accesses"),
    "trip count": ("trips", "loops"),
}


class _Raised(logging.Handler):
    """Counts the exceptions that the analysis survived and logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.texts.append(f"{record.getMessage()}: {type(error).__name__}: {error}")


@dataclass
class Row:
    """What was counted in some files."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    templates: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)

    def add(self, other: Row) -> None:
        """Take another row's counts in."""
        self.counts.update(other.counts)
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.templates += other.templates
        self.broken += other.broken
        self.raised += other.raised


def errors(node: Node) -> Iterator[Node]:
    """The outermost ERROR and MISSING nodes."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from errors(child)


def _kernels_hit(source: Source) -> bool | None:
    """Whether an error is inside a kernel's definition, or swallows the word that begins one; None without any."""
    words = [n.start for n in source.notes if n.kind == "qualifier" and n.text.strip("_") == "kernel"]
    if not words:
        return None
    kernels = []
    for node in source.tree.root_node.children:
        if node.type == "function_definition":
            before = node.prev_named_sibling
            start = before.end_byte if before is not None else 0
            if any(start <= w < node.end_byte for w in words):
                kernels.append((start, node.end_byte))
    for error in errors(source.tree.root_node):
        inside = any(start < error.end_byte and error.start_byte < end for start, end in kernels)
        if inside or any(error.start_byte <= w < error.end_byte for w in words):
            return True
    return False


def _is_affine(facts: KernelFacts, access: Access) -> bool:
    if access.offset is None:
        return False
    return all(facts.symbols[s].kind in AFFINE for s in access.offset.symbols if s in facts.symbols)


def _count(kernel: KernelAssessment, counts: Counter[str]) -> None:
    facts = kernel.facts
    strides = {m: unit.stride for unit in kernel.lsus for m in unit.members}
    counts["kernels"] += 1
    for access in facts.accesses:
        if access.space == "global" and access.hint != "printf":
            counts["accesses"] += 1
            counts["sized"] += access.element_bytes > 0
            counts["indexed"] += access.element_bytes > 0 and access.offset is not None
            counts["affine"] += _is_affine(facts, access)
            counts["stride"] += strides.get(access.id) is not None
    for loop in facts.loops:
        counts["loops"] += 1
        counts["trips"] += loop.trip is not None


def assess_file(job: tuple[Path, Path]) -> Row:
    """Assess one file of a folder."""
    folder, path = job
    name = str(path.relative_to(folder))
    row, handler = Row(), _Raised()
    logging.getLogger().addHandler(handler)
    logging.getLogger().propagate = False
    started = time.process_time()
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
        file = find_file(path, folder)
        layers = [read_file(file, [folder])[0]] if file is not None else []
        assessment = Assessor(workspace=[folder]).assess(text, str(path), layers)
    except Exception as error:  # noqa: BLE001 - an exception is a result here
        row.raised.append(f"{name}: {type(error).__name__}: {error}")
        return row
    finally:
        logging.getLogger().removeHandler(handler)
    row.seconds = time.process_time() - started
    row.raised += [f"{name}: {t}" for t in handler.texts]
    if assessment.source.template:
        row.templates.append(name)
        return row
    row.slowest = (row.seconds, name)
    hit = _kernels_hit(assessment.source)
    row.counts.update(
        files=1, lines=text.count("\n") + 1, bytes=len(text),
        clean=int(not assessment.source.tree.root_node.has_error), kernel_files=int(hit is not None),
        kernel_clean=int(hit is False),
    )  # fmt: skip
    if hit:
        row.broken.append(name)
    for kernel in assessment.kernels:
        _count(kernel, row.counts)
    return row


def jobs_of(folders: Sequence[Path], samples: dict[str, int]) -> list[tuple[Path, Path]]:
    """The files to read, each text once; of a sampled folder that many, evenly spaced."""
    seen: set[bytes] = set()
    jobs = []
    for folder in folders:
        own = []
        for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                own.append((folder, path))
        most = min(samples.get(named(folder), len(own)), len(own))
        jobs += [own[i * len(own) // most] for i in range(most)]
    return jobs


def named(folder: Path) -> str:
    """A folder's name in the table; with the slash of a repository's name, which is a plus in the folder's."""
    return folder.name.replace("+", "/")


def table(rows: dict[str, Row], commits: dict[str, str]) -> str:
    """The rows as a Markdown table."""
    head = [
        "folder",
        "commit",
        "files",
        "with kernels",
        "kernels",
        "lines",
        *SHARES,
        "exceptions",
        "ms per 1 000 lines",
        "slowest",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, row in rows.items():
        c = row.counts
        shares = [f"{100 * c[a] / c[b]:.1f} %" if c[b] else "–" for a, b in SHARES.values()]
        speed = f"{1e6 * row.seconds / c['lines']:.0f}" if c["lines"] else "–"
        slowest = f"{row.slowest[0]:.2f} s {row.slowest[1]}" if row.slowest[1] else "–"
        cells = [
            name,
            commits.get(name, ""),
            c["files"],
            c["kernel_files"],
            c["kernels"],
            c["lines"],
            *shares,
            len(row.raised),
            speed,
        ]
        lines.append(f"| {' | '.join(str(x) for x in (*cells, slowest))} |")
    return "\n".join(lines) + "\n"


def page(rows: dict[str, Row], commits: dict[str, str], samples: dict[str, int]) -> str:
    """The page for ``docs/``."""
    all_ = rows["all"]
    left_out = "\n".join(f"- {n}: {len(r.templates)} files, such as `{r.templates[0]}`" for n, r in rows.items()
                         if r.templates and n != "all")  # fmt: skip
    broken = "\n".join(f"- {n}: " + ", ".join(f"`{b}`" for b in r.broken[:6]) + (f" and {len(r.broken) - 6} more"
                       if len(r.broken) > 6 else "") for n, r in rows.items() if r.broken and n != "all")  # fmt: skip
    sampled = "".join(f"--sample {name}={count} " for name, count in samples.items())
    return (
        "# Public kernels, as they are read\n\n"
        f"Made on {dt.datetime.now(dt.UTC).date()} by "
        f"`python bench/corpus.py --markdown docs/corpus.md {sampled}FOLDER…` "
        "over public repositories at the commits named; none of their text is kept here. Equal files count "
        "once. *Clean* means no error node in the tree that the analysis works on; *in kernels*, none inside a "
        "kernel's definition, of the files that define one. *Size and index*: the access has a known element "
        "size and its address is known in terms of ids, counters, arguments and values named; *affine*: in terms of "
        "ids, counters and arguments alone. "
        "Lines are the files' own, without what they include. *Stride* and *trip count* are known as a number or in "
        "symbols. Times are of the processor, with the reading of includes and of neighbouring files. "
        " A folder's own `burstline.toml` holds what its build defines, as a user's would.\n\n"
        f"{table(rows, commits)}\n"
        f"## Left out: templates of another language\n\n{left_out or 'None.'}\n\n"
        f"## Files with an error inside a kernel\n\n{broken or 'None.'}\n\n"
        f"## Exceptions\n\n{chr(10).join('- ' + t for t in all_.raised) or 'None.'}\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; exit status 1 when anything raised an exception."""
    parser = argparse.ArgumentParser(description="How well the kernels in folders are read.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page as well")
    parser.add_argument("--sample", action="append", default=[], metavar="NAME=N", help="only N files of this folder")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args(argv)
    folders = [f.resolve() for f in arguments.folders if f.is_dir()]
    samples = {name: int(count) for name, _, count in (s.rpartition("=") for s in arguments.sample)}
    jobs = jobs_of(folders, samples)
    if not jobs:
        sys.stderr.write("no .cl or .ocl file in these folders\n")
        return 2
    rows = {"all": Row()}
    with ProcessPoolExecutor(arguments.workers) as pool:
        for done, ((folder, _), row) in enumerate(zip(jobs, pool.map(assess_file, jobs, chunksize=4), strict=True), 1):
            rows.setdefault(named(folder), Row()).add(row)
            rows["all"].add(row)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {len(jobs)} files")
    commits = {named(f): (f / ".commit").read_text().strip()[:10] for f in folders if (f / ".commit").is_file()}
    print(table(rows, commits))
    for text in rows["all"].raised:
        print("exception:", text)
    if arguments.markdown:
        arguments.markdown.write_text(page(rows, commits, samples))
    return 1 if rows["all"].raised else 0


if __name__ == "__main__":
    sys.exit(main())
