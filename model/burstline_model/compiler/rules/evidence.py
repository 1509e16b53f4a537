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
        """What forks have in common: the repository's name without its owner."""
        return self.repository.rpartition("/")[2]
