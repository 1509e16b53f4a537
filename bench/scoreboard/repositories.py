"""Files of the public repositories that measurements and reports come from."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def git_show(mirror: Path, repository: str, what: str) -> bytes:
    """What ``git show`` prints of a repository (``COMMIT:PATH``); nothing where it is not there."""
    return _git(mirror, repository, "show", what)


def git_blob(mirror: Path, repository: str, blob: str) -> bytes:
    """The content of a blob; nothing where it is not there."""
    return _git(mirror, repository, "cat-file", "blob", blob)


def git_files(mirror: Path, repository: str, commit: str) -> list[str]:
    """The paths of a commit's files."""
    return _git(mirror, repository, "ls-tree", "-r", "--name-only", commit).decode("utf-8", "replace").splitlines()


def git_dir(mirror: Path, repository: str) -> Path:
    """Where a repository's git directory is, if it is there."""
    base = mirror / repository.replace("/", "+") / "repo"
    return base / ".git" if (base / ".git").is_dir() else base


def _git(mirror: Path, repository: str, *asked: str) -> bytes:
    command = [shutil.which("git") or "git", "--git-dir", str(git_dir(mirror, repository)), *asked]
    return subprocess.run(command, capture_output=True, check=False).stdout
