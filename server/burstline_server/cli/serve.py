"""``burstline serve``: the language server, on standard input and output or on a loopback port."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys

from burstline_server.cli.loading import to_stay
from burstline_server.lsp.wire import lazy_types
from burstline_server.words.usage import unusable_text

INTERRUPTED = 130
"""The exit status of what the user stops."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    parser.add_argument(
        "--tcp",
        type=int,
        metavar="PORT",
        help="listen on this port of the loopback interface, for any number of editors",
    )
    parser.add_argument("--log-level", default="warning", choices=("debug", "info", "warning", "error"))


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    logging.basicConfig(
        stream=sys.stderr, level=arguments.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    with to_stay():
        lazy_types.load()
        from burstline_server.lsp.server import serve_stdio, serve_tcp  # noqa: PLC0415 - after the protocol's types

    if arguments.tcp is not None:
        serve_tcp(arguments.tcp)
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # threads that read would hold an orderly end up
    if sys.stdin is None:
        sys.stderr.write(f"burstline: {unusable_text('no_client')}\n")
        return 2
    status = serve_stdio()
    # Leaving in the usual way would wait for an analysis under way, and for a log that cannot be written.
    os._exit(status)
