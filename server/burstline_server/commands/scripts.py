"""Shell scripts and CMake files: the compiler's command lines that are written out in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from burstline_server.commands.command import Command, flags_of
from burstline_server.commands.shell_words import MAX_TEXT, commands_in, expanded, is_compiler_variable, logical_lines

_ASSIGNED = re.compile(
    r"\s*(?:export\s+|local\s+|declare\s+)?([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|[^\s;&|]*)\s*(?:;|#.*)?$"
)
_CALL = re.compile(r"(?<!\w)([A-Za-z_]\w*)\s*\(")
_COMMENT = re.compile(r"#[^\n]*")
_PARTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|[^\s\"();]+|[()]")
MAX_CALL = 40_000
"""Longest call of a CMake command, in characters."""
_KEYWORDS = {
    "COMMAND", "DEPENDS", "WORKING_DIRECTORY", "COMMENT", "OUTPUT", "BYPRODUCTS", "MAIN_DEPENDENCY", "VERBATIM", "ALL",
    "USES_TERMINAL", "SOURCES", "COMMAND_EXPAND_LISTS", "RESULT_VARIABLE", "OUTPUT_VARIABLE", "PRE_BUILD", "POST_BUILD",
}  # fmt: skip
_WITH_COMMANDS = {"add_custom_command", "add_custom_target", "execute_process"}


def script_commands(path: Path, text: str) -> list[Command]:
    """The compiler's command lines of a shell script; conditions and loops are not followed."""
    values: dict[str, str] = {"PWD": str(path.parent)}
    found: list[Command] = []
    folder, left = path.parent, MAX_TEXT
    for number, line in logical_lines(text):
        assigned = _ASSIGNED.match(line)
        if assigned is not None:
            value = assigned[2]
            values[assigned[1]] = value[1:-1] if value[:1] in {'"', "'"} else value
            continue
        if "aoc" not in line and "ioc64" not in line and "$" not in line:
            continue
        text = _expanded(line, values)
        left -= len(text)
        if left < 0:
            break
        for within, words in commands_in(text):
            flags = flags_of(words)
            if flags.sources:
                found.append(Command(path, number, folder / within, flags))
    return found


def _expanded(line: str, values: dict[str, str]) -> str:
    return expanded(line, lambda name: values.get(name, "aoc" if is_compiler_variable(name) else None))


def cmake_commands(path: Path, text: str) -> list[Command]:
    """The compiler's command lines of a CMake file: of custom commands and targets, variables as `set` gives them."""
    if "aoc" not in text.lower() and "ioc64" not in text:
        return []
    values = {"CMAKE_CURRENT_SOURCE_DIR": str(path.parent), "CMAKE_CURRENT_LIST_DIR": str(path.parent)}
    values |= dict.fromkeys(("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"), str(_top(path.parent)))
    found: list[Command] = []
    left = MAX_TEXT
    for name, start, parts in _calls(text):
        words = [w for _, w in parts]
        if name == "set" and len(words) > 1:
            values[words[0]] = " ".join(w for w in _until_keyword(words[1:], {"CACHE", "PARENT_SCOPE"}))
        elif name == "list" and len(words) > 2 and words[0] in {"APPEND", "PREPEND"}:
            values[words[1]] = f"{values.get(words[1], '')} {' '.join(words[2:])}".strip()
        elif name in _WITH_COMMANDS and left > 0:
            left -= sum(len(w) for w in words)
            found += _custom(path, text, start, parts, values)
    return found


def _custom(
    path: Path, text: str, start: int, parts: Sequence[tuple[int, str]], values: dict[str, str]
) -> Iterator[Command]:
    line, counted = text.count("\n", 0, start) + 1, start
    for number, (place, word) in enumerate(parts):
        if word != "COMMAND":
            continue
        line, counted = line + text.count("\n", counted, place), place
        words = _until_keyword([w for _, w in parts[number + 1 :]], _KEYWORDS)
        command = expanded(" ".join(words), lambda n: values.get(n, "aoc" if is_compiler_variable(n) else None))
        for folder, own in commands_in(command.replace(";", " "), comments=False):
            flags = flags_of(own)
            if flags.sources:
                yield Command(path, line, path.parent / folder, flags)


def _until_keyword(words: Sequence[str], keywords: set[str]) -> list[str]:
    stop = next((n for n, word in enumerate(words) if word in keywords), len(words))
    return list(words[:stop])


def _calls(text: str) -> Iterator[tuple[str, int, list[tuple[int, str]]]]:
    """Each call: the command's name in small letters, where it starts, and its words with their places."""
    text = _COMMENT.sub(lambda m: " " * len(m[0]), text)
    stop = 0
    for match in _CALL.finditer(text):
        if match.start() < stop:
            continue
        parts: list[tuple[int, str]] = []
        depth, stop = 1, match.end()
        for part in _PARTS.finditer(text, match.end(), match.end() + MAX_CALL):
            stop = part.end()
            depth += (part[0] == "(") - (part[0] == ")")
            if depth == 0:
                break
            if part[0] not in {"(", ")"}:
                parts.append((part.start(), _unquoted(part[0])))
        yield match[1].lower(), match.start(), parts


def _unquoted(word: str) -> str:
    return word[1:-1].replace('\\"', '"') if word.startswith('"') else word


def _top(folder: Path) -> Path:
    """The topmost of the folders above that a chain of CMake files leads to."""
    top = folder
    for above in folder.parents[:6]:
        if not (above / "CMakeLists.txt").is_file():
            break
        top = above
    return top
