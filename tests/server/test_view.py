"""The kernel view over the protocol: the page, its document, and what a user tries on it."""

import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.server.clients import applied_by

pytestmark = pytest.mark.asyncio(loop_scope="module")
COMMAND = [sys.executable, "-m", "burstline_server.cli.main", "serve", "--stdio"]
TEXT = """__kernel void copy(__global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = x[i];
}
__kernel void fill(__global float *restrict y) { y[get_global_id(0)] = 1.0f; }
"""


@pytest_lsp.fixture(config=ClientServerConfig(server_command=COMMAND), scope="module", loop_scope="module")
async def client(lsp_client: LanguageClient):
    capabilities = client_capabilities("neovim")
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=[]))
    lsp_client.applied = applied_by(lsp_client)  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def uri(client: LanguageClient, tmp_path: Path) -> str:
    """An open document in the folder of a settings file that gives sizes."""
    (tmp_path / "burstline.toml").write_text(
        "[kernels.copy]\nglobal_size = 1048576\n[kernels.fill]\nglobal_size = 1024\n"
    )
    name = (tmp_path / "copy.cl").as_uri()
    item = types.TextDocumentItem(uri=name, language_id="opencl", version=1, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return name


async def asked(client: LanguageClient, method: str, **params: Any) -> Any:
    return await client.protocol.send_request_async(f"burstline/{method}", params)


async def test_the_document_has_each_kernel_and_what_can_be_changed(client: LanguageClient, uri: str) -> None:
    document = await asked(client, "viewDocument", uri=uri)
    (file,) = document.files
    assert [kernel.name for kernel in file.kernels] == ["copy", "fill"]
    assert file.text == TEXT
    assert 350 < document.controls.f_max_mhz < 480  # what builds this full reach
    assert document.controls.board == "s10gx_ddr4_1866"
    assert [(f.setting, f.value, f.given_by) for f in document.controls.fields] == [
        ("global_size", "1048576", "burstline.toml"), ("local_size", "", ""),
    ]  # fmt: skip


async def test_what_a_user_tries_counts_over_the_settings_and_is_not_kept(client: LanguageClient, uri: str) -> None:
    async def time(**overrides: Any) -> float:
        found = await asked(client, "viewDocument", uri=uri, kernel="copy", overrides=overrides)
        (kernel,) = found.files[0].kernels
        return float(kernel.time_s)

    now = await time()
    assert await time(sizes=[["global_size", "2097152"]]) == pytest.approx(2 * now, rel=0.01)
    assert await time(f_max_mhz=60) > 1.5 * now
    assert await time(board="s10mx_hbm2") != now
    assert await time() == now


async def test_the_page_is_whole_and_holds_the_kernel_asked_for(client: LanguageClient, uri: str) -> None:
    html = (await asked(client, "view", uri=uri, kernel="fill")).html
    assert html.startswith("<!doctype html>")
    assert "Content-Security-Policy" in html
    assert "<title>fill · Burstline</title>" in html


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"uri": "untitled:nowhere.cl"}, "not an open document"),
        ({"uri": None}, "not an open document"),
        ({"kernel": "cpy"}, "no kernel is called 'cpy'"),
        ({"overrides": {"board": "s10gs"}}, "nearest are"),
        ({"overrides": {"f_max_mhz": -3}}, "f_max_mhz"),
        ({"kernel": "copy", "overrides": {"sizes": [["global_size", "0"]]}}, "global_size"),
        ({"kernel": "copy", "overrides": {"sizes": [["global_size", "many"]]}}, "whole numbers"),
        ({"overrides": "fast"}, "overrides"),
    ],
    ids=["closed", "no uri", "kernel", "board", "clock", "size", "no number", "text"],
)
async def test_bad_requests_are_refused(
    client: LanguageClient, uri: str, params: dict[str, Any], expected: str
) -> None:
    with pytest.raises(JsonRpcInvalidParams, match=expected):
        await asked(client, "viewDocument", **{"uri": uri, **params})
    assert (await asked(client, "viewDocument", uri=uri)).files


