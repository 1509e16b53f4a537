"""Writes what the wheel and the editor extension consist of as a CycloneDX 1.6 bill of materials.

    python .ci/sbom.py FILE

Packages come from requirements.lock and vscode-client/package-lock.json, Python packages' licences from what is
installed.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ ;\\]+)(?P<rest>(?:.*\\\n)*.*)$", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_CLASSIFIED = {"MIT License": "MIT", "BSD License": "BSD-3-Clause"}
"""Licences as older packages tell them, by their names in SPDX."""


def pins(lock: Path) -> list[tuple[str, str, list[str]]]:
    """Name, version and SHA-256 hashes of every package of a lock file."""
    return [(m["name"], m["version"], _HASH.findall(m["rest"])) for m in _PIN.finditer(lock.read_text("utf-8"))]


def licence(package: str) -> str | None:
    """The licence of an installed package as an SPDX expression; None where it is not installed or does not tell."""
    try:
        told = metadata(package)
    except PackageNotFoundError:
        return None
    classes = (c.rpartition(" :: ")[2] for c in told.get_all("Classifier", []) if c.startswith("License ::"))
    classified = next((_CLASSIFIED[c] for c in classes if c in _CLASSIFIED), None)
    return told.get("License-Expression") or classified or told.get("License")


def bundled(lock: Path) -> dict[str, dict[str, Any]]:
    """The npm packages that the extension is built from, by the folders they are installed in."""
    packages: dict[str, dict[str, Any]] = json.loads(lock.read_text("utf-8"))["packages"]
    return {folder: package for folder, package in packages.items() if folder and not package.get("dev")}


def bill() -> dict[str, Any]:
    """The whole bill."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    own = {"type": "application", "name": project["name"], "version": project["version"], "bom-ref": "burstline",
           "licenses": [{"expression": project["license"]}]}  # fmt: skip
    python = [_component("pypi", *pin[:2], licence(pin[0])) for pin in pins(ROOT / "requirements.lock")]
    npm = [
        _component("npm", folder.rpartition("node_modules/")[2], one["version"], one.get("license"), one["integrity"])
        for folder, one in bundled(ROOT / "vscode-client" / "package-lock.json").items()
    ]
    unique = {component["bom-ref"]: component for component in (*python, *npm)}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
        "version": 1, "metadata": {"component": own}, "components": list(unique.values()),
        "dependencies": [{"ref": "burstline", "dependsOn": sorted(unique)}, *({"ref": ref} for ref in sorted(unique))],
    }  # fmt: skip


def _component(kind: str, name: str, version: str, spdx: str | None, integrity: str = "") -> dict[str, Any]:
    address = f"pkg:{kind}/{name.replace('@', '%40')}@{version}"
    found: dict[str, Any] = {"type": "library", "name": name, "version": version, "purl": address, "bom-ref": address}
    if spdx is not None:
        found["licenses"] = [{"expression": spdx}]
    if integrity.startswith("sha512-"):
        digest = base64.b64decode(integrity.removeprefix("sha512-")).hex()
        found["hashes"] = [{"alg": "SHA-512", "content": digest}]
    return found


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(bill(), indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{out}: {len(bill()['components'])} packages\n")
