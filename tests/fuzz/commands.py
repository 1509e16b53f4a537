"""The command line in this process."""

from __future__ import annotations

import contextlib
import io

from burstline_server.cli.main import main
from tests.fuzz.failures import Failure


def run(*arguments: str) -> str:
    """Run the command line; returns what it prints. A status other than "done" and "unusable input" is a failure."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main(list(arguments))
    if status not in {0, 2}:
        raise Failure(f"status {status}", out.getvalue())
    if status == 2 and not out.getvalue().startswith("burstline: "):
        raise Failure("unusable without a reason", out.getvalue())
    return out.getvalue()
