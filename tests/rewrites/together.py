"""Many texts in one program, and kernels that each run any of many of theirs: a runtime compiles those few alone.

A runtime compiles each kernel when it is launched first, which takes much longer than to run it. Kernels with local
memory or barriers are launched by themselves: a kernel that others call may have neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

POINTERS, CONSTANTS, WHOLE, REAL = 10, 4, 8, 3
"""Places for arguments of each sort that such a kernel has; kernels with more are launched by themselves."""
TOGETHER = 48
"""Kernels that one runs: the time to compile it grows faster than their number."""
WIDE = "if (which < 0) vstore16((int16)(i0), 0, (__global int *)p0);"
"""Never run: LLVM passes vectors in registers of the widest that the caller itself has, not the functions inlined."""
NUMBERS = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "size_t", "unsigned"}
_KERNEL = re.compile(
    r"\b(?:__kernel|kernel)\s+(?:__attribute__\(\(.*?\)\)\s*)*void\s+(?P<name>\w+)\s*\((?P<arguments>[^)]*)\)"
)
_QUALIFIERS = re.compile(r"\b(?:restrict|__restrict|const|private|__private)\b")
_NOTES = re.compile(r"//[^\n]*|/\*.*?\*/|__attribute__\(\(.*?\)\)", re.DOTALL)
_APART = re.compile(r"\b(?:__)?local\b|\bbarrier\b|\bwork_group_\w+|\bimage\dd_t\b")
_FUNCTION = re.compile(r"\b(\w+)\s*\([^()]*\)\s*$")
_TYPE = re.compile(r"\}\s*(\w+)\s*;")


@dataclass(frozen=True)
class Place:
    """The kernel that runs a kernel, its number there, and which of that one's arguments each of its own is."""

    runs: str
    number: int
    places: tuple[str, ...]

    def arguments(self, given: Sequence[Any], fill: Any) -> list[Any]:
        """What that kernel gets for the arguments of this one; `fill` is a buffer for places that it does not use."""
        import numpy as np  # noqa: PLC0415

        found = {**dict.fromkeys((*_names("p", POINTERS), *_names("q", CONSTANTS)), fill)}
        found |= {**dict.fromkeys(_names("i", WHOLE), np.int64(0)), **dict.fromkeys(_names("f", REAL), np.float32(0))}
        for place, value in zip(self.places, given, strict=True):
            found[place] = {"i": np.int64, "f": np.float32}[place[0]](value) if place[0] in "if" else value
        return [np.int32(self.number), *found.values()]


def joined(texts: Sequence[str]) -> tuple[str, dict[tuple[int, str], Place]]:
    """The texts as one, their names numbered, and the place of each kernel that another can run."""
    pieces, calls, places = list[str](), list[list[str]]([[]]), dict[tuple[int, str], Place]()
    for at, text in enumerate(texts):
        pieces.append(_numbered(text, at))
        if _APART.search(_NOTES.sub("", text)):
            continue
        for match in _KERNEL.finditer(text):
            found = _called(match["arguments"])
            if found is not None:
                calls += [[]] if len(calls[-1]) == TOGETHER else []
                calls[-1].append(f"case {len(calls[-1])}: {match['name']}_{at}({found[1]}); break;")
                places[at, match["name"]] = Place(_runs(len(calls) - 1), len(calls[-1]) - 1, found[0])
    arguments = ["int which"]
    arguments += [f"__global uchar *{n}" for n in _names("p", POINTERS)]
    arguments += [f"__constant uchar *{n}" for n in _names("q", CONSTANTS)]
    arguments += [f"long {n}" for n in _names("i", WHOLE)] + [f"float {n}" for n in _names("f", REAL)]
    head = ", ".join(arguments)
    pieces += [
        f"__kernel void {_runs(at)}({head}) {{ {WIDE} switch (which) {{\n" + "\n".join(some) + "\n} }\n"
        for at, some in enumerate(calls)
    ]
    return "\n".join(pieces), places


def _runs(number: int) -> str:
    return f"any_of_them_{number}"


def _names(sort: str, many: int) -> list[str]:
    return [f"{sort}{number}" for number in range(many)]


def _called(arguments: str) -> tuple[tuple[str, ...], str] | None:
    """The places of a kernel's arguments, and how they are passed; None where there is no place for one."""
    left = {"p": POINTERS, "q": CONSTANTS, "i": WHOLE, "f": REAL}
    most, places, passed = dict(left), list[str](), list[str]()
    for written in _NOTES.sub("", arguments).split(","):
        type_ = " ".join(_QUALIFIERS.sub("", written.rpartition(re.findall(r"\w+", written)[-1])[0]).split())
        sort = ("q" if "constant" in type_ else "p") if type_.endswith("*") else "f" if type_ == "float" else "i"
        if left[sort] == 0 or (sort == "i" and not set(type_.split()) <= NUMBERS) or type_.count("*") > 1:
            return None
        places.append(f"{sort}{most[sort] - left[sort]}")
        passed.append(f"({type_}){places[-1]}")
        left[sort] -= 1
    return tuple(places), ", ".join(passed)


def _numbered(text: str, number: int) -> str:
    """A text whose functions and types end in a number."""
    names, depth, start = set[str](), 0, 0
    for at, character in enumerate(text):
        if character == "{":
            names |= {m[1] for m in _FUNCTION.finditer(text[start:at])} if depth == 0 else set()
            depth += 1
        elif character == "}":
            depth, start = depth - 1, at
            named = _TYPE.match(text, at) if depth == 0 else None
            names |= {named[1]} if named is not None else set()
    defined = sorted(names)
    return "".join(f"#define {n} {n}_{number}\n" for n in defined) + text + "".join(f"\n#undef {n}" for n in defined)


def of(built: Mapping[tuple[int, str], Place], number: int) -> dict[str, Place]:
    """The places of one text's kernels, by name."""
    return {name: place for (at, name), place in built.items() if at == number}
