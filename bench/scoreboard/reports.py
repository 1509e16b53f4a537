"""Vendor reports of public repositories: the texts they were compiled from, each read once for the report's target.

A row of the truth files names a report by its git blob, since a path holds several reports over a repository's history.
The texts that the report embeds are laid out as it names them; a header that it lacks comes from the repository at the
row's commit. Texts are assessed in this process, as ``burstline check`` does.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any

from bench.scoreboard.repositories import git_blob, git_files, git_show, report_of

from burstline_model.compiler.reported_lines import named_at
from burstline_model.estimate.kernel_estimate import LoopEstimate
from burstline_model.facts import KernelFacts
from burstline_model.target import Target
from burstline_model.vendor_report.javascript import variables
from burstline_model.vendor_report.views import base_name
from burstline_server.assessment.assessor import Assessor, OtherReading
from burstline_server.assessment.reports import OFF
from burstline_server.config.layers import Layer
from burstline_server.source.locate import place_of
from burstline_server.validation.crosscheck import HBM_BOARD

Row = dict[str, Any]
Texts = Mapping[str, str]
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
RELAXED = "-fp-relaxed"
_WORD = re.compile(r"(?<![\w-])-fp-relaxed(?![\w-])")
"""The option of a build's command, as its report prints it: the rows keep only -D and -I."""
_ROOM = ("a", "a", "a", "a")
"""Folders around a text, so that includes of ``../../`` stay inside."""
_MOST_UP = 3
_QUICK = 4
"""One report of so many is judged in a quick run."""


@dataclass(frozen=True)
class ReadKernel:
    """A kernel as read: where the target's compiler names each access, and each loop's line (1-based)."""

    facts: KernelFacts
    target: Target
    places: Mapping[int, tuple[str, int]]
    """File and line (1-based) by access; printf's hidden stores are left out."""
    loops: tuple[tuple[int, LoopEstimate], ...]


@dataclass(frozen=True)
class Text:
    """One compiled file with all that it includes, and how it was compiled."""

    root: str
    files: Texts
    settings: Mapping[str, Any]
    includes: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """Equal for equal texts, settings and include folders."""
        return _digest([sorted(self.files.items()), self.root, sorted(self.settings.items()), self.includes])

    @cached_property
    def names(self) -> frozenset[str]:
        """The base names of its files."""
        return frozenset(base_name(path) for path in self.files)


@dataclass(frozen=True)
class Report:
    """The truth's rows of one report and its texts; None where one of them is not at hand."""

    rows: tuple[Row, ...]
    texts: tuple[Text, ...] | None

    @property
    def repository(self) -> str:
        """OWNER/NAME."""
        return str(self.rows[0]["repo"])

    @property
    def family(self) -> str:
        """The device family."""
        return str(self.rows[0]["family"])

    @property
    def version(self) -> str:
        """The compiler's version."""
        return str(self.rows[0]["aoc"])

    @cached_property
    def build(self) -> str:
        """Equal for builds of equal texts, family and options, whatever compiler version made them."""
        texts = [(text.root, sorted(text.files.items())) for text in self.texts or ()]
        return _digest([texts, self.rows[0].get("family"), self.rows[0].get("options")])


