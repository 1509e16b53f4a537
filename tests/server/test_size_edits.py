"""Giving a kernel the sizes that its time waits for: the light bulb's first entry, and the lens."""

import asyncio
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.clients import PATIENCE_S, SERVER, applied_by, edit_text, findings_after, greet, open_text, until
from tests.test_sizes import PRODUCT, SEARCH

pytestmark = pytest.mark.asyncio(loop_scope="module")
COMMENT = "// burstline: global_size=(1024,1024) N=1024"


@pytest_lsp.fixture(params=["vscode_1_139", "neovim_0_10"], config=SERVER, scope="module", loop_scope="module")
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    lsp_client.editor = request.param  # type: ignore[attr-defined]
    lsp_client.applied = applied_by(lsp_client)  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


async def findings(client: LanguageClient, path: Path, text: str) -> tuple[str, list[types.Diagnostic]]:
    """Open a text and get its findings, pulled or pushed as the editor does."""
    if client.editor.startswith("vscode"):  # type: ignore[attr-defined]
        uri = open_text(client, path, text)
        asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await client.text_document_diagnostic_async(asked)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return uri, list(report.items)
    found = await findings_after(client, lambda: open_text(client, path, text))
    return path.as_uri(), found


async def lenses(client: LanguageClient, uri: str) -> list[types.Command]:
    """The commands over a document's kernels."""
    found = await client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    return [lens.command for lens in found or [] if lens.command is not None]


async def actions(client: LanguageClient, uri: str, found: list[types.Diagnostic], code: str) -> list[types.CodeAction]:
    """The light bulb at the first finding of a code."""
    own = [d for d in found if d.code == code]
    context = types.CodeActionContext(diagnostics=own)
    answer = await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(uri), own[0].range, context)
    )
    return [a for a in answer or [] if isinstance(a, types.CodeAction) and a.disabled is None]


async def test_a_hosts_sizes_are_assumed_once_the_text_rests(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(
        """void run(void)
{
    cl_kernel k = clCreateKernel(program, "product", &status);
    size_t whole[2] = {512, 256};
    clEnqueueNDRangeKernel(queue, k, 2, NULL, whole, NULL, 0, NULL, NULL);
}
"""
    )
    uri = open_text(client, tmp_path / "product.cl", PRODUCT)
    at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(*_place_of("product")))

    async def card() -> str:
        found = await client.text_document_hover_async(at)
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async with asyncio.timeout(PATIENCE_S):
        while "131 072 work-items (host)" not in await card():
            await asyncio.sleep(0.1)


def _place_of(word: str) -> tuple[int, int]:
    line = next(n for n, text in enumerate(PRODUCT.splitlines()) if word in text)
    return line, PRODUCT.splitlines()[line].index(word)


def edits(uri: str, edit: types.WorkspaceEdit | None) -> list[types.TextEdit]:
    """What an edit changes in a document."""
    assert edit is not None
    if edit.document_changes:
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        return [e for e in change.edits if isinstance(e, types.TextEdit)]
    return list((edit.changes or {})[uri])


def made(text: str, changes: list[types.TextEdit]) -> str:
    """The text with whole lines put in."""
    lines = text.splitlines(keepends=True)
    for change in sorted(changes, key=lambda e: -e.range.start.line):
        assert change.range.start == change.range.end
        assert change.range.start.character == 0
        lines.insert(change.range.start.line, change.new_text)
    return "".join(lines)


@pytest.mark.parametrize("code", ["BL202", "BL106"])
async def test_the_light_bulb_gives_sizes_first_and_ignores_last(
    client: LanguageClient, tmp_path: Path, code: str
) -> None:
    uri, found = await findings(client, tmp_path / "k.cl", PRODUCT)
    offered = await actions(client, uri, found, code)
    assert offered[0].title == "Give work-items and N for a known time: global_size=(1024,1024) N=1024"
    assert offered[-1].title.startswith(f"Ignore {code}")
    assert not any(a.title.startswith("Ignore") for a in offered[:-1])
    text = made(PRODUCT, edits(uri, offered[0].edit))
    assert text == f"{COMMENT}\n{PRODUCT}"
    edit_text(client, uri, text)
    (lens,) = await lenses(client, uri)
    assert lens.title.startswith("≈ ")


