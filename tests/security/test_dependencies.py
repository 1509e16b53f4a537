"""What a release consists of is pinned, may be passed on under Apache-2.0, and is listed in a bill of materials."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSED_ON = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MPL-2.0",
    "PSF-2.0", "Zlib",
}  # fmt: skip
"""Licences whose terms an Apache-2.0 program can meet that ships the package unchanged."""
ELSEWHERE = {"colorama"}
"""Packages of another system's, which this environment does not give the licence of."""


def sbom() -> ModuleType:
    """The script that writes the bill."""
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci" / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", ".ci/audit.lock"])
def test_every_package_is_pinned_by_hash(lock: str) -> None:
    pins = sbom().pins(ROOT / lock)
    asked = re.findall(r"(?m)^[A-Za-z0-9]", (ROOT / lock).read_text("utf-8"))
    assert len(pins) == len(asked)
    assert [name for name, _, hashes in pins if not hashes] == []


def test_every_npm_package_is_pinned_by_hash() -> None:
    packages = sbom().bundled(ROOT / "vscode-client" / "package-lock.json")
    assert packages
    assert [name for name, one in packages.items() if not str(one.get("integrity")).startswith("sha512-")] == []
    places = {str(one["resolved"]).split("/")[2] for one in packages.values() if "resolved" in one}
    assert places <= {"registry.npmjs.org"}


def test_every_licence_can_be_met() -> None:
    shown = {c["name"]: c.get("licenses", [{}])[0].get("expression") for c in sbom().bill()["components"]}
    assert {name for name, licence in shown.items() if licence is None} <= ELSEWHERE
    words = {name: set(re.split(r" AND | OR |[()]", licence)) - {""} for name, licence in shown.items() if licence}
    assert {name: found - PASSED_ON for name, found in words.items() if found - PASSED_ON} == {}


def test_the_bill_of_materials_lists_every_pin() -> None:
    module = sbom()
    bill = module.bill()
    pins = {f"pkg:pypi/{name}@{version}" for name, version, _ in module.pins(ROOT / "requirements.lock")}
    assert pins <= {component["purl"] for component in bill["components"]}
    assert {one["ref"] for one in bill["dependencies"]} == {"burstline", *(c["purl"] for c in bill["components"])}


def test_the_extension_carries_the_licences_and_the_bill() -> None:
    packaged = (ROOT / "vscode-client" / "bundled" / "sbom.cdx.json").parent
    if not (packaged / "sbom.cdx.json").is_file():
        pytest.skip("needs the packaged extension: make vsix")
    npm = {folder.rpartition("node_modules/")[2] for folder in sbom().bundled(ROOT / "vscode-client/package-lock.json")}
    assert [name for name in npm if not list((packaged / "licenses" / name).iterdir())] == []
    python = [d for d in packaged.glob("*.dist-info") if not d.name.startswith("burstline-")]
    assert python
    assert [d.name for d in python if not [*d.rglob("LICEN*")]] == []
