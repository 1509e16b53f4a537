"""What public reports say for and against a rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """Units of a public repository's vendor reports that a rule gets right (`won`) or wrong (`lost`) by its own doing.

    Counted with and without the rule, all others in force: ``python -m bench.scoreboard.evidence``.
    """

    repository: str
    won: int
    lost: int = 0

    @property
    def origin(self) -> str:
        """What forks have in common."""
        return origin_of(self.repository)


def origin_of(repository: str) -> str:
    """What a repository (OWNER/NAME) has in common with its forks: the name without the owner."""
    return repository.rpartition("/")[2]
