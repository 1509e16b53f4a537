"""Asks the registries for known vulnerabilities and withdrawn versions; a registry that does not answer is told.

    python .ci/audit.py

The programs come from .ci/audit.lock into an environment of their own (build/audit). The bill of materials is held
against CycloneDX's schema as well. Exit status 1 with findings.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build" / "audit"
LOCK = ROOT / "requirements.lock"
PATIENCE_S = 300


def main() -> int:
    """Ask all of them."""
    programs = _programs()
    told = [*_bill(programs), *_python(programs), *_withdrawn(), *_npm()]
    for one in told:
        sys.stdout.write(f"audit: found: {one}\n")
    return 1 if told else 0


def _programs() -> Path:
    """The folder of the programs that ask."""
    programs = TOOLS / ("Scripts" if sys.platform == "win32" else "bin")
    if not (programs / "pip-audit").exists():
        venv.create(TOOLS, with_pip=True)
        lock = str(ROOT / ".ci" / "audit.lock")
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock]
        subprocess.run(pip, check=True)
    return programs


def _bill(programs: Path) -> list[str]:
    """Where the bill of materials is not as CycloneDX wants it."""
    bill = TOOLS / "burstline.cdx.json"
    subprocess.run([sys.executable, str(ROOT / ".ci" / "sbom.py"), str(bill)], check=True)
    done = subprocess.run([str(programs / "python"), "-c", _VALID, str(bill)], check=False)
    return [] if done.returncode == 0 else ["the bill of materials is not valid"]


_VALID = """
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(pathlib.Path(sys.argv[1]).read_text("utf-8")))
"""


def _python(programs: Path) -> list[str]:
    """What pip-audit finds about the packages of the lock file."""
    asked = [
        str(programs / "pip-audit"),
        "--require-hashes",
        "--disable-pip",
        "--progress-spinner",
        "off",
        "-f",
        "json",
    ]
    packages = _answer("pip-audit", [*asked, "-r", str(LOCK)]).get("dependencies", [])
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    if skipped:
        sys.stdout.write(f"audit: skipped: the index has no record of vulnerabilities of {', '.join(skipped)}\n")
    return [
        f"{one['name']} {one['version']}: {found['id']}, mended in {', '.join(found['fix_versions']) or 'no version'}"
        for one in packages
        for found in one.get("vulns", [])
    ]


def _withdrawn() -> list[str]:
    """The packages of the lock file whose version is yanked, as pip tells it."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--no-deps"]
    answer = _answer("pip", [*pip, "--require-hashes", "-r", str(LOCK), "--report", "-"])
    packages = answer.get("install", [])
    return [f"{p['metadata']['name']} {p['metadata']['version']} is withdrawn" for p in packages if p.get("is_yanked")]


def _npm() -> list[str]:
    """What npm finds about the packages that the extension is built from."""
    npm = shutil.which("npm")
    if npm is None:
        sys.stdout.write("audit: skipped: the extension's packages need npm\n")
        return []
    asked = [npm, "audit", "--omit", "dev", "--package-lock-only", "--json", "--prefix", str(ROOT / "vscode-client")]
    answer = _answer("npm audit", asked)
    if "vulnerabilities" not in answer:
        reason = str(answer.get("message", "it gave no answer"))
        sys.stdout.write(f"audit: skipped: npm's registry tells no vulnerabilities ({reason})\n")
    return [f"{name}: {one['severity']}" for name, one in answer.get("vulnerabilities", {}).items()]


def _answer(name: str, command: list[str]) -> dict[str, Any]:
    """What a program prints as JSON; nothing, and why, where it prints none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        answer: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        sys.stdout.write(f"audit: skipped: {name} gave no answer ({type(error).__name__})\n")
        return {}
    return answer


if __name__ == "__main__":
    sys.exit(main())
