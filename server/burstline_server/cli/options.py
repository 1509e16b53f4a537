"""Files and settings on the command line, the same for every command that costs kernels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from burstline_model.files import read_bounded
from burstline_server.cli.terminal import one_line
from burstline_server.commands.build_files import BuildFiles
from burstline_server.config.binding import MAX_SHOWN, near_file
from burstline_server.config.build_layer import build_layer
from burstline_server.config.layers import FILE_NAME, Layer, Problem, find_file, read_file
from burstline_server.config.mistakes import nearest
from burstline_server.config.settings import CODES
from burstline_server.words.settings import placed_text, problem_text
from burstline_server.words.usage import Unusable, unusable_text

SUFFIXES = {".cl", ".ocl", ".clh"}
MAX_FILE_BYTES = 32_000_000


class UnusableInputError(Exception):
    """The command line or a file named on it cannot be used; the message says what to do."""


def unusable(kind: Unusable, *names: object, nearest: str | None = None, known: str = "") -> UnusableInputError:
    """The error of a kind."""
    return UnusableInputError(unusable_text(kind, *names, nearest=nearest, known=known))


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The options that set what a kernel is costed for."""
    add = parser.add_argument
    add("--board", help="a board's name or alias (see: burstline boards)")
    add("--device-family", help='in place of the board\'s, for example "Arria 10"')
    add("--aoc-version", help="in place of the board's, for example 17.1")
    add("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    add("-I", dest="include_paths", action="append", default=[], metavar="DIR", help="folder of includes")
    add("--global-size", metavar="X[,Y[,Z]]", help="work-items by dimension")
    add("--local-size", metavar="X[,Y[,Z]]", help="work-items of a group by dimension")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="value of a scalar argument")
    add("--trip", action="append", default=[], metavar="LINE=N", help="trip count of the loop on a line")
    add("--assume-trips", type=int, metavar="N", help="trip count assumed where none is known")
    add("--fmax", type=float, metavar="MHZ", help="kernel clock")
    add("--bank", action="append", default=[], metavar="[KERNEL.]POINTER=N", help="bank of a pointer")
    add("--interleaving", choices=("on", "off"), help="whether banks are interleaved")
    add("--report", metavar="PATH", help="report of a real build, in place of the one next to the file; off for none")
    add("--mode", choices=("faithful", "calibrated"), help="the equations as printed, or corrected")
    add("--memory-part", choices=("m21", "wang"), help="whose memory model the potentials use")
    add("--ignore", action="append", default=[], metavar="CODE[,CODE]", help="leave out findings, by code or beginning")
    add("--config", metavar="FILE", help="this burstline.toml in place of the nearest one")


def options_of(arguments: argparse.Namespace) -> Layer:
    """The options as the strongest layer of settings."""
    keys: dict[str, Any] = {
        "board": arguments.board,
        "device_family": arguments.device_family,
        "aoc_version": arguments.aoc_version,
        "f_max_mhz": arguments.fmax,
        "mode": arguments.mode,
        "report": arguments.report,
        "memory_part": arguments.memory_part,
        "engine": getattr(arguments, "engine", None),
        "assumed_trips": arguments.assume_trips,
        "global_size": arguments.global_size,
        "local_size": arguments.local_size,
        "interleaving": None if arguments.interleaving is None else arguments.interleaving == "on",
        "defines": dict(_pair(d, "-D", default="1") for d in arguments.defines),
        "arguments": dict(_pair(a, "--arg") for a in arguments.arg),
        "trips": dict(_pair(t, "--trip") for t in arguments.trip),
        **_banks_of([_pair(b, "--bank") for b in arguments.bank]),
    }
    ignored = [code.strip() for word in arguments.ignore for code in word.split(",") if code.strip()]
    keys["severities"] = dict.fromkeys(ignored, "off")
    if arguments.include_paths:
        keys["include_paths"] = list(arguments.include_paths)
    given = {k: v for k, v in keys.items() if v is not None and v != {}}
    return Layer("option", given)


