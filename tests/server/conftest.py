"""A server that several editors share, each with a session of its own."""

import socket
import subprocess
from collections.abc import Iterator

import pytest

from tests.server.clients import COMMAND


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port that it listens on; it may not do so yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    server = subprocess.Popen([*COMMAND, "--tcp", str(port)], stderr=subprocess.DEVNULL)
    yield port
    server.kill()
    server.wait()
