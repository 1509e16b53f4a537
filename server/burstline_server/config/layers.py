"""Settings from several places, the stronger over the weaker, with the problems found on the way."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from burstline_model.boards.board import is_board_file, is_known_board
from burstline_model.files import allowed, parsed_toml, read_bounded
from burstline_model.record import fixed
from burstline_server.commands.build_files import Built
from burstline_server.commands.command import flags_of
from burstline_server.config.mistakes import Mistake, MistakeError, MistakeKind, UnusableBoard, nearest
from burstline_server.config.settings import LaunchSettings, Settings

Where = Literal["option", "comment", "editor", "build", "file"]
FILE_NAME = "burstline.toml"
MAX_FILE_BYTES = 256_000
MAX_PROBLEMS = 50
"""Most problems of one layer that are reported."""


@fixed
class Problem:
    """A setting that could not be used. `line` is 1-based in `path`, when it is in a file."""

    mistake: Mistake | UnusableBoard
    path: str | None = None
    line: int | None = None
    where: Where = "file"
    place: tuple[int, int] | None = None
    """Where in the kernel's own file, for a comment in it."""
    confined: bool = False
    """Whether it was left alone for what it may not reach: the rest holds without it."""
    about: tuple[str, ...] = ()
    """The setting that names something which the file does not have; another file may have it."""
    setting: str = ""
    """The setting whose value it is, where the mistake does not name it."""


@fixed
class Layer:
    """One source of settings: raw keys as they were given."""

    where: Where
    keys: Mapping[str, Any]
    path: str | None = None
    text: str | None = None
    place: tuple[int, int] | None = None
    """The range of a comment."""
    line: int | None = None
    """The line (from 1) of a comment."""
    problems: tuple[Problem, ...] = ()
    """What was found wrong with it while it was read."""
    built: Built | None = None
    """The command line that it was read from."""

    def __post_init__(self) -> None:
        """Write nested tables of arguments as paths, so that every reader of the keys sees one form."""
        object.__setattr__(self, "keys", _with_paths(self.keys))

    def line_of(self, path: Sequence[str]) -> int | None:
        """The line (from 1) of a key, for settings out of a text."""
        if self.line is not None:
            return self.line
        if not self.text or not path:
            return None
        line = _line_of(self.text, path)
        return line if line is not None or "." not in path[-1] else _line_of(self.text, path[-1].split("."))


