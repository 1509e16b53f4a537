"""Awkward kernels in other lines: words that go on in the next one, several statements in one, notes above loops.

As well text of another build, and types in several words.
"""

from __future__ import annotations

import random
import re

_WORD = re.compile(r"[A-Za-z_]\w+|\d[\w.]+|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|->|<<|>>")
_SHARE = 8
"""One of so many seeds has such words, one of as many other builds, and so on."""
_TYPES = {"uchar": "unsigned char", "ushort": "short unsigned", "uint": "unsigned int", "short": "short int",
          "ulong": "unsigned long int", "char": "signed char"}  # fmt: skip
_TYPE = re.compile(rf"(?<!unsigned )(?<!signed )\b(?:{'|'.join(_TYPES)})\b(?! int\b| unsigned\b)")
_STATEMENT = re.compile(r"    \s*[^#/{}]*;\s*")
_OTHER = ("a[0] = 5;", "v = c[2];", "n = 3;", "c[n & 3] += v;", "return;", "for (int o = 0; o < 2; o++)")

_LOOP = re.compile(r"( +)(?:for|while) \(.*[^;\\]")
_NOTES = (
    "#pragma unroll 1\n", "#pragma nounroll // one", "#pragma unroll \\\n    1u",
    "#pragma unroll(1) /* one\n    two */", '_Pragma("unroll 1")\n    /* one */',
    "__attribute__((opencl_unroll_hint(1)))\n\n", "__attribute__((opencl_unroll_hint\n        (1))) // one",
    "#pragma nounroll\n    // #pragma unroll 2",
)  # fmt: skip
_BETWEEN = (" ", "  ", " /* next; } */ ", "\t", "\n\n    // if (n)\n")


def in_lines(text: str, seed: int) -> str:
    """The text, or the same in other lines, with one that is not compiled, or with types of several words."""
    draw = random.Random(seed + 5)
    kind = draw.randrange(_SHARE)
    if kind == 0:
        return _split(text, draw)
    if kind == 1:
        return _with_other(text, draw)
    if kind == 3:
        return _noted(text, draw)
    if kind == 4:
        return _joined(text, draw)
    return _TYPE.sub(lambda m: _TYPES[m[0]], text) if kind == 2 else text


def _noted(text: str, draw: random.Random) -> str:
    """Pragmas and attributes that leave loops as they are, with comments and empty lines between them and a loop."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if "__kernel" in line), len(lines))
    noted = re.compile(r" *(?:#|__attribute__|_Pragma)|.*\\")
    loops = [i for i in range(first + 1, len(lines)) if _LOOP.fullmatch(lines[i]) and not noted.match(lines[i - 1])]
    for at in sorted(draw.sample(loops, min(len(loops), 3)), reverse=True):
        lines[at:at] = [f"    {draw.choice(_NOTES)}"]
    return "\n".join(lines)


def _joined(text: str, draw: random.Random) -> str:
    """Lines of the kernel's body put together, or further apart."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if "__kernel" in line), len(lines)) + 2
    for at in sorted(draw.sample(range(first, len(lines)), min(max(len(lines) - first, 0), 6)), reverse=True):
        one, other = lines[at - 1], lines[at].lstrip()
        ends = one.endswith((";", "{", "}", ")")) and "//" not in one and not one.lstrip().startswith("#")
        if ends and other and not other.startswith(("#", "_Pragma")):
            lines[at - 1 : at + 1] = [one + draw.choice(_BETWEEN) + other]
    return "\n".join(lines)


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
