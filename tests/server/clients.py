"""Editors as they announce themselves, and texts with a mark where the cursor is."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

COMMAND = [sys.executable, "-m", "burstline_server.cli.main", "serve"]
SERVER = ClientServerConfig(server_command=COMMAND)
RECORDED = Path(__file__).parent / "capabilities"
EDITORS = sorted(file.stem for file in RECORDED.glob("*.json"))
MARK = "‸"
PATIENCE_S = 30


@dataclass
class Seen:
    """What the server asked of the editor."""

    registered: dict[str, object] = field(default_factory=dict)
    refreshed: list[str] = field(default_factory=list)


def capabilities(editor: str) -> types.ClientCapabilities:
    """What a recorded editor can do."""
    recorded = json.loads((RECORDED / f"{editor}.json").read_text("utf-8"))["capabilities"]
    return get_converter().structure(recorded, types.ClientCapabilities)


async def greet(
    client: LanguageClient, editor: str, folders: tuple[Path, ...] = (), root: Path | None = None, **options: object
) -> Seen:
    """Start a session as a recorded editor does, and remember what the server asks for."""
    seen = Seen()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_c: LanguageClient, params: types.RegistrationParams) -> None:
        seen.registered.update({r.method: r.register_options for r in params.registrations})

    for method in (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH):
        client.feature(method)(_noting(seen.refreshed, method))

    client.answer = await client.initialize_session(  # type: ignore[attr-defined]
        types.InitializeParams(
            capabilities=capabilities(editor),
            workspace_folders=[types.WorkspaceFolder(uri=f.as_uri(), name=f.name) for f in folders],
            root_uri=root.as_uri() if root is not None else None,
            initialization_options=options or None,
        )
    )
    return seen


@asynccontextmanager
async def session(port: int) -> AsyncIterator[LanguageClient]:
    """A client of the server on a port, with a session of its own."""
    client = make_test_lsp_client()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await client.start_tcp("127.0.0.1", port)
                break
            except ConnectionRefusedError:
                await asyncio.sleep(0.05)
    yield client
    await client.shutdown_session()
    await client.stop()


async def findings_after(
    client: LanguageClient, send: Callable[[], str], version: int | Literal["any"] | None = "any"
) -> list[types.Diagnostic]:
    """Send something, which returns the document's address, and wait for that document's findings, of a version or any.

    Each notification is taken when it arrives: several may come at once.
    """
    arrived: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

    def take(params: types.PublishDiagnosticsParams) -> None:
        client.protocol.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, take)
        arrived.put_nowait(params)

    client.protocol.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, take)
    uri = send()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            params = await arrived.get()
            if params.uri == uri and version in {"any", params.version}:
                return list(params.diagnostics)


def _noting(notes: list[str], method: str) -> Callable[[LanguageClient, None], None]:
    def note(_c: LanguageClient, _params: None) -> None:
        notes.append(method)

    return note


def applied_by(client: LanguageClient) -> list[types.ApplyWorkspaceEditParams]:
    """The edits that the client is asked to make from now on; it makes them all."""
    applied: list[types.ApplyWorkspaceEditParams] = []

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(_ls: LanguageClient, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        applied.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    return applied


def open_text(client: LanguageClient, path: Path, text: str) -> str:
    """Open a document; returns its address."""
    item = types.TextDocumentItem(uri=path.as_uri(), language_id="opencl", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return item.uri


def edit_text(client: LanguageClient, uri: str, text: str, version: int = 2) -> None:
    """Replace a document's text."""
    whole = types.TextDocumentContentChangeWholeDocument(text=text)
    document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))


def marked(text: str) -> tuple[str, list[int]]:
    """A text without its cursor marks, and where they were."""
    parts = text.split(MARK)
    places = [sum(map(len, parts[: i + 1])) for i in range(len(parts) - 1)]
    return "".join(parts), places


def position(client: LanguageClient, text: str, place: int) -> types.Position:
    """A place in a text as the client counts."""
    before = text[:place]
    line = before[before.rfind("\n") + 1 :]
    return types.Position(before.count("\n"), units(client, line))


def units(client: LanguageClient, text: str) -> int:
    """How long a text is in the client's units."""
    agreed = client.answer.capabilities.position_encoding or "utf-16"  # type: ignore[attr-defined]
    agreed = getattr(agreed, "value", agreed)
    return {"utf-8": len(text.encode()), "utf-16": len(text.encode("utf-16-le")) // 2, "utf-32": len(text)}[agreed]


def covered(client: LanguageClient, text: str, range_: types.Range) -> str:
    """The text that a range of the client covers."""

    def place(at: types.Position) -> int:
        lines = text.split("\n")
        start = sum(len(line) + 1 for line in lines[: at.line])
        row = lines[at.line]
        return start + next(i for i in range(len(row) + 1) if units(client, row[:i]) == at.character)

    return text[place(range_.start) : place(range_.end)]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.02)
