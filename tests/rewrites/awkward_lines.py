"""Awkward kernels with words that go on in the next line, text of another build, and types in several words."""

from __future__ import annotations

import random
import re

_WORD = re.compile(r"[A-Za-z_]\w+|\d[\w.]+|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|->|<<|>>")
_SHARE = 8
"""One of so many seeds has such words, one of as many other builds, one such types."""
_TYPES = {"uchar": "unsigned char", "ushort": "short unsigned", "uint": "unsigned int", "short": "short int",
          "ulong": "unsigned long int", "char": "signed char"}  # fmt: skip
_TYPE = re.compile(rf"(?<!unsigned )(?<!signed )\b(?:{'|'.join(_TYPES)})\b(?! int\b| unsigned\b)")
_STATEMENT = re.compile(r"    \s*[^#/{}]*;\s*")
_OTHER = ("a[0] = 5;", "v = c[2];", "n = 3;", "c[n & 3] += v;", "return;", "for (int o = 0; o < 2; o++)")


def in_lines(text: str, seed: int) -> str:
    """The text, or the same with words split by line ends, a line that is not compiled, or types of several words."""
    draw = random.Random(seed + 5)
    kind = draw.randrange(_SHARE)
    if kind == 0:
        return _split(text, draw)
    if kind == 1:
        return _with_other(text, draw)
    return _TYPE.sub(lambda m: _TYPES[m[0]], text) if kind == 2 else text


def _split(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    # What runs it reads its group and its arguments in the lines before its body.
    body = next((i for i, line in enumerate(lines) if "__kernel" in line), -1) + 1
    for at in draw.sample(range(body, len(lines)), min(len(lines) - body, 3)):
        words = list(_WORD.finditer(lines[at].split("//")[0]))
        if not words or lines[at].lstrip().startswith(("//", "#")):
            continue
        word = draw.choice(words)
        middle = draw.randrange(word.start() + 1, word.end())
        lines[at] = lines[at][:middle] + "\\\n" + lines[at][middle:]
    return "\n".join(lines)


def _with_other(text: str, draw: random.Random) -> str:
    """A line under a condition that does not hold, between two others of the kernel."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if "__kernel" in line), len(lines))
    places = [i for i in range(first + 1, len(lines)) if _STATEMENT.fullmatch(lines[i])]
    if places:
        at = draw.choice(places)
        lines[at:at] = ["#ifdef OTHER_BUILD", f"    {draw.choice(_OTHER)}", "#endif"]
    return "\n".join(lines)
