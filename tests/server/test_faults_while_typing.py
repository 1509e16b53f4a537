"""While one types: faults wait for a pause and never show at the unfinished statement, and the last figures stay."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from burstline_server.lsp.documents import PAUSE_S
from tests.server.clients import edit_text, greet, open_text, session


@pytest.fixture
async def client(port: int) -> AsyncIterator[LanguageClient]:
    async with session(port) as client:
        await greet(client, "vscode_1_139")
        yield client


KERNEL = """// burstline: global_size=4096
__kernel void k(__global const float *restrict in, __global float *restrict out, float a, float v)
{{
    int i = get_global_id(0);
    {}
    out[i] = in[i];
}}
"""
WRITTEN = "out[i] = a * v + in[2 * i + 1];"


async def faults(client: LanguageClient, uri: str) -> list[tuple[int, str]]:
    """The faults that are shown, with their lines."""
    document = types.TextDocumentIdentifier(uri)
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [(d.range.start.line + 1, d.message) for d in report.items if str(d.code) < "BL1"]


async def figures(client: LanguageClient, uri: str) -> tuple[int, set[int]]:
    """How many lenses there are, and the lines with hints."""
    document = types.TextDocumentIdentifier(uri)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    return len(lenses or ()), {h.position.line + 1 for h in hints or ()}


async def test_a_statement_that_is_being_written_takes_no_figure_away_and_is_not_blamed(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(""))
    before = await figures(client, uri)
    assert before == (1, {6})
    for length in range(1, len(WRITTEN)):
        edit_text(client, uri, KERNEL.format(WRITTEN[:length]), length + 1)
        lenses, lines = await figures(client, uri)
        assert (lenses, lines - {5}) == before, WRITTEN[:length]
        assert await faults(client, uri) == [], WRITTEN[:length]
    await asyncio.sleep(1.5 * PAUSE_S)
    assert await faults(client, uri) == []
    edit_text(client, uri, KERNEL.format(WRITTEN), 99)
    assert await figures(client, uri) == (1, {5, 6})


async def test_a_fault_is_shown_after_a_pause_and_when_the_text_is_saved(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(""))
    edit_text(client, uri, KERNEL.format("out[i] = in[j];"), 2)
    await asyncio.sleep(1.5 * PAUSE_S)
    assert await faults(client, uri) == [(5, "use of undeclared identifier 'j'")]
    edit_text(client, uri, KERNEL.format("out[i] = in["), 3)
    await asyncio.sleep(1.5 * PAUSE_S)
    assert await faults(client, uri) == []
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert len(await faults(client, uri)) == 1


@pytest.mark.parametrize("begun", ["out[i] = get_glob", "out[i] = WIDT", "out[i] = a * j", "flo", "barrier(CLK_LOCA"])
async def test_a_word_that_is_half_written_is_not_blamed_after_a_pause(
    client: LanguageClient, tmp_path: Path, begun: str
) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(""))
    edit_text(client, uri, KERNEL.format(begun), 2)
    await asyncio.sleep(1.5 * PAUSE_S)
    assert await faults(client, uri) == []


async def test_a_word_that_is_half_written_is_not_looked_for_in_a_missing_header(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "k.cl", '#include "sizes.h"\n' + KERNEL.format(""))
    edit_text(client, uri, '#include "sizes.h"\n' + KERNEL.format("barrier(CLK_LOCAL_MEM_F"), 2)
    await asyncio.sleep(1.5 * PAUSE_S)
    assert await faults(client, uri) == []
    edit_text(client, uri, '#include "sizes.h"\n' + KERNEL.format("out[i] = WIDTH(i);"), 3)
    await asyncio.sleep(1.5 * PAUSE_S)
    ((_, message),) = await faults(client, uri)
    assert "nothing else declares WIDTH" in message


async def test_a_file_that_is_opened_with_a_fault_shows_it_and_no_figures(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format("out[i] = ;"))
    assert await faults(client, uri) == [(5, "expected an expression before ';'")]
    assert await figures(client, uri) == (0, set())


async def test_a_comment_that_swallows_the_kernels_is_shown(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(""))
    assert await faults(client, uri) == []
    edit_text(client, uri, "/* begun\n" + KERNEL.format(""), 2)
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await faults(client, uri) == [(1, "this comment does not end with '*/'")]
