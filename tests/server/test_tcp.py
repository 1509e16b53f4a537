"""The server on a loopback port."""

import json
import socket
import subprocess
import sys
import time


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_tcp_answers_on_loopback_only() -> None:
    port = free_port()
    command = [sys.executable, "-m", "burstline_server.cli.main", "serve", "--tcp", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        connection = None
        for _ in range(200):
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=5)
                break
            except OSError:
                time.sleep(0.05)
        assert connection is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
        body = json.dumps(request).encode()
        connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        answer = b""
        while b"hoverProvider" not in answer:
            piece = connection.recv(65536)
            assert piece
            answer += piece
        connection.close()
        listening = subprocess.run(["ss", "-ltn"], capture_output=True, text=True, check=False)
        lines = [line for line in listening.stdout.splitlines() if f":{port} " in line]
        assert all("127.0.0.1" in line for line in lines)
    finally:
        server.kill()
        server.wait()
