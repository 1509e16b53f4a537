"""A server that several editors share, each with a session of its own, and the edits that an editor makes."""

import socket
import subprocess
from collections.abc import Iterator

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.clients import COMMAND


@pytest.fixture
def applied(client: LanguageClient) -> list[types.ApplyWorkspaceEditParams]:
    """The edits that the client is asked to make; it makes them all."""
    client.applied.clear()  # type: ignore[attr-defined]
    return client.applied  # type: ignore[attr-defined, no-any-return]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port that it listens on; it may not do so yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    server = subprocess.Popen([*COMMAND, "--tcp", str(port)], stderr=subprocess.DEVNULL)
    yield port
    server.kill()
    server.wait()
