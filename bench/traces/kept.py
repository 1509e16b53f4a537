"""Results in a folder, a file each by what they follow from: an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from bench.traces.launches import Launch
from bench.traces.oracle import HERE, NoRunError, Trace, compiled, preprocessed, run

ROOT = HERE.parents[1]
ORACLE = ("oracle.py", "plugin.cpp", "vendor.h")


@dataclass(frozen=True)
class Kept:
    """Results in `folder`; without one nothing is kept."""

    folder: Path | None = None

    def result(
        self, follows_from: Iterable[object], made: Callable[[], Any], lasts: Callable[[Any], bool] = lambda _: True
    ) -> Any:  # fmt: skip
        """What is kept of this, or made now, and kept where it `lasts`; a `NoRunError` is kept as well."""
        if self.folder is None:
            return made()
        file = self.folder / f"{_digest(follows_from)}.json"
        if not file.is_file():
            try:
                found = {"found": made()}
                if not lasts(found["found"]):
                    return found["found"]
            except NoRunError as error:
                found = {"why": str(error)}
            self.folder.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(json.dumps(found))
            part.replace(file)  # half a file is none
        known = json.loads(file.read_text())
        if "why" in known:
            raise NoRunError(known["why"])
        return known["found"]


class Runs:
    """A file's kernels in the simulator; those that are kept are not run again while text and launch are the same."""

    def __init__(
        self, path: Path, defines: dict[str, str], folders: list[str], work: Path, plugin: Path, kept: Kept
    ) -> None:  # fmt: skip
        self._path, self._defines, self._folders = path, defines, folders
        self._work, self._plugin, self._kept = work, plugin, kept
        text = preprocessed(path, defines, folders) if kept.folder is not None else ""
        self._from = (text, oracle_version())

    def given(self) -> dict[str, str]:
        """The macros that had to be given a value; raises `NoRunError` where it does not compile."""
        found: dict[str, str] = self._kept.result((*self._from, "code"), lambda: self._compiled[1])
        return found

    def traces(self, kernel: str, launch: Launch) -> list[Trace]:
        """What a kernel did; raises `NoRunError`."""

        def made() -> list[dict[str, object]]:
            return [asdict(one) for one in run(self._compiled[0], kernel, launch, self._plugin, self._work)]

        found = self._kept.result((*self._from, kernel, sorted(asdict(launch).items())), made)
        return [
            Trace(**{k: tuple(map(tuple, v)) if isinstance(v, list) else v for k, v in one.items()}) for one in found
        ]

    @cached_property
    def _compiled(self) -> tuple[Path, dict[str, str]]:
        return compiled(self._path, self._defines, self._folders, self._work)


@lru_cache(maxsize=1)
def oracle_version() -> str:
    """A digest of what runs kernels."""
    return _digest((HERE / name).read_bytes() for name in ORACLE)


@lru_cache(maxsize=1)
def model_version() -> str:
    """A digest of all that says what kernels do, and of the comparison."""
    every = [p for folder in ("model", "server", "bench/traces") for p in (ROOT / folder).rglob("*")]
    files = sorted(p for p in every if p.suffix in {".py", ".toml", ".cpp", ".h"})
    return _digest((str(p.relative_to(ROOT)), p.read_bytes()) for p in files)


def folder_version(folder: Path) -> str:
    """A digest of a repository's files, by their names, sizes and times: headers and build files take part."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return _digest((str(p.relative_to(folder)), s.st_size, s.st_mtime_ns) for p in files for s in [p.stat()])


def _digest(parts: Iterable[object]) -> str:
    return hashlib.sha256(repr(list(parts)).encode()).hexdigest()[:40]
