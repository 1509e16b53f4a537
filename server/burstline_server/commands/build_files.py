"""The command line that a kernel file is built with: the nearest build file that names it, and its best line.

Looked at are the file's folder and those above it up to the repository's root or the workspace's, no others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from burstline_model.files import read_bounded
from burstline_server.caches.bounded import BoundedCache
from burstline_server.commands.command import Command
from burstline_server.commands.database import NAME as DATABASE
from burstline_server.commands.database import database_commands
from burstline_server.commands.makefile import Reader, makefile_commands
from burstline_server.commands.scripts import cmake_commands, script_commands
from burstline_server.commands.shell_words import HOLE, base_name

MAX_FOLDERS = 12
MAX_ENTRIES = 2_000
"""Most entries of a folder that are looked at."""
MAX_FILES = 12
"""Most build files of a folder that are read."""
MAX_FILES_IN_ALL = 24
MAX_FILE_BYTES = 256_000
MAX_DATABASE_BYTES = 2_000_000
MAX_COMMANDS = 2_000
MAX_REMEMBERED = 128
_BUILD_FILE = re.compile(r"(?:GNU)?[Mm]akefile(?:\..+|_.+)?|make\.\w+|.+\.(?:mk|mak)|CMakeLists\.txt|.+\.sh")
BUILD_PATTERN = "**/{[Mm]akefile*,GNUmakefile*,make.*,*.mk,*.mak,CMakeLists.txt,*.sh,compile_commands.json}"
"""The same for editors."""
_ORDER = (
    re.compile(r"(?:GNU)?[Mm]akefile"),
    re.compile(r"CMakeLists\.txt"),
    re.compile(r".*(?<!\.sh)"),
    re.compile(r".*"),
)
EXACT, NAMED, PATTERN, ANY = 3, 2, 1, 0
"""How well a command's file fits: this very path, a file of this name, a name with holes, any file at all."""

Stamp = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Built:
    """The command line that was taken for a file, and those that were not."""

    command: Command
    others: tuple[Command, ...] = ()


@dataclass
class BuildFiles:
    """Finds command lines and remembers build files by when they were written."""

    _folders: BoundedCache[Path, tuple[int, tuple[Path, ...]]] = field(
        default_factory=lambda: BoundedCache("folders with build files", MAX_REMEMBERED)
    )
    _read: BoundedCache[Path, tuple[tuple[Stamp, ...], list[Command]]] = field(
        default_factory=lambda: BoundedCache("build files", MAX_REMEMBERED)
    )

    def for_file(self, path: Path, text: str, top: Path, workspace: Sequence[Path]) -> Built | None:
        """The command line that builds a file with this text; None where no build file names it."""
        weak: list[tuple[int, Command]] = []
        folders, left = (top, *workspace), MAX_FILES_IN_ALL
        for folder in folders_of(path, top):
            files = self._files(folder)[:left]
            left -= len(files)
            fitting = [
                (fit, command)
                for file in files
                for command in self._commands(file, folders)
                if (fit := fit_of(command, path)) is not None
            ]
            if any(fit > ANY for fit, _ in fitting):
                return chosen([(f, c) for f, c in fitting if f > ANY], text)
            weak += fitting
        return chosen(weak, text) if weak else None

    def _files(self, folder: Path) -> tuple[Path, ...]:
        try:
            stamp = folder.stat().st_mtime_ns
        except OSError:
            return ()
        known = self._folders.find(folder)
        if known is None or known[0] != stamp:
            known = self._folders.keep(folder, (stamp, build_files(folder)))
        return known[1]

    def _commands(self, file: Path, folders: Sequence[Path]) -> list[Command]:
        known = self._read.find(file)
        if known is not None and all(_stamp(Path(name)) == (name, *when) for name, *when in known[0]):
            return known[1]
        stamps = [_stamp(file)]

        def read(further: Path) -> str | None:
            stamps.append(_stamp(further))
            return _text(further, folders)

        text = _text(file, folders)
        commands = commands_of(file, text, read)[:MAX_COMMANDS] if text is not None else []
        self._read.keep(file, (tuple(stamps), commands))
        return commands


