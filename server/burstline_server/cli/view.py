"""``burstline view``: one self-contained page about the kernels of files, to read, to print, to take charts from."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from burstline_server.cli.assessing import assessed
from burstline_server.cli.engines import add_engine
from burstline_server.cli.forms import add_form, data_of
from burstline_server.cli.options import UnusableInputError, add_settings, files_of, options_of
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
    add_form(parser)
    add_settings(parser)
    add_engine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page; exit status 2 for unusable input, or where it cannot be written."""
    try:
        checked = list(assessed(list(files_of(arguments.paths)), options_of(arguments), arguments, with_fixes=True))
        data = data_of(arguments)
        html = page(
            view_document(
                [
                    file_view(a, findings_of(a), fixes, views_of(a), form=data.form, host_gb_s=data.host_gb_s)
                    for a, fixes in checked
                ]
            )
        )
        if arguments.output == "-":
            sys.stdout.write(html)
        else:
            write_file(Path(arguments.output), html)
            sys.stdout.write(f"{written_page_text(arguments.output)}\n")
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    return 0
