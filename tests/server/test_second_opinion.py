"""libclang in an editor: asked once a text has not changed for a moment, never waited for."""

import asyncio
import time
from pathlib import Path

import pytest
import pytest_lsp
from pytest_lsp import LanguageClient

from burstline_server.lsp.documents import PAUSE_S
from burstline_server.lsp.second_opinion import SETTLED_S
from tests.server.clients import SERVER, edit_text, greet, open_text
from tests.server.test_faults_while_typing import faults, figures

PATIENCE_S = 20.0
KERNEL = """__kernel void k(__global const float *restrict in, __global float *restrict out)
{{
    int i = get_global_id(0);
    {}
    out[i] = in[i];
}}
"""
FAULT = [(4, "use of undeclared label 'there' (libclang)")]


@pytest_lsp.fixture(params=["vscode_1_139"], config=SERVER)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def until_faults(client: LanguageClient, uri: str, expected: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The faults that are shown once they are as expected, or in the end."""
    until = time.monotonic() + PATIENCE_S
    while (found := await faults(client, uri)) != expected and time.monotonic() < until:
        await asyncio.sleep(0.1)
    return found


async def test_an_opened_file_is_judged_and_its_kernel_has_no_figures(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format("goto there;"))
    assert await until_faults(client, uri, FAULT) == FAULT
    _, lines = await figures(client, uri)
    assert lines == set()


async def test_a_text_is_judged_after_a_pause_and_anew_when_it_changes(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(""))
    edit_text(client, uri, KERNEL.format("goto there;"), 2)
    assert await faults(client, uri) == []
    await asyncio.sleep(PAUSE_S)
    assert await until_faults(client, uri, FAULT) == FAULT
    edit_text(client, uri, KERNEL.format("goto there; there: ;"), 3)
    assert await faults(client, uri) == []
    await asyncio.sleep(PAUSE_S + 2 * SETTLED_S)
    assert await faults(client, uri) == []


async def test_typing_and_leaving_wait_for_nothing(client: LanguageClient, tmp_path: Path) -> None:
    slow = "".join(f"int v{n} = {n} + i;\n" for n in range(3_000))
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format(slow))
    await faults(client, uri)
    await asyncio.sleep(SETTLED_S)
    edit_text(client, uri, KERNEL.format("out[i] = 1.0f;"), 2)
    begun = time.monotonic()
    assert await faults(client, uri) == []
    assert time.monotonic() - begun < PATIENCE_S / 4


async def test_it_is_not_asked_where_the_settings_say_so(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "burstline.toml").write_text('clang = "off"\n')
    uri = open_text(client, tmp_path / "k.cl", KERNEL.format("goto there;"))
    await asyncio.sleep(PAUSE_S + 4 * SETTLED_S)
    assert await faults(client, uri) == []
