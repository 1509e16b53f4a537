"""``burstline explain CODE``: what a finding means; with ``--write`` the pages of all of them."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping
from pathlib import Path

from burstline_server.cli.options import UnusableInputError
from burstline_server.cli.writing import write_file
from burstline_server.diagnostics.catalogue import RULES
from burstline_server.presentation.reference_pages import COMPILER, EDITS, rule_pages
from burstline_server.words.commands import OF_PAGES
from burstline_server.words.usage import unusable_text


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("code", nargs="?", help="a finding's code, for example BL101; all of them without it")
    parser.add_argument("--write", metavar="DIR", help="write one Markdown page for each code into this folder")


def run(arguments: argparse.Namespace) -> int:
    """Print a rule's page, or write all of them."""
    pages = rule_pages()
    if arguments.write:
        return _write(Path(arguments.write), pages)
    if arguments.code is None:
        sys.stdout.write("".join(f"{rule.code}  {rule.name}\n" for rule in RULES))
        sys.stdout.writelines(f"{page}  {OF_PAGES[page]}\n" for page in (COMPILER, EDITS))
        return 0
    code = arguments.code if arguments.code in {COMPILER, EDITS} else arguments.code.upper()
    if code not in pages:
        near = difflib.get_close_matches(code, pages, n=3, cutoff=0.3)
        sys.stderr.write(f"burstline: {unusable_text('no_such_page', arguments.code, ', '.join(near))}\n")
        return 2
    sys.stdout.write(pages[code])
    return 0


def _write(folder: Path, pages: Mapping[str, str]) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for code, page in pages.items():
            write_file(folder / f"{code}.md", page)
    except OSError as error:
        sys.stderr.write(f"burstline: {unusable_text('not_written', folder, error.strerror)}\n")
        return 2
    except UnusableInputError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    return 0
