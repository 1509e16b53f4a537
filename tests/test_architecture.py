"""The three sentences of the architecture that keep the data flowing one way, enforced on the imports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "server" / "burstline_server"
MODEL = ROOT / "model" / "burstline_model"


def imports(folder: Path) -> list[tuple[str, str]]:
    """(file, imported module) of every import below a folder."""
    found = []
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found += [(path.name, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.append((path.name, node.module))
    return found


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        (MODEL, ("burstline_server", "lsprotocol", "pygls", "tree_sitter")),
        (MODEL / "middle", ("burstline_model.memory", "burstline_model.estimate", "burstline_model.explore")),
        (SERVER / "analysis", ("lsprotocol", "pygls", "burstline_server.features")),
        (SERVER / "source", ("lsprotocol", "pygls", "burstline_server.analysis")),
        (SERVER / "faults", ("lsprotocol", "pygls", "burstline_server.answers", "burstline_server.features")),
        (SERVER / "names", ("lsprotocol", "pygls", "burstline_server.answers", "burstline_server.features")),
        (SERVER / "language", ("lsprotocol", "pygls", "burstline_model", "tree_sitter")),
        (SERVER / "answers", ("lsprotocol", "pygls")),
        (SERVER / "rules", ("lsprotocol", "pygls")),
    ],
    ids=["model", "middle", "analysis", "source", "faults", "names", "language", "answers", "rules"],
)
def test_rooms_do_not_import_what_comes_after_them(folder: Path, forbidden: tuple[str, ...]) -> None:
    found = imports(folder)
    assert found
    assert [(f, m) for f, m in found if m.startswith(forbidden)] == []


def test_features_compute_nothing() -> None:
    records = {"burstline_model.facts", "burstline_model.answer"}
    models = [(f, m) for f, m in imports(SERVER / "features") if m.startswith("burstline_model") and m not in records]
    assert models == []


def test_the_command_line_does_not_load_the_protocol_library() -> None:
    files = [p for p in (SERVER / "cli").glob("*.py") if p.name != "serve.py"]
    assert files
    for path in files:
        assert "lsprotocol" not in path.read_text("utf-8")
        assert "pygls" not in path.read_text("utf-8")


def test_arrays_stay_in_the_exploration() -> None:
    users = {p for p in [*MODEL.rglob("*.py"), *SERVER.rglob("*.py")] if "import numpy" in p.read_text("utf-8")}
    assert {p.parent for p in users} == {MODEL / "explore"}


def test_checking_a_file_does_not_load_the_array_library() -> None:
    program = (
        "import sys; from burstline_server.cli.main import main; code = main(['check', sys.argv[1]]); "
        "import burstline_server.server; sys.exit(code or 'numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(ROOT / "examples" / "tour.cl")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_no_answer_depends_on_the_time_of_day() -> None:
    files = [*MODEL.rglob("*.py"), *SERVER.rglob("*.py")]
    clocks = ("time.time", "datetime", "localtime", "gmtime")
    assert [p.name for p in files if any(clock in p.read_text("utf-8") for clock in clocks)] == []
