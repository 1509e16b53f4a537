"""Broken messages, calls at the wrong time, clients that vanish: every request is answered, nothing else is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.raw import COMMAND, PATIENCE_S, Raw, framed

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, REQUEST_FAILED = -32002, -32800, -32803
KERNEL = "__kernel void {0}(__global float *restrict x) {{ x[get_global_id(0)] = 1.0f; }}\n"
HALF = '{"jsonrpc": "2.0", "method": "x'
PADDING = b'{"jsonrpc": "2.0", "method": "nothing"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One server for all that may be sent to it."""
    with Raw(tmp_path_factory.mktemp("log") / "log") as raw:
        raw.greet()
        yield raw
        assert raw.leave() == 0


BROKEN = {
    "no JSON": framed("hello"),
    "half a JSON": framed(HALF),
    "deep": framed("[" * 100_000),
    "length too short": b"Content-Length: 20\r\n\r\n" + PADDING,
    "length too long": b"Content-Length: 60\r\n\r\n" + PADDING,
    "length longer than the next header": b"Content-Length: 70\r\n\r\n" + PADDING,
    "length negative": b"Content-Length: -5\r\n\r\n" + PADDING,
    "length no number": b"Content-Length: many\r\n\r\n" + PADDING,
    "length huge": b"Content-Length: 99999999999\r\n\r\n" + PADDING,
    "no length": b"Content-Type: text\r\n\r\n" + PADDING,
    "no header": PADDING,
    "line without end": b"x" * 200_000,
    "binary": bytes(range(256)) * 4,
    "a list": framed("[1, 2]"),
    "a number": framed("5"),
    "another protocol": framed('{"jsonrpc": "1.0", "id": 77, "method": "shutdown"}'),
    "no protocol": framed('{"id": 77, "method": "shutdown"}'),
    "id of a wrong type": framed('{"jsonrpc": "2.0", "id": {"a": 1}, "method": "shutdown"}'),
    "method of a wrong type": framed('{"jsonrpc": "2.0", "method": 5}'),
    "answer to nothing": framed('{"jsonrpc": "2.0", "id": "nobody", "result": 1}'),
    "error about nothing": framed('{"jsonrpc": "2.0", "id": "nobody", "error": {"code": 1, "message": "no"}}'),
    "cancel of nothing": framed('{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "nobody"}}'),
    "unknown notification": framed('{"jsonrpc": "2.0", "method": "no/such", "params": {}}'),
    "invalid parameters": framed('{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"a": 1}}'),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_message_costs_itself_alone(server: Raw, name: str) -> None:
    text = KERNEL.format("alive")
    server.write(BROKEN[name])
    document = server.open("untitled:alive.cl", text)
    assert server.kernels(document) == ["alive"]
    server.notify("textDocument/didClose", {"textDocument": document})


def test_a_refusal_is_an_answer_and_no_fault(tmp_path: Path) -> None:
    text = "struct pair { int a; };\n__kernel void k(__global struct pair *p) { p[0].a = 1; }\n"
    with Raw(tmp_path / "log") as raw:
        raw.greet()
        document = raw.open("untitled:members.cl", text)
        place = {"textDocument": document, "position": {"line": 1, "character": text.splitlines()[1].index(".a") + 1}}
        assert raw.refused("textDocument/prepareRename", place) == REQUEST_FAILED
        assert raw.leave() == 0
        assert raw.log == ""


@pytest.mark.parametrize("broken", [framed(HALF), framed("hello"), b"Content-Length: no\r\n\r\n"])
def test_what_cannot_be_read_is_reported(server: Raw, broken: bytes) -> None:
    server.write(broken)
    assert server.answer(None)["error"]["code"] == PARSE_ERROR


def test_invalid_utf_8_is_replaced(server: Raw) -> None:
    item = {"uri": "untitled:bytes.cl", "languageId": "", "version": 1, "text": "// ? \n" + KERNEL.format("b")}
    message = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    server.write(framed(json.dumps(message).encode().replace(b"?", b"\xff")))
    assert server.kernels({"uri": "untitled:bytes.cl"}) == ["b"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such/method", {}, NO_METHOD),
        ("textDocument/hover", {"textDocument": {"uri": "untitled:a.cl"}}, INVALID_PARAMS),
        ("textDocument/hover", None, INVALID_PARAMS),
        ("textDocument/hover", [], INVALID_PARAMS),
        ("textDocument/inlayHint", {"textDocument": 5, "range": "all"}, INVALID_PARAMS),
        ("workspace/executeCommand", {"command": "no.such"}, INVALID_PARAMS),
        ("workspace/executeCommand", {"command": "burstline.showKernel", "arguments": [1, 2, 3, 4]}, None),
        ("burstline/view", {"uri": 7}, INVALID_PARAMS),
        ("burstline/view", None, INVALID_PARAMS),
        ("burstline/status", None, INVALID_PARAMS),
        ("burstline/status", {}, INVALID_PARAMS),
        ("initialize", {"processId": None, "capabilities": {}}, INVALID_REQUEST),
    ],
)
def test_a_request_that_makes_no_sense_is_answered(server: Raw, method: str, params: object, code: int | None) -> None:
    answer = server.answer(server.request(method, params))
    assert answer.get("error", {}).get("code") == code


