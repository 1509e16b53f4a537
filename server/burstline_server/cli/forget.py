"""``burstline forget``: have editors show every notification again, each once more."""

from __future__ import annotations

import argparse
import sys

from burstline_server.lsp.notifications import Notified
from burstline_server.words.commands import forgotten_text


def configure(_parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(_arguments: argparse.Namespace) -> int:
    """Forget what was shown; exit status 2 where that is not possible."""
    try:
        count = Notified().forget()
    except OSError as error:
        sys.stderr.write(f"burstline: {error}\n")
        return 2
    sys.stdout.write(f"{forgotten_text(count)}\n")
    return 0
