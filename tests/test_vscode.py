"""The editor extension's manifest and texts say what the server and the source say."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

CLIENT = Path(__file__).resolve().parents[1] / "vscode-client"
MANIFEST = json.loads((CLIENT / "package.json").read_text("utf-8"))


def script(name: str) -> ModuleType:
    """One of the extension's scripts."""
    spec = importlib.util.spec_from_file_location(name, CLIENT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_settings_are_the_servers() -> None:
    differing = [path.name for path, text in script("settings").files().items() if path.read_text("utf-8") != text]
    assert differing == [], "run vscode-client/scripts/settings.py"


def test_texts_to_translate_are_those_of_the_source() -> None:
    strings = script("strings")
    assert strings.BUNDLE.read_text("utf-8") == strings.bundle(), "run vscode-client/scripts/strings.py"


def test_every_text_of_the_manifest_is_there_and_used() -> None:
    used = set(re.findall(r'"%([\w.]+)%"', (CLIENT / "package.json").read_text("utf-8")))
    assert used == set(json.loads((CLIENT / "package.nls.json").read_text("utf-8")))


@pytest.mark.parametrize("command", [c["command"] for c in MANIFEST["contributes"]["commands"]])
def test_every_command_has_keys_and_a_line_in_the_documentation(command: str) -> None:
    assert command in {k["command"] for k in MANIFEST["contributes"]["keybindings"]}
    assert f"`{command}`" in (CLIENT.parent / "docs" / "editors" / "vscode.md").read_text("utf-8")


def test_workspaces_that_are_not_trusted_start_nothing_of_their_own() -> None:
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    known = [name for block in MANIFEST["contributes"]["configuration"] for name in block["properties"]]
    places = {f"burstline.{name}" for name in ("board", "include_paths", "aoc_flags", "report")}
    assert places <= set(known)
    assert set(restricted) == places | {name for name in known if name.startswith("burstline.server.")}
