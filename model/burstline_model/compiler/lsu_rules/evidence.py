"""What public reports say for and against a rule."""

from __future__ import annotations

from burstline_model.record import fixed


@fixed
class Evidence:
    """Units of a public repository's vendor reports that a rule gets right (`won`) or wrong (`lost`) by its own doing.

    Counted with and without the rule, all others in force: ``python -m bench.scoreboard.evidence``.
    """

    repository: str
    won: int
    lost: int = 0

    @property
    def origin(self) -> str:
        """What forks, and repositories of one project, have in common."""
        return origin_of(self.repository)


PROJECTS = {"AutoDock-FPGA": "AutoDock-Aurora", "hpcc_fpga_eval_21": "hpcc_fpga_eval"}
"""Repositories by name that hold kernels of another one, by the same authors: no evidence of their own."""


def origin_of(repository: str) -> str:
    """What a repository (OWNER/NAME) has in common with its forks and its project: the name without the owner."""
    name = repository.rpartition("/")[2]
    return PROJECTS.get(name, name)
