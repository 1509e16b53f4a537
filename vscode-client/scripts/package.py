"""Builds the extension with all it needs but Python: the server, and its wheels for every Python it supports.

    python vscode-client/scripts/package.py [TARGET]

TARGET is one of VS Code's names of platforms, this machine's without it; the answer is dist/burstline-TARGET.vsix.
Wheels come from pip's index by the hashes of requirements.lock, and are kept in build/wheels. Compiled modules carry
the Python they are for in their names, so one folder, vscode-client/bundled, holds them all.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Container
from email.parser import HeaderParser
from pathlib import Path

from completeness import PYTHONS, environment, lacks
from packaging.markers import Marker
from packaging.utils import canonicalize_name

CLIENT = Path(__file__).resolve().parents[1]
ROOT = CLIENT.parent
BUNDLED = CLIENT / "bundled"
WHEELS = ROOT / "build" / "wheels"
TAGS = {
    "linux-x64": ("manylinux2014_x86_64", "manylinux_2_28_x86_64"),
    "linux-arm64": ("manylinux2014_aarch64", "manylinux_2_28_aarch64"),
    "darwin-x64": ("macosx_10_12_x86_64", "macosx_11_0_x86_64"),
    "darwin-arm64": ("macosx_11_0_arm64",),
    "win32-x64": ("win_amd64",),
}
"""The wheels' platform tags for each of VS Code's platforms."""
MAIN = '''"""Runs the program from this folder: python -I FOLDER serve."""

import sys

from burstline_server.cli.main import main

sys.exit(main())
'''


def here() -> str:
    """The platform of this machine as VS Code names it."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return f"{sys.platform}-{machine.get(platform.machine().lower(), platform.machine())}"


def main() -> int:
    """Build the extension; exit status 2 for a platform that there are no wheels for."""
    target = sys.argv[1] if len(sys.argv) > 1 else here()
    if target not in TAGS:
        sys.stderr.write(f"package: no wheels for {target}; there are some for {', '.join(TAGS)}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        bundle(target, BUNDLED, server_wheel(Path(folder)))
    subprocess.run([sys.executable, str(ROOT / ".ci" / "sbom.py"), str(BUNDLED / "sbom.cdx.json")], check=True)
    _licences(BUNDLED)
    out = ROOT / "dist" / f"burstline-{target}.vsix"
    out.parent.mkdir(exist_ok=True)
    npm = [shutil.which("npm") or "npm", "run", "--silent", "package", "--", "--target", target, "--out", str(out)]
    subprocess.run(npm, cwd=CLIENT, check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(out) as archive:
        archive.extractall(folder)
        missing = lacks(Path(folder) / "extension" / "bundled", target)
    for one in missing:
        sys.stderr.write(f"{out.name}: {one}\n")
    sys.stdout.write(f"{out.relative_to(ROOT)}: {out.stat().st_size / 1e6:.1f} MB\n")
    return 1 if missing else 0


def server_wheel(folder: Path) -> Path:
    """The wheel of the server itself, made in a folder."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("burstline-*.whl"))


def bundle(target: str, bundled: Path, wheel: Path) -> None:
    """Fill a folder with the server and what it needs on a platform."""
    shutil.rmtree(bundled, ignore_errors=True)
    platforms = [word for tag in TAGS[target] for word in ("--platform", tag)]
    for version in PYTHONS:
        # What is not compiled is there once, from the first Python.
        among = None if version == PYTHONS[0] else compiled(bundled)
        only = ["--only-binary=:all:", "--implementation=cp", f"--python-version={version}", *platforms]
        for one in _wheels(f"{target}-{version}", pins(target, among), *only):
            with zipfile.ZipFile(one) as archive:
                archive.extractall(bundled)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(bundled)
    (bundled / "__main__.py").write_text(MAIN, "utf-8", newline="\n")
    shutil.copy(ROOT / "LICENSE", bundled / "LICENSE")


def _licences(bundled: Path) -> None:
    """The licence texts of the npm packages whose code is in the extension; Python packages bring their own."""
    packages = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))["packages"]
    for folder in (name for name, one in packages.items() if name and not one.get("dev")):
        texts = [file for file in (CLIENT / folder).iterdir() if file.name.lower().startswith(("licen", "thirdparty"))]
        if not texts:
            raise FileNotFoundError(f"{folder}: no licence text to go with its code")
        place = bundled / "licenses" / folder.rpartition("node_modules/")[2]
        place.mkdir(parents=True)
        for file in texts:
            shutil.copy(file, place)


def compiled(bundled: Path) -> set[str]:
    """The names of the packages in a bundle that bring compiled modules."""
    wheels = {one: HeaderParser().parsestr(one.read_text("utf-8")) for one in bundled.glob("*.dist-info/WHEEL")}
    return {_name(one.parent.name) for one, wheel in wheels.items() if wheel["Root-Is-Purelib"] != "true"}


def _name(text: str) -> str:
    """The name of the package that a pin or a folder's name begins with."""
    return canonicalize_name(re.split(r"[=-]+(?=\d)", text, maxsplit=1)[0])


def pins(target: str, among: Container[str] | None = None) -> str:
    """requirements.lock without conditions: pip would judge them by this machine, not by the platform.

    All Pythons get the versions of the oldest one, since what is not compiled is there only once. `among` names the
    packages to be left in; None leaves all.
    """
    judged_by, wanted = environment(target, PYTHONS[0]), True

    def kept(line: str) -> str:
        nonlocal wanted
        if line.startswith(" "):  # a hash, or a comment on the pin above
            return line if wanted else ""
        pin, _, condition = line.removesuffix(" \\").partition(" ; ")
        wanted = not condition or Marker(condition).evaluate(judged_by)
        wanted = wanted and (among is None or _name(pin) in among)
        return f"{pin} \\" if wanted else ""

    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    return "\n".join(filter(None, map(kept, lines))) + "\n"


def _wheels(name: str, pinned: str, *words: str) -> list[Path]:
    """The wheels of what is pinned: those that an earlier run downloaded, if they are all there as pinned."""
    folder = WHEELS / name
    found = sorted(folder.glob("*.whl"))
    hashes = [hashlib.sha256(one.read_bytes()).hexdigest() for one in found]
    if len(found) == pinned.count("==") and all(f"--hash=sha256:{one}" in pinned for one in hashes):
        return found
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    requirements = folder / "requirements.txt"
    requirements.write_text(pinned, "utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--dest", str(folder), *words, "--require-hashes", "-r", str(requirements)], check=True)
    return sorted(folder.glob("*.whl"))


if __name__ == "__main__":
    sys.exit(main())
