"""Completion, signature help and the shape of a file, for an editor that is writing."""

from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.clients import SERVER, greet, marked, open_text, position

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_lsp.fixture(params=["vscode_1_139"], config=SERVER, scope="module", loop_scope="module")
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


HEAD = """typedef struct { float mass; float3 place; } body;
channel float queue;
float helper(float first, __global float *second);
__kernel void k(__global body *bodies, float4 colour, int count) {
    int inner = 0;
    /* 🚀é */ """


async def offered(client: LanguageClient, folder: Path, text: str) -> list[types.CompletionItem]:
    """What is offered at the mark of a text."""
    plain, (place,) = marked(text)
    document = types.TextDocumentIdentifier(open_text(client, folder / "typing.cl", plain))
    found = await client.text_document_completion_async(
        types.CompletionParams(document, position(client, plain, place))
    )
    return list(found) if isinstance(found, list | tuple) else list(found.items if found else ())


async def test_own_names_come_first_and_words_are_explained_on_demand(client: LanguageClient, tmp_path: Path) -> None:
    items = await offered(client, tmp_path, HEAD + "‸")
    in_order = [item.label for item in sorted(items, key=lambda i: i.sort_text or "")]
    assert in_order.index("inner") < in_order.index("helper") < in_order.index("get_global_id")
    unit = next(item for item in items if item.label == "__prefetching_load")
    assert unit.documentation is None
    assert "prefetching unit" in str((await client.completion_item_resolve_async(unit)).documentation)


async def test_the_call_being_written_is_shown(client: LanguageClient, tmp_path: Path) -> None:
    plain, (place,) = marked(HEAD + "vload4(i[0, 1], ‸")
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "typing.cl", plain))
    shown = await client.text_document_signature_help_async(
        types.SignatureHelpParams(document, position(client, plain, place))
    )
    assert shown is not None
    (signature,) = shown.signatures
    assert signature.label == "gentype4 vload4(size_t offset, const gentype *p)"
    assert [p.label for p in signature.parameters or ()] == ["size_t offset", "const gentype *p"]
    assert shown.active_parameter == 1


async def test_folds_and_links(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("\n")
    (tmp_path / "b.h").write_text("\n")
    text = """#include "a.h"
#include <b.h>
#include "missing.h"
/* What it
   does. */
__kernel void k(__global int *x)
{
    for (int i = 0; i < 9; i++) {
        x[i] = 1;
    }
#ifdef A
    x[0] = 2;
#else
    x[0] = 3;
#endif
}
"""
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "k.cl", text))
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert {(f.start_line, f.end_line, f.kind) for f in folds or ()} == {
        (0, 2, "imports"), (3, 4, "comment"), (6, 14, None), (7, 8, None), (10, 11, "region"), (12, 13, "region"),
    }  # fmt: skip
    links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert [(link.range.start.line, link.range.start.character, link.target) for link in links or ()] == [
        (0, 10, (tmp_path / "a.h").as_uri()), (1, 10, (tmp_path / "b.h").as_uri()),
    ]  # fmt: skip


async def test_a_rename_that_cannot_be_made_says_why(client: LanguageClient, tmp_path: Path) -> None:
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "k.cl", "struct s { int m; };"))
    with pytest.raises(JsonRpcException, match="Members are not followed"):
        await client.text_document_rename_async(types.RenameParams(document, types.Position(0, 15), "w"))


async def test_tokens_after_an_edit_are_reported_as_what_changed(client: LanguageClient, tmp_path: Path) -> None:
    text = "__kernel void k(__global int *x) { x[0] = 1; }\n"
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "k.cl", text))
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert full is not None
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(0, 35), types.Position(0, 35)), text="x[1] = 1; "
    )
    version = types.VersionedTextDocumentIdentifier(version=2, uri=document.uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
    delta = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(document, full.result_id or "")
    )
    assert isinstance(delta, types.SemanticTokensDelta)
    (edit,) = delta.edits
    patched = list(full.data)
    patched[edit.start : edit.start + edit.delete_count] = edit.data or []
    again = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert again is not None
    assert patched == list(again.data)
    assert len(patched) == len(full.data) + 5


async def test_symbols_of_the_workspace(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.cl").write_text("/* é */ __kernel void vector_add(__global int *x) {}\nvoid help() {}\n")
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "here")
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([folder], []))
    )
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("vadd"))
    assert [(s.name, s.kind) for s in found or ()] == [("vector_add", types.SymbolKind.Class)]
    (symbol,) = found or ()
    assert isinstance(symbol.location, types.Location)
    assert symbol.location.range.start == types.Position(0, 22)
    assert len(await client.workspace_symbol_async(types.WorkspaceSymbolParams("")) or ()) == 2


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("bo‸", {"board", "f_max_mhz", "kernels", "global_size"}, {"p520"}),
        ('mode = "faithful"\nboard = "‸', {"p520", "s10mx_hbm2"}, {"board"}),
        ("mode = ‸", {'"calibrated"', '"faithful"'}, {"p520"}),
        ("interleaving = ‸", {"true", "false"}, set()),
        ("[kernels.k]\n‸", {"global_size", "arguments"}, {"board"}),
        ("[kernels.k.arguments]\n‸", set(), {"board", "global_size"}),
    ],
)
async def test_settings_are_offered_in_their_file(
    client: LanguageClient, tmp_path: Path, text: str, some: set[str], none: set[str]
) -> None:
    plain, (place,) = marked(text)
    document = types.TextDocumentIdentifier(open_text(client, tmp_path / "burstline.toml", plain))
    found = await client.text_document_completion_async(
        types.CompletionParams(document, position(client, plain, place))
    )
    words = {item.insert_text or item.label for item in found or () if isinstance(item, types.CompletionItem)}
    assert some <= words
    assert not none & words
    # It is no kernel: nothing is found in it.
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert not report.items
