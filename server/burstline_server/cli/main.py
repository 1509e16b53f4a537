"""The ``burstline`` command: one module for each sub-command, imported only when it is asked for."""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import io
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from burstline_server.cli.loading import to_stay
from burstline_server.cli.terminal import harmless_output
from burstline_server.words.commands import SUMMARIES
from burstline_server.words.nearest import MAX_SHOWN, did_you_mean, shortened
from burstline_server.words.usage import unusable_text


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    # Next to nothing that is made here refers to itself: counts free it, and looking for more would only pause.
    gc.set_threshold(50_000, 10, 10)
    _write_in_utf8()
    try:
        try:
            return _run(list(sys.argv[1:] if argv is None else argv))
        finally:
            sys.stdout.flush()  # what the parser prints by itself, too
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _write_nowhere()
        return 0
    except OSError as error:
        _write_nowhere()
        sys.stderr.write(f"burstline: {unusable_text('answer_not_written', error.strerror)}\n")
        return 2


def _run(words: list[str]) -> int:
    """Run the command that the words name, and write all of its answer."""
    name = next((w for w in words if not w.startswith("-")), None)
    parser, commands = parser_of({name} & SUMMARIES.keys() if name else ())
    arguments, rest = parser.parse_known_args(words)
    if rest and isinstance(getattr(arguments, "paths", None), list) and not any(map(_is_option, rest)):
        arguments.paths += rest  # files behind an option
    elif rest:
        (commands.get(arguments.command) or parser).refuse(next(filter(_is_option, rest), rest[0]))
    if arguments.version:
        from burstline_server.version import tool_name  # noqa: PLC0415 - slow, and needed here alone

        sys.stdout.write(tool_name() + "\n")
        return 0
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    with harmless_output():
        status = int(arguments.run(arguments))
        sys.stdout.flush()
    return status


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def parser_of(loaded: Iterable[str]) -> tuple[Parser, Mapping[str, Parser]]:
    """The parser of all commands, and each command's; those that are loaded have their options."""
    parser = Parser(
        prog="burstline",
        description="What every global memory access of an OpenCL kernel for FPGAs will cost.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, help_ in SUMMARIES.items():
        command = commands.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.")
        if name in loaded:
            module = _loaded(f"burstline_server.cli.{name.replace('-', '_')}")
            module.configure(command)
            command.set_defaults(run=module.run)
    return parser, commands.choices


def _loaded(name: str) -> ModuleType:
    """A module that is loaded once; freezing takes as long as there are objects, so it is for the first time alone."""
    if name in sys.modules:
        return sys.modules[name]
    with to_stay():
        return importlib.import_module(name)


class Parser(argparse.ArgumentParser):
    """A parser that takes options as they are spelled, and names the nearest one for what it does not know."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"allow_abbrev": False, **named})

    def print_help(self, file: Any = None) -> None:
        """Write the help; that it cannot be written is not kept quiet."""
        (file or sys.stdout).write(self.format_help())

    def refuse(self, word: str) -> NoReturn:
        """End because of a word that is no option and no argument."""
        known = [o for action in self._actions for o in action.option_strings]
        near = difflib.get_close_matches(word.partition("=")[0], known, n=1)
        self.error(unusable_text("unknown_word", word, nearest=near[0] if near else None))

    def error(self, message: str) -> NoReturn:
        """End with exit status 2 and what is wrong on one line."""
        chosen = re.fullmatch(r"(argument .*: invalid choice: '(.*)') \(choose from (.*)\)", message)
        if chosen is not None:
            near = difflib.get_close_matches(chosen[2], re.findall(r"[\w-]+", chosen[3]), n=1)
            message = f"{chosen[1]}{did_you_mean(near[0])}" if near else message
        message = re.sub(rf"\S{{{MAX_SHOWN},}}", lambda word: shortened(word[0]), message)
        self.exit(2, f"burstline: {message}\n(see: {self.prog} --help)\n")


def _write_nowhere() -> None:
    """Nobody takes what is still to be written: leaving must not try again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_in_utf8() -> None:
    """What goes to files and programs is UTF-8 everywhere; a terminal without a sign shows its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the command
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
