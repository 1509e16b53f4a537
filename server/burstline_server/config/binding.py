"""Whether what settings name is there: arguments, pointers, kernels, banks, loops, folders, reports.

A name that binds to nothing would be a setting that seems to hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from math import inf, prod
from pathlib import Path
from typing import Any

from burstline_model.boards.board import Board
from burstline_model.facts import Argument, KernelFacts
from burstline_model.files import read_bounded
from burstline_model.record import fixed
from burstline_server.analysis.types import named
from burstline_server.caches.bounded import BoundedCache
from burstline_server.config.layers import Layer, Problem
from burstline_server.config.mistakes import Mistake, MistakeKind, nearest
from burstline_server.config.settings import split_sizes
from burstline_server.source.source import Source

_MACRO = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?")
_WORD = re.compile(rb"\w++")
MAX_SEARCHED = 300
"""Most kernel files of a settings file's folder that are searched for a name which this file does not have."""
MAX_SEARCHED_BYTES = 8_000_000
MOST_KNOWN = 8
"""Most names that there are, named in place of one that there is not."""
MAX_FIELDS = 3
"""Most fields of an argument that a message names."""


@fixed
class Bound:
    """What settings can name in a file."""

    kernels: Sequence[KernelFacts]
    names: Collection[str]
    """The kernels' names, those without figures among them."""
    source: Source
    board: Board
    _below: dict[Path, list[_File | None]] = field(default_factory=dict)

    def below(self, folder: Path) -> Sequence[_File | None]:
        """The kernel files below a folder, listed once; None behind as many as are searched."""
        if folder not in self._below:
            self._below[folder] = list(_files_below(folder))
        return self._below[folder]


def unbound(layer: Layer, bound: Bound) -> Iterator[Problem]:
    """A problem for each thing that a layer names and that is not there."""
    if layer.where in {"editor", "build"}:
        return  # they hold for many files
    for place, mistake, name in _of_layer(layer, bound):
        if layer.where != "file" or name is None or not _elsewhere(layer, name, bound):
            yield Problem(mistake, layer.path, layer.line_of(place), layer.where, layer.place, about=tuple(place))
    if layer.where == "option" and (whole := _sizes(layer.keys.get("global_size"))) and _run_once(bound, whole):
        mistake = Mistake("run_once", (whole,))
        yield Problem(mistake, where="option", confined=True, about=("global_size",))


def _run_once(bound: Bound, whole: tuple[int, ...]) -> bool:
    """Whether sizes of several work-items are given where each kernel runs once all the same."""
    return prod(whole) > 1 and bool(bound.kernels) and all(k.model != "ndrange" for k in bound.kernels)


Mismatch = tuple[Sequence[str], Mistake, str | None]
"""The path of a key, what is wrong with it, and the name that another file of a project may have."""


def _of_layer(layer: Layer, bound: Bound) -> Iterator[Mismatch]:
    keys = layer.keys
    yield from _of_launch((), keys, bound.kernels, bound)
    own = keys.get("kernels")
    for name, launch in own.items() if isinstance(own, Mapping) else ():
        if name not in bound.names:
            yield ("kernels", str(name)), _unknown("no_such_kernel", str(name), bound.names), str(name)
        elif isinstance(launch, Mapping):
            facts = [k for k in bound.kernels if k.name == name]
            if facts:
                yield from _of_launch(("kernels", str(name)), launch, facts, bound)
    for word in keys.get("defines") or () if isinstance(keys.get("defines"), Mapping) else ():
        if not _MACRO.fullmatch(str(word)):
            yield ("defines", str(word)), Mistake("no_macro", (str(word),)), None
    if layer.where in {"option", "file"}:
        yield from _of_paths(keys)


