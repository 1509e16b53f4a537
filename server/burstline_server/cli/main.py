"""The ``burstline`` command: one module for each sub-command, imported only when it is asked for."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import sys
from collections.abc import Sequence

from burstline_server.cli.loading import to_stay
from burstline_server.cli.terminal import harmless_output

_COMMANDS = {
    "check": "cost every global memory access of kernels",
    "fix": "show or make the edits that pay",
    "explore": "cost the variants of kernels, rank them, make one",
    "view": "write a page about kernels: charts, tables, annotated source",
    "explain": "explain a finding's code",
    "boards": "list and show the boards",
    "import-report": "read a vendor report and hold inference against it",
    "calibrate": "fit what a board's memory reaches from microbenchmarks",
    "validate": "hold the model against the papers' tables and measurements",
    "schema": "print the JSON schema of the answers or of the settings",
    "serve": "run the language server",
    "forget": "have editors show every notification again",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    # Next to nothing that is made here refers to itself: counts free it, and looking for more would only pause.
    gc.set_threshold(50_000, 10, 10)
    _write_in_utf8()
    words = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="burstline",
        description="What every global memory access of an OpenCL kernel for FPGAs will cost.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    wanted = next((w for w in words if not w.startswith("-")), None)
    for name, help_ in _COMMANDS.items():
        command = commands.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.")
        if name == wanted:
            with to_stay():
                module = importlib.import_module(f"burstline_server.cli.{name.replace('-', '_')}")
            module.configure(command)
            command.set_defaults(run=module.run)
    arguments = parser.parse_args(words)
    if arguments.version:
        from burstline_server.tool import tool_name  # noqa: PLC0415 - slow, and needed here alone

        sys.stdout.write(tool_name() + "\n")
        return 0
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        with harmless_output():
            return int(arguments.run(arguments))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _write_in_utf8() -> None:
    """What goes to files and programs is UTF-8 everywhere; a terminal without a sign shows its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