@dataclass
class Reader:
    """Reads texts once each, in its own folder, with what `other` reads in them as well."""

    folder: Path
    other: OtherReading | None = None
    _read: dict[str, tuple[ReadKernel, ...]] = field(default_factory=dict)

    def kernels(self, text: Text) -> tuple[ReadKernel, ...]:
        """The kernels of a text."""
        if text.key not in self._read:
            self._read[text.key] = tuple(self._kernels(text))
        return self._read[text.key]

    def _kernels(self, text: Text) -> Iterator[ReadKernel]:
        home = self.folder.joinpath(text.key, *_ROOM)
        for place, content in text.files.items():
            path = Path(posixpath.normpath(f"{home}/{place}"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8", newline="")
        folders = [Path(posixpath.normpath(f"{home}/{name}")) for name in text.includes]
        settings = {**text.settings, "report": OFF, "engine": "tree" if self.other is None else "llvm"}
        if found := [str(folder) for folder in folders if folder.is_dir()]:
            settings["include_paths"] = found
        path = home / text.root
        content = path.read_bytes().decode("utf-8-sig", "replace")
        layers = [Layer("option", settings)]
        done = Assessor([path.parent.parent]).assess(content, str(path), layers, other=self.other)
        for kernel in done.kernels:
            places = {}
            for access in kernel.facts.accesses:
                where = place_of(done.source, named_at(access, done.target))
                if access.hint != "printf":
                    places[access.id] = (Path(access.span.file or path).name, where.line + 1)
            loops = tuple(
                (place_of(done.source, kernel.facts.loops[one.loop].span).line + 1, one)
                for one in kernel.estimate.loops
            )
            yield ReadKernel(kernel.facts, done.target, places, loops)


def reports(truth: Path, mirror: Path, *, quick: bool = False) -> list[Report]:
    """Every report that a truth file names, in its order; a fixed sample of each repository's with `quick`."""
    by_report: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line in truth.read_text("utf-8").splitlines():
        row = json.loads(line)
        by_report[row["repo"], row["report_blob"]].append(row)
    chosen = list(by_report.values())
    if quick:
        numbers: dict[str, int] = defaultdict(int)
        for rows in chosen:
            rows[0]["number"] = numbers[rows[0]["repo"]]
            numbers[rows[0]["repo"]] += 1
        chosen = [rows for rows in chosen if rows[0].pop("number") % _QUICK == 0]
    return [Report(tuple(rows), _texts(mirror, rows)) for rows in chosen]


def reading_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for the texts that are read."""
    return tempfile.TemporaryDirectory(prefix="scoreboard")


def _texts(mirror: Path, rows: Sequence[Row]) -> tuple[Text, ...] | None:
    """What a report compiled: each kernel file that no other of its files includes."""
    row = rows[0]
    report = report_of(git_blob(mirror, row["repo"], row["report_blob"])).decode("utf-8", "replace")
    files = embedded(report)
    for r in rows:
        if r["file"] not in files:
            exact = r.get("source_match") == "exact" and r.get("source")
            content = git_show(mirror, r["repo"], f"{r['commit']}:{r['source']}") if exact else b""
            if not content:
                return None
            files[r["file"]] = content.decode("utf-8", "replace")
    included = {
        base_name(path)
        for name, text in files.items()
        if name.endswith(".cl")
        for path in _INCLUDE.findall(text)
        if base_name(path) != name
    }
    roots = sorted(n for n in files if n.endswith(".cl") and n not in included) or sorted({r["file"] for r in rows})
    settings = settings_of(row) | ({"aoc_flags": [RELAXED]} if RELAXED in _WORD.findall(report) else {})
    includes = tuple(o[2:].strip() for o in row.get("options") or () if o.startswith("-I"))
    return tuple(Text(root, with_headers(mirror, row, root, files), settings, includes) for root in roots)


def embedded(text: str) -> dict[str, str]:
    """The files that a report embeds, by base name."""
    entries = variables(text).get("fileJSON")
    found = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("content"):
            name = str(entry.get("absName") or entry.get("path") or entry.get("name") or "")
            found[base_name(name)] = str(entry["content"])
    return found


def with_headers(mirror: Path, row: Row, root: str, files: Texts) -> dict[str, str]:
    """A file and all that it includes, by their places; what the report lacks is the repository's nearest."""
    found, left = {root: files[root]}, [root]
    while left:
        at = left.pop()
        for path in _INCLUDE.findall(found[at]):
            name = base_name(path)
            place = posixpath.normpath(posixpath.join(posixpath.dirname(at), path.replace("\\", "/")))
            if place in found or place.startswith("/") or place.count("../") > _MOST_UP:
                continue
            content = files.get(name)
            if content is None:
                near = [p for p in _paths(mirror, row["repo"], row["commit"]) if p.rpartition("/")[2] == name]
                if not near:
                    continue
                best = max(near, key=lambda p: (len(commonprefix([p, row["report"]])), -len(p)))  # noqa: RUF071 - letters in common
                content = git_show(mirror, row["repo"], f"{row['commit']}:{best}").decode("utf-8", "replace")
            found[place] = content
            left.append(place)
    return found


@cache
def _paths(mirror: Path, repository: str, commit: str) -> list[str]:
    return git_files(mirror, repository, commit)


def settings_of(row: Row) -> dict[str, Any]:
    """The settings that a report's texts are read with."""
    keys: dict[str, Any] = {}
    if row.get("family"):
        keys["device_family"] = row["family"]
    if row.get("aoc"):
        keys["aoc_version"] = re.sub(r"^(\d+)\.x$", r"\1.1", row["aoc"])
    if "s10mx" in str(row.get("target")).lower():
        keys["board"] = HBM_BOARD
    pairs = (o[2:].strip().partition("=") for o in row.get("options") or () if o.startswith("-D"))
    defines = {name.strip(): value.strip() if sign else "1" for name, sign, value in pairs}
    if defines:
        keys["defines"] = defines
    return keys


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:16]
