"""The wheel, installed into an empty environment, does what the checkout does."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment with nothing but the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("burstline-*.whl")
    venv.create(folder / "env")
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "--quiet", "--disable-pip-version-check"]
    pip += ["install", "--no-compile"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True, capture_output=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True, capture_output=True)
    return programs


def test_check_runs(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "burstline"), "check", str(ROOT / "examples" / "paper" / "vector_add.cl")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "31.5 ms" in done.stdout


def test_view_finds_its_page(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "burstline"), "view", str(ROOT / "examples" / "tour.cl")]
    subprocess.run(command, capture_output=True, cwd=tmp_path, check=True)
    assert "function timeChart" in (tmp_path / "view.html").read_text("utf-8")


VALIDATE_SOME = """
from burstline_server.presentation import validation_page
from burstline_server.validation.papers import validate
from burstline_server.validation.suites import published_runs

print(validation_page.text(validate(published_runs()[::100])))
"""


def test_validating_finds_the_papers_kernels_and_the_published_runs(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "python"), "-c", VALIDATE_SOME]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "vector_add.cl" in done.stdout
    assert "FPGAMemBench" in done.stdout


def test_server_starts_and_answers_from_its_own_queries_and_pages(installed: Path, tmp_path: Path) -> None:
    uri = (tmp_path / "k.cl").as_uri()
    text = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1.0f; }\n"
    document = {"uri": uri, "languageId": "opencl", "version": 1, "text": text}
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    server = subprocess.Popen(
        [str(installed / "burstline"), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    answers: dict[object, dict] = {}
    published = None
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        while "id" in message and message["id"] not in answers:
            length = 0
            while line := server.stdout.readline().strip():
                length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
            answer = json.loads(server.stdout.read(length))
            answers[answer.get("id")] = answer
            published = answer if answer.get("method") == "textDocument/publishDiagnostics" else published
    assert server.wait(30) == 0
    assert [s["name"] for s in answers[2]["result"]] == ["k"]
    assert published is not None
    pages = {d["code"]: d["codeDescription"]["href"] for d in published["params"]["diagnostics"]}
    assert pages["BL106"].endswith("pages/BL106.md")
