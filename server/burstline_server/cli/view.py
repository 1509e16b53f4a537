"""``burstline view``: one self-contained page about the kernels of files, to read, to print, to take charts from."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from burstline_server.cli.assessing import assessed
from burstline_server.cli.options import UnusableInputError, add_settings, files_of, options_of, unusable
from burstline_server.cli.writing import write_file
from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.presentation.page.page import page
from burstline_server.presentation.variant_table import views_of
from burstline_server.presentation.view_build import file_view, view_document
from burstline_server.words.commands import written_page_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("paths", nargs="+", metavar="FILE", help="kernel files, or folders of them")
    add("-o", "--output", default="view.html", metavar="FILE", help="the page (view.html without it; - to print it)")
    add("--kernel", action="append", default=[], metavar="NAME", help="only this kernel")
    add(
        "--form",
        choices=("A", "B", "C"),
        default="B",
        help="data sent by the host each time, on the board, on the chip",
    )
    add("--host-gb-s", type=float, metavar="GB/S", help="the link to the host, for form A")
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page; exit status 2 for unusable input, or where it cannot be written."""
    try:
        checked = list(assessed(list(files_of(arguments.paths)), options_of(arguments), arguments, with_fixes=True))
        memory = _memory(arguments)
        html = page(view_document([file_view(a, findings_of(a), fixes, views_of(a), **memory) for a, fixes in checked]))
        if arguments.output == "-":
            sys.stdout.write(html)
        else:
            write_file(Path(arguments.output), html)
            sys.stdout.write(f"{written_page_text(arguments.output)}\n")
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    return 0


def _memory(arguments: argparse.Namespace) -> dict[str, Any]:
    """Where launches find their data (TYTRA's forms)."""
    if arguments.form == "A" and not arguments.host_gb_s:
        raise unusable("speed_needed")
    return {"form": arguments.form, "host_gb_s": arguments.host_gb_s}
