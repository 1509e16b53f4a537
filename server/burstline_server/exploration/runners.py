"""Who does the jobs of an exploration: this process, or the workers of a Dask cluster. What is done is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from burstline_server.exploration.jobs import Job, NothingToExploreError, Outcome, explore, explored

RunAll = Callable[[Sequence[Job]], Iterator[Outcome]]


@dataclass
class Kept:
    """Outcomes in a file, one JSON object a line: what is there is not done again. A torn last line is done anew."""

    path: Path | None
    known: dict[str, Outcome] = field(default_factory=dict)
    torn: bool = False
    """Whether the last line has no end: what follows begins a new one."""

    def __post_init__(self) -> None:
        """Read what there is; raises `NothingToExploreError` for a file that is none of ours, or cannot be written."""
        if self.path is None:
            return
        try:
            if self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
                raise NothingToExploreError("not_regular", self.path)
            self.path.open("a", encoding="utf-8").close()
            text = self.path.read_text("utf-8", "replace")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "no such name"
            raise NothingToExploreError("not_kept", self.path, reason) from error
        self.torn = text != "" and not text.endswith("\n")
        for number, line in enumerate(text.splitlines()):
            try:
                outcome = Outcome.model_validate_json(line)
            except ValidationError as error:
                if number == 0 and not line.startswith('{"key":'):
                    raise NothingToExploreError("not_results", self.path) from error
                continue
            self.known[outcome.key] = outcome

    def through(self, jobs: Sequence[Job], run_all: RunAll) -> Iterator[Outcome]:
        """The outcomes of all jobs: the kept ones, then those done now, each kept as it comes."""
        left = [job for job in jobs if job.key not in self.known]
        yield from (self.known[job.key] for job in jobs if job.key in self.known)
        for outcome in run_all(left):
            if self.path is not None:
                self._keep(self.path, outcome)
            yield outcome

    def _keep(self, path: Path, outcome: Outcome) -> None:
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write("\n" * self.torn + outcome.model_dump_json() + "\n")
        except OSError as error:
            raise NothingToExploreError("not_kept", path, error.strerror) from error
        self.torn = False


@contextmanager
def runner_of(scheduler: str | None, progress: Callable[[int, int], None] | None = None) -> Iterator[RunAll]:
    """The one that does jobs: None is this process, "local" Dask on all cores, else the address of a cluster.

    `progress` is called with how many variants of a job are done, of how many, in this process.
    """
    if scheduler is None:
        yield lambda jobs: in_turn(jobs, progress)
        return
    try:
        from distributed import Client, as_completed  # noqa: PLC0415 - an extra
    except ImportError:
        raise NothingToExploreError("no_dask") from None
    address = None if scheduler == "local" else scheduler
    try:
        client = Client(address, timeout="5s")
    except (OSError, ValueError) as error:
        raise NothingToExploreError("no_cluster", scheduler, error) from error

    def spread(jobs: Sequence[Job]) -> Iterator[Outcome]:
        # Records travel as JSON: nothing of ours has to be pickled the same way on both sides.
        done = _explored if len(jobs) > 1 else _explored_alone
        futures = client.map(done, [job.model_dump_json() for job in jobs], pure=False)
        for future in as_completed(futures):
            yield Outcome.model_validate_json(future.result())

    with client:
        yield spread


def in_turn(jobs: Sequence[Job], progress: Callable[[int, int], None] | None = None) -> Iterator[Outcome]:
    """One after the other, here."""
    do = explore if len(jobs) == 1 else explored
    return (do(job, progress) for job in jobs)


def _explored_alone(job: str) -> str:
    return explore(Job.model_validate_json(job)).model_dump_json()


def _explored(job: str) -> str:
    return explored(Job.model_validate_json(job)).model_dump_json()
