"""What a file, a setting or a message holds does not freeze, end or mislead the server."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from burstline_server.diagnostics.catalogue import findings_of
from burstline_server.words.findings import message_text
from tests.assessing import assess
from tests.faults.raw import LATER, PULLS, Raw

KERNEL = """__kernel void copy(__global const int *restrict x, __global int *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
"""
LONG = 1_000_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Raw]:
    with Raw(tmp_path / "log") as server:
        server.greet(folder=tmp_path)
        yield server


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ("a", "expected ';'"), ("a ", "expected ';'"), ("(", "expected ')'"), ("{", "expected '}'"),
        ("/*", "this comment does not end"), (" ", None), ("\n", None), ("/", None),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("patience")
def test_a_long_text_behind_a_kernel_has_its_own_faults_alone(piece: str, fault: str | None) -> None:
    done = assess(KERNEL + piece * (LONG // 10 // len(piece)))
    faults = [f for f in findings_of(done) if f.code == "BL001"]
    assert {k.facts.name for k in done.kernels} | {w.name for w in done.withheld} == {"copy"}
    if fault is None:
        assert (faults, done.withheld) == ([], ())
    else:
        assert fault in message_text(faults[0])
        assert min(f.span.start for f in faults) >= len(KERNEL)


@pytest.mark.parametrize(
    "text", ["// " + "a" * LONG, "int " + "a" * LONG + ";", "(" * 50_000, "{" * 50_000, ")" * 50_000, "}" * 50_000]
)
@pytest.mark.usefixtures("patience")
def test_a_long_line_is_answered(text: str) -> None:
    assert assess(f"{KERNEL}{text}\n").path == "kernel.cl"


@pytest.mark.usefixtures("patience")
def test_deep_nesting_is_answered() -> None:
    deep = "struct a { " * 2000 + "int x; " + "} a;" * 2000
    assert assess(KERNEL + deep).path == "kernel.cl"
    assert assess(KERNEL.replace("x[i]", "(" * 3000 + "x[i]" + ")" * 3000)).path == "kernel.cl"


@pytest.fixture(scope="module")
def cancelling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One server that goes on after every malformed cancellation."""
    with Raw(tmp_path_factory.mktemp("log") / "log") as server:
        server.greet()
        yield server


@pytest.mark.parametrize("number", [{}, [], None, {"a": 1}, 1.5, True])
def test_a_malformed_cancellation_costs_itself_alone(cancelling: Raw, tmp_path: Path, number: object) -> None:
    cancelling.notify("$/cancelRequest", {"id": number})
    cancelling.notify("$/cancelRequest", number)
    assert cancelling.kernels(cancelling.open((tmp_path / "k.cl").as_uri(), KERNEL)) == ["copy"]


def test_settings_that_arrive_late_do_not_undo_newer_ones(server: Raw, tmp_path: Path) -> None:
    document = server.open((tmp_path / "k.cl").as_uri(), KERNEL)
    server.kernels(document)
    held: list[dict[str, object]] = []

    def hold(call: dict[str, object]) -> object:
        if call["method"] != "workspace/configuration":
            return None
        held.append(call)
        return LATER

    server.asked = hold
    for _ in range(2):
        number = len(held)
        server.notify("workspace/didChangeConfiguration", {"settings": None})
        server.until(lambda number=number: len(held) > number)  # type: ignore[misc]
    first, last = held
    server.send(id=last["id"], result=[{"arguments": {"n": 8}}])
    server.send(id=first["id"], result=[{"arguments": {"n": 4096}}])
    lens = server.ask("textDocument/codeLens", {"textDocument": document})[0]
    card = server.ask(
        "workspace/executeCommand", {**lens["command"], "arguments": [*lens["command"]["arguments"], True]}
    )
    assert "n = 8 " in card


def test_settings_of_a_folder_go_with_it(tmp_path: Path) -> None:
    root, member = tmp_path.as_uri(), (tmp_path / "member").as_uri()
    with Raw(tmp_path / "log") as server:
        server.settings = [{"arguments": {"n": 8}}] * 3
        folders = [{"uri": root, "name": "root"}, {"uri": member, "name": "member"}]
        server.request("initialize", {"processId": None, "rootUri": root, "workspaceFolders": folders,
                                      "capabilities": PULLS})  # fmt: skip
        server.notify("initialized", {})
        document = server.open(f"{member}/k.cl", KERNEL)
        server.kernels(document)
        server.settings = [{"arguments": {"n": 4096}}]
        event = {"added": [], "removed": [{"uri": member, "name": "member"}]}
        asked_before = len(server.calls)
        server.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        server.until(lambda: any(c["method"] == "workspace/configuration" for c in server.calls[asked_before:]))
        lens = server.ask("textDocument/codeLens", {"textDocument": document})[0]
        asked = {**lens["command"], "arguments": [*lens["command"]["arguments"], True]}
        assert "n = 8 " not in server.ask("workspace/executeCommand", asked)


def test_parameters_that_cannot_be_read_are_one_line_of_the_log(tmp_path: Path) -> None:
    with Raw(tmp_path / "log") as server:
        server.greet()
        server.refused("textDocument/hover", {"textDocument": {"uri": "untitled:k.cl"}, "position": {"line": -1}})
        server.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:k.cl"}})
        assert server.leave() == 0
        log = server.log
    assert "Traceback" not in log
    assert log.count("cannot be read") == 2


@pytest.mark.parametrize("answer", [None, "text", 3, [1]])
def test_no_settings_take_back_those_before(tmp_path: Path, answer: object) -> None:
    with Raw(tmp_path / "log") as server:
        server.settings = [{"arguments": {"n": 8}}]
        server.greet(PULLS, tmp_path)
        document = server.open((tmp_path / "k.cl").as_uri(), KERNEL)
        (with_size,) = server.ask("textDocument/codeLens", {"textDocument": document})
        server.settings = [answer]
        number = len(server.calls)
        server.notify("workspace/didChangeConfiguration", {"settings": None})
        server.until(lambda: any("refresh" in call["method"] for call in server.calls[number:]))
        (without,) = server.ask("textDocument/codeLens", {"textDocument": document})
        assert without["command"]["title"] != with_size["command"]["title"]


@pytest.mark.parametrize(
    "settings", [{"include_paths": ["a\0b"]}, {"report": "a" * 5000}, {"include_paths": ["a" * 5000]}, {"report": "\0"}]
)
def test_a_path_that_cannot_be_one_costs_itself_alone(tmp_path: Path, settings: object) -> None:
    with Raw(tmp_path / "log") as server:
        server.settings = [settings]
        server.greet(PULLS, tmp_path)
        assert server.kernels(server.open((tmp_path / "k.cl").as_uri(), KERNEL)) == ["copy"]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs signals (POSIX)")
def test_an_interrupt_ends_with_130(server: Raw) -> None:
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(30) == 130
    assert "Fatal Python error" not in server.log