def _of_launch(
    path: tuple[str, ...], keys: Mapping[str, Any], kernels: Sequence[KernelFacts], bound: Bound
) -> Iterator[Mismatch]:
    if not kernels:
        return
    pointers = {a.name for k in kernels for a in k.arguments if a.is_pointer}
    yield from _of_arguments(path, keys, [a for k in kernels for a in k.arguments])
    banks = bound.board.memory.banks
    for name, value in _pairs(keys, "banks"):
        if name not in pointers:
            yield (*path, "banks", name), _unknown("no_such_pointer", name, pointers), name
        elif _number(value) is None and str(value) not in bound.board.memory_names:
            yield (*path, "banks", name), _unknown("no_such_memory", str(value), bound.board.memory_names), None
        elif (bank := _number(value)) is not None and bank >= banks:
            kind: MistakeKind = "only_bank" if banks == 1 else "not_in_bank"
            yield (*path, "banks", name), Mistake(kind, (bank, name, bound.board.name, banks - 1)), None
    lines = {
        bound.source.lines.line_of(loop.span.start) + 1 for k in kernels for loop in k.loops if loop.span.file is None
    }
    for name in _names(keys, "trips"):
        if (line := _number(name)) is not None and line not in lines:
            near = tuple(sorted(sorted(lines, key=lambda n: abs(n - line))[:3]))
            # A line under a kernel's own name is of its file, or of one that it includes.
            own = path and all(loop.span.file is None for k in kernels for loop in k.loops)
            yield (*path, "trips", name), Mistake("no_such_loop", (line,), known=near), None if own else name
    yield from _of_sizes(path, keys, kernels)


def _of_arguments(path: tuple[str, ...], keys: Mapping[str, Any], arguments: Sequence[Argument]) -> Iterator[Mismatch]:
    """Values of what is no argument, takes no number, or cannot hold the value in any kernel."""
    scalars = {a.name for a in arguments if not a.is_pointer and not a.fields}
    scalars |= {f"{a.name}.{field}" for a in arguments for field in a.fields}
    others = {a.name: _no_number(a) for a in arguments if a.is_pointer or a.fields}
    for name, value in _pairs(keys, "arguments"):
        place = (*path, "arguments", name)
        ranges = [_range(a) for a in arguments if a.name == name]
        if name not in scalars:
            yield place, others.get(name) or _unknown("no_such_argument", name, scalars), name
        elif (number := _whole(value)) is not None and ranges and not any(a <= number <= b for a, b in ranges):
            yield place, Mistake("not_in_type", (name, number, *ranges[0])), name


def _no_number(argument: Argument) -> Mistake:
    """What an argument is that takes no number."""
    if argument.is_pointer:
        return Mistake("is_pointer", (argument.name,))
    fields = tuple(f"{argument.name}.{field}" for field in argument.fields[:MAX_FIELDS])
    return Mistake("has_fields", (argument.name, argument.type), known=fields)