def test_two_requests_of_one_number_are_both_answered(server: Raw) -> None:
    for _ in range(2):
        server.send(id="twice", method="textDocument/codeLens", params={"textDocument": {"uri": "untitled:no.cl"}})
    server.until(lambda: server.counts["twice"] >= 2)
    assert server.counts["twice"] == 2


def test_a_cancelled_request_is_answered_once(server: Raw) -> None:
    document = server.open("untitled:long.cl", "".join(KERNEL.format(f"k{i}") for i in range(300)))
    number = server.request("textDocument/codeLens", {"textDocument": document})
    server.notify("$/cancelRequest", {"id": number})
    server.notify("$/cancelRequest", {"id": number})
    assert server.answer(number)["error"]["code"] == CANCELLED
    assert len(server.kernels(document)) == 300
    assert server.counts[number] == 1
    server.notify("textDocument/didClose", {"textDocument": document})


def test_before_and_after_a_session(tmp_path: Path) -> None:
    with Raw(tmp_path / "log") as raw:
        raw.open("untitled:early.cl", KERNEL.format("early"))
        assert raw.refused("textDocument/codeLens", {"textDocument": {"uri": "untitled:early.cl"}}) == NOT_INITIALIZED
        raw.greet()
        waiting = raw.request(
            "textDocument/codeLens", {"textDocument": raw.open("untitled:a.cl", KERNEL.format("a") * 200)}
        )
        command = {"command": "burstline.showKernel", "arguments": ["untitled:a.cl", "a"]}
        also = raw.request("workspace/executeCommand", command)
        raw.ask("shutdown")
        assert {raw.answer(n).get("error", {}).get("code") for n in (waiting, also)} <= {CANCELLED, None}
        assert raw.refused("textDocument/codeLens", {"textDocument": {"uri": "untitled:a.cl"}}) == INVALID_REQUEST
        raw.open("untitled:late.cl", KERNEL.format("late"))
        raw.notify("exit")
        assert raw.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in raw.log


def exits(tmp_path: Path, last: bytes, *, greeted: bool) -> int:
    """The status that a server leaves with after some last bytes and the end of its input."""
    with Raw(tmp_path / "log") as raw:
        if greeted:
            raw.greet()
        raw.write(last)
        assert raw.process.stdin is not None
        raw.process.stdin.close()
        return raw.process.wait(PATIENCE_S)


EXIT = framed('{"jsonrpc": "2.0", "method": "exit"}')


@pytest.mark.parametrize(
    ("last", "greeted"),
    [(EXIT, True), (EXIT, False), (b"", True), (b"Content-Length: 50\r\n\r\n{", True), (b"Content-Le", False)],
    ids=["exit", "exit at once", "end", "end in a body", "end in a header"],
)
def test_leaving_without_shutdown_is_an_error(tmp_path: Path, last: bytes, *, greeted: bool) -> None:
    assert exits(tmp_path, last, greeted=greeted) == 1


def test_leaving_after_shutdown_is_none(tmp_path: Path) -> None:
    shutdown = framed('{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}')
    assert exits(tmp_path, shutdown, greeted=True) == 0


def test_the_server_goes_with_a_killed_editor(tmp_path: Path) -> None:
    editor = (
        "import subprocess, sys, time\n"
        "server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", editor, *COMMAND], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{server}/stat").exists() and time.monotonic() < until:
        if Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break
        time.sleep(0.1)
    else:
        with pytest.raises(ProcessLookupError):
            os.kill(server, 0)
