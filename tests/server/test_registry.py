"""Features that are loaded when they are called, and capabilities that are read when they are asked for."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from lsprotocol import types

from burstline_server.lsp.features import registry
from burstline_server.lsp.server import FEATURES, create_server
from burstline_server.lsp.session import Session
from burstline_server.lsp.wire.reading import converter
from tests.server.clients import EDITORS, RECORDED, capabilities

FOLDER = Path(registry.__file__).parent


class Client:
    """What a session sends to a client in the same process."""

    def __init__(self, session: Session) -> None:
        self.sent: list[dict[str, Any]] = []
        self._session = session
        session.protocol.set_writer(self)

    def write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    async def ask(self, method: str, params: object) -> dict[str, Any]:
        """The whole answer to a request."""
        number = f"{method} {len(self.sent)}"
        self.notify(method, params, id=number)
        while not (found := [message for message in self.sent if message.get("id") == number]):
            await asyncio.sleep(0)
        return found[0]

    def notify(self, method: str, params: object, **more: object) -> None:
        """Send a message."""
        self._session.protocol.receive(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        )


@pytest.fixture
async def session() -> Session:
    return create_server()


@pytest.fixture
async def client(session: Session) -> Client:
    client = Client(session)
    await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    return client


async def test_what_is_announced_is_what_the_modules_answer(session: Session) -> None:
    manager = session.protocol.fm
    announced = {*manager.features}, {*manager.commands}
    for load in set(session.protocol.late.values()):
        load()
    assert not session.protocol.late
    assert ({*manager.features}, {*manager.commands}) == announced


def test_every_feature_is_loaded_at_once_or_late() -> None:
    files = [Path(feature.__file__ or "") for feature in FEATURES]
    at_once = {file.stem for file in files if file.parent == FOLDER}
    assert {file.stem for file in FOLDER.glob("*.py")} == {"__init__", "diagnostic", *at_once, *registry.MODULES}


async def test_a_feature_that_cannot_be_loaded_costs_itself_alone(
    client: Client, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds = {"textDocument": {"uri": "untitled:none.cl"}}

    def removed(_name: str) -> None:
        raise ModuleNotFoundError

    with monkeypatch.context() as broken:
        broken.setattr(registry, "import_module", removed)
        answer = await client.ask("textDocument/foldingRange", folds)
        assert answer["error"]["code"] == types.ErrorCodes.InternalError.value
        command = await client.ask("workspace/executeCommand", {"command": "burstline.explain", "arguments": ["BL101"]})
        assert "burstline.explain" in command["error"]["message"]
    assert (await client.ask("textDocument/foldingRange", folds))["result"] == []
    assert not session.protocol.unanswered


async def test_commands_are_called_with_their_arguments_from_the_first_time_on(client: Client) -> None:
    for _ in range(2):
        shown = await client.ask("workspace/executeCommand", {"command": "burstline.explain", "arguments": ["BL999"]})
        assert shown["result"] is False
        none = await client.ask("workspace/executeCommand", {"command": "burstline.explain", "arguments": []})
        assert "error" in none


async def test_nothing_is_kept_of_notifications_that_were_handled(client: Client, session: Session) -> None:
    item = {"uri": "untitled:none.cl", "languageId": "opencl", "version": 1, "text": ""}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.notify("textDocument/didClose", {"textDocument": {"uri": item["uri"]}})
    assert session.protocol.unanswered
    await asyncio.sleep(0.01)
    assert not session.protocol.unanswered


@pytest.mark.parametrize("editor", EDITORS)
def test_what_an_editor_can_do_reads_as_in_the_library(editor: str) -> None:
    recorded = json.loads((RECORDED / f"{editor}.json").read_text("utf-8"))["capabilities"]
    read = converter().structure(recorded, types.ClientCapabilities)
    compared = list(differences(read, capabilities(editor)))
    assert len(compared) > 20
    assert [one for one in compared if one[1] != one[2]] == []


def differences(read: Any, library: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every value below, as it is read and as the library has it."""
    for field in attrs.fields(type(library)):
        ours, theirs = getattr(read, field.name), getattr(library, field.name)
        where = f"{path}.{field.name}"
        if attrs.has(type(theirs)):
            yield from differences(ours, theirs, where)
        elif isinstance(theirs, list | tuple):
            yield where, ours, [getattr(one, "value", one) for one in theirs]
        elif field.name != "experimental":
            yield where, ours, getattr(theirs, "value", theirs)


@pytest.mark.parametrize(
    "wrong", [5, [], None, {"textDocument": 5}, {"general": []}, {"general": {"positionEncodings": "utf-8"}}]
)
async def test_capabilities_of_a_wrong_kind_are_refused(session: Session, wrong: object) -> None:
    client = Client(session)
    refused = await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": wrong})
    assert refused["error"]["code"] == types.ErrorCodes.InvalidParams.value
    greeted = await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert greeted["result"]["capabilities"]["hoverProvider"] is not None
