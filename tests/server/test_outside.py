"""What happens outside a text: settings, includes and boards change; another server is there; work takes long."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.clients import EDITORS, edit_text, greet, open_text, session, until

TEXT = """#include "width.h"
__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    for (int i = 0; i < COUNT; i++)
        y[i] = x[i];
}
"""


@pytest.fixture
async def client(port: int) -> AsyncIterator[LanguageClient]:
    async with session(port) as client:
        yield client


async def title(client: LanguageClient, uri: str) -> str:
    """The lens over the file's kernel."""
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    titles = [lens.command.title for lens in lenses or () if lens.command is not None]
    return next(title for title in titles if not title.startswith("Set "))


async def card(client: LanguageClient, uri: str) -> str:
    """What is shown over the kernel's name."""
    at_name = types.Position(1, TEXT.splitlines()[1].index("copy") + 1)
    hover = await client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), at_name))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


@pytest.mark.parametrize("editor", EDITORS)
async def test_findings_are_asked_for_or_sent(client: LanguageClient, tmp_path: Path, editor: str) -> None:
    await greet(client, editor)
    (tmp_path / "width.h").write_text("#define COUNT 4096\n")
    uri = open_text(client, tmp_path / "copy.cl", TEXT)
    provider = client.answer.capabilities.diagnostic_provider  # type: ignore[attr-defined]
    # Only an editor that can be asked to ask again is left to ask.
    assert (provider is not None) == (editor == "vscode_1_139")
    if provider is None:
        await until(lambda: uri in client.diagnostics)
        assert "BL106" in {d.code for d in client.diagnostics[uri]}
        return
    document = types.TextDocumentIdentifier(uri)
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert "BL106" in {d.code for d in report.items}
    again = types.DocumentDiagnosticParams(document, previous_result_id=report.result_id)
    same = await client.text_document_diagnostic_async(again)
    assert isinstance(same, types.RelatedUnchangedDocumentDiagnosticReport)
    edit_text(client, uri, TEXT.replace("float ", "float16 "))
    other = await client.text_document_diagnostic_async(again)
    assert isinstance(other, types.RelatedFullDocumentDiagnosticReport)
    assert "BL106" not in {d.code for d in other.items}
    assert uri not in client.diagnostics


async def test_watched_files_are_read_again_and_the_editor_asked_to_look(
    client: LanguageClient, tmp_path: Path
) -> None:
    seen = await greet(client, "vscode_1_139", (tmp_path,))
    header, settings = tmp_path / "width.h", tmp_path / "burstline.toml"
    header.write_text("#define COUNT 4096\n")
    uri = open_text(client, tmp_path / "copy.cl", TEXT)
    first = await title(client, uri)
    await until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in seen.registered)
    titles = [first]
    for file, text in ((header, "#define COUNT 1048576\n"), (settings, 'board = "de5net"\n')):
        refreshed, asked = len(seen.refreshed), client.diagnostic_refresh_count
        file.write_text(text)
        event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
        client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await until(lambda n=refreshed, a=asked: len(seen.refreshed) >= n + 2 and client.diagnostic_refresh_count > a)  # type: ignore[misc]
        titles.append(await title(client, uri))
    assert len(set(titles)) == 3
    # A file that has nothing to do with what is open costs nothing.
    refreshed = len(seen.refreshed)
    event = types.FileEvent((tmp_path / "other.toml").as_uri(), types.FileChangeType.Created)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    await title(client, uri)
    assert len(seen.refreshed) == refreshed


async def test_files_are_looked_at_where_no_editor_watches(client: LanguageClient, tmp_path: Path) -> None:
    await greet(client, "neovim_0_11", (tmp_path,))
    (tmp_path / "width.h").write_text("#define COUNT 4096\n")
    uri = open_text(client, tmp_path / "copy.cl", TEXT)
    await until(lambda: uri in client.diagnostics)
    before = await title(client, uri)
    await asyncio.sleep(2.5)  # the server looks every two seconds
    client.diagnostics.clear()
    (tmp_path / "burstline.toml").write_text('board = "s10mx_hbm2"\n')
    await until(lambda: uri in client.diagnostics)
    assert "BL107" in {d.code for d in client.diagnostics[uri]}
    assert await title(client, uri) != before


