"""Git repositories of a test's own, as a mirror has them."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git prints for a command in a folder."""
    own = ["-c", "user.name=somebody", "-c", "user.email=somebody@localhost"]
    done = subprocess.run(["git", "-C", str(folder), *own, *words], capture_output=True, check=True, text=True)
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """Make a folder a repository with all its files in one commit; the commit."""
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return git(folder, "rev-parse", "HEAD")
