"""Edits that cannot be, texts that nobody writes, addresses that lead nowhere: the next answer is right."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.raw import Raw

ROOT = Path("/").as_uri()
KERNEL = "__kernel void {0}(__global float *restrict x) {{ x[get_global_id(0)] = 1.0f; }}\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One server for all documents."""
    with Raw(tmp_path_factory.mktemp("log") / "log") as raw:
        raw.greet()
        yield raw
        assert raw.leave() == 0
        assert "Traceback" not in raw.log
        assert [c["params"] for c in raw.calls if c["method"] == "window/showMessage"] == []


def change(server: Raw, document: dict[str, str], version: int | None, *edits: tuple[object, str]) -> None:
    """Edit a document; without a range, all of it."""
    changes = [{"text": text} if where is None else {"range": where, "text": text} for where, text in edits]
    name = document | {"version": version}
    server.notify("textDocument/didChange", {"textDocument": name, "contentChanges": changes})


def place(first: tuple[int, int], last: tuple[int, int]) -> dict[str, dict[str, int]]:
    """A range."""
    start, end = ({"line": line, "character": column} for line, column in (first, last))
    return {"start": start, "end": end}


def test_a_document_that_was_never_opened(server: Raw) -> None:
    document = {"uri": "untitled:never.cl"}
    change(server, document, 2, (None, KERNEL.format("never")))
    server.notify("textDocument/didSave", {"textDocument": document})
    server.notify("textDocument/didClose", {"textDocument": document})
    assert server.kernels(document) == []
    hover = {"textDocument": document, "position": {"line": 0, "character": 20}}
    assert server.ask("textDocument/hover", hover) is None


@pytest.mark.parametrize("versions", [(1, 1), (7, 3), (0, -1), (2**31 - 1, 2**31 - 1)])
def test_versions_that_do_not_grow(server: Raw, versions: tuple[int, int]) -> None:
    document = server.open("untitled:versions.cl", KERNEL.format("first"), versions[0])
    assert server.kernels(document) == ["first"]
    for name in ("second", "third"):
        change(server, document, versions[1], (None, KERNEL.format(name)))
        assert server.kernels(document) == [name]


def test_a_document_opened_twice(server: Raw) -> None:
    for name in ("first", "second"):
        document = server.open("untitled:twice.cl", KERNEL.format(name))
        assert server.kernels(document) == [name]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (place((99, 0), (120, 5)), ["k", "end"]),
        (place((1, 0), (999, 999)), ["k", "end"]),
        (place((1, 500), (0, 0)), ["k", "end"]),
        (place((0, 9999), (0, 9999)), ["k", "end"]),
        (place((0, 0), (2**31 - 1, 2**31 - 1)), ["end"]),
    ],
)
def test_ranges_out_of_the_text(server: Raw, where: object, expected: list[str]) -> None:
    document = server.open("untitled:ranges.cl", KERNEL.format("k"))
    change(server, document, 2, (where, "\n" + KERNEL.format("end")))
    assert server.kernels(document) == expected
    asked = {"textDocument": document, "range": place((0, 0), (2**31 - 1, 0)), "context": {"diagnostics": []}}
    assert server.ask("textDocument/inlayHint", asked)
    assert isinstance(server.ask("textDocument/codeAction", asked), list)
    far = {"textDocument": document, "position": {"line": 2**31 - 1, "character": 2**31 - 1}}
    assert server.ask("textDocument/hover", far) is None
    assert isinstance(server.ask("textDocument/completion", far), list)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_of_every_kind(server: Raw, end: str) -> None:
    text = f"int one;{end}int two;{end}" + KERNEL.format("k").strip() + end
    document = server.open("untitled:ends.cl", text)
    change(server, document, 2, (place((1, 0), (1, 8)), f"int three;{end}int four;"))
    (lens,) = server.ask("textDocument/codeLens", {"textDocument": document})
    assert lens["range"] == place((3, 14), (3, 15))


def test_half_a_pair_of_surrogates(server: Raw) -> None:
    item = {"uri": "untitled:half.cl", "languageId": "opencl", "version": 1, "text": "// \ud83d"}
    server.notify("textDocument/didOpen", {"textDocument": item})
    document = {"uri": "untitled:half.cl"}
    change(server, document, 2, (place((0, 4), (0, 4)), "\n" + KERNEL.format("whole")))
    (lens,) = server.ask("textDocument/codeLens", {"textDocument": document})
    assert lens["range"] == place((1, 14), (1, 19))


@pytest.mark.parametrize(
    "uri",
    [
        f"{ROOT}gone/a%00b.cl", ROOT, "file:", "", "untitled:", "git:/x.cl?%7B%7D", "file://host/share/x.cl",
        f"{ROOT}gone/{'long' * 500}.cl", f"{ROOT}proc/self/mem", "http://example.org/x.cl", f"{ROOT}gone/\ud800.cl",
        "nonsense", f"{ROOT}%FF%FE.cl", "vscode-notebook-cell:/x.cl#W0",
    ],
)  # fmt: skip
def test_addresses_that_lead_nowhere(server: Raw, uri: str) -> None:
    document = server.open(uri, '#include "none.h"\n' + KERNEL.format("k"))
    assert server.kernels(document) == ["k"]
    assert server.findings(document)
    server.notify("textDocument/didSave", {"textDocument": document})
    assert server.kernels(document) == ["k"]
    server.notify("textDocument/didClose", {"textDocument": document})


TEXTS = {
    "binary": "".join(map(chr, range(256))) * 50,
    "NUL bytes": KERNEL.format("k").replace(" ", "\0 "),
    "byte order mark": "\ufeff" + KERNEL.format("k"),
    "one long line": "x" * 1_000_000,
    "ten megabytes": "/* " + "word " * 2_000_000 + "*/\n" + KERNEL.format("k"),
    "empty": "",
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_nobody_writes(server: Raw, name: str) -> None:
    document = server.open("untitled:odd.cl", TEXTS[name])
    expected = ["k"] if "k(" in TEXTS[name] else []
    assert server.kernels(document) == expected
    change(server, document, 2, (place((0, 0), (0, 0)), "\n"))
    assert server.kernels(document) == expected
    assert isinstance(server.findings(document), list)
    assert "data" in (server.ask("textDocument/semanticTokens/full", {"textDocument": document}) or {"data": []})
    server.notify("textDocument/didClose", {"textDocument": document})


def test_a_file_that_is_a_folder(server: Raw, tmp_path: Path) -> None:
    folder = tmp_path / "x.cl"
    folder.mkdir()
    assert server.kernels(server.open(folder.as_uri(), KERNEL.format("k"))) == ["k"]
