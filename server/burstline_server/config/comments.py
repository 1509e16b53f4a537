"""What-ifs in the source: ``// burstline: N=32768000 global_size=(1024,1024) trip[12]=64 bank[x]=0``.

``trip=64`` without a line, at the end of a loop's line or on the line above it, goes with the loop when lines move;
``taken=1/16`` does so with a condition, and ``taken[12]=1/16`` names its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from burstline_server.analysis.reuse import KernelList, PlacedKernel
from burstline_server.config.layers import Layer, Problem
from burstline_server.config.mistakes import Mistake, nearest
from burstline_server.config.settings import split_sizes
from burstline_server.source.source import Comment, Source

_PAIR = re.compile(
    r"\b((?P<sizes>(?:global|local)_size\b)|[A-Za-z_]\w*+(?:\.\w++)*+)(?:\[\s*+(?P<index>[\w.]++)\s*+\])?+\s*+=\s*+"
    r"(?P<value>\([^)]{0,200}\)|\"[^\"]{0,200}\""
    r"|(?(sizes)(?:\[[^]]{0,200}\]|\{[^}]{0,200}\}|\d++(?:(?:\s*+[,x×]|\s)\s*+\d++(?![\w.]|\s*+=))++)|(?!))"
    r"|[^\s,]++)"
)
_TOP = {"board", "device_family", "aoc_version", "mode", "interleaving", "hints"}
_LAUNCH = ("global_size", "local_size", "f_max", "trip")
_CAPITAL = re.compile(rb"//[ \t]*([Bb][Uu][Rr][Ss][Tt][Ll][Ii][Nn][Ee])[ \t]*:([^\r\n]*)")
_INDEXED = {"trip": "trips", "taken": "taken", "bank": "banks", "arg": "arguments"}


def comment_layers(source: Source, kernels: Sequence[PlacedKernel]) -> list[Layer]:
    """One layer for each comment; one inside a kernel, or right above it, holds for that kernel alone."""
    found = []
    for comment in source.comments:
        # One that is right above a kernel is in its section.
        near = kernels.own(comment.start, comment.end) if isinstance(kernels, KernelList) else range(len(kernels))
        found.append(_layer(source, comment, [kernels[n] for n in near], kernels))
    return [*found, *_misspelt(source)]


def sizes_in(
    source: Source, kernels: Sequence[PlacedKernel], kernel: str
) -> Iterator[tuple[int, int, tuple[str, ...]]]:  # fmt: skip
    """The sizes of launches that comments give one kernel and no other, with their ranges in the user's file."""
    for comment in source.comments:
        owner = _owner(source, comment, kernels)
        ahead = source.original[comment.start : comment.end].rfind(comment.text.encode())
        start = comment.start + ahead
        if ahead < 0 or (owner != kernel and (owner is not None or len(kernels) > 1)):
            continue
        for match in _PAIR.finditer(comment.text):
            if match["sizes"] and not match["index"]:
                sizes = split_sizes(match["value"])
                before = len(comment.text[: match.start("value")].encode())
                yield start + before, start + before + len(match["value"].encode()), sizes


def _misspelt(source: Source) -> list[Layer]:
    """Comments that would set something if they began as such comments do."""
    found = []
    for match in _CAPITAL.finditer(source.original):
        if match[1] != b"burstline" and _PAIR.search(match[2].decode("utf-8", "replace")):
            line = source.lines.line_of(match.start()) + 1
            mistake = Mistake("not_lower_case", (match[1].decode(),))
            problem = Problem(mistake, source.path, line, "comment", match.span())
            found.append(Layer("comment", {}, source.path, place=match.span(), problems=(problem,)))
    return found


def _layer(source: Source, comment: Comment, kernels: Sequence[PlacedKernel], every: Sequence[PlacedKernel]) -> Layer:
    top: dict[str, Any] = {}
    launch: dict[str, Any] = {}
    owner = _owner(source, comment, kernels)
    facts = (k.snapshot.facts for k in kernels)
    arguments = {a.name for k in facts if k.name == owner for a in k.arguments}
    place, line = (comment.start, comment.end), source.lines.line_of(comment.start) + 1
    wrong = _without_value(comment.text)
    for match in _PAIR.finditer(comment.text):
        name, index = match[1], match["index"]
        value = _value(raw := match["value"])
        if index and name in _INDEXED:
            launch.setdefault(_INDEXED[name], {})[index] = value
        elif index:
            near = _nearest_setting(name, index, every)
            wrong.append(Mistake("no_such_index", (f"{name}[{index}]",), near, tuple(_INDEXED)))
        elif name == "trip" and name not in arguments:
            launch.setdefault("trips", {})[_line_described(source, comment)] = value
        elif name == "taken" and name not in arguments:
            launch.setdefault("taken", {})[_line_described(source, comment)] = value
        elif name in {"f_max", "fmax", "f_max_mhz"}:
            top["f_max_mhz"] = value
        elif name in _TOP:
            top[name] = raw != "off" if name == "interleaving" else raw.strip('"')
        elif match["sizes"]:
            launch[name] = value
        elif name in arguments or not every or not (near := _nearest_setting(name, index, every)):
            launch.setdefault("arguments", {})[name] = value
        else:
            wrong.append(Mistake("no_such_setting", (name,), near))
    keys = {**top, "kernels": {owner: launch}} if owner and launch else {**top, **launch}
    problems = tuple(Problem(mistake, source.path, line, "comment", place) for mistake in wrong)
    return Layer("comment", keys, source.path, place=place, line=line, problems=problems)


def _without_value(text: str) -> list[Mistake]:
    """What is wrong with the first name of a comment that nothing is given to."""
    before, equals, _ = _PAIR.sub(" ", text).partition("=")
    return [Mistake("no_value", (" ".join(before.split()[-1:]),))] if equals else []


def _nearest_setting(name: str, index: str, kernels: Sequence[PlacedKernel]) -> str | None:
    """The setting that a name is nearest to, where no kernel has an argument of that name."""
    if any(a.name == name for k in kernels for a in k.snapshot.facts.arguments):
        return None
    known = sorted(_INDEXED) if index else [*_LAUNCH, *_TOP]
    return nearest(name, known, cutoff=0.75)


def _line_described(source: Source, comment: Comment) -> str:
    """The line (from 1) that a comment is about: its own, or the next one when no code is on its line."""
    start = source.original.rfind(b"\n", 0, comment.start) + 1
    alone = not source.original[start : comment.start].strip()
    return str(source.lines.line_of(comment.start) + 1 + alone)


def _value(raw: str) -> Any:
    raw = raw.strip('"')
    if raw.startswith("("):
        return raw
    return int(raw) if re.fullmatch(r"-?\d{1,99}", raw) else float(raw) if re.fullmatch(r"-?\d+\.\d*", raw) else raw


def _owner(source: Source, comment: Comment, kernels: Sequence[PlacedKernel]) -> str | None:
    for kernel in kernels:
        span = kernel.span
        if span.file is not None:
            continue
        if span.start <= comment.start < span.end:
            return kernel.snapshot.facts.name
        between = source.original[comment.end : span.start]
        # Right above: nothing but further comments and attributes before the kernel's first line.
        if comment.end <= span.start and not re.search(rb"[;}]|\n[ \t\r]*\n", between):
            return kernel.snapshot.facts.name
    return None
