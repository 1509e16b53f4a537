"""``burstline explain CODE``: what a finding means; with ``--write`` the pages of all of them."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from burstline_server.answers.compiler_page import COMPILER, compiler_page
from burstline_server.rewrites.catalogue import REWRITES
from burstline_server.rules.catalogue import RULES

EDITS = "edits"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("code", nargs="?", help="a finding's code, for example BL101; all of them without it")
    parser.add_argument("--write", metavar="DIR", help="write one Markdown page for each code into this folder")


def run(arguments: argparse.Namespace) -> int:
    """Print a rule's page, or write all of them."""
    pages = {rule.code: rule.documentation() + _edits(rule.code) for rule in RULES}
    pages |= {COMPILER: compiler_page(), EDITS: _edits_page()}
    if arguments.write:
        folder = Path(arguments.write)
        folder.mkdir(parents=True, exist_ok=True)
        for code, page in pages.items():
            (folder / f"{code}.md").write_text(page, "utf-8", newline="\n")
        return 0
    if arguments.code is None:
        sys.stdout.write("".join(f"{rule.code}  {rule.name}\n" for rule in RULES))
        sys.stdout.write(f"{COMPILER}  the rules that load/store units are inferred by\n")
        sys.stdout.write(f"{EDITS}  the edits that are offered, and when\n")
        return 0
    code = arguments.code if arguments.code in {COMPILER, EDITS} else arguments.code.upper()
    if code not in pages:
        near = difflib.get_close_matches(code, pages, n=3, cutoff=0.3)
        sys.stderr.write(f"burstline: no finding has the code {arguments.code}; the nearest: {', '.join(near)}\n")
        return 2
    sys.stdout.write(pages[code])
    return 0


def _edits(code: str) -> str:
    """The edits that answer a finding, as a section of its page."""
    found = [rewrite.documentation() for rewrite in REWRITES if code in rewrite.codes]
    return "\n## Edits\n\n" + "\n".join(found) if found else ""


def _edits_page() -> str:
    """All edits on a page."""
    lines = [
        "# Edits\n",
        "Offered in the editor and by `burstline fix`, where their condition holds and the prediction for the edited "
        "text is faster. `burstline fix --unsafe` adds those that assert what the source does not show, `--host` those "
        "that need a change of the host program, `--all` those that do not pay.\n",
    ]
    for rewrite in REWRITES:
        answers = f"Answers {', '.join(rewrite.codes)}.\n" if rewrite.codes else ""
        lines += [rewrite.documentation(), answers] if answers else [rewrite.documentation()]
    return "\n".join(lines)
