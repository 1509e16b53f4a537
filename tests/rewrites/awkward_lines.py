"""Awkward kernels in other lines: words that go on in the next one, several statements in one, notes above loops.

As well text of another build, types in several words, elements behind a pointer or written index first, lines that
end as on Windows, with comments that go on, and names that edits like to give.
"""

from __future__ import annotations

import random
import re

INDEX_FIRST, COMMENTED, WINDOWS = 0.3, 0.5, 0.5
_WORD = re.compile(r"[A-Za-z_]\w+|\d[\w.]+|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|->|<<|>>")
_SHARE = 8
"""One of so many seeds has such words, one of as many other builds, and so on."""
_TYPES = {"uchar": "unsigned char", "ushort": "short unsigned", "uint": "unsigned int", "short": "short int",
          "ulong": "unsigned long int", "char": "signed char"}  # fmt: skip
_VECTORS = re.compile(r"\bv(?:load|store)\d")
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
_ELEMENT = re.compile(r"(?<![.>&\w])(?P<name>[abc])\[(?P<index>[^][]*)\]")
_POINTER = re.compile(r"__global (?P<type>(?:const |volatile )*\w+) \*(?:restrict )?(?P<name>[abc])\b")
_OWN = re.compile(r"(?<![.>\w])v\b(?!\()")
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
    if kind == 5:
        return _index_first(text, draw) if draw.random() < INDEX_FIRST else _behind_pointer(text, draw)
    if kind == 6:
        return _commented(text, draw)
    if kind == 7:
        return _with_names(text, draw)
    return _in_words(text) if kind == 2 else text


def _in_words(text: str) -> str:
    """The text with types of several words; the runtime loads no vectors through pointers to ``signed char``."""
    kept = {"char"} if _VECTORS.search(text) else set[str]()
    return _TYPE.sub(lambda m: m[0] if m[0] in kept else _TYPES[m[0]], text)


def _body(lines: list[str]) -> int:
    """The line in which a kernel's body begins."""
    return next((i for i, line in enumerate(lines) if "__kernel" in line), len(lines)) + 2


def _index_first(text: str, draw: random.Random) -> str:
    """One element of the kernel's body with its index in front of its array."""
    lines = text.split("\n")
    found = [(i, m) for i in range(_body(lines), len(lines)) for m in _ELEMENT.finditer(lines[i])]
    if found:
        at, one = draw.choice(found)
        lines[at] = f"{lines[at][: one.start()]}({one['index']})[{one['name']}]{lines[at][one.end() :]}"
    return "\n".join(lines)


def _behind_pointer(text: str, draw: random.Random) -> str:
    """A pointer in front of one of the kernel's loops, and all of an argument's elements in it as places behind it."""
    lines = text.split("\n")
    first = _body(lines)
    types = {m["name"]: m["type"] for m in _POINTER.finditer("\n".join(lines[first - 2 :]))}
    loops = list[tuple[int, int, list[str]]]()
    for at in range(first, len(lines)):
        if _LOOP.fullmatch(lines[at]) and lines[at].endswith("{") and lines[at - 1].endswith((";", "{", "}")):
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            end = next((i for i in range(at, len(lines)) if lines[i] == indent + "}"), at)
            names = {m["name"] for line in lines[at:end] for m in _ELEMENT.finditer(line)} & set(types)
            loops += [(at, end, sorted(names))] if names else []
    if not loops:
        return text
    at, end, names = draw.choice(loops)
    name, by = draw.choice(names), draw.choice(("", " + 1", " + n"))
    whole = "(int)({})" + by.replace("+", "-") if by else "{}"  # no unsigned number is to fall below zero
    for i in range(at, end):
        lines[i] = _ELEMENT.sub(lambda m: f"ahead[{whole.format(m['index'])}]" if m["name"] == name else m[0], lines[i])
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, f"{indent}__global {types[name]} *ahead = {name}{by};")
    return "\n".join(lines)


def _commented(text: str, draw: random.Random) -> str:
    """Comments at the ends of lines, which go on in the next one, in a text whose lines may end in two characters."""
    lines = text.split("\n")
    for at in sorted(range(_body(lines), len(lines)), reverse=True):
        line = lines[at]
        plain = line.endswith((";", "{", "}", ")")) and "//" not in line and not line.lstrip().startswith("#")
        if plain and draw.random() < COMMENTED:
            lines[at] += draw.choice((" // as it is", " // one \\\n    more; }", " /* { */", " // }"))
    return ("\r\n" if draw.random() < WINDOWS else "\n").join(lines)


def _with_names(text: str, draw: random.Random) -> str:
    """Names that edits like to give, and attributes of the kernel that a macro holds."""
    lines = text.split("\n")
    first = _body(lines)
    name = draw.choice(("a_0", "c_kept", "a_window", "k_a_0", "whole", "c_copy", "v_next", "fixed_n", "t_block"))
    opening = first - 1  # what is declared may be behind the brace
    lines[opening:] = [_OWN.sub(name, line) for line in lines[opening:]]
    head = first - 2
    while lines[head - 1].startswith("__attribute__"):
        head -= 1
    more = draw.choice(("", "int k_memory(int x) { return x; }", "typedef int record;", "typedef short a_1;"))
    made = draw.choice(("", "HINT ", "HINT\n", "HINT /* one\n    more */ "))
    lines[head] = f"{more}\n{made}{lines[head]}"
    return ("#define HINT __attribute__((vec_type_hint(int)))\n" if made else "") + "\n".join(lines)


def _noted(text: str, draw: random.Random) -> str:
    """Pragmas and attributes that leave loops as they are, with comments and empty lines between them and a loop."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if "__kernel" in line), len(lines))
    # Behind a label, an attribute is the label's.
    noted = re.compile(r" *(?:#|__attribute__|_Pragma)|.*\\|\s*\w+:\s*$")
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
