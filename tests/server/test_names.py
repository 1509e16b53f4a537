"""What an editor asks about names, as each recorded editor counts its columns."""

from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.clients import EDITORS, SERVER, covered, greet, marked, open_text, position

pytestmark = pytest.mark.asyncio(loop_scope="module")
HEADER = "float twice(float v) { return 2 * v; }\n"
TEXT = """#include "twice.h"
#define WIDTH 16
channel float queue;
/* 🚀é */ float scaled(float v, float by) { return v * by; }

__kernel void scale(__global const float *restrict input, __global float *restrict output, int n)
{
    __local float tile[WIDTH];
    for (int i = 0; i < n; i++) {
        /* 🚀é */ float v = scaled(input[i], tile[i % WIDTH]);
        /* 🚀é */ output[i] = twice(v) + read_channel_intel(queue);
    }
    int i = 0;
}

__kernel void other(__global float *output)
{
    output[0] = scaled(1.0f, 2.0f);
#ifdef NEVER
    output[1] = scaled(3.0f, 4.0f);
#endif
}
"""


@pytest_lsp.fixture(params=EDITORS, config=SERVER, scope="module", loop_scope="module")
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    await greet(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, folder: Path) -> types.TextDocumentIdentifier:
    (folder / "twice.h").write_text(HEADER)
    return types.TextDocumentIdentifier(open_text(client, folder / "scale.cl", TEXT))


def at(client: LanguageClient, piece: str, mark: str) -> types.Position:
    """Where `mark` is in the one place of the text that holds `piece`."""
    assert TEXT.count(piece) == 1
    return position(client, TEXT, TEXT.index(piece) + piece.index(mark))


async def test_definitions(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    for piece, mark, defined in [
        ("scaled(input[i]", "scaled", "scaled"),
        ("scaled(input[i]", "input", "input"),
        ("twice(v) +", "v", "v"),
        ("tile[i % WIDTH]", "WIDTH", "WIDTH"),
        ("intel(queue)", "queue", "queue"),
    ]:
        where = at(client, piece, mark)
        found = await client.text_document_definition_async(types.DefinitionParams(document, where))
        assert isinstance(found, types.Location)
        assert found.uri == document.uri
        assert covered(client, TEXT, found.range) == defined
        assert found.range.start != where
    included = await client.text_document_definition_async(
        types.DefinitionParams(document, at(client, "twice(v) +", "twice"))
    )
    assert isinstance(included, types.Location)
    assert included.uri == (tmp_path / "twice.h").as_uri()
    assert covered(client, HEADER, included.range) == "twice"
    link = await client.text_document_definition_async(types.DefinitionParams(document, at(client, "twice.h", "twice")))
    assert isinstance(link, types.Location)
    assert link.uri == included.uri


async def test_references_and_highlights_keep_scopes_apart(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    counter = at(client, "int i = 0; i < n", "i = 0")
    for declaration, expected in ((True, 6), (False, 5)):
        found = await client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(declaration), document, counter)
        )
        assert [covered(client, TEXT, f.range) for f in found or ()] == ["i"] * expected
    highlights = await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, counter))
    assert len(highlights or ()) == 6
    # A branch that is not compiled uses the function as well.
    helper = types.ReferenceParams(types.ReferenceContext(True), document, at(client, "scaled(1.0f", "scaled"))
    assert len(await client.text_document_references_async(helper) or ()) == 4


async def test_rename(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    where = at(client, "= scaled(1.0f", "scaled")
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, where))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert (prepared.placeholder, covered(client, TEXT, prepared.range)) == ("scaled", "scaled")
    edit = await client.text_document_rename_async(types.RenameParams(document, where, "grown"))
    assert edit is not None
    if edit.document_changes:
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        edits = list(change.edits)
    else:
        edits = list((edit.changes or {})[document.uri])
    assert [covered(client, TEXT, e.range) for e in edits] == ["scaled"] * 4
    assert {getattr(e, "new_text", None) for e in edits} == {"grown"}


async def test_tokens_show_address_spaces_and_channels(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    answer = client.answer.capabilities.semantic_tokens_provider  # type: ignore[attr-defined]
    legend = answer.legend
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert full is not None
    found = decoded(client, list(full.data), legend)
    assert ("input", "parameter", {"global", "declaration"}) in found
    assert ("input", "parameter", {"global"}) in found
    assert ("tile", "variable", {"local"}) in found
    assert ("__local", "modifier", {"local"}) in found
    assert ("queue", "variable", {"channel"}) in found
    assert ("read_channel_intel", "function", {"defaultLibrary", "channel"}) in found
    assert ("WIDTH", "macro", set()) in found
    assert ("scale", "function", {"kernel", "declaration"}) in found
    line = types.Range(at(client, "output[0]", "output"), at(client, "scaled(1.0f", "1.0f"))
    some = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, line))
    assert some is not None
    assert [word for word, _, _ in decoded(client, list(some.data), legend)] == ["output", "scaled"]


def decoded(
    client: LanguageClient, data: list[int], legend: types.SemanticTokensLegend
) -> list[tuple[str, str, set[str]]]:
    """The words of semantic tokens with their types and modifiers."""
    found, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        down, along, length, kind, marks = data[i : i + 5]
        line, column = line + down, along if down else column + along
        place = types.Range(types.Position(line, column), types.Position(line, column + length))
        modifiers = {m for bit, m in enumerate(legend.token_modifiers) if marks >> bit & 1}
        found.append((covered(client, TEXT, place), legend.token_types[kind], modifiers))
    return found


async def test_calls_between_kernels_and_helpers(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    prepare = types.CallHierarchyPrepareParams(document, at(client, "float scaled(", "scaled"))
    items = await client.text_document_prepare_call_hierarchy_async(prepare)
    assert items
    assert [i.name for i in items] == ["scaled"]
    callers = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(items[0]))
    assert callers
    assert sorted(c.from_.name for c in callers) == ["other", "scale"]
    scale = next(c.from_ for c in callers if c.from_.name == "scale")
    called = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(scale))
    assert called
    assert {c.to.name: [covered(client, TEXT, r) for r in c.from_ranges] for c in called} == {
        "scaled": ["scaled"], "twice": ["twice"],
    }  # fmt: skip


async def test_words_are_explained(client: LanguageClient, tmp_path: Path) -> None:
    document = opened(client, tmp_path)
    for piece, mark, shown in [
        ("read_channel_intel(", "channel_intel", "Takes the next element from a channel"),
        ("__local", "local", "On-chip memory of a work-group"),
        ("float scaled(", "scaled", "float scaled(float v, float by)"),
        ("#define WIDTH 16", "WIDTH", "macro"),
    ]:
        hover = await client.text_document_hover_async(types.HoverParams(document, at(client, piece, mark)))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert shown in hover.contents.value.replace("\\", "")
    text, (place,) = marked("/* get_global_‸id */ __kernel void k() {}")
    uri = open_text(client, tmp_path / "comment.cl", text)
    where = types.HoverParams(types.TextDocumentIdentifier(uri), position(client, text, place))
    assert await client.text_document_hover_async(where) is None
