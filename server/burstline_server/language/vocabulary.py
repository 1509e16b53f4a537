"""Looks the language's own names up: signatures and texts from the tables next to this file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

WordKind = Literal["function", "attribute", "pragma", "qualifier", "keyword", "type", "constant"]
LANES = ("2", "3", "4", "8", "16")
SCALARS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")
_TYPE = r"(?P<type>u?(?:char|short|int|long)|half|float|double)(?P<lanes>2|3|4|8|16)?"
_VECTOR = re.compile(_TYPE)
_FAMILY = re.compile(rf"(?P<family>convert|as)_(?P<whole>{_TYPE})(?:_sat)?(?:_rt[ezpn])?")
_SIGNATURE = re.compile(r"(?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that the language names. `usage` shows how it is written, `group` says what it belongs to."""

    name: str
    kind: WordKind
    usage: str
    text: str
    group: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """A function's parameters as they are in its usage."""
        return parameters_of(self.usage)


def parameters_of(signature: str) -> tuple[str, ...]:
    """The parameters between the first parentheses of a signature."""
    opening = signature.find("(")
    if opening < 0:
        return ()
    parts, depth, start = [], 0, opening + 1
    for i in range(opening, len(signature)):
        depth += (signature[i] == "(") - (signature[i] == ")")
        if (signature[i] == "," and depth == 1) or depth == 0:
            parts.append(signature[start:i].strip())
            start = i + 1
        if depth == 0:
            break
    return tuple(p for p in parts if p and p != "void")


@cache
def vocabulary() -> dict[tuple[WordKind, str], Entry]:
    """Every entry by its kind and name; families once for each scalar type and each number of lanes."""
    return {(entry.kind, entry.name): entry for entry in (*_functions(), *_words())}


def entries(*kinds: WordKind) -> list[Entry]:
    """The entries of some kinds, in the order of the tables."""
    return [entry for (kind, _), entry in vocabulary().items() if kind in kinds]


def find(name: str, *kinds: WordKind) -> Entry | None:
    """The entry of this name in the first of these kinds that has one."""
    for kind in kinds:
        if entry := vocabulary().get((kind, name)):
            return entry
        if kind == "function" and (match := _FAMILY.fullmatch(name)):
            base = vocabulary()["function", f"{match['family']}_{match['type']}"]
            usage = f"{match['whole']} {name}(gentype x)"
            return replace(base, name=name, usage=usage, text=base.text.replace(match["type"], match["whole"]))
        if kind == "type" and (match := _VECTOR.fullmatch(name)) and match["lanes"]:
            texts = _vectors()
            text = texts.get(match["lanes"], texts["n"]).format(n=match["lanes"], type=match["type"])
            return Entry(name, "type", name, text, "Types")
        if kind == "qualifier" and (entry := vocabulary().get(("qualifier", f"__{name}"))):
            return replace(entry, name=name, usage=name)
    return None


def _functions() -> Iterator[Entry]:
    for group, table in _read("functions").items():
        for signature, text in table.items():
            head = signature.partition("(")[0]
            for mark, values in (("{T}", SCALARS), ("{n}", LANES)):
                if mark in head.split()[-1]:
                    for value in values:
                        yield _function(signature.replace(mark, value), text.replace(mark, value), group)
                    break
            else:
                yield _function(signature, text, group)


def _function(signature: str, text: str, group: str) -> Entry:
    usage = signature.replace("{n}", "").replace("{m}", "")
    match = _SIGNATURE.match(usage)
    return Entry(match["name"] if match else usage, "function", usage, text, group)


def _words() -> Iterator[Entry]:
    kinds: dict[str, tuple[WordKind, str]] = {
        "attribute": ("attribute", "Attributes"), "pragma": ("pragma", "Pragmas"),
        "qualifier": ("qualifier", "Qualifiers"), "keyword": ("keyword", "Keywords"), "type": ("type", "Types"),
        "constant": ("constant", "Constants"),
    }  # fmt: skip
    for table, (kind, group) in kinds.items():
        for usage, text in _read("words")[table].items():
            yield Entry(re.split(r"[ (]", usage)[0], kind, usage, text, group)


@cache
def _vectors() -> dict[str, str]:
    """What vector types are, by how many elements they have; `n` for any other number."""
    return _read("words")["vector"]


def _read(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