async def test_a_listed_variant_is_made_by_an_edit_of_the_editor(
    client: LanguageClient, uri: str, applied: list[types.ApplyWorkspaceEditParams]
) -> None:
    document = await asked(client, "viewDocument", uri=uri, kernel="copy")
    variants = document.files[0].kernels[0].variants
    assert [v.time_ms for v in variants] == sorted(v.time_ms for v in variants)
    doubled = next(v for v in variants if (v.knobs.simd, getattr(v.knobs, "_1", "1")) == ("1", "1"))
    answer = await asked(client, "applyVariant", uri=uri, kernel="copy", setting='{"compute_units": 2}')
    assert answer.applied
    ((change,),) = (applied[0].edit.changes or {}).values()
    assert change.new_text == "__attribute__((num_compute_units(2)))\n"
    same = await asked(client, "applyVariant", uri=uri, kernel="copy", setting=doubled.setting)
    assert not same.applied
    assert list(same.messages) == ["the kernel already is this variant"]


async def test_a_variant_that_no_edit_makes_says_why(client: LanguageClient, uri: str) -> None:
    answer = await asked(client, "applyVariant", uri=uri, kernel="copy", setting='{"simd": 4}')
    assert not answer.applied
    assert "--local-size" in answer.messages[0]
    with pytest.raises(JsonRpcInvalidParams, match="setting is a variant's"):
        await asked(client, "applyVariant", uri=uri, kernel="copy", setting="[]")
    with pytest.raises(JsonRpcInvalidParams, match="no kernel is called"):
        await asked(client, "applyVariant", uri=uri, kernel="no", setting="{}")


async def test_knobs_are_turned_without_an_edit(client: LanguageClient, uri: str) -> None:
    async def shown(**overrides: Any) -> Any:
        return await asked(client, "viewDocument", uri=uri, kernel="copy", overrides=overrides)

    one, wide = await shown(knobs=[["simd", 1]]), await shown(knobs=[["simd", 16]])
    assert wide.files[0].kernels[0].time_s < one.files[0].kernels[0].time_s
    assert wide.files[0].text == one.files[0].text == TEXT
    assert [(knob.label, knob.value) for knob in wide.controls.knobs] == [("SIMD", 16), ("compute units", 1)]
    for wrong in ([["unroll:3", 2]], [["simd", 0]], [["simd"]], 5):
        with pytest.raises(JsonRpcInvalidParams, match="knobs are pairs"):
            await shown(knobs=wrong)


SUM = """__kernel void add(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1.0f;
}
"""


async def test_sizes_and_iterations_have_fields_and_edits_follow_what_is_tried(
    client: LanguageClient, tmp_path: Path
) -> None:
    name = (tmp_path / "add.cl").as_uri()
    item = types.TextDocumentItem(uri=name, language_id="opencl", version=1, text=SUM)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    document = await asked(client, "viewDocument", uri=name, kernel="add")
    (field,) = document.controls.fields
    assert (field.setting, field.value, field.usual, field.missing) == ("n", "", "1024", True)
    (kernel,) = document.files[0].kernels
    assert kernel.time_s is None
    assert all(row.time.startswith("≈?") for row in kernel.rows)
    tried = {"sizes": [["n", "4194304"]]}
    document = await asked(client, "viewDocument", uri=name, kernel="add", overrides=tried)
    (kernel,) = document.files[0].kernels
    least, most = kernel.time.rstrip(")").split(" (")[1].split(" to ")
    edits = (await asked(client, "viewEdits", uri=name, kernel="add", overrides=tried)).edits
    assert edits[0].before == f"{least.removesuffix(' ms')}–{most}"
    assert "#pragma unroll 16" in str(edits[0].hunks)


async def test_an_edit_of_the_page_is_made_by_the_editor(
    client: LanguageClient, uri: str, applied: list[types.ApplyWorkspaceEditParams]
) -> None:
    edits = (await asked(client, "viewEdits", uri=uri, kernel="copy")).edits
    answer = await asked(client, "applyEdit", uri=uri, kernel="copy", edit=edits[0].id)
    assert answer.applied
    ((*changes,),) = (applied[0].edit.changes or {}).values()
    after = str([after for hunk in edits[0].hunks for _, after in hunk.pairs])
    assert all(line in after for change in changes for line in change.new_text.splitlines())
    answer = await asked(client, "applyEdit", uri=uri, kernel="copy", edit="copy/make it twice as fast")
    assert not answer.applied
    assert "no longer on offer" in answer.messages[0]