@pytest.mark.parametrize("editor", ["vscode_1_139", "neovim_0_11"])
async def test_a_build_file_is_read_and_read_again(client: LanguageClient, tmp_path: Path, editor: str) -> None:
    makefile, include = tmp_path / "Makefile", tmp_path / "inc" / "width.h"
    include.parent.mkdir()
    include.write_text("#define UNUSED\n")
    seen = await greet(client, editor, (tmp_path,))
    uri = open_text(client, tmp_path / "copy.cl", TEXT)
    titles = [await title(client, uri)]
    if editor == "vscode_1_139":
        await until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in seen.registered)
    else:
        await asyncio.sleep(2.5)  # the server looks every two seconds
    for count, board in ((4096, "p520"), (1 << 20, "p520"), (1 << 20, "de5net")):
        makefile.write_text(f"copy.aocx: copy.cl\n\taoc -board={board} -I inc -DCOUNT={count} $< -o $@\n")
        if editor == "vscode_1_139":
            event = types.FileEvent(makefile.as_uri(), types.FileChangeType.Changed)
            client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        client.diagnostics.clear()
        if editor == "neovim_0_11":
            await until(lambda: uri in client.diagnostics)
        titles.append(await title(client, uri))
    assert len(set(titles)) == 4
    assert "Makefile:2" in await card(client, uri)


async def test_every_folder_has_its_own_settings(client: LanguageClient, tmp_path: Path) -> None:
    folders = (tmp_path / "a", tmp_path / "b")
    for folder in folders:
        folder.mkdir()
        (folder / "width.h").write_text("#define COUNT 4096\n")
    client.set_configuration({"burstline": {"board": "de5net"}})
    client.set_configuration({"burstline": {"board": "s10mx_hbm2"}}, scope_uri=folders[1].as_uri())
    await greet(client, "vscode_1_139", folders)
    findings = []
    for folder in folders:
        uri = open_text(client, folder / "copy.cl", TEXT)
        report = await client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        )
        findings.append({d.code for d in report.items if isinstance(report, types.RelatedFullDocumentDiagnosticReport)})
    assert "BL107" not in findings[0]
    assert "BL107" in findings[1]


async def test_an_editor_that_names_a_root_only_has_the_settings_above_a_file(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "burstline.toml").write_text('board = "p520"\n')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "width.h").write_text("#define COUNT 4096\n")
    await greet(client, "neovim_0_11", root=tmp_path)
    uri = open_text(client, tmp_path / "deep" / "copy.cl", TEXT)
    assert "board p520" in await card(client, uri)


async def test_relative_paths_of_the_editors_settings_start_at_the_files_folder(
    client: LanguageClient, tmp_path: Path
) -> None:
    titles = []
    folders = (tmp_path / "a", tmp_path / "b")
    for folder, count in zip(folders, (64, 4096), strict=True):
        (folder / "include").mkdir(parents=True)
        (folder / "include" / "width.h").write_text(f"#define COUNT {count}\n")
    client.set_configuration({"burstline": {"include_paths": ["include"]}})
    await greet(client, "vscode_1_139", folders)
    for folder in folders:
        (folder / "deep").mkdir()
        titles.append(await title(client, open_text(client, folder / "deep" / "copy.cl", TEXT)))
    assert len(set(titles)) == 2
    assert all(" ms" in one or " µs" in one or " ns" in one for one in titles)


