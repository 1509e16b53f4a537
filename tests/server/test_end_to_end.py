"""The real server process over stdio, in the three position encodings that editors use."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.server.clients import findings_after

pytestmark = pytest.mark.asyncio(loop_scope="module")
COMMAND = [sys.executable, "-m", "burstline_server.cli.main", "serve", "--stdio"]
TEXT = """// burstline: n=1048576 🚀
__kernel void scale(__global const float *restrict x, __global float *restrict y, int n)
{
\tfor (int i = 0; i < n; i++)
\t\t/* 🚀é */ y[i] = 2.0f * x[i];
}
"""
BOTTOM = types.Range(start=types.Position(0, 0), end=types.Position(99, 0))


EDITORS = ["visual_studio_code", "neovim", "emacs"]
CONFIG = ClientServerConfig(server_command=COMMAND)


async def greet(client: LanguageClient, editor: str) -> None:
    """Start a session as an editor does."""

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(_ls: LanguageClient, _params: types.RegistrationParams) -> None:
        return None

    @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refreshed(_ls: LanguageClient, _params: None) -> None:
        return None

    answer = await client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities(editor), workspace_folders=[])
    )
    client.encoding = str(answer.capabilities.position_encoding or "utf-16")  # type: ignore[attr-defined]


@pytest_lsp.fixture(params=EDITORS, config=CONFIG, scope="module", loop_scope="module")
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    """One server for all tests, as for all files of an editor."""
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(params=EDITORS, config=CONFIG, loop_scope="module")
async def alone(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    """A server of a test's own, whose settings change."""
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


def units(client: LanguageClient, text: str) -> int:
    """How long a text is in the client's units."""
    encoding = str(client.encoding)  # type: ignore[attr-defined]
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding.rpartition(".")[2].replace("_", "-").lower()]
    return len(text.encode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[size])) // size


async def diagnostics(
    client: LanguageClient, uri: str, version: int | None, send: Callable[[], None]
) -> list[types.Diagnostic]:
    """Send something, and wait for the findings of this version of the document."""

    def sent() -> str:
        send()
        return uri

    return await findings_after(client, sent, version)


async def opened(client: LanguageClient, uri: str, text: str) -> list[types.Diagnostic]:
    """Open a document and wait for its findings."""
    item = types.TextDocumentItem(uri=uri, language_id="opencl", version=1, text=text)
    params = types.DidOpenTextDocumentParams(text_document=item)
    return await diagnostics(client, uri, 1, lambda: client.text_document_did_open(params))


async def edited(
    client: LanguageClient, uri: str, change: types.TextDocumentContentChangeEvent
) -> list[types.Diagnostic]:
    """Make version 2 of a document and wait for its findings."""
    document = types.VersionedTextDocumentIdentifier(version=2, uri=uri)
    params = types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
    return await diagnostics(client, uri, 2, lambda: client.text_document_did_change(params))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
async def test_open_hover_hint_edit_close(client: LanguageClient, tmp_path: Path, line_end: str) -> None:
    uri = (tmp_path / "scale.cl").as_uri()
    text = TEXT.replace("\n", line_end)
    found = await opened(client, uri, text)
    assert "BL106" in {d.code for d in found}
    document = types.TextDocumentIdentifier(uri=uri)
    line = TEXT.splitlines()[4]
    column = units(client, line[: line.index("x[i]")])

    narrow = next(d for d in found if d.code == "BL106" and d.range.start.character == column)
    assert narrow.range.end == types.Position(4, column + 4)
    assert narrow.code_description is not None
    assert narrow.code_description.href.endswith("BL106.md")

    hover = await client.text_document_hover_async(
        types.HoverParams(text_document=document, position=types.Position(4, column + 1))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "x[i] · load · float · __global" in hover.contents.value
    assert "Burst-coalesced" in hover.contents.value
    assert "n = 1 048 576 (comment)" in hover.contents.value

    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=BOTTOM))
    assert hints
    # One at the end of the line, before the carriage return of a CRLF file.
    [before] = hints
    assert before.position == types.Position(3, len(TEXT.splitlines()[3]))
    assert re.fullmatch(r"[\d.]+ .s · \d+ %", str(before.label))

    lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    assert lenses
    assert lenses[0].command is not None
    assert "-bound" in lenses[0].command.title

    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    assert symbols
    assert [s.name for s in symbols] == ["scale"]

    # Widen the accesses to vectors by an edit on the signature and see the answers change.
    signature = TEXT.splitlines()[1]
    start, end = signature.index("float *restrict x"), signature.index(" *restrict y")
    edit = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(1, start), types.Position(1, end)),
        text=signature[start:end].replace("float", "float16"),
    )
    changed = await edited(client, uri, edit)
    assert all(d.range.start.character != column for d in changed if d.code == "BL106")
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=BOTTOM))
    assert hints
    [after] = (h for h in hints if h.position.line == 4)
    assert after.label != before.label

    closing = types.DidCloseTextDocumentParams(text_document=document)
    assert await diagnostics(client, uri, None, lambda: client.text_document_did_close(closing)) == []
    where = types.HoverParams(text_document=document, position=types.Position(4, 5))
    assert await client.text_document_hover_async(where) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "__kernel void f(__global float *x) { x[get_global_id(0)] = x[",
        "__kernel void f(__global float *x",
        "template <class T> struct A { T &&x; auto f() -> decltype(x) { return [&](auto y) { return y; }(x); } };",
        "\x00\x01\x7fELF\udcff" + "\ufffd" * 40,
        "#if 1\n#if 2\n__kernel void f() {",
        "a" * 5000 + "\n" * 5000,
    ],
    ids=["empty", "half an index", "half a signature", "c++", "bytes", "open conditions", "long"],
)
async def test_any_text_gets_an_answer(client: LanguageClient, tmp_path: Path, text: str) -> None:
    uri = (tmp_path / "any.cl").as_uri()
    found = await opened(client, uri, text.encode("utf-8", "replace").decode())
    assert all(d.source == "burstline" for d in found)
    document = types.TextDocumentIdentifier(uri=uri)
    where = types.Position(0, 50)
    await client.text_document_hover_async(types.HoverParams(text_document=document, position=where))
    await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=BOTTOM))
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    assert symbols is not None