async def test_the_lens_gives_them_as_well(
    client: LanguageClient, tmp_path: Path, applied: list[types.ApplyWorkspaceEditParams]
) -> None:
    uri, _ = await findings(client, tmp_path / "k.cl", PRODUCT)
    give, show = await lenses(client, uri)
    assert show.title.startswith("≈? ")
    assert give.title == "Set work-items and N to see the time"
    await client.workspace_execute_command_async(types.ExecuteCommandParams(give.command, give.arguments))
    await until(lambda: bool(applied))
    assert made(PRODUCT, edits(uri, applied[0].edit)) == f"{COMMENT}\n{PRODUCT}"


async def test_an_editor_asks_for_each_size_and_gives_the_answers(
    client: LanguageClient, tmp_path: Path, applied: list[types.ApplyWorkspaceEditParams]
) -> None:
    uri, _ = await findings(client, tmp_path / "k.cl", PRODUCT)
    give, _ = await lenses(client, uri)
    ask = types.ExecuteCommandParams("burstline.missingSizes", give.arguments)
    asked = await client.workspace_execute_command_async(ask)
    assert [(one["name"], one["usual"]) for one in asked] == [("work-items", "1024,1024"), ("N", "1024")]
    for wrong in ({"global_size": "12 x 3"}, {"global_size": "0"}, {"N": "many"}, {"global_size": "1,2,3,4"}):
        shown = len(client.messages)
        params = types.ExecuteCommandParams(give.command, [*(give.arguments or []), wrong])
        assert await client.workspace_execute_command_async(params) is False
        await until(lambda shown=shown: len(client.messages) > shown)
        assert "such as" in client.messages[-1].message
    assert not applied
    answers = {"global_size": "4096, 512", "N": "77"}
    params = types.ExecuteCommandParams(give.command, [*(give.arguments or []), answers])
    assert await client.workspace_execute_command_async(params) is True
    text = made(PRODUCT, edits(uri, applied[0].edit))
    assert text == f"// burstline: global_size=(4096,512) N=77\n{PRODUCT}"


HOST = """int main(void) {
    const int n = 96;
    cl_kernel k = clCreateKernel(program, "product", 0);
    clSetKernelArg(k, 3, sizeof(int), &n);
    size_t whole[] = {640, 480};
    clEnqueueNDRangeKernel(queue, k, 2, 0, whole, 0, 0, 0, 0);
}
"""


async def test_sizes_of_a_host_program_are_proposed_with_its_line(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(HOST)
    uri, found = await findings(client, tmp_path / "k.cl", PRODUCT)
    give, _ = await lenses(client, uri)
    ask = types.ExecuteCommandParams("burstline.missingSizes", give.arguments)
    asked = await client.workspace_execute_command_async(ask)
    assert [(one["usual"], one["from"]) for one in asked] == [("640,480", "main.c, line 6"), ("96", "main.c, line 6")]
    offered = await actions(client, uri, found, "BL202")
    assert offered[0].title == "Give work-items and N for a known time: global_size=(640,480) N=96 (main.c, line 6)"
    assert made(PRODUCT, edits(uri, offered[0].edit)) == f"// burstline: global_size=(640,480) N=96\n{PRODUCT}"


async def test_a_loop_that_nothing_counts_is_given_its_trips_at_its_place(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri, found = await findings(client, tmp_path / "k.cl", SEARCH)
    offered = await actions(client, uri, found, "BL202")
    assert offered[0].title == "Give iterations of line 4 for a known time: trip[4]=1024"
    text = made(SEARCH, edits(uri, offered[0].edit))
    assert "    // burstline: trip=1024\n    while (text[i] != 0)\n" in text
    edit_text(client, uri, text)
    (lens,) = await lenses(client, uri)
    assert not lens.title.startswith("time not known")


async def test_nothing_is_asked_for_where_sizes_are_given(client: LanguageClient, tmp_path: Path) -> None:
    uri, found = await findings(client, tmp_path / "k.cl", f"{COMMENT}\n{PRODUCT}")
    assert "BL202" not in {d.code for d in found}
    assert len(await lenses(client, uri)) == 1
    offered = await actions(client, uri, found, "BL106")
    assert not any(a.title.startswith("Give ") for a in offered)