def _with_paths(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys with ``size.x = 640``, which TOML reads as a table of its own, as the argument ``size.x``."""
    given, kernels = keys.get("arguments"), keys.get("kernels")
    result = dict(keys)
    if isinstance(given, Mapping):
        result["arguments"] = dict(_by_path(given))
    if isinstance(kernels, Mapping):
        result["kernels"] = {
            name: _with_paths(launch) if isinstance(launch, Mapping) else launch for name, launch in kernels.items()
        }
    return result


def _by_path(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from ((f"{name}.{path}", inner) for path, inner in _by_path(value))
        else:
            yield str(name), value


class Resolved(NamedTuple):
    """Settings with the problems found on the way, and where each came from: by the path of its key."""

    settings: Settings
    problems: tuple[Problem, ...]
    origins: Mapping[tuple[str, ...], Where]


def resolve(layers: Sequence[Layer]) -> Resolved:
    """The settings of all layers, weakest first. A bad key is left out and reported; the rest still works."""
    return _resolved(layers) if layers else _nothing()


@cache
def _nothing() -> Resolved:
    """The settings where nobody gave any, which nearly every letter that is typed asks for."""
    return _resolved(())


def _resolved(layers: Sequence[Layer]) -> Resolved:
    problems: list[Problem] = []
    merged: dict[str, Any] = {}
    folders: Sequence[str] = ()
    """Those of the build, which others are looked through before, not instead."""
    origins: dict[tuple[str, ...], Where] = {}
    for layer in layers:
        good, found = _checked(layer)
        problems += (*layer.problems, *found)
        paths = set(_paths(good))
        if layer.where == "option":
            merged = _overruled(merged, good)
            origins = {path: where for path, where in origins.items() if path[2:] not in paths}
        merged = _merged(merged, good)
        origins.update(dict.fromkeys(paths, layer.where))
        if layer.where == "build":
            folders = good.get("include_paths", ())
    if ("board",) in origins:  # what the build says of it no longer matters
        problems = [one for one in problems if (one.where, one.setting) != ("build", "board")]
    if folders:
        merged["include_paths"] = tuple(dict.fromkeys((*merged["include_paths"], *folders)))
    return Resolved(Settings.model_validate(_with_flags(merged)), tuple(problems), origins)


def _paths(keys: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every value in nested tables."""
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield from _paths(value, (*above, str(key)))
        elif value is not None:
            yield (*above, str(key))


def _checked(layer: Layer) -> tuple[dict[str, Any], list[Problem]]:
    """The layer's valid keys, and a problem for each other one."""
    data = _plain(layer.keys)
    problems: list[Problem] = []
    if layer.where == "comment" and _is_file(data.get("board")):
        data.pop("board")
        mistake = Mistake("board_file")
        problems.append(Problem(mistake, layer.path, None, "comment", layer.place, confined=True, setting="board"))
    while True:
        try:
            Settings.model_validate(data)
        except ValidationError as error:
            firsts: dict[tuple[str, ...], ErrorDetails] = {}
            for problem in error.errors():
                firsts.setdefault(tuple(_existing(data, problem["loc"])), problem)
            for path, problem in firsts.items():
                if not path:
                    return {}, problems
                if len(problems) < MAX_PROBLEMS:
                    problems.append(_problem(layer, path, problem))
                _drop(data, path)
            continue
        return data, problems


def _plain(value: Any) -> Any:
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value


def _existing(data: Any, path: Sequence[int | str]) -> list[str]:
    """The part of an error's path that names keys of the data."""
    found: list[str] = []
    for step in path:
        keys = data if isinstance(data, dict) else {}
        key = str(step) if str(step) in keys else next((k for k in keys if str(k) == str(step)), None)
        if key is None:
            break
        found.append(key)
        data = data[key]
    return found


def _drop(data: dict[str, Any], path: Sequence[str]) -> None:
    for step in path[:-1]:
        data = data.get(step, {})
    data.pop(path[-1], None)


_NEEDED: dict[str, MistakeKind] = {
    "tuple_type": "needs_list", "list_type": "needs_list", "dict_type": "needs_table", "model_type": "needs_table",
    "model_attributes_type": "needs_table", "string_type": "needs_text", "bool_type": "needs_switch",
    "bool_parsing": "needs_switch", "too_long": "needs_three", "too_short": "needs_items",
}  # fmt: skip
"""What a setting needs, by the kind of pydantic's error."""


def _wrong_value(problem: ErrorDetails) -> Mistake | UnusableBoard:
    """What a setting needs in place of its value."""
    kind, context = problem["type"], problem.get("ctx", {})
    error = context.get("error")
    if isinstance(error, MistakeError):
        return error.mistake
    if kind == "literal_error":
        words = tuple(re.findall(r"'([^']*)'", str(context.get("expected", ""))))
        given = str(problem["input"])
        return Mistake("none_of", (given,), nearest(given, words), words)
    return Mistake(_NEEDED.get(kind, "needs_other"))


def _problem(layer: Layer, path: Sequence[str], problem: ErrorDetails) -> Problem:
    name = ".".join(str(p) for p in path)
    line = layer.line_of(path)
    if problem["type"] == "extra_forbidden":
        of_kernel = path[0] == "kernels" and len(path) > 1
        known = tuple((LaunchSettings if of_kernel else Settings).model_fields)
        mistake = Mistake("no_such_setting", (name,), nearest(str(path[-1]), known), known)
        return Problem(mistake, layer.path, line, layer.where, layer.place)
    return Problem(_wrong_value(problem), layer.path, line, layer.where, layer.place, setting=name)


def _line_of(text: str, path: Sequence[str]) -> int | None:
    """The line of a key: the last part of its path, after the table that holds it."""
    key = re.escape(str(path[-1]))
    lines = text.splitlines()
    start = 0
    for i, line in enumerate(lines):
        if len(path) > 1 and re.match(rf"\s*\[.*\b{re.escape(str(path[-2]))}\b.*\]", line):
            start = i
    for i in [*range(start, len(lines)), *range(start)]:
        if re.match(rf"\s*\[?[\w.\"]*\b{key}\b", lines[i]) or re.search(rf"[{{,]\s*\"?{key}\"?\s*=", lines[i]):
            return int(i + 1)
    return None


def _merged(weak: dict[str, Any], strong: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(weak)
    for key, value in strong.items():
        before = result.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            result[key] = _merged(before, value)
        elif value is not None:
            result[key] = value
    return result


def _overruled(weak: dict[str, Any], option: Mapping[str, Any]) -> dict[str, Any]:
    """The weaker settings without what they say of single kernels' launches and an option says of all."""
    kernels = {}
    for name, launch in weak.get("kernels", {}).items():
        kernels[name] = dict(launch)
        for key in launch.keys() & option.keys():
            if not isinstance(launch[key], dict):
                del kernels[name][key]
            elif option[key]:
                given = {str(one) for one in option[key]}
                kernels[name][key] = {one: value for one, value in launch[key].items() if str(one) not in given}
    return {**weak, "kernels": kernels} if kernels else weak


def _with_flags(data: dict[str, Any]) -> dict[str, Any]:
    """The compiler's own flags as the settings they are equal to; explicit settings win."""
    result = dict(data)
    flags = flags_of(data.get("aoc_flags", ()))
    if any(one.startswith("-no-interleaving") for one in flags.others):
        result.setdefault("interleaving", False)
    if flags.board is not None and is_known_board(flags.board):
        result.setdefault("board", flags.board)
    if flags.defines:
        result["defines"] = {**flags.defines, **result.get("defines", {})}
    if flags.include_paths:
        result["include_paths"] = (*result.get("include_paths", ()), *flags.include_paths)
    return result


def find_file(path: Path, top: Path | None = None) -> Path | None:
    """The nearest burstline.toml from the file's folder upwards, not above `top` or a repository's root."""
    folder = path if path.is_dir() else path.parent
    for candidate in [folder, *folder.parents]:
        file = candidate / FILE_NAME
        if file.is_file():
            return file
        if candidate == top or (candidate / ".git").exists():
            return None
    return None


def read_file(path: Path, workspace: Sequence[Path] = ()) -> tuple[Layer, tuple[Problem, ...]]:
    """A burstline.toml as a layer; unreadable or broken files give an empty one and a problem with its line.

    The file, and what it names, must lie in its own folder or in the workspace: it comes with the kernels, from anyone.
    """
    empty = Layer("file", {}, str(path))
    folders = (path.parent, *workspace)
    try:
        text = read_bounded(path, MAX_FILE_BYTES, folders).decode("utf-8-sig").replace("\r\n", "\n")
        data = parsed_toml(text)
    except OSError as error:
        outside = isinstance(error, PermissionError)
        mistake = Mistake("unreadable", (error.strerror or "",))
        return empty, (Problem(mistake, str(path), confined=outside),)
    except ValueError as error:
        match = re.search(r"at line (\d+)", str(error))
        kind: MistakeKind = "not_toml" if isinstance(error, tomllib.TOMLDecodeError) else "unreadable"
        return empty, (Problem(Mistake(kind, (str(error),)), str(path), int(match[1]) if match else None),)
    problems = [
        Problem(Mistake("outside", (str(to),)), str(path), _line_of(text, [key]), confined=True, setting=key)
        for key, to in _confined(data, path.parent, folders)
    ]
    return Layer("file", data, str(path), text), tuple(problems[:MAX_PROBLEMS])


def _confined(data: dict[str, Any], folder: Path, folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Write what a settings file names from its folder on, and leave out what is not allowed; yields that."""
    for key, mark in (("include_paths", ""), ("aoc_flags", "-I")):
        words = data.get(key)
        if not isinstance(words, list):
            continue
        data[key] = []
        for word in _joined(words):
            named = folder / word.removeprefix(mark) if isinstance(word, str) and word.startswith(mark) else None
            if named is None or allowed(named, folders):
                data[key].append(word if named is None else f"{mark}{named}")
            else:
                yield key, named
    for key, is_path in (("board", _is_file(data.get("board"))), ("report", data.get("report") != "off")):
        if is_path and isinstance(data.get(key), str):
            named = folder / data.pop(key).strip()
            if allowed(named, folders):
                data[key] = str(named)
            else:
                yield key, named


def _joined(words: Sequence[object]) -> Iterator[object]:
    """Options in one piece: `-I` goes with the word behind it."""
    waiting = ""
    for word in words:
        one = waiting + word if isinstance(word, str) else word
        waiting = str(one) if one in ("-I", "-D") else ""
        if not waiting:
            yield one


def _is_file(board: object) -> bool:
    return isinstance(board, str) and is_board_file(board)


def anchored(keys: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Settings whose relative paths start at a folder."""
    data = dict(keys)
    if isinstance(data.get("include_paths"), list):
        data["include_paths"] = [str(folder / str(p)) for p in data["include_paths"]]
    if str(data.get("board", "")).lower().endswith(".toml"):
        data["board"] = str(folder / str(data["board"]))
    if isinstance(data.get("report"), str) and data["report"] != "off":
        data["report"] = str(folder / data["report"])
    return data
