"""LLVM in an editor: asked where the settings want it, once a text rests; while one types, figures are ours."""

import asyncio
import time
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from burstline_server.llvm.tools import tools
from tests.server.clients import SERVER, edit_text, greet, open_text

PATIENCE_S = 20.0
KERNEL = """__kernel void k(__global const float *restrict a, __global float *restrict b, int n)
{
    int next = 0;
    for (int i = 0; i < n; i++) {
        int now = next;
        next = (i + 1) * 3;
        b[i] = a[now];
    }
}
"""

pytestmark = pytest.mark.skipif(tools() is None, reason="there is no clang from version 14 on with its opt")


@pytest_lsp.fixture(params=["vscode_1_139"], config=SERVER)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def card(client: LanguageClient, uri: str) -> str:
    """The card over the load of a."""
    at = types.Position(line=6, character=16)
    found = await client.text_document_hover_async(
        types.HoverParams(text_document=types.TextDocumentIdentifier(uri=uri), position=at)
    )
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def until(client: LanguageClient, uri: str, expected: str) -> str:
    """The card once it holds some words, or in the end."""
    end = time.monotonic() + PATIENCE_S
    while expected not in (found := await card(client, uri)) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    return found


async def test_a_text_that_rests_has_llvms_steps_and_an_edited_one_ours(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "burstline.toml").write_text('engine = "auto"\n')
    uri = open_text(client, tmp_path / "k.cl", KERNEL)
    assert "its steps are those that LLVM" in await until(client, uri, "LLVM")
    edit_text(client, uri, KERNEL.replace("* 3", "* 5"), 2)
    assert "LLVM" not in await card(client, uri)
    assert "its steps are those that LLVM" in await until(client, uri, "LLVM")


async def test_it_is_not_asked_where_nobody_wants_it(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL)
    await card(client, uri)
    await asyncio.sleep(1.0)
    assert "LLVM" not in await card(client, uri)
