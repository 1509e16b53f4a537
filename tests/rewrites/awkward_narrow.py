"""Awkward kernels with buffers and variables of narrow and wide types, and casts between them."""

from __future__ import annotations

import random
import re

TYPES = {
    "uchar": "uint8", "char": "int8", "ushort": "uint16", "short": "int16", "uint": "uint32", "long": "int64",
    "ulong": "uint64", "int": "int32",
}  # fmt: skip
NARROW = ("uchar", "uchar", "char", "ushort", "short", "short")
ANY = (*NARROW, "uint", "long", "ulong", "int")
CASTS = ("(uchar)", "(char)", "(ushort)", "(short)", "(uint)", "(long)", "convert_uchar_sat(", "convert_short_sat(")
LARGER = "int larger(int a, int b) { return a > b ? a : b; }\n"
OFTEN = 0.3
"""Share of loads that get a cast, and of declarations that get another type."""
_POINTER = re.compile(r"__global int \*(restrict )?(?P<name>[abc])\b")
_LOAD = re.compile(
    r"(?<=[=+*^?:(,<>|-])(?P<space> ?)\b(?P<load>[abc]\[[^][]*(?:\[[^][]*\][^][]*)*\])(?! ?(?:[-+^|&*]?=[^=]|\+\+|--))"
)
_DECLARED = re.compile(r"(?<=[ {])int (?P<names>(?:s|t|u|v|p|one|w\d+)\b[^;(){}]*;)")


def narrowed(text: str, seed: int, *, shared: bool) -> tuple[str, dict[str, str]]:
    """A kernel's text with other types, and the NumPy type of each of its buffers' elements.

    `shared`: some launch has ``a`` and ``c`` in one buffer, so that they are of one type.
    """
    draw = random.Random(seed + 1)
    types = {name: draw.choice(ANY) for name in "ab"}
    types["c"] = draw.choice(("int", "uint") if "atomic_" in text else ANY)
    types["a"] = types["c"] if shared else types["a"]
    used = set(re.findall(r"\bsecond\((\w)\b(?! \+)", text))
    first = types[used.pop()] if len(used) == 1 else "int"
    text = text.replace("int second(__global const int *", f"int second(__global const {first} *")
    if used:
        text = re.sub(r"int second\(.*\n", "#define second(p, i) ((int)(p)[(i) + 1])\n", text)
    text = _POINTER.sub(lambda m: m[0].replace("int", types[m["name"]]), text)
    text = text.replace("__global int *q = a", f"__global {types['a']} *q = a")

    def cast(match: re.Match[str]) -> str:
        if draw.random() > OFTEN:
            return match[0]
        to = draw.choice(CASTS)
        return f"{match['space']}{to}{match['load']}" + (")" if to.endswith("(") else "")

    def declared(match: re.Match[str]) -> str:
        names = re.findall(r"(?:^|, ?)(\w+)\b", match["names"])
        if draw.random() > OFTEN or any(re.search(rf"&{name}\b", text) for name in names):
            return match[0]
        return f"{draw.choice(ANY)} {match['names']}"

    head, brace, body = text.partition("__kernel")
    if "max(" in body:
        # The built-in is there for two numbers of one type.
        head, body = head + LARGER, body.replace("max(", "larger(")
    body = _DECLARED.sub(declared, _LOAD.sub(cast, body))
    return head + brace + body, {name: TYPES[type_] for name, type_ in types.items()}