@pytest.mark.parametrize(
    ("others", "settings", "served"),
    [
        ([], {}, {"completion", "symbols"}),
        (["clangd"], {}, set()),
        (["clangd"], {"language_services": "on"}, {"completion", "symbols"}),
        (["clangd"], {"services": {"completion": True}}, {"completion"}),
        ([], {"language_services": "off"}, set()),
        ([], {"services": {"completion": False}}, {"symbols"}),
    ],
)
async def test_what_another_server_gives_is_left_to_it(
    client: LanguageClient, tmp_path: Path, others: list[str], settings: dict[str, object], served: set[str]
) -> None:
    client.set_configuration({"burstline": settings})
    await greet(client, "vscode_1_139", otherServers=others)
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "copy.cl", TEXT))
    completion = types.CompletionParams(document, types.Position(3, 0))
    symbols = types.DocumentSymbolParams(document)
    answers = {
        "completion": await client.text_document_completion_async(completion),
        "symbols": await client.text_document_document_symbol_async(symbols),
    }
    assert {name for name, answer in answers.items() if answer} == served
    # The costs are nobody else's.
    assert "≈" in await title(client, document.uri)
    hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(4, 17)))
    assert hover is not None
    assert "Burst-coalesced" in str(hover.contents)


async def test_a_hint_shows_its_card_when_it_is_looked_at(client: LanguageClient, tmp_path: Path) -> None:
    await greet(client, "vscode_1_139")
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "copy.cl", TEXT))
    everything = types.Range(types.Position(0, 0), types.Position(9, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    assert hints
    assert all(hint.tooltip is None for hint in hints)
    shown = await client.inlay_hint_resolve_async(hints[-1])
    assert isinstance(shown.tooltip, types.MarkupContent)
    assert "copy · single work-item" in shown.tooltip.value  # the loop takes the time


async def test_a_finding_is_explained_by_its_page_where_no_link_is_shown(
    client: LanguageClient, tmp_path: Path
) -> None:
    await greet(client, "emacs_30_eglot")
    uri = open_text(client, tmp_path / "copy.cl", TEXT)
    await until(lambda: uri in client.diagnostics)
    (finding, *_) = (d for d in client.diagnostics[uri] if d.code == "BL106")
    context = types.CodeActionContext(diagnostics=[finding])
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), finding.range, context)
    )
    (explain,) = [a for a in actions or () if a.title == "Explain BL106"]
    # lsprotocol reads an action that has a command as a command whose name is the whole of it.
    assert "'command': 'burstline.explain', 'arguments': ['BL106']" in str(explain.command)
    command = types.ExecuteCommandParams("burstline.explain", ["BL106"])
    assert await client.workspace_execute_command_async(command) is True
    assert [shown.uri.rpartition("/")[2] for shown in client.shown_documents] == ["BL106.md"]


async def test_long_work_is_shown_and_can_be_cancelled(client: LanguageClient, tmp_path: Path) -> None:
    body = "float f{0}(float v) {{ float w = v * 2; return w + v; }}\n"
    for number in range(1200):
        text = "".join(body.format(f"_{number}_{i}") for i in range(40))
        (tmp_path / f"{number:04}.cl").write_text(text)
    await greet(client, "vscode_1_139", (tmp_path,))
    token = "looking"  # noqa: S105 - a progress token
    search = client.workspace_symbol_async(types.WorkspaceSymbolParams("f", work_done_token=token))
    client.progress_reports[token] = []
    asked = asyncio.ensure_future(search)
    await until(lambda: len(client.progress_reports[token]) >= 2)
    begin, report = client.progress_reports[token][:2]
    assert isinstance(begin, types.WorkDoneProgressBegin)
    assert begin.cancellable
    assert isinstance(report, types.WorkDoneProgressReport)
    assert (report.message or "").endswith("of 1200")
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    found = await asyncio.wait_for(asked, 30)
    assert found
    assert len(found) < 1200 * 40
    assert isinstance(client.progress_reports[token][-1], types.WorkDoneProgressEnd)
