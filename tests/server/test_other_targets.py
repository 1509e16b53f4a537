"""Code for GPUs in a folder without settings: whether it is costed is asked, once, and no is kept in burstline.toml."""

import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.server.clients import greet, open_text, until

GPU = """__kernel void total(__global const float *x, __global float *y)
{
    y[get_group_id(0)] = sub_group_reduce_add(x[get_global_id(0)]);
}
"""
FPGA = "__kernel void set(__global float *x) { x[get_global_id(0)] = 1; }\n"


async def session(state: Path, folder: Path, answer: str | None) -> tuple[LanguageClient, list[str]]:
    """A client that answers every question in the same way, and what it was asked."""
    config = ClientServerConfig(
        [sys.executable, "-m", "burstline_server.cli.main", "serve"],
        server_env={**os.environ, "XDG_STATE_HOME": str(state)},
    )
    client = await config.start()
    assert isinstance(client, LanguageClient)
    asked: list[str] = []

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(_c: LanguageClient, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        asked.append(params.message)
        return next((one for one in params.actions or () if one.title == answer), None)

    await greet(client, "neovim_0_11", (folder,))
    return client, asked


async def has_lens(client: LanguageClient, uri: str) -> bool:
    found = await client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    return bool(found)


@pytest.mark.parametrize(("answer", "off"), [("Not in this folder", True), ("Show times", False), (None, False)])
async def test_it_is_asked_once_and_no_is_kept(tmp_path: Path, answer: str | None, off: bool) -> None:
    state, folder = tmp_path / "state", tmp_path / "code"
    folder.mkdir()
    client, asked = await session(state, folder, answer)
    first = open_text(client, folder / "gpu.cl", GPU)
    assert await has_lens(client, first)
    await until(lambda: asked)
    assert "gpu.cl is written for GPUs (sub_group_reduce_add)" in asked[0]
    assert "code" in asked[0]
    if off:
        await until((folder / "burstline.toml").exists)
    second = open_text(client, folder / "more.cl", GPU)
    assert await has_lens(client, second) != off
    assert (folder / "burstline.toml").exists() == off
    await client.shutdown_session()
    assert len(asked) == 1
    again, asked = await session(state, folder, answer)
    assert await has_lens(again, open_text(again, folder / "gpu.cl", GPU)) != off
    await again.shutdown_session()
    assert asked == []


async def test_code_for_fpgas_and_folders_with_settings_are_not_asked_about(tmp_path: Path) -> None:
    state, plain, decided = tmp_path / "state", tmp_path / "plain", tmp_path / "decided"
    for folder in (plain, decided):
        folder.mkdir()
    (decided / "burstline.toml").write_text("enabled = true\n")
    for folder, text in ((plain, FPGA), (decided, GPU)):
        client, asked = await session(state, folder, "Not in this folder")
        assert await has_lens(client, open_text(client, folder / "k.cl", text))
        await client.shutdown_session()
        assert asked == []


async def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    client, asked = await session(tmp_path / "state", folder, "Not in this folder")
    (folder / "burstline.toml").symlink_to(tmp_path / "missing" / "burstline.toml")
    uri = open_text(client, folder / "gpu.cl", GPU)
    assert await has_lens(client, uri)
    await until(lambda: client.messages)
    assert "burstline.toml could not be written" in client.messages[0].message
    assert await has_lens(client, uri)
    await client.shutdown_session()
    assert len(asked) == 1
