"""Edits that rest on a proof are executed: what is contradicted is not offered, what could not be executed says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

from burstline_server.assessment.assessor import Assessor
from burstline_server.cli.main import main
from burstline_server.config.layers import Layer
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted
from burstline_server.rewrites import catalogue
from burstline_server.rewrites.catalogue import contradicted, fixes_of, most_useful_first
from burstline_server.rewrites.chain import safe_text
from burstline_server.words.edits import fix_title
from tests.rewrites.wrong import NEIGHBOURS, LastTurnLeftOut, TileWithBarrier, TileWithoutBarrier
from tests.server.clients import greet, open_text

ROOT = Path(__file__).parents[2]
LAYERS = [Layer("file", {"aoc_version": "19.4"})]
SCALE = """__kernel void scale(__global const int *restrict x, __global int *restrict y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = 3 * x[i];
}
"""
WRONG = [sys.executable, "-m", "tests.rewrites.wrong"]


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong rewrite, alone."""
    monkeypatch.setattr(catalogue, "REWRITES", (LastTurnLeftOut(),))


@pytest.mark.usefixtures("wrong")
def test_an_edit_that_executing_contradicts_is_not_offered() -> None:
    assessor = Assessor()
    assessment = assessor.assess(SCALE, "k.cl", LAYERS)
    assert fixes_of(assessor, assessment, LAYERS, every=True) == []
    (refusal,) = contradicted(assessor, assessment, LAYERS, lambda _: True)
    assert refusal.reason == Different("value", "y", 7, (8,))
    assert safe_text(assessor, SCALE, "k.cl", LAYERS) == SCALE


def test_an_edit_that_changes_no_statement_needs_no_run() -> None:
    text = """__kernel void k(__global const int *restrict x, __global int *restrict y) {
    for (int i = 0; i < 100000000; i++)
        y[i] = 3 * x[i];
}
"""
    assessor = Assessor()
    found = {f.offer.title.kind: f for f in fixes_of(assessor, assessor.assess(text, "k.cl", LAYERS), LAYERS)}
    assert found["unroll_by"].execution == Equal(0)
    assert "not executed" not in fix_title(found["unroll_by"])
    vectorised = found["vectorise_by"].execution
    assert isinstance(vectorised, Equal)
    assert vectorised.shorter


@pytest.mark.usefixtures("wrong")
def test_an_edit_that_could_not_be_executed_says_so_and_is_not_made_with_the_others() -> None:
    text = SCALE.replace("y[i] = 3 * x[i];", "{ if (x[i] < 0) goto done; y[i] = x[i]; done: ; }")
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", LAYERS)
    (fix,) = fixes_of(assessor, assessment, LAYERS, every=True)
    assert isinstance(fix.execution, NotExecuted)
    assert (
        fix_title(fix)
        == "Unroll the loop over i (not executed: a statement is beyond the interpreter (goto_statement))"
    )
    assert safe_text(assessor, text, "k.cl", LAYERS) == text


def test_an_edit_that_adds_a_race_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assessor = Assessor()
    assessment = assessor.assess(NEIGHBOURS, "k.cl", LAYERS)
    monkeypatch.setattr(catalogue, "REWRITES", (TileWithoutBarrier(),))
    assert fixes_of(assessor, assessment, LAYERS, every=True) == []
    (refusal,) = contradicted(assessor, assessment, LAYERS, lambda _: True)
    assert isinstance(refusal.reason, Different)
    assert refusal.reason.how == "race"
    monkeypatch.setattr(catalogue, "REWRITES", (TileWithBarrier(),))
    (fix,) = fixes_of(assessor, assessment, LAYERS, every=True)
    assert isinstance(fix.execution, Equal)


def test_edits_that_pay_are_executed_and_equal() -> None:
    text = SCALE.replace("< n", "< 4096").replace("x[i];", "x[i] + x[i + 1] + x[i + 2];")
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", LAYERS)
    fixes = [fix for fix in fixes_of(assessor, assessment, LAYERS) if fix.offer.kind == "proved"]
    assert fixes
    assert all(isinstance(fix.execution, Equal) for fix in fixes)
    assert safe_text(assessor, text, "k.cl", LAYERS) != text


