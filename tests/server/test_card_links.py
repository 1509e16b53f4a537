"""The best edit of a card as a link: it makes the edit, or has the editor show it first."""

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.faults.raw import PATIENCE_S, Raw

TEXT = """// burstline: n=1048576
__kernel void scale(__global const float *restrict x, __global float *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i];
}
"""
CAPABILITIES = {
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {"groupsOnLabel": True}},
    },
}
PLACE = {"line": 4, "character": 23}


def hovered(server: Raw, document: dict[str, str], part: str) -> str:
    """The card at the load, once it has a part: the first may come before its edit is priced."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        found = server.ask("textDocument/hover", {"textDocument": document, "position": PLACE})
        text = str(found["contents"]["value"])
        if part in text:
            return text
        assert time.monotonic() < until_s, text


def started(tmp_path: Path, *, links: bool, capabilities: object = CAPABILITIES) -> Raw:
    """A server whose client follows links to commands, or does not."""
    server = Raw(tmp_path / "log")
    options = {"commandLinks": True} if links else None
    server.ask("initialize", {"processId": None, "capabilities": capabilities, "initializationOptions": options})
    server.notify("initialized", {})
    return server


def commands(card: str) -> list[list[Any]]:
    """The words of each link to our command."""
    return [json.loads(unquote(words)) for words in re.findall(r"\(command:burstline\.makeEdit\?([^)]*)\)", card)]


def applied(server: Raw) -> list[dict[str, Any]]:
    return [call["params"]["edit"] for call in server.calls if call["method"] == "workspace/applyEdit"]


def test_a_link_makes_the_edit_that_it_names(tmp_path: Path) -> None:
    with started(tmp_path, links=True) as server:
        server.asked = lambda _: {"applied": True}
        document = server.open((tmp_path / "scale.cl").as_uri(), TEXT)
        card = hovered(server, document, "**Edit:** [Unroll the loop over i 16 times: kernel ")
        make, preview = commands(card)
        assert make[:2] == [document["uri"], "scale"]
        assert preview == [*make, True]
        assert server.ask("workspace/executeCommand", {"command": "burstline.makeEdit", "arguments": make}) is True
        (edit,) = applied(server)
        assert edit["documentChanges"][0]["edits"][0]["newText"] == "    #pragma unroll 16\n"


def test_a_preview_has_the_editor_ask_first(tmp_path: Path) -> None:
    with started(tmp_path, links=True) as server:
        server.asked = lambda _: {"applied": True}
        document = server.open((tmp_path / "scale.cl").as_uri(), TEXT)
        _, preview = commands(hovered(server, document, "**Edit:** ["))
        server.ask("workspace/executeCommand", {"command": "burstline.makeEdit", "arguments": preview})
        (edit,) = applied(server)
        (name,) = edit["changeAnnotations"]
        assert edit["changeAnnotations"][name]["needsConfirmation"] is True
        assert [one["annotationId"] for one in edit["documentChanges"][0]["edits"]] == [name]


def test_an_edit_that_is_gone_is_not_made(tmp_path: Path) -> None:
    with started(tmp_path, links=True) as server:
        document = server.open((tmp_path / "scale.cl").as_uri(), TEXT)
        words = [document["uri"], "scale", "none such"]
        assert server.ask("workspace/executeCommand", {"command": "burstline.makeEdit", "arguments": words}) is False
        assert applied(server) == []
        assert any(call["method"] == "window/showMessage" for call in server.calls)


@pytest.mark.parametrize("form", ["markdown", "plaintext"])
def test_editors_that_follow_no_commands_get_words(tmp_path: Path, form: str) -> None:
    capabilities = {"textDocument": {"hover": {"contentFormat": [form]}}}
    with started(tmp_path, links=False, capabilities=capabilities) as server:
        document = server.open((tmp_path / "scale.cl").as_uri(), TEXT)
        card = hovered(server, document, "Unroll the loop over i 16 times: kernel ")
        assert "command:" not in card
        assert "preview" not in card
        first = card.splitlines()[0].strip("*")
        assert re.fullmatch(r"[\d.]+ [µm]s(?: · \d+ % of the kernel|, hidden behind longer work)", first), card
