"""From nothing to the first hint: ``python bench/first_steps.py`` prints how long each step of a new user takes.

The last commit is cloned into a new folder and everything is made there; only VS Code itself is this checkout's
(``make .workbench/floor/.ready``), and packages come from the caches of pip and npm where they are warm. It needs npm
and Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKBENCH = ROOT / ".workbench" / "floor"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def seconds(folder: Path, *command: str) -> float:
    """How long a command takes; raises where it fails."""
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def in_the_editor(clone: Path, browser: str) -> list[float]:
    """The seconds of installing the extension; to a kernel's text and from there to its first hint, in two windows."""
    client = clone / "vscode-client"
    seconds(client, "npm", "run", "--silent", "build:tests")
    first = ["node", "out/test/workbench/first.js", str(WORKBENCH), browser]
    printed = subprocess.run(first, cwd=client, check=True, capture_output=True, text=True).stdout
    return [float(found) for found in re.findall(r": ([\d.]+) s$", printed, re.MULTILINE)]


def main() -> int:
    """Print the table; exit status 2 where something is missing."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None or not (WORKBENCH / ".ready").exists():
        sys.stderr.write("first_steps: needs Chromium and a VS Code: make .workbench/floor/.ready\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "burstline"
        rows = [
            ("clone", "git clone …", seconds(Path(folder), "git", "clone", "--quiet", str(ROOT), str(clone))),
            ("see the examples' costs", "make demo", seconds(clone, "make", "demo")),
            ("build the extension", "make vsix", seconds(clone, "make", "vsix")),
        ]
        install, text, hint, text_again, hint_again = in_the_editor(clone, browser)
    rows += [
        ("install it", "code --install-extension …", install),
        ("open a kernel: until the editor shows its text", "", text),
        ("from its text to the first hint", "", hint),
        ("a new window: until the editor shows the text", "", text_again),
        ("from its text to the first hint", "", hint_again),
    ]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"On {os.cpu_count()} cores, {load:.0f} processes running:\n\n| step | command | time |\n|---|---|---|")
    for step, command, time_s in rows:
        print(f"| {step} | {f'`{command}`' if command else ''} | {time_s:.0f} s |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