def _range(argument: Argument) -> tuple[float, float]:
    """The values that an argument's type holds; all where the type is no integer of the language."""
    words = argument.type.split()
    type_ = named(words[-1]) if words else None
    if type_ is None or not type_.is_integer or not argument.element_bytes:
        return -inf, inf
    most = 1 << 8 * argument.element_bytes
    return (0, most - 1) if type_.unsigned or "unsigned" in words else (-most // 2, most // 2 - 1)


def _of_sizes(path: tuple[str, ...], keys: Mapping[str, Any], kernels: Sequence[KernelFacts]) -> Iterator[Mismatch]:
    """Sizes that no kernel here can be launched with."""
    whole, group = (_sizes(keys.get(key)) for key in ("global_size", "local_size"))
    required: list[tuple[int, ...] | None] = [k.work_group_size for k in kernels]
    if group and all(r is not None and (*group, 1, 1)[:3] != r for r in required):
        one = next(r for r in required if r is not None)
        yield (*path, "local_size"), Mistake("not_required_size", (group, one)), None
        return
    if whole and group and any(w % g for w, g in zip((*whole, 1, 1), (*group, 1, 1), strict=False) if g):
        yield (*path, "global_size"), Mistake("not_multiple", (whole, group)), None


def _of_paths(keys: Mapping[str, Any]) -> Iterator[Mismatch]:
    folders = keys.get("include_paths")
    for name in folders if isinstance(folders, list | tuple) else ():
        if not exists(name, folder=True):
            yield ("include_paths",), Mistake("no_such_folder", (str(name),), near_file(str(name))), None
    report = keys.get("report")
    if isinstance(report, str) and report != "off" and not exists(report):
        shown = report if len(report) <= MAX_SHOWN else f"{report[:MAX_SHOWN]}…"
        yield ("report",), Mistake("no_such_report", (shown,), near_file(report)), None


MAX_DIGITS = 20
MAX_SHOWN = 100
"""Longest name of a file that a message repeats."""


def exists(name: object, *, folder: bool = False) -> bool:
    """Whether there is a file or folder of that name, or a folder alone."""
    try:
        path = Path(str(name))
        return path.is_dir() if folder else path.exists()
    except (OSError, ValueError):
        return False


def near_file(name: str) -> str | None:
    """The file or folder with a name most like that of one which does not exist, in the same folder."""
    try:
        path = Path(name)
        near = nearest(path.name, [p.name for p in path.parent.iterdir() if p.name != path.name])
    except (OSError, ValueError):
        return None
    return str(path.parent / near) if near is not None else None


def _sizes(value: object) -> tuple[int, ...] | None:
    parts: Sequence[object] = (value,)
    if isinstance(value, str):
        parts = split_sizes(value)
    elif isinstance(value, list | tuple):
        parts = value
    numbers = [_number(p) for p in parts]
    whole = tuple(n for n in numbers if n is not None)
    return whole if whole and len(whole) == len(numbers) else None


def _number(value: object) -> int | None:
    """A whole number as it may be written; None for anything else."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) and 0 <= value < 1 << 64 else ""
    return int(text) if text.isdigit() and text.isascii() and len(text) <= MAX_DIGITS else None


def _whole(value: object) -> int | None:
    """A whole number of either sign as it may be written; None for anything else."""
    text = str(value) if isinstance(value, str | int) else ""
    number = _number(text.removeprefix("-"))
    return -number if number is not None and text.startswith("-") else number


def _names(keys: Mapping[str, Any], key: str) -> list[str]:
    return [name for name, _ in _pairs(keys, key)]


def _pairs(keys: Mapping[str, Any], key: str) -> list[tuple[str, Any]]:
    value = keys.get(key)
    return [(str(k), v) for k, v in value.items()] if isinstance(value, Mapping) else []


def _unknown(kind: MistakeKind, name: str, known: Collection[str]) -> Mistake:
    """No such thing, and what there is."""
    return Mistake(kind, (name,), nearest(name, sorted(known)), tuple(sorted(known)[:MOST_KNOWN]))


def _elsewhere(layer: Layer, name: str, bound: Bound) -> bool:
    """Whether a kernel file below a settings file has a name: settings hold for all of a project.

    An argument of this file must be in another one; any other name may belong to a kernel of this one that has faults.
    """
    if layer.path is None:
        return name.isdigit()  # a line of some file
    if name.isdigit():
        if bound.source.path is None or any(loop.span.file is not None for k in bound.kernels for loop in k.loops):
            return True
        this = Path(bound.source.path).resolve()
        return any(file is None or file.place != this for file in bound.below(Path(layer.path).parent))
    own = any(a.name == name for k in bound.kernels for a in k.arguments)
    here = Path(bound.source.path).resolve() if own and bound.source.path is not None else None
    folder, searched, said = Path(layer.path).parent, 0, name.encode()
    words = frozenset(_WORD.findall(said))
    for file in bound.below(folder):
        if file is None or searched > MAX_SEARCHED_BYTES:
            return True  # too many to be sure
        if file.place != here:
            try:
                size, held = _words_in(file, folder)
                searched += size
                if words <= held and (words == {said} or _holds(file, folder, said)):
                    return True
            except OSError:
                continue
    return False


@fixed
class _File:
    """A kernel file as it was written last."""

    path: Path
    place: Path
    """The same without symbolic links."""
    written_ns: int
    bytes: int


def _files_below(folder: Path) -> Iterator[_File | None]:
    """The kernel files below a folder, up to as many as are searched; None behind these."""
    for number, path in enumerate(folder.rglob("*.[co][lc]*")):
        if number >= MAX_SEARCHED:
            yield None
            return
        try:
            if path.suffix in {".cl", ".ocl", ".clh"} and path.is_file() and not path.is_symlink():
                status = path.stat()
                yield _File(path, path.resolve(), status.st_mtime_ns, status.st_size)
        except OSError:
            continue


def _holds(file: _File, folder: Path, said: bytes) -> bool:
    """Whether a file holds a name of several words."""
    text = read_bounded(file.path, MAX_SEARCHED_BYTES, (folder,))
    return re.search(rb"(?<!\w)" + re.escape(said) + rb"(?!\w)", text) is not None


_words: BoundedCache[_File, tuple[int, frozenset[bytes]]] = BoundedCache("words of files", MAX_SEARCHED)


def _words_in(file: _File, folder: Path) -> tuple[int, frozenset[bytes]]:
    """How long a file is, and the words in it."""
    known = _words.find(file)
    if known is None:
        text = read_bounded(file.path, MAX_SEARCHED_BYTES, (folder,))
        known = _words.keep(file, (len(text), frozenset(_WORD.findall(text))))
    return known
