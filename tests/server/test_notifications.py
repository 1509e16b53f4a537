"""One notification for each cause, ever: in one session, in the next one, and in two at once."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from burstline_server.cli.main import main
from burstline_server.lsp import notifications
from burstline_server.lsp.notifications import Notified, cause_of
from tests.server.clients import edit_text, greet, open_text

BREAKING = """
import burstline_server.lsp.session as session
from burstline_server.cli.main import main

findings_of = session.findings_of

def breaking(assessment):
    text = assessment.source.original.decode()
    if "DIVIDE" in text:
        1 / 0
    if "LOOK_UP" in text:
        {}[text]
    return findings_of(assessment)

session.findings_of = breaking
main(["serve"])
"""
"""A server whose analysis fails in two places, on texts that name them."""
TEXT = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; } // "


async def notified_by_a_server(state: Path, file: Path, *words: str) -> list[str]:
    """What one session shows while the words are typed into a file, one after the other."""
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    config = ClientServerConfig([sys.executable, "-c", BREAKING], server_env=environment)
    client = await config.start()
    assert isinstance(client, LanguageClient)
    await greet(client, "neovim_0_11")
    uri = open_text(client, file, TEXT)
    for version, word in enumerate(words, 2):
        edit_text(client, uri, f"{TEXT}{word} {version}", version)
        document = types.TextDocumentIdentifier(uri)
        await client.text_document_code_lens_async(types.CodeLensParams(document))
    await client.shutdown_session()
    return [shown.message for shown in client.messages]


async def test_a_cause_is_reported_once_whatever_the_session(tmp_path: Path) -> None:
    state, file = tmp_path / "state", tmp_path / "k.cl"
    first = await notified_by_a_server(state, file, "DIVIDE", "fine", "DIVIDE", "DIVIDE LOOK_UP")
    assert [shown for shown in first if "could not analyse k.cl: division by zero" in shown] == first
    assert len(first) == 1
    assert await notified_by_a_server(state, file, "DIVIDE") == []
    # Another problem in the same file is shown; so is the same one in another file.
    assert len(await notified_by_a_server(state, file, "LOOK_UP", "LOOK_UP")) == 1
    assert len(await notified_by_a_server(state, tmp_path / "other.cl", "DIVIDE")) == 1
    assert await notified_by_a_server(state, file, "LOOK_UP", "DIVIDE") == []


async def test_what_is_forgotten_is_reported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state, file = tmp_path / "state", tmp_path / "k.cl"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    assert len(await notified_by_a_server(state, file, "DIVIDE")) == 1
    assert main(["forget"]) == 0
    assert "1 notification forgotten" in capsys.readouterr().out
    assert len(await notified_by_a_server(state, file, "DIVIDE")) == 1
    assert main(["forget"]) == main(["forget"]) == 0
    assert capsys.readouterr().out.startswith("1 notification forgotten: each is shown once more\n0 notifications")


async def test_where_nothing_can_be_kept_a_cause_is_reported_once_a_session(tmp_path: Path) -> None:
    state, file = tmp_path / "state", tmp_path / "k.cl"
    state.write_text("a file in the folder's place")
    for _ in range(2):
        assert len(await notified_by_a_server(state, file, "DIVIDE", "fine", "DIVIDE")) == 1


def test_a_file_in_the_place_of_the_marks_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "shown").write_text("")
    causes = Notified(tmp_path / "shown")
    assert [causes.first("a"), causes.first("a"), causes.first("b")] == [True, False, True]


async def test_of_servers_that_notify_at_once_one_does(tmp_path: Path) -> None:
    servers = [Notified(tmp_path) for _ in range(8)]
    for number in range(20):
        asked = (asyncio.to_thread(server.first, f"cause {number}") for server in servers)
        assert sum(await asyncio.gather(*asked)) == 1


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "MOST", 10)
    causes = Notified(tmp_path)
    for number in range(25):
        assert causes.first(f"cause {number}")
        for mark in tmp_path.iterdir():
            os.utime(mark, ns=(mark.stat().st_atime_ns, mark.stat().st_mtime_ns - 1_000_000_000))
    assert len(list(tmp_path.iterdir())) == 10
    assert not causes.first("cause 24")
    assert causes.first("cause 0")


def test_a_failure_is_the_same_whatever_value_it_met() -> None:
    def failing(key: str) -> str:
        try:
            return str({}[key])
        except KeyError as error:
            return cause_of(error)

    assert failing("a") == failing("b") != ""
