"""One command line of the vendor's compiler: what it builds, and with what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from burstline_server.commands.shell_words import HOLE, base_name

MAX_FLAGS = 500
"""Most options of a command line that are kept."""
_SOURCE = re.compile(r".*\.(?:cl|ocl|aocl)", re.DOTALL)
_MACRO = re.compile(r"([A-Za-z_]\w*(?:\([\w\s,.]*\))?)(?:=(.*))?", re.DOTALL)
_WITH_VALUE = {
    "board", "board-package", "fmax", "seed", "march", "no-interleaving", "const-cache-bytes", "opt-arg", "o", "L", "l",
    "library", "report-folder",
}  # fmt: skip
"""Options whose value may be the next word, as compilers before 17.1 take it."""
_EMULATORS = {"emulator", "simulator"}


@dataclass(frozen=True, slots=True)
class Flags:
    """What the words behind a compiler's name say."""

    sources: tuple[str, ...] = ()
    """Files as they are written, with holes."""
    defines: dict[str, str] = field(default_factory=dict)
    include_paths: tuple[str, ...] = ()
    board: str | None = None
    package: str | None = None
    """The board package's folder, or name."""
    emulated: bool = False
    others: tuple[str, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether anything of it bears on what is built."""
        return bool(self.defines or self.include_paths or self.board or self.package)

    def with_sources(self, sources: tuple[str, ...]) -> Flags:
        """The same options for these files."""
        return replace(self, sources=sources)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and the line (from 1) of the file that it is in."""

    path: Path
    line: int
    folder: Path
    """Where it is run."""
    flags: Flags

    @property
    def place(self) -> str:
        """The file's name and the line."""
        return f"{self.path.name}:{self.line}"


def flags_of(words: Sequence[str]) -> Flags:
    """Read the words behind a compiler's name; options with a value that the file does not give are left out."""
    found = Flags()
    sources, include_paths, others, holes = list[str](), list[str](), list[str](), list[str]()
    board = package = None
    emulated = False
    pending = list(reversed(words[:MAX_FLAGS]))
    while pending:
        word = pending.pop()
        if not word.startswith("-"):
            if _SOURCE.fullmatch(word):
                sources.append(word)
            elif word.strip(HOLE) == "" or word.endswith(HOLE):
                holes.append(word)
            continue
        if word[:2] in {"-D", "-I"}:
            value = word[2:] or (pending.pop() if pending else "")
            if word[1] == "I" and value and HOLE not in value:
                include_paths.append(value)
            elif word[1] == "D" and HOLE not in value and (macro := _MACRO.fullmatch(value)) is not None:
                found.defines[macro[1]] = macro[2] if macro[2] is not None else "1"
            continue
        name, sign, value = word.lstrip("-").partition("=")
        if not sign and name in _WITH_VALUE and pending and not pending[-1].startswith("-"):
            value = pending.pop()
        if HOLE in value or HOLE in name:
            continue
        if name == "board":
            board = value or None
        elif name == "board-package":
            package = value or None
        elif name == "march":
            emulated = emulated or value in _EMULATORS
        elif name not in {"o", "L", "l", "library", "c", "v", "g", "g0"}:
            others.append(f"-{name}={value}" if value else f"-{name}")
    return Flags(tuple(sources or holes), found.defines, tuple(include_paths), board, package, emulated, tuple(others))


def boards_named(flags: Flags) -> list[str]:
    """What a command calls its board, the most exact name first; nothing where it names none."""
    package = base_name(flags.package.rstrip("/\\")) if flags.package else ""
    name, sign, variant = (flags.board or "").partition(":")
    names = [flags.board or "", f"{package}:{flags.board}" if package and flags.board else ""]
    names += [variant if sign else "", name if sign else "", "" if flags.board else package]
    return list(dict.fromkeys(n for n in names if n))