async def test_a_half_typed_edit_keeps_the_rest(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "typing.cl").as_uri()
    await opened(client, uri, TEXT)
    asked = types.InlayHintParams(text_document=types.TextDocumentIdentifier(uri=uri), range=BOTTOM)
    before = await client.text_document_inlay_hint_async(asked)
    typed = TEXT.replace("2.0f * x[i];", "2.0f * x[i] + x[")
    await edited(client, uri, types.TextDocumentContentChangeWholeDocument(text=typed))
    hints = await client.text_document_inlay_hint_async(asked)
    assert hints
    assert [(h.position, h.label) for h in hints] == [(h.position, h.label) for h in before or ()]


async def test_a_wrong_setting_is_reported_with_its_line(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "burstline.toml").write_text('mode = "faithful"\nbord = "s10mx_hbm2"\n')
    found = await opened(client, (tmp_path / "k.cl").as_uri(), TEXT)
    shown = [d for d in found if d.code == "BL301"]
    assert len(shown) == 1
    assert "did you mean 'board'" in shown[0].message
    assert ":2" in shown[0].message


async def test_editor_settings_change_the_answers(alone: LanguageClient, tmp_path: Path) -> None:
    client = alone
    uri = (tmp_path / "scale.cl").as_uri()
    await opened(client, uri, TEXT)
    document = types.TextDocumentIdentifier(uri=uri)
    lens = types.CodeLensParams(text_document=document)
    before = await client.text_document_code_lens_async(lens)
    settings = {"burstline": {"board": "s10mx_hbm2", "server": {"command": ["x"]}, "f_max_mhz": None}}
    client.set_configuration(settings)
    changed = types.DidChangeConfigurationParams(settings=settings)
    found = await diagnostics(client, uri, 1, lambda: client.workspace_did_change_configuration(changed))
    assert "BL107" in {d.code for d in found}
    after = await client.text_document_code_lens_async(lens)
    assert before
    assert after
    assert before[0].command != after[0].command


async def test_the_lens_command_shows_the_kernels_card(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "scale.cl").as_uri()
    await opened(client, uri, TEXT)
    shown = len(client.messages)
    card = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="burstline.showKernel", arguments=[uri, "scale"])
    )
    assert "scale · single work-item" in str(card)
    # An editor that shows cards itself asks for the text alone.
    quiet = types.ExecuteCommandParams(command="burstline.showKernel", arguments=[uri, "scale", True])
    assert await client.workspace_execute_command_async(quiet) == card
    assert len(client.messages) == shown + 1


async def test_presets_of_hints(client: LanguageClient, tmp_path: Path) -> None:
    asked = {}
    for preset in ("off", "on_demand", "quiet", "normal", "everything"):
        uri = (tmp_path / f"{preset}.cl").as_uri()
        await opened(client, uri, f"// burstline: hints={preset}\n{TEXT}")
        params = types.InlayHintParams(text_document=types.TextDocumentIdentifier(uri=uri), range=BOTTOM)
        asked[preset] = len(await client.text_document_inlay_hint_async(params) or ())
    assert asked == {"off": 0, "on_demand": 0, "quiet": 1, "normal": 1, "everything": 2}
    uri = (tmp_path / "on_demand.cl").as_uri()
    toggle = types.ExecuteCommandParams(command="burstline.toggleHints", arguments=[uri])
    assert await client.workspace_execute_command_async(toggle) is True
    params = types.InlayHintParams(text_document=types.TextDocumentIdentifier(uri=uri), range=BOTTOM)
    assert len(await client.text_document_inlay_hint_async(params) or ()) == 1


