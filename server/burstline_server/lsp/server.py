"""The language server put together: one session, every feature registered on it; over TCP a session a client."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from typing import BinaryIO

from burstline_server.lsp import host_sizes, other_reading, second_opinion
from burstline_server.lsp.client_loop import serve
from burstline_server.lsp.features import (
    configuration,
    initialize,
    other_targets,
    registry,
    synchronization,
    text_document_content,
    watched_files,
)
from burstline_server.lsp.session import Session

FEATURES = (
    initialize,
    configuration,
    watched_files,
    synchronization,
    text_document_content,
    registry,
    other_targets,
    second_opinion,
    other_reading,
    host_sizes,
)


def create_server() -> Session:
    """A server that answers every feature."""
    session = Session()
    for feature in FEATURES:
        feature.register(session)
    return session


def serve_stdio() -> int:
    """Serve one client on standard input and output; returns the exit status."""
    return asyncio.run(_serve(sys.stdin.buffer, sys.stdout.buffer))


def serve_tcp(port: int) -> None:
    """Listen on a port of the loopback interface for as many clients as come; each has its own session and thread."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_client, args=(connection,), daemon=True).start()


def _client(connection: socket.socket) -> None:
    with connection, connection.makefile("rb") as incoming, connection.makefile("wb") as outgoing:
        asyncio.run(_serve(incoming, outgoing))
        connection.shutdown(socket.SHUT_RDWR)


async def _serve(incoming: BinaryIO, outgoing: BinaryIO) -> int:
    """A session is made where its loop runs."""
    return await serve(create_server(), incoming, outgoing)
