"""What an edit asks of the host program: a document of the server's own, or a comment where a client shows none."""

import asyncio
import sys
from pathlib import Path

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from burstline_server.assessment.assessor import Assessor
from burstline_server.rewrites.catalogue import offers_of
from burstline_server.words.edits import title_text
from tests.rewrites.test_host_edit import TURN

HOST = """#include <CL/cl.h>
void run(cl_command_queue queue, cl_program program, size_t *sizes)
{
    cl_kernel k = clCreateKernel(program, "turn", NULL);
    clEnqueueNDRangeKernel(queue, k, 2, NULL, sizes, NULL, 0, NULL, NULL);
}
"""
COMMAND = [sys.executable, "-m", "burstline_server.cli.main", "serve", "--stdio"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "feedforward" / "fw.cl"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=COMMAND))
async def client(lsp_client: LanguageClient):
    yield
    await lsp_client.shutdown_session()


async def split(client: LanguageClient, capabilities: types.ClientCapabilities) -> types.CodeAction:
    """The action that splits the example, from a server started by a client that can do this."""
    registered: list[str] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_ls: LanguageClient, params: types.RegistrationParams) -> None:
        registered.extend(r.method for r in params.registrations)

    await client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=[]))
    waiting = asyncio.ensure_future(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS))
    item = types.TextDocumentItem(uri=EXAMPLE.as_uri(), language_id="opencl", version=1, text=EXAMPLE.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await asyncio.wait_for(waiting, 30)
    assert (types.WORKSPACE_TEXT_DOCUMENT_CONTENT in registered) == (capabilities.workspace is not None)
    offers = offers_of(Assessor().assess(item.text, str(EXAMPLE), []))
    offer = next(o for o in offers if title_text(o.title).startswith("Split"))
    chosen = types.CodeAction(title="Split", data={"uri": item.uri, "version": 1, "offer": offer.id})
    action = await client.code_action_resolve_async(chosen)
    assert action.edit is not None
    return action


async def test_the_hosts_part_is_a_document_of_its_own(client: LanguageClient) -> None:
    action = await split(
        client,
        types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(
                text_document_content=types.TextDocumentContentClientCapabilities(dynamic_registration=True)
            ),
            window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(support=True)),
        ),
    )
    assert action.command is not None
    asked = types.ExecuteCommandParams(command=action.command.command, arguments=action.command.arguments)
    await client.workspace_execute_command_async(asked)
    (shown,) = client.shown_documents
    params = types.TextDocumentContentParams(uri=shown.uri)
    answer = await client.workspace_text_document_content_async(params)
    assert 'clCreateKernel(program, "fw_memory", &status);' in answer.text
    assert "clEnqueueTask" not in str(action.edit)
    missing = types.TextDocumentContentParams(uri="burstline-host:/none.c")
    assert (await client.workspace_text_document_content_async(missing)).text == ""


async def test_the_hosts_part_is_a_comment_for_other_clients(client: LanguageClient) -> None:
    action = await split(client, types.ClientCapabilities())
    assert action.command is None
    assert action.edit is not None
    (kernels, comment) = (action.edit.changes or {})[EXAMPLE.as_uri()]
    assert "write_channel_intel" in kernels.new_text
    reported = comment.new_text.splitlines()
    assert '// cl_kernel fw_memory = clCreateKernel(program, "fw_memory", &status);' in reported
    assert all(not line or line.startswith("//") for line in reported)


async def test_the_host_programs_file_is_changed_where_the_editor_asks_first(
    client: LanguageClient, tmp_path: Path
) -> None:
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=True,
                change_annotation_support=types.ChangeAnnotationsSupportOptions(),
            )
        )
    )
    (tmp_path / "host.c").write_text(HOST)
    kernel = tmp_path / "turn.cl"
    kernel.write_text(TURN)
    folders = [types.WorkspaceFolder(uri=tmp_path.as_uri(), name="own")]
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=folders))
    waiting = asyncio.ensure_future(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS))
    item = types.TextDocumentItem(uri=kernel.as_uri(), language_id="opencl", version=1, text=TURN)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await asyncio.wait_for(waiting, 30)
    offers = offers_of(Assessor(workspace=[tmp_path]).assess(TURN, str(kernel), []))
    offer = next(o for o in offers if o.title.kind == "transpose_tile_groups")
    chosen = types.CodeAction(title="Exchange", data={"uri": item.uri, "version": 1, "offer": offer.id})
    action = await client.code_action_resolve_async(chosen)
    assert action.edit is not None
    changes = [c for c in action.edit.document_changes or () if isinstance(c, types.TextDocumentEdit)]
    (host,) = [c for c in changes if c.text_document.uri == (tmp_path / "host.c").as_uri()]
    assert [e.new_text for e in host.edits if isinstance(e, types.AnnotatedTextEdit)] == [
        "const size_t turn_local_size[] = { 16, 16 };\n    ",
        "turn_local_size",
    ]
    annotations = action.edit.change_annotations or {}
    assert [annotations[e.annotation_id].needs_confirmation for e in host.edits] == [True, True]