def folders_of(path: Path, top: Path) -> Iterator[Path]:
    """The folder of a file and those above it up to `top`, or to the root of its repository."""
    for folder in islice(path.parents, MAX_FOLDERS):
        yield folder
        if folder == top or (folder / ".git").exists():
            return


def is_build_file(name: str) -> bool:
    """Whether a file of this name may hold command lines of a compiler."""
    return name == DATABASE or _BUILD_FILE.fullmatch(name) is not None


def build_files(folder: Path) -> tuple[Path, ...]:
    """The build files of a folder, those that builds start from first."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in islice(entries, MAX_ENTRIES) if _BUILD_FILE.fullmatch(e.name))
    except (OSError, ValueError):
        return ()
    names.sort(key=lambda name: next(n for n, kind in enumerate(_ORDER) if kind.fullmatch(name)))
    databases = [one for one in (folder / DATABASE, folder / "build" / DATABASE) if one.is_file()]
    return (*databases, *(folder / name for name in names[:MAX_FILES]))


def commands_of(file: Path, text: str, read: Reader) -> list[Command]:
    """The compiler's command lines of a build file."""
    if file.name == DATABASE:
        return database_commands(file, text)
    if file.name == "CMakeLists.txt":
        return cmake_commands(file, text)
    return script_commands(file, text) if file.suffix == ".sh" else makefile_commands(file, text, read)


def fit_of(command: Command, path: Path) -> int | None:
    """How well a command's files fit a path; None where it builds others."""
    return max(
        (fit for source in command.flags.sources if (fit := _fit(source, command, path)) is not None), default=None
    )


def _fit(source: str, command: Command, path: Path) -> int | None:
    name = base_name(source)
    if HOLE not in source:
        if name != path.name:
            return None
        return EXACT if os.path.normpath(command.folder / source) == str(path) else NAMED
    directory, _, _ = source.replace("\\", "/").rpartition("/")
    if name == HOLE:
        return ANY if command.flags.says_something else None
    if HOLE not in directory and Path(os.path.normpath(command.folder / directory)) != path.parent:
        return None
    pattern = re.escape(name).replace(re.escape(HOLE), ".*")
    return PATTERN if re.fullmatch(pattern, path.name) else None


def chosen(fitting: Sequence[tuple[int, Command]], text: str) -> Built | None:
    """The command line that is taken.

    One that names the file goes over a pattern, hardware over emulation, the one that gives more of the names that the
    text computes with over others, the first over later ones.
    """
    best: dict[tuple[object, ...], tuple[int, Command]] = {}
    for fit, command in fitting:
        key = (command.path, command.line, *_what(command))
        if key not in best or best[key][0] < fit:
            best[key] = (fit, command)
    several = list(best.values())
    if not several:
        return None
    used = _used(text, {name for _, c in several for name in c.flags.defines}) if len(several) > 1 else set()

    def rank(one: tuple[int, Command]) -> tuple[int, bool, int, int]:
        fit, command = one
        names = command.flags.defines.keys()
        return -fit, command.flags.emulated, -len(names & used), len(names - used)

    ordered = [command for _, command in sorted(several, key=rank)]
    first, rest = ordered[0], ordered[1:]
    differing = {c.place: c for c in reversed(rest) if _what(c) != _what(first) and c.place != first.place}
    return Built(first, tuple(differing[place] for place in reversed(differing)))


def _what(command: Command) -> tuple[object, ...]:
    """What a command line says of a file."""
    flags = command.flags
    return tuple(sorted(flags.defines.items())), flags.include_paths, flags.board, flags.package, flags.emulated


def _used(text: str, names: set[str]) -> set[str]:
    """Those of some macros that a text computes with: found outside its conditions."""
    plain = re.sub(r"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|undef)\b.*$", "", text)
    return {name for name in names if re.search(rf"\b{re.escape(name.partition('(')[0])}\b", plain)}


def _text(file: Path, folders: Sequence[Path]) -> str | None:
    most = MAX_DATABASE_BYTES if file.name == DATABASE else MAX_FILE_BYTES
    try:
        data = read_bounded(file, most, folders)
    except OSError:
        return None
    return None if b"\0" in data[:1_000] else data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _stamp(file: Path) -> Stamp:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return str(file), 0, 0
    return str(file), status.st_mtime_ns, status.st_size
