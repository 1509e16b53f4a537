"""Inputs near a given one: tokens and lines of texts that mean something, moved, joined and broken."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Sequence
from typing import Any

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "16", "64", "1024", "2147483647", "2147483648", "4294967295u", "0x7fffffffffffffff",
    "18446744073709551615ul", "1e400", "0x", "09", "1.5f", ".5", "1e", "9" * 400, "0b101", "1'000",
)  # fmt: skip
_VALUES = (
    None, True, 0, -1, 1, 4, 2.5, 1e308, 1 << 70, float("nan"), float("inf"), "", "4", "-1", "²", "1.2.3", "a b",
    "..", "x\0y",
    "9" * 400, [], {}, [[]], [{}], {"a": 1}, [1, "a"], {"name": "Load", "data": [1]},
)  # fmt: skip
_NOISE = ("é", "𝄞", "\0", "\r", "\r\n", "\ufeff", "\\\n", "\\", "\x0c", "\u2028", "\t", "²", "٣", '"', "'", "`", "\x7f")


def mutated(text: str, words: Sequence[str], others: Sequence[str], chance: random.Random) -> str:
    """The text after one to five changes; `words` are put in, lines and spans of `others` are grafted on."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        text = chance.choice(_CHANGES)(text, words, others, chance)
    return text


def mutated_value(value: Any, chance: random.Random) -> Any:
    """A value of JSON with one value inside it replaced, dropped or nested."""
    holders: list[Any] = []

    def walk(inner: Any) -> None:
        if isinstance(inner, dict | list) and inner:
            holders.append(inner)
            for one in inner.values() if isinstance(inner, dict) else inner:
                walk(one)

    walk(value)
    if not holders:
        return chance.choice(_VALUES)
    holder, other = chance.choice(holders), chance.choice(holders)
    key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1:
            holder[key] = [copy.deepcopy(holder[key])]
        case 2:
            holder[key] = copy.deepcopy(other)
        case 3 if isinstance(holder, list):
            holder.append(copy.deepcopy(other))
        case _:
            holder[key] = chance.choice(_VALUES)
    return value


def _span(parts: Sequence[object], chance: random.Random, most: int = 12) -> tuple[int, int]:
    start = chance.randrange(len(parts) + 1)
    return start, min(len(parts), start + chance.randint(1, most))


def _tokens(text: str, words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """Tokens deleted, doubled, swapped, replaced or put in."""
    parts = _TOKEN.findall(text)
    start, end = _span(parts, chance)
    start2, end2 = _span(parts, chance)
    match chance.randrange(5):
        case 0:
            parts[start:end] = []
        case 1:
            parts[start2:start2] = parts[start:end]
        case 2:
            parts[start:end] = parts[start2:end2]
        case 3:
            parts[start : start + 1] = [chance.choice(words)]
        case _:
            parts[start:start] = [" ", chance.choice(words), " "]
    return "".join(parts)


def _lines(text: str, _words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """Lines deleted, doubled or moved."""
    parts = text.splitlines(keepends=True)
    start, end = _span(parts, chance, 4)
    piece = parts[start:end]
    if chance.random() < 0.7:
        parts[start:end] = []
    if chance.random() < 0.7:
        at = chance.randrange(len(parts) + 1)
        parts[at:at] = piece
    return "".join(parts)


def _graft(text: str, _words: Sequence[str], others: Sequence[str], chance: random.Random) -> str:
    """Lines of another text put in."""
    parts = text.splitlines(keepends=True)
    other = chance.choice(others).splitlines(keepends=True)
    start, end = _span(other, chance, 8)
    at = chance.randrange(len(parts) + 1)
    parts[at:at] = other[start:end]
    return "".join(parts)


def _number(text: str, _words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """A number, or else a word, replaced by a number that is seldom thought of."""
    found = list(re.finditer(r"\b\d[\w.]*", text)) or list(re.finditer(r"\w+", text))
    if not found:
        return text + chance.choice(_NUMBERS)
    match = chance.choice(found)
    return text[: match.start()] + chance.choice(_NUMBERS) + text[match.end() :]


def _name(text: str, _words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """One word everywhere, or at one place, replaced by another one of the text."""
    names = re.findall(r"[A-Za-z_]\w*", text)
    if not names:
        return text
    old, new = chance.choice(names), chance.choice(names)
    return re.sub(rf"\b{old}\b", new, text, count=chance.choice((0, 1, 1, 1)))


def _repeated(text: str, words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """A piece many times over: depth and length."""
    parts = _TOKEN.findall(text)
    start, end = _span(parts, chance, 6)
    piece = (
        "".join(parts[start:end]) if chance.random() < 0.5 else chance.choice([*words, "(", "{", "[", "*", "-", "!"])
    )
    many = piece * chance.choice((2, 8, 40, 300))
    return "".join([*parts[:start], many, *parts[end:]])


def _noise(text: str, _words: Sequence[str], _others: Sequence[str], chance: random.Random) -> str:
    """A character that is seldom typed put in, or a few taken out."""
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(_NOISE) + text[at + chance.choice((0, 0, 1, 3)) :]


_CHANGES = (_tokens, _tokens, _tokens, _lines, _lines, _graft, _number, _name, _repeated, _noise)