def test_the_command_line_says_why_an_edit_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "scale.cl"
    file.write_text(SCALE, "utf-8")
    listed = subprocess.run([*WRONG, "fix", "--all", str(file)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "not offered: unroll the loop over i: executed with whole-number arguments of 8, it leaves" in listed.stdout
    subprocess.run([*WRONG, "fix", "--all", "--apply", str(file)], cwd=ROOT, capture_output=True, check=True)
    assert file.read_text("utf-8") == SCALE


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[*WRONG, "serve"]))
async def client(lsp_client: LanguageClient):
    await greet(lsp_client, "vscode_1_139")
    yield
    await lsp_client.shutdown_session()


async def test_an_editor_says_why_and_gets_an_error_for_an_edit_that_executing_contradicts(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_text(client, tmp_path / "scale.cl", SCALE)
    everywhere = types.Range(types.Position(0, 0), types.Position(3, 0))
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), everywhere, types.CodeActionContext([]))
    offered = await client.text_document_code_action_async(asked)
    (refused,) = [one for one in offered or [] if isinstance(one, types.CodeAction) and one.title.startswith("Unroll")]
    assert refused.edit is None
    assert refused.disabled is not None
    assert "it leaves another value in y[7]" in refused.disabled.reason
    old = types.CodeAction("Unroll", data={"uri": uri, "version": 1, "offer": "scale/unroll/i"})
    with pytest.raises(JsonRpcException, match=r"another value in y\[7\]"):
        await client.code_action_resolve_async(old)


SCATTER = """__kernel void scatter(__global const int *restrict x, __global int *restrict c, int n, int m) {
    for (int i = 0; i < n; i++)
        c[i + m] = c[i] * 3 + x[i];
}
"""


def fixes_with_assertions(text: str) -> dict[str, object]:
    """What executing each edit of a text shows that rests on an assertion, by its title."""
    assessor = Assessor()
    assessment = assessor.assess(text, "k.cl", [*LAYERS, Layer("option", {"arguments": {"n": 10000, "m": 300}})])
    fixes = fixes_of(assessor, assessment, LAYERS, every=True, chosen=lambda o: o.kind == "assertion")
    return {fix_title(fix).partition(":")[0]: fix.execution for fix in fixes}


def test_what_is_asserted_is_executed_with_data_that_keep_it_and_with_others() -> None:
    found = fixes_with_assertions(SCATTER)
    assert "Add #pragma ivdep over i for c" in found
    assert "Split into a memory and a compute kernel joined by channels" in found
    for execution in found.values():
        assert isinstance(execution, Equal)
        assert execution.trials > 0
        assert execution.broken > 0


def test_nobody_is_asked_to_assert_what_no_data_keep() -> None:
    always = SCATTER.replace("c[i + m] = c[i]", "c[(i * i + 1) / (n * n + 5)] = c[i * i / (n * n)]")
    seen_at_once = SCATTER.replace("c[i + m] = c[i]", "c[(i + 1) / (n + 5)] = c[i / n]")
    for text in (always, seen_at_once):
        assert not [title for title in fixes_with_assertions(text) if "ivdep" in title or "Split" in title]
    assessor = Assessor()
    assessment = assessor.assess(always, "k.cl", LAYERS)
    refused = contradicted(assessor, assessment, LAYERS, lambda o: o.kind == "assertion")
    assert {(r.reason.how, r.reason.buffer) for r in refused if isinstance(r.reason, Different)} == {
        ("not_read_later", "c")
    }


HOISTED = """__kernel void h(__global const float *a, __global const float *s, __global float *b, const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = a[i * n + j] * s[i];
}
"""


def test_what_needs_the_host_as_well_comes_behind_what_needs_a_word_alone() -> None:
    assessor, layers = Assessor(), [Layer("file", {"arguments": {"n": 4096}})]
    fixes = most_useful_first(fixes_of(assessor, assessor.assess(HOISTED, "k.cl", layers), layers))
    unsafe = [fix.offer.title.kind for fix in fixes if fix.offer.kind == "assertion"]
    assert {"restrict", "split_two_queues"} <= set(unsafe)
    assert unsafe.index("restrict") < min(n for n, kind in enumerate(unsafe) if kind.startswith("split_"))


def test_a_promise_about_data_comes_before_a_change_of_the_host_on_the_command_line_as_in_editors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cl").write_text(HOISTED)
    assert main(["fix", "--unsafe", "--host", "--arg", "n=4096", str(tmp_path / "k.cl")]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if "kernel " in line and "[" in line]
    assert len(listed) > 1
    assert "restrict" in listed[0]
