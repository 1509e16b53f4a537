"""Files of the public repositories that measurements and reports come from."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from bench.scoreboard import binaries

_GZIP = b"\x1f\x8b"
_REPORT = "report_data.js"
_MAX_BYTES = 64_000_000
"""Largest report that is taken out of an archive."""


def git_show(mirror: Path, repository: str, what: str) -> bytes:
    """What ``git show`` prints of a repository (``COMMIT:PATH``); nothing where it is not there."""
    return _git(mirror, repository, "show", what)


def git_blob(mirror: Path, repository: str, blob: str) -> bytes:
    """The content of a blob; nothing where it is not there."""
    return _git(mirror, repository, "cat-file", "blob", blob)


def git_files(mirror: Path, repository: str, commit: str) -> list[str]:
    """The paths of a commit's files."""
    return _git(mirror, repository, "ls-tree", "-r", "--name-only", commit).decode("utf-8", "replace").splitlines()


def report_of(content: bytes) -> bytes:
    """A file's report: itself, what a compiled kernel holds or a ``.tar.gz``'s ``report_data.js``; nothing without."""
    if content.startswith(binaries.MAGIC):
        return binaries.report_in(content)
    if not content.startswith(_GZIP):
        return content
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            for member in archive:
                if member.isfile() and Path(member.name).name == _REPORT and member.size <= _MAX_BYTES:
                    found = archive.extractfile(member)
                    return found.read() if found else b""
    except (tarfile.TarError, OSError, EOFError):
        return b""
    return b""


def git_dir(mirror: Path, repository: str) -> Path:
    """Where a repository's git directory is, if it is there."""
    base = mirror / repository.replace("/", "+") / "repo"
    return base / ".git" if (base / ".git").is_dir() else base


def _git(mirror: Path, repository: str, *asked: str) -> bytes:
    command = [shutil.which("git") or "git", "--git-dir", str(git_dir(mirror, repository)), *asked]
    return subprocess.run(command, capture_output=True, check=False).stdout
