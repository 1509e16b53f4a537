"""Pragmas and attributes that stand before a loop or a function, as facts."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import takewhile

from tree_sitter import Node

from burstline_server.analysis.nodes import previous_end
from burstline_server.source.source import Source

_UNROLL_ATTRIBUTE = re.compile(r"opencl_unroll_hint\s*(?:\(\s*(\w*)\s*\))?")
_PACK = re.compile(r"pack\s*\(([^)]*)\)")
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(\()?")


@dataclass(frozen=True, slots=True)
class LoopPragmas:
    """What is asked of a loop (see `burstline_model.facts.Loop` for the meaning of the numbers)."""

    unroll: int | None = None
    ivdep: tuple[str, ...] | None = None
    initiation_interval: int | None = None


def integer(source: Source, text: str) -> int | None:
    """A literal, or an object-like macro that stands for one."""
    text = text.strip().strip("()").strip()
    for _ in range(8):
        macro = source.macros.get(text)
        if macro is None or macro.parameters is not None:
            break
        text = macro.body.strip().strip("()").strip()
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", text)
    return int(match[1], 0 if match[1][:2] in {"0x", "0X"} else 10) if match else None


def loop_pragmas(source: Source, loop: Node) -> LoopPragmas:
    """The pragmas and attributes between the previous statement and the loop."""
    before = previous_end(loop)
    unroll: int | None = None
    ivdep: tuple[str, ...] | None = None
    interval: int | None = None
    first = bisect_left(source.pragmas, before, key=lambda p: p.start)
    for pragma in takewhile(lambda p: p.start < loop.start_byte, source.pragmas[first:]):
        words = pragma.text.split(None, 1)
        if not words:
            continue
        name, rest = words[0], words[1] if len(words) > 1 else ""
        if match := re.fullmatch(r"(\w+)(\(.*)", name):
            name, rest = match[1], f"{match[2]} {rest}"
        match name:
            case "unroll":
                unroll = integer(source, rest) if rest.strip() else 0
            case "nounroll":
                unroll = 1
            case "ivdep":
                ivdep = (ivdep or ()) + tuple(re.findall(r"array\s*\(\s*(\w+)\s*\)", rest))
            case "ii":
                interval = integer(source, rest)
            case _:
                pass
    for note in source.notes_in(before, loop.start_byte):
        if note.kind == "attribute" and (match := _UNROLL_ATTRIBUTE.search(note.text)):
            unroll = integer(source, match[1]) if match[1] else 0
    return LoopPragmas(unroll, ivdep, interval)


def pack_at(source: Source, offset: int) -> int | None:
    """The alignment that the ``#pragma pack`` directives before an offset leave in force; None without one."""
    stack: list[int | None] = []
    current: int | None = None
    for pragma in source.pragmas:
        if pragma.start > offset:
            break
        match = _PACK.match(pragma.text)
        if match is None:
            continue
        words = [w.strip() for w in match[1].split(",") if w.strip()]
        if "push" in words:
            stack.append(current)
        if "pop" in words:
            current = stack.pop() if stack else None
        numbers = [int(w) for w in words if w.isdigit()]
        current = numbers[0] if numbers else None if not words else current
    return current


def attributes(text: str) -> dict[str, str]:
    """Attribute names with their arguments, from the text of ``__attribute__((…))`` specifiers."""
    found: dict[str, str] = {}
    position = 0
    while match := _NAME.search(text, position):
        position = match.end()
        name = match[1].strip("_")
        if name == "attribute":
            continue
        end = _closing(text, position - 1) if match[2] else position
        found[name] = text[position : end - 1].strip() if match[2] else ""
        position = end
    return found


def _closing(text: str, opening: int) -> int:
    """The offset after the parenthesis that closes the one at `opening` (the end of the text without one)."""
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    return len(text) + 1
