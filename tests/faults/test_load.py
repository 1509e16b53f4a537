"""Long work, a client that does not read, a log that cannot be written: the session goes on, and ends when asked to."""

import threading
import time
from pathlib import Path

from tests.faults.raw import PATIENCE_S, Raw

KERNEL = """__kernel void {0}(__global const float *restrict x, __global float *restrict y, int n)
{{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2.0f + x[i + 1];
}}
"""
CANCELLED = -32800
MAX_RESIDENT_KB = 200_000


def ticks(process: int) -> int:
    """How much processor time a process has had."""
    return sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]))


def long_text(kernels: int) -> str:
    return "".join(KERNEL.format(f"k{i}") for i in range(kernels))


def test_leaving_does_not_wait_for_an_analysis(tmp_path: Path) -> None:
    with Raw(tmp_path / "log") as raw:
        raw.greet()
        document = raw.open("untitled:long.cl", long_text(5000))
        lenses = raw.request("textDocument/codeLens", {"textDocument": document})
        raw.ask("shutdown")
        # The lenses would have been there, had the shutdown waited.
        assert raw.answer(lenses)["error"]["code"] == CANCELLED
        raw.notify("exit")
        assert raw.process.wait(PATIENCE_S) == 0


def test_a_file_is_hovered_while_another_is_assessed(tmp_path: Path) -> None:
    with Raw(tmp_path / "log") as raw:
        raw.greet()
        small = raw.open("untitled:small.cl", KERNEL.format("small"))
        assert raw.kernels(small) == ["small"]
        large = raw.open("untitled:large.cl", long_text(600))
        lenses = raw.request("textDocument/codeLens", {"textDocument": large})
        for _ in range(3):
            hover = {"textDocument": small, "position": {"line": 3, "character": 16}}
            assert "x[i]" in str(raw.ask("textDocument/hover", hover))
            assert lenses not in raw.answers
        assert len(raw.answer(lenses)["result"]) == 600
        assert raw.leave() == 0


def test_a_client_that_does_not_read_is_not_read_either(tmp_path: Path) -> None:
    sent = 0

    def ask_on(raw: Raw, document: dict[str, str]) -> None:
        nonlocal sent
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
        try:
            for _ in range(20_000):
                raw.request("textDocument/inlayHint", {"textDocument": document, "range": whole})
                sent += 1
        except OSError:
            return

    with Raw(tmp_path / "log", reading=False) as raw:
        raw.send(id="first", method="initialize", params={"processId": None, "capabilities": {}})
        raw.notify("initialized", {})
        document = raw.open("untitled:much.cl", long_text(40))
        asking = threading.Thread(target=ask_on, args=(raw, document), daemon=True)
        asking.start()
        before = -1, -1
        while before != (before := (sent, ticks(raw.process.pid))):
            time.sleep(1)
        assert 0 < sent < 20_000
        status = Path(f"/proc/{raw.process.pid}/status").read_text()
        resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        assert resident < MAX_RESIDENT_KB
        assert raw.process.poll() is None
        assert raw.process.stdout is not None
        raw.process.stdout.close()
        assert raw.process.wait(PATIENCE_S) == 1
        asking.join(PATIENCE_S)
        assert not asking.is_alive()


def test_a_log_on_a_full_disk(tmp_path: Path) -> None:
    with Raw(Path("/dev/full"), "--log-level", "debug") as raw:
        raw.greet()
        assert raw.kernels(raw.open("untitled:a.cl", KERNEL.format("a"))) == ["a"]
        raw.write(b"Content-Length: 3\r\n\r\n{{{")
        assert raw.kernels({"uri": "untitled:a.cl"}) == ["a"]
        assert raw.leave() == 0
