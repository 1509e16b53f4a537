"""Text of a build file → the words of its commands; what is not written in the file stays a hole."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

HOLE = "\ue000"
"""Takes the place of a value that the file does not give."""
MAX_LINE = 20_000
"""Longest command line, in characters, after its variables are replaced."""
MAX_TEXT = 300_000
"""Most characters of command lines that are taken apart for one file."""
MAX_ROUNDS = 40
"""How deep variables may refer to variables."""
COMPILERS = frozenset({"aoc", "aocl", "ioc64"})
NAMES_COMPILER = re.compile(r"(?<![\w.-])(?:aocl?|ioc64)(?![\w.])")
_REFERENCE = re.compile(
    r"\$\$\(?\{?\w*\)?\}?|\$\(([^(){}$]{0,400})\)|\$\{([^(){}$]{0,400})\}|\$([A-Za-z_]\w*|[@<^*?+%|0-9#])"
)
_BACKSLASH = re.compile(r"(?<=[\w:.])\\(?=\w)")
"""Between folders, as Windows has it."""
_MUTE = frozenset({"echo", "printf", "rm", "cp", "mv", "cat", "ls", "which", "grep", "sed", "type", "test", "mkdir"})
_NAMED_COMPILER = re.compile(r"(?i)(?:\w*_)?(?:aoc|intelfpgaopencl_aoc)")


def expanded(text: str, value_of: Callable[[str], str | None]) -> str:
    """A text with its variables replaced, inner ones first; those without a value become holes."""
    left = MAX_LINE

    def replaced(match: re.Match[str]) -> str:
        nonlocal left
        name = match[1] or match[2] or match[3]
        value = value_of(name.strip()) if name else None
        value = HOLE if value is None else value
        left -= len(value)
        return value if left > 0 else HOLE

    for _ in range(MAX_ROUNDS):
        if len(text) > MAX_LINE:
            return HOLE
        text, count = _REFERENCE.subn(replaced, text)
        if not count:
            return text
    return HOLE


def commands_in(text: str, *, comments: bool = True) -> Iterator[tuple[str, Sequence[str]]]:
    """Each compiler command of an expanded line: the folder it is run in, as written, and the words behind its name."""
    folder = ""
    for words in _simple(text, comments=comments):
        if len(words) > 1 and words[0] == "cd":
            folder = words[1] if HOLE not in words[1] else folder
            continue
        if words and base_name(words[0]) in _MUTE:
            continue
        for number, word in enumerate(words):
            if is_compiler(word):
                yield folder, words[number + 1 :]
                break


def is_compiler(word: str) -> bool:
    """Whether a word names the vendor's compiler."""
    return base_name(word).removesuffix(".exe") in COMPILERS


def is_compiler_variable(name: str) -> bool:
    """Whether a variable that the file does not define is called like the compiler, as CMake's finders do."""
    return _NAMED_COMPILER.fullmatch(name) is not None


def base_name(word: str) -> str:
    """The last part of a path, whichever way its slashes lean."""
    return PurePosixPath(word.replace("\\", "/")).name


def _simple(text: str, *, comments: bool) -> Iterator[list[str]]:
    """The simple commands of a line."""
    text = _BACKSLASH.sub("/", text[:MAX_LINE])
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#" if comments else ""
    found: list[str] = []
    skip = False
    try:
        for word in lexer:
            if word and set(word) <= set(";&|()"):
                yield found
                found = []
            elif word and set(word) <= set("<>&"):
                skip = True
            elif skip:
                skip = False
            else:
                found.append(word)
    except ValueError:
        return  # a quote without its end
    yield found


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, from 1, those that end in a backslash joined with the next."""
    start, parts = 0, []
    for number, line in enumerate(text.split("\n"), start=1):
        start = start or number
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        yield start, " ".join([*parts, line]) if parts else line
        start, parts = 0, []
    if parts:
        yield start, " ".join(parts)
