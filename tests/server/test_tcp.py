"""The server on a loopback port."""

import json
import socket
import sys
import time
from pathlib import Path

import pytest

LISTENING = "0A"
LOOPBACK = f"{int.from_bytes(socket.inet_aton('127.0.0.1'), sys.byteorder):08X}"
"""As the kernel's list of sockets writes them."""


class Client:
    """One connection that takes plain JSON."""

    def __init__(self, port: int) -> None:
        for _ in range(400):
            try:
                self.connection = socket.create_connection(("127.0.0.1", port), timeout=20)
                break
            except OSError:
                time.sleep(0.05)
        self.stream = self.connection.makefile("rb")

    def send(self, method: str, params: object = None, number: int | None = None) -> None:
        """Send a request, or a notification without a number."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message | ({"id": number} if number is not None else {})).encode()
        self.connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self, expected: object) -> dict:
        """The next message with this id or method."""
        while True:
            length = 0
            while line := self.stream.readline().strip():
                length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
            message = json.loads(self.stream.read(length))
            if expected in {message.get("id"), message.get("method")}:
                return message

    def greet(self) -> dict:
        """Start a session."""
        self.send("initialize", {"processId": None, "capabilities": {}}, 1)
        answer = self.receive(1)["result"]
        self.send("initialized", {})
        return answer


def test_tcp_answers_on_loopback_only(port: int) -> None:
    assert Client(port).greet()["capabilities"]["hoverProvider"]
    tables = [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
    if not tables[0].is_file():
        pytest.skip("needs Linux's list of sockets")
    sockets = [line.split() for table in tables if table.is_file() for line in table.read_text().splitlines()[1:]]
    addresses = [s[1].partition(":")[0] for s in sockets if s[1].endswith(f":{port:04X}") and s[3] == LISTENING]
    assert addresses == [LOOPBACK]


def test_each_client_has_its_own_documents_and_leaves_alone(port: int) -> None:
    first, second = Client(port), Client(port)
    text = "__kernel void {0}(__global float *x) {{ x[get_global_id(0)] = 1.0f; }}\n"
    document = {"uri": "untitled:shared.cl", "languageId": "opencl", "version": 1}
    for client, name in ((first, "one"), (second, "two")):
        client.greet()
        client.send("textDocument/didOpen", {"textDocument": document | {"text": text.format(name)}})
    for client, name in ((first, "one"), (second, "two")):
        client.send("textDocument/documentSymbol", {"textDocument": {"uri": document["uri"]}}, 2)
        assert [s["name"] for s in client.receive(2)["result"]] == [name]
    first.send("shutdown", None, 3)
    assert first.receive(3)["result"] is None
    first.send("exit")
    assert first.stream.read() == b""
    second.send("textDocument/documentSymbol", {"textDocument": {"uri": document["uri"]}}, 4)
    assert [s["name"] for s in second.receive(4)["result"]] == ["two"]
