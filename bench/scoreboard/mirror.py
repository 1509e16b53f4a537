"""Public repositories as git directories below one folder, ``OWNER+NAME/repo``, bare or with ``.git``."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Mirror:
    """Reads files of public repositories; what is not there reads as nothing."""

    folder: Path
    _paths: dict[tuple[str, str], list[str]] = field(default_factory=dict, compare=False)

    def blob(self, repository: str, blob: str) -> bytes:
        """A file's content by its git hash."""
        return self._git(repository, "cat-file", "blob", blob)

    def show(self, repository: str, commit: str, path: str) -> bytes:
        """A file's content at a commit."""
        return self._git(repository, "show", f"{commit}:{path}")

    def paths(self, repository: str, commit: str) -> list[str]:
        """The paths of a commit's files."""
        key = (repository, commit)
        if key not in self._paths:
            listed = self._git(repository, "ls-tree", "-r", "--name-only", commit)
            self._paths[key] = listed.decode("utf-8", "replace").splitlines()
        return self._paths[key]

    def _git(self, repository: str, *asked: str) -> bytes:
        base = self.folder / repository.replace("/", "+") / "repo"
        base = base / ".git" if (base / ".git").is_dir() else base
        command = [shutil.which("git") or "git", "--git-dir", str(base), *asked]
        return subprocess.run(command, capture_output=True, check=False).stdout