def _banks_of(given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The banks of pointers of all kernels that have them, and of those of single kernels."""
    kernels: dict[str, dict[str, dict[str, str]]] = {}
    for name, bank in given:
        kernel, dot, pointer = name.partition(".")
        if dot:
            kernels.setdefault(kernel, {"banks": {}})["banks"][pointer] = bank
    return {"banks": {name: bank for name, bank in given if "." not in name}, "kernels": kernels}


def _pair(text: str, option: str, default: str | None = None) -> tuple[str, str]:
    name, sign, value = text.strip().partition("=")
    if not name or (not sign and default is None):
        raise unusable("pair_needed", option, text)
    return name.strip(), value.strip() if sign else default or ""


def refuse_unknown_codes(option: str, codes: Iterable[str]) -> None:
    """Raise `UnusableInputError` for a code that no finding has."""
    for code in sorted(set(codes) - set(CODES)):
        raise unusable("no_such_code", option, code, nearest=nearest(code, CODES))


def files_of(paths: Sequence[str], left: list[str] | None = None) -> Iterator[Path]:
    """The kernel files that are named, those in named folders among them.

    What cannot be used is listed in `left`, and the rest goes on; without it, raises `UnusableInputError`.
    """
    for name in paths:
        try:
            yield from _files_at(name)
        except UnusableInputError as error:
            if left is None:
                raise
            left.append(str(error))


def _files_at(name: str) -> Sequence[Path]:
    path = Path(name)
    try:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file() and _is_included(p))
            if not inside:
                raise unusable("empty_folder", name, ", ".join(sorted(SUFFIXES)))
            return inside
        there = path.is_file()
    except (OSError, ValueError) as error:
        raise unusable("not_looked_at", name[:MAX_SHOWN], getattr(error, "strerror", None) or error) from error
    if not there:
        raise unusable("no_such_path", name, nearest=near_file(name))
    if not name.isprintable():
        raise unusable("unprintable", name)
    return (path,)


def _is_included(path: Path) -> bool:
    """Whether a file in a named folder is included as well.

    What a link leads to has a place of its own in the folder, or is none of what was named. A name with a line's end or
    the like could be read as an answer's next line.
    """
    if not str(path).isprintable():
        sys.stderr.write(f"burstline: {unusable_text('left_out', str(path))}\n")
        return False
    return not path.is_symlink()


def stdin_text() -> str:
    """The text on standard input; raises `UnusableInputError`."""
    try:
        text = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    except (OSError, AttributeError) as error:
        raise unusable("stdin_unreadable") from error
    if len(text) > MAX_FILE_BYTES:
        raise unusable("stdin_too_long", MAX_FILE_BYTES)
    return text.decode("utf-8-sig", "replace")


def text_of(path: Path) -> str:
    """A file's text; raises `UnusableInputError`."""
    try:
        return read_bounded(path, MAX_FILE_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        raise unusable("unreadable", path, error.strerror) from error


def workspace_of(path: Path) -> Path:
    """What a file named on the command line may include from: its repository, else the folder above its own.

    A folder that the user's home lies in is nobody's project: the file's own folder is taken then.
    """
    home = Path.home()
    for folder in path.parents:
        if (folder / ".git").exists() or (folder / FILE_NAME).is_file():
            break
    else:
        folder = path.parent.parent
    return path.parent if home.is_relative_to(folder) else folder


def refuse_long(name: str) -> None:
    """Raise `UnusableInputError` for the name of a file that there cannot be."""
    try:
        Path(name).exists()
    except (OSError, ValueError) as error:
        raise unusable("not_looked_at", name[:MAX_SHOWN], getattr(error, "strerror", None) or error) from error


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; none has a name that is too long."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def layers_of(path: Path, text: str, config: str | None) -> tuple[list[Layer], tuple[Problem, ...]]:
    """The build's command line and the settings file that hold for a file with this text."""
    if config is not None and not is_file(Path(config)):
        raise unusable("no_such_config", config, nearest=near_file(config))
    real = path.resolve()
    workspace = workspace_of(real)
    built = _build_files().for_file(real, text, workspace, ())
    layers = [] if built is None else [build_layer(built, (workspace,))]
    file = Path(config) if config else find_file(real)
    if file is None:
        return layers, ()
    layer, problems = read_file(file, [file.resolve().parent if config else workspace])
    return [*layers, layer], problems


@cache
def _build_files() -> BuildFiles:
    """Files of one folder are mostly built by the same Makefile, which is read once."""
    return BuildFiles()


def refuse_bad_options(problems: Sequence[Problem]) -> None:
    """A wrong option ends the command; one that names what another file may have does not."""
    bad = [p for p in problems if p.where == "option" and not p.about]
    if bad:
        raise UnusableInputError(one_line(problem_text(bad[0])))


def refuse(*problems: Sequence[Problem]) -> None:
    """Nothing is printed under settings that cannot be used."""
    bad = [one for several in problems for one in several if not one.confined]
    if bad:
        raise UnusableInputError(problem_line(bad[0]))


def problem_line(problem: Problem) -> str:
    """A problem with its place, on one line."""
    return one_line(placed_text(problem))
