"""compile_commands.json: the entries of kernel files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from burstline_server.commands.command import Command, flags_of
from burstline_server.commands.shell_words import MAX_LINE, base_name, is_compiler

NAME = "compile_commands.json"
MAX_ENTRIES = 20_000


def database_commands(path: Path, text: str) -> list[Command]:
    """The entries whose compiler is the vendor's, or whose file is a kernel file; none of a damaged database."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(entries, list):
        return []
    return [command for entry in entries[:MAX_ENTRIES] if isinstance(entry, dict) for command in _of(path, text, entry)]


def _of(path: Path, text: str, entry: dict[str, Any]) -> Iterator[Command]:
    file, folder = entry.get("file"), entry.get("directory", ".")
    words = _words(entry)
    if not isinstance(file, str) or not isinstance(folder, str) or "\0" in file + folder or not words:
        return
    kernel = file.lower().endswith((".cl", ".ocl", ".aocl"))
    if not kernel and not is_compiler(words[0]):
        return
    flags = flags_of(words[1:])
    named = {base_name(source) for source in flags.sources}
    if kernel and base_name(file) not in named:
        flags = flags.with_sources((*flags.sources, file))
    if flags.sources:
        place = text.find(json.dumps(file, ensure_ascii=False))
        yield Command(path, text.count("\n", 0, max(place, 0)) + 1, path.parent / folder, flags)


def _words(entry: dict[str, Any]) -> list[str]:
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list):
        return [word for word in arguments if isinstance(word, str)]
    try:
        return shlex.split(command[:MAX_LINE]) if isinstance(command, str) else []
    except ValueError:
        return []