SLOW = """__kernel void scale(__global const float *restrict x, __global float *restrict y)
{
    /* 🚀 */ float f = 2.0f;
    for (int i = 0; i < 4096; i++)
        y[i] = f * x[i];
}
"""


@pytest.mark.parametrize("only", [None, [types.CodeActionKind.QuickFix], [types.CodeActionKind.Source]])
async def test_a_fix_names_its_gain_and_does_what_it_says(
    client: LanguageClient, tmp_path: Path, only: list[types.CodeActionKind] | None
) -> None:
    uri = (tmp_path / "slow.cl").as_uri()
    findings = await opened(client, uri, SLOW)
    narrow = [f for f in findings if f.code == "BL106"]
    assert narrow
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=narrow[0].range,
            context=types.CodeActionContext(diagnostics=narrow, only=only),
        )
    )
    assert actions is not None
    every = [a for a in actions if isinstance(a, types.CodeAction)]
    if only == [types.CodeActionKind.Source]:
        (action,) = every
        assert action.kind == "source.fixAll.burstline"
    else:
        action = next(a for a in every if a.title.startswith("Unroll the loop over i 16 times: kernel "))
        assert action.is_preferred
        assert action.diagnostics
        if action.edit is None:
            # This client asks for edits only once an action is chosen.
            action = await client.code_action_resolve_async(action)
    assert action.edit is not None
    changes = action.edit.document_changes
    if changes:
        (change,) = changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == 1
        edits = list(change.edits)
    else:
        edits = list((action.edit.changes or {})[uri])
    (edit,) = edits
    assert isinstance(edit, types.TextEdit)
    assert edit.new_text.replace(" ", "").replace("\n", "") == "#pragmaunroll16"
    assert edit.range.start == edit.range.end
    assert edit.range.start.line == 3


async def test_an_action_for_an_older_text_gets_no_edit(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "slow.cl").as_uri()
    await opened(client, uri, SLOW)
    old = types.CodeAction(title="Unroll", data={"uri": uri, "version": 0, "offer": "scale/unroll_by/i/16"})
    assert (await client.code_action_resolve_async(old)).edit is None
    new = types.CodeAction(title="Unroll", data={"uri": uri, "version": 1, "offer": "scale/unroll_by/i/16"})
    assert (await client.code_action_resolve_async(new)).edit is not None


async def test_a_finding_can_be_ignored_and_a_missing_fix_says_why(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "sum.cl").as_uri()
    text = SLOW.replace("for (", "int s = 0; for (").replace("y[i] = f * x[i];", "{ s ^= i; y[i] = f * x[i] + s; }")
    findings = await opened(client, uri, text)
    narrow = [f for f in findings if f.code == "BL106"]
    assert narrow
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=narrow[0].range,
            context=types.CodeActionContext(diagnostics=narrow[:1]),
        )
    )
    every = [a for a in actions or [] if isinstance(a, types.CodeAction)]
    (ignore,) = [a for a in every if a.title == "Ignore BL106 on this line"]
    assert ignore.edit is not None
    disabled = [a for a in every if a.disabled is not None]
    can = client.initialize_params.capabilities.text_document if hasattr(client, "initialize_params") else None
    supported = getattr(getattr(can, "code_action", None), "disabled_support", None)
    if supported is not None:
        assert bool(disabled) == bool(supported)
    reasons = [action.disabled.reason for action in disabled if action.disabled is not None]
    if reasons:
        assert [one for one in reasons if "goes from one iteration to the next" in one]
        # What nothing here suggests is said once, for all kinds.
        assert reasons.count("nothing here suggests one") == 1


async def test_what_a_status_bar_asks(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "scale.cl").as_uri()
    await opened(client, uri, f"// burstline: board=p385a f_max=250\n{TEXT}")
    status = await client.protocol.send_request_async("burstline/status", {"uri": uri})
    assert (status.board, status.f_max, status.f_max_from) == ("p385a", "250 MHz", "comment")
    assert status.confidence in {"high", "medium", "low"}
    boards = await client.protocol.send_request_async("burstline/boards", {})
    assert {"p385a", "s10gx_ddr4_1866"} <= {board["name"] for board in boards}
    assert await client.protocol.send_request_async("burstline/status", {"uri": "untitled:nowhere.cl"}) is None


async def test_a_folder_that_is_not_enabled_is_left_alone(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "burstline.toml").write_text("enabled = false\nglobal_siz = 4\n")
    uri = (tmp_path / "gpu.cl").as_uri()
    found = await opened(client, uri, TEXT)
    assert [d.code for d in found] == ["BL301"]  # the wrong setting is shown all the same
    document = types.TextDocumentIdentifier(uri=uri)
    assert not await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=BOTTOM))
    assert not await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    where = types.HoverParams(text_document=document, position=types.Position(4, TEXT.splitlines()[4].index("y[i]")))
    hover = await client.text_document_hover_async(where)
    assert hover is None or "Burst-coalesced" not in str(hover.contents)
